"""Bounds and `out=` that elementwise functions refuse, as in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch

truths = torch.tensor([True, False])


@pytest.mark.parametrize(("clamp", "kernel"), [
    (lambda x: x.clamp(True), "clamp_min_scalar_cpu"),
    (lambda x: x.clip(max=False), "clamp_max_scalar_cpu"),
    (lambda x: x.clamp(False, True), "clamp_scalar_cpu"),
    (lambda x: x.clamp_min_(True), "clamp_min_scalar_cpu"),
    (lambda x: torch.clamp_max(x, True, out=truths.clone()), "clamp_max_scalar_cpu"),
    (lambda x: x.clamp(torch.tensor(False), torch.tensor(True)), "clamp_cpu"),
])  # fmt: skip
def test_bools_are_not_clamped_between_bools(clamp: Any, kernel: str) -> None:
    for x in (truths.clone(), torch.empty(0, dtype=torch.bool)):
        with pytest.raises(NotImplementedError, match=f'"{kernel}" not implemented for \'Bool\''):
            clamp(x)


def test_bools_are_clamped_by_one_tensor_and_by_ints() -> None:
    assert truths.clamp(torch.tensor(True)).tolist() == [True, True]
    assert truths.clamp_max(0).tolist() == [0, 0]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        truths.clamp_min(None)


@pytest.mark.parametrize("call", [
    torch.add, torch.sub, torch.mul, torch.div, torch.logaddexp, torch.maximum, torch.fmod,
    torch.clamp_min, torch.pow, torch.atan2,
    lambda a, b, out: torch.lerp(a, b, 0.5, out=out),
    lambda a, b, out: torch.addcmul(a, b, b, out=out),
    lambda a, b, out: torch.div(a, b, rounding_mode="floor", out=out),
    lambda a, b, out: torch.where(a > 0, a, b, out=out),
])  # fmt: skip
@pytest.mark.parametrize("shape", [(), (1,)])
def test_an_operand_is_not_resized_to_be_the_result(call: Any, shape: tuple[int, ...]) -> None:
    x, more = torch.ones(shape), torch.ones(2, 3)
    for operands in ((x, more), (more, x)):
        with pytest.raises(RuntimeError, match=r"doesn't match the broadcast shape \[2, 3\]"):
            call(*operands, out=x)
    assert x.shape == shape


def test_bools_are_not_subtracted_whatever_their_factor() -> None:
    x = torch.ones(2)
    for call in (lambda: x.sub(True, alpha=2), lambda: x.sub(truths, alpha=2)):
        with pytest.raises(RuntimeError, match="Subtraction, the `-` operator"):
            call()


def test_bools_are_in_no_set() -> None:
    for operands in ((True, torch.ones(2)), (torch.ones(2), True)):
        with pytest.raises(RuntimeError, match="Unsupported input type encountered for isin"):
            torch.isin(*operands)


def test_half_precision_has_no_polar_numbers() -> None:
    half = torch.ones(1).half()
    with pytest.raises(NotImplementedError, match="\"polar_cpu\" not implemented for 'Half'"):
        torch.polar(half, half)
    with pytest.raises(RuntimeError, match="Expected object of scalar type Half but got"):
        torch.polar(half, half.float())
    assert torch.polar(half.to("meta"), half.to("meta")).dtype is torch.complex32
