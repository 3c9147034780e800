"""gather, scatter and their relatives; masks; flat positions; errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch


@pytest.fixture
def x():
    return torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_gather_and_its_gradient(x):
    x.requires_grad_()
    index = torch.tensor([[2, 2], [0, 1]])
    y = x.gather(1, index)
    assert y.tolist() == [[3.0, 3.0], [4.0, 5.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0, 2.0], [1.0, 1.0, 0.0]]


def test_gather_checks_its_index(x):
    with pytest.raises(RuntimeError, match="out of bounds for dimension 1 with size 3"):
        x.gather(1, torch.tensor([[3]]))
    with pytest.raises(RuntimeError, match="Expected dtype int64 for index"):
        x.gather(1, torch.tensor([[0.0]]))
    with pytest.raises(RuntimeError, match="same number of dimensions"):
        x.gather(1, torch.tensor([0]))
    with pytest.raises(RuntimeError, match="Size does not match at dimension 0"):
        x.gather(1, torch.zeros(3, 1, dtype=torch.int64))


def test_one_hot_by_scatter():
    labels = torch.tensor([2, 0])
    hot = torch.zeros(2, 3).scatter_(1, labels.unsqueeze(1), 1)
    assert hot.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_scatter_of_a_tensor_and_reduced(x):
    index = torch.tensor([[0, 0, 1]])
    assert x.scatter(0, index, torch.ones(1, 3)).tolist() == [[1, 1, 3], [4, 5, 1]]
    assert x.scatter(0, index, 10.0, reduce="add").tolist() == [[11, 12, 3], [4, 5, 16]]
    assert x.scatter_add(0, index, torch.ones(1, 3)).tolist() == [[2, 3, 3], [4, 5, 7]]
    with pytest.raises(RuntimeError, match=r"dtype to be equal to src\.dtype"):
        x.scatter(0, index, torch.ones(1, 3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="add or multiply"):
        x.scatter(0, index, 1.0, reduce="mean")


@pytest.mark.parametrize(
    ("reduce", "with_self", "without"),
    [
        ("sum", [7.0, 5.0], [6.0, 5.0]),
        ("prod", [8.0, 0.0], [8.0, 5.0]),
        ("mean", [7 / 3, 2.5], [3.0, 5.0]),
        ("amax", [4.0, 5.0], [4.0, 5.0]),
        ("amin", [1.0, 0.0], [2.0, 5.0]),
    ],
)
def test_scatter_reduce(reduce, with_self, without):
    x, index, src = torch.tensor([1.0, 0.0]), torch.tensor([0, 0, 1]), torch.tensor([4.0, 2.0, 5.0])
    assert x.scatter_reduce(0, index, src, reduce).tolist() == pytest.approx(with_self)
    assert x.scatter_reduce(0, index, src, reduce, include_self=False).tolist() == pytest.approx(
        without
    )
    assert (
        x.index_reduce(0, index, src, reduce).tolist() == pytest.approx(with_self)
        if reduce != "sum"
        else True
    )


def test_products_with_zeros_are_twice_differentiable():
    x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    index = torch.tensor([0, 0, 1])
    src = torch.tensor([0.0, 5.0, 7.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, s: a.scatter_reduce(0, index, s, "prod"), (x, src))
    assert torch.autograd.gradgradcheck(
        lambda a, s: a.scatter_reduce(0, index, s, "prod"), (x, src)
    )


def test_whole_slices(x):
    index = torch.tensor([1, 0, 1])
    assert x.index_select(0, index).tolist() == [[4, 5, 6], [1, 2, 3], [4, 5, 6]]
    assert torch.zeros(2, 3).index_add_(0, index, torch.ones(3, 3), alpha=2).tolist() == [
        [2, 2, 2],
        [4, 4, 4],
    ]
    assert x.index_fill(1, torch.tensor([0]), -1).tolist() == [[-1, 2, 3], [-1, 5, 6]]
    assert x.index_copy(0, torch.tensor([1]), torch.zeros(1, 3)).tolist() == [[1, 2, 3], [0, 0, 0]]
    with pytest.raises(IndexError, match="index out of range in self"):
        x.index_select(0, torch.tensor([2]))
    with pytest.raises(IndexError, match="supposed to be a vector"):
        x.index_select(0, torch.zeros(1, 1, dtype=torch.int64))


def test_masks(x):
    mask = x > 2
    assert x.masked_fill(mask, 0).tolist() == [[1, 2, 0], [0, 0, 0]]
    assert x.masked_select(mask).tolist() == [3, 4, 5, 6]
    assert x.masked_scatter(mask, -torch.arange(6.0)).tolist() == [[1, 2, 0], [-1, -2, -3]]
    v = torch.tensor(9.0, requires_grad=True)
    y = x.masked_fill(mask, v)
    y.sum().backward()
    assert v.grad.item() == 4
    with pytest.raises(RuntimeError, match="only supports boolean masks"):
        x.masked_fill(mask.int(), 0)
    with pytest.raises(RuntimeError, match="number of elements of source"):
        x.masked_scatter(mask, torch.ones(2))


def test_flat_positions(x):
    assert x.take(torch.tensor([[0, -1]])).tolist() == [[1.0, 6.0]]
    assert torch.zeros(2, 2).put_(torch.tensor([1, 2]), torch.tensor([5.0, 6.0])).tolist() == [
        [0, 5],
        [6, 0],
    ]
    assert torch.take_along_dim(x, torch.tensor([[0], [2]]), 1).tolist() == [[1.0], [6.0]]
    with pytest.raises(IndexError, match="out of range"):
        x.take(torch.tensor([6]))
    rows, columns = torch.unravel_index(torch.tensor([4, 1]), (2, 3))
    assert (rows.tolist(), columns.tolist()) == ([1, 0], [1, 1])


def test_places(x):
    x = torch.tensor([[0, 3], [5, 0]])
    assert x.nonzero().tolist() == torch.argwhere(x).tolist() == [[0, 1], [1, 0]]
    assert [t.tolist() for t in torch.where(x > 0)] == [[0, 1], [1, 0]]
    assert [t.tolist() for t in torch.nonzero(x, as_tuple=True)] == [[0, 1], [1, 0]]
    assert torch.nonzero_static(x, size=3, fill_value=-7).tolist() == [[0, 1], [1, 0], [-7, -7]]
    assert torch.tensor(1).nonzero().shape == (1, 0)


def test_index_put(x):
    i = (torch.tensor([0, 0]), torch.tensor([1, 1]))
    assert x.index_put(i, torch.tensor([1.0, 1.0]), accumulate=True)[0, 1].item() == 4
    x.index_put_(i, torch.tensor(9.0))
    assert x[0, 1].item() == 9
    with pytest.raises(RuntimeError, match="dtype"):
        x.index_put(i, torch.tensor(1))


def test_numbers_that_do_not_fit():
    x = torch.zeros(2, dtype=torch.uint8)
    assert x.masked_fill(x == 0, -1).tolist() == [255, 255]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        x.masked_fill(x == 0, 300)
    with pytest.raises(RuntimeError, match="to type uint8_t without overflow"):
        x[0] = 300
    with pytest.raises(RuntimeError, match="to type float without overflow"):
        torch.zeros(1).fill_(1e39)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: x.index_copy(5, x, x), IndexError, "Dimension out of range"),
        (lambda x: x.index_copy(0, torch.tensor([0, 1]), x[0, 0]), IndexError, "source is scalar"),
        (lambda x: x.index_copy(0, torch.tensor([0]), x[0]), IndexError, "must match"),
        (lambda x: x.index_add(1, torch.tensor([2, 2]), x[0]), RuntimeError, "Indexing dim 1"),
        (lambda x: x.index_add(5, torch.tensor([0]), x.double()), IndexError, "out of range"),
        (lambda x: x[0, 0].index_add(0, torch.tensor([0, 0]), x[0, 0]), IndexError, "Number of"),
        (lambda x: x.index_fill(9, torch.tensor([0.0]), 1j), IndexError, "Expected dtype int64"),
        (lambda x: x.index_fill(9, torch.tensor([0]), 1j), RuntimeError, "complex Scalar"),
        (
            lambda x: x[:1].expand(2, 3).index_fill_(0, torch.tensor([0], dtype=torch.int32), 1),
            IndexError,
            "Expected dtype int64",
        ),
        (lambda x: torch.take_along_dim(0, x, 1), TypeError, "must be Tensor, not int"),
        (lambda x: torch.take_along_dim(x, x[0], 1), RuntimeError, "same number of dimensions"),
    ],
)
def test_whole_slices_name_pytorchs_mistake(x, call, kind, words):
    with pytest.raises(kind, match=words):
        call(x)


@pytest.mark.parametrize("include_self", [True, False])
def test_products_of_complex_numbers_have_gradients(include_self: bool) -> None:
    """PyTorch's in-place form leaves the conjugate out; central differences say what is right."""
    x = torch.tensor([1 + 1j, 2 - 1j, 0.5j], dtype=torch.complex128, requires_grad=True)
    s = torch.tensor([1 - 2j, 3j, 2 + 0j, 1 + 1j], dtype=torch.complex128, requires_grad=True)
    index = torch.tensor([0, 0, 1, 2])

    def product(x: Any, s: Any) -> Any:
        return x.scatter_reduce(0, index, s, "prod", include_self=include_self)

    assert torch.autograd.gradcheck(product, (x, s))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool])
