"""Rprop: steps that look at the sign of the gradient alone."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    State,
    check,
    check_lr,
    full_like,
    number,
    scalar,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["Rprop"]


class Rprop(FormulaOptimizer):
    """Resilient backpropagation: p <- p - sign(g) * size, with a size for each element.

    A size grows by `etas[1]` while its gradient keeps its sign and shrinks by `etas[0]`, without a
    move in that step, when the sign changes.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the first step size, a number or a one-element Tensor.
        etas: factors of decrease and increase.
        step_sizes: the smallest and the largest step size.
        maximize: climb instead of descend.
        foreach, capturable: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).

    Only the signs of the gradient count:

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.Rprop([w], lr=0.1)
    >>> for gradient in ([5.0, -0.1], [1.0, -7.0]):
    ...     w.grad = torch.tensor(gradient)
    ...     optimizer.step()
    >>> w.data  # a step of 0.1, then one of 0.12
    tensor([ 0.7800, -1.7800])
    """

    _formula = (formulas.rprop_numbers, formulas.rprop)
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
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        what = f"Invalid eta values: {etas[0]}, {etas[1]}"
        check(0.0 < etas[0] < 1.0 < etas[1], what, "0 < etas[0] < 1 < etas[1]")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("prev", "step_size")

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        lr = number(group["lr"])
        state["step"] = scalar(0.0)
        state["prev"] = zeros_like(p)
        # The parts of a complex number are two independent elements.
        state["step_size"] = full_like(p, complex(lr, lr) if p.is_complex() else lr)
