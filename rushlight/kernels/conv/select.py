"""Convolutions: which kernel computes one, and its two gradients.

`plan_forward`, `plan_input` and `plan_weight` look at types, shapes, strides and parameters alone,
so the same call gives the same bits every time. Read each from top to bottom: the first way that
takes a convolution computes it.

* `depthwise.py`: each channel has a few kernels of its own; nothing is multiplied as a matrix.
* `im2col.py`, `col2im.py`: windows are written out as columns, for a product of matrices
  (`matmul/select.py`) where there are few positions; on the way back, columns are added up.
* `amx_conv.py`: on CPUs with a matrix unit, where that was measured to be faster
  (`kernels/tuned.py`). Where a number cannot be split for it (infinities, NaN, numbers from 2**110
  on), the plan of a CPU without one computes it all again.
* `implicit_gemm.py`: a product whose windows are never written out whole; of bfloat16 by pairs
  (`pairs.py`), on CPUs that multiply these and have no matrix unit.
* `direct_weight.py`: the same sums for a weight's gradient, from windows that lie where they are.
* `skipping_forward.py`, `skipping_weight.py`: from images without margins, where enough of the
  products would be with these.
* `reference.py`: NumPy, for other types, small problems and what is left.

Narrow floats are brought to float32, and the result is rounded (`kernels/narrow.py`).

Not here: what a way consists of (`launches.py`), margins (`pad/select.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ... import config
from .. import tuning
from ..keys import Plans
from ..matmul.narrow import makes_pairs
from ..matmul.select import large_for_amx, uses_amx
from ..meta import MetaArray
from ..narrow import BFLOAT16, EXACT, is_narrow, key_of, narrow_plan, precision_of
from ..plan import Draft, Plan
from ..runtime import few
from . import launches, pairs, reference, tables, tiles
from .problem import Conv, two

Array = Any
Ints = tuple[int, ...]
PLANS = 4096  # shapes that each direction remembers
PRODUCTS = ("implicit_gemm", "direct", "skipping")  # where pairs of bfloat16 are products too


# -- on arrays -----------------------------------------------------------------------------------


@Plans
def plans_forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints,
    groups: int, size: Ints | None, precision: str,
) -> Plan:  # fmt: skip
    return plan_forward(
        x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides,
        None if bias is None else (bias.dtype, bias.strides), stride, padding, dilation, groups,
        size, precision,
    )  # fmt: skip


def forward(
    x: Array, w: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints,
    groups: int, size: Ints | None = None,
) -> Array:  # fmt: skip
    """Correlate x (N, C, *S) with w (O, C / groups, *K): (N, O, *out).

    `size` asks for fewer output positions than fit.
    """
    precision = config.current.matmul_precision
    key = few.layouts(x, w, bias, stride, padding, dilation, groups, size, precision)
    plan = plans_forward.get(key) or plans_forward.make(
        key, x, w, bias, stride, padding, dilation, groups, size, precision
    )
    return plan.run(x, w, bias)


def input_gradient(
    g: Array, w: Array, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """The transpose of `forward` in its input: from g (N, O, *out) and w to (N, C, *size)."""
    return plan_input(
        g.dtype, g.shape, g.strides, w.dtype, w.shape, w.strides, size, stride, padding, dilation,
        groups, config.current.matmul_precision,
    ).run(g, w)  # fmt: skip


def transposed(
    x: Array, w: Array, bias: Array | None, size: Ints, stride: Ints, padding: Ints,
    dilation: Ints, groups: int,
) -> Array:  # fmt: skip
    """`input_gradient` of x (+ bias): a transposed convolution to `size`."""
    if bias is None:
        return input_gradient(x, w, size, stride, padding, dilation, groups)
    return plan_transposed(
        x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides, (bias.dtype, bias.strides), size,
        stride, padding, dilation, groups, config.current.matmul_precision,
    ).run(x, w, bias)  # fmt: skip


def weight_gradient(
    x: Array, g: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """The transpose of `forward` in its weight.

    From x (N, C, *S) and g (N, O, *out) to (O, C / groups, *kernel).
    """
    return plan_weight(
        x.dtype, x.shape, x.strides, g.dtype, g.shape, g.strides, kernel, stride, padding, dilation,
        groups, config.current.matmul_precision,
    ).run(x, g)  # fmt: skip


# -- for arrays, or what stands for them ---------------------------------------------------------


def plan_of(
    x: Any, w: Any, bias: Any = None, *, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    size: Ints | None = None,
) -> Plan:  # fmt: skip
    """The plan of `forward`."""
    b = None if bias is None else (bias.dtype, bias.strides)
    of = (x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides, b)
    return plan_forward(
        *of, stride, padding, dilation, groups, size, config.current.matmul_precision
    )


def plan_of_transposed(
    x: Any, w: Any, bias: Any = None, *, size: Ints, stride: Ints, padding: Ints, dilation: Ints,
    groups: int,
) -> Plan:  # fmt: skip
    """The plan of `transposed`; without a bias that of `input_gradient`."""
    of = (x.dtype, x.shape, x.strides, w.dtype, w.shape, w.strides)
    how = (size, stride, padding, dilation, groups, config.current.matmul_precision)
    if bias is None:
        return plan_input(*of, *how)
    return plan_transposed(*of, (bias.dtype, bias.strides), *how)


def plan_of_weight(
    x: Any, g: Any, *, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Plan:
    """The plan of `weight_gradient` for a kernel of a size."""
    of = (x.dtype, x.shape, x.strides, g.dtype, g.shape, g.strides)
    precision = config.current.matmul_precision
    return plan_weight(*of, size, stride, padding, dilation, groups, precision)


# -- the choice ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=PLANS)
def plan_forward(
    dtype: Any, x_shape: Ints, x_strides: Ints, w_dtype: Any, w_shape: Ints, w_strides: Ints,
    bias: tuple[Any, Ints] | None, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    size: Ints | None = None, precision: str = "highest", allows_amx: bool = True,
) -> Plan:  # fmt: skip
    """y = x correlated with w (+ bias): operands x, w and bias (or None).

    `bias` is its type and strides.
    """
    x, w = MetaArray(x_shape, dtype, x_strides), MetaArray(w_shape, w_dtype, w_strides)
    b = None if bias is None else MetaArray(w_shape[:1], *bias)
    if is_narrow(dtype) and w_dtype == dtype and (bias is None or bias[0] == dtype):
        how = stride, padding, dilation, groups, size, precision_of(dtype, precision)
        return forward_of_pairs(x, w, b, *how) or narrow_plan(
            "conv", {"x": x, "w": w, "bias": b},
            lambda x, w, b: plan_forward(*key_of(x, w), b and (b.dtype, b.strides), *how),
        )  # fmt: skip
    if size is None:
        size = reference.out_size(x_shape[2:], w_shape[2:], stride, padding, dilation)
    c = Conv.of(x, w, size, stride, padding, dilation, groups, precision)
    d = Draft({"x": x, "w": w, "bias": b})
    d.array("y", MetaArray((x_shape[0], w_shape[0], *size), np.result_type(dtype, w_dtype)))
    if c.is_depthwise:
        if by_depthwise(c, d.metas["y"].size):
            return launches.depthwise_forward(c, d)
    elif by_im2col(c) and min(padding) >= 0:
        return launches.im2col_forward(c, d)
    elif allows_amx and by_amx(c, tuning.CONV_AMX_FEW, tuning.CONV_AMX_USEFUL):
        key = (dtype, x_shape, x_strides, w_dtype, w_shape, w_strides, bias)
        other = plan_forward(*key, stride, padding, dilation, groups, size, precision, False)
        return launches.amx_forward(c, d, "y", other)
    elif by_implicit_gemm(c):
        if skips_margins(c):
            launches.skipping_forward(c, d, "x", "y")
            return launches.finished(c, d, "skipping", "y")
        launches.implicit_gemm_forward(c, d, "x", "y")
        return launches.finished(c, d, "implicit_gemm", "y")
    d.numpy(
        reference.forward, ("x", "w", "bias"), "y", stride=stride, padding=padding,
        dilation=dilation, groups=groups, size=size,
    )  # fmt: skip
    return launches.finished(c, d, "numpy", "y")


@functools.lru_cache(maxsize=PLANS)
def plan_input(
    dtype: Any, g_shape: Ints, g_strides: Ints, w_dtype: Any, w_shape: Ints, w_strides: Ints,
    size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    precision: str = "highest", allows_amx: bool = True,
) -> Plan:  # fmt: skip
    """dx, the gradient of an input of `size`: operands g and w."""
    g, w = MetaArray(g_shape, dtype, g_strides), MetaArray(w_shape, w_dtype, w_strides)
    if is_narrow(dtype) and w_dtype == dtype:
        more = size, stride, padding, dilation, groups, precision_of(dtype, precision)
        return input_of_pairs(g, w, *more) or narrow_plan(
            "conv", {"g": g, "w": w}, lambda g, w: plan_input(*key_of(g, w), *more)
        )
    x = MetaArray((g_shape[0], w_shape[1] * groups, *size), dtype)
    c = Conv.of(x, w, g_shape[2:], stride, padding, dilation, groups, precision)
    d = Draft({"g": g, "w": w})
    d.array("dx", MetaArray(x.shape, np.result_type(dtype, w_dtype)))
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    busy = c.work and math.prod(size)
    if c.is_depthwise and busy and by_depthwise(c, d.metas["dx"].size, g):
        return launches.depthwise_input(c, d)
    if busy and flips(c, g):
        f = c.flipped()
        if not c.is_depthwise:
            if allows_amx and by_amx(f, tuning.CONV_AMX_FEW, tuning.CONV_AMX_USEFUL):
                given = (dtype, g_shape, g_strides, w_dtype, w_shape, w_strides, size)
                other = plan_input(*given, *how.values(), precision, False)
                return launches.amx_forward(f, d, "dx", other)
            if by_im2col(c) and by_col2im(c, g):
                return launches.col2im_input(c, d)
            if c.n * c.p >= tuning.CONV_FEW and by_implicit_gemm(f):
                if skips_margins(f):
                    launches.skipping_forward(f, d, "g", "dx")
                    return launches.finished(c, d, "skipping", "dx")
                launches.implicit_gemm_forward(f, d, "g", "dx")
                return launches.finished(c, d, "implicit_gemm", "dx")
        wf = MetaArray((groups * c.c, c.o, *c.kernel), w_dtype)
        d.numpy(reference.flipped, ("w",), d.array("w_flipped", wf), groups=groups)
        key = (dtype, g_shape, g_strides, w_dtype, wf.shape, wf.strides, None)
        sub = plan_forward(*key, stride, f.padding, dilation, groups, None, precision, allows_amx)
        d.include(sub, {"x": "g", "w": "w_flipped", "bias": None, "y": "dx"})
        return launches.finished(c, d, f"{sub.way}_of_flipped", "dx")
    if busy and by_col2im(c, g):
        return launches.col2im_input(c, d)
    d.numpy(reference.input_gradient_by_columns, ("g", "w"), "dx", size=size, **how)
    return launches.finished(c, d, "numpy", "dx")


@functools.lru_cache(maxsize=PLANS)
def plan_transposed(
    dtype: Any, x_shape: Ints, x_strides: Ints, w_dtype: Any, w_shape: Ints, w_strides: Ints,
    bias: tuple[Any, Ints], size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    precision: str = "highest",
) -> Plan:  # fmt: skip
    """y, the gradient of an input of `size` + bias: operands x (as g), w and bias."""
    x, w = MetaArray(x_shape, dtype, x_strides), MetaArray(w_shape, w_dtype, w_strides)
    b = MetaArray((w_shape[1] * groups,), *bias)
    if is_narrow(dtype) and w_dtype == dtype == bias[0]:
        how = size, stride, padding, dilation, groups, precision_of(dtype, precision)
        return narrow_plan(
            "conv_transpose", {"x": x, "w": w, "bias": b},
            lambda x, w, b: plan_transposed(*key_of(x, w), (b.dtype, b.strides), *how),
        )  # fmt: skip
    sub = plan_input(
        dtype, x_shape, x_strides, w_dtype, w_shape, w_strides, size, stride, padding, dilation,
        groups, precision,
    )  # fmt: skip
    d = Draft({"x": x, "w": w, "bias": b})
    d.array("y", sub.outputs["dx"])
    d.include(sub, {"g": "x", "w": "w", "dx": "y"})
    d.numpy(reference.add_bias, ("y", "bias"))
    return d.plan(f"conv_transpose.{sub.way}", flops=(sub.flops or 0) + d.metas["y"].size)


@functools.lru_cache(maxsize=PLANS)
def plan_weight(
    dtype: Any, x_shape: Ints, x_strides: Ints, g_dtype: Any, g_shape: Ints, g_strides: Ints,
    kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int,
    precision: str = "highest", allows_amx: bool = True,
) -> Plan:  # fmt: skip
    """dw, the gradient of a weight with a kernel of that size: operands x and g."""
    x, g = MetaArray(x_shape, dtype, x_strides), MetaArray(g_shape, g_dtype, g_strides)
    if is_narrow(dtype) and g_dtype == dtype:
        how = kernel, stride, padding, dilation, groups, precision_of(dtype, precision)
        return weight_of_pairs(x, g, *how) or narrow_plan(
            "conv", {"x": x, "g": g}, lambda x, g: plan_weight(*key_of(x, g), *how)
        )
    w = MetaArray((g_shape[1], x_shape[1] // groups, *kernel), g_dtype)
    c = Conv.of(x, w, g_shape[2:], stride, padding, dilation, groups, precision)
    d = Draft({"x": x, "g": g})
    d.array("dw", MetaArray(w.shape, np.result_type(dtype, g_dtype)))
    few, useful = tuning.CONV_AMX_FEW_OF_WEIGHT, tuning.CONV_AMX_USEFUL_OF_WEIGHT
    if c.is_depthwise:
        if c.work and by_depthwise(c, g.size):
            return launches.depthwise_weight(c, d)
    elif by_im2col_of_weight(c):
        return launches.im2col_weight(c, d)
    elif allows_amx and by_amx(c, few, useful):
        key = (dtype, x_shape, x_strides, g_dtype, g_shape, g_strides, kernel)
        other = plan_weight(*key, stride, padding, dilation, groups, precision, False)
        return launches.amx_weight(c, d, other)
    elif c.o > 1 and by_implicit_gemm(c):
        if skips_of_weight(c):
            return launches.skipping_weight(c, d)
        return launches.direct_weight(c, d) if by_direct(c) else launches.implicit_gemm_weight(c, d)
    d.numpy(
        reference.weight_gradient, ("x", "g"), "dw", kernel=kernel, stride=stride, padding=padding,
        dilation=dilation, groups=groups,
    )  # fmt: skip
    return launches.finished(c, d, "numpy", "dw")


# -- pairs of bfloat16, where tiles would compute float32; None elsewhere ------------------------


def forward_of_pairs(
    x: MetaArray, w: MetaArray, bias: MetaArray | None, *how: Any
) -> Plan | None:
    """`how`: what follows the operands of `plan_forward`."""
    if not takes_pairs(x):
        return None
    plain = plan_forward(*key_of(wide(x), wide(w)), None, *how)
    stride, padding, dilation, groups, _, precision = how
    size = plain.outputs["y"].shape[2:]
    c = Conv.of(wide(x), wide(w), size, stride, padding, dilation, groups, precision)
    return pairs.forward(c, x, w, bias) if plain.way in PRODUCTS else None


def input_of_pairs(g: MetaArray, w: MetaArray, *how: Any) -> Plan | None:
    """`how`: what follows the operands of `plan_input`."""
    if not takes_pairs(g):
        return None
    plain = plan_input(*key_of(wide(g), wide(w)), *how)
    c = Conv.of(plain.outputs["dx"], wide(w), g.shape[2:], *how[1:])
    return pairs.input_gradient(c, g, w) if plain.way in PRODUCTS else None


def weight_of_pairs(x: MetaArray, g: MetaArray, *how: Any) -> Plan | None:
    """`how`: what follows the operands of `plan_weight`."""
    if not takes_pairs(x):
        return None
    plain = plan_weight(*key_of(wide(x), wide(g)), *how)
    c = Conv.of(wide(x), plain.outputs["dw"], g.shape[2:], *how[1:])
    return pairs.weight_gradient(c, x, g, by_direct(c)) if plain.way in PRODUCTS else None


def takes_pairs(x: MetaArray) -> bool:
    """Whether this CPU multiplies pairs of such numbers."""
    return x.dtype == BFLOAT16 and makes_pairs()


def wide(x: MetaArray) -> MetaArray:
    """A narrow array as float32, dense."""
    return MetaArray(x.shape, np.float32)


# -- conditions ----------------------------------------------------------------------------------


def by_depthwise(c: Conv, elements: int, read: Any = None) -> bool:
    """Whether the depthwise kernels take a result of so many elements, in two dimensions; `read`
    is what they read, where that is not the input."""
    if c.element is None or elements < tuning.DEPTHWISE_LEAST or len(c.kernel) > 2:
        return False
    plane = math.prod(c.size if read is None else read.shape[2:])
    if c.taps > tuning.DEPTHWISE_TAPS or not c.n * plane or plane >= 1 << 30:
        return False
    return max(c.stride) <= 8  # the way back has a phase for each residue


def by_im2col(c: Conv) -> bool:
    """Whether windows are written out: few positions, or the matrix unit wants whole columns."""
    if not can_im2col(c):
        return False
    large = c.groups * c.o * c.k >= tuning.IM2COL_LARGE
    few = tuning.IM2COL_FEW_LARGE if large else tuning.IM2COL_FEW
    return c.n * c.p <= few or (c.p <= tuning.IM2COL_SMALL and product_by_amx(c))


def by_im2col_of_weight(c: Conv) -> bool:
    """The same for the gradient of the weight."""
    if min(c.padding) < 0 or not can_im2col(c):
        return False
    return c.p <= tuning.IM2COL_SMALL_WEIGHT and product_by_amx(c)


def can_im2col(c: Conv) -> bool:
    """Whether windows may be written out at all, and are worth it."""
    if c.element is None or len(c.kernel) > 2 or c.work < tuning.IM2COL_LEAST_WORK:
        return False
    return 0 < c.groups * c.k * c.n * c.p * c.dtype.itemsize <= tuning.IM2COL_MOST


def product_by_amx(c: Conv) -> bool:
    """Whether the product with the columns is made by the CPU's matrix unit."""
    m, k, n = c.o, c.k, c.n * c.p
    if c.dtype != np.float32 or c.groups != 1 or not large_for_amx(m, n, k, c.precision):
        return False
    # (of other numbers than bfloat16 the two were measured together)
    return uses_unit(c) and (c.precision == EXACT or uses_amx("matmul"))


