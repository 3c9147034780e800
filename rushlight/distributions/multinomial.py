"""The multinomial distribution: how often each of n classes comes."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..size import Size
from ..tensor import Tensor
from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """Counts of each class among `total_count` draws: ``n! prod p_i^x_i / x_i!``.

    Args:
        total_count: number of draws, an int.
        probs: (*batch, n) non-negative weights of the classes.
        logits: (*batch, n) logarithms of weights, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Multinomial(10, torch.tensor([1.0, 3.0]))
        >>> d.mean, d.sample().sum()
        (tensor([2.5000, 7.5000]), tensor(10.))
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self,
        total_count: int = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Multinomial, _instance)
        batch_shape = Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = self._binomial.expand(batch_shape + self.event_shape)
        return self._finish_expanded(new, batch_shape, self.event_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        drawn = drawn.movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, drawn, rl.ones_like(drawn))
        return counts.type_as(self.probs)

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=rl.contiguous_format)
        ways = rl.lgamma(value.sum(-1) + 1) - rl.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -rl.inf)] = 0  # a class that cannot come and did not
        return ways + (logits * value).sum(-1)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        n = rl.as_tensor(self.total_count)
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = rl.exp(self._binomial.log_prob(support))
        repeats = (weights * rl.lgamma(support + 1)).sum([0, -1])
        return n * self._categorical.entropy() - rl.lgamma(n + 1) + repeats
