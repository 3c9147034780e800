"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..nn.functional import binary_cross_entropy_with_logits
from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, common_parameters, lazy_property, one_of

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Probable, ExponentialFamily):
    """Numbers in [0, 1] of density proportional to ``p^x (1 - p)^(1 - x)``.

    Source: Loaiza-Ganem and Cunningham, The continuous Bernoulli, 2019.

    Args:
        probs: p, between 0 and 1 (not the mean).
        logits: log odds of p, instead of `probs`.
        lims: between these values of p, near 1/2, Taylor series replace formulas that cancel.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.ContinuousBernoulli(torch.tensor([0.5])).mean
        tensor([0.5000])
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _expands: ClassVar[Any] = {"probs": 0, "logits": 0}
    _keeps = ("_given", "_lims")

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        shape, given = common_parameters(logits if probs is None else probs)
        if probs is None:
            self._give(None, given)
        else:
            if validate_args and not constraints.unit_interval.check(given).all():
                raise ValueError("The parameter probs has invalid values")
            self._give(clamp_probs(given), None)
        self._lims = lims
        super().__init__(shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(rl.sigmoid(self.logits))

    def _stable(self) -> Any:
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self) -> Any:
        """p, but where it is too near 1/2, a value whose unused result is finite."""
        return rl.where(self._stable(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Any:
        p = self._cut_probs()
        # |2 artanh(1 - 2p)| / |1 - 2p|
        log_norm = (p.neg().log1p() - p.log()).abs().log() - (1.0 - 2.0 * p).abs().log()
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return rl.where(self._stable(), log_norm, taylor)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        mean = p / (2.0 * p - 1.0) + 1.0 / (rl.log1p(-p) - rl.log(p))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return rl.where(self._stable(), mean, taylor)  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        variance = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / (rl.log1p(-p) - rl.log(p)).pow(2)
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return rl.where(self._stable(), variance, taylor)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.icdf(rl.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        entropy = binary_cross_entropy_with_logits(logits, value, reduction="none")
        return -entropy + self._cont_bern_log_norm()  # type: ignore[no-any-return]

    def cdf(self, value: Any) -> Tensor:
        self._checked(value)
        p = self._cut_probs()
        inside = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        return rl.where(self._stable(), inside, value).clamp(min=0, max=1)  # type: ignore[no-any-return]

    def icdf(self, value: Any) -> Tensor:
        p = self._cut_probs()
        x = (rl.log1p(-p + value * (2.0 * p - 1.0)) - rl.log1p(-p)) / (rl.log(p) - rl.log1p(-p))
        return rl.where(self._stable(), x, value)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        log0, log1 = rl.log1p(-self.probs), rl.log(self.probs)
        return self.mean * (log0 - log1) - self._cont_bern_log_norm() - log0  # type: ignore[no-any-return]

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        stable = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = rl.where(stable, x, self._lims[0] - 0.5)
        log_norm = cut.expm1().abs().log() - cut.abs().log()
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return rl.where(stable, log_norm, taylor)
