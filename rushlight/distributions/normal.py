"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily
from .utils import _standard_normal, common_parameters

__all__ = ["Normal"]

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


class Normal(ExponentialFamily):
    """Numbers of density ``exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi))``.

    Args:
        loc: mean.
        scale: standard deviation, positive.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> d.log_prob(torch.tensor([0.0]))
        tensor([-0.9189])
    """

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0
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
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return rl.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.loc + _standard_normal(shape, self.loc.dtype, self.loc.device) * self.scale

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        squares = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -squares - self.scale.log() - _LOG_ROOT_2PI  # type: ignore[no-any-return]

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return 0.5 * (1 + rl.erf((value - self.loc) / self.scale / math.sqrt(2)))

    def icdf(self, value: Any) -> Tensor:
        return self.loc + self.scale * rl.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + _LOG_ROOT_2PI + rl.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        precision = self.scale.pow(2).reciprocal()
        return self.loc * precision, -0.5 * precision

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * rl.log(-math.pi / y)
