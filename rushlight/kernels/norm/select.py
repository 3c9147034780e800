"""Normalisations of rows, channels and groups, and their gradients: which kernel computes them.

All are y = (x - mean) * rstd * w + b with rstd = (var + eps) ** -0.5. A plan is made from types,
shapes and layouts alone; NumPy computes small arrays, other types, and x with gaps.

Not here: the mathematics (`layer_norm.py`, `batch_norm.py`), NumPy's arrays (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import rows as row_plans
from .. import tuning
from ..codegen.row_body import computed
from ..keys import Plans
from ..meta import MetaArray
from ..plan import Launch, Plan, Reference, nbytes
from ..rows import ELEMENTS, WIDE_ELEMENTS, contiguous, dense, has_kernels
from ..runtime import few
from . import batch_norm as channel_bodies
from . import layer_norm, reference

Array = Any
Shape = tuple[int, ...]
Needs = tuple[bool, bool, bool]
Line = tuple[Any, Shape, Shape] | None  # type, shape and strides of an operand that may be missing




def line(a: Array | None) -> Line:
    """The part of a key that stands for an operand that may be missing."""
    return None if a is None else (a.dtype, a.shape, a.strides)


def key(x: Array, *others: Array | None) -> tuple[Any, ...]:
    """The part of a key that stands for x, and for operands that may be missing."""
    return (x.dtype, x.shape, x.strides, *[line(a) for a in others])


def metas(**operands: Line) -> dict[str, MetaArray]:
    """Those operands that are there."""
    return {k: MetaArray(m[1], m[0], m[2]) for k, m in operands.items() if m is not None}


def by_kernel(x: MetaArray, g: MetaArray | None = None) -> bool:
    """Whether a kernel takes rows x and their gradient g."""
    size = x.size
    return (
        0 < size >= tuning.NORM_LEAST
        and contiguous(x)
        and (g is None or g.dtype == x.dtype)
        and has_kernels(x.dtype)
    )


def names_of(operands: dict[str, MetaArray], x: MetaArray, made: list[Any]) -> dict[str, str]:
    """What the plan calls operands in the layout and type that kernels take."""
    wide = computed(x.dtype)
    return {
        k: dense(k, m, x.dtype if k in ("x", "g") else wide, made) for k, m in operands.items()
    }


def wanted_of(needs: Needs) -> tuple[str, ...]:
    return tuple([k for k, need in zip(("dx", "dw", "db"), needs, strict=True) if need])


def all_of(found: Any, wanted: tuple[str, ...]) -> tuple[Array | None, Array | None, Array | None]:
    """dx, dw and db, None for those that are not wanted."""
    if len(wanted) == 3:
        return found  # type: ignore[no-any-return]
    by_name = dict(zip(wanted, found if len(wanted) > 1 else (found,), strict=True))
    return by_name.get("dx"), by_name.get("dw"), by_name.get("db")


def finished(
    name: str, operands: dict[str, MetaArray], outputs: dict[str, MetaArray], made: list[Any],
    flops: int, workspace: dict[str, int] | None = None,
) -> Plan:  # fmt: skip
    """The plan of some launches. Operands that are missing are not taken."""
    size = operands["x"].size
    return Plan(
        name, tuple(operands), outputs, made, workspace=workspace, flops=flops * size,
        bytes=nbytes(*operands.values(), *outputs.values()),
    )  # fmt: skip


# -- rows ----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=2048)
def plan_rows(
    dtype: Any, shape: Shape, strides: Shape, length: int, w: Line, b: Line, eps: float,
    centred: bool,
) -> Plan:  # fmt: skip
    """y, mean (if `centred`) and rstd of x, w and b (those that are there)."""
    operands = metas(x=(dtype, shape, strides), w=w, b=b)
    x, wide = operands["x"], computed(dtype)
    count = x.size // length if x.size else 0
    number = MetaArray((count,), wide)
    outputs = {"y": MetaArray(shape, dtype)} | ({"mean": number} if centred else {})
    outputs["rstd"] = number
    name = "layer_norm" if centred else "rms_norm"
    made: list[Any] = []
    if by_kernel(x):
        from ..codegen.row_kernels import row_kernel

        names = names_of(operands, x, made) | {k: k for k in outputs}
        each = max(1, tuning.NORM_CHUNK // length)
        made.append(Launch(
            row_kernel(layer_norm.layer_norm, ELEMENTS[dtype], tuple(names),
                       long=length > tuning.NORM_LONG),
            **names, n=length, rows=count, numbers=count, period=1, each=each,
            chunks=-(-count // each), eps=eps,
        ))  # fmt: skip
        return finished(f"{name}.rows", operands, outputs, made, 8)
    made.append(Reference(reference.rows, optional(operands, "x", "w", "b"), tuple(outputs),
                          length=length, eps=eps, centred=centred))  # fmt: skip
    return finished(f"{name}.numpy", operands, outputs, made, 8)


def optional(operands: dict[str, MetaArray], *names: str) -> tuple[str | None, ...]:
    """The operands that a function of arrays takes, None for those that are missing."""
    return tuple([k if k in operands else None for k in names])


@functools.lru_cache(maxsize=2048)
def plan_rows_grad(
    dtype: Any, shape: Shape, strides: Shape, g_dtype: Any, g_strides: Shape, length: int, w: Line,
    centred: bool, needs: Needs,
) -> Plan:  # fmt: skip
    """Of dx, dw and db those needed: of g, x, w, mean and rstd (those that are there)."""
    operands = metas(g=(g_dtype, shape, g_strides), x=(dtype, shape, strides), w=w)
    x, wide, wanted = operands["x"], computed(dtype), wanted_of(needs)
    count = x.size // length if x.size else 0
    number = MetaArray((count,), wide)
    operands |= ({"mean": number} if centred else {}) | {"rstd": number}
    outputs = {k: MetaArray(shape, dtype) if k == "dx" else MetaArray((length,), wide)
               for k in wanted}  # fmt: skip
    name = "layer_norm_grad" if centred else "rms_norm_grad"
    made: list[Any] = []
    if not by_kernel(x, operands["g"]):
        made.append(Reference(
            reference.rows_grad, optional(operands, "g", "x", "w", "mean", "rstd"), wanted,
            length=length, wanted=wanted,
        ))  # fmt: skip
        return finished(f"{name}.numpy", operands, outputs, made, 12)
    names = names_of(operands, x, made)
    each = min(tuning.NORM_MOST_ROWS, -(-count // tuning.NORM_PARTS))
    chunks = -(-count // each)
    names |= {k: k for k in wanted}
    lines, rooms = lines_of(wanted, chunks, length, wide)
    made.append(Launch(
        layer_norm.gradient(ELEMENTS[dtype], tuple(names)), **names, **lines, n=length, rows=count,
        each=each, chunks=chunks,
    ))  # fmt: skip
    return finished(f"{name}.rows", operands, outputs, made, 12, rooms)


def lines_of(
    names: Sequence[str], lines: int, length: int, wide: Any
) -> tuple[dict[str, str], dict[str, int] | None]:
    """The arrays for a line of each part of the work that sums have, and the workspace of these:
    the sums themselves where there is one part."""
    sums = [k for k in names if k != "dx"]
    if lines == 1:
        return {f"{k}_lines": k for k in sums}, None
    rooms = {f"{k}_lines": lines * length * wide.itemsize for k in sums}
    return {k: k for k in rooms}, rooms


@Plans
def plans_rows(
    x: Array, length: int, w: Array | None, b: Array | None, eps: float, centred: bool
) -> Plan:
    return plan_rows(x.dtype, x.shape, x.strides, length, line(w), line(b), eps, centred)


def rows(
    x: Array, length: int, w: Array | None, b: Array | None, eps: float, centred: bool = True
) -> tuple[Array, Array | None, Array]:
    """y, mean and rstd of each row of `length` elements; no mean of those not `centred` (RMS)."""
    known = few.layouts(x, length, w, b, eps, centred)
    plan = plans_rows.get(known) or plans_rows.make(known, x, length, w, b, eps, centred)
    if b is None:
        found = plan.run(x) if w is None else plan.run(x, w)
    else:
        found = plan.run(x, b) if w is None else plan.run(x, w, b)
    return found if centred else (found[0], None, found[1])


@Plans
def plans_rows_grad(
    g: Array, x: Array, length: int, w: Array | None, centred: bool, need_x: bool, need_w: bool,
    need_b: bool,
) -> Plan:  # fmt: skip
    of = (x.dtype, x.shape, x.strides, g.dtype, g.strides, length, line(w), centred)
    return plan_rows_grad(*of, (need_x, need_w, need_b))


def rows_gradient(
    g: Array, x: Array, length: int, w: Array | None, mean: Array | None, rstd: Array, needs: Needs
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of `rows` by x, w and b."""
    known = few.layouts(g, x, length, w, mean is not None, *needs)
    plan = plans_rows_grad.get(known) or plans_rows_grad.make(
        known, g, x, length, w, mean is not None, *needs
    )
    if w is None:
        found = plan.run(g, x, rstd) if mean is None else plan.run(g, x, mean, rstd)
    else:
        found = plan.run(g, x, w, rstd) if mean is None else plan.run(g, x, w, mean, rstd)
    return found if needs == EVERY else all_of(found, wanted_of(needs))


