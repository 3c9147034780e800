"""How a batch travels between processes: its structure pickled, its arrays as raw memory beside it.

`pack` takes a value apart into pickled bytes and the memory of its tensors and arrays (pickle
protocol 5, out of band). `Sender` writes both into a block of shared memory, or into the message
itself when they are few, and `Receiver` builds the value around the memory where it lies: the
numbers are copied once, in the worker, and never pickled.

Blocks go round: a worker writes to one again when the tensors on it are gone at the other end, so
that no new memory is touched from batch to batch. Read next: `shared.py`.
"""

from __future__ import annotations

import collections
import io
import itertools
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from .... import dtypes
from ....autograd.node import LEAF
from ....errors import message
from ....kernels.meta import MetaArray
from ....tensor import Tensor
from .shared import Block, Lease

ALIGN = 64  # bytes: a cache line, and the widest vectors
INLINE = 1024  # bytes that are cheaper to send than to share
MOST_LEASES = 1024  # mappings that a process holds for batches that the program keeps
MOST_FREE = 32  # blocks that wait for a batch


class Packer(pickle.Pickler):
    """A pickler that leaves the memory of tensors beside the pickle."""

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not Tensor or obj._a.__class__ is MetaArray:
            return NotImplemented
        if obj._fn is not None and obj._fn is not LEAF:
            raise RuntimeError(
                message(
                    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since "
                    "autograd does not support crossing process boundaries",
                    got=f"a tensor of shape {tuple(obj.shape)} with {obj.grad_fn}",
                    hint="tensor.detach() before returning it from the data set or collate_fn, or "
                    "computing it under torch.no_grad()",
                )
            )
        a = obj._a
        order = None
        if not a.flags.c_contiguous:
            # A permutation of dense memory (channels_last) arrives with the same strides.
            order = tuple(sorted(range(a.ndim), key=lambda d: -a.strides[d]))
            if not a.transpose(order).flags.c_contiguous:
                order = None
        flat = np.ascontiguousarray(a if order is None else a.transpose(order)).reshape(-1)
        raw: Any = flat.view(np.uint8)
        memory = pickle.PickleBuffer(raw)
        kind = str(obj.dtype).partition(".")[2]
        extra = obj.__dict__ or None
        return rebuild, (memory, kind, a.shape, order, obj._fn is LEAF, extra)


def rebuild(
    memory: Any,
    kind: str,
    shape: tuple[int, ...],
    order: tuple[int, ...] | None,
    requires_grad: bool,
    extra: dict[str, Any] | None,
) -> Tensor:
    """The tensor that a `Packer` took apart, on the memory given."""
    flat = memory if isinstance(memory, np.ndarray) else np.frombuffer(memory, np.uint8)
    a = flat.view(getattr(dtypes, kind).np)
    if order is None:
        a = a.reshape(shape)
    else:
        inverse = sorted(range(len(order)), key=order.__getitem__)
        a = a.reshape([shape[d] for d in order]).transpose(inverse)
    t = Tensor._wrap(a)
    if requires_grad:
        t._fn = LEAF
    if extra:
        t.__dict__.update(extra)
    return t


def pack(value: Any) -> tuple[bytes, list[memoryview]]:
    """A value as pickled bytes, and the memory of its arrays."""
    memory: list[memoryview] = []
    file = io.BytesIO()

    def beside(buffer: pickle.PickleBuffer) -> bool:
        try:
            raw = buffer.raw()
        except BufferError:  # neither C nor Fortran order
            return True
        if raw.nbytes == 0:
            return True
        memory.append(raw)
        return False

    Packer(file, 5, buffer_callback=beside).dump(value)
    return file.getvalue(), memory


def parcel_size(parts: Sequence[Any]) -> int:
    """Bytes of a block that holds these parts."""
    return _places([len(part) for part in parts])[-1]


def write_parcel(block: Block, parts: Sequence[Any]) -> None:
    """Copy parts into a block, their sizes first."""
    sizes = [len(part) for part in parts]
    target = memoryview(block.bytes)
    target[: 8 * len(sizes)] = np.array(sizes, np.int64).tobytes()
    for begin, size, part in zip(_places(sizes), sizes, parts, strict=False):
        target[begin : begin + size] = part


