"""Writes into tensors that lie over themselves: three operations do it, with a warning."""

from __future__ import annotations

import pytest

import rushlight as torch

MASK = torch.tensor([True, False, True, False])
ROWS = torch.tensor([1, 2])
TWO = torch.tensor([5.0, 6.0])


def expanded():
    return torch.tensor([1.5]).expand(4)


@pytest.mark.parametrize(
    ("name", "write", "value"),
    [
        ("masked_fill_", lambda x: x.masked_fill_(MASK, 2.0), 2.0),
        ("masked_fill_", lambda x: x.masked_fill_(MASK, torch.tensor(2.0)), 2.0),
        ("index_fill_", lambda x: x.index_fill_(0, ROWS, 2.0), 2.0),
        ("index_fill_", lambda x: x.index_fill_(0, ROWS, torch.tensor(2.0).bfloat16()), 2.0),
        ("index_put_", lambda x: x.index_put_((ROWS,), TWO), 6.0),
        ("index_put_", lambda x: x.index_put_((ROWS,), TWO, accumulate=True), 12.5),
        ("index_put_", lambda x: x.__setitem__(MASK, 2.0), 2.0),
        ("index_put_", lambda x: x.__setitem__(x != 0, TWO[0]), 5.0),
    ],
)
def test_the_last_one_counts(name, write, value):
    x = expanded()
    version = x._version
    with pytest.warns(UserWarning, match=f"Use of {name} on expanded tensors is deprecated"):
        write(x)
    assert x.tolist() == [value] * 4
    assert x._version == version + 1


def test_others_and_gradients_are_refused():
    refused = pytest.raises(RuntimeError, match="unsupported operation")
    for write in (
        lambda x: x.add_(1),
        lambda x: x.index_add_(0, ROWS, TWO),
        lambda x: x.scatter_(0, ROWS, TWO),
        lambda x: x.masked_fill_(MASK, torch.tensor(2.0, requires_grad=True)),
    ):
        with refused:
            write(expanded())
    with pytest.raises(RuntimeError, match="only supports a 0-dimensional value tensor"):
        expanded().masked_fill_(MASK, TWO)


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8])
def test_masks_are_truths(dtype):
    with pytest.raises(RuntimeError, match="masked_fill_ only supports boolean masks"):
        expanded().masked_fill_(torch.ones(4, dtype=dtype), 2.0)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (lambda v: v.__setitem__(torch.tensor([0, 2]), 9.0), [9, 9, 9, 9, 9]),
        (lambda v: v.__setitem__(torch.tensor([True, False, False]), 5.0), [5, 5, 5, 3, 4]),
        (lambda v: v.index_fill_(0, torch.tensor([0]), 7.0), [7, 7, 7, 3, 4]),
        (lambda v: v.index_add_(0, torch.tensor([1]), torch.ones(1, 3)), [0, 2, 3, 4, 4]),
        (lambda v: v.__setitem__((torch.tensor([0, 1]), torch.tensor([2, 0])),
                                 torch.tensor([4.0, 6.0])), [0, 6, 4, 3, 4]),
        (lambda v: v.masked_fill_(v > 2, 0.0), [0, 1, 2, 0, 0]),
        (lambda v: v.scatter_(0, torch.tensor([[1, 0, 2]]), torch.tensor([[1.0, 2.0, 3.0]])),
         [0, 2, 2, 3, 3]),
    ],
)  # fmt: skip
def test_windows_that_share_memory_keep_what_is_written(change, after):
    """What stays as it is in one window is not written over what has changed in another."""
    x = torch.arange(5.0)
    change(x.unfold(0, 3, 1))
    assert x.tolist() == after


def test_the_dim_of_a_fill_is_in_range():
    with pytest.raises(IndexError, match="Dimension out of range"):
        expanded().index_fill_(7, torch.tensor([0]), 2.0)


def test_complex_numbers_for_types_that_have_none():
    """Also where memory is shared, the same error."""
    index = torch.tensor([0])
    for x in (torch.zeros(2, 3), torch.zeros(3).expand(2, 3)):
        with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex"):
            x.index_fill_(-2, index, 1j)
        with pytest.raises(RuntimeError, match="cannot be converted"):
            x.masked_fill_(x == 0, 1j)
    with pytest.raises(RuntimeError, match="cannot be converted"):
        torch.fill(torch.zeros(2), 1j)
    with pytest.raises(RuntimeError, match="cannot be converted"):
        torch.constant_pad_nd(torch.zeros(2), (1, 1), 1j)
    assert torch.fill(torch.zeros(1, dtype=torch.complex64), 1j) == 1j


def test_true_as_the_only_index_writes_where_the_tensor_lies():
    """`x[True] = y` is `x[None] = y`: what has another type is cast, memory may not be shared."""
    x = torch.zeros(2, 3)
    x[True] = torch.arange(3)
    assert x.tolist() == [[0, 1, 2], [0, 1, 2]]
    x[True] += 1
    assert x.tolist() == [[1, 2, 3], [1, 2, 3]]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(1, 3).expand(2, 3)[True] = 2.0
