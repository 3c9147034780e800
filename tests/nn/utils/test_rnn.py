"""Padded and packed sequences."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.nn.utils import rnn


def parts() -> list[Any]:
    return [torch.arange(float(n * 2)).reshape(n, 2) + 1 for n in (2, 4, 1)]


@pytest.mark.parametrize("first", [False, True])
def test_padding_and_back(first: bool) -> None:
    x = rnn.pad_sequence(parts(), first, -1.0)
    assert x.shape == ((3, 4, 2) if first else (4, 3, 2))
    back = rnn.unpad_sequence(x, torch.tensor([2, 4, 1]), first)
    assert all(torch.equal(a, b) for a, b in zip(parts(), back, strict=True))
    left = rnn.pad_sequence(parts(), True, padding_side="left")
    assert left[2].tolist() == [[0, 0], [0, 0], [0, 0], [1, 2]]


@pytest.mark.parametrize("first", [False, True])
def test_packing_and_back(first: bool) -> None:
    x = rnn.pad_sequence(parts(), first).requires_grad_()
    packed = rnn.pack_padded_sequence(x, [2, 4, 1], first, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1]
    assert packed.sorted_indices.tolist() == [1, 0, 2]
    assert packed.data.shape == (7, 2)
    out, lengths = rnn.pad_packed_sequence(packed, first)
    assert torch.equal(out, x)
    assert lengths.tolist() == [2, 4, 1]
    (out * out).sum().backward()
    assert torch.equal(x.grad, 2 * x)
    long, _ = rnn.pad_packed_sequence(packed, first, 7.0, total_length=6)
    assert long.shape[1 if first else 0] == 6
    assert long.sum().item() > out.sum().item()


def test_sequences() -> None:
    ordered = sorted(parts(), key=len, reverse=True)
    packed = rnn.pack_sequence(ordered)
    assert packed.sorted_indices is None
    for a, b in zip(ordered, rnn.unpack_sequence(packed), strict=True):
        assert torch.equal(a, b)
    unsorted = rnn.pack_sequence(parts(), enforce_sorted=False)
    for a, b in zip(parts(), rnn.unpack_sequence(unsorted), strict=True):
        assert torch.equal(a, b)


def test_packed_sequence_is_a_named_tuple() -> None:
    packed = rnn.pack_sequence(parts(), enforce_sorted=False)
    data, _sizes, _order, back = packed
    assert packed.data is data
    assert back.tolist() == [1, 0, 2]
    assert packed.to("cpu") is packed
    assert packed.double().data.dtype is torch.float64
    assert not packed.is_cuda
    assert isinstance(packed.int(), rnn.PackedSequence)


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: rnn.pack_sequence(parts()), RuntimeError, "must be sorted in decreasing order"),
        (lambda: rnn.pack_padded_sequence(torch.ones(3, 2), [2, 0]), RuntimeError, "greater than"),
        (lambda: rnn.pack_padded_sequence(torch.ones(3, 2), [2]), RuntimeError, "batch_size"),
        (lambda: rnn.pack_padded_sequence(torch.ones(3, 2), [4, 1]), RuntimeError, "a length is"),
        (lambda: rnn.pad_sequence(3), RuntimeError, "Expected iterable"),
        (lambda: rnn.pad_sequence([]), RuntimeError, "empty list of sequences"),
        (lambda: rnn.pad_sequence(parts(), padding_side="up"), RuntimeError, "left or right"),
        (lambda: rnn.pad_sequence([torch.ones(1, 2), torch.ones(1, 3)]), RuntimeError, "match"),
        (
            lambda: rnn.pad_packed_sequence(rnn.pack_sequence([torch.ones(3)]), total_length=2),
            ValueError,
            "Expected total_length to be at least",
        ),
    ],
)
def test_misuse(act: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        act()


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 1, 10)])
def test_empty_tensors_are_not_packed(shape):
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        rnn.pack_padded_sequence(torch.zeros(shape), [])
