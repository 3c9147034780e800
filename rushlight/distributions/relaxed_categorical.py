"""One-hot vectors relaxed to points of the simplex, so that gradients pass."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..size import Size
from ..tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """Logarithms of `RelaxedOneHotCategorical`: log-softmax of Gumbel-perturbed logits.

    temperature: positive; probs (*batch, n), or logits instead. Source: Maddison, Mnih and Teh, The
    concrete distribution, 2017.

    >>> from rushlight.distributions.relaxed_categorical import ExpRelaxedCategorical
    >>> d = ExpRelaxedCategorical(torch.tensor(0.5), probs=torch.tensor([0.1, 0.9]))
    >>> torch.allclose(d.rsample().exp().sum(), torch.tensor(1.0))
    True
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.real_vector
    has_rsample = True
    _keeps = ("temperature",)

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return self._finish_expanded(new, Size(batch_shape), self.event_shape)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = clamp_probs(rl.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        n = self._categorical._num_events
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        temperature = rl.as_tensor(self.temperature, dtype=logits.dtype)
        constant = math.lgamma(n) + (n - 1) * temperature.log()
        score = logits - value.mul(self.temperature)
        score = (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1)
        return score + constant  # type: ignore[no-any-return]


class RelaxedOneHotCategorical(TransformedDistribution):
    """Points of the simplex, the nearer to its corners the lower the temperature.

    Args:
        temperature: positive.
        probs: (*batch, n) weights, as of `Categorical`.
        logits: (*batch, n) logarithms of weights, instead of `probs`.

    Source: Jang, Gu and Poole, Categorical reparameterization with Gumbel-softmax, 2017.

    Example:
        >>> import rushlight as torch
        >>> d = RelaxedOneHotCategorical(torch.tensor(0.5), torch.tensor([0.1, 0.9]))
        >>> bool((d.rsample().sum() - 1).abs() < 1e-6)
        True
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical
    _expands: ClassVar[Any] = {}

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def temperature(self) -> Tensor:
        return self.base_dist.temperature  # type: ignore[no-any-return]

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