EVERY = (True, True, True)

# -- channels: x (N, C, ...) ---------------------------------------------------------------------


def channel_sizes(x: MetaArray) -> tuple[dict[str, int], bool]:
    """The ints of a kernel of channels, and whether a channel is one number in each image."""
    from . import channels as machine

    n, c = x.shape[:2]
    length = math.prod(x.shape[2:])
    columns = length == 1
    if columns:
        each, block = machine.columns_together(ELEMENTS[x.dtype]), tuning.NORM_BLOCK // 8
    else:
        each = max(1, tuning.NORM_CHUNK // (n * length))
        block = max(1, tuning.NORM_BLOCK // length)
    return {"n": length, "images": n, "channels": c, "each": each, "block": block,
            "count": n * length, "chunks": -(-c // each)}, columns  # fmt: skip


def by_channels(
    name: str, operands: dict[str, MetaArray], outputs: dict[str, MetaArray], eps: float, flops: int
) -> Plan:
    """The plan of a batch normalisation by machine code: whole channels, or columns of them."""
    from .channels import channel_kernel

    x = operands["x"]
    made: list[Any] = []
    names = names_of(operands, x, made) | {k: k for k in outputs}
    ints, columns = channel_sizes(x)
    body = getattr(channel_bodies, name)
    kernel = channel_kernel(body, ELEMENTS[x.dtype], tuple(names), columns)
    made.append(Launch(kernel, **names, **ints, eps=eps))
    way = "columns" if columns else "channels"
    return finished(f"{name}.{way}", operands, outputs, made, flops)


@functools.lru_cache(maxsize=2048)
def plan_channels(
    dtype: Any, shape: Shape, strides: Shape, w: Line, b: Line, mean: Line, var: Line, eps: float
) -> Plan:
    """y of x, w, b, mean and var (those that are there); without moments y, mean and var."""
    operands = metas(x=(dtype, shape, strides), w=w, b=b, mean=mean, var=var)
    x, wide, training = operands["x"], computed(dtype), mean is None
    number = MetaArray(shape[1:2], wide)
    outputs = {"y": MetaArray(shape, dtype)}
    outputs |= {"mean": number, "var": number} if training else {}
    name = "batch_norm" if training else "batch_norm_eval"
    made: list[Any] = []
    if by_kernel(x):
        return by_channels(name, operands, outputs, eps, 6)
    taken = optional(operands, "x", "w", "b", "mean", "var")
    made.append(Reference(reference.channels, taken, tuple(outputs), eps=eps))
    return finished(f"{name}.numpy", operands, outputs, made, 6)


@functools.lru_cache(maxsize=2048)
def plan_channels_grad(
    dtype: Any, shape: Shape, strides: Shape, g_dtype: Any, g_strides: Shape, w: Line, mean: Line,
    var: Line, eps: float, training: bool, need_x: bool,
) -> Plan:  # fmt: skip
    """dx (if needed), dw and db of g, x, w, mean and var (those that are there)."""
    operands = metas(g=(g_dtype, shape, g_strides), x=(dtype, shape, strides), w=w, mean=mean,
                     var=var)  # fmt: skip
    x, wide = operands["x"], computed(dtype)
    wanted = ("dx", "dw", "db") if need_x else ("dw", "db")
    outputs = {k: MetaArray(shape, dtype) if k == "dx" else MetaArray(shape[1:2], wide)
               for k in wanted}  # fmt: skip
    name = "batch_norm_grad" if training else "batch_norm_eval_grad"
    made: list[Any] = []
    if by_kernel(x, operands["g"]):
        return by_channels(name, operands, outputs, eps, 10)
    taken = optional(operands, "g", "x", "w", "mean", "var")
    made.append(Reference(reference.channels_grad, taken, wanted, eps=eps, training=training,
                          wanted=wanted))  # fmt: skip
    return finished(f"{name}.numpy", operands, outputs, made, 10)


@Plans
def plans_channels(
    x: Array, w: Array | None, b: Array | None, mean: Array | None, var: Array | None, eps: float
) -> Plan:
    return plan_channels(*key(x, w, b, mean, var), eps)


def channels(
    x: Array, w: Array | None, b: Array | None, mean: Array | None, var: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Each channel normalised by the moments given, or its own; these are (C,)."""
    known = few.layouts(x, w, b, mean, var, eps)
    plan = plans_channels.get(known) or plans_channels.make(known, x, w, b, mean, var, eps)
    if mean is None:
        if b is None:
            return plan.run(x) if w is None else plan.run(x, w)  # type: ignore[no-any-return]
        return plan.run(x, b) if w is None else plan.run(x, w, b)  # type: ignore[no-any-return]
    if b is None:
        found = plan.run(x, mean, var) if w is None else plan.run(x, w, mean, var)
    else:
        found = plan.run(x, b, mean, var) if w is None else plan.run(x, w, b, mean, var)
    return found, mean, var


@Plans
def plans_channels_grad(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, eps: float, training: bool,
    need_x: bool,
) -> Plan:  # fmt: skip
    return plan_channels_grad(
        x.dtype, x.shape, x.strides, g.dtype, g.strides, line(w), line(mean), line(var), eps,
        training, need_x,
    )  # fmt: skip


def channels_gradient(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, eps: float, training: bool,
    need_x: bool,
) -> tuple[Array | None, Array, Array]:  # fmt: skip
    """Gradients of `channels` by x, w and b. Those of w and b are the sums that dx needs."""
    known = few.layouts(g, x, w, mean, var, eps, training, need_x)
    plan = plans_channels_grad.get(known) or plans_channels_grad.make(
        known, g, x, w, mean, var, eps, training, need_x
    )
    found = plan.run(g, x, mean, var) if w is None else plan.run(g, x, w, mean, var)
    return found if need_x else (None, *found)


# -- running statistics --------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def plan_moved(dtype: Any, shape: Shape, strides: Shape) -> Plan:
    """a and b, which share no memory, moved towards new_a and new_b, all of them alike."""
    from . import running

    metas = {k: MetaArray(shape, dtype, strides) for k in MOVED}
    if not (has_kernels(dtype) and dtype in WIDE_ELEMENTS and contiguous(metas["a"])):
        return plan_moved_numpy()
    n = math.prod(shape)
    launch = Launch(running.moved(ELEMENTS[dtype]), **{k: k for k in (*MOVED, *NUMBERS)}, n=n)
    return Plan("running_statistics.moved", MOVED, {}, [launch], scalars=NUMBERS, mutates=MOVED[:2],
                flops=6 * n, bytes=nbytes(*metas.values(), metas["a"], metas["b"]))  # fmt: skip


@functools.lru_cache(maxsize=1)
def plan_moved_numpy() -> Plan:
    """The same for any arrays and numbers."""
    launch = Reference(reference.moved, (*MOVED, *NUMBERS), ())
    return Plan("running_statistics.numpy", MOVED, {}, [launch], scalars=NUMBERS, mutates=MOVED[:2],
                flops=None)  # fmt: skip


MOVED, NUMBERS = ("a", "b", "new_a", "new_b"), ("kept", "by_a", "by_b")


def moved(
    a: Array, b: Array, new_a: Array, new_b: Array, *, kept: float, by_a: float, by_b: float
) -> None:
    """a = a * kept + new_a * by_a, and b likewise, in place. Raises, if at all, before anything was
    changed."""
    dtype, shape, strides = a.dtype, a.shape, a.strides
    if (
        a.__class__ is b.__class__ is new_a.__class__ is new_b.__class__ is np.ndarray
        and b.dtype is new_a.dtype is new_b.dtype is dtype
        and b.shape == new_a.shape == new_b.shape == shape
        and b.strides == new_a.strides == new_b.strides == strides
        and kept.__class__ is by_a.__class__ is by_b.__class__ is float
        and ((a.base is b.base is None and a is not b) or not np.may_share_memory(a, b))
    ):
        moved_alike(a, b, new_a, new_b, kept=kept, by_a=by_a, by_b=by_b)
    else:
        plan_moved_numpy().run(a, b, new_a, new_b, kept, by_a, by_b)


@Plans
def plans_moved(a: Array) -> Plan:
    return plan_moved(a.dtype, a.shape, a.strides)


def moved_alike(
    a: Array, b: Array, new_a: Array, new_b: Array, *, kept: float, by_a: float, by_b: float
) -> None:
    """`moved` where it is known that all four are ndarrays, dense, of one type and one shape, that
    a and b share no memory, and that the numbers are Python's floats: to ask takes as long as all
    else."""
    known = few.layouts(a)
    plan = plans_moved.get(known) or plans_moved.make(known, a)
    plan.run(a, b, new_a, new_b, kept, by_a, by_b)


# -- groups of channels of each sample -----------------------------------------------------------


def group_sizes(x: MetaArray, number: int) -> dict[str, int]:
    """The ints of a kernel of groups."""
    n, c = x.shape[:2]
    length, inside = math.prod(x.shape[2:]), c // number
    each = max(1, tuning.NORM_CHUNK // (inside * length))
    block = max(1, tuning.NORM_BLOCK // length)
    if length < tuning.NORM_SHORT or x.size < tuning.NORM_SMALL:
        block = tuning.NORM_SMALL_BLOCK  # each channel is one addition to a lane of a vector
    return {"n": length, "images": inside, "channels": n * number, "groups": number, "each": each,
            "block": block, "count": inside * length,
            "chunks": -(-n * number // each)}  # fmt: skip


@functools.lru_cache(maxsize=2048)
def plan_groups(
    dtype: Any, shape: Shape, strides: Shape, number: int, w: Line, b: Line, eps: float
) -> Plan:
    """y, mean and var of x, w and b (those that are there)."""
    operands = metas(x=(dtype, shape, strides), w=w, b=b)
    x, moment = operands["x"], MetaArray((shape[0] * number,), computed(dtype))
    outputs = {"y": MetaArray(shape, dtype), "mean": moment, "var": moment}
    made: list[Any] = []
    if by_kernel(x):
        from .channels import group_kernel

        names = names_of(operands, x, made) | {k: k for k in outputs}
        kernel = group_kernel(channel_bodies.group_norm, ELEMENTS[dtype], tuple(names))
        made.append(Launch(kernel, **names, **group_sizes(x, number), eps=eps))
        return finished("group_norm.groups", operands, outputs, made, 8)
    taken = optional(operands, "x", "w", "b")
    made.append(Reference(reference.groups, taken, tuple(outputs), number=number, eps=eps))
    return finished("group_norm.numpy", operands, outputs, made, 8)


@functools.lru_cache(maxsize=2048)
def plan_groups_grad(
    dtype: Any, shape: Shape, strides: Shape, g_dtype: Any, g_strides: Shape, number: int, w: Line,
    mean: Line, var: Line, eps: float, needs: Needs,
) -> Plan:  # fmt: skip
    """Of dx, dw and db those needed: of g, x, w, mean and var (those that are there)."""
    operands = metas(g=(g_dtype, shape, g_strides), x=(dtype, shape, strides), w=w, mean=mean,
                     var=var)  # fmt: skip
    x, wide, wanted, c = operands["x"], computed(dtype), wanted_of(needs), shape[1]
    outputs = {k: MetaArray(shape, dtype) if k == "dx" else MetaArray((c,), wide) for k in wanted}
    made: list[Any] = []
    if by_kernel(x, operands["g"]):
        from .channels import group_kernel

        names = names_of(operands, x, made) | {k: k for k in wanted}
        lines, rooms = lines_of(wanted, shape[0], c, wide)
        kernel = group_kernel(channel_bodies.group_norm_grad, ELEMENTS[dtype], tuple(names))
        made.append(Launch(kernel, **names, **lines, **group_sizes(x, number), eps=eps))
        return finished("group_norm_grad.groups", operands, outputs, made, 12, rooms)
    taken = optional(operands, "g", "x", "w", "mean", "var")
    made.append(Reference(reference.groups_grad, taken, wanted, number=number, eps=eps,
                          wanted=wanted))  # fmt: skip
    return finished("group_norm_grad.numpy", operands, outputs, made, 12)


def groups(
    x: Array, number: int, w: Array | None, b: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """y, and mean and variance of each group, (N * number,)."""
    plan = plan_groups(x.dtype, x.shape, x.strides, number, line(w), line(b), eps)
    return plan.run(*[a for a in (x, w, b) if a is not None])  # type: ignore[no-any-return]


def groups_gradient(
    g: Array, x: Array, number: int, w: Array | None, mean: Array, var: Array, eps: float,
    needs: Needs,
) -> tuple[Array | None, Array | None, Array | None]:  # fmt: skip
    """Gradients of `groups` by x, w and b (C)."""
    key = (x.dtype, x.shape, x.strides, g.dtype, g.strides, number, line(w), line(mean), line(var))
    plan = plan_groups_grad(*key, eps, needs)
    found = plan.run(*[a for a in (g, x, w, mean, var) if a is not None])
    return found if needs == EVERY else all_of(found, wanted_of(needs))


# -- the length of a row made 1 ------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def plan_unit(
    dtype: Any, shape: Shape, strides: Shape, dim: int, eps: float, stops: bool
) -> Plan:
    """y and norm of x."""
    x = MetaArray(shape, dtype, strides)
    outputs = {"y": MetaArray(shape, dtype),
               "norm": MetaArray((*shape[:dim], 1, *shape[dim + 1 :]), dtype)}  # fmt: skip
    return row_plans.plan("unit", layer_norm.unit, {"x": x}, outputs, dim, unit_least(dtype),
                          {"eps": eps, "stops": float(stops)}, flops=3)  # fmt: skip


@functools.lru_cache(maxsize=1024)
def plan_unit_grad(
    dtype: Any, shape: Shape, g_dtype: Any, g_strides: Shape, strides: Shape, dim: int, eps: float,
    stops: bool,
) -> Plan:  # fmt: skip
    """dx of g, x and norm."""
    norm = MetaArray((*shape[:dim], 1, *shape[dim + 1 :]), dtype)
    operands = {"g": MetaArray(shape, g_dtype, g_strides), "x": MetaArray(shape, dtype, strides),
                "norm": norm}  # fmt: skip
    return row_plans.plan("unit_grad", layer_norm.unit_grad, operands,
                          {"dx": MetaArray(shape, dtype)}, dim, unit_least(dtype),
                          {"eps": eps, "stops": float(stops)}, flops=6)  # fmt: skip


def unit_least(dtype: Any) -> int:
    """Narrow types are NumPy's: their lengths are kept in their type."""
    return tuning.UNIT_LEAST if dtype in WIDE_ELEMENTS else 1 << 62


def unit(x: Array, dim: int, eps: float, stops: bool) -> tuple[Array, Array]:
    """x / max(norm, eps), and the norm sqrt(sum(x ** 2)) along `dim`, which stays as 1."""
    return plan_unit(x.dtype, x.shape, x.strides, dim, eps, stops).run(x)  # type: ignore[no-any-return]


def unit_gradient(g: Array, x: Array, norm: Array, dim: int, eps: float, stops: bool) -> Array:
    """The gradient of `unit`: with l = max(norm, eps), g / l - x * sum(g * x) / (l * l * norm)."""
    key = (x.dtype, x.shape, g.dtype, g.strides, x.strides, dim, eps, stops)
    return plan_unit_grad(*key).run(g, x, norm)
