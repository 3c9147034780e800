"""Bernoulli numbers relaxed to values between 0 and 1, so that gradients pass."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs, common_parameters, one_of

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Probable):
    """Logits of `RelaxedBernoulli`: ``(log(u / (1 - u)) + logits) / temperature``.

    temperature: positive; probs, or logits instead. Source: Maddison, Mnih and Teh, The concrete
    distribution, 2017.

    >>> from rushlight.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
    >>> LogitRelaxedBernoulli(torch.tensor(0.5), probs=torch.tensor([0.3, 0.9])).rsample().shape
    torch.Size([2])
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real
    _expands: ClassVar[Any] = {"probs": 0, "logits": 0}
    _keeps = ("_given", "temperature")

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        one_of(probs, logits)
        shape, given = common_parameters(logits if probs is None else probs)
        self._give(*((None, given) if probs is None else (given, None)))
        super().__init__(shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        p = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(rl.rand(shape, dtype=p.dtype, device=p.device))
        return (u.log() - (-u).log1p() + p.log() - (-p).log1p()) / self.temperature  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        rest = logits - value.mul(self.temperature)
        log_t = rl.as_tensor(self.temperature).log()
        return log_t + rest - 2 * rest.exp().log1p()  # type: ignore[no-any-return]


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1, the nearer to them the lower the temperature.

    Args:
        temperature: positive.
        probs: probabilities of 1, as of `Bernoulli`.
        logits: log odds of 1, instead of `probs`.

    Source: Jang, Gu and Poole, Categorical reparameterization with Gumbel-softmax, 2017.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.3, 0.9]))
        >>> d.rsample().shape
        torch.Size([2])
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli
    _expands: ClassVar[Any] = {}

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        return self.base_dist.temperature  # type: ignore[no-any-return]

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
