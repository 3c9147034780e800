"""Assertions as functions."""

from __future__ import annotations

from typing import Any


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
