"""Mixtures of components of one family."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """``p(x) = sum_k P(k) p_k(x)``: the last batch dimension holds the components.

    Args:
        mixture_distribution: `Categorical` over k components, of batch shape (*batch).
        component_distribution: the components, of batch shape (*batch, k).

    Example:
        >>> import rushlight as torch
        >>> mix = torch.distributions.Categorical(torch.ones(2))
        >>> normals = torch.distributions.Normal(torch.tensor([-1.0, 1.0]), torch.ones(2))
        >>> d = torch.distributions.MixtureSameFamily(mix, normals)
        >>> d.mean, d.variance
        (tensor(0.), tensor(2.))
    """

    arg_constraints: ClassVar[Any] = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                "The Mixture distribution needs to be an instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of "
                "torch.distributions.Distribution"
            )
        ours = mixture_distribution.batch_shape
        theirs = component_distribution.batch_shape
        for a, b in zip(reversed(ours), reversed(theirs[:-1]), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({ours}) is not compatible with "
                    f"`component_distribution.batch_shape`({theirs[:-1]})"
                )
        k = mixture_distribution.logits.shape[-1]
        if k != theirs[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({k}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({theirs[-1]})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = k
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(theirs[:-1], event_shape, validate_args=validate_args)

    _keeps = ("_num_component", "_event_ndims")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = Size(batch_shape)
        wide = (*batch_shape, self._num_component)
        new._component_distribution = self._component_distribution.expand(wide)
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return self._finish_expanded(new, batch_shape, self._event_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution of component numbers."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _pad(self, x: Any) -> Any:
        """With a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _weights(self) -> Any:
        """Probabilities of the components, with dimensions for the event."""
        probs = self._mixture_distribution.probs
        have = len(self._mixture_distribution.batch_shape)
        more = 0 if have == 1 else len(self.batch_shape) - have
        k = probs.shape[-1:]
        return probs.reshape(probs.shape[:-1] + (1,) * more + k + (1,) * self._event_ndims)

    def _average(self, values: Any) -> Any:
        return (self._weights() * values).sum(dim=-1 - self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._average(self._component_distribution.mean)  # type: ignore[no-any-return]

    @property
    def variance(self) -> Tensor:
        within = self._average(self._component_distribution.variance)
        means = self._component_distribution.mean
        return within + self._average((means - self._pad(self.mean)).pow(2.0))  # type: ignore[no-any-return]

    def cdf(self, x: Any) -> Tensor:
        each = self._component_distribution.cdf(self._pad(x))
        return (each * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Any) -> Tensor:
        self._checked(x)
        each = self._component_distribution.log_prob(self._pad(x))
        weights = rl.log_softmax(self._mixture_distribution.logits, dim=-1)
        return rl.logsumexp(each + weights, dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            values = self._component_distribution.sample(sample_shape)
            index = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            index = index.expand((*chosen.shape, 1, *self.event_shape))
            return values.gather(dim, index).squeeze(dim)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self._mixture_distribution},\n  "
            f"{self._component_distribution})"
        )
