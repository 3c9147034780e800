"""Pooling over the last dimensions of an array: which kernel computes it.

Plans are made from types, shapes and strides. NumPy computes other types, three dimensions of
maxima, large windows and small arrays.

Not here: the kernels (`max_pool.py`, `average_pool.py`, `whole.py`), NumPy's way (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import tuning
from ..keys import Plans
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from ..rows import ELEMENTS, WIDE_ELEMENTS, dense, has_kernels
from ..runtime import few
from . import reference
from .reference import adaptive_spans, strided_spans

Array = Any
Ints = tuple[int, ...]
Spans = tuple[tuple[Ints, Ints, Ints], ...]  # along each dimension: starts, ends, counts


def by_kernel(dtype: Any) -> bool:
    """Whether kernels take elements of a type."""
    return dtype in WIDE_ELEMENTS and has_kernels(dtype)


def made_plan(
    name: str, operands: dict[str, MetaArray], outputs: dict[str, MetaArray], launches: list[Any],
    flops: int, returns: tuple[str, ...] | None = None,
) -> Plan:  # fmt: skip
    kept = outputs if returns is None else {k: outputs[k] for k in returns}
    return Plan(name, tuple(operands), outputs, launches, returns=returns, flops=flops,
                bytes=nbytes(*operands.values(), *kept.values()))  # fmt: skip


# -- maxima --------------------------------------------------------------------------------------


def in_two(kernel: Ints, stride: Ints, dilation: Ints) -> tuple[Ints, Ints, Ints] | None:
    """Window, stride and dilation in two dimensions; None for what is left to NumPy."""
    if len(kernel) > 2 or math.prod(kernel) > tuning.MAX_POOL_LARGEST or math.prod(kernel) == 1:
        return None
    lead = (1,) * (2 - len(kernel))
    return lead + kernel, lead + stride, lead + dilation


def max_window(dtype: Any, results: int, kernel: Ints, stride: Ints, dilation: Ints) -> Any:
    """Window, stride and dilation for a kernel of maxima; None where NumPy computes them."""
    if results < tuning.MAX_POOL_LEAST or not by_kernel(dtype):
        return None
    return in_two(kernel, stride, dilation)


def padded_size(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
                out: Ints) -> Ints:  # fmt: skip
    """The size of planes with the margins that windows reach into."""
    reach = tuple(map(reference.reach_of, kernel, stride, dilation, out))
    if all(r <= n + 2 * p for n, p, r in zip(size, padding, reach, strict=True)):
        return tuple([n + 2 * p for n, p in zip(size, padding, strict=True)])
    return tuple([n if p == 0 and r <= n else max(r, p + n)
                  for n, p, r in zip(size, padding, reach, strict=True)])  # fmt: skip


def plane_ints(lead: int, out: Ints, size: Ints) -> dict[str, int]:
    """The ints of a kernel of maxima; `out` and `size` are planes of windows and of elements."""
    oh, ow = (1, *out)[-2:]
    h, w = (1, *size)[-2:]
    each = max(1, tuning.MAX_POOL_PLANES // max(1, oh * ow))
    return {"planes": lead, "oh": oh, "ow": ow, "h": h, "w": w, "each": each,
            "chunks": -(-lead // each)}  # fmt: skip


def with_margins(
    x: MetaArray, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints,
    launches: list[Any],
) -> tuple[str, Ints]:  # fmt: skip
    """What the plan calls x with -inf around it as far as the windows reach, and its planes."""
    size = x.shape[x.ndim - len(kernel) :]
    full = padded_size(size, kernel, stride, padding, dilation, out)
    if full == size:
        return dense("x", x, x.dtype, launches), size
    reach = tuple(map(reference.reach_of, kernel, stride, dilation, out))
    launches.append(Reference(reference.margins, ("x",), ("x_padded",), padding=padding,
                              reach=reach))  # fmt: skip
    return "x_padded", full


@functools.lru_cache(maxsize=1024)
def plan_max_pool(
    dtype: Any, shape: Ints, strides: Ints, kernel: Ints, stride: Ints, padding: Ints,
    dilation: Ints, out: Ints,
) -> Plan:  # fmt: skip
    """y of x: the maximum of each window; NaN wins, padding never does."""
    x = MetaArray(shape, dtype, strides)
    lead = shape[: x.ndim - len(kernel)]
    y = MetaArray(lead + out, dtype)
    flops = y.size * math.prod(kernel)
    how = max_window(dtype, y.size, kernel, stride, dilation)
    if how is None:
        given = (kernel, stride, padding, dilation, out)
        launch = Reference(reference.max_pool, ("x",), ("y",), how=given)
        return made_plan("max_pool.numpy", {"x": x}, {"y": y}, [launch], flops)
    from . import max_pool as machine

    launches: list[Any] = []
    name, full = with_margins(x, kernel, stride, padding, dilation, out, launches)
    launches.append(Launch(machine.kernel("max_pool", ELEMENTS[dtype], *how), x=name, y="y",
                           **plane_ints(math.prod(lead), out, full)))  # fmt: skip
    return made_plan("max_pool.planes", {"x": x}, {"y": y}, launches, flops)


@functools.lru_cache(maxsize=1024)
def plan_max_tap(
    dtype: Any, shape: Ints, strides: Ints, y_shape: Ints, y_strides: Ints, kernel: Ints,
    stride: Ints, padding: Ints, dilation: Ints,
) -> Plan:  # fmt: skip
    """taps of x and its maxima y: the first of equals, the last of NaNs.

    With padding the plan holds both ways: where y has -inf, padding would look like its maximum,
    and NumPy looks at the windows alone.
    """
    x, y = MetaArray(shape, dtype, strides), MetaArray(y_shape, dtype, y_strides)
    out, lead = y_shape[y.ndim - len(kernel) :], shape[: x.ndim - len(kernel)]
    how = max_window(dtype, y.size, kernel, stride, dilation)
    window = (kernel, stride, padding, dilation)
    operands = {"x": x, "y": y}
    flops = y.size * math.prod(kernel)
    small = math.prod(kernel) < 256
    taps = {"taps": MetaArray(y_shape, np.uint8 if small else np.int32)}
    if how is None:
        launch = Reference(reference.max_tap, ("x", "y"), ("taps",), how=window)
        return made_plan("max_tap.numpy", operands, taps, [launch], flops)
    from . import max_pool as machine

    launches: list[Any] = []
    name, full = with_margins(x, kernel, stride, padding, dilation, out, launches)
    launches.append(Launch(machine.kernel("max_tap", ELEMENTS[dtype], *how), x=name, taps="taps",
                           **plane_ints(math.prod(lead), out, full)))  # fmt: skip
    plan = made_plan("max_tap.planes", operands, taps, launches, flops)
    if not any(padding):
        return plan
    launch = Reference(max_tap_by_numbers, ("x", "y"), ("taps",), plan=plan, how=window)
    return made_plan("max_tap.planes or numpy", operands, taps, [launch], flops)


def max_tap_by_numbers(x: Array, y: Array, *, plan: Plan, how: Any) -> Array:
    """By a kernel, unless a window may be of nothing but -inf."""
    if np.fmin.reduce(y, axis=None) == -np.inf:
        return reference.max_tap(x, y, how=how)
    return plan.run(x, y)


@functools.lru_cache(maxsize=1024)
def plan_put_taps(
    dtype: Any, shape: Ints, strides: Ints, taps_dtype: Any, taps_strides: Ints, size: Ints,
    kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
) -> Plan:  # fmt: skip
    """dx of g and taps: each g added to the element of its window that its tap names."""
    g, taps = MetaArray(shape, dtype, strides), MetaArray(shape, taps_dtype, taps_strides)
    d = len(kernel)
    lead, out = shape[: g.ndim - d], shape[g.ndim - d :]
    dx = {"dx": MetaArray(lead + size, dtype)}
    operands = {"g": g, "taps": taps}
    how = max_window(dtype, g.size, kernel, stride, dilation)
    if how is None or taps_dtype != np.uint8:
        window = (kernel, stride, padding, dilation)
        launch = Reference(reference.put_taps, ("g", "taps"), ("dx",), size=size, how=window)
        return made_plan("put_taps.numpy", operands, dx, [launch], g.size)
    from . import max_pool as machine

    reach = tuple(map(reference.reach_of, kernel, stride, dilation, out))
    full = tuple([max(n + p, r) for n, p, r in zip(size, padding, reach, strict=True)])
    into = "dx" if full == size else "dx_padded"
    launches: list[Any] = [Reference(reference.zeros, (), (into,), shape=lead + full, dtype=dtype)]
    names = {k: dense(k, m, m.dtype, launches) for k, m in operands.items()}
    launches.append(Launch(machine.kernel("put_taps", ELEMENTS[dtype], *how), **names, dx=into,
                           **plane_ints(math.prod(lead), out, full)))  # fmt: skip
    if into != "dx":
        launches.append(Reference(reference.cropped, (into,), ("dx",), padding=padding, size=size))
    return made_plan("put_taps.planes", operands, dx, launches, g.size)


@functools.lru_cache(maxsize=1024)
def plan_max_pool_input(
    dtype: Any, shape: Ints, strides: Ints, g_shape: Ints, g_strides: Ints, kernel: Ints,
    stride: Ints, padding: Ints, dilation: Ints,
) -> Plan:  # fmt: skip
    """dx of g, the maxima y and x: `plan_max_tap` and `plan_put_taps`, in one pass where a kernel
    can. With padding the plan holds both ways, as `plan_max_tap` does."""
    x, g = MetaArray(shape, dtype, strides), MetaArray(g_shape, dtype, g_strides)
    d = len(kernel)
    size, out, lead = shape[x.ndim - d :], g_shape[g.ndim - d :], shape[: x.ndim - d]
    y, dx = MetaArray(g_shape, dtype), {"dx": MetaArray(shape, dtype)}
    how = max_window(dtype, g.size, kernel, stride, dilation)
    window = (kernel, stride, padding, dilation)
    operands, flops = {"g": g, "y": y, "x": x}, g.size * math.prod(kernel)
    if how is None:
        launch = Reference(max_input_in_two, ("g", "y", "x"), ("dx",), size=size, how=window)
        return made_plan("max_pool_input.numpy", operands, dx, [launch], flops)
    from . import max_pool as machine

    launches: list[Any] = []
    name, full = with_margins(x, kernel, stride, padding, dilation, out, launches)
    into = "dx" if full == size else "dx_padded"
    made = machine.kernel("max_pool_input", ELEMENTS[dtype], *how)
    covered = stride == kernel and tuple([o * s for o, s in zip(out, stride, strict=True)]) == size
    if into != "dx" or not (covered and machine.in_pairs(*how)):
        launches.append(Reference(reference.zeros, (), (into,), shape=lead + full, dtype=dtype))
    given = dense("g", g, dtype, launches)
    launches.append(Launch(made, x=name, g=given, dx=into,
                           **plane_ints(math.prod(lead), out, full)))  # fmt: skip
    if into != "dx":
        launches.append(Reference(reference.cropped, (into,), ("dx",), padding=padding, size=size))
    plan = made_plan("max_pool_input.planes", operands, dx, launches, flops)
    if not any(padding):
        return plan
    launch = Reference(max_input_by_numbers, ("g", "y", "x"), ("dx",), plan=plan, size=size,
                       how=window)  # fmt: skip
    return made_plan("max_pool_input.planes or numpy", operands, dx, [launch], flops)


def max_input_by_numbers(
    g: Array, y: Array, x: Array, *, plan: Plan, size: Ints, how: Any
) -> Array:  # fmt: skip
    """By a kernel, unless a window may be of nothing but -inf."""
    if np.fmin.reduce(y, axis=None) == -np.inf:
        return max_input_in_two(g, y, x, size=size, how=how)
    return plan.run(g, y, x)


def max_input_in_two(g: Array, y: Array, x: Array, *, size: Ints, how: Any) -> Array:
    """The taps, and g put there."""
    return put_taps(g, max_tap(x, y, *how), size, *how)


@Plans
def plans_max_pool(
    x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> Plan:
    return plan_max_pool(x.dtype, x.shape, x.strides, kernel, stride, padding, dilation, out)


def max_pool(
    x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> Array:
    """The maximum of each window; NaN wins, padding never does."""
    key = few.layouts(x, kernel, stride, padding, dilation, out)
    plan = plans_max_pool.get(key) or plans_max_pool.make(
        key, x, kernel, stride, padding, dilation, out
    )
    return plan.run(x)


def max_tap(x: Array, y: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Array:
    """Which tap of its window holds each maximum y: the first of equals, the last of NaNs."""
    key = (x.dtype, x.shape, x.strides, y.shape, y.strides, kernel, stride, padding, dilation)
    return plan_max_tap(*key).run(x, y)


@Plans
def plans_max_pool_input(
    g: Array, x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Plan:
    of = (x.dtype, x.shape, x.strides, g.shape, g.strides)
    return plan_max_pool_input(*of, kernel, stride, padding, dilation)


def max_pool_input(
    g: Array, y: Array, x: Array, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array:
    """Each g added to the element of its window in x that holds its maximum y."""
    key = few.layouts(g, x, kernel, stride, padding, dilation)
    plan = plans_max_pool_input.get(key) or plans_max_pool_input.make(
        key, g, x, kernel, stride, padding, dilation
    )
    return plan.run(g, y, x)


def put_taps(
    g: Array, taps: Array, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Array:
    """Each g added to the element of its window that `taps` names: the transpose of `take_taps`."""
    key = (g.dtype, g.shape, g.strides, taps.dtype, taps.strides, size, kernel, stride, padding)
    return plan_put_taps(*key, dilation).run(g, taps)


def adaptive_max(x: Array, out: Ints) -> tuple[Array, Array]:
    """Maxima of windows floor(i n / o) .. ceil((i + 1) n / o), and their flat indices."""
    d = len(out)
    size = x.shape[x.ndim - d :]
    if all(o and n % o == 0 and n for n, o in zip(size, out, strict=True)):
        kernel = tuple([n // o for n, o in zip(size, out, strict=True)])
        rest = (kernel, (0,) * d, (1,) * d)
        y = max_pool(x, kernel, *rest, out)
        taps = max_tap(x, y, kernel, *rest)
        return y, reference.flat_indices(taps, size, kernel, *rest)
    return reference.adaptive_max(x, out)


# -- means ---------------------------------------------------------------------------------------


def tables(spans: Spans, size: Ints, dtype: Any, transposed: bool) -> tuple[dict[str, Any], int]:
    """The operands of `average_pool` that say where windows lie, and `most`."""
    ranges = [(np.array(first, np.int64), np.array(last, np.int64)) for first, last, _ in spans]
    if transposed:  # for each place the windows that hold it
        ranges = [holders(*found, n) for found, n in zip(ranges, size, strict=True)]
    counts = [np.asarray(c, dtype) for _, _, c in spans]
    sources = [len(s[0]) for s in spans] if transposed else list(size)
    lines, starts = np.zeros(1, np.int64), np.array([0, 1], np.int64)
    rows_count = np.ones(1, dtype)
    for found, source, count in zip(ranges[:-1], sources, counts, strict=False):
        lines, starts = crossed(lines, starts, *found, source)
        rows_count = (rows_count[:, None] * count).reshape(-1)
    left, right = (end.astype(np.int32) for end in ranges[-1])
    made = {
        "lines": lines if lines.size else np.zeros(1, np.int64), "starts": starts,
        "left": left, "right": right, "rows_count": rows_count, "columns_count": counts[-1],
    }  # fmt: skip
    return made, int((right - left).max(initial=0))


def crossed(
    lines: Array, starts: Array, first: Array, last: Array, source: int
) -> tuple[Array, Array]:
    """The lines of windows that have one more dimension, of `source` places.

    Window i has lines[starts[i]:starts[i + 1]]; for each of the ranges of the new dimension it
    becomes a window with the places line * source + place.
    """
    before, here = np.diff(starts), np.maximum(last - first, 0)
    lengths = (before[:, None] * here).reshape(-1)
    made = np.concatenate([[0], np.cumsum(lengths)])
    window = np.repeat(np.arange(lengths.size), lengths)
    i, j = window // here.size, window % here.size
    at = np.arange(made[-1]) - made[window]  # within the window
    return lines[starts[i] + at // here[j]] * source + first[j] + at % here[j], made


def holders(first: Array, last: Array, n: int) -> tuple[Array, Array]:
    """Which windows hold each of n places, from one on and up to another: they are neighbours, for
    their starts and ends never go back."""
    places = np.arange(n)
    begin = np.searchsorted(last, places, side="right")
    return begin, np.maximum(np.searchsorted(first, places, side="right"), begin)


def average_by_kernel(x: MetaArray, other: int) -> bool:
    """Whether a kernel takes x (or its transpose of `other` elements)."""
    large = max(x.size, other) >= tuning.AVERAGE_POOL_LEAST and x.size > 0
    return large and x.shape[-1] <= tuning.AVERAGE_POOL_WIDEST and by_kernel(x.dtype)


def few_lines(*sizes: Ints) -> bool:
    """Whether planes of these sizes have so few lines that tables say where windows lie."""
    return all(0 < math.prod(s[:-1]) <= tuning.AVERAGE_POOL_LINES and s[-1] for s in sizes)


def windows_plan(
    name: str, x: MetaArray, size: Ints, out: Ints, spans: Spans, of: Ints, transposed: bool
) -> Plan:
    """Planes of `size` to planes of `out`; `of` is the size of the planes that windows lie on."""
    from . import average_pool as machine

    lead = x.shape[: x.ndim - len(size)]
    y = MetaArray(lead + out, x.dtype)
    constants, most = tables(spans, of, x.dtype, transposed)
    planes, h, oh = math.prod(lead), math.prod(size[:-1]), math.prod(out[:-1])
    each = max(1, 2 * tuning.ROWS_CHUNK // max(math.prod(size), math.prod(out)))
    launches: list[Any] = []
    launches.append(Launch(
        machine.kernel(ELEMENTS[x.dtype], transposed), x=dense("x", x, x.dtype, launches), y="y",
        **{k: k for k in constants}, planes=planes, h=h, w=size[-1], oh=oh, ow=out[-1], most=most,
        each=each, chunks=-(-planes // each),
    ))  # fmt: skip
    return Plan(
        f"{name}.windows", ("x",), {"y": y}, launches, constants=constants,
        flops=2 * max(x.size, y.size), bytes=nbytes(x, y),
    )  # fmt: skip


def whole_plan(name: str, x: MetaArray, y: MetaArray, n: int) -> Plan:
    """One window for each plane, of `n` elements: its mean, or a number spread over it."""
    from ..codegen.row_kernels import row_kernel
    from . import whole

    spread = name.endswith("transpose")
    count = (x.size if spread else y.size)
    each = max(1, 2 * tuning.ROWS_CHUNK // n)
    launches: list[Any] = []
    given = dense("x", x, x.dtype, launches)
    arrays = {"g": given, "x": "y"} if spread else {"x": given, "y": "y"}
    kernel = row_kernel(whole.spread if spread else whole.mean, ELEMENTS[x.dtype], tuple(arrays))
    launches.append(Launch(kernel, **arrays, n=n, rows=count, numbers=count, period=1, each=each,
                           chunks=-(-count // each)))  # fmt: skip
    return made_plan(f"{name}.rows", {"x": x}, {"y": y}, launches, max(x.size, y.size))


@functools.lru_cache(maxsize=1024)
def plan_avg_pool(
    dtype: Any, shape: Ints, strides: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints,
    count_include_pad: bool, divisor: int | None,
) -> Plan:  # fmt: skip
    """y of x: the mean of each window."""
    x, d = MetaArray(shape, dtype, strides), len(kernel)
    size = shape[x.ndim - d :]
    how: Any = (kernel, stride, padding, out, count_include_pad, divisor)
    if average_by_kernel(x, 0) and few_lines(size, out):
        return windows_plan("avg_pool", x, size, out, strided_spans(size, *how), size, False)
    y = MetaArray(shape[: x.ndim - d] + out, dtype)
    launch = Reference(reference.avg_pool, ("x",), ("y",), how=how)
    return made_plan("avg_pool.numpy", {"x": x}, {"y": y}, [launch], y.size * math.prod(kernel))


@functools.lru_cache(maxsize=1024)
def plan_avg_pool_transpose(
    dtype: Any, shape: Ints, strides: Ints, size: Ints, kernel: Ints, stride: Ints, padding: Ints,
    count_include_pad: bool, divisor: int | None,
) -> Plan:  # fmt: skip
    """The transpose of `avg_pool`, to planes of `size`."""
    g, d = MetaArray(shape, dtype, strides), len(kernel)
    lead, out = shape[: g.ndim - d], shape[g.ndim - d :]
    how: Any = (kernel, stride, padding, out, count_include_pad, divisor)
    if average_by_kernel(g, math.prod(lead + size)) and few_lines(size, out):
        spans = strided_spans(size, *how)
        return windows_plan("avg_pool_transpose", g, out, size, spans, size, True)
    y = MetaArray(lead + size, dtype)
    launch = Reference(reference.avg_pool_input, ("x",), ("y",), size=size, how=how)
    flops = g.size * math.prod(kernel)
    return made_plan("avg_pool_transpose.numpy", {"x": g}, {"y": y}, [launch], flops)


@functools.lru_cache(maxsize=1024)
def plan_adaptive_avg(dtype: Any, shape: Ints, strides: Ints, out: Ints) -> Plan:
    """y of x: means of windows floor(i n / o) .. ceil((i + 1) n / o)."""
    x, d = MetaArray(shape, dtype, strides), len(out)
    size: Ints = shape[x.ndim - d :]
    y = MetaArray(shape[: x.ndim - d] + out, dtype)
    if min(out) == max(out) == 1 and x.size:
        if average_by_kernel(x, 0):
            return whole_plan("adaptive_avg", x, y, math.prod(size))
    elif average_by_kernel(x, 0) and few_lines(size, out):
        return windows_plan("adaptive_avg", x, size, out, adaptive_spans(size, out), size, False)
    launch = Reference(reference.adaptive_avg, ("x",), ("y",), out=out)
    return made_plan("adaptive_avg.numpy", {"x": x}, {"y": y}, [launch], x.size)


@functools.lru_cache(maxsize=1024)
def plan_adaptive_avg_transpose(dtype: Any, shape: Ints, strides: Ints, size: Ints) -> Plan:
    """The transpose of `adaptive_avg`, to planes of `size`."""
    g, d = MetaArray(shape, dtype, strides), len(size)
    lead, out = shape[: g.ndim - d], shape[g.ndim - d :]
    y = MetaArray(lead + size, dtype)
    n, large = math.prod(size), average_by_kernel(g, math.prod(lead + size))
    if max(out) == 1 and g.size:
        if n and large:
            return whole_plan("adaptive_avg_transpose", g, y, n)
    elif n and large and few_lines(size, out):
        spans = adaptive_spans(size, out)
        return windows_plan("adaptive_avg_transpose", g, out, size, spans, size, True)
    launch = Reference(reference.adaptive_avg_input, ("x",), ("y",), size=size)
    return made_plan("adaptive_avg_transpose.numpy", {"x": g}, {"y": y}, [launch], y.size)


def avg_pool(
    x: Array, kernel: Ints, stride: Ints, padding: Ints, out: Ints, count_include_pad: bool,
    divisor: int | None,
) -> Array:  # fmt: skip
    """The mean of each window; `divisor` replaces the number of elements when given."""
    key = (x.dtype, x.shape, x.strides, kernel, stride, padding, out, count_include_pad, divisor)
    return plan_avg_pool(*key).run(x)


def avg_pool_input(
    g: Array, size: Ints, kernel: Ints, stride: Ints, padding: Ints, count_include_pad: bool,
    divisor: int | None,
) -> Array:  # fmt: skip
    """The transpose of `avg_pool`."""
    key = (g.dtype, g.shape, g.strides, size, kernel, stride, padding, count_include_pad, divisor)
    return plan_avg_pool_transpose(*key).run(g)


def adaptive_avg(x: Array, out: Ints) -> Array:
    """Means of windows floor(i n / o) .. ceil((i + 1) n / o)."""
    return plan_adaptive_avg(x.dtype, x.shape, x.strides, out).run(x)


def adaptive_avg_input(g: Array, size: Ints) -> Array:
    """The transpose of `adaptive_avg`."""
    return plan_adaptive_avg_transpose(g.dtype, g.shape, g.strides, size).run(g)

