"""Adagrad: a step for each element, shrinking with the squares it has seen."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.kernels.optim import formulas
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    State,
    check_flags,
    check_lr,
    check_not_negative,
    full_like,
    scalar,
)
from rushlight.tensor import Tensor

__all__ = ["Adagrad"]


class Adagrad(FormulaOptimizer):
    """Adagrad: p <- p - lr_t * g / (sqrt(sum of g^2) + eps), lr_t = lr / (1 + (t - 1) * lr_decay).

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        lr_decay: how fast the learning rate falls.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        initial_accumulator_value: what the sum of squares starts with.
        eps: keeps the division away from zero.
        maximize: climb instead of descend.
        foreach, fused: accepted; one implementation serves all.
        differentiable: let autograd go through the step.

    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning (2011).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.Adagrad([w], lr=0.1)
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> w.data
    tensor([ 0.9000, -1.9000])
    >>> optimizer.state[w]["sum"]  # of the squared gradients
    tensor([ 4., 16.])
    """

    _formula = (formulas.adagrad_numbers, formulas.adagrad)
    _later: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative(
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_flags(differentiable, foreach, fused)
        # Unlike the others' it is there before the first step: share_memory() may follow.
        for group in self.param_groups:
            for p in group["params"]:
                self._start(p, self.state[p], group)

    def _names(self, group: Group) -> tuple[Any, ...]:
        return ("sum",)

    def _start(self, p: Tensor, state: State, group: Group) -> None:
        value = self.defaults["initial_accumulator_value"]
        state["step"] = scalar(0.0, group)
        state["sum"] = full_like(p, complex(value, value) if p.is_complex() else value)

    def _sparse_step(self, p: Tensor, grad: Any, group: Group) -> None:
        """The rows that have a gradient move by it over the root of their sums of squares."""
        from rushlight.sparse.rows import adagrad_rows

        h = self._settings(group)
        if h.weight_decay != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        state = self.state[p]
        state["step"]._a[...] += 1
        rate = h.lr / (1 + (float(state["step"]._a) - 1) * h.lr_decay)
        adagrad_rows(p, grad, state["sum"], rate, h.eps, h.maximize)

    def share_memory(self) -> None:
        """Move the sums into memory that other processes can see."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()
