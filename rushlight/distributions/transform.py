"""`Transform`, a map between two sets with the logarithm of its Jacobian, and its inverse.

Read next: `transforms.py`, which has the composed ones and gathers all names.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor import Tensor
from . import constraints


class Transform:
    """A differentiable map between two sets, mostly with an inverse.

    A subclass writes `_call`, `_inverse` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 keeps the last pair of values, so that the inverse of a result is exactly
            the value that it was made of; 0 keeps none.

    Attributes:
        domain, codomain: constraints that values before and after obey.
        bijective: whether there is an inverse.
        sign: 1 or -1 for monotonous functions of one number.

    >>> f = torch.distributions.ExpTransform()
    >>> f(torch.tensor([0.0, 1.0])), f.inv(torch.tensor([1.0, 2.0]))
    (tensor([1.0000, 2.7183]), tensor([0.0000, 0.6931]))
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    # Arguments of the constructor, by which copies are made and compared.
    _arguments: ClassVar[tuple[str, ...]] = ()

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Transform | None = None
        self._cached_x_y: tuple[Any, Any] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """Dimensions of one value, where they are the same before and after.

        >>> torch.distributions.ExpTransform().event_dim
        0
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim  # type: ignore[no-any-return]

    @property
    def inv(self) -> Transform:
        """The inverse transformation.

        >>> torch.distributions.ExpTransform().inv(torch.tensor([1.0, 10.0]))
        tensor([0.0000, 2.3026])
        """
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same transformation with another size of cache.

        >>> torch.distributions.TanhTransform().with_cache(1)._cache_size
        1
        """
        if self._cache_size == cache_size:
            return self
        if not self._arguments and type(self).__init__ is not Transform.__init__:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        arguments = (getattr(self, name) for name in self._arguments)
        made: Any = type(self)
        return made(*arguments, cache_size=cache_size)

    def __eq__(self, other: Any) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, x: Any) -> Any:
        """The transformed value."""
        if self._cache_size == 0:
            return self._call(x)
        if x is not self._cached_x_y[0]:
            self._cached_x_y = (x, self._call(x))
        return self._cached_x_y[1]

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size == 0:
            return self._inverse(y)
        if y is not self._cached_x_y[1]:
            self._cached_x_y = (self._inverse(y), y)
        return self._cached_x_y[0]

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        """log |det dy/dx|, one number an event, for a value and what it becomes.

        >>> f, x = torch.distributions.AffineTransform(0.0, 3.0), torch.tensor([1.0, 2.0])
        >>> f.log_abs_det_jacobian(x, f(x)).exp()
        tensor([3., 3.])
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Any) -> Any:
        """The shape that values of this shape get.

        >>> torch.distributions.StickBreakingTransform().forward_shape((5, 3))
        (5, 4)
        """
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape before, of values of this shape.

        >>> torch.distributions.StickBreakingTransform().inverse_shape((5, 4))
        (5, 3)
        """
        return shape


class _InverseTransform(Transform):
    """The inverse of another transformation, with which it shares the cache."""

    _inv: Transform

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> Any:
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Any:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)


def _widened(constraint: Any, event_dim: int) -> Any:
    """A constraint on events of more dimensions."""
    more = event_dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint
