"""NAdam: Adam with Nesterov momentum."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    State,
    check_betas,
    check_lr,
    check_not_negative,
    scalar,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["NAdam"]


class NAdam(FormulaOptimizer):
    """NAdam: Adam that looks one step of momentum ahead.

    The momentum of step t is `mu_t = beta1 * (1 - 0.96 ** (t * momentum_decay) / 2)`; the gradient
    enters with weight `(1 - mu_t) / (1 - P_t)` and the average with `mu_{t+1} / (1 - P_{t+1})`,
    where P is the product of all mu so far.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        betas: decay rates of m and v.
        eps: keeps the division away from zero.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        momentum_decay: how fast the momentum reaches beta1.
        decoupled_weight_decay: shrink the parameter by `lr * weight_decay` instead.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Dozat, Incorporating Nesterov Momentum into Adam (2016).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.NAdam([w], lr=0.1)
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.8944, -1.8944])
    """

    _formula = (formulas.nadam_numbers, formulas.nadam)
    _scalars = ("step", "mu_product")
    _later: ClassVar[dict[str, Any]] = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_not_negative(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("exp_avg", "exp_avg_sq")

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        state["step"] = scalar(0.0)
        state["mu_product"] = scalar(1.0)
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)
