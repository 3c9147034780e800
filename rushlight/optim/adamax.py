"""Adamax: Adam with the infinity norm."""

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

__all__ = ["Adamax"]


class Adamax(FormulaOptimizer):
    """Adamax: p <- p - lr * m' / u, where u is the decaying maximum of |g|.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        betas: decay rates of m and u.
        eps: added to |g|.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Kingma and Ba, Adam: A Method for Stochastic Optimization (arXiv:1412.6980), section 7.

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.Adamax([w], lr=0.1)
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.9000, -1.9000])
    >>> optimizer.state[w]["exp_inf"]  # the largest |gradient| so far
    tensor([2., 4.])
    """

    _formula = (formulas.adamax_numbers, formulas.adamax)
    _later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
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
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("exp_avg", "exp_inf")
