"""Adadelta: steps in the units of the parameter, without a learning rate to tune."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import FormulaOptimizer, Group, check, check_lr, check_not_negative
from rushlight.tensor import Tensor

__all__ = ["Adadelta"]


class Adadelta(FormulaOptimizer):
    """Adadelta: p <- p - lr * g * rms(past updates) / rms(gradients).

    Args:
        params: parameters, named parameters or groups of them.
        lr: a factor on the update, a number or a one-element Tensor.
        rho: decay rate of both averages of squares.
        eps: added under both roots.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Zeiler, ADADELTA: An Adaptive Learning Rate Method (arXiv:1212.5701).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.Adadelta([w])
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> optimizer.state[w]["square_avg"]  # (1 - rho) times the squared gradient
    tensor([0.4000, 1.6000])
    >>> w.data  # the first steps are tiny: no update has been seen yet
    tensor([ 0.9968, -1.9968])
    """

    _formula = (formulas.adadelta_numbers, formulas.adadelta)
    _later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}", "0 <= rho <= 1")
        check_not_negative(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("square_avg", "acc_delta")
