"""Products of matrices: which kernel computes one.

`plan` looks at types, shapes and strides alone, so the same call gives the same bits every time.
Operands may be of any strides; none is copied. Three kernels share the work, NumPy has the rest
(other types, very small products):

* `gemv.py` where both operands lie along k and one has few rows: it reads them once;
* `small_gemm.py` for small, narrow and tall products and batches of them: nothing is packed;
* `gemm.py` for large ones, whose B is packed first; `amx_gemm.py` on CPUs with a matrix unit,
  where that was measured to be faster (`kernels/tuned.py`).

Where the result is small and k long, k is cut into slices, and the parts are added in order.

Integers go the same ways: their products and sums wrap around, so the low bits of a wider type's
are theirs, and those of one byte are multiplied in two. Narrow floats are brought to float32
(`narrow.py`).

Not here: matrices that stay packed for many products (`packed.py`), both gradients of a linear
layer (`linear.py`), NumPy's way (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ... import config
from .. import runtime, tuning
from ..keys import Plans
from ..meta import MetaArray
from ..narrow import EXACT, is_narrow
from ..plan import Draft, Launch, Plan, Reference, nbytes
from ..runtime import few
from . import narrow, pairs, reference
from .pairs import PAIRS

Array = Any
Shape = tuple[int, ...]
Level = tuple[int, Shape]  # a dim of a batch, and how far each operand goes along it
ELEMENTS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
INTEGERS = {np.dtype(k): e for e, k in (
    ("i64", np.int64), ("i64", np.uint64), ("i32", np.int32), ("i32", np.uint32),
    ("i16", np.int16), ("i16", np.uint16),
)}  # fmt: skip
WIDENED = {np.dtype(np.int8): np.dtype(np.int16), np.dtype(np.uint8): np.dtype(np.int16)}


# -- products ------------------------------------------------------------------------------------


@Plans
def plans_product(a: Array, b: Array, precision: str) -> Plan:
    return plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides, precision)


def product(a: Array, b: Array) -> Array:
    """a @ b. Shapes: a (..., M, K) or (K), b (..., K, N) or (K); all of one type."""
    precision = config.current.matmul_precision
    key = few.layouts(a, b, precision)
    made = plans_product.get(key) or plans_product.make(key, a, b, precision)
    return made.run(a, b, None, 1.0, 0.0)


@Plans
def plans_wide(a: Array, b: Array, precision: str) -> Plan:
    of = (a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    return plan(*of, precision, rounds=False)


def wide_product(a: Array, b: Array) -> Array:
    """`product`; of narrow floats in the type that they are computed in, not rounded yet."""
    if not is_narrow(a.dtype):
        return product(a, b)
    precision = config.current.matmul_precision
    key = few.layouts(a, b, precision)
    made = plans_wide.get(key) or plans_wide.make(key, a, b, precision)
    return made.run(a, b, None, 1.0, 0.0)


@Plans
def plans_linear(x: Array, w: Array, bias: Array, precision: str) -> Plan:
    of = (x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides)
    return plan(*of, precision, bias.shape, bias.strides)


def linear(x: Array, w: Array, bias: Array | None) -> Array:
    """x @ w + bias. Shapes: x (..., K), w (K, N), bias (N)."""
    if bias is None:
        return product(x, w)
    precision = config.current.matmul_precision
    key = few.layouts(x, w, bias, precision)
    made = plans_linear.get(key) or plans_linear.make(key, x, w, bias, precision)
    if bias.dtype == x.dtype and made.name not in ALONE:
        return made.run(x, w, bias, 1.0, 1.0)
    y = product(x, w)
    y += bias
    return y


def plan_product(a: Any, b: Any) -> Plan:
    """The plan of a @ b, for arrays or what stands for them."""
    key = (a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    return plan(*key, config.current.matmul_precision)


def plan_linear(x: Any, w: Any, bias: Any = None) -> Plan:
    """The plan of x @ w.T + bias; of the product alone where NumPy adds the bias."""
    key = (x.dtype, x.shape, x.strides, w.dtype, w.shape[::-1], w.strides[::-1])
    if bias is None:
        return plan(*key, config.current.matmul_precision)
    return plan(*key, config.current.matmul_precision, bias.shape, bias.strides)


def added(d: Array, a: Array, b: Array, beta: float = 1.0, alpha: float = 1.0) -> Array | None:
    """beta * d + alpha * (a @ b), for a d that broadcasts to the product.

    None where no kernel adds while it multiplies: then the product and the sum are two steps.
    """
    plain, narrow_ones = alpha == 1 and beta == 1, is_narrow(a.dtype)
    if d.dtype != a.dtype or d.__class__ is not np.ndarray:
        return None
    if not plain if narrow_ones else a.dtype not in ELEMENTS:
        return None
    key = (a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)
    made = plan(*key, config.current.matmul_precision, d.shape, d.strides, plain)
    if narrow_ones and not broadcasts(d.shape, made.outputs["y"].shape):
        return None
    return None if made.name in ALONE else made.run(a, b, d, alpha, beta)


NUMPY, WIDENED_TYPES = "matmul.numpy", "matmul.widened"
ALONE = (NUMPY, WIDENED_TYPES)  # what these compute is the product: nothing is added


@functools.cache
def has_amx() -> bool:
    """Whether the CPU multiplies matrices by itself and may (`amx.py`)."""
    if not runtime.available():
        return False
    from . import amx

    return amx.available()


def uses_amx(group: str) -> bool:
    """Whether this process lets it: for large products ("matmul"), for convolutions ("conv"), for
    both of bfloat16 ("bfloat16")."""
    if not has_amx():
        return False
    from .. import tuned

    choice = tuned.choice()
    return choice.bfloat16 if group == "bfloat16" else group in choice.groups


def large_for_amx(
    m: int, n: int, k: int, precision: str, count: int = 1, as_they_are: bool = False
) -> bool:
    """Whether the matrix unit would be faster than vectors at so many products; `as_they_are`: it
    reads operands of bfloat16."""
    side, least = tuning.MATMUL_AMX_SIDE, tuning.MATMUL_AMX_LEAST
    if as_they_are:
        side, least = tuning.MATMUL_AMX_SIDE_READ, tuning.MATMUL_AMX_LEAST_READ
    elif precision == EXACT:  # one product by the unit in place of six
        side, least = tuning.MATMUL_AMX_SIDE_EXACT, tuning.MATMUL_AMX_LEAST_EXACT
    return min(m, n, k) >= side and count * m * n * k >= least


@functools.lru_cache(maxsize=4096)
def plan(
    dtype: Any, a_shape: Shape, a_strides: Shape, b_dtype: Any, b_shape: Shape, b_strides: Shape,
    precision: str = "highest", d_shape: Shape | None = None, d_strides: Shape = (),
    plain: bool = True, rounds: bool = True, reads: str = "",
) -> Plan:  # fmt: skip
    """y = alpha * (a @ b) + beta * d: operands a, b and d (or None), scalars alpha and beta.

    `plain`: alpha and beta are 1. `precision` is that of float32 on a matrix unit. Narrow floats,
    of which all is plain, give such ones, or with `rounds=False` what they are computed in.
    `reads`: a and b are of that narrow type, and lie as is said of float32; sums along k read them.
    Or they are PAIRS: k counts those, and one B is for all A, or each A has its own.
    """
    if dtype in WIDENED and b_dtype == dtype:
        return widened(dtype, a_shape, b_shape)
    if is_narrow(dtype) and b_dtype == dtype:
        of = (dtype, a_shape, a_strides, b_shape, b_strides)
        return narrow.plan(plan, ALONE, *of, precision, d_shape, d_strides, rounds)
    problem = parsed(dtype, a_shape, a_strides, b_dtype, b_shape, b_strides, d_shape, d_strides)
    if problem is None:
        return by_numpy(dtype, a_shape, b_dtype, b_shape)
    problem.precision, problem.plain, problem.reads = precision, plain, reads
    return problem.plan(a_shape, b_shape, d_shape)


def by_numpy(dtype: Any, a_shape: Shape, b_dtype: Any, b_shape: Shape) -> Plan:
    """The plan of what no kernel computes; nothing is added."""
    left, right = a_shape[:-1], b_shape[-1:] if len(b_shape) > 1 else ()
    batch = np.broadcast_shapes(a_shape[:-2], b_shape[:-2])
    shape = (*batch, *left[-1:], *right)
    out = MetaArray(shape, np.result_type(dtype, b_dtype))
    launch = Reference(reference.product, ("a", "b"))
    return Plan(
        NUMPY, ("a", "b", "d"), {"y": out}, [launch], scalars=("alpha", "beta"),
        flops=2 * math.prod(shape) * (a_shape[-1] if a_shape else 0),
        bytes=nbytes(MetaArray(a_shape, dtype), MetaArray(b_shape, b_dtype), out),
    )  # fmt: skip


def widened(dtype: Any, a_shape: Shape, b_shape: Shape) -> Plan:
    """The plan of integers that have no lanes of their own; nothing is added."""
    wide = WIDENED[dtype]
    of = [MetaArray(shape, wide) for shape in (a_shape, b_shape)]
    made = plan_product(*of)
    if made.name == NUMPY:
        return by_numpy(dtype, a_shape, dtype, b_shape)
    metas = [MetaArray(shape, dtype) for shape in (a_shape, b_shape, made.outputs["y"].shape)]
    draft = Draft({"a": metas[0], "b": metas[1], "d": None})
    draft.include(
        made, {"a": draft.dense("a", wide), "b": draft.dense("b", wide), "d": None, "y": "wide"},
        alpha=1.0, beta=0.0,
    )  # fmt: skip
    draft.array("wide", made.outputs["y"])
    draft.numpy(narrowed, ("wide",), draft.array("y", metas[2]), dtype=dtype)
    return draft.plan(WIDENED_TYPES, flops=made.flops or 0, scalars=("alpha", "beta"))


def narrowed(x: Array, *, dtype: Any) -> Array:
    """The low bits of integers."""
    return x.astype(dtype)


def parsed(
    dtype: Any, a_shape: Shape, a_strides: Shape, b_dtype: Any, b_shape: Shape, b_strides: Shape,
    d_shape: Shape | None, d_strides: Shape, least: int | None = None,
) -> Problem | None:  # fmt: skip
    """The product as kernels see it: sizes, and strides in elements; None: by NumPy."""
    known = dtype in ELEMENTS or dtype in INTEGERS
    if not known or b_dtype != dtype or not a_shape or not b_shape:
        return None
    sizes = math.prod(a_shape), math.prod(b_shape)
    if not all(sizes) or not runtime.available():
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
    least = tuning.MATMUL_LEAST_WORK if least is None else least
    if math.prod(batch) * m * n * k < least:
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
    p.shape = shape
    p.levels = merged(
        batch,
        spread(a_shape[:-2], a_step[:-2], batch),  # type: ignore[index]
        spread(b_shape[:-2], b_step[:-2], batch),  # type: ignore[index]
        tuple(math.prod(batch[i + 1 :]) * m * n for i in range(len(batch))),
        of_d,
    )
    return p


def steps(x: Array) -> Shape | None:
    """Strides in elements; None when an element does not begin at a multiple of its size."""
    return in_elements(x.strides, x.itemsize)


def in_elements(strides: Shape, size: int) -> Shape | None:
    """Strides in elements; None when one is no multiple of an element's size."""
    if any(s % size for s in strides):
        return None
    return tuple([s // size for s in strides])


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
    """Products C = alpha A B + beta D: sizes, strides in elements along rows and columns, and the
    levels of the batch. Its methods choose; each gives launches that write the array `y`."""

    def __init__(self, dtype: Any, m: int, n: int, k: int, a: Shape, b: Shape) -> None:
        self.dtype, self.m, self.n, self.k = dtype, m, n, k
        self.a = (a[0] if m > 1 else 0, a[1] if k > 1 else 1)
        self.b = (b[0] if k > 1 else 1, b[1] if n > 1 else 1)
        self.c: Shape = (n, 1)
        self.d: Shape = (0, 0)
        self.shape: Shape = ()
        self.levels: list[Level] = []
        self.adds = self.exchanged = self.is_slice = False
        self.plain, self.precision, self.reads = True, "highest", ""
        self.names = {"a": "a", "b": "b", "c": "y", "d": "d"}
        self.element = ELEMENTS.get(dtype) or INTEGERS[dtype]

    def plan(self, a_shape: Shape, b_shape: Shape, d_shape: Shape | None) -> Plan:
        """The plan of these products."""
        flops = 2 * math.prod(self.shape) * self.k
        metas = [MetaArray(s, self.dtype) for s in (a_shape, b_shape, self.shape)]
        metas += [] if d_shape is None else [MetaArray(d_shape, self.dtype)]
        made = Ways(self.dtype, self.shape)
        way = self.choose(made)
        return Plan(
            f"matmul.{way}", ("a", "b", "d"), made.arrays, made.launches,
            workspace=made.workspace, scalars=("alpha", "beta"), returns=("y",), flops=flops,
            bytes=nbytes(*metas),
        )  # fmt: skip

    def changed(self, **fields: Any) -> Problem:
        """A copy with other fields."""
        p = object.__new__(Problem)
        p.__dict__.update(self.__dict__, **fields)
        return p

    def turned(self) -> Problem:
        """C^T = B^T A^T."""
        names = self.names | {"a": self.names["b"], "b": self.names["a"]}
        levels = [(size, (b, a, c, d)) for size, (a, b, c, d) in self.levels]
        p = Problem(self.dtype, self.n, self.m, self.k, self.b[::-1], self.a[::-1])
        return self.changed(
            m=p.m, n=p.n, a=p.a, b=p.b, c=self.c[::-1], d=self.d[::-1], levels=levels, names=names,
            exchanged=not self.exchanged,
        )  # fmt: skip

    # -- choosing ------------------------------------------------------------------------------

    def choose(self, made: Ways) -> str:
        """Add the launches of these products to a plan; the name of the way."""
        levels = self.levels
        if len(levels) == 1 and not levels[0][1][1]:  # one B for all: one tall product, perhaps
            count, (a, _, c, d) = levels[0]
            joined = merged((count, self.m), (a, self.a[0]), (c, self.c[0]), (d, self.d[0]))
            if len(joined) == 1:
                self.m, (a, _, d) = joined[0]
                self.a, self.d = (a, self.a[1]), (d, self.d[1])
                levels = self.levels = []
            elif count > self.m:  # rows of which there are more, as of batches that lie first
                levels = self.levels = [(self.m, (self.a[0], 0, self.c[0], self.d[0]))]
                self.m, self.a, self.c = count, (a, self.a[1]), (c, self.c[1])
                self.d = (d, self.d[1])
        m, n, k = self.m, self.n, self.k
        in_rows = not self.adds or self.d[1] == 1  # what is added has a number for each column
        if self.reads == PAIRS:
            return self.gemm(made, pairs.BLOCK) if in_rows else self.copied(made)
        if len(levels) > 2:
            return self.one_by_one(made)
        results = self.count * m * n
        length = max(
            tuning.MATMUL_SLICE, tuning.MATMUL_PIECE // (2 * results), -(-k // tuning.MATMUL_SLICES)
        )
        small = results <= tuning.MATMUL_SMALL and k >= 2 * length and self.dtype in ELEMENTS
        if small and len(levels) < 2 and not self.is_slice:
            return self.sliced(made, length)
        if self.is_read_by_amx and self.by_amx() and len(levels) < 2 and in_rows:
            return self.gemm(made)
        if self.a[1] == 1 and self.b[0] == 1 and k >= tuning.MATMUL_ALONG:
            if m <= tuning.MATMUL_FEW:
                return self.gemv(made)
            if n <= 4:
                return self.turned().gemv(made)
        if self.adds and (self.d[0] if n == 1 else self.d[1]) != 1 and m * n > 1:
            return self.copied(made)
        if n == 1 and m > 1:
            return self.turned().small_gemm(made)
        if self.by_amx() and len(levels) < 2:
            return self.gemm(made)
        if self.packing_pays():
            return self.gemm(made) if len(levels) < 2 else self.one_by_one(made)
        if self.packing_is_quicker():
            from . import small_gemm

            return self.gemm(made, small_gemm.KC)
        return self.small_gemm(made)

    def packing_pays(self) -> bool:
        """Whether B is packed into panels, and A with it."""
        m, n, work = self.m, self.n, self.m * self.n * self.k
        if self.is_slice or work < tuning.MATMUL_LEAST_PACKED:
            return False
        if (m > 256 or (n >= 512 and (m >= 256 or self.k <= 256))) and min(m, n) >= 128:
            return True
        rows, columns, least = tuning.MATMUL_ALONGSIDE
        alone = self.is_across and len(self.levels) < 2
        return alone and m >= rows and n >= columns and work >= least

    def packing_is_quicker(self) -> bool:
        """Whether packed panels are quicker for a product of `small_gemm.py`, whose bits they give
        with its blocks of K."""
        from .tile import lanes_of

        if self.is_slice or not self.plain or len(self.levels) > 1:
            return False
        lies_turned = self.b[1] != 1
        if self.n < 128:
            (rows, depth), nr = tuning.MATMUL_PACKED_NARROW, 2 * lanes_of(self.element)
            is_long = self.m >= rows and self.k >= depth
            return lies_turned and is_long and -self.n % nr < nr // 2  # no half panel is empty
        rows = tuning.MATMUL_PACKED_ROWS[not lies_turned]
        return self.m >= rows and self.k * self.n >= tuning.MATMUL_PACKED_LARGE

    @property
    def is_across(self) -> bool:
        """Whether rows of A lie side by side."""
        return self.a[0] == 1 != self.a[1]

    @property
    def alpha(self) -> float | str:
        """The factor of the product: a number, or the plan's scalar."""
        return 1.0 if self.is_slice else "alpha"

    @property
    def beta(self) -> float | str:
        """The factor of d."""
        return 0.0 if self.is_slice else "beta"

    @property
    def count(self) -> int:
        """How many products there are."""
        return math.prod(size for size, _ in self.levels)

    def by_amx(self) -> bool:
        """Whether the CPU's matrix unit computes it."""
        given = self.m, self.n, self.k, self.precision, self.count
        large = large_for_amx(*given, self.is_read_by_amx)
        if not large or self.is_slice or self.element != "float":
            return False
        return uses_amx("bfloat16" if self.precision == EXACT else "matmul")

    @property
    def is_read_by_amx(self) -> bool:
        """Whether the unit's kernel packs the operands as they are: bfloat16, side by side."""
        return self.reads == "bfloat" and 1 in self.a and 1 in self.b

    # -- the kernels ---------------------------------------------------------------------------

    def batch(self) -> tuple[int, int, list[Shape]]:
        """(number of products, how many of them the inner level has, (outer, inner) strides of a,
        b, c and d)."""
        (outer, one), (inner, other) = [(1, (0,) * 4)] * (2 - len(self.levels)) + self.levels
        return outer * inner, inner, list(zip(one, other, strict=True))

    def arrays(self) -> dict[str, str | None]:
        """What a kernel calls the arrays: their names in the plan."""
        return self.names | ({} if self.adds else {"d": None})

    def gemv(self, made: Ways) -> str:
        """Sums along k."""
        from . import gemv

        count, inner, (a, b, c, d) = self.batch()
        m, n, k = self.m, self.n, self.k
        block = -(-n // max(1, m * n * k // tuning.MATMUL_PIECE)) + 3 & -4
        blocks = -(-n // block)
        made.launch(
            gemv.kernel(self.element, self.reads), **self.arrays(),
            a_outer=a[0], a_batch=a[1], a_row=self.a[0],
            b_outer=b[0], b_batch=b[1], b_col=self.b[1],
            c_outer=c[0], c_batch=c[1], c_row=self.c[0], c_col=self.c[1],
            d_outer=d[0], d_batch=d[1], d_row=self.d[0], d_col=self.d[1],
            inner=inner, m=m, n=n, k=k, col_block=block, col_blocks=blocks, units=count * blocks,
            alpha=self.alpha, beta=self.beta,
        )  # fmt: skip
        return "gemv"

    def small_gemm(self, made: Ways) -> str:
        """Without packing."""
        from . import small_gemm

        count, inner, (a, b, c, d) = self.batch()
        m, n, k = self.m, self.n, self.k
        work, rows, columns, each = m * n * k, m, n, 1
        if work > 2 * tuning.MATMUL_PIECE:
            rows, columns = cut(m, n, k, self.is_across)
        row_blocks, column_blocks = -(-m // rows), -(-n // columns)
        units = count * row_blocks * column_blocks
        if work < tuning.MATMUL_PIECE:
            each = min(-(-tuning.MATMUL_PIECE // work), max(1, units // 4))
        made.launch(
            small_gemm.kernel(
                self.element, small_gemm.tile_places(self.element, m, n, rows, columns)
            ), **self.arrays(),
            a_outer=a[0], a_batch=a[1], a_row=self.a[0], a_col=self.a[1],
            b_outer=b[0], b_batch=b[1], b_row=self.b[0], b_col=self.b[1],
            c_outer=c[0], c_batch=c[1], c_row=self.c[0],
            d_outer=d[0], d_batch=d[1], d_row=self.d[0],
            inner=inner, m=m, n=n, k=k, row_block=rows, row_blocks=row_blocks, col_block=columns,
            col_blocks=column_blocks, units=units, each=each, alpha=self.alpha, beta=self.beta,
        )  # fmt: skip
        return "small_gemm"

    def gemm(self, made: Ways, block: int = 0) -> str:
        """With B packed into panels, or for the matrix unit; `block`: elements of K whose products
        are summed in one go, where not as many as usual."""
        from . import amx, amx_gemm, gemm

        (count, (a, b, c, d)), *_ = self.levels or [(1, (0,) * 4)]
        m, n, k = self.m, self.n, self.k
        by_amx = self.by_amx() and (not self.reads or self.is_read_by_amx)
        parts, rows = amx.PARTS[self.precision] if by_amx else 0, self.rows_read()
        if by_amx:
            nbytes = amx_gemm.packed_bytes(m, n, k, count, 3)
        else:
            depth = gemm.depth_of(n, k, count, rows)
            nbytes = gemm.packed_size(self.element, n, count, depth) * self.dtype.itemsize
        bias = self.adds and self.plain and not any((d, self.d[0]))
        copied = self.adds and self.plain and not bias
        if copied:
            made.numpy(np.copyto, (self.names["c"], self.names["d"]))
        made.workspace["panels"] = nbytes
        heights = gemm.panel_heights(self.element, m)
        if by_amx:
            kernel = amx_gemm.kernel(parts, *((self.reads,) if self.reads else ()))
        elif self.reads == PAIRS:
            kernel = pairs.kernel(heights)
        else:
            kernel = gemm.kernel(self.element, heights, rows)
        made.launch(
            kernel,
            a=self.names["a"], a_row=self.a[0], a_col=self.a[1], a_batch=a,
            b=self.names["b"], b_row=self.b[0], b_col=self.b[1], b_batch=b,
            c=self.names["c"], c_row=self.c[0], c_batch=c,
            bias_col=self.names["d"] if bias else None,
            m=m, n=n, k=k, batch=count, packed="panels", accumulate=int(copied),
            **({} if by_amx else {"mode": 0, "rows": rows, "block": block or gemm.KC,
                                   "depth": depth, "chunks": gemm.CHUNKS}),
        )  # fmt: skip
        if not self.plain:
            given = (self.names["c"], self.names["d"], "alpha", "beta")
            made.numpy(reference.scale_and_add, given)
        return "amx_gemm" if by_amx else "pair_gemm" if self.reads == PAIRS else "gemm"

    def rows_read(self) -> int:
        """How `gemm.py` reads rows of A."""
        from . import gemm, packing_tile
        from .tile import lanes_of

        row, col = self.a
        if self.reads == PAIRS:
            return gemm.PACKED
        if col == 1 and self.n <= 2 * lanes_of(self.element):
            return gemm.DIRECT  # nothing else reads what would be packed
        near = col * self.dtype.itemsize < gemm.APART or self.n <= tuning.MATMUL_FUSED
        return gemm.FUSED if row == 1 != col and near and packing_tile.is_fast() else gemm.PACKED

    # -- ways that use others ------------------------------------------------------------------

    def sliced(self, made: Ways, length: int) -> str:
        """A long k, cut into slices; the parts of a small result are added in order."""
        count, rest = self.k // length, self.k % length
        step = (length * self.a[1], length * self.b[0], math.prod(self.shape), 0)
        levels = [(size, (a, b, c, 0)) for size, (a, b, c, _) in self.levels]
        part = self.changed(
            k=length, is_slice=True, adds=False, plain=True, shape=(count, *self.shape),
            levels=[(count, step), *levels], names=self.names | {"c": "parts"},
        )  # fmt: skip
        made.arrays["parts"] = MetaArray(part.shape, self.dtype)
        way = part.choose(made)
        given = ("parts", "a", "b", self.names["d"], "alpha", "beta")
        made.numpy(reference.added_slices, given, self.names["c"], rest=rest)
        return f"{way} of {count} slices"

    def copied(self, made: Ways) -> str:
        """With a D that is laid out anew, as kernels read it."""
        made.arrays["d_dense"] = MetaArray(self.shape, self.dtype)
        made.numpy(reference.dense, (self.names["d"],), "d_dense", shape=self.shape)
        levels = [(size, (a, b, c, c)) for size, (a, b, c, _) in self.levels]
        names = self.names | {"d": "d_dense"}
        return self.changed(d=self.c, levels=levels, names=names).choose(made)

    def one_by_one(self, made: Ways) -> str:
        """A batch whose dims do not merge into two: along its first dim in Python."""
        given = ("a", "b", self.names["d"], "alpha", "beta")
        made.numpy(one_by_one, given, self.names["c"], shape=self.shape, dtype=self.dtype)
        return "one_by_one"


class Ways:
    """The arrays, workspace and launches of a plan while it is made."""

    def __init__(self, dtype: Any, shape: Shape) -> None:
        self.arrays = {"y": MetaArray(shape, dtype)}
        self.workspace: dict[str, int] = {}
        self.launches: list[Launch | Reference] = []

    def launch(self, kernel: Any, **given: Any) -> None:
        """Add a kernel."""
        self.launches.append(Launch(kernel, **given))

    def numpy(self, fn: Any, arrays: Any, result: str | None = None, **parameters: Any) -> None:
        """Add a function of arrays, which writes into one of them where it has no result."""
        results = () if result is None else (result,)
        self.launches.append(Reference(fn, arrays, results, **parameters))


def cut(m: int, n: int, k: int, across: bool = False) -> tuple[int, int]:
    """Rows and columns of a unit of a product: whole tiles of the usual heights and widths.
    `across`: rows of A lie side by side."""
    piece = tuning.MATMUL_PIECE
    rows = piece // (n * k)
    if rows >= 24 or n <= 64:
        return max(24, rows // 24 * 24), n
    rows = min(m, 48)
    columns = max(64, piece // (rows * k) // 64 * 64)
    if columns == 64 and not across:
        most, units = tuning.MATMUL_TALL
        blocks = max(-(-m // most), -(-units // -(-n // columns)))
        rows = max(rows, -(-m // blocks))
    return rows, columns


def one_by_one(
    a: Array, b: Array, d: Array | None, alpha: float, beta: float, *, shape: Shape, dtype: Any
) -> Array:
    """alpha * (a @ b) + beta * d along the first dim of a batch."""
    y = np.empty(shape, dtype)
    lead = shape[: -2 if a.ndim > 1 and b.ndim > 1 else -1]
    a = np.broadcast_to(a, (*lead, *a.shape[-2:])) if a.ndim > 1 else a
    b = np.broadcast_to(b, (*lead, *b.shape[-2:])) if b.ndim > 1 else b
    other = None if d is None else np.broadcast_to(d, shape)
    for i in range(shape[0]):
        left, right = a[i] if a.ndim > 1 else a, b[i] if b.ndim > 1 else b
        key = (left.dtype, left.shape, left.strides, right.dtype, right.shape, right.strides)
        made = plan(*key, config.current.matmul_precision)
        if made.name == NUMPY:
            found = np.matmul(left, right)
        else:
            found = made.run(left, right, None, 1.0, 0.0)
        y[i] = found if alpha == 1 else found * dtype.type(alpha)
        if other is not None:
            y[i] += other[i] * dtype.type(beta)
    return y
