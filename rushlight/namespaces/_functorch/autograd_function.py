"""`torch._functorch.autograd_function`: helpers of Functions that programs with rules for a batch
use."""

from __future__ import annotations

from typing import Any

__all__ = ["CtxWithSavedTensors", "WrappedCtx", "reductify", "reductify_leaf"]


class WrappedCtx:
    """A context that hands everything on to another one, but names of its own.

    >>> class Ctx: pass
    >>> inner = Ctx()
    >>> WrappedCtx(inner).kept = 3
    >>> inner.kept
    3
    """

    _pt_reserved_attrs: tuple[str, ...] = ("_pt_reserved_attrs", "_pt_inner_ctx")

    def __init__(self, ctx: Any) -> None:
        if not isinstance(ctx, WrappedCtx):
            for name in type(self)._pt_reserved_attrs:
                if hasattr(ctx, name):
                    raise RuntimeError(
                        f"PyTorch reserves the {name} field on ctx. Please name your fields on ctx "
                        "something else to avoid name collision."
                    )
        self._pt_inner_ctx = ctx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pt_inner_ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self)._pt_reserved_attrs:
            self.__dict__[name] = value
        else:
            setattr(self._pt_inner_ctx, name, value)


class CtxWithSavedTensors(WrappedCtx):
    """A context with other `saved_tensors`."""

    _pt_reserved_attrs = ("_pt_new_saved_tensors", *WrappedCtx._pt_reserved_attrs)

    def __init__(self, ctx: Any, new_saved_tensors: Any) -> None:
        super().__init__(ctx)
        self._pt_new_saved_tensors = new_saved_tensors

    @property
    def saved_tensors(self) -> Any:
        """The tensors that it was given."""
        return self._pt_new_saved_tensors


def reductify(
    grad_input: Any,
    grad_input_bdim: Any,
    input_bdim: Any,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:
    """`reductify_leaf` for a gradient or a tuple of them."""
    if not isinstance(grad_input, tuple):
        grad_input, grad_input_bdim = (grad_input,), (grad_input_bdim,)
        input_bdim = (input_bdim,)
    shapes = target_shape_without_bdim_to_reduce_to or len(grad_input) * (None,)
    return tuple(
        reductify_leaf(g, gdim, dim, batch_size, shape)
        for g, gdim, dim, shape in zip(grad_input, grad_input_bdim, input_bdim, shapes, strict=True)
    )


def reductify_leaf(
    grad_input: Any,
    grad_input_bdim: int | None,
    input_bdim: int | None,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:
    """A gradient with (or without) a dimension of a batch as one of the input, which has one at
    `input_bdim` or has none: it is added up over the batch, or repeated.

    Args:
        target_shape_without_bdim_to_reduce_to: the input's shape, if it was broadcast.
    """
    if grad_input is None or (grad_input_bdim is None and input_bdim is None):
        return grad_input
    if grad_input_bdim is not None and input_bdim is None:
        return grad_input.sum(grad_input_bdim)
    assert input_bdim is not None
    if grad_input_bdim is None:
        grad_input = grad_input.unsqueeze(input_bdim)
        shape = list(grad_input.shape)
        shape[input_bdim] = batch_size
        grad_input, grad_input_bdim = grad_input.expand(shape), input_bdim
    if target_shape_without_bdim_to_reduce_to is None:
        return grad_input.movedim(grad_input_bdim, input_bdim)
    target = (batch_size, *target_shape_without_bdim_to_reduce_to)
    whole = grad_input.movedim(grad_input_bdim, 0)
    while whole.ndim > len(target):
        whole = whole.sum(1)
    return whole.sum_to_size(target).movedim(0, input_bdim)
