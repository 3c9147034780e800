"""What fake quantization refuses, before it changes anything. (Values: tests/compare.)"""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch


def observers(**kw: Any) -> dict[str, Any]:
    made = {
        "input": torch.tensor([1.0, 0.0, 3.0]),
        "observer_on": torch.tensor([1]),
        "fake_quant_on": torch.tensor([1]),
        "running_min": torch.tensor(-1.0),
        "running_max": torch.tensor(2.0),
        "scale": torch.tensor([0.5]),
        "zero_point": torch.tensor([5], dtype=torch.int32),
    }
    return {**made, **kw}


def called(given: dict[str, Any]) -> Any:
    return torch.fused_moving_avg_obs_fake_quant(*given.values(), 0.01, 0, 15, -1)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"input": torch.tensor([1, 2])}, RuntimeError, "Float but found Long"),
        ({"input": torch.tensor([1j])}, NotImplementedError, "aminmax_cpu"),
        ({"input": torch.tensor([1]), "observer_on": torch.tensor([0])}, NotImplementedError,
         "not implemented for 'Long'"),
        ({"running_min": torch.tensor(-1)}, RuntimeError, "Float but found Long"),
        ({"running_max": torch.tensor(2.0, dtype=torch.float64)}, RuntimeError, "found Double"),
        ({"scale": torch.tensor([0.5, 1.0])}, RuntimeError, "2 elements cannot be converted"),
        ({"scale": torch.tensor([0.5], requires_grad=True)}, RuntimeError, "argument 'scale'"),
        ({"running_min": torch.tensor(-1.0, requires_grad=True)}, RuntimeError,
         "argument 'running_min'"),
    ],
)  # fmt: skip
def test_nothing_is_changed_by_what_is_refused(
    change: dict[str, Any], error: type[Exception], text: str
) -> None:
    given = observers(**change)
    before = {name: x.tolist() for name, x in given.items()}
    with pytest.raises(error, match=text):
        called(given)
    assert {name: x.tolist() for name, x in given.items()} == before


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64])
def test_other_types_pass_where_nothing_is_observed(dtype: Any) -> None:
    off = torch.tensor([0])
    x = torch.tensor([1, 0, 3]).to(dtype)
    y = called(observers(input=x, observer_on=off, fake_quant_on=off))
    assert y.dtype is dtype
    assert y.tolist() == [1, 0, 3]


def test_an_empty_input_is_given_back() -> None:
    y = called(observers(input=torch.empty(0, 4), scale=torch.tensor([0.5], requires_grad=True)))
    assert y.shape == (0, 4)


def test_the_first_thing_that_is_wrong_is_told() -> None:
    scale, zero = torch.tensor([0.1], requires_grad=True), torch.tensor([0])
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.fake_quantize_per_tensor_affine(0, scale, zero, 0, 15)
    x = torch.ones(3, 4) + 0j
    with pytest.raises(NotImplementedError, match="round_vml_cpu"):
        torch._fake_quantize_learnable_per_channel_affine(x, x[0], x[0], 1, -8, 7)


def test_a_zero_point_has_no_gradient_within_the_range_whatever_goes_back() -> None:
    x, zero = torch.tensor([0.1, 0.2]), torch.zeros(1, requires_grad=True)
    y = torch._fake_quantize_learnable_per_tensor_affine(x, torch.ones(1), zero, -8, 7)
    y.backward(torch.tensor([float("nan"), float("inf")]))
    assert zero.grad is not None
    assert zero.grad.item() == 0.0
