"""Gradients limited by their common norm, or value by value. Read next: `convert_parameters.py`."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import rushlight

from ...array_memory import locked
from ...autograd import door
from ...autograd.changes import all_changed, unlock_all
from ...autograd.grad_mode import no_grad
from ...autograd.steps import Step, step
from ...errors import message
from ...kernels.multi_tensor import select as multi_tensor
from ...optim.parts import Parts, local, parts_of
from ...tensor import Tensor
from ..parameter import Parameter

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Tensors = Tensor | Iterable[Tensor]


def _grads(parameters: Tensors) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


def _bare(tensors: list[Tensor]) -> bool:
    """Whether no class of its own answers for one of the tensors."""
    return all([t.__class__ is Tensor or t.__class__ is Parameter for t in tensors])


@step(shown="aten::_foreach_norm")
def total_norm(*arrays: Any, order: float) -> Any:
    """The norm of all elements together, in the arrays' type."""
    found = multi_tensor.norm(arrays, order)
    with np.errstate(over="ignore"):
        return np.array(found, arrays[0].dtype)


class _EachOf(Step):
    """A step that writes to its operands, but for the last one where that is a factor."""

    __slots__ = ()

    def written(self, arrays: Any, kw: dict[str, Any]) -> tuple[int | str, ...]:
        return tuple(range(len(arrays) - (self is scale)))


scale = _EachOf(
    "scale",
    lambda *arrays: multi_tensor.scale(arrays[:-1], arrays[-1]),
    outputs=0,
    shown="aten::_foreach_mul_",
)
limit = _EachOf(
    "limit",
    lambda *arrays, low, high: multi_tensor.limit(arrays, low, high),
    outputs=0,
    shown="aten::_foreach_clamp_",
)


def _is_real(tensors: list[Tensor]) -> bool:
    """Whether all are float32, or all float64: then sums are made in float64."""
    kinds = {t.dtype for t in tensors}
    return len(kinds) == 1 and kinds <= {rushlight.float32, rushlight.float64}


def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors as if they were one vector.

    Orders 1, 2 and inf of float32 or float64 tensors are summed in float64 in one pass; others are
    the norm of the tensors' norms.

    >>> nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return rushlight.as_tensor(0.0)
    with no_grad():
        arrays = [t._a for t in tensors]
        bare = _bare(tensors)
        spread: list[Parts] = []
        if not bare:
            spread = [how for t in tensors if (how := parts_of(t)) is not None]  # over processes
        if spread and norm_type:
            total = spread[0].total_norm(tensors, norm_type)
        elif bare and multi_tensor.has_norm(arrays, norm_type):
            total = Tensor._wrap(door.perform(total_norm, arrays, {"order": norm_type}))
        else:
            wide = (
                rushlight.float64 if _is_real(tensors) and norm_type in multi_tensor.NORMS else None
            )
            norms = [rushlight.linalg.vector_norm(t, norm_type, dtype=wide) for t in tensors]
            total = rushlight.linalg.vector_norm(rushlight.stack(norms), norm_type)
            total = total.to(tensors[0].dtype) if wide is not None else total
        if error_if_nonfinite and not local(total).isfinite():
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is "
                "non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
    return total


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Multiply all gradients by min(1, max_norm / (total_norm + 1e-6)), in place.

    Args:
        parameters: a tensor, or tensors whose gradients count.
        max_norm: the greatest norm.
        total_norm: the norm that they have, such as `get_total_norm` gave.
        foreach: accepted, and of no effect.

    >>> w = nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> nn.utils.clip_grads_with_norm_(w, 1.0, torch.tensor(10.0))
    >>> w.grad
    tensor([0.3000, 0.4000])
    """
    grads = _grads(parameters)
    if not grads:
        return
    if not _bare(grads):
        grads = [local(g) for g in grads]
    total_norm = local(total_norm)
    if locked:
        unlock_all(grads)
    with no_grad():
        # Multiplying by 1 where nothing is to clip costs less than finding out.
        factor = rushlight.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        arrays = [g._a for g in grads]
        if (
            multi_tensor.plain(arrays) is not None
            and arrays[0].dtype == factor._a.dtype
            and _bare(grads)
        ):
            door.perform(scale, [*arrays, factor._a], {})
            all_changed(grads, "clip_grads_with_norm_")
            return
        for grad in grads:
            grad.mul_(factor.to(grad.dtype) if factor.dtype != grad.dtype else factor)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients, in place, so that their common norm is at most `max_norm`.

    Args:
        parameters: a tensor, or tensors whose gradients count.
        max_norm: the greatest norm.
        norm_type: the p of the norm; 'inf' for the maximum.
        error_if_nonfinite: raise RuntimeError when the norm is nan or inf.
        foreach: accepted, and of no effect.

    Returns the norm before.

    >>> w = nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> nn.utils.clip_grad_norm_(w, 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    if not isinstance(parameters, Tensor):
        generator = isinstance(parameters, types.GeneratorType)
        if hasattr(parameters, "parameters"):
            what = f"'{type(parameters).__name__}' object is not iterable"
            raise TypeError(message(what, hint="model.parameters()"))
        parameters = list(parameters)
        if generator and not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.",
                stacklevel=2,
            )
    total = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of `clip_grad_norm_`; it warns.

    >>> import warnings
    >>> w = nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     nn.utils.clip_grad_norm(w, 1.0)
    tensor(5.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Limit every element of the gradients to ±clip_value, in place.

    >>> w = nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, -0.5])
    >>> nn.utils.clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([ 1.0000, -0.5000])
    """
    clip_value = float(clip_value)
    grads = _grads(parameters)
    if locked:
        unlock_all(grads)
    with no_grad():
        arrays = [g._a for g in grads]
        if multi_tensor.plain(arrays) is not None and _bare(grads):
            door.perform(limit, arrays, {"low": -clip_value, "high": clip_value})
            all_changed(grads, "clip_grad_value_")
            return
        for grad in grads:
            grad.clamp_(min=-clip_value, max=clip_value)


_get_total_norm: Any = get_total_norm
_clip_grads_with_norm_: Any = clip_grads_with_norm_
