"""Sums of rows by sparse matrices, and the elements of products at places: which way computes them.

Rows of floats go to kernels (`csr_mm.py`, `sddmm.py`) where there is enough to add; everything else
to SciPy or NumPy (`products.py`). Indices are in range, offsets never fall: the callers have looked
(`ops/nn/embedding_bag.py`, `rushlight/sparse`): a kernel would read or write outside its memory.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..embedding.reference import in_range
from ..embedding.select import INTEGERS
from ..indices import within
from ..keys import Plans
from ..meta import MetaArray, contiguous_strides
from ..plan import Draft, Plan
from ..rows import ELEMENTS, has_kernels
from ..runtime import few
from . import products

Layout = tuple[Any, tuple[int, ...], tuple[int, ...]]  # type, shape and strides of an array
INT64 = np.dtype(np.int64)
SCATTERED = {
    np.dtype(np.float32): "float", np.dtype(np.float64): "double", INT64: "i64",
    np.dtype(np.int32): "i32",
}  # fmt: skip
INDEX = {np.dtype(np.int32): "i32", INT64: "i64"}


def csr_mm(
    x: Any, index: Any, offset: Any, weight: Any = None, mean: bool = False, how: str = "add"
) -> Any:
    """(rows, D): row i is the sum, or the mean, of weight[k] * x[index[k]] for k from offset[i] to
    offset[i + 1] - 1; zeros where there is none.

    Args:
        x: (n, D). index: (K), integers. offset: (rows + 1), integers.
        weight: (K), of the type of x; None for 1.
        how: "max" and "min" give extremes in place of sums, infinities where there is none.
    """
    given = None if weight is None else layout(weight)
    return plan_csr_mm(layout(x), layout(index), layout(offset), given, mean, how).run(
        x, index, offset, weight
    )


def coo_mm(x: Any, index: Any, rows: Any, weight: Any, n: int) -> Any:
    """(n, D): row i is the sum of weight[k] * x[index[k]] over all k with rows[k] = i, in their
    order; zeros where there is none.

    Args:
        x: (m, D). index, rows: (K), integers. weight: (K), of the type of x; None for 1.
    """
    given = None if weight is None else layout(weight)
    return plan_coo_mm(layout(x), layout(index), layout(rows), given, n).run(
        x, index, rows, weight
    )


def sddmm(a: Any, b: Any, rows: Any, cols: Any) -> Any:
    """(K): the sum of a[rows[k], j] * b[cols[k], j]^* over j, of matrices of one type."""
    return plan_sddmm(layout(a), layout(b), layout(rows), layout(cols)).run(a, b, rows, cols)


def times_dense(
    values: Any, rows: Any, cols: Any, dense: Any, n: int, offset: Any = None
) -> Any:  # fmt: skip
    """The sparse matrix (n, k) of values at (rows, cols) times a dense (k, m).

    Args:
        offset: where the values of each row begin, where they are in the order of rows; `rows` is
            not read then.

    Raises:
        IndexError: for a place outside the matrix; a kernel would read or write outside memory.
    """
    inside = within(cols, 0, len(dense))
    if offset is None:
        inside = inside and within(rows, 0, n)
    else:
        ends = bool((offset[1:] >= offset[:-1]).all()) and within(offset, 0, len(values) + 1)
        inside = inside and ends and len(offset) == n + 1
    if not inside:
        raise IndexError(f"an index lies outside the sparse matrix of size ({n}, {len(dense)})")
    if values.dtype != dense.dtype:
        rows = products.rows_of(offset) if rows is None else rows
        return products.times_dense(values, rows, cols, dense, n)
    if offset is None:
        return coo_mm(dense, cols, rows, values, n)
    return csr_mm(dense, cols, offset, values)


def sampled(a: Any, b: Any, rows: Any, cols: Any) -> Any:
    """The elements (rows, cols) of a @ b^H, for a of (n, k) and b of (m, k).

    Raises:
        IndexError: for a place outside the matrix.
    """
    if not (within(rows, 0, len(a)) and within(cols, 0, len(b))):
        raise IndexError(f"an index lies outside the sparse matrix of size ({len(a)}, {len(b)})")
    return sddmm(a, b, rows, cols)


def plain(x: Any, offsets: Any) -> bool:
    """Whether pieces of rows of each of some arrays (n, D) can be summed by a kernel: where they
    begin, (arrays, pieces + 1), never falls and is in range."""
    return bool(
        len(x) and x.shape[2] > 1 and native(x[0].size, layout(x))
        and within(offsets, 0, x.shape[1] + 1) and (offsets[:, 1:] >= offsets[:, :-1]).all()
    )  # fmt: skip


def csr_argmax(x: Any, index: Any, offset: Any) -> Any:
    """(rows, D), int64: of index[k], k from offset[i] to offset[i + 1] - 1, the one whose row of x
    has the largest element in a column, the first of equal ones; 0 where there is none.

    Args:
        x: (n, D). index: (K), integers. offset: (rows + 1), integers.
    """
    return plan_csr_argmax(layout(x), layout(index), layout(offset)).run(x, index, offset)


def add_slices(out: Any, index: Any, source: Any, d: int) -> None:
    """out[:, …, index[k]] += source[:, …, k] along dimension d, in the order of k, in place.

    Args:
        out: an array in memory of its own. index: (K), integers; negative ones count from the end.
        source: the shape of `out` but for K slices along d, or what broadcasts to it.

    Raises:
        IndexError: for an index that is out of range, before anything is written.
    """
    if by_slices(layout(out), index, source, d):
        into_slices(out, index, source, d, "add")
    elif out.ndim == 1 and source.shape == index.shape:
        scatter_add(out, index, source, 0)
    else:
        np.add.at(out, (slice(None),) * d + (index,), source)


def scatter_add(out: Any, index: Any, source: Any, d: int, known: bool = False) -> None:
    """out[…, index[…, k, …], …] += source[…, k, …] along dimension d, in the order of k, in place.

    Args:
        out: an array in memory of its own. index: integers, in the shape of `source`; negative
            ones count from the end.
        source: nowhere longer than `out` but along d.
        known: the indices are at least 0 and in range.

    Raises:
        IndexError: for an index that is out of range, before anything is written.
    """
    key = few.layouts(out, index, source, d, known)
    made = plans_add.get(key) or plans_add.make(key, out, index, source, d, known)
    if made is not None:
        made.run(out, index, source)
    else:
        np.add.at(out, grid(index, d), source)


def scatter(out: Any, index: Any, source: Any, d: int, known: bool = False) -> None:
    """As `scatter_add`, but elements are written; the last one where several meet. `source` may be
    an array of one number for all."""
    key = few.layouts(out, index, source, d, known)
    made = plans_put.get(key) or plans_put.make(key, out, index, source, d, known)
    if made is not None:
        made.run(out, index, source)
    else:
        out[grid(index, d)] = source


@Plans
def plans_add(out: Any, index: Any, source: Any, d: int, known: bool) -> Plan | None:
    if out.dtype not in SCATTERED or not at_columns(out, index, source, d):
        return None
    return plan_scatter_add(layout(out), layout(index), layout(source), d, known)


@Plans
def plans_put(out: Any, index: Any, source: Any, d: int, known: bool) -> Plan | None:
    if out.itemsize not in INTEGERS or out.dtype.hasobject:
        return None
    if not at_columns(out, index, source, d):
        return None
    return plan_scatter_add(layout(out), layout(index), layout(source), d, known, False)


def at_columns(out: Any, index: Any, source: Any, d: int) -> bool:
    """Whether a kernel goes through the indices of each column: of many of one type, for an array
    that lies dense, whose columns are those of the index, or the first of them."""
    return (
        index.size >= tuning.CSR_SLICES_LEAST and out.dtype == source.dtype
        and (source.shape == index.shape or source.ndim == 0)
        and all(k in (0, d) or n == out.shape[k] for k, n in enumerate(index.shape))
        and out.strides == contiguous_strides(out.shape, out.itemsize) and runtime.available()
    )  # fmt: skip


def grid(index: Any, d: int) -> tuple[Any, ...]:
    """Open grids for all dimensions of an index, with the index itself at dimension d."""
    n = index.ndim
    return tuple(
        index if i == d else np.arange(k).reshape((1,) * i + (k,) + (1,) * (n - i - 1))
        for i, k in enumerate(index.shape)
    )


def reduce_slices(out: Any, index: Any, source: Any, d: int, how: str) -> None:
    """As `add_slices`, with the largest ("max") or smallest ("min") of all, NaN before others."""
    if by_slices(layout(out), index, source, d):
        into_slices(out, index, source, d, how)
    else:
        products.reduce_slices(out, index, source, d, how)


def into_slices(out: Any, index: Any, source: Any, d: int, how: str) -> None:
    """By the kernel, which goes through all slices of `out`; where few of many are named, through a
    copy of these."""
    part, named = out, None
    if d == 0 and len(out) >= max(tuning.CSR_TOUCHED_LEAST, tuning.CSR_TOUCHED * index.size):
        named, index = np.unique(in_range(index, n=len(out)), return_inverse=True)
        part = out[named]
    made = plan_add_slices(layout(part), layout(index), layout(source), d, how=how)
    made.run(part, index, source)
    if named is not None:
        out[named] = part


def slices_summed(shape: tuple[int, ...], index: Any, source: Any, d: int) -> Any:
    """An array of zeros with the slices of `source` added at `index`, as `add_slices` does."""
    to = source.dtype, shape, contiguous_strides(shape, source.dtype.itemsize)
    if by_slices(to, index, source, d):
        made = plan_add_slices(None, layout(index), layout(source), d, shape[d])
        return made.run(index, source)
    out = np.zeros(shape, source.dtype)
    add_slices(out, index, source, d)
    return out


def by_slices(out: Layout, index: Any, source: Any, d: int) -> bool:
    """Whether a kernel adds up such slices: of floats, more than a few of them side by side."""
    kind, shape, strides = out
    wanted = (*shape[:d], index.size, *shape[d + 1 :])
    inner = math.prod(shape[d + 1 :])
    return (
        source.shape == wanted and source.dtype == kind and inner >= tuning.CSR_NARROW
        and strides == contiguous_strides(shape, kind.itemsize)
        and source.size >= tuning.CSR_SLICES_LEAST and index.size > 0 and has_kernels(kind)
    )  # fmt: skip


def in_each(index: Any, *, n: int, outer: int) -> Any:
    """Indices of rows of `outer` arrays of n rows, one after the other; each is in range."""
    index = in_range(index, n=n)
    return (np.arange(outer)[:, None] * n + index).reshape(-1) if outer > 1 else index


def layout(a: Any) -> Layout:
    """What a plan asks of an array."""
    return a.dtype, a.shape, a.strides


def meta(a: Layout) -> MetaArray:
    return MetaArray(a[1], a[0], a[2])


def native(terms: int, x: Layout, *others: Layout | None) -> bool:
    """Whether so many products of elements are worth a kernel, and there is one for operands of
    these types."""
    same = all(o is None or o[0] == x[0] for o in others)
    return terms >= tuning.CSR_LEAST and same and has_kernels(x[0])


def in_rows(draft: Draft, name: str) -> tuple[str, int]:
    """A matrix whose rows have no gaps inside: the array itself or a copy; and elements from one
    row to the next."""
    at = draft.metas[name]
    size = at.dtype.itemsize
    if (at.shape[1] == 1 or at.strides[1] == size) and at.strides[0] % size == 0:
        return name, at.strides[0] // size
    return draft.dense(name), at.shape[1]


def indices(draft: Draft, name: str) -> tuple[str, str]:
    """Integers one after the other, and what kernels call their type."""
    kept = draft.metas[name].dtype in INDEX
    name = draft.dense(name, None if kept else INT64)
    return name, INDEX[draft.metas[name].dtype]


def launch(
    draft: Draft, rows: int, offset: str, index: str, weight: str | None, mean: bool = False,
    into: str | None = None, x: str = "x", how: str = "add",
) -> None:  # fmt: skip
    """The sums of rows of x, added to an array or a new one."""
    from . import csr_mm as kernels

    of, of_index = draft.metas[x], draft.metas["index"]
    width, count = of.shape[1], of_index.size
    x, apart = in_rows(draft, x)
    kernel = kernels.csr_mm(
        kernels.Kind(
            ELEMENTS[of.dtype], INDEX.get(of_index.dtype, "i64"), weight is not None,
            into is not None, of.size * of.dtype.itemsize >= tuning.CSR_FAR, how,
        )
    )  # fmt: skip
    y = into or draft.array("y", MetaArray((rows, width), of.dtype))
    a_row = (count + rows) * width // rows  # elements that a row takes, on average
    each = max(1, tuning.CSR_PIECE // max(1, a_row))
    draft.launch(
        kernel, x=x, index=index, offset=offset, weight=weight, y=y, rows=rows, count=count,
        width=width, apart=apart, mean=int(mean), each=each, chunks=-(-rows // each),
    )  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_csr_mm(
    x: Layout, index: Layout, offset: Layout, weight: Layout | None, mean: bool = False,
    how: str = "add",
) -> Plan:  # fmt: skip
    """Operands x (n, D), index (K), offset (rows + 1) and weight (K); output y (rows, D)."""
    draft = drafted(x, index, "offset", offset, weight)
    count, width, rows = index[1][0], x[1][1], offset[1][0] - 1
    if not rows or not width or not native((count + rows) * width, x, weight):
        y = draft.array("y", MetaArray((rows, width), x[0]))
        given = "x", "index", "offset", weight and "weight"
        draft.numpy(products.csr_mm, given, y, mean=mean, how=how)
        return draft.plan("csr_mm.numpy", flops=2 * count * width)
    at = draft.dense("offset", INT64)
    index_name, weight_name = indices(draft, "index")[0], weight and draft.dense("weight")
    launch(draft, rows, at, index_name, weight_name, mean, how=how)
    return draft.plan("csr_mm.kernel", flops=2 * count * width)


@functools.lru_cache(maxsize=1024)
def plan_coo_mm(x: Layout, index: Layout, rows: Layout, weight: Layout | None, n: int) -> Plan:
    """Operands x (m, D), index (K), rows (K) and weight (K); output y (n, D)."""
    draft = drafted(x, index, "rows", rows, weight)
    count, width = index[1][0], x[1][1]
    if not n or not width or not native((count + n) * width, x, weight):
        y = draft.array("y", MetaArray((n, width), x[0]))
        draft.numpy(products.coo_mm, ("x", "index", "rows", weight and "weight"), y, n=n)
        return draft.plan("coo_mm.numpy", flops=2 * count * width)
    from . import csr_mm as kernels

    (row, row_kind), (at, kind) = indices(draft, "rows"), indices(draft, "index")
    size = x[0].itemsize
    given = weight and draft.dense("weight")
    offset = draft.room("offset", (n + 1) * 8)
    others = draft.room("indices", count * draft.metas[at].dtype.itemsize)
    weights = weight and draft.room("weights", count * size)
    draft.launch(
        kernels.coo_to_csr(row_kind, kind, f"i{8 * size}" if weight else ""), row=row, index=at,
        weight=given, offset=offset, indices=others, weights=weights, count=count, n=n,
    )  # fmt: skip
    launch(draft, n, offset, others, weights)
    return draft.plan("coo_mm.kernel", flops=2 * count * width)


@functools.lru_cache(maxsize=1024)
def plan_add_slices(
    out: Layout | None, index: Layout, source: Layout, d: int, n: int = 0, how: str = "add"
) -> Plan:
    """Operands out, which is written to, index (K) and source; without `out` a new array of n
    slices."""
    from . import csr_mm as kernels

    given = {} if out is None else {"out": meta(out)}
    draft = Draft({**given, "index": meta(index), "source": meta(source)})
    shape = list(source[1])
    shape[d] = n if out is None else out[1][d]
    n, outer, inner = shape[d], math.prod(shape[:d]), math.prod(shape[d + 1 :])
    rows, count = outer * n, outer * index[1][0]
    at = draft.array("at", MetaArray((count,), INT64))
    draft.numpy(in_each, ("index",), at, n=n, outer=outer)
    x = "source"  # whose rows may lie apart
    if d or len(shape) != 2:
        x = draft.view("x", draft.dense("source"), MetaArray((count, inner), source[0]))
    offset, order = draft.room("offset", (rows + 1) * 8), draft.room("order", count * 8)
    draft.launch(
        kernels.coo_to_csr("i64", "", ""), row=at, index=None, weight=None, offset=offset,
        indices=order, weights=None, count=count, n=rows,
    )  # fmt: skip
    draft.metas["index"] = draft.metas[at]
    if out is not None:
        launch(draft, rows, offset, order, None, into="out", x=x, how=how)
        return draft.plan("add_slices.kernel", (), flops=count * inner, mutates=("out",))
    launch(draft, rows, offset, order, None, x=x)
    y = draft.view("whole", "y", MetaArray(tuple(shape), source[0]))
    return draft.plan("add_slices.kernel", (y,), flops=count * inner)


@functools.lru_cache(maxsize=1024)
def plan_scatter_add(
    out: Layout, index: Layout, source: Layout, d: int, known: bool = False, adds: bool = True
) -> Plan:
    """Operands out, which is written to, index and source."""
    from . import scatter_add as kernels

    draft = Draft({"out": meta(out), "index": meta(index), "source": meta(source)})
    shape, count = index[1], index[1][d]
    n = out[1][d]
    if known:
        at = draft.dense("index", INT64)
    else:
        at = draft.array("at", MetaArray(shape, INT64))
        draft.numpy(in_range, ("index",), at, n=n)
    inner = math.prod(shape[d + 1 :])
    columns = math.prod(shape[:d]) * inner
    x, steps = "source", (0, 0, 0)
    if source[1]:
        x, steps = columns_of(draft, "source", d)
    each = max(1, min(tuning.CSR_PIECE // max(1, count), -(-columns // 8)))
    if inner > 1:  # whole lines of the cache
        each = -(-each // 16) * 16
    e = SCATTERED[out[0]] if adds else INTEGERS[out[0].itemsize]
    draft.launch(
        kernels.scatter_add(e, "i64", adds), y="out", index=at, x=x, n=n, count=count, inner=inner,
        x_outer=steps[0], x_line=steps[1], x_step=steps[2], columns=columns, each=each,
        chunks=-(-columns // each),
    )  # fmt: skip
    name = "scatter_add.kernel" if adds else "scatter.kernel"
    return draft.plan(name, (), flops=count * columns, mutates=("out",))


def columns_of(draft: Draft, name: str, d: int) -> tuple[str, tuple[int, int, int]]:
    """An array seen as (outer, count, inner) around dimension d, and its steps in elements: itself
    where it is a matrix, else in rows."""
    of = draft.metas[name]
    size = of.dtype.itemsize
    if of.ndim == 2 and not any(s % size for s in of.strides):
        first, second = (s // size for s in of.strides)
        return name, (first, second, 0) if d else (0, first, second)
    inner = math.prod(of.shape[d + 1 :])
    return draft.dense(name), (of.shape[d] * inner, inner, 1)


@functools.lru_cache(maxsize=1024)
def plan_csr_argmax(x: Layout, index: Layout, offset: Layout) -> Plan:
    """Operands x (n, D), index (K) and offset (rows + 1); output y (rows, D)."""
    draft = Draft({"x": meta(x), "index": meta(index), "offset": meta(offset)})
    count, width, rows = index[1][0], x[1][1], offset[1][0] - 1
    y = draft.array("y", MetaArray((rows, width), INT64))
    if not rows or not width or not native((count + rows) * width, x):
        draft.numpy(products.csr_argmax, ("x", "index", "offset"), y)
        return draft.plan("csr_argmax.numpy", flops=count * width)
    from . import csr_argmax as kernels

    (at, kind), (table, apart) = indices(draft, "index"), in_rows(draft, "x")
    each = max(1, tuning.CSR_PIECE // max(1, (count + rows) * width // rows))
    draft.launch(
        kernels.csr_argmax(ELEMENTS[x[0]], kind), x=table, index=at,
        offset=draft.dense("offset", INT64), y=y, rows=rows, count=count, width=width,
        apart=apart, each=each, chunks=-(-rows // each),
    )  # fmt: skip
    return draft.plan("csr_argmax.kernel", flops=count * width)


@functools.lru_cache(maxsize=1024)
def plan_sddmm(a: Layout, b: Layout, rows: Layout, cols: Layout) -> Plan:
    """Operands a (n, D), b (m, D), rows (K) and cols (K); output y (K)."""
    draft = Draft({"a": meta(a), "b": meta(b), "rows": meta(rows), "cols": meta(cols)})
    count, width = rows[1][0], a[1][1]
    if not native(count * width, a, b):
        kind = a[0] if a[0] == b[0] else np.result_type(a[0], b[0])
        y = draft.array("y", MetaArray((count,), kind))
        draft.numpy(products.sampled, ("a", "b", "rows", "cols"), y)
        return draft.plan("sddmm.numpy", flops=2 * count * width)
    from . import sddmm as kernels

    (left, a_apart), (right, b_apart) = in_rows(draft, "a"), in_rows(draft, "b")
    at, (others, kind) = draft.dense("rows", INT64), indices(draft, "cols")
    y = draft.array("y", MetaArray((count,), a[0]))
    each = max(1, tuning.CSR_PIECE // width)
    draft.launch(
        kernels.sddmm(ELEMENTS[a[0]], kind), a=left, b=right, rows=at, cols=others, y=y,
        count=count, width=width, a_apart=a_apart, b_apart=b_apart, each=each,
        chunks=-(-count // each),
    )  # fmt: skip
    return draft.plan("sddmm.kernel", flops=2 * count * width)


def drafted(x: Layout, index: Layout, by: str, at: Layout, weight: Layout | None) -> Draft:
    """A plan's operands."""
    given = None if weight is None else meta(weight)
    return Draft({"x": meta(x), "index": meta(index), by: meta(at), "weight": given})
