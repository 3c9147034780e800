"""SGD: gradient descent, plain, with momentum or with Nesterov's."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from rushlight.autograd.node import Extras
from rushlight.autograd.specialize import plain
from rushlight.errors import message
from rushlight.kernels.optim import formulas, select
from rushlight.layout import strided
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.parts import parts_of
from rushlight.optim.stepping import (
    FormulaOptimizer,
    Group,
    changed,
    check_flags,
    check_lr,
    check_not_negative,
    zeros_like,
)
from rushlight.tensor import Tensor

__all__ = ["SGD"]


class SGD(FormulaOptimizer):
    """Stochastic gradient descent: p <- p - lr * g.

    With momentum the step is `lr * average`, where `average <- momentum * average + (1 - dampening)
    * g` starts as the first gradient; with `nesterov` it is `lr * (g + momentum * average)`.

    Args:
        params: parameters, named parameters or groups of them.
        lr: the learning rate, a number or a one-element Tensor.
        momentum: how much of the average survives a step.
        dampening: how much of a new gradient is kept from the average.
        weight_decay: L2 penalty; adds `weight_decay * p` to the gradient.
        nesterov: look ahead; needs a momentum and no dampening.
        maximize: climb instead of descend.
        foreach, fused: accepted; one implementation serves all.
        differentiable: let autograd go through the step, through the first average too (which
            PyTorch detaches).

    Sutskever et al., On the importance of initialization and momentum in deep learning (2013).

    >>> w = nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = optim.SGD([w], lr=0.1, momentum=0.9)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w**2).sum().backward()  # the gradient is 2 * w
    ...     optimizer.step()
    ...     print(w.data)
    tensor([ 0.8000, -1.6000])
    tensor([ 0.4600, -0.9200])
    """

    _formula = (formulas.sgd_numbers, formulas.sgd)
    _scalars = ()
    _later: ClassVar[dict[str, Any]] = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                message(
                    "Nesterov momentum requires a momentum and zero dampening",
                    got=f"momentum={momentum}, dampening={dampening}",
                    hint="momentum=0.9, dampening=0",
                )
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_flags(differentiable, foreach, fused)

    def _update(self, group: Group) -> None:
        h = self._settings(group)
        momentum = group["momentum"] != 0
        state_of = self.state
        firsts: dict[Any, list[Any]] = {}
        laters: dict[Any, list[Any]] = {}
        last: Any = None
        arrays: list[Any] = []
        stepped = []
        parts: list[Any] = []
        for p in group["params"]:
            x = p._x  # what the attribute looks at
            grad = x.grad if x.__class__ is Extras and p.__class__ in plain else None
            if grad is None and (grad := p.grad) is None:
                continue
            if grad.__class__ is not Tensor:
                if parts_of(p) is not None:
                    parts.append(p)
                    continue
                if grad.layout is not strided:
                    self._sparse_step(p, grad, group)
                    continue
            a = p._a
            if not momentum:
                if a.dtype is not last:  # to hash a dtype takes a while
                    last = a.dtype
                    arrays = laters.setdefault(last, [])
                arrays += (a, grad._a)
            else:
                state = state_of[p]
                average = state.get("momentum_buffer")
                if average is None:
                    average = state["momentum_buffer"] = zeros_like(p)
                    firsts.setdefault(a.dtype, []).extend((a, grad._a, average._a))
                else:
                    if a.dtype is not last:
                        last = a.dtype
                        arrays = laters.setdefault(last, [])
                    arrays += (a, grad._a, average._a)
            stepped.append(p)
        names = ("momentum_buffer",) if momentum else ()
        for first, by_dtype in ((True, firsts), (False, laters)):
            if by_dtype:
                made = h.__dict__.get(f"numbers {first}")
                if made is None:
                    with np.errstate(all="ignore"):
                        made = select.Kept(formulas.sgd_numbers(h, first))
                    h.__dict__[f"numbers {first}"] = made
                for each in by_dtype.values():
                    self._run_all(formulas.sgd, made, each, names)
        changed(stepped)
        if parts:
            self._update_parts(group, parts)

    def _sparse_step(self, p: Tensor, grad: Any, group: Group) -> None:
        """The rows that have a gradient move; with momentum those that ever had one."""
        from rushlight.sparse.rows import add_rows, coalesced, scaled

        h = self._settings(group)
        if h.weight_decay != 0:
            raise RuntimeError(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
            )
        g = scaled(coalesced(grad._a), -1.0 if h.maximize else 1.0)
        if h.momentum != 0:
            state = self.state[p]
            average = state.get("momentum_buffer")
            if average is None:
                state["momentum_buffer"] = Tensor._wrap(g.copy())
                total = g
            else:
                total = scaled(average._a, h.momentum) + scaled(g, 1 - h.dampening)
                state["momentum_buffer"] = Tensor._wrap(total)
            g = g + scaled(total, h.momentum) if h.nesterov else total
        add_rows(p, g, -h.lr)

    def _record(self, group: Group) -> None:
        from types import SimpleNamespace

        h = SimpleNamespace(**group)
        for p in group["params"]:
            if p.grad is None:
                continue
            state = self.state[p] if group["momentum"] != 0 else {}
            first = state.get("momentum_buffer") is None
            k = SimpleNamespace(**formulas.sgd_numbers(h, first))
            if group["momentum"] == 0:
                self._record_one(formulas.sgd, k, p, state, (), ())
                continue
            average = zeros_like(p) if first else state["momentum_buffer"]
            self._record_one(formulas.sgd, k, p, state, ("momentum_buffer",), (average,))
