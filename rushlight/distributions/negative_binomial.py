"""The negative binomial distribution: successes before a number of failures."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..nn.functional import logsigmoid
from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .gamma import Gamma
from .utils import broadcast_all, one_of

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Probable):
    """Counts k of probability ``C(r + k - 1, k) (1 - p)^r p^k``: successes before r failures.

    Args:
        total_count: r, not negative.
        probs: probability p of a success, below 1.
        logits: log odds of a success, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.NegativeBinomial(3.0, torch.tensor([0.5])).mean
        tensor([3.])
    """

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expands: ClassVar[Any] = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        count, given = broadcast_all(total_count, logits if probs is None else probs)
        self._give(*((None, given) if probs is None else (given, None)))
        self.total_count = count.type_as(given)
        super().__init__(given.size(), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * rl.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / rl.sigmoid(-self.logits)

    @property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, rl.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return rl.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        n = self.total_count
        chances = n * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        ways = rl.lgamma(n + value) - rl.lgamma(1.0 + value) - rl.lgamma(n)
        ways = ways.masked_fill(n + value == 0.0, 0.0)
        return chances + ways
