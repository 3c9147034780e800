"""Indices that are refused, and what is asked first where several things are wrong; as PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch

z, long, half = torch.zeros, torch.long, torch.half
NOWHERE = "index is out of bounds for dimension with size 0"


@pytest.mark.parametrize("get", [
    lambda: z(2, 0)[0:0, [0]],
    lambda: z(0, 2, 0)[:, :, [0]],
    lambda: z(0, 0)[:, [0]],
    lambda: z(0, 2)[[0], [0]],
    lambda: z(2, 0)[:, [-1]],
])  # fmt: skip
def test_a_dimension_without_elements_has_no_place(get: Any) -> None:
    with pytest.raises(IndexError, match=NOWHERE):
        get()


def test_of_nothing_no_index_is_out_of_bounds() -> None:
    assert z(2, 0)[[5]].shape == (1, 0)
    assert z(0, 2, 3)[:, [5], [0]].shape == (0, 1)
    assert z(2, 0, 3)[[7], :, [7]].shape == (1, 0)
    assert z(2, 3)[[], [7]].shape == (0,)
    x = z(2, 3)
    x[0:0, [9]] = 1
    x.index_put_((z(0, dtype=long), torch.tensor([7])), torch.tensor(1.0), accumulate=True)
    assert not x.any()
    y = z(2, 0, requires_grad=True)
    y[[5]].sum().backward()
    assert y.grad.shape == (2, 0)


def test_values_fit_before_places_are_looked_up() -> None:
    x = z(2, 3)
    for key in ((slice(0, 0), [9]), [9], ([9], [1])):
        with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[5\]"):
            x[key] = z(5)


one, far, truths = torch.tensor([0]), torch.tensor([7]), z(3, dtype=torch.bool)
rows = z(2, 4, dtype=long)
SCATTERS: list[tuple[Any, type[Exception], str]] = [
    (lambda: z(3).scatter_reduce(5, one, z(1, dtype=half), "prod"), IndexError, "out of range"),
    (lambda: z(3).half().scatter_reduce(5, one, z(1), "foo"), IndexError, "out of range"),
    (lambda: z(3).scatter_add_(5, one, z(1, dtype=half)), IndexError, "out of range"),
    (lambda: z(3).scatter(5, one, z(1, dtype=half), reduce="add"), IndexError, "out of range"),
    (lambda: z(3).scatter_add(0, one[None], z(1).half()), RuntimeError, "self.dtype"),
    (lambda: z(3, 4).scatter_add(0, rows, z(4)), IndexError, "out of range"),
    (lambda: z(3, 4).scatter_add(0, rows, z(1)), RuntimeError, "dimensions as src"),
    (lambda: z(3, 4).scatter(0, rows, z(2, 4, 1)), RuntimeError, "dimensions as src"),
    (lambda: z(3, 4).scatter_reduce(0, rows, z(2, 3), "foo"), RuntimeError, "no larger size than"),
    (lambda: z(3, 4).scatter_reduce(0, rows, z(2, 4), "foo"), RuntimeError, "reduce argument"),
    (lambda: truths.scatter_reduce(0, far, truths[:1], "mean"), NotImplementedError, "_mean"),
    (lambda: truths.scatter_reduce(0, far, truths[:1], "sum"), RuntimeError, "out of bounds"),
]


@pytest.mark.parametrize(("call", "kind", "words"), SCATTERS)
def test_dimension_types_shapes_and_places_in_this_order(
    call: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words) as raised:
        call()
    assert type(raised.value) is kind


def test_slices_of_nothing_are_copied_and_filled_anywhere() -> None:
    x, far2 = z(2, 0, 3), torch.tensor([5, 6])
    assert x.index_copy_(0, far2, z(2, 0, 3)).shape == (2, 0, 3)
    assert x.index_fill(0, far2, 1).shape == (2, 0, 3)
    with pytest.raises(IndexError):
        z(2, 1, 3).index_copy_(0, far2, z(2, 1, 3))


def test_one_number_to_scatter_is_no_tensor_of_another_rank() -> None:
    x = z(3, 4)
    with pytest.raises(RuntimeError, match="same number of dimensions as src"):
        x.scatter(1, rows[:, :1], torch.tensor(1.0))
    assert x.scatter(1, rows[:, :1], value=torch.tensor(1.0)).sum() == 2
    assert torch.scatter(x, 1, rows[:, :1], value=torch.tensor(1.0), reduce="add").sum() == 2
    with pytest.raises(TypeError, match="invalid combination"):
        x.scatter(1, rows[:, :1], [[1.0], [1.0]])


def test_complex_numbers_do_not_fill_real_ones() -> None:
    for number in (torch.tensor(1j), torch.tensor(1j, requires_grad=True)):
        with pytest.raises(RuntimeError, match="without overflow"):
            z(3).masked_fill(z(3) == 0, number)
        with pytest.raises(RuntimeError, match="Converting complex Scalar"):
            z(3).index_fill(0, one, number)


def test_a_number_is_repeated_along_no_dimension() -> None:
    assert torch.repeat_interleave(torch.tensor(5), 2).tolist() == [5, 5]
    with pytest.raises(IndexError, match="no dimensions"):
        torch.repeat_interleave(torch.tensor(5), 2, 0)


def test_integers_take_no_value_that_requires_grad():
    x, value = torch.zeros(3, dtype=torch.int32), torch.tensor(1.0, requires_grad=True)
    fills = [
        lambda: x.masked_fill(x == 0, value),
        lambda: x.index_fill(0, torch.tensor([1]), value),
        lambda: torch.select_scatter(x, value, 0, 1),
    ]
    for fill in fills:
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Int"):
            fill()
        with torch.no_grad():
            assert fill().dtype is torch.int32
