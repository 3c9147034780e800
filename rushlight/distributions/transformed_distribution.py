"""`TransformedDistribution`: another distribution's values after transformations."""

from __future__ import annotations

from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of ``y = f(x)`` for x of a base distribution.

    ``log p(y) = log p(x) - log |det dy/dx|``

    Args:
        base_distribution: of x.
        transforms: one transformation, or a list of them in order.

    Example:
        >>> import rushlight as torch
        >>> base = torch.distributions.Normal(torch.tensor([0.0]), torch.tensor([1.0]))
        >>> d = TransformedDistribution(base, torch.distributions.ExpTransform())
        >>> d.log_prob(torch.tensor([1.0]))
        tensor([-0.9189])
    """

    arg_constraints: ClassVar[Any] = {}
    _expands: ClassVar[Any] = {}

    def __init__(
        self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms

        # Parameters of the transformations may widen the batch.
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dims = len(base_distribution.event_shape)
        whole = ComposeTransform(transforms)
        domain, codomain = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < domain:
            raise ValueError(
                "base_distribution needs to have shape with size at least "
                f"{domain}, but got {shape}."
            )
        result_shape = whole.forward_shape(shape)
        wide = whole.inverse_shape(result_shape)
        if shape != wide:
            base_distribution = base_distribution.expand(wide[: len(wide) - base_dims])
        if domain > base_dims:
            base_distribution = Independent(base_distribution, domain - base_dims)
        self.base_dist = base_distribution
        cut = len(result_shape) - max(codomain, base_dims + codomain - domain)
        super().__init__(result_shape[:cut], result_shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(self._owner(), _instance)
        batch_shape = Size(batch_shape)
        self._expand_parameters(new, batch_shape)
        shape = ComposeTransform(self.transforms).inverse_shape(batch_shape + self.event_shape)
        cut = len(shape) - len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(shape[:cut])
        new.transforms = self.transforms
        return self._finish_expanded(new, batch_shape, self.event_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        result = self.transforms[-1].codomain
        more = len(self.event_shape) - result.event_dim
        return constraints.independent(result, more) if more > 0 else result

    @property
    def has_rsample(self) -> Any:
        return self.base_dist.has_rsample

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))  # type: ignore[no-any-return]

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._forward(self.base_dist.rsample(sample_shape))  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Any:
        self._checked(value)
        dims = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            slope = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(slope, dims - transform.domain.event_dim)
            y = x
        base = self.base_dist.log_prob(y)
        return log_prob + _sum_rightmost(base, dims - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """1 - value where the transformations reverse the order of values."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._forward(self.base_dist.icdf(self._monotonize_cdf(value)))
