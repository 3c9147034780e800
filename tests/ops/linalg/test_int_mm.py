"""Products of matrices of bytes."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch


def bytes_of(*shape: int, dtype: Any = torch.int8) -> Any:
    low, high = (0, 256) if dtype is torch.uint8 else (-128, 128)
    return torch.randint(low, high, shape, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("k", [0, 7, 5000])
def test_products_are_exact(dtype: Any, k: int) -> None:
    a, b = bytes_of(3, k, dtype=dtype), bytes_of(5, k).t()
    wanted = a.long() @ b.long()
    y = torch._int_mm(a, b)
    assert y.dtype is torch.int32
    assert y.tolist() == wanted.tolist()
    out = torch.empty(3, 5, dtype=torch.int32)
    assert torch._int_mm(a, b, out=out) is out
    assert out.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("a", "b", "out", "words"),
    [
        (bytes_of(3, 4), bytes_of(3, 5), None, r"self.size\(1\) needs to match mat2.size\(0\)"),
        (bytes_of(3, 4).float(), bytes_of(4, 5), None, "self dtype to be int8 or uint8 .* float"),
        (bytes_of(3, 4), bytes_of(4, 5).int(), None, "mat2 dtype to be of type int8 but got int"),
        (bytes_of(1, 3, 4), bytes_of(4, 5), None, "self to be of dimension 2 but got 3"),
        (bytes_of(3, 4), bytes_of(4, 5), torch.zeros(3, 5), "result dtype to be of type kInt"),
        (bytes_of(3, 4), bytes_of(4, 5), torch.zeros(3, 4).int(), r"result.size\(1\) to be 5"),
    ],
)
def test_what_does_not_fit(a: Any, b: Any, out: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        torch._int_mm(a, b, out=out)
