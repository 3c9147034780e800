"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import common_parameters

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """Numbers of density ``1 / (pi scale (1 + ((x - loc) / scale)^2))``; they have no mean.

    Args:
        loc: the place of the peak, any number.
        scale: half of the width at half of the height, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Cauchy(torch.tensor([1.0]), torch.tensor([1.0])).mode
        tensor([1.])
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expands: ClassVar[Any] = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        shape, self.loc, self.scale = common_parameters(loc, scale)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return rl.full(self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return rl.full(self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        drawn = self.loc.new(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        ratio = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (ratio**2).log1p()

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return rl.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Any) -> Tensor:
        return rl.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
