"""Softmax and log-softmax along a dimension, and their gradients: which kernel computes them.

Not here: the mathematics (`softmax.py`), plans of rows in general (`kernels/rows.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ...errors import axis
from .. import tuning
from ..keys import Plans
from ..meta import MetaArray
from ..plan import Plan
from ..rows import plan as plan_rows
from ..runtime import few
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


@Plans
def plans(name: str, x: Array, dim: int) -> Plan:
    return plan(name, x.dtype, x.shape, x.strides, dim)


@Plans
def plans_grad(name: str, g: Array, y: Array, dim: int) -> Plan:
    return plan_grad(name, y.dtype, y.shape, g.dtype, g.strides, y.strides, dim)


def plan_for(name: str, x: Array, dim: int) -> Plan:
    """`plan` of an array."""
    key = few.layouts(name, x, dim)
    return plans.get(key) or plans.make(key, name, x, dim)  # type: ignore[no-any-return]


def plan_grad_for(name: str, g: Array, y: Array, dim: int) -> Plan:
    """`plan_grad` of arrays."""
    key = few.layouts(name, g, y, dim)
    return plans_grad.get(key) or plans_grad.make(key, name, g, y, dim)  # type: ignore[no-any-return]


def softmax(x: Array, dim: int) -> Array:
    """exp(x) / sum(exp(x)) along a dimension."""
    return plan_for("softmax", x, dim).run(x)


def log_softmax(x: Array, dim: int) -> Array:
    """x - log(sum(exp(x))) along a dimension."""
    return plan_for("log_softmax", x, dim).run(x)


def softmax_grad(g: Array, y: Array, dim: int) -> Array:
    """The gradient of softmax, given its result y."""
    return plan_grad_for("softmax", g, y, dim).run(g, y)


def log_softmax_grad(g: Array, y: Array, dim: int) -> Array:
    """The gradient of log_softmax, given its result y."""
    return plan_grad_for("log_softmax", g, y, dim).run(g, y)
