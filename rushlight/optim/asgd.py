"""ASGD: gradient descent that also keeps the average of its path."""

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
    number,
    scalar,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["ASGD"]


class ASGD(FormulaOptimizer):
    """Averaged stochastic gradient descent; the average of p is `state[p]["ax"]`.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the first learning rate; it falls as lr / (1 + lambd * lr * t) ** alpha.
        lambd: decay of the parameters and of the learning rate.
        alpha: power of the learning rate's fall.
        t0: the step at which averaging begins.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step (not through the learning rate).

    Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.ASGD([w], lr=0.1, t0=0)
    >>> for _ in range(3):
    ...     w.grad = torch.ones(2)
    ...     optimizer.step()
    >>> w.data
    tensor([ 0.7000, -2.2999])
    >>> optimizer.state[w]["ax"]  # the average that is used in the end
    tensor([ 0.7500, -2.2499])
    """

    _formula = (formulas.asgd_numbers, formulas.asgd)
    _scalars = ("step", "eta", "mu")
    _later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("ax",)

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        state["step"] = scalar(0.0)
        state["eta"] = scalar(number(group["lr"]))
        state["mu"] = scalar(1.0)
        state["ax"] = zeros_like(p)
