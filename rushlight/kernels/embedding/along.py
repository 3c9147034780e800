"""Slices along a dimension, read or written at indices, as kernels.

An eager call reads many slices by these, and leaves others and `index_copy` to NumPy; the compiler
tries a line out with these, whose bytes are the same. An array is seen as (outer, n, width), its
slices along the middle; where they are single elements `picked.py` reads them.
Not here: what indices are allowed (`kernels/indices.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Module
from ..meta import MetaArray
from ..plan import Draft, Plan, is_dense
from ..runtime import jit, threads
from .picked import pick
from .select import INT64, INTEGERS, Layout, layout
from .table import columns, load, store

CHUNK = 1 << 14  # elements of a piece of work
SHARED = {
    "outer": "what lies before the dimension", "count": "indices", "n": "slices of the table",
    "width": "elements of a slice", "each": "parts of a piece of work", "chunks": "pieces",
}  # fmt: skip
ARRAYS = {
    "table": "(outer, n, width)", "index": "(count), int64", "rows": "(outer, count, width)",
}  # fmt: skip
TAKE = Interface(
    "slices_take",
    "rows[o, k] = table[o, index[k]]",
    arrays=ARRAYS,
    ints=SHARED,
)
PUT = Interface(
    "slices_put",
    "table[o, index[k]] = rows[o, k], in the order of k",
    arrays=ARRAYS,
    ints=SHARED,
)


def build(interface: Interface, e: str, puts: bool) -> Module:
    """A piece of work is some values of o; of `take` some pairs (o, k)."""
    module = Module(interface.name)
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = interface.words(c.args["context"])
    count, n, width, w = word["count"], word["n"], word["width"], jit.target().lanes
    w = max(1, w * 4 // {"i8": 1, "i16": 2, "i32": 4, "i64": 8}[e])
    index = word["index"].of(I64)
    first = c.args["index"] * word["each"]
    parts = word["outer"] if puts else word["outer"] * count
    last = c.select(first + word["each"] < parts, first + word["each"], parts)

    def copy(o: Any, k: Any) -> None:
        inside = word["table"].of(e).at((o * n + index[k]) * width)
        row = word["rows"].of(e).at((o * count + k) * width)
        source, target = (row, inside) if puts else (inside, row)
        columns(c, width, w, lambda i, m: store(target, i, load(source, i, w, m), m))

    with c.range(first, last) as part:
        if puts:
            with c.range(count) as k:
                copy(part, k)
        else:
            copy(part // count, part % count)
    c.ret()
    interface.write(module, "chunks")
    return module


@functools.cache
def kernel(puts: bool, e: str) -> Kernel:
    """One of the two for integers of the elements' size."""
    interface = PUT if puts else TAKE
    return Kernel(interface, (e,), lambda: build(interface, e, puts))


def native(a: Any, index: Any) -> bool:
    """Whether these can do it."""
    return (a.ndim > 0 and is_dense(a) and a.dtype.itemsize in INTEGERS and not a.dtype.hasobject
            and index.ndim == 1 and a.size > 0 and index.size > 0)  # fmt: skip


def pays(a: Any, index: Any, d: int) -> bool:
    """Whether an eager call reads by these: many single elements, or many of some side by side."""
    width = math.prod(a.shape[d + 1 :])
    size = math.prod(a.shape[:d]) * index.size * width
    least = tuning.GATHER_LEAST if width == 1 else tuning.ALONG_LEAST
    if size < least or 1 < width < tuning.ALONG_NARROW:
        return False
    return native(a, index) and runtime.available()


def take(a: np.ndarray, index: np.ndarray, d: int) -> np.ndarray:
    """The slices of a dense array along dimension d at indices, all in range."""
    return plan_take(layout(a), layout(index), d).run(a, index)  # type: ignore[no-any-return]


def put(a: np.ndarray, index: np.ndarray, rows: np.ndarray, d: int) -> None:
    """Write slices to a dense array, in place."""
    plan_put(layout(a), layout(index), layout(rows), d).run(a, index, rows)


def words(shape: tuple[int, ...], count: int, d: int, puts: bool) -> dict[str, int]:
    outer, width = math.prod(shape[:d]), math.prod(shape[d + 1 :])
    part = width * count if puts else width
    each, parts = max(1, CHUNK // max(1, part)), outer if puts else outer * count
    return {"outer": outer, "count": count, "n": shape[d], "width": width, "each": each,
            "chunks": -(-parts // each)}  # fmt: skip


@functools.lru_cache(maxsize=256)
def plan_take(a: Layout, index: Layout, d: int) -> Plan:
    """Operands a, index; output y."""
    of, at = (MetaArray(x[1], x[0], x[2]) for x in (a, index))
    draft = Draft({"a": of, "index": at})
    y = draft.array("y", MetaArray((*of.shape[:d], at.size, *of.shape[d + 1 :]), of.dtype))
    outer = math.prod(of.shape[:d])
    if math.prod(of.shape) == outer * of.shape[d]:
        size, each = outer * at.size, tuning.GATHER_CHUNK
        draft.launch(
            pick(INTEGERS[of.dtype.itemsize], False), a="a", index=draft.dense("index", INT64),
            rows=y, flag=draft.array("flag", MetaArray((1,), INT64)), n=of.shape[d], line=at.size,
            inner=1, apart=0, size=size, known=1, each=each, chunks=-(-size // each),
        )  # fmt: skip
        return draft.plan("slices.pick")
    draft.launch(
        kernel(False, INTEGERS[of.dtype.itemsize]), table="a", index=draft.dense("index", INT64),
        rows=y, **words(of.shape, at.size, d, False),
    )  # fmt: skip
    return draft.plan("slices.take")


@functools.lru_cache(maxsize=256)
def plan_put(a: Layout, index: Layout, rows: Layout, d: int) -> Plan:
    """Operands a, which is written to, index and rows."""
    of, at, given = (MetaArray(x[1], x[0], x[2]) for x in (a, index, rows))
    draft = Draft({"a": of, "index": at, "rows": given})
    draft.launch(
        kernel(True, INTEGERS[of.dtype.itemsize]), table="a", index=draft.dense("index", INT64),
        rows=draft.dense("rows"), **words(of.shape, at.size, d, True),
    )  # fmt: skip
    return draft.plan("slices.put", (), mutates=("a",))
