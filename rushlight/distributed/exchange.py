"""Collectives on arrays, made of MPI's: what is sent where, and in which order it is combined.

Each collective begins with a header that all ranks of the group exchange: which call it is, of
which type and shape. So a rank that calls something else is noticed before any number is moved.

Here are those of ranks on several machines; `local.py` has the same functions for ranks that share
memory, and a group's `exchange` is one of the two.

An all-reduce is not MPI's own, for that adds in an order of its own and knows no bfloat16: small
arrays are gathered and combined by every rank; of large ones each rank gets one part from all,
combines it, and gives the result to all.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import lines
from ..errors import message
from .errors import DistBackendError
from .reduce_op import RedOpType, combined

# Up to this many bytes of all ranks together an array is gathered whole. Two ranks on one machine:
# 4 KB 20 us so and 35 us in parts, 256 KB 300 us both ways.
GATHERED = 256 * 1024

HEADER = struct.Struct("<qiiiiq")  # call number, name, type, root, reduction, elements
NAMES = [
    "all_reduce",
    "broadcast",
    "reduce",
    "all_gather",
    "gather",
    "scatter",
    "reduce_scatter",
    "all_to_all",
    "barrier",
]


def bytes_of(a: np.ndarray) -> np.ndarray:
    """The memory of an array without gaps, as bytes."""
    return a.reshape(-1).view(np.uint8)


@functools.cache
def kind_of(dtype: np.dtype[Any]) -> int:
    """A number for a type, the same in all processes."""
    return int.from_bytes(
        f"{dtype.kind}{dtype.itemsize}{dtype.name[:1]}".encode()[:4].ljust(4), "little"
    )


class Call:
    """One collective of a group as a rank has called it: what the others must have called too."""

    __slots__ = ("array", "line", "name", "number", "op", "root", "same_size", "timeout", "watched")

    def __init__(
        self, name: str, array: Any, root: int = -1, op: int = -1, same_size: bool = True
    ) -> None:
        self.name, self.array, self.root, self.op = name, array, root, op
        self.same_size = same_size
        self.timeout: float | None = None  # in seconds; None: the group's
        self.watched: Any = None  # who wants to hear when it was carried out (the profiler)
        self.number = 0
        self.line = lines.user_line()

    def header(self) -> bytes:
        a = self.array
        kind = 0 if a is None else kind_of(a.dtype)
        # Shapes may differ as long as sizes do not, as in PyTorch with gloo.
        size = -1 if a is None or not self.same_size else a.size
        name = NAMES.index(self.name)
        return HEADER.pack(self.number, name, kind, self.root, self.op, size)

    def __str__(self) -> str:
        """What was called, of what, and where."""
        of = "" if self.array is None else f" of {self.array.dtype.name} {list(self.array.shape)}"
        root = "" if self.root < 0 else f", root {self.root}"
        op = "" if self.op < 0 else f", {RedOpType(self.op).name}"
        return f"{self.name}{of}{op}{root} (call {self.number}) at {lines.show_line(*self.line)}"


def agree(group: Any, call: Call, patient: bool) -> None:
    """Exchange headers.

    Raises:
        DistBackendError: ranks have called different things; the text says what each has called.
    """
    if not group.exchange.same(group, call, patient):
        raise different(group, call)


def same(group: Any, call: Call, patient: bool) -> bool:
    """Whether all ranks have called the same."""
    mine = np.frombuffer(call.header(), np.uint8)
    all_ = np.empty((group.size(), HEADER.size), np.uint8)
    group.wait([group.comm.Iallgather(mine, all_)], call, patient)
    return bool((all_ == mine).all())


def different(group: Any, call: Call) -> DistBackendError:
    """The error of ranks that have called different things, with what each has called."""
    world, place = group.world, f"differs/{group.place}/{call.number}"
    told = [f"rank {group.global_rank(group.rank())}: {call}"]
    try:
        world.desk.ask("set", f"{place}/{group.rank()}", str(call))
        for r in range(group.size()):
            if r != group.rank():
                text = world.desk.ask("get", 5.0, f"{place}/{r}", wait=5.0)[0].decode()
                told.append(f"rank {group.global_rank(r)}: {text}")
    except (TimeoutError, RuntimeError) as why:
        told.append(f"(the others could not be asked: {why})")
    text = f"the ranks have called different collectives, or with different tensors, in {group}"
    world.give_up(f"{text}: {told[0]}")
    return DistBackendError(
        message(
            f"{call.name}: {text}",
            got="\n".join(sorted(told)),
            wanted="the same call, with the same number of elements and type, on all ranks",
            hint="branches and loops must go the same way on all ranks; pad what differs in size",
        )
    )


def parts(count: int, n: int) -> tuple[list[int], list[int]]:
    """Sizes and beginnings of n parts of `count` elements that differ by one at most.

    >>> parts(10, 4)
    ([3, 3, 2, 2], [0, 3, 6, 8])
    """
    sizes = [count // n + (r < count % n) for r in range(n)]
    return sizes, [sum(sizes[:r]) for r in range(n)]


def spread(group: Any, call: Call, flat: np.ndarray, patient: bool) -> tuple[np.ndarray, Any]:
    """Give each rank its part of everybody's array: the parts of this rank, one of each rank."""
    n, me, item = group.size(), group.rank(), flat.itemsize
    sizes, starts = parts(flat.size, n)
    got = np.empty((n, sizes[me]), flat.dtype)
    send = [bytes_of(flat), ([s * item for s in sizes], [s * item for s in starts]), group.BYTE]
    mine = sizes[me] * item
    recv = [bytes_of(got), ([mine] * n, [r * mine for r in range(n)]), group.BYTE]
    group.wait([group.comm.Ialltoallv(send, recv)], call, patient)
    return got, (sizes, starts)


