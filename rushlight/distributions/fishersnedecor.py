"""The Fisher-Snedecor distribution (F-distribution)."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import common_parameters, tiny

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """``(c1 / df1) / (c2 / df2)`` for c1, c2 chi-squared of df1, df2 degrees of freedom.

    Args:
        df1, df2: degrees of freedom, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.FisherSnedecor(torch.tensor([1.0]), torch.tensor([4.0])).mean
        tensor([2.])
    """

    arg_constraints: ClassVar[Any] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expands: ClassVar[Any] = {"df1": 0, "df2": 0}

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        shape, self.df1, self.df2 = common_parameters(df1, df2)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 2, rl.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, rl.nan)

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 4, rl.nan)
        spread = self.df1 * (df2 - 2).pow(2) * (df2 - 4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / spread

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        above, below = (
            Gamma(df * 0.5, df, validate_args=False).rsample(sample_shape).view(shape)
            for df in (self.df1, self.df2)
        )
        below.detach().clamp_(min=tiny(below))
        ratio = above / below
        ratio.detach().clamp_(min=tiny(ratio))
        return ratio

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        half1, half2 = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        log_beta = half1.lgamma() + half2.lgamma() - (half1 + half2).lgamma()
        slope = half1 * ratio.log() + (half1 - 1) * rl.log(value)
        return slope - (half1 + half2) * rl.log1p(ratio * value) - log_beta
