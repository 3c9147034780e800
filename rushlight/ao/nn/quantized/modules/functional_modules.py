"""Sums and products as methods of a module, so that an observer can be put behind them."""

from __future__ import annotations

from typing import Any

import rushlight as rl
from rushlight.nn import Identity, Module
from rushlight.nn import functional as F

__all__ = ["FXFloatFunctional", "FloatFunctional"]


class FXFloatFunctional(Module):
    """`FloatFunctional` without an observer.

    >>> torch.ao.nn.quantized.FXFloatFunctional().add(torch.ones(2), torch.ones(2))
    tensor([2., 2.])
    """

    def forward(self, x: Any) -> Any:
        raise RuntimeError(
            "FloatFunctional is not intended to use the 'forward'. Please use the underlying "
            "operation"
        )

    def _seen(self, y: Any) -> Any:
        return y

    def add(self, x: Any, y: Any) -> Any:
        """x + y"""
        return self._seen(rl.add(x, y))

    def add_scalar(self, x: Any, y: float) -> Any:
        """x + y for a number y"""
        return rl.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """x * y"""
        return self._seen(rl.mul(x, y))

    def mul_scalar(self, x: Any, y: float) -> Any:
        """x * y for a number y"""
        return rl.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """The tensors of a list, one behind the other"""
        return self._seen(rl.cat(x, dim=dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """relu(x + y)"""
        return self._seen(F.relu(rl.add(x, y)))

    def matmul(self, x: Any, y: Any) -> Any:
        """x @ y"""
        return self._seen(rl.matmul(x, y))


class FloatFunctional(FXFloatFunctional):
    """Sums and products whose results `prepare` can observe: what a model writes in place of `+`.

    Attributes:
        activation_post_process: the identity, until `prepare` puts an observer there.

    >>> torch.ao.nn.quantized.FloatFunctional().add_relu(torch.ones(2), torch.tensor([-2.0, 1.0]))
    tensor([0., 2.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = Identity()

    def _seen(self, y: Any) -> Any:
        return self.activation_post_process(y)
