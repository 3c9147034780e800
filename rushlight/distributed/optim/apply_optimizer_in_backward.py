"""Optimisers that step while the backward goes on, so a gradient lives only until it is used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor


def _apply_optimizer_in_backward(
    optimizer_class: type[Optimizer],
    params: Iterable[Tensor],
    optimizer_kwargs: dict[str, Any],
    register_hook: bool = True,
) -> None:
    """Give each parameter an optimiser of its own, which steps when its gradient is accumulated.

    The gradient is None after the backward. Several calls for one parameter give it several
    optimisers, which step in the order of the calls.

    Args:
        optimizer_class: such as `torch.optim.SGD`.
        params: the parameters.
        optimizer_kwargs: arguments of `optimizer_class`.
        register_hook: False only notes the optimisers, for code that lets them step itself.

    >>> from rushlight.distributed.optim import _apply_optimizer_in_backward
    >>> w = torch.nn.Parameter(torch.ones(2))
    >>> _apply_optimizer_in_backward(torch.optim.SGD, [w], {"lr": 0.5})
    >>> w.sum().backward()
    >>> w.tolist(), w.grad
    ([0.5, 0.5], None)
    """
    for param in params:
        p: Any = param
        first = not hasattr(p, "_in_backward_optimizers")
        if first:
            p._in_backward_optimizers, p._optimizer_classes, p._optimizer_kwargs = [], [], []
        p._in_backward_optimizers.append(optimizer_class([p], **optimizer_kwargs))
        p._optimizer_classes.append(optimizer_class)
        p._optimizer_kwargs.append(optimizer_kwargs)
        if register_hook and not hasattr(p, "_in_backward_hook"):
            p._in_backward_hook = p.register_post_accumulate_grad_hook(_step)


def _step(param: Any) -> None:
    for optimizer in param._in_backward_optimizers:
        optimizer.step()
    param.grad = None


def _get_in_backward_optimizers(module: Any) -> list[Optimizer]:
    """The optimisers of a module's parameters, for checkpoints; they need no `step`."""
    return [o for p in module.parameters() for o in getattr(p, "_in_backward_optimizers", [])]
