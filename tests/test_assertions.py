"""Assertions as functions: `torch._assert`, `torch.ops.aten._assert_scalar` and their like."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch

x = torch.ones(2)
aten = torch.ops.aten


def test_what_holds_is_silent() -> None:
    torch._assert(True, "words")
    torch._assert_async(torch.tensor([2.0]))
    torch._assert_scalar(1, "words")
    torch._assert_tensor_metadata(x)
    same: dict[str, Any] = {"dtype": torch.float32, "device": "cpu", "layout": torch.strided}
    aten._assert_tensor_metadata.default(x, [2], [1], **same)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch._assert(False, "words"), AssertionError, "^words$"),
        (lambda: torch._assert_async(torch.tensor(0)), RuntimeError, "single nonzero value"),
        (lambda: torch._assert_async(torch.tensor(0), "words"), RuntimeError, "^words$"),
        (lambda: torch._assert_async(x), RuntimeError, "more than one value is ambiguous"),
        (lambda: aten._assert_scalar(False, "words"), RuntimeError, "^words$"),
        (lambda: aten._assert_tensor_metadata(x, [3]), RuntimeError,
         r"sizes mismatch! Expected: \[3\], Got: \[2\]"),
        (lambda: aten._assert_tensor_metadata(x, stride=[3]), RuntimeError, "strides mismatch"),
        (lambda: aten._assert_tensor_metadata(x, dtype=torch.int8), RuntimeError, "dtype mismatch"),
        (lambda: aten._assert_tensor_metadata(x, device="meta"), RuntimeError, "device mismatch"),
        (lambda: aten._assert_tensor_metadata(x, layout=torch.sparse_coo), RuntimeError,
         "layout mismatch"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_an_error(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
