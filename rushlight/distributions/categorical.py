"""The categorical distribution: one of n classes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..size import Size
from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .utils import one_of

__all__ = ["Categorical"]


class Categorical(Probable):
    """Class numbers 0 to n - 1, class i with probability ``probs[..., i]``.

    Args:
        probs: (*batch, n) non-negative weights; they are made to sum to 1.
        logits: (*batch, n) logarithms of weights, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Categorical(torch.tensor([0.25, 0.25, 0.5]))
        >>> d.log_prob(torch.tensor([0, 2])).exp(), d.entropy()
        (tensor([0.2500, 0.5000]), tensor(1.0397))
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True
    _binary = False
    _expands: ClassVar[Any] = {"probs": 1, "logits": 1}
    _keeps = ("_given", "_num_events")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self._give(None, logits - logits.logsumexp(dim=-1, keepdim=True))
        else:
            self._give(probs / probs.sum(-1, keepdim=True), None)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self) -> Tensor:
        """NaN: class numbers have no mean."""
        return rl.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        """NaN: class numbers have no variance."""
        return self.mean

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        rows = self.probs.reshape(-1, self._num_events)
        drawn = rl.multinomial(rows, Size(sample_shape).numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        index, logits = rl.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        # A class of probability 0 adds nothing; its logit may be -inf.
        logits = self.logits.clamp(min=rl.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(rl.arange(self._num_events, device=self._param.device), expand)
