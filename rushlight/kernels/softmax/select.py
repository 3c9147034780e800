"""Softmax and log-softmax along a dimension, and their gradients: which kernel computes them.

Not here: the mathematics (`softmax.py`), plans of rows in general (`kernels/rows.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ...errors import axis
from .. import tuning
from ..meta import MetaArray
from ..plan import Plan
from ..rows import plan as plan_rows
from . import softmax as bodies

Array = Any
Shape = tuple[int, ...]


@functools.lru_cache(maxsize=2048)
def plan(name: str, dtype: Any, shape: Shape, strides: Shape, dim: int) -> Plan:
    """y of x: "softmax" or "log_softmax"."""
    x = MetaArray(shape, dtype, strides)
    dim = axis(dim, len(shape))
    body = getattr(bodies, name)
    return plan_rows(name, body, {"x": x}, {"y": MetaArray(shape, dtype)}, dim,
                     tuning.SOFTMAX_LEAST, flops=5)  # fmt: skip


@functools.lru_cache(maxsize=2048)
def plan_grad(
    name: str, dtype: Any, shape: Shape, g_dtype: Any, g_strides: Shape, y_strides: Shape, dim: int
) -> Plan:
    """dx of the gradient g and the result y; `name` is the forward's."""
    operands = {"g": MetaArray(shape, g_dtype, g_strides), "y": MetaArray(shape, dtype, y_strides)}
    body = getattr(bodies, f"{name}_grad")
    return plan_rows(f"{name}_grad", body, operands, {"dx": MetaArray(shape, dtype)},
                     axis(dim, len(shape)), tuning.SOFTMAX_LEAST, flops=4)  # fmt: skip


def softmax(x: Array, dim: int) -> Array:
    """exp(x) / sum(exp(x)) along a dimension."""
    return plan("softmax", x.dtype, x.shape, x.strides, dim).run(x)


def log_softmax(x: Array, dim: int) -> Array:
    """x - log(sum(exp(x))) along a dimension."""
    return plan("log_softmax", x.dtype, x.shape, x.strides, dim).run(x)


def softmax_grad(g: Array, y: Array, dim: int) -> Array:
    """The gradient of softmax, given its result y."""
    key = (y.dtype, y.shape, g.dtype, g.strides, y.strides, dim)
    return plan_grad("softmax", *key).run(g, y)


def log_softmax_grad(g: Array, y: Array, dim: int) -> Array:
    """The gradient of log_softmax, given its result y."""
    key = (y.dtype, y.shape, g.dtype, g.strides, y.strides, dim)
    return plan_grad("log_softmax", *key).run(g, y)
