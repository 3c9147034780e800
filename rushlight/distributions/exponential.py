"""The exponential distribution: waiting times."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily
from .utils import common_parameters

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """Numbers of density ``rate exp(-rate x)``, x >= 0.

    Args:
        rate: one over the mean, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Exponential(torch.tensor([2.0])).mean
        tensor([0.5000])
    """

    arg_constraints: ClassVar[Any] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expands: ClassVar[Any] = {"rate": 0}

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        shape, self.rate = common_parameters(rate)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return rl.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return 1 - rl.exp(-self.rate * value)

    def icdf(self, value: Any) -> Tensor:
        return -rl.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - rl.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, x: Any) -> Any:
        return -rl.log(-x)
