"""The generalized Pareto distribution: excesses over a threshold."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import common_parameters

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """Numbers from `loc` on, of ``1 - cdf = (1 + k z)^(-1/k)``, z = (x - loc) / scale.

    Args:
        loc: the threshold.
        scale: positive.
        concentration: k; 0 gives an exponential distribution.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.GeneralizedPareto(
        ...     torch.tensor([0.0]), torch.tensor([1.0]), torch.tensor([0.0])
        ... )
        >>> d.cdf(torch.tensor([1.0]))
        tensor([0.6321])
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    _expands: ClassVar[Any] = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        shape, self.loc, self.scale, self.concentration = common_parameters(
            loc, scale, concentration
        )
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        k = self.concentration
        return constraints.interval(self.loc, rl.where(k < 0, self.loc - self.scale / k, math.inf))

    def _safe(self) -> tuple[Any, Any]:
        """Where k counts as 0, and k with 1 in these places."""
        zero = rl.isclose(self.concentration, rl.zeros_like(self.concentration))
        return zero, self.concentration.masked_fill(zero, 1.0)

    @property
    def mean(self) -> Tensor:
        k = self.concentration
        mean = self.loc + self.scale / (1 - k)
        return rl.where(k < 1, mean, math.nan)  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        variance = self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k))
        return rl.where(k < 0.5, variance, math.nan)  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(rl.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        z = (value - self.loc) / self.scale
        zero, k = self._safe()
        power = 1 / k + 1
        slope = rl.where(power == 0, 0.0, power * rl.log1p(k * z))
        return -self.scale.log() - rl.where(zero, z, slope)

    def log_survival_function(self, value: Any) -> Tensor:
        """log(1 - cdf)."""
        self._checked(value)
        z = (value - self.loc) / self.scale
        zero, k = self._safe()
        return rl.where(zero, -z, -rl.log1p(k * z) / k)  # type: ignore[no-any-return]

    def log_cdf(self, value: Any) -> Tensor:
        """log(cdf)."""
        return rl.log1p(-rl.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        return rl.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Tensor:
        zero, k = self._safe()
        log_left = rl.log1p(-value)
        general = self.loc + self.scale / k * rl.expm1(-k * log_left)
        return rl.where(zero, self.loc - self.scale * log_left, general)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        return (rl.log(self.scale) + self.concentration + 1).expand(self._batch_shape)
