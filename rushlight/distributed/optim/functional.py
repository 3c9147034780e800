"""Optimisers that are given their gradients: `step(gradients)` instead of `p.grad`.

PyTorch keeps these for code that it compiles; here each is the optimiser of the same name, given
its gradients for the time of a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rushlight import optim
from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor


class FunctionalOptimizer:
    """An optimiser of a fixed list of parameters, whose gradients are arguments of `step`.

    Args:
        params: the parameters; an empty list needs `_allow_empty_param_list=True`.
        **settings: those of the class `optimizer`, whose parameter group is `param_group`.
    """

    optimizer: ClassVar[type[Optimizer]]

    def __init__(
        self,
        params: list[Tensor],
        *args: Any,
        _allow_empty_param_list: bool = False,
        **settings: Any,
    ) -> None:
        if not params and not _allow_empty_param_list:
            raise ValueError("optimizer got an empty parameter list")
        self._inner = self.optimizer([{"params": list(params)}], *args, **settings)
        self.defaults = self._inner.defaults
        self.state = self._inner.state
        self.param_group = self._inner.param_groups[0]

    def step(self, gradients: Sequence[Tensor | None]) -> None:
        """Update with one gradient for each parameter; None leaves one as it is."""
        params = self.param_group["params"]
        if len(params) != len(gradients):
            raise ValueError(
                "the gradients passed in does not equal to the size of the parameters!"
                f"Params length: {len(params)}. Gradients length: {len(gradients)}"
            )
        self._update(params, gradients)

    def step_param(self, param: Tensor, grad: Tensor | None) -> None:
        """Update one parameter, which need not be among those of the list."""
        self.param_group["params"] = [param]
        self._update([param], [grad])

    def _update(self, params: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> None:
        before = [p.grad for p in params]
        try:
            for p, g in zip(params, gradients, strict=True):
                p.grad = g
            self._inner.step()
        finally:
            for p, g in zip(params, before, strict=True):
                p.grad = g


class _FunctionalAdadelta(FunctionalOptimizer):
    optimizer = optim.Adadelta


class _FunctionalAdagrad(FunctionalOptimizer):
    optimizer = optim.Adagrad


class _FunctionalAdam(FunctionalOptimizer):
    optimizer = optim.Adam


class _FunctionalAdamax(FunctionalOptimizer):
    optimizer = optim.Adamax


class _FunctionalAdamW(FunctionalOptimizer):
    optimizer = optim.AdamW


class _FunctionalRMSprop(FunctionalOptimizer):
    optimizer = optim.RMSprop


class _FunctionalRprop(FunctionalOptimizer):
    optimizer = optim.Rprop


class _FunctionalSGD(FunctionalOptimizer):
    optimizer = optim.SGD
