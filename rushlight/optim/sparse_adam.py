"""SparseAdam: Adam for sparse gradients, which moves the rows that have one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.errors import message
from rushlight.layout import strided
from rushlight.optim.optimizer import Optimizer, ParamsT, evaluated
from rushlight.optim.stepping import number, zeros_like
from rushlight.tensor import Tensor

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam whose averages change in the rows that have a gradient, and in no others.

    For gradients of `Embedding(sparse=True)`. The averages of rows that were not looked up do not
    decay, so it is not what Adam does with the same gradients written out.

    Args:
        params: parameters, named parameters or groups of them; all dense.
        lr: the learning rate, a number or a one-element Tensor.
        betas: decay rates of the averages of gradients and of their squares.
        eps: keeps the division away from zero.
        maximize: climb instead of descend.

    >>> words = nn.Embedding(4, 2, sparse=True)
    >>> optimizer = optim.SparseAdam(words.parameters(), lr=0.1)
    >>> before = words.weight.detach().clone()
    >>> words(torch.tensor([1, 3])).sum().backward()
    >>> optimizer.step()
    >>> (words.weight.detach() - before).round(decimals=4)  # rows 0 and 2 were not looked up
    tensor([[ 0.0000,  0.0000],
            [-0.1000, -0.1000],
            [ 0.0000,  0.0000],
            [-0.1000, -0.1000]])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(message("Tensor lr must be 1-element", got=f"shape {tuple(lr.shape)}"))
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in (0, 1):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, defaults)
        found = [
            [i, j]
            for i, group in enumerate(self.param_groups)
            for j, p in enumerate(group["params"])
            if p.layout is not strided
        ]
        if found:
            raise ValueError(
                f"Sparse params at indices {found}: SparseAdam requires dense parameter tensors"
            )
        if any(p.is_complex() for group in self.param_groups for p in group["params"]):
            raise ValueError(
                message(
                    "SparseAdam does not support complex parameters",
                    hint="torch.view_as_real(parameter)",
                )
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
            closure: evaluates the model again and returns the loss, which is returned.
        """
        from rushlight.sparse.rows import adam_rows

        loss = evaluated(closure)
        for group in self.param_groups:
            held = [p for p in group["params"] if p.grad is not None]
            if any(p.grad.layout is strided for p in held):
                raise RuntimeError(
                    "SparseAdam does not support dense gradients, please consider Adam instead"
                )
            beta1, beta2 = group["betas"]
            for p in held:
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["exp_avg"], state["exp_avg_sq"] = zeros_like(p), zeros_like(p)
                state["step"] += 1
                n = state["step"]
                size = float(number(group["lr"])) * math.sqrt(1 - beta2**n) / (1 - beta1**n)
                kw = {"size": size, "beta1": beta1, "beta2": beta2, "eps": group["eps"]}
                adam_rows(p, p.grad, state, group["maximize"], **kw)
        return loss
