"""Normalisations of rows, channels and groups, and their gradients, by NumPy: the reference.

The mathematics are the bodies that LLVM reads too (`layer_norm.py`, `batch_norm.py`); here is how
arrays are laid out for them: (rows, n), channels as dimension 1, (N, groups, channels of a group,
positions). float16 and bfloat16 are computed in float32, which moments and gradients of w and b
then are.

Not here: which kernel computes a call (`select.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import tuning
from ..codegen.row_body import ArrayRows, by_numpy, computed
from . import batch_norm, layer_norm

Array = Any  # a numpy.ndarray, whose stubs do not know computed indices
Needs = tuple[bool, bool, bool]


def wide(a: Array | None, dtype: Any, shape: tuple[int, ...]) -> Array | None:
    """A parameter in the type that is computed in, and another shape."""
    if a is None:
        return None
    a = a.reshape(shape)
    return a if a.dtype == dtype else a.astype(dtype)


def given(**arrays: Array | None) -> dict[str, Array]:
    """Those that are not None."""
    return {k: a for k, a in arrays.items() if a is not None}


# -- rows: the last `length` elements are normalised, w and b are (length) -----------------------


def blocks(rows: int, length: int) -> Iterator[slice]:
    """Rows that stay in the cache between passes."""
    step = max(1, tuning.NORM_REFERENCE_BLOCK // max(1, length))
    return (slice(i, i + step) for i in range(0, rows, step))


def lines(a: Array, length: int) -> Array:
    """(rows, length)."""
    return a.reshape(-1, length) if a.size else a.reshape(0, max(1, length))


def rows(
    x: Array, w: Array | None, b: Array | None, *, length: int, eps: float, centred: bool
) -> tuple[Array, ...]:
    """y, mean (if `centred`) and rstd of each row."""
    dtype = computed(x.dtype)
    others = given(w=wide(w, dtype, (length,)), b=wide(b, dtype, (length,)))
    flat = lines(x, length)
    numbers = ("mean", "rstd") if centred else ("rstd",)
    y = np.empty(flat.shape, x.dtype)
    kept = [np.empty((len(flat), 1), dtype) for _ in numbers]
    for at in blocks(*flat.shape):
        y[at], *found = by_numpy(
            layer_norm.layer_norm, {"x": flat[at], **others}, ("y", *numbers), 1, {"eps": eps}
        )
        for all_rows, part in zip(kept, found, strict=True):
            all_rows[at] = part
    return (y.reshape(x.shape), *(a.reshape(-1) for a in kept))


class RoundedOnce(ArrayRows):
    """With a * b + c rounded once, as LLVM has it: the gradient of layer norm has two of them in a
    row, and without would be less exact than the formula as one writes it."""

    def fma(self, a: Array, b: Array, c: Array) -> Array:
        if self.c != np.float32:
            return super().fma(a, b, c)
        return (np.multiply(a, b, dtype=np.float64) + c).astype(self.c)


def rows_grad(
    g: Array, x: Array, w: Array | None, mean: Array | None, rstd: Array, *, length: int,
    wanted: tuple[str, ...],
) -> Any:  # fmt: skip
    """Of dx, dw and db those wanted."""
    dtype, shape = computed(x.dtype), x.shape
    w = wide(w, dtype, (length,))
    g, x = lines(g, length), lines(x, length)
    found = {k: np.empty(x.shape, x.dtype) if k == "dx" else np.zeros(length, dtype)
             for k in wanted}  # fmt: skip
    for at in blocks(*x.shape):
        numbers = given(mean=mean, rstd=rstd)
        operands = {"g": g[at], "x": x[at], **{k: a[at, None] for k, a in numbers.items()}}
        if w is not None:
            operands["w"] = w
        parts = by_numpy(layer_norm.layer_norm_grad, operands, wanted, 1, reader=RoundedOnce)
        for k, part in zip(wanted, parts, strict=True):
            if k == "dx":
                found[k][at] = part
            else:
                found[k] += part
    if "dx" in found:
        found["dx"] = found["dx"].reshape(shape)
    return one_or_all([found[k] for k in wanted])


def one_or_all(found: list[Array]) -> Any:
    """What a launch of a plan hands on."""
    return found[0] if len(found) == 1 else tuple(found)


def moments(x: Array, dims: tuple[int, ...]) -> tuple[Array, Array]:
    """Mean and biased variance over `dims`, which stay as 1; the variance in two passes."""
    return batch_norm.moments(ArrayRows({"x": "row"}, {"x": x}, dims, x.dtype))


# -- channels: dimension 1 of (N, C, ...) --------------------------------------------------------


def across(a: Array | None, dtype: Any, ndim: int) -> Array | None:
    """(C,) as (1, C, 1, ...)."""
    return wide(a, dtype, (1, -1) + (1,) * (ndim - 2))


def channels(
    x: Array, w: Array | None, b: Array | None, mean: Array | None, var: Array | None, *,
    eps: float,
) -> Any:  # fmt: skip
    """Each channel normalised by the moments given; or by its own, which are returned too, (C,)."""
    dtype, ndim = computed(x.dtype), x.ndim
    operands = {"x": x, **given(w=across(w, dtype, ndim), b=across(b, dtype, ndim))}
    axes = (0, *range(2, ndim))
    if mean is not None:
        operands |= given(mean=across(mean, dtype, ndim), var=across(var, dtype, ndim))
        return by_numpy(batch_norm.batch_norm_eval, operands, ("y",), axes, {"eps": eps})[0]
    results = ("y", "mean", "var")
    y, mean, var = by_numpy(batch_norm.batch_norm, operands, results, axes, {"eps": eps})
    return y, mean.reshape(-1), var.reshape(-1)


def channels_grad(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, *, eps: float, training: bool,
    wanted: tuple[str, ...],
) -> Any:  # fmt: skip
    """Of dx, dw and db those wanted, some channels at a time."""
    dtype, ndim, c = computed(x.dtype), x.ndim, x.shape[1]
    body = batch_norm.batch_norm_grad if training else batch_norm.batch_norm_eval_grad
    numbers: dict[str, Array] = {
        k: across(a, dtype, ndim) for k, a in given(w=w, mean=mean, var=var).items()
    }
    found = {k: np.empty(x.shape if k == "dx" else c, x.dtype if k == "dx" else dtype)
             for k in wanted}  # fmt: skip
    step = max(1, tuning.NORM_REFERENCE_BLOCK // max(1, x.size // max(1, c)))
    for i in range(0, c, step):
        at = slice(i, i + step)
        operands = {"g": g[:, at], "x": x[:, at], **{k: a[:, at] for k, a in numbers.items()}}
        parts = by_numpy(body, operands, wanted, (0, *range(2, ndim)), {"eps": eps})
        for k, part in zip(wanted, parts, strict=True):
            if k == "dx":
                found[k][:, at] = part
            else:
                found[k][at] = part.reshape(-1)
    return one_or_all([found[k] for k in wanted])


def moved(
    a: Array, b: Array, new_a: Array, new_b: Array, kept: float, by_a: float, by_b: float
) -> None:
    """a = a * kept + new_a * by_a, and b likewise, in place. Raises, if at all, before anything was
    changed."""
    if a.shape != new_a.shape:
        new_a = new_a.reshape(a.shape)
    if b.shape != new_b.shape:
        new_b = new_b.reshape(b.shape)
    more_a, more_b = new_a * by_a, new_b * by_b
    a *= kept
    b *= kept
    a += more_a
    b += more_b


# -- groups of channels of each sample: x (N, C, ...), w and b (C) -------------------------------


class ArrayGroups(ArrayRows):
    """(N, groups, channels of a group, positions), all channels at once; w and b are (1, groups,
    channels of a group, 1)."""

    def channels(self, write: Any) -> None:
        write(self.one_channel())

    def one_channel(self) -> OneChannel:
        c = OneChannel(self.kinds, self.operands, (3,), self.dtype, self.floats)
        c.results = self.results
        return c

    def channel_means(self, count: int, values: Any) -> list[Array]:
        found = values(self.one_channel())
        return [np.add.reduce(v, axis=2, keepdims=True) / self.count for v in found]


class OneChannel(ArrayRows):
    """Every channel by itself."""

    def channel(self, name: str) -> Array:
        return self.operands[name]

    def add_channel(self, name: str, v: Array) -> None:
        self.results[name] = np.add.reduce(v, axis=0).reshape(-1)


def grouped(shape: tuple[int, ...], groups: int) -> tuple[int, ...]:
    """(N, C, ...) as (N, groups, C / groups, positions)."""
    return (shape[0], groups, shape[1] // groups, math.prod(shape[2:]))


def groups(
    x: Array, w: Array | None, b: Array | None, *, number: int, eps: float
) -> tuple[Array, Array, Array]:
    """y, and mean and variance of each group, (N * number,)."""
    dtype, each = computed(x.dtype), (1, number, -1, 1)
    operands = {"x": x.reshape(grouped(x.shape, number)),
                **given(w=wide(w, dtype, each), b=wide(b, dtype, each))}  # fmt: skip
    results = ("y", "mean", "var")
    y, mean, var = by_numpy(
        batch_norm.group_norm, operands, results, (2, 3), {"eps": eps}, ArrayGroups
    )
    return y.reshape(x.shape), mean.reshape(-1), var.reshape(-1)


def groups_grad(
    g: Array, x: Array, w: Array | None, mean: Array, var: Array, *, number: int, eps: float,
    wanted: tuple[str, ...],
) -> Any:  # fmt: skip
    """Of dx, dw and db those wanted."""
    dtype, shape = computed(x.dtype), grouped(x.shape, number)
    each = (shape[0], number, 1, 1)
    operands = {
        "g": g.reshape(shape), "x": x.reshape(shape), "mean": wide(mean, dtype, each),
        "var": wide(var, dtype, each), **given(w=wide(w, dtype, (1, number, -1, 1))),
    }  # fmt: skip
    body = batch_norm.group_norm_grad
    found = by_numpy(body, operands, wanted, (2, 3), {"eps": eps}, ArrayGroups)
    return one_or_all([a.reshape(x.shape) if k == "dx" else a
                       for k, a in zip(wanted, found, strict=True)])  # fmt: skip
