"""Reductions as records: a formula that combines two partial results, and where it starts.

    @reduction(identity=-inf, samples=...)
    def amax(a, b):
        "The largest value over `dim`."
        return maximum(a, b)

Large arrays go to a kernel for the formula (`kernels/reduce/select.py`), fused with what is made of
each element first (`of`); NumPy runs it through the `reduce` of the ufunc behind it. The parameters
`dim` (None and () mean all) and `keepdim` are the same for all. Examples: `reduce/sums.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import axes
from ...kernels.codegen.expr import Expr, Trace
from ...kernels.meta import MetaArray
from ...kernels.reduce import select as reduce_kernels
from .record import Op, register


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The reduced dimensions, in range; all of them for None and ()."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    if dim is None or dim == ():
        return tuple(range(ndim))
    if ndim == 0:
        axes(dim, 0)
        return ()
    return axes(dim, ndim)


def reduced_shape(shape: Any, dim: Any, keepdim: bool) -> tuple[int, ...]:
    """The shape that remains after a reduction."""
    dims = dims_of(dim, len(shape))
    return tuple(1 if i in dims else n for i, n in enumerate(shape) if keepdim or i not in dims)


def keep(g: Any, shape: Any, dim: Any, keepdim: bool) -> Any:
    """A reduced value with its lost dimensions back as 1."""
    if keepdim or (dim is None and g.ndim == 0):
        return g
    return g.reshape(reduced_shape(shape, dim, True))


def no_identity(name: str, x: Any, dims: tuple[int, ...], dim: Any = None) -> None:
    """Raise when an extreme of nothing is asked for."""
    for d in dims:
        if x.size == 0 and x.shape[d] == 0:
            if dim is None or dim == ():
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument."
                )
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def quick_dims(dim: Any, ndim: int) -> Any:
    """The reduced dimensions as kernels take them: None and an int in range stay as they are."""
    if dim is None or (dim.__class__ is int and -ndim <= dim < ndim):
        return dim
    return dims_of(dim, ndim)


def by_numpy(x: Any, compute: Callable[[Any], Any]) -> Any:
    """`compute(x)`; types below float32 are computed in float32 and rounded."""
    if x.dtype not in dtypes.LOW_NP:
        return compute(x)
    y = compute(x.astype(dtypes.wide(x.dtype)))
    return np.asarray(y).astype(x.dtype) if y.dtype == np.float32 else y


def reduction(
    *,
    identity: float,
    empty: bool = True,
    before: Callable[[Any], Any] | None = None,
    after: Callable[[Any, Any], Any] | None = None,
    by: Callable[..., Any] | None = None,
    of: Callable[[Any], Any] | None = None,
    dim: Any = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """Declare a reduction by the formula that combines two partial results.

    Args:
        identity: the partial result of nothing.
        empty: whether reducing no elements gives the identity (False: an error, as for extremes).
        before: what happens to the array first (integers are widened for sums).
        after: (result, input) -> result.
        by: an array routine (x, dims, keepdims) in place of the ufunc's own `reduce`.
        of: a formula of each element, computed before two are combined.
        dim: the default of the parameter `dim`.
    """

    def declare(combine: Callable[..., Any]) -> Op:
        trace = Trace()
        root = combine(trace.variable("a"), trace.variable("b"))
        ufunc: Any = getattr(np, root.op.name, None) if isinstance(root, Expr) else None
        if isinstance(root, Expr) and isinstance(root.op.ufunc, np.ufunc):
            ufunc = root.op.ufunc
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"{combine.__name__}: the formula must be one intrinsic of a and b")
        name = combine.__name__.rstrip("_")
        known = reduce_kernels.PLAIN[ufunc.__name__ if ufunc is not np.multiply else "mul"]

        def plain(x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
            x = x if before is None else before(x)
            x = x if of is None else of(x)
            if by is not None:
                return by(x, dims, keepdim)
            return ufunc.reduce(x, axis=dims, keepdims=keepdim)

        def reference(x: Any, *, dims: Any, keepdims: bool, over: float) -> Any:
            dims = dims_of(dims, x.ndim)
            return by_numpy(x, lambda x: plain(x, dims, keepdims))

        reference.__name__ = f"{name}_by_numpy"
        fold = reduce_kernels.Reduction(
            known.how, known.formula if of is None else of, "" if of is None else name,
            finish="" if of is not None else known.finish, reference=reference,
            few=ufunc if of is None else None,
        )  # fmt: skip

        def forward(input: Any, *, dim: Any = dim, keepdim: bool = False) -> Any:
            if not empty and not input.size:
                no_identity(name, input, dims_of(dim, input.ndim), dim)
            y = fold((input,), quick_dims(dim, input.ndim), keepdim)
            return y if after is None else after(y, input)

        def plan(input: Any, *, dim: Any = dim, keepdim: bool = False) -> Any:
            return fold.plan((input,), quick_dims(dim, input.ndim), keepdim)

        def shape(x: Any, dim: Any = dim, keepdim: bool = False) -> MetaArray:
            if not empty and not x.size:
                no_identity(name, x, dims_of(dim, x.ndim), dim)
            dtype = forward(np.ones(1, x.dtype)).dtype
            return MetaArray(reduced_shape(x.shape, dim, keepdim), dtype)

        forward.__name__, forward.__doc__ = name, combine.__doc__
        record = register(
            Op(forward, "reduction", ufunc=ufunc, combine=combine, identity=identity,
               low="own", plan=plan, **options)
        )  # fmt: skip
        code = combine.__code__
        record.declared = (code.co_filename, code.co_firstlineno)
        return record.shape(shape)

    return declare
