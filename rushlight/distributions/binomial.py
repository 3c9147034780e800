"""The binomial distribution: successes among a number of trials."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .utils import broadcast_all, one_of

__all__ = ["Binomial"]


class Binomial(Probable):
    """Counts k of probability ``C(n, k) p^k (1 - p)^(n-k)``.

    Args:
        total_count: number of trials n.
        probs: probability p of a success.
        logits: log odds of a success, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Binomial(4, torch.tensor([0.5])).enumerate_support().T
        tensor([[0., 1., 2., 3., 4.]])
    """

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _expands: ClassVar[Any] = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        one_of(probs, logits)
        count, given = broadcast_all(total_count, logits if probs is None else probs)
        self._give(*((None, given) if probs is None else (given, None)))
        self.total_count = count.type_as(given)
        super().__init__(given.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return rl.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        n, logits = self.total_count, self.logits
        ways = rl.lgamma(n + 1) - rl.lgamma(value + 1) - rl.lgamma(n - value + 1)
        # log(1 + exp(logit)), written so that its gradient at a logit of 0 is 1/2 as well
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        return value * logits + ways - n * (positive + rl.log1p(rl.exp(-rl.abs(logits))))

    def _count(self, what: str) -> int:
        count = int(self.total_count.max())
        if not bool(self.total_count.min() == count):
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return count

    def entropy(self) -> Tensor:
        self._count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(rl.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._count("enumerate_support")
        return self._enumerated(rl.arange(1 + count, dtype=self._param.dtype), expand)
