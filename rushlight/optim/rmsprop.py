"""RMSprop: gradients divided by their running root mean square."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    State,
    check_lr,
    check_not_negative,
    scalar,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["RMSprop"]


class RMSprop(FormulaOptimizer):
    """RMSprop: p <- p - lr * g / (sqrt(E[g^2]) + eps).

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        alpha: decay rate of the averages.
        eps: keeps the division away from zero (outside the root).
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        momentum: how much of the last update survives a step.
        centered: divide by the standard deviation, E[g^2] - E[g]^2 under the root.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Tieleman and Hinton, lecture 6.5 (2012); centered: Graves (arXiv:1308.0850).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.RMSprop([w], lr=0.01)
    >>> (w**2).sum().backward()
    >>> optimizer.step()  # the first step is lr / sqrt(1 - alpha), ten times lr
    >>> w.data
    tensor([ 0.9000, -1.9000])
    """

    _formula = (formulas.rmsprop_numbers, formulas.rmsprop)
    _later: ClassVar[dict[str, Any]] = {
        "momentum": 0,
        "centered": False,
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return (
            "square_avg",
            "momentum_buffer" if group["momentum"] > 0 else None,
            "grad_avg" if group["centered"] else None,
        )

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        state["step"] = scalar(0.0)
        for name in self._names(group):
            if name is not None:
                state[name] = zeros_like(p)
