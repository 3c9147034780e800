"""Filling in place: zero_ and fill_ of all types and layouts, and the history they leave."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch

TYPES = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.bool,
    torch.uint8, torch.int64, torch.complex64,
)  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_zero_of_all_types(dtype: Any) -> None:
    x = torch.ones(3, 2).to(dtype)
    assert x.zero_() is x
    assert x._version == 1
    assert not x.to(torch.complex64).any()
    assert torch.zero_(torch.ones(2, 0, dtype=dtype)).shape == (2, 0)


def test_zero_of_views_and_of_what_lies_in_another_order() -> None:
    x = torch.ones(3, 3)
    x[1].zero_()
    x.t()[0].zero_()
    assert x.tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 1]]
    assert x._version == 2
    expanded = torch.ones(3, 1).expand(3, 4)
    assert not expanded.zero_().any()
    assert torch.ones(2, device="meta").zero_().device.type == "meta"


@pytest.mark.parametrize(
    ("name", "more", "node"), [("zero_", (), "ZeroBackward0"), ("fill_", (3.0,), "FillBackward0")]
)
def test_a_fill_hands_no_gradient_on(name: str, more: tuple[Any, ...], node: str) -> None:
    w = torch.ones(3, requires_grad=True)
    x = w * 2
    y = x * 1
    getattr(y, name)(*more)
    assert type(y.grad_fn).__name__ == node
    (y + x).sum().backward()
    assert w.grad.tolist() == [2, 2, 2]
    base = w * 3
    getattr(base[1:], name)(*more)
    w.grad = None
    base.sum().backward()
    assert w.grad.tolist() == [3, 0, 0]


def test_what_changed_a_saved_tensor_is_named() -> None:
    w = torch.ones(3, requires_grad=True)
    y = w.sigmoid()
    y.zero_()
    with pytest.raises(RuntimeError, match="changed by zero_ at"):
        y.sum().backward()
    with pytest.raises(RuntimeError, match="leaf"):
        w.zero_()
    with torch.inference_mode():
        x = torch.ones(2)
    with pytest.raises(RuntimeError, match="nference tensor"):
        x.zero_()
