"""Collectives on arrays of ranks that share memory: the functions of exchange.py, through slots.

An array that is larger than a slot goes in chunks, so that what a rank has written is still in the
caches when the others read it. `shared.py` says why one wait for each chunk is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .exchange import HEADER, Call, parts, sizes_differ
from .reduce_op import RedOpType, combined

# From this many ranks on each combines its part of a chunk only, and reads the others' results:
# one wait more, and a chunk is not read by every rank from every rank.
IN_PARTS = 3
# Below this many bytes the wait costs more than reading all.
SMALL = 64 * 1024


def chunks(group: Any, count: int, item: int, each: int = 1) -> Iterator[tuple[int, int]]:
    """Where an array of `count` elements is cut so that `each` such pieces fit into a slot."""
    step = group.slots.size // (item * each)
    for at in range(0, count, step):
        yield at, min(at + step, count)


def same(group: Any, call: Call, patient: bool) -> bool:
    """Whether all ranks have called the same."""
    slots, header = group.slots, call.header()
    slots.mine(HEADER.size)[:] = np.frombuffer(header, np.uint8)
    slots.round(group, call, patient)
    return all(row.tobytes() == header for row in slots.rows(HEADER.size))


def all_reduce(group: Any, call: Call, a: np.ndarray, op: RedOpType, patient: bool) -> None:
    """Combine everybody's `a`, an array without gaps, in place."""
    slots, flat = group.slots, a.reshape(-1)
    n, me, dtype = group.size(), group.rank(), flat.dtype
    for low, high in chunks(group, flat.size, dtype.itemsize):
        chunk, count = flat[low:high], high - low
        slots.mine(count, dtype)[...] = chunk
        slots.round(group, call, patient)
        rows = slots.rows(count, dtype)
        if n < IN_PARTS or chunk.nbytes <= SMALL:
            combined(rows, op, chunk)
            continue
        sizes, starts = parts(count, n)
        mine = slice(starts[me], starts[me] + sizes[me])
        combined([row[mine] for row in rows], op, slots.mine(sizes[me], dtype))
        slots.round(group, call, patient)
        for r, row in enumerate(slots.rows(sizes[0], dtype)):
            chunk[starts[r] : starts[r] + sizes[r]] = row[: sizes[r]]


def reduce(group: Any, call: Call, a: np.ndarray, root: int, op: RedOpType, patient: bool) -> None:
    """Combine everybody's `a` in the memory of the root's."""
    slots, flat = group.slots, a.reshape(-1)
    for low, high in chunks(group, flat.size, flat.itemsize):
        slots.mine(high - low, flat.dtype)[...] = flat[low:high]
        slots.round(group, call, patient)
        if group.rank() == root:
            combined(slots.rows(high - low, flat.dtype), op, flat[low:high])


def reduce_scatter(
    group: Any,
    call: Call,
    out: np.ndarray,
    rows: Sequence[np.ndarray],
    op: RedOpType,
    patient: bool,
) -> None:
    """Combine everybody's `rows[r]` in the `out` of rank r."""
    flat = out.reshape(-1)
    for low, high, got in exchanged(group, call, [r.reshape(-1) for r in rows], patient):
        combined(got, op, flat[low:high])


def exchanged(
    group: Any, call: Call, rows: Sequence[np.ndarray], patient: bool
) -> Iterator[tuple[int, int, list[np.ndarray]]]:
    """Chunk by chunk, what every rank has for this one in its `rows`, all of the same size."""
    slots, n, me = group.slots, group.size(), group.rank()
    dtype = rows[0].dtype
    for low, high in chunks(group, rows[0].size, dtype.itemsize, n):
        count = high - low
        mine = slots.mine(n * count, dtype)
        for r, row in enumerate(rows):
            mine[r * count : (r + 1) * count] = row[low:high]
        slots.round(group, call, patient)
        all_ = slots.rows(n * count, dtype)
        yield low, high, [row[me * count : (me + 1) * count] for row in all_]


