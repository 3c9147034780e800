"""Products of matrices: the choice between NumPy's BLAS and our own machine code.

`product(a, b, bias)` and `added(d, a, b, beta, alpha)` compute stacks of matrices of any strides
without copying them; they answer None for what NumPy does: very small products and other types.
The choice looks at types, shapes and strides alone, so the same call gives the same bits every
time, and it is made once for each: `plan` keeps what it found.

Three kinds of machine code share the work:

* `gemv.py` where both operands lie along k and one has few rows: it reads them once;
* `small_gemm.py` for small, narrow and tall products and batches of them: nothing is packed;
* `gemm.py` for large ones, whose B is packed first.

Where the result is small and k long, k is cut into slices, and the parts are added in order.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import config
from ..elementwise import select as elementwise

Array = Any
Shape = tuple[int, ...]
Run = Callable[[Array, Array, Any, float, float], Array]  # (a, b, d, alpha, beta) -> result
Level = tuple[int, Shape]  # a dim of a batch, and how far each operand goes along it
LEAST_WORK = 1 if elementwise.ALWAYS else 1 << 12  # multiplications from which on kernels are used
LEAST_PACKED = 6 << 20  # of one product, from which on packing its B may pay
NARROW = 1 if elementwise.ALWAYS else 16  # columns of a recurrent layer's weights for `Packed`
FEW = 16  # rows (or columns) that sums along k are used for
UNIT = 1 << 17  # multiplications that a thread takes at a time
# Multiplications from which on a matrix unit is used.
UNIT_LEAST = 1 if elementwise.ALWAYS else 1 << 23
UNIT_SIDE = 4 if elementwise.ALWAYS else 64  # and the least m, n and k
# The least m for products by a matrix that stays packed.
UNIT_ROWS = 1 if elementwise.ALWAYS else 16
SLICE, SLICES = 1024, 64  # a slice of a long k at least, and how many there are at most
SMALL = 1 << 13  # elements of a result from which on k is not cut
ELEMENTS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


class _Room(threading.local):
    """Memory that B is packed into, kept for the next product of this thread."""

    kept: Any = None


_room = _Room()
MOST_KEPT = 1 << 23  # bytes


def room(nbytes: int) -> Array:
    """At least `nbytes` bytes that begin at a cache line."""
    kept = _room.kept
    if kept is None or kept.nbytes < nbytes:
        kept = aligned(nbytes)
        if nbytes <= MOST_KEPT:
            _room.kept = kept
    return kept


@functools.cache
def kernel(element: str, kind: str = "gemm") -> Any:
    """The kernel of a kind: "gemm", "small_gemm" or "dots"."""
    from . import gemm, gemv, small_gemm

    return {"gemm": gemm, "small_gemm": small_gemm, "dots": gemv}[kind].kernel(element)


def steps(x: Array) -> Shape | None:
    """Strides in elements; None when an element does not begin at a multiple of its size."""
    return in_elements(x.strides, x.itemsize)


def in_elements(strides: Shape, size: int) -> Shape | None:
    if any(s % size for s in strides):
        return None
    return tuple([s // size for s in strides])


# -- products ------------------------------------------------------------------------------------


def product(a: Array, b: Array, bias: Array | None = None) -> Array | None:
    """a @ b (+ bias for each column) by our kernels; None when NumPy should do it.

    Shapes: a (..., M, K), b (..., K, N), bias (N), or vectors. Types: float32 or float64, all the
    same.
    """
    if b.ndim == 2 and a.size * b.shape[1] < LEAST_WORK:
        return None  # `plan` would say so, in half a microsecond
    if bias is not None:
        return None if bias.ndim != 1 else added(bias, a, b)
    run = plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    return None if run is None else run(a, b, None, 1.0, 0.0)


def added(d: Array, a: Array, b: Array, beta: float = 1.0, alpha: float = 1.0) -> Array | None:
    """beta * d + alpha * (a @ b), for a d that broadcasts to the product; None when NumPy should
    do it."""
    if d.dtype != a.dtype or d.__class__ is not np.ndarray:
        return None
    run = plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides, d.shape, d.strides)
    return None if run is None else run(a, b, d, alpha, beta)


@functools.cache
def has_unit() -> bool:
    """Whether the CPU multiplies matrices by itself (`amx.py`)."""
    if not elementwise.jit():
        return False
    from . import amx

    return amx.available()


@functools.lru_cache(maxsize=4096)
def plan(
    dtype: Any, a_shape: Shape, a_strides: Shape, b_dtype: Any, b_shape: Shape, b_strides: Shape,
    d_shape: Shape | None = None, d_strides: Shape = (),
) -> Run | None:  # fmt: skip
    """How a product of operands like these is computed; None: by NumPy."""
    if dtype not in ELEMENTS or b_dtype != dtype or not a_shape or not b_shape:
        return None
    sizes = math.prod(a_shape), math.prod(b_shape)
    if not all(sizes) or not elementwise.jit():
        return None
    given = [in_elements(s, dtype.itemsize) for s in (a_strides, b_strides, d_strides)]
    if any(s is None for s in given):
        return None
    a_step, b_step, d_step = given
    columns = b_shape[-1:] if len(b_shape) > 1 else ()
    rows = a_shape[-2:-1]
    if not rows:  # a vector is a matrix of one row, or of one column
        a_shape, a_step = (1, *a_shape), (0, *a_step)  # type: ignore[misc]
    if not columns:
        b_shape, b_step = (*b_shape, 1), (*b_step, 1)  # type: ignore[misc]
    (m, k), n = a_shape[-2:], b_shape[-1]
    batch = np.broadcast_shapes(a_shape[:-2], b_shape[:-2])
    if math.prod(batch) * m * n * k < LEAST_WORK:
        return None
    shape = (*batch, *rows, *columns)
    p = Problem(dtype, m, n, k, a_step[-2:], b_step[-2:])  # type: ignore[index]
    of_d = (0,) * len(batch)
    if d_shape is not None:
        if not broadcasts(d_shape, shape):
            return None
        steps_d = spread(d_shape, d_step, shape)  # type: ignore[arg-type]
        of_d = steps_d[: len(batch)]
        left = list(steps_d[len(batch) :])
        p.d = (left.pop(0) if rows else 0, left.pop() if columns else 0)
        p.adds = True
    levels = merged(
        batch,
        spread(a_shape[:-2], a_step[:-2], batch),  # type: ignore[index]
        spread(b_shape[:-2], b_step[:-2], batch),  # type: ignore[index]
        tuple(math.prod(batch[i + 1 :]) * m * n for i in range(len(batch))),
        of_d,
    )
    return p.chosen(levels, shape)


def broadcasts(shape: Shape, whole: Shape) -> bool:
    """Whether an array of a shape can be read as one of the shape `whole`."""
    if len(shape) > len(whole):
        return False
    return all(s in (1, w) for s, w in zip(shape, whole[len(whole) - len(shape) :], strict=True))


def spread(shape: Shape, strides: Shape, whole: Shape) -> Shape:
    """The strides of an array that broadcasts to the shape `whole`."""
    found = [0 if s == 1 else step for s, step in zip(shape, strides, strict=True)]
    return (0,) * (len(whole) - len(shape)) + tuple(found)


def merged(sizes: Shape, *strides: Shape) -> list[Level]:
    """The dims of a batch; neighbours that run on in all operands made one."""
    found: list[Level] = []
    for size, *at in zip(sizes, *strides, strict=True):
        if size == 1:
            continue
        if found and all(o == s * size for o, s in zip(found[-1][1], at, strict=True)):
            found[-1] = (found[-1][0] * size, tuple(at))
        else:
            found.append((size, tuple(at)))
    return found


class Problem:
    """A product C = alpha A B + beta D: sizes, and strides in elements along rows and columns."""

    def __init__(self, dtype: Any, m: int, n: int, k: int, a: Shape, b: Shape) -> None:
        self.dtype, self.m, self.n, self.k = dtype, m, n, k
        self.a = (a[0] if m > 1 else 0, a[1] if k > 1 else 1)
        self.b = (b[0] if k > 1 else 1, b[1] if n > 1 else 1)
        self.c: Shape = (n, 1)
        self.d: Shape = (0, 0)
        self.adds = False
        self.exchanged = False
        self.is_slice = False
        self.element = ELEMENTS[dtype]

    def turned(self) -> Problem:
        """C^T = B^T A^T."""
        p = Problem(self.dtype, self.n, self.m, self.k, self.b[::-1], self.a[::-1])
        p.c, p.d, p.adds = self.c[::-1], self.d[::-1], self.adds
        p.exchanged = not self.exchanged
        return p

    def chosen(self, levels: list[Level], shape: Shape) -> Run:
        """The way for a batch of these products, whose result has the shape `shape`."""
        if len(levels) == 1 and not levels[0][1][1]:  # one B for all: one tall product, perhaps
            count, (a, _, c, d) = levels[0]
            joined = merged((count, self.m), (a, self.a[0]), (c, self.c[0]), (d, self.d[0]))
            if len(joined) == 1:
                self.m, (a, _, d) = joined[0]
                self.a, self.d = (a, self.a[1]), (d, self.d[1])
                levels = []
        m, n, k = self.m, self.n, self.k
        if len(levels) > 2:
            return self.one_by_one(shape)
        count = math.prod(size for size, _ in levels)
        results = count * m * n
        length = max(SLICE, UNIT // (2 * results), -(-k // SLICES))
        if results <= SMALL and k >= 2 * length and len(levels) < 2 and not self.is_slice:
            return self.sliced(levels, shape, length)
        if self.a[1] == 1 and self.b[0] == 1:
            if m <= FEW:
                return self.dots(levels, shape)
            if n <= 4:
                return self.turned().dots(exchanged(levels), shape)
        if self.adds and (self.d[0] if n == 1 else self.d[1]) != 1 and m * n > 1:
            return self.copied(levels, shape)
        if n == 1 and m > 1:
            return self.turned().small(exchanged(levels), shape)
        if self.by_unit(count) and len(levels) < 2:
            return self.packed(levels, shape)
        wide = m > 256 or (n >= 512 and k <= 256)
        if wide and not self.is_slice and min(m, n) >= 128 and m * n * k >= LEAST_PACKED:
            return self.packed(levels, shape) if len(levels) < 2 else self.one_by_one(shape)
        return self.small(levels, shape)

    def by_unit(self, count: int) -> bool:
        """Whether the CPU's matrix unit computes it."""
        m, n, k = self.m, self.n, self.k
        large = min(m, n, k) >= UNIT_SIDE and count * m * n * k >= UNIT_LEAST
        return large and not self.is_slice and self.element == "float" and has_unit()

    # -- the kernels ---------------------------------------------------------------------------

    def caller(
        self, call: Any, shape: Shape, given: list[Shape], rest: tuple[int, ...], units: int
    ) -> Run:
        """The function that calls a kernel; `given` are the strides of the four operands."""
        dtype, exchange = self.dtype, self.exchanged
        of_a, of_b, of_c, of_d = given
        ready = elementwise.jit()[2].ready if units > 1 else None

        def run(a: Array, b: Array, d: Any, alpha: float, beta: float) -> Array:
            y = np.empty(shape, dtype)
            if exchange:
                a, b = b, a
            if ready is not None:
                ready()
            call(a, *of_a, b, *of_b, y, *of_c, d, *of_d, *rest, alpha, beta)
            return y

        return run

    def dots(self, levels: list[Level], shape: Shape) -> Run:
        """Sums along k."""
        count, inner, (a, b, c, d) = two_levels(levels)
        m, n, k = self.m, self.n, self.k
        block = -(-n // max(1, m * n * k // UNIT)) + 3 & -4
        blocks = -(-n // block)
        strides = [(*a, self.a[0]), (*b, self.b[1]), (*c, *self.c), (*d, *self.d)]
        rest = (inner, m, n, k, block, blocks, count * blocks)
        return self.caller(kernel(self.element, "dots"), shape, strides, rest, count * blocks)

    def small(self, levels: list[Level], shape: Shape) -> Run:
        """Without packing."""
        count, inner, (a, b, c, d) = two_levels(levels)
        m, n, k = self.m, self.n, self.k
        work, rows, columns, each = m * n * k, m, n, 1
        if work > 2 * UNIT:
            rows, columns = cut(m, n, k)
        row_blocks, column_blocks = -(-m // rows), -(-n // columns)
        units = count * row_blocks * column_blocks
        if work < UNIT:
            each = min(-(-UNIT // work), max(1, units // 4))
        strides = [(*a, *self.a), (*b, *self.b), (*c, self.c[0]), (*d, self.d[0])]
        rest = (inner, m, n, k, rows, row_blocks, columns, column_blocks, units, each)
        return self.caller(kernel(self.element, "small_gemm"), shape, strides, rest, units // each)

    def packed(self, levels: list[Level], shape: Shape) -> Run:
        """With B packed into panels, or for the matrix unit."""
        from . import amx, amx_gemm, gemm

        (count, (a, b, c, d)), *_ = levels or [(1, (0,) * 4)]
        m, n, k, dtype = self.m, self.n, self.k, self.dtype
        call = kernel(self.element)
        nbytes = gemm.packed_size(self.element, n, count) * dtype.itemsize
        unit = self.by_unit(count)
        if unit:
            nbytes = amx_gemm.packed_bytes(m, n, k, count, 3)
        strides = (*self.a, a), (*self.b, b)
        bias = self.adds and not any((d, self.d[0]))
        ready = elementwise.jit()[2].ready

        def run(x: Array, w: Array, other: Any, alpha: float, beta: float) -> Array:
            within = other is not None and alpha == 1 and beta == 1
            y = np.empty(shape, dtype)
            if within and not bias:
                np.copyto(y, other)
            ready()
            mode = () if unit else (0,)
            way = amx_gemm.kernel(amx.PARTS[config.current.matmul_precision]) if unit else call
            way(x, *strides[0], w, *strides[1], y, n, c, None, other if within and bias else None,
                 m, n, k, count, room(nbytes), 1 if within and not bias else 0, *mode)  # fmt: skip
            if other is not None and not within:
                y *= dtype.type(alpha)
                y += other * dtype.type(beta)
            return y

        return run

    # -- ways that call others -----------------------------------------------------------------

    def sliced(self, levels: list[Level], shape: Shape, length: int) -> Run:
        """A long k, cut into slices; the parts of a small result are added in order."""
        count, rest = self.k // length, self.k % length
        part = Problem(self.dtype, self.m, self.n, length, self.a, self.b)
        part.is_slice = True
        results = math.prod(shape)
        step = (length * self.a[1], length * self.b[0], results, 0)
        level = [(size, (a, b, c, 0)) for size, (a, b, c, _) in levels]
        whole = part.chosen([(count, step), *level], (count, *shape))

        def run(a: Array, b: Array, d: Any, alpha: float, beta: float) -> Array:
            parts = whole(a, b, None, 1.0, 0.0)
            y = np.add.reduce(parts, axis=0)
            if rest:
                last = b[-rest:] if b.ndim == 1 else b[..., -rest:, :]
                y += np.matmul(a[..., -rest:], last)
            if alpha != 1:
                y *= y.dtype.type(alpha)
            if d is not None:
                y += d * y.dtype.type(beta)
            return np.asarray(y)

        return run

    def copied(self, levels: list[Level], shape: Shape) -> Run:
        """With a D that is laid out anew, as kernels read it."""
        self.d = self.c
        levels = [(size, (a, b, c, c)) for size, (a, b, c, _) in levels]
        run = self.chosen(levels, shape)
        return lambda a, b, d, alpha, beta: run(
            a, b, np.ascontiguousarray(np.broadcast_to(d, shape)), alpha, beta
        )

    def one_by_one(self, shape: Shape) -> Run:
        """A batch whose dims do not merge into two: along its first dim in Python."""

        def run(a: Array, b: Array, d: Any, alpha: float, beta: float) -> Array:
            y = np.empty(shape, self.dtype)
            lead = shape[: -2 if a.ndim > 1 and b.ndim > 1 else -1]
            a = np.broadcast_to(a, (*lead, *a.shape[-2:])) if a.ndim > 1 else a
            b = np.broadcast_to(b, (*lead, *b.shape[-2:])) if b.ndim > 1 else b
            other = None if d is None else np.broadcast_to(d, shape)
            for i in range(shape[0]):
                given = a[i] if a.ndim > 1 else a, b[i] if b.ndim > 1 else b
                found = product(*given)
                found = np.matmul(*given) if found is None else found
                y[i] = found if alpha == 1 else found * self.dtype.type(alpha)
                if other is not None:
                    y[i] += other[i] * self.dtype.type(beta)
            return y

        return run


def exchanged(levels: list[Level]) -> list[Level]:
    """The batch of the turned product."""
    return [(size, (b, a, c, d)) for size, (a, b, c, d) in levels]


def two_levels(levels: list[Level]) -> tuple[int, int, list[Shape]]:
    """(number of products, how many of them the inner level has, strides (outer, inner))."""
    (outer, one), (inner, other) = [(1, (0,) * 4)] * (2 - len(levels)) + levels
    return outer * inner, inner, list(zip(one, other, strict=True))


def cut(m: int, n: int, k: int) -> tuple[int, int]:
    """Rows and columns of a unit of a product: whole tiles of the usual heights and widths."""
    rows = UNIT // (n * k)
    if rows >= 24 or n <= 64:
        return max(24, rows // 24 * 24), n
    rows = min(m, 48)
    return rows, max(64, UNIT // (rows * k) // 64 * 64)


class Packed:
    """A matrix B (K, N) kept as the kernel reads it, for many products with few rows each.

    Built only where `packs(b)`.
    """

    __slots__ = ("call", "k", "n", "room")

    def __init__(self, b: Array) -> None:
        from . import gemm

        e = ELEMENTS[b.dtype]
        self.call = gemm.kernel(e)
        self.k, self.n = b.shape
        size = gemm.whole_size(e, self.n, self.k) * b.itemsize
        self.room = aligned(size)
        row, col = steps(b)  # type: ignore[misc]
        elementwise.jit()[2].ready()
        self.call(b, 0, 0, 0, b, row, col, 0, b, 0, 0, None, None, 1, self.n, self.k, 1,
                  self.room, 0, 1)  # fmt: skip

    def into(self, a: Array, c: Array, bias: Array | None = None, accumulate: bool = False) -> None:
        """c = a @ B (+ bias for each column) (+ c); the rows of a and c are without gaps."""
        self.call(a, self.k, 1, 0, self.room, 0, 0, 0, c, self.n, 0, None, bias,
                  a.shape[0], self.n, self.k, 1, self.room, 1 if accumulate else 0, 2)  # fmt: skip


class UnitPacked:
    """`Packed` for the matrix unit; `plain` takes over where a number cannot be split."""

    __slots__ = ("b", "flag", "group", "k", "n", "packed", "parts", "plain", "run")

    def __init__(self, b: Array) -> None:
        from . import amx, amx_packed

        self.b, (self.k, self.n) = b, b.shape
        self.parts = amx.PARTS[config.current.matmul_precision]
        pack, self.run = amx_packed.kernels(self.parts)
        self.packed = aligned(amx_packed.panel_bytes(self.n, self.k, self.parts))
        self.group = amx_packed.group_of(self.n)
        self.flag = np.zeros(1, np.int64)
        self.plain: Packed | None = None
        elementwise.jit()[2].ready()
        pack(b, *steps(b), self.k, self.n, self.packed, self.flag)  # type: ignore[misc]
        if self.flag[0]:
            self.plain = Packed(b)

    def into(self, a: Array, c: Array, bias: Array | None = None, accumulate: bool = False) -> None:
        """As `Packed.into`."""
        from . import amx_packed

        if self.plain is None:
            space = room(amx_packed.panel_bytes(len(a), self.k, self.parts))
            self.run(a, self.k, c, self.n, bias, len(a), self.n, self.k, self.packed, space,
                     1 if accumulate else 0, self.flag, self.group)  # fmt: skip
            if not self.flag[0]:
                return
            self.plain = Packed(self.b)
        self.plain.into(a, c, bias, accumulate)


def aligned(nbytes: int) -> Array:
    """Bytes of one's own that begin at a cache line."""
    raw = np.empty(nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + nbytes]


def packed(b: Array, rows: int) -> Packed | UnitPacked:
    """B for products with `rows` rows each; only where `packs(b)`."""
    large = rows >= UNIT_ROWS and min(b.shape) >= UNIT_SIDE and b.dtype == np.float32
    return UnitPacked(b) if large and has_unit() else Packed(b)


def packs(b: Array) -> bool:
    """Whether our kernel multiplies by the matrix b."""
    return bool(
        b.ndim == 2 and b.dtype in ELEMENTS and b.shape[1] >= NARROW and b.size
        and steps(b) is not None and kernel(ELEMENTS[b.dtype]) is not None
    )  # fmt: skip
