"""The uniform distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import common_parameters

__all__ = ["Uniform"]


class Uniform(Distribution):
    """Numbers of density ``1 / (high - low)`` in [low, high).

    Args:
        low: the smallest value.
        high: the end, above `low`, excluded.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Uniform(0.0, 4.0).cdf(torch.tensor([1.0, 3.0]))
        tensor([0.2500, 0.7500])
    """

    has_rsample = True
    _expands: ClassVar[Any] = {"low": 0, "high": 0}

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        shape, self.low, self.high = common_parameters(low, high)
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: all values are equally probable."""
        return rl.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = rl.rand(shape, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        inside = (self.low <= value) & (value < self.high)
        return rl.log(inside.type_as(self.low)) - rl.log(self.high - self.low)

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)  # type: ignore[no-any-return]

    def icdf(self, value: Any) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return rl.log(self.high - self.low)
