"""RAdam: Adam with a rectified variance."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    check_betas,
    check_lr,
    check_not_negative,
)
from rushlight.tensor import Tensor

__all__ = ["RAdam"]


class RAdam(FormulaOptimizer):
    """RAdam: plain momentum until the average of squares is long enough to be trusted, then Adam.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        betas: decay rates of m and v.
        eps: keeps the division away from zero.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        decoupled_weight_decay: shrink the parameter by `lr * weight_decay` instead.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Liu et al., On the Variance of the Adaptive Learning Rate and Beyond (arXiv:1908.03265).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.RAdam([w], lr=0.1)
    >>> (w**2).sum().backward()
    >>> optimizer.step()  # the first steps are plain momentum: lr times the gradient
    >>> w.data
    tensor([ 0.8000, -1.6000])
    """

    _formula = (formulas.radam_numbers, formulas.radam)
    _later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(eps=eps)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("exp_avg", "exp_avg_sq")
