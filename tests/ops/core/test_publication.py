"""`out=`: what is written, counted and refused, where the given tensor is as the result is and
where it is not. Compared with PyTorch in `tests/compare/test_values.py` and others."""

from __future__ import annotations

import pytest

import rushlight as torch

A, B = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)
WANTED = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def empties() -> dict[str, torch.Tensor]:
    return {
        "as the result": torch.empty(2, 3),
        "a view": torch.empty(4, 3)[1:3],
        "in columns": torch.empty(3, 2).t(),
        "of another type": torch.empty(2, 3, dtype=torch.float64),
    }


@pytest.mark.parametrize("name", empties())
def test_a_write_is_counted_once(name: str) -> None:
    out = empties()[name]
    strides, dtype = out.stride(), out.dtype
    assert torch.add(A, B, out=out) is out
    assert out.tolist() == WANTED
    assert (out._version, out.stride(), out.dtype) == (1, strides, dtype)


def test_the_base_of_a_view_is_written_and_counted() -> None:
    base = torch.zeros(4, 3)
    torch.add(A, B, out=base[1:3])
    assert base.tolist() == [[0.0] * 3, *WANTED, [0.0] * 3]
    assert base._version == 1


def test_two_results() -> None:
    values, places = torch.empty(3), torch.empty(3, dtype=torch.int64)
    torch.max(A, 0, out=(values, places))
    assert values.tolist() == [3.0, 4.0, 5.0]
    assert places.tolist() == [1, 1, 1]
    assert (values._version, places._version) == (1, 1)


def test_a_history_is_neither_cut_nor_overwritten() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = x * x
    for operands, out in (((A, B), x), ((x, B), torch.empty(2, 3))):
        with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
            torch.add(*operands, out=out)
    with torch.no_grad():
        torch.add(A, B, out=x)
    assert x.requires_grad
    assert x.tolist() == WANTED
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_tensors_of_inference_mode_stay() -> None:
    with torch.inference_mode():
        out = torch.add(A, B, out=torch.empty(2, 3))
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        torch.mul(A, B, out=out)
    assert out.tolist() == WANTED
