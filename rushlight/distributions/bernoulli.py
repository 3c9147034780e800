"""The Bernoulli distribution: one trial that succeeds or fails."""

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
from .utils import broadcast_all, common_parameters, one_of

__all__ = ["Bernoulli"]


class Bernoulli(Probable, ExponentialFamily):
    """1 with probability `probs`, otherwise 0.

    Args:
        probs: probabilities of 1.
        logits: log odds of 1, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Bernoulli(torch.tensor([0.3]))
        >>> d.mean, d.variance
        (tensor([0.3000]), tensor([0.2100]))
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    _expands: ClassVar[Any] = {"probs": 0, "logits": 0}

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        shape, given = common_parameters(logits if probs is None else probs)
        self._give(*((None, given) if probs is None else (given, None)))
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        """NaN where both values are equally probable."""
        mode = (self.probs >= 0.5).to(self.probs)
        return mode.masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return rl.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(rl.arange(2, dtype=self._param.dtype), expand)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (rl.logit(self.probs),)

    def _log_normalizer(self, x: Any) -> Any:
        return rl.log1p(rl.exp(x))