def uses_unit(c: Conv) -> bool:
    """Whether this process lets the matrix unit compute convolutions of such numbers."""
    return uses_amx("bfloat16" if c.precision == EXACT else "conv")


def by_amx(c: Conv, few: int, useful: float) -> bool:
    """Whether the matrix unit computes it: float32, many positions, tiles that are mostly full."""
    if c.element != "float" or c.n * c.p < few or not c.work or len(c.kernel) > 2:
        return False
    if c.work < tuning.CONV_AMX_LEAST_WORK or not uses_unit(c):
        return False
    filled = c.c / (-(-c.c // tables.PANEL) * tables.PANEL)
    filled = filled * c.o / (-(-c.o // tables.GROUP) * tables.GROUP)
    if filled < tuning.CONV_AMX_USEFUL:
        return False
    if min(c.padding) < 0 or max(c.size) + 2 * max(c.padding) >= 1 << 28:
        return False
    return c.grid.useful >= useful


def by_direct(c: Conv) -> bool:
    """Whether the gradient of a weight that `by_implicit_gemm` takes reads windows where they lie:
    outputs fill vectors, and sums are long enough to be turned back."""
    return fills_vectors(c) and c.n * c.p >= tuning.CONV_DIRECT_LONG


def fills_vectors(c: Conv) -> bool:
    """Whether outputs fill vectors of a weight's gradient."""
    from .direct_tile import lanes_of

    return c.o / lanes_of(str(c.element), c.o) >= tuning.CONV_DIRECT_FILLED


def by_implicit_gemm(c: Conv) -> bool:
    """Whether tiles of a product with windows that are not written out are worth it."""
    if c.element is None or c.n * c.p < tuning.CONV_FEW or not c.work:
        return False
    if c.work < tuning.CONV_LEAST_WORK or (c.groups > 1 and c.o == 1):  # a tile would have one row
        return False
    return c.groups * c.c * math.prod(c.padded) < 1 << 31


def skips_margins(c: Conv) -> bool:
    """Whether a convolution that `by_implicit_gemm` takes reads images without margins."""
    from . import skipping_forward

    if len(c.kernel) > 2 or min(c.padding) < 0 or not skipping_forward.is_fast(two(c.stride)[1]):
        return False
    lanes = skipping_forward.channels_of(str(c.element))
    filled = c.o / (-(-c.o // lanes) * lanes)
    if filled < tuning.CONV_SKIPPING_FILLED or two(c.out)[1] > skipping_forward.BAND:
        return False
    skipped = c.k * tiles.left_out(two(c.size), *c.planar, two(c.out))
    if skipped < tuning.CONV_SKIPPED_LEAST:
        return False
    return launches.tiles_of(c).products <= tuning.CONV_SKIPPING_MOST


def skips_of_weight(c: Conv) -> bool:
    """Whether the gradient of a weight that `by_implicit_gemm` takes reads images without margins:
    channels and outputs fill tiles, sums are long enough to be turned back, and the list of places
    is no burden."""
    from . import direct_tile, skipping_weight

    if len(c.kernel) > 2 or min(c.padding) < 0 or c.n * c.p < tuning.CONV_SKIPPING_LONG:
        return False
    height = direct_tile.shape()[1]
    filled = c.c / (-(-c.c // height) * height)
    if c.taps * height > skipping_weight.ROWS or filled < tuning.CONV_DIRECT_FILLED:
        return False
    if launches.images_of_weight(c) * c.p * c.taps > tuning.CONV_SKIPPING_PLACES:
        return False
    return fills_vectors(c) and tiles.left_out(two(c.size), *c.planar, two(c.out)) > 0


def flips(c: Conv, g: Any) -> bool:
    """Whether the gradient of the input is computed as a convolution with the flipped kernel."""
    w = (c.groups * c.o, c.c, *c.kernel)
    where = (c.out, c.size, c.stride, c.padding, c.dilation)
    if c.element is None:
        return reference.flips_well(w, *where, c.groups)
    # Otherwise most of its windows would be margin.
    more = tuning.CONV_FLIPPED_MORE if by_col2im(c, g) else tuning.CONV_FLIPPED_MOST
    near = math.prod(c.size) <= more * c.p
    return near and reference.flips(w, *where)


def by_col2im(c: Conv, g: Any) -> bool:
    """Whether the gradient of the input is a product that makes columns, which are added up."""
    if c.work < tuning.CONV_LEAST_WORK or c.n * c.p < tuning.CONV_FEW:
        return False
    return by_depthwise(c, c.work, g)
