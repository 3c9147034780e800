"""The gamma distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily
from .utils import common_parameters, tiny

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Positive numbers of density ``rate^a x^(a-1) exp(-rate x) / Gamma(a)``, a = concentration.

    Samples: Marsaglia and Tsang 2000, with implicit gradients (Figurnov et al. 2018).

    Args:
        concentration: a, positive.
        rate: one over the scale, positive.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Gamma(torch.tensor([2.0]), torch.tensor([4.0]))
        >>> d.mean, d.variance
        (tensor([0.5000]), tensor([0.1250]))
    """

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expands: ClassVar[Any] = {"concentration": 0, "rate": 0}

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        shape, self.concentration, self.rate = common_parameters(concentration, rate)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = rl._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=tiny(value))  # its logarithm must stay finite
        return value

    def log_prob(self, value: Any) -> Tensor:
        value = rl.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._checked(value)
        a, rate = self.concentration, self.rate
        return rl.xlogy(a, rate) + rl.xlogy(a - 1, value) - rate * value - rl.lgamma(a)

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        return rl.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a - rl.log(self.rate) + rl.lgamma(a) + (1.0 - a) * rl.digamma(a)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return rl.lgamma(x + 1) + (x + 1) * rl.log(-y.reciprocal())
