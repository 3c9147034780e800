"""The logistic-normal distribution: points of the simplex made of normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor import Tensor
from . import constraints
from .independent import Independent
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Stick breaking of independent ``Normal(loc, scale)``: n numbers to a simplex of n + 1.

    Args:
        loc: (*batch, n) means before the map.
        scale: (*batch, n) standard deviations before the map, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3)).sample().shape
        torch.Size([4])
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    base_dist: Independent
    _expands: ClassVar[Any] = {}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.base_dist.loc  # type: ignore[attr-defined, no-any-return]

    @property
    def scale(self) -> Tensor:
        return self.base_dist.base_dist.scale  # type: ignore[attr-defined, no-any-return]
