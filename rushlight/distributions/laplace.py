"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import common_parameters

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Numbers of density ``exp(-|x - loc| / scale) / (2 scale)``.

    Args:
        loc: mean.
        scale: positive; the standard deviation is sqrt(2) times it.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Laplace(torch.tensor([0.0]), torch.tensor([2.0])).stddev
        tensor([2.8284])
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
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        eps = rl.finfo(self.loc.dtype).eps
        u = self.loc.new(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * rl.log1p(-u.abs())

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        return -rl.log(2 * self.scale) - rl.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * rl.expm1(-distance.abs() / self.scale)

    def icdf(self, value: Any) -> Tensor:
        side = value - 0.5
        return self.loc - self.scale * side.sign() * rl.log1p(-2 * side.abs())

    def entropy(self) -> Tensor:
        return 1 + rl.log(2 * self.scale)
