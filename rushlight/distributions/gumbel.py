"""The Gumbel distribution: largest of many numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant, is_number

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """``loc - scale log(-log u)`` for uniform u.

    Args:
        loc: the place of the peak.
        scale: positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Gumbel(torch.tensor([1.0]), torch.tensor([2.0])).mean
        tensor([2.1544])
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _expands: ClassVar[Any] = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = rl.finfo(self.loc.dtype)
        if is_number(loc) and is_number(scale):
            base = Uniform(info.tiny, 1 - info.eps, validate_args=validate_args)
        else:
            base = Uniform(
                rl.full_like(self.loc, info.tiny),
                rl.full_like(self.loc, 1 - info.eps),
                validate_args=validate_args,
            )
        steps = [
            ExpTransform().inv,
            AffineTransform(0, -rl.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=self.loc, scale=-self.scale),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
