"""The Kumaraswamy distribution: like beta, with a CDF in closed form."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


def _moment(a: Any, b: Any, n: int) -> Any:
    value = 1 + n / a
    return rl.exp(rl.lgamma(value) + rl.lgamma(b) - rl.lgamma(value + b)) * b


class Kumaraswamy(TransformedDistribution):
    """Numbers of density ``a b x^(a-1) (1 - x^a)^(b-1)`` between 0 and 1.

    Args:
        concentration1: a, positive.
        concentration0: b, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Kumaraswamy(torch.tensor([1.0]), torch.tensor([3.0])).mean
        tensor([0.2500])
    """

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True
    _expands: ClassVar[Any] = {"concentration1": 0, "concentration0": 0}

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        a, b = self.concentration1, self.concentration0
        base = Uniform(rl.full_like(b, 0), rl.full_like(b, 1), validate_args=validate_args)
        steps = [
            PowerTransform(exponent=b.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=a.reciprocal()),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 1)  # type: ignore[no-any-return]

    @property
    def mode(self) -> Tensor:
        """NaN where a or b is below 1: the density is highest at an end."""
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1) / (a * b - 1)).pow(a.reciprocal())
        return mode.masked_fill((a < 1) | (b < 1), rl.nan)

    @property
    def variance(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        return _moment(a, b, 2) - rl.pow(self.mean, 2)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = rl.digamma(b + 1) + euler_constant
        t1, t0 = 1 - b.reciprocal(), 1 - a.reciprocal()
        return t1 + t0 * harmonic - rl.log(a) - rl.log(b)