def parcel(block: Block, count: int) -> list[tuple[int, int]]:
    """Where the `count` parts in a block lie: their beginnings and sizes."""
    sizes = block.bytes[: 8 * count].view(np.int64).tolist()
    return list(zip(_places(sizes), sizes, strict=False))


def _places(sizes: Sequence[int]) -> list[int]:
    """Where parts of the given sizes begin behind the table of sizes, and where all end."""
    ends = [8 * len(sizes), *sizes]
    return list(itertools.accumulate(-(-end // ALIGN) * ALIGN for end in ends))


# What a message holds of a value: the pickled bytes and the arrays' bytes, or (block number, size
# of the block if it is new and follows, count of the parts in it with the pickled bytes last,
# numbers of blocks that are no more). A message is small whatever the value is, so that writing one
# never waits for the other end to read.
Body = tuple[Any, ...]


class Sender:
    """The end that writes values into blocks, and takes back those that the other end is done
    with."""

    def __init__(self) -> None:
        self._blocks: dict[int, Block] = {}
        self._free: list[int] = []
        self._dropped: list[int] = []
        self._count = 0

    def released(self, numbers: Sequence[int]) -> None:
        """The other end is done with these blocks."""
        self._free += numbers
        self._drop(self._free[:-MOST_FREE])

    def body(self, value: Any) -> tuple[Body, Block | None]:
        """What to say of a value, and the new block, if there is one, to send right after it."""
        pickled, memory = pack(value)
        parts = [*memory, pickled]
        size = parcel_size(parts)
        if size <= INLINE:
            return (pickled, [bytes(m) for m in memory]), None
        number, new = self._take(size)
        block = self._blocks[number]
        write_parcel(block, parts)
        dropped, self._dropped = self._dropped, []
        return (number, block.size if new else 0, len(parts), dropped), block if new else None

    def _take(self, size: int) -> tuple[int, bool]:
        fitting = [n for n in self._free if self._blocks[n].size >= size]
        if fitting:
            number = min(fitting, key=lambda n: self._blocks[n].size)
            self._free.remove(number)
            return number, False
        self._drop(list(self._free))  # all too small: batches have grown
        self._count += 1
        self._blocks[self._count] = Block.make(size + size // 8)
        return self._count, True

    def _drop(self, numbers: list[int]) -> None:
        for number in numbers:
            self._free.remove(number)
            del self._blocks[number]
        self._dropped += numbers


class Receiver:
    """The end that builds values on the blocks it is sent."""

    def __init__(self) -> None:
        self._blocks: dict[int, Block] = {}
        self._leased = 0
        # Filled by leases that end, on any thread: appending is all they do.
        self._ended: collections.deque[int] = collections.deque()

    def receive_block(self, body: Body, connection: Any) -> None:
        """Take the new block that follows a message, if one does."""
        if len(body) == 4:
            number, size, _, dropped = body
            if size:
                self._blocks[number] = Block.receive(connection, size)
            for old in dropped:
                self._blocks.pop(old, None)

    def value(self, body: Body) -> Any:
        """The value of a message, on the memory it came in."""
        if len(body) == 2:
            pickled, memory = body
            return pickle.loads(pickled, buffers=[bytearray(m) for m in memory])
        number, _, count, _ = body
        block = self._blocks[number]
        places = parcel(block, count)
        self._leased += 1
        if self._leased - len(self._ended) > MOST_LEASES:  # the program keeps its batches
            arrays: list[Any] = [
                block.bytes[offset : offset + size].copy() for offset, size in places
            ]
            self._ended.append(number)
        else:
            lease = Lease(block, self._ended.append, number)
            arrays = [lease.array(offset, size) for offset, size in places]
        return pickle.loads(arrays.pop(), buffers=arrays)

    def skip(self, body: Body) -> None:
        """A value that nobody wants: its block goes back."""
        if len(body) == 4:
            self._leased += 1
            self._ended.append(body[0])

    def ended(self) -> list[int]:
        """Blocks whose values have died since the last call, to be told to the other end."""
        numbers = []
        while self._ended:
            numbers.append(self._ended.popleft())
        self._leased -= len(numbers)
        return numbers
