"""The Poisson distribution: counts of rare events."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all, common_parameters

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """Counts k of probability ``rate^k exp(-rate) / k!``.

    Args:
        rate: the mean, not negative.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Poisson(torch.tensor([4.0])).log_prob(torch.tensor([4.0])).exp()
        tensor([0.1954])
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _expands: ClassVar[Any] = {"rate": 0}

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        shape, self.rate = common_parameters(rate)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return rl.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (rl.log(self.rate),)

    def _log_normalizer(self, x: Any) -> Any:
        return rl.exp(x)