@pytest.mark.parametrize("d", [0, 1])
def test_an_index_of_whole_slices_is_one_of_elements(d: int, dtype: Any) -> None:
    """What is reduced by slices, where an index was expanded, is what elements give; NaN too."""
    rng = np.random.default_rng(0)
    shape = [5, 40]
    x = torch.from_numpy(rng.integers(-9, 9, shape)).to(dtype)
    shape[d] = 60
    src = torch.from_numpy(rng.integers(-9, 9, shape)).to(dtype)
    if dtype.is_floating_point:
        src[3, 7] = torch.nan
    line = torch.from_numpy(rng.integers(0, x.shape[d], 60))
    line[line == 2] = 3  # one gets nothing
    expanded = (line[:, None] if d == 0 else line).expand(shape)
    whole = expanded.clone()
    assert torch.equal(x.gather(d, expanded), x.gather(d, whole))
    found = [x.scatter_add(d, i, src) for i in (expanded, whole)]
    found += [torch.zeros_like(x).index_add(d, line, src) + x for _ in range(dtype is torch.int64)]
    for y in found[1:]:
        torch.testing.assert_close(y, found[0], equal_nan=True)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        if dtype is torch.bool and reduce != "sum":
            continue
        for own in (True, False):
            if reduce == "prod" and dtype.is_floating_point:
                continue
            one, other = (
                x.scatter_reduce(d, i, src, reduce, include_self=own) for i in (expanded, whole)
            )
            torch.testing.assert_close(one, other, equal_nan=True)
            if dtype is torch.int64 and reduce == "amax":
                kept = x[2] if d == 0 else x[:, 2]
                assert torch.equal(one[2] if d == 0 else one[:, 2], kept)


def test_places_are_written_to_int64_alone():
    out = torch.empty(0, dtype=torch.long)
    assert torch.nonzero(torch.tensor([0, 3]), out=out).tolist() == [[1]]
    with pytest.raises(RuntimeError, match="scalar type Long but got scalar type Float"):
        torch.nonzero(torch.tensor([0, 3]), out=torch.empty(0))
