"""The half-Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .cauchy import Cauchy
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """|x| for x of ``Cauchy(0, scale)``.

    Args:
        scale: of the Cauchy distribution, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.HalfCauchy(torch.tensor([1.0])).cdf(torch.tensor([1.0]))
        tensor([0.5000])
    """

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Cauchy
    _expands: ClassVar[Any] = {}

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return rl.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def mode(self) -> Tensor:
        return rl.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        value = rl.as_tensor(value, dtype=self.scale.dtype)
        log_prob = self.base_dist.log_prob(value) + math.log(2)
        return rl.where(value >= 0, log_prob, -math.inf)  # type: ignore[no-any-return]

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
