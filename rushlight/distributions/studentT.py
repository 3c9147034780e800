"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """``loc + scale z / sqrt(c / df)`` for z normal and c chi-squared of `df` degrees of freedom.

    Args:
        df: degrees of freedom, positive.
        loc: the place of the peak, 0 by default.
        scale: positive, 1 by default.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.StudentT(torch.tensor([4.0])).variance
        tensor([2.])
    """

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    _expands: ClassVar[Any] = {"df": 0, "loc": 0, "scale": 0}

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def _chi2(self) -> Chi2:
        return Chi2(self.df, validate_args=False)

    @property
    def mean(self) -> Tensor:
        return rl.where(self.df <= 1, math.nan, self.loc)  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        df = self.df
        finite = self.scale.pow(2) * df / (df - 2)
        return rl.where(df > 2, finite, rl.where(df > 1, math.inf, math.nan).to(df.dtype))  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * rl.rsqrt(z / self.df))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        y = (value - self.loc) / self.scale
        constant = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + rl.lgamma(0.5 * self.df)
            - rl.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * rl.log1p(y**2.0 / self.df) - constant

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = rl.lgamma(half) + math.lgamma(0.5) - rl.lgamma(more)
        spread = more * (rl.digamma(more) - rl.digamma(half))
        return self.scale.log() + spread + 0.5 * self.df.log() + log_beta  # type: ignore[no-any-return]
