"""The inverse gamma distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """``1 / x`` for x of ``Gamma(concentration, rate)``.

    Args:
        concentration, rate: those of the Gamma distribution, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.InverseGamma(torch.tensor([2.0]), torch.tensor([3.0])).mean
        tensor([3.])
    """

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma
    _expands: ClassVar[Any] = {}

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        power = PowerTransform(exponent=-base.rate.new_ones(()))
        super().__init__(base, power, validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        a = self.concentration
        return rl.where(a > 1, self.rate / (a - 1), math.inf)  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        variance = self.rate.square() / ((a - 1).square() * (a - 2))
        return rl.where(a > 2, variance, math.inf)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
