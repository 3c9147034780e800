"""Gradients in the shape and type of the values they belong to: un-broadcasting, casting, adding.

Rules never do this; the engine alone does, with these functions. On ndarrays, and on Tensors when
the backward is recorded. Read next: `engine.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import message
from ..kernels import dense
from ..kernels.elementwise.sums import added
from ..kernels.meta import SparseArray
from ..kernels.reduce.select import add_dims, add_leading
from ..kernels.strided import expanded
from . import door
from .node import Node, Out, TensorBase
from .steps import Step, as_array, step

ndarray = np.ndarray


@step()
def add(a: Any, b: Any) -> Any:
    """The sum of two gradients (0-d sums stay arrays); with a sparse `a`, `b` stands first."""
    if a.__class__ is b.__class__ is ndarray:
        c = added(a, b)
    else:
        c = b + a if isinstance(a, SparseArray) else a + b
    return c if c.__class__ is ndarray or isinstance(c, SparseArray) else np.asarray(c)


def total(a: Any, b: Any) -> Any:
    """The sum of two gradients, arrays or Tensors."""
    if isinstance(a, TensorBase) or isinstance(b, TensorBase):
        return b + a if isinstance(a._a, SparseArray) else a + b
    return door.perform(add, (a, b), {})


def fitted(g: Any, shape: tuple[int, ...], dtype: Any, edge: Any) -> Any:
    """A gradient that is an array in the shape and type of the value it belongs to."""
    if g.shape != shape:
        g = door.perform(unbroadcast, (g,), {"shape": shape, "edge": edge})
    if g.dtype != dtype:
        g = door.perform(cast_gradient, (g,), {"dtype": dtype})
    return g


def fit(g: Any, shape: tuple[int, ...], edge: Any) -> Any:
    """Undo broadcasting: sum over the dimensions that were expanded, or expand what a reduction
    left."""
    if g.ndim == 0 and shape and 0 not in shape:  # from a sum over everything
        return expanded(g, shape)
    if g.size == 0 or 0 in shape:  # broadcast to or from no elements: nothing arrives
        return np.zeros(shape, g.dtype)
    if g.size < size_of(shape):
        try:
            return expanded(g, shape)
        except ValueError:
            raise wrong_shape(g, shape, edge) from None
    extra = g.ndim - len(shape)
    if extra > 0 and g.shape[extra:] == shape:
        # leading dimensions alone, such as a batch's: the most frequent case
        return add_leading(g, extra)
    dims = (
        tuple(range(extra))
        + tuple(i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1)
        if extra >= 0
        else ()
    )
    if extra < 0 or any(n not in (1, g.shape[i + extra]) for i, n in enumerate(shape)):
        if g.size == size_of(shape) and extra < 0:
            return g.reshape(shape)
        raise wrong_shape(g, shape, edge)
    if not dims:
        return g.reshape(shape)
    return add_dims(g, dims).reshape(shape)


def wrong_shape(g: Any, shape: Any, edge: Any) -> RuntimeError:
    node = edge.node if edge.__class__ is Out else edge
    where = f"{node.name()} at {node.line()}" if isinstance(node, Node) else "a leaf"
    return RuntimeError(
        message(
            "a derivative returned an invalid gradient: "
            f"got {list(g.shape)} but expected shape compatible with {list(shape)}",
            got=f"a gradient of shape {tuple(g.shape)} for {where}",
            wanted=f"the shape of the value, {tuple(shape)}, or one that broadcasts to it",
        )
    )


def size_of(shape: tuple[int, ...]) -> int:
    n = 1
    for s in shape:
        n *= s
    return n


def cast(g: Any, dtype: Any) -> Any:
    """A gradient in the type of its value; the imaginary part goes when the value is real."""
    if g.dtype == dtype:
        return g
    if g.dtype.kind in "cW" and dtype.kind not in "cW":
        g = dense.real_part(g)
    return dense.copied(g, dtype) if g.__class__ is ndarray else g.astype(dtype)


def fit_other(g: Any, shape: tuple[int, ...], dtype: Any, edge: Any) -> Any:
    """`fit` and `cast` for Tensors (recorded) and for NumPy scalars."""
    if not isinstance(g, TensorBase):
        if isinstance(g, SparseArray):
            return fit_sparse(g, shape, dtype, edge)
        return fitted(door.perform(as_array, (g,), {}), shape, dtype, edge)
    if g._a.shape != shape:
        g = fit_tensor(g, shape, edge)
    if g._a.dtype != dtype:
        g = cast_tensor(g, dtype)
    return g


def fit_sparse(g: Any, shape: tuple[int, ...], dtype: Any, edge: Any) -> Any:
    """A sparse gradient, which never was broadcast, in the type of its value."""
    if g.shape != shape:
        raise wrong_shape(g, shape, edge)
    return g if g.dtype == dtype else door.perform(cast_gradient, (g,), {"dtype": dtype})


def fit_tensor(g: Any, shape: tuple[int, ...], edge: Any) -> Any:
    if g._a.size == 0 or 0 in shape:
        return g.new_zeros(shape)
    if g._a.size < size_of(shape):
        return g.expand(shape)
    extra = g._a.ndim - len(shape)
    if extra < 0 or any(n not in (1, g._a.shape[i + extra]) for i, n in enumerate(shape)):
        if extra < 0 and g._a.size == size_of(shape):
            return g.reshape(shape)
        raise wrong_shape(g._a, shape, edge)
    return g.sum_to_size(shape)


unbroadcast = Step("unbroadcast", fit)
cast_gradient = Step("cast_gradient", cast)


def cast_tensor(g: Any, dtype: Any) -> Any:
    from ..dtypes import from_numpy

    if g._a.dtype.kind in "cW" and dtype.kind not in "cW":
        g = g.real
    return g.to(from_numpy(dtype))
