"""Assertions as functions."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import overlaps
from rushlight.ops.core.overrides import dispatching


@dispatching
def _assert(condition: Any, message: str) -> None:
    """Raise AssertionError with the message, unless the condition holds.

    >>> _assert(1 < 2, "order")
    """
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Any, assert_msg: str = "") -> None:
    """Raise RuntimeError, unless the element of a tensor is not zero: at once, as all is here."""
    if input.numel() != 1:
        raise RuntimeError(
            "Boolean value of Tensor with "
            + ("no values" if input.numel() == 0 else "more than one value")
            + " is ambiguous"
        )
    if not input:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


def _debug_has_internal_overlap(self: Any) -> int:
    """Whether elements of a tensor lie over each other: 0 for no, 1 for yes, 2 for "too hard"."""
    return overlaps.within(self._a)


def _assert_scalar(self: Any, assert_msg: str) -> None:
    """Raise RuntimeError with the message, if a number is zero."""
    if not self:
        raise RuntimeError(assert_msg)


def _assert_tensor_metadata(
    a: Any,
    size: Any = None,
    stride: Any = None,
    dtype: Any = None,
    *,
    device: Any = None,
    layout: Any = None,
) -> None:
    """Raise RuntimeError, unless a tensor is as all that is given says."""
    from rushlight import device as Device

    wanted = {"sizes": size, "strides": stride, "dtype": dtype, "device": device, "layout": layout}
    for what, value in wanted.items():
        if value is None:
            continue
        if what in ("sizes", "strides"):
            value, got = list(value), list(a.shape if what == "sizes" else a.stride())
        else:
            value, got = Device(value) if what == "device" else value, getattr(a, what)
        if value != got:
            raise RuntimeError(f"Tensor {what} mismatch! Expected: {value}, Got: {got}")