def all_reduce(group: Any, call: Call, a: np.ndarray, op: RedOpType, patient: bool) -> None:
    """Combine everybody's `a`, an array without gaps, in place."""
    n, me = group.size(), group.rank()
    flat = a.reshape(-1)
    if n == 1 or not flat.size:
        return
    if flat.nbytes * n <= GATHERED:
        rows = np.empty((n, flat.size), flat.dtype)
        group.wait([group.comm.Iallgather(bytes_of(flat), bytes_of(rows))], call, patient)
        combined(rows, op, flat)
        return
    got, (sizes, starts) = spread(group, call, flat, patient)
    mine = flat[starts[me] : starts[me] + sizes[me]]
    combined(got, op, mine)
    item = flat.itemsize
    whole = [bytes_of(flat), ([s * item for s in sizes], [s * item for s in starts]), group.BYTE]
    group.wait([group.comm.Iallgatherv(group.IN_PLACE, whole)], call, patient)


def reduce(group: Any, call: Call, a: np.ndarray, root: int, op: RedOpType, patient: bool) -> None:
    """Combine everybody's `a` in the memory of the root's."""
    n, me = group.size(), group.rank()
    flat = a.reshape(-1)
    if n == 1 or not flat.size:
        return
    rows = np.empty((n, flat.size), flat.dtype) if me == root else None
    received = bytes_of(rows) if rows is not None else None
    group.wait([group.comm.Igather(bytes_of(flat), received, root)], call, patient)
    if rows is not None:
        combined(rows, op, flat)


def reduce_scatter(
    group: Any,
    call: Call,
    out: np.ndarray,
    rows: Sequence[np.ndarray],
    op: RedOpType,
    patient: bool,
) -> None:
    """Combine everybody's `rows[r]` in the `out` of rank r."""
    got = np.empty((group.size(), out.size), out.dtype)
    all_to_all(group, call, list(got), rows, patient)
    combined(got, op, out.reshape(-1))


def all_gather(
    group: Any, call: Call, outs: Sequence[np.ndarray], a: np.ndarray, patient: bool
) -> None:
    """Everybody's `a` in everybody's `outs`."""
    if len(outs) == 1 or adjacent(outs):
        whole = outs[0] if len(outs) == 1 else adjacent(outs)
        group.wait([group.comm.Iallgather(bytes_of(a), bytes_of(whole))], call, patient)
        return
    rows = np.empty((group.size(), a.size), a.dtype)
    group.wait([group.comm.Iallgather(bytes_of(a), bytes_of(rows))], call, patient)
    for out, row in zip(outs, rows, strict=True):
        out.reshape(-1)[...] = row


