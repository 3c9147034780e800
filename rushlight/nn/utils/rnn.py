"""Sequences of different lengths: padded into one tensor, or packed without padding.

A packed sequence holds, one after another, the first elements of all sequences, then the second
elements of those that have one, and so on; sequences stand in the order of falling length.

Read next: `nn/rnn.py`, which takes packed sequences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import rushlight

from ...errors import message
from ...tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence_(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(PackedSequence_):
    """Packed sequences; made by `pack_padded_sequence` and `pack_sequence`.

    Attributes:
        data: the elements, (total, *).
        batch_sizes: how many sequences have a first, second, ... element.
        sorted_indices: the order in which the sequences were taken, or None.
        unsorted_indices: its inverse, or None.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> packed.data, packed.batch_sizes
    (tensor([1, 4, 2, 3]), tensor([2, 1, 1]))
    """

    def __new__(
        cls,
        data: Any,
        batch_sizes: Any = None,
        sorted_indices: Any = None,
        unsorted_indices: Any = None,
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be "
                "created manually. They should be instantiated by functions like pack_sequence "
                "and pack_padded_sequences in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with `data` converted as by `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """On the CPU, where it is."""
        return self.to(*args, **{"device": "cpu", **kwargs})

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Raises: there is no CUDA here."""
        return self.to(*args, **{"device": "cuda", **kwargs})

    def pin_memory(self) -> PackedSequence:
        """Raises, as `Tensor.pin_memory` does: there is no accelerator to pin memory for."""
        data = self.data.pin_memory()
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def double(self) -> PackedSequence:
        return self.to(dtype=rushlight.float64)

    def float(self) -> PackedSequence:
        return self.to(dtype=rushlight.float32)

    def half(self) -> PackedSequence:
        return self.to(dtype=rushlight.float16)

    def long(self) -> PackedSequence:
        return self.to(dtype=rushlight.int64)

    def int(self) -> PackedSequence:
        return self.to(dtype=rushlight.int32)

    def short(self) -> PackedSequence:
        return self.to(dtype=rushlight.int16)

    def char(self) -> PackedSequence:
        return self.to(dtype=rushlight.int8)

    def byte(self) -> PackedSequence:
        return self.to(dtype=rushlight.uint8)

    @property
    def is_cuda(self) -> bool:
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        return self.data.is_pinned()


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """q with q[p[i]] = i.

    >>> nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else rushlight.argsort(permutation)


def _places(lengths: list[int]) -> tuple[list[int], list[int]]:
    """(how many sequences reach each time, flat places time · B + sequence of all elements)."""
    batch = len(lengths)
    sizes = [sum(n > t for n in lengths) for t in range(max(lengths, default=0))]
    return sizes, [t * batch + b for t, size in enumerate(sizes) for b in range(size)]


def _check_lengths(lengths: list[int], input: Tensor, time: int, batch: int) -> None:
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
            f"(batch_size={batch})"
        )
    if not lengths or min(lengths) <= 0:
        raise RuntimeError(
            message(
                "Length of all samples has to be greater than 0, but found an element in "
                "'lengths' that is <= 0",
                f"lengths {lengths}",
            )
        )
    if lengths != sorted(lengths, reverse=True):
        raise RuntimeError(
            message(
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is "
                "True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or "
                "pack_sequence to sidestep this requirement if you do not need ONNX "
                "exportability.",
                f"lengths {lengths}",
            )
        )
    if lengths[0] > time:
        raise RuntimeError(
            message(
                "pack_padded_sequence: a length is greater than the padded input",
                f"lengths {lengths} for an input of {tuple(input.shape)}",
                f"lengths of at most {time}",
                "batch_first=True, if the batch is the first dimension",
            )
        )


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences (T, B, *), or (B, T, *) with `batch_first`.

    Args:
        lengths: (B,) lengths, as a tensor on the CPU or a list.
        enforce_sorted: the sequences are already in the order of falling length; else they are
            brought into it.

    >>> x = torch.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
    >>> packed = nn.utils.rnn.pack_padded_sequence(
    ...     x, [2, 1, 3], batch_first=True, enforce_sorted=False
    ... )
    >>> packed.data, packed.batch_sizes
    (tensor([4, 1, 3, 5, 2, 6]), tensor([3, 2, 1]))
    """
    if input.numel() == 0:
        raise RuntimeError(
            message("Cannot pack empty tensors.", f"an input of {tuple(input.shape)}")
        )
    if not isinstance(lengths, Tensor):
        lengths = rushlight.as_tensor(lengths, dtype=rushlight.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = rushlight.sort(lengths.to(rushlight.int64), descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    if batch_first:
        input = input.transpose(0, 1)
    time, batch = input.shape[:2]
    counts = [int(n) for n in lengths.tolist()]
    _check_lengths(counts, input, time, batch)
    sizes, places = _places(counts)
    flat = input.reshape((time * batch, *input.shape[2:]))
    data = flat.index_select(0, rushlight.as_tensor(places))
    return PackedSequence(data, rushlight.as_tensor(sizes), sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: padded sequences (T, B, *) and their lengths (B,).

    Args:
        batch_first: return (B, T, *).
        padding_value: fills the places behind the sequences.
        total_length: T, when it is to be more than the longest length.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 0, 0]]), tensor([3, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    time, batch = len(sizes), sizes[0]
    if total_length is not None:
        if total_length < time:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in "
                f"input, but got total_length={total_length} and max sequence length being {time}"
            )
        time = total_length
    counts = [sum(size > b for size in sizes) for b in range(batch)]
    _, places = _places(counts)
    data = sequence.data
    padded = data.new_full((time * batch, *data.shape[1:]), padding_value)
    padded = padded.index_copy(0, rushlight.as_tensor(places), data)
    padded = padded.reshape((time, batch, *data.shape[1:]))
    if batch_first:
        padded = padded.transpose(0, 1)
    lengths = rushlight.as_tensor(counts)
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices
        return padded.index_select(0 if batch_first else 1, order), lengths[order]
    return padded, lengths


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (Lᵢ, *) as one tensor (T, B, *), or (B, T, *) with `batch_first`.

    >>> nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], batch_first=True)
    tensor([[1., 1.],
            [1., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    parts = list(sequences)
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    rest = parts[0].shape[1:]
    longest = max(part.shape[0] for part in parts)
    padded = []
    for part in parts:
        if part.shape[1:] != rest:
            raise RuntimeError(
                message(
                    "pad_sequence: sizes of the sequences must match except in dimension 0",
                    f"{tuple(parts[0].shape)} and {tuple(part.shape)}",
                )
            )
        if part.shape[0] < longest:
            fill = part.new_full((longest - part.shape[0], *rest), padding_value)
            both = [part, fill] if padding_side == "right" else [fill, part]
            part = rushlight.cat(both)
        padded.append(part)
    return rushlight.stack(padded, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The inverse of `pad_sequence`: a list of sequences.

    >>> nn.utils.rnn.unpad_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1]), True)
    [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [
        sequence[:length]
        for sequence, length in zip(padded_sequences, lengths.tolist(), strict=True)
    ]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (Lᵢ, *).

    >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])]).data
    tensor([1, 4, 2, 3])
    """
    lengths = rushlight.as_tensor([sequence.shape[0] for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`: a list of the sequences, in their first order.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2, 3]), tensor([4])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
