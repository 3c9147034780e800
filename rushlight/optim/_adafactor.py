"""Adafactor: Adam's second moment in the memory of a row and a column."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.array_memory import locked
from rushlight.autograd import door, steps
from rushlight.autograd.backward import zeros
from rushlight.autograd.changes import unlock_all
from rushlight.autograd.steps import step
from rushlight.errors import message
from rushlight.kernels.optim.matrix import adafactor
from rushlight.optim.optimizer import Optimizer, ParamsT, evaluated
from rushlight.optim.parts import parts_of, step_whole
from rushlight.optim.stepping import (
    Group,
    State,
    changed,
    check,
    number,
    refuse_sparse,
    scalar,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["Adafactor"]


@step(outputs=0, mutates=(0, 2, 3, 4))
def _update(p: Any, g: Any, *states: Any, step: float, **kw: Any) -> None:
    """One parameter's update; narrow types are computed in float32."""
    if p.dtype.itemsize > 2:
        adafactor(p, g, step, *states, **kw)
        return
    wide: list[Any] = [None if a is None else a.astype(np.float32) for a in (p, g, *states)]
    adafactor(wide[0], wide[1], step, *wide[2:], **kw)
    for a, new in zip((p, None, *states), (wide[0], None, *wide[2:]), strict=True):
        if a is not None:
            a[...] = new


_update.name = "adafactor"


class Adafactor(Optimizer):
    """Adafactor: no momentum, a factored second moment, steps relative to the parameter's size.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the largest relative step; step t uses min(lr, 1 / sqrt(t)).
        beta2_decay: the decay rate of the second moment is 1 - t ** beta2_decay.
        eps: (eps1, eps2): eps1 bounds the second moment (None: the dtype's epsilon), eps2 the
            parameter's size from below.
        d: the largest root mean square of an update before it is clipped.
        weight_decay: decoupled; shrinks p by `lr * weight_decay`.
        foreach: accepted; one implementation serves both.
        maximize: climb instead of descend.

    Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost
    (arXiv:1804.04235).

    The second moment of a matrix is kept as one row and one column:

    >>> w = nn.Parameter(torch.ones(3, 4))
    >>> optimizer = optim.Adafactor([w])
    >>> (w**2).sum().backward()
    >>> optimizer.step()
    >>> state = optimizer.state[w]
    >>> state["row_var"].shape, state["col_var"].shape
    (torch.Size([3, 1]), torch.Size([1, 4]))
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(message("Tensor lr must be 1-element", got=tuple(lr.shape)))
        rate: Any = lr
        check(rate >= 0.0, f"Learning rate should be >= 0 but is: {lr}", "lr >= 0")
        what = f"beta2_decay should be <= 0 but is: {beta2_decay}"
        check(beta2_decay <= 0.0, what, "beta2_decay <= 0")
        what = f"epsilon1 should be >= 0 but is: {eps[0]}"
        check(eps[0] is None or eps[0] >= 0.0, what, "eps[0] >= 0 or None")
        check(eps[1] >= 0.0, f"epsilon2 should be >= 0 but is: {eps[1]}", "eps[1] >= 0")
        check(d >= 1.0, f"Clipping threshold d should be >= 1 but is: {d}", "d >= 1")
        what = f"weight_decay should be >= 0 but is: {weight_decay}"
        check(weight_decay >= 0.0, what, "weight_decay >= 0")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
            for p in group["params"]:
                held = self.state.get(p)
                if held and not isinstance(held["step"], Tensor):
                    held["step"] = scalar(float(held["step"]))

    def _start(self, p: Tensor, state: State) -> None:
        state["step"] = scalar(0.0)
        a = p._a
        if a.ndim > 1:
            state["row_var"] = zeros((*a.shape[:-1], 1), a.dtype)
            state["col_var"] = zeros((*a.shape[:-2], 1, a.shape[-1]), a.dtype)
        else:
            state["variance"] = zeros_like(p)

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
        for p in group["params"]:
            if p.grad is None:
                continue
            if p.grad.is_sparse:
                refuse_sparse(type(self).__name__)
            if p.is_complex():
                raise RuntimeError(
                    message("Adafactor does not support complex parameters", hint="optim.Adam")
                )
            one = partial(self._step, group)
            if parts_of(p) is None:
                one(p, self.state[p])
            else:  # the sums of rows and columns are of the whole
                step_whole(p, self.state[p], one)
            changed([p])

    def _step(self, group: Group, p: Any, state: State) -> None:
        """One step of one parameter."""
        if not state:
            self._start(p, state)
        step = state["step"]._a
        now = step[()] + 1
        door.perform(steps.store, (step,), {"value": now})
        names = ("row_var", "col_var", "variance")
        held = [state[name]._a if name in state else None for name in names]
        eps1, eps2 = group["eps"]
        kw = dict(
            step=float(now),
            lr=float(number(group["lr"])),
            beta2_decay=group["beta2_decay"],
            eps1=float(dtypes.finfo(p.dtype).eps) if eps1 is None else eps1,
            eps2=eps2,
            d=group["d"],
            weight_decay=group["weight_decay"],
            maximize=group["maximize"],
        )
        arrays, back = door.resolved_for((p._a, p.grad._a, *held))
        door.perform(_update, arrays, kw)
        back()