def adjacent(arrays: Sequence[np.ndarray]) -> Any:
    """The one array that `arrays` are the rows of, in their order; None when they are not."""
    base = arrays[0].base
    if not isinstance(base, np.ndarray) or not base.flags.c_contiguous:
        return None
    size = sum(a.nbytes for a in arrays)
    first = arrays[0].ctypes.data
    if base.dtype != arrays[0].dtype or base.ctypes.data != first or base.nbytes != size:
        return None
    at = first
    for a in arrays:
        if a.ctypes.data != at or not a.flags.c_contiguous:
            return None
        at += a.nbytes
    return base


def broadcast(group: Any, call: Call, a: np.ndarray, root: int, patient: bool) -> None:
    """The root's `a` in everybody's."""
    if a.size and group.size() > 1:
        group.wait([group.comm.Ibcast(bytes_of(a), root)], call, patient)


def gather(
    group: Any,
    call: Call,
    outs: Sequence[np.ndarray] | None,
    a: np.ndarray,
    root: int,
    patient: bool,
) -> None:
    """Everybody's `a` in the root's `outs`."""
    rows = np.empty((group.size(), a.size), a.dtype) if group.rank() == root else None
    received = bytes_of(rows) if rows is not None else None
    group.wait([group.comm.Igather(bytes_of(a), received, root)], call, patient)
    if rows is not None and outs is not None:
        for out, row in zip(outs, rows, strict=True):
            out.reshape(-1)[...] = row


def scatter(
    group: Any, call: Call, out: np.ndarray, rows: Sequence[np.ndarray] | None, root: int,
    patient: bool,
) -> None:  # fmt: skip
    """The root's `rows[r]` in the `out` of rank r."""
    sent = None
    if group.rank() == root and rows is not None:
        sent = np.empty((group.size(), out.size), out.dtype)
        for row, a in zip(sent, rows, strict=True):
            row[...] = a.reshape(-1)
        sent = bytes_of(sent)
    group.wait([group.comm.Iscatter(sent, bytes_of(out), root)], call, patient)


def all_to_all(
    group: Any, call: Call, outs: Sequence[np.ndarray], ins: Sequence[np.ndarray], patient: bool
) -> None:
    """My `ins[r]` in the `outs[me]` of rank r; sizes may differ from pair to pair.

    Raises:
        DistBackendError: what a rank sends has not the size of what the other one expects.
    """
    n, item = group.size(), ins[0].itemsize
    sizes = np.array([a.size for a in ins], np.int64)
    wanted = np.array([a.size for a in outs], np.int64)
    coming = np.empty(n, np.int64)
    group.wait([group.comm.Ialltoall(sizes, coming)], call, patient)
    ok = np.array([(coming == wanted).all()], np.uint8)
    everybody = np.empty(n, np.uint8)
    group.wait([group.comm.Iallgather(ok, everybody)], call, patient)
    if not everybody.all():
        raise sizes_differ(group, call, coming, wanted)
    sent, got = joined(ins), np.empty(int(wanted.sum()), outs[0].dtype)
    send = [bytes_of(sent), (list(sizes * item), starts_of(sizes, item)), group.BYTE]
    recv = [bytes_of(got), (list(wanted * item), starts_of(wanted, item)), group.BYTE]
    group.wait([group.comm.Ialltoallv(send, recv)], call, patient)
    at = 0
    for out in outs:
        out.reshape(-1)[...] = got[at : at + out.size]
        at += out.size


def sizes_differ(group: Any, call: Call, coming: Any, wanted: Any) -> DistBackendError:
    """The error of parts that have not the size that their receiver expects."""
    text = "\n".join(
        f"rank {group.global_rank(int(r))} sends {coming[r]} elements, {wanted[r]} are expected"
        for r in np.flatnonzero(coming != wanted)
    )
    return DistBackendError(
        message(
            f"{call.name}: sizes do not fit",
            got=text or "sizes fit here, and not on other ranks",
            wanted="output_split_sizes[r] here = input_split_sizes[here] on rank r",
        )
    )


def joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    if len(arrays) == 1:
        return arrays[0].reshape(-1)
    return np.concatenate([a.reshape(-1) for a in arrays])


def starts_of(sizes: np.ndarray, item: int) -> list[int]:
    return [int(s) * item for s in np.concatenate([[0], np.cumsum(sizes)[:-1]])]
