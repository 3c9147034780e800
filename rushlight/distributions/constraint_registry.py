"""Which transformation leads from real numbers onto a set: `biject_to` and `transform_to`.

`biject_to` gives bijections, for densities; `transform_to` gives whatever is cheap and fit for
optimisation, such as softmax onto the simplex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms
from .utils import is_number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """A function from constraints to transformations, by the class of the constraint.

    Example:
        >>> import rushlight as torch
        >>> transform_to(constraints.positive)(torch.zeros(2))
        tensor([1., 1.])
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Say how to make the transformation for a class of constraints; also a decorator.

        Args:
            constraint: a subclass of `Constraint`, or an instance of one.
            factory: gets the constraint, returns the `Transform`.

        >>> class Even(torch.distributions.constraints.Constraint):
        ...     pass
        >>> @torch.distributions.transform_to.register(Even)
        ... def double(constraint):
        ...     return torch.distributions.AffineTransform(0.0, 2.0)
        >>> torch.distributions.transform_to(Even())(torch.tensor([1.0, 3.0]))
        tensor([2., 6.])
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, "
                f"but got {constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """The transformation for a constraint; NotImplementedError where none is registered."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds: Any) -> Any:
    """Register for both, and for several constraints."""

    def declare(factory: Any) -> Any:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return declare


@_both(constraints.real)
def _real(constraint: Any) -> Any:
    return transforms.identity_transform


# `positive` and `nonnegative` are bounds at 0 of these classes; PyTorch, too, gives both the
# general transformation below, which for a bound of 0 is exp.
@_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_both(constraints.less_than)
def _below(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low) and low == 0 and is_number(high) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform(
        [transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)]
    )


biject_to.register(constraints.simplex, lambda _c: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _c: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _c: transforms.LowerCholeskyTransform())
for _kind in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_kind, lambda _c: transforms.PositiveDefiniteTransform())
_both(constraints.corr_cholesky)(lambda _c: transforms.CorrCholeskyTransform())


def _parts(registry: ConstraintRegistry) -> None:
    """Sets made of others: their transformations are made of the others' transformations."""
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
    )
    registry.register(
        constraints.cat,
        lambda c: transforms.CatTransform([registry(p) for p in c.cseq], c.dim, c.lengths),
    )
    registry.register(
        constraints.stack,
        lambda c: transforms.StackTransform([registry(p) for p in c.cseq], c.dim),
    )


_parts(biject_to)
_parts(transform_to)