def all_gather(
    group: Any, call: Call, outs: Sequence[np.ndarray], a: np.ndarray, patient: bool
) -> None:
    """Everybody's `a` in everybody's `outs`: an array for each rank, or one for all."""
    slots, flat = group.slots, a.reshape(-1)
    flats = [o.reshape(-1) for o in outs]
    if len(flats) == 1 and group.size() > 1:
        flats = list(flats[0].reshape(group.size(), -1))
    for low, high in chunks(group, flat.size, flat.itemsize):
        slots.mine(high - low, flat.dtype)[...] = flat[low:high]
        slots.round(group, call, patient)
        for out, row in zip(flats, slots.rows(high - low, flat.dtype), strict=True):
            out[low:high] = row


def broadcast(group: Any, call: Call, a: np.ndarray, root: int, patient: bool) -> None:
    """The root's `a` in everybody's."""
    slots, flat = group.slots, a.reshape(-1)
    mine = group.rank() == root
    for low, high in chunks(group, flat.size, flat.itemsize):
        if mine:
            slots.mine(high - low, flat.dtype)[...] = flat[low:high]
        slots.round(group, call, patient)
        if not mine:
            flat[low:high] = slots.rows(high - low, flat.dtype)[root]


def gather(
    group: Any,
    call: Call,
    outs: Sequence[np.ndarray] | None,
    a: np.ndarray,
    root: int,
    patient: bool,
) -> None:
    """Everybody's `a` in the root's `outs`."""
    slots, flat = group.slots, a.reshape(-1)
    flats = [o.reshape(-1) for o in outs or ()]
    for low, high in chunks(group, flat.size, flat.itemsize):
        slots.mine(high - low, flat.dtype)[...] = flat[low:high]
        slots.round(group, call, patient)
        for out, row in zip(flats, slots.rows(high - low, flat.dtype), strict=False):
            out[low:high] = row


def scatter(
    group: Any, call: Call, out: np.ndarray, rows: Sequence[np.ndarray] | None, root: int,
    patient: bool,
) -> None:  # fmt: skip
    """The root's `rows[r]` in the `out` of rank r."""
    slots, flat, n, me = group.slots, out.reshape(-1), group.size(), group.rank()
    flats = [r.reshape(-1) for r in rows or ()]
    for low, high in chunks(group, flat.size, flat.itemsize, n):
        count = high - low
        if me == root:
            mine = slots.mine(n * count, flat.dtype)
            for r, row in enumerate(flats):
                mine[r * count : (r + 1) * count] = row[low:high]
        slots.round(group, call, patient)
        whole = slots.rows(n * count, flat.dtype)[root]
        flat[low:high] = whole[me * count : (me + 1) * count]


def all_to_all(
    group: Any, call: Call, outs: Sequence[np.ndarray], ins: Sequence[np.ndarray], patient: bool
) -> None:
    """My `ins[r]` in the `outs[me]` of rank r; sizes may differ from pair to pair.

    Raises:
        DistBackendError: what a rank sends has not the size of what the other one expects.
    """
    slots, n, me, dtype = group.slots, group.size(), group.rank(), ins[0].dtype
    kind = np.dtype(np.int64)
    slots.mine(2 * n, kind)[:] = [a.size for a in (*ins, *outs)]
    slots.round(group, call, patient)
    table = np.array(slots.rows(2 * n, kind))
    sent, wanted = table[:, :n], table[:, n:]  # by whom, to or from whom
    if (sent != wanted.T).any():
        raise sizes_differ(group, call, sent[:, me], wanted[me])
    sources, targets = [a.reshape(-1) for a in ins], [o.reshape(-1) for o in outs]
    step = slots.size // (dtype.itemsize * n)  # each pair has its place in a slot
    for low in range(0, int(sent.max()), step):
        mine = slots.mine(n * step, dtype)
        for r, a in enumerate(sources):
            part = a[low : low + step]
            mine[r * step : r * step + part.size] = part
        slots.round(group, call, patient)
        for out, row in zip(targets, slots.rows(n * step, dtype), strict=True):
            part = out[low : low + step]
            part[...] = row[me * step : me * step + part.size]
