"""Muon: momentum made orthogonal, for matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight.array_memory import locked
from rushlight.autograd import door
from rushlight.autograd.changes import unlock_all
from rushlight.autograd.steps import step
from rushlight.errors import message
from rushlight.kernels.optim.matrix import muon
from rushlight.optim.optimizer import Optimizer, ParamsT, evaluated
from rushlight.optim.parts import parts_of, step_whole
from rushlight.optim.stepping import (
    Group,
    State,
    changed,
    check,
    number,
    refuse_sparse,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["Muon"]


@step(outputs=0, mutates=(0, 2))
def _update(p: Any, g: Any, average: Any, **kw: Any) -> None:
    """One parameter's update; narrow types are computed in float32."""
    if p.dtype.itemsize > 2:
        muon(p, g, average, **kw)
        return
    wide = [a.astype(np.float32) for a in (p, g, average)]
    muon(*wide, **kw)
    p[...] = wide[0]
    average[...] = wide[2]


_update.name = "muon"


class Muon(Optimizer):
    """Muon: the averaged gradient of a weight matrix, brought to an orthogonal matrix, is the step.

    For two-dimensional parameters of hidden layers; biases, embeddings and heads belong to another
    optimizer such as AdamW.

    Args:
        params: two-dimensional parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        weight_decay: decoupled; shrinks p by `lr * weight_decay`.
        momentum: how much of the average survives a step.
        nesterov: look ahead.
        ns_coefficients: the quintic of the Newton-Schulz iteration.
        eps: keeps the norm away from zero.
        ns_steps: iterations, below 100.
        adjust_lr_fn: "original" (None): times sqrt(max(1, rows / columns)); "match_rms_adamw":
            times 0.2 * sqrt(max(rows, columns)), for settings tuned with AdamW.

    Jordan, Muon (2024); Liu et al., Muon is Scalable for LLM Training (arXiv:2502.16982).

    >>> w = nn.Parameter(torch.zeros(2, 2))
    >>> optimizer = optim.Muon([w], lr=0.1, weight_decay=0)
    >>> w.grad = torch.tensor([[3.0, 0.0], [0.0, 0.1]])
    >>> optimizer.step()
    >>> w.detach().round(decimals=2)  # both directions move about as far
    tensor([[-0.0700,  0.0000],
            [ 0.0000, -0.1100]])
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(message("Tensor lr must be 1-element", got=tuple(lr.shape)))
        rate: Any = lr
        check(rate >= 0.0, f"Learning rate should be >= 0 but is: {lr}", "lr >= 0")
        check(momentum >= 0.0, f"momentum should be >= 0 but is: {momentum}", "momentum >= 0")
        what = f"weight decay should be >= 0 but is: {weight_decay}"
        check(weight_decay >= 0.0, what, "weight_decay >= 0")
        check(
            adjust_lr_fn in (None, "original", "match_rms_adamw"),
            f"Adjust learning rate function {adjust_lr_fn} is not supported",
            '"original" or "match_rms_adamw"',
        )
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                check(
                    p.ndim == 2,
                    "Muon only supports 2D parameters whereas we found a parameter with size: "
                    f"{p.size()}",
                    "matrices; give the others to optim.AdamW",
                )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
            closure: evaluates the model again and returns the loss, which is returned.
        """
        loss = evaluated(closure)
        with np.errstate(all="ignore"):
            for group in self.param_groups:
                if locked:
                    unlock_all(group["params"])
                self._update(group)
        return loss

    def _update(self, group: Group) -> None:
        what = "Number of steps must be less than 100 for computational efficiency"
        check(group["ns_steps"] < 100, what, "ns_steps < 100")
        what = "Coefficients must be a tuple of exactly 3 values"
        check(len(group["ns_coefficients"]) == 3, what, "(a, b, c)")
        for p in group["params"]:
            if p.grad is None:
                continue
            if p.grad.is_sparse:
                refuse_sparse(type(self).__name__)
            if p.is_complex():
                raise RuntimeError(
                    message("Muon does not support complex parameters", hint="optim.AdamW")
                )
            one = partial(self._step, group)
            if parts_of(p) is None:
                one(p, self.state[p])
            else:  # an orthogonal matrix is one of the whole
                step_whole(p, self.state[p], one)
            changed([p])

    def _step(self, group: Group, p: Any, state: State) -> None:
        """One step of one parameter."""
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = zeros_like(p)
        kw = dict(
            lr=float(number(group["lr"])),
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            nesterov=group["nesterov"],
            ns_coefficients=group["ns_coefficients"],
            ns_steps=group["ns_steps"],
            eps=group["eps"],
            adjust_lr_fn=group["adjust_lr_fn"],
        )
        door.perform(_update, (p._a, p.grad._a, state["momentum_buffer"]._a), kw)
