"""Slices by an index: which errors out of range, reductions of truths."""

from __future__ import annotations

import pytest

import rushlight as torch

X = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda i: X.index_select(0, i), IndexError, "index out of range in self"),
        (lambda i: X.index_select(1, i), RuntimeError, "out of DATA bounds, id=3 axis_dim=3"),
        (lambda i: torch.tensor(2.0).index_select(0, i), IndexError, "out of range in self"),
        (lambda i: X.index_add(1, i, torch.ones(2, 1)), RuntimeError,
         "index 3 is out of bounds for dimension 1 with size 3"),
        (lambda i: X[0].index_add(0, i, torch.ones(1)), IndexError, "out of range in self"),
    ],
)  # fmt: skip
def test_out_of_range(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.tensor([3]))


@pytest.mark.parametrize(
    ("reduce", "made"),
    [("prod", [[False, False, True]]), ("amax", [[True, True, True]]),
     ("amin", [[False, False, True]])],
)  # fmt: skip
def test_reductions_of_truths(reduce, made):
    x, source = torch.tensor([[True, False, True]]), torch.tensor([[False, True]])
    index = torch.tensor([0, 1])
    assert torch.index_reduce(x, 1, index, source, reduce).tolist() == made
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.index_reduce(x, 1, index, source, reduce, include_self=False)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.index_reduce(x, 1, index, source, "mean")


def test_reductions_of_complex_numbers():
    x, index, source = torch.tensor([[1j, 2]]), torch.tensor([0]), torch.tensor([[2j]])
    assert torch.index_reduce(x, 1, index, source, "prod").tolist() == [[-2, 2]]
    assert torch.index_reduce(x, 1, index, source, "mean").tolist() == [[1.5j, 2]]
    for call in (
        lambda: torch.index_reduce(x, 1, index, source, "amax"),
        lambda: torch.index_reduce(x[0], 0, index, source[0], "prod"),
    ):
        with pytest.raises(NotImplementedError, match="'ComplexFloat'"):
            call()


def test_nothing_is_added_to_tensors_without_elements():
    none, index = torch.ones(0, 4), torch.tensor([0, 1])
    assert none.index_add(0, index, torch.ones(2, 4)).shape == (0, 4)
    with pytest.raises(IndexError):
        none[:, 0].index_add(0, index, torch.ones(2))
    for error in (IndexError, RuntimeError):  # PyTorch raises the one or the other
        with pytest.raises(error, match="index 3 is out of bounds"):
            X.index_add(1, torch.tensor([3]), torch.ones(2, 1))


def test_flat_places_may_be_int32():
    assert torch.take_along_dim(X, torch.tensor([4], dtype=torch.int32)).tolist() == [4]
    with pytest.raises(RuntimeError, match="should be Long"):
        torch.take_along_dim(X, torch.tensor([[1]], dtype=torch.int32), 1)


def test_numbers_are_looked_at_before_places():
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t"):
        X.byte().index_fill(0, torch.tensor([5]), -1.5)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("reduce", ["prod", "mean"])
def test_halves_are_reduced_step_by_step(kind: str, reduce: str) -> None:
    """Each step is rounded, as of slices that are multiplied or added one after another."""
    dtype = getattr(torch, kind)
    torch.manual_seed(0)
    x, source = torch.randn(3, 4).to(dtype), torch.randn(9, 4).to(dtype)
    index = torch.tensor([0, 2, 0, 0, 2, 2, 0, 2, 0])
    wanted = x.clone()
    for at, part in zip(index.tolist(), source, strict=True):
        wanted[at] = wanted[at] * part if reduce == "prod" else wanted[at] + part
    if reduce == "mean":
        wanted /= torch.tensor([[6], [1], [5]]).to(dtype)
    assert torch.equal(x.index_reduce(0, index, source, reduce), wanted)
