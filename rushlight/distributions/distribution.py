"""`Distribution`, the base of all families: shapes, argument checks, expansion, printing.

A family declares its parameters (`arg_constraints`, `_expands`) and writes what is its own:
`rsample` or `sample`, `log_prob`, moments. Families whose densities share the exponential form
derive from `exp_family.ExponentialFamily`. Read next: `normal.py`, the simplest family.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Distribution"]


class Distribution:
    """A probability distribution, or a batch of independent ones of one family.

    A sample has the shape ``sample_shape + batch_shape + event_shape``: `sample_shape` is asked
    for, `batch_shape` comes from the parameters, `event_shape` is that of one value.

    Args:
        batch_shape, event_shape: see above.
        validate_args: whether parameters and values are checked (default: unless Python runs
            with ``-O``; see `set_default_validate_args`).

    Attributes:
        has_rsample: whether `rsample` exists, through which gradients reach the parameters.
        has_enumerate_support: whether `enumerate_support` exists.

    >>> d = torch.distributions.Dirichlet(torch.ones(3, 2))
    >>> d.batch_shape, d.event_shape
    (torch.Size([3]), torch.Size([2]))
    >>> d.sample((5,)).shape, d.log_prob(d.sample((5,))).shape
    (torch.Size([5, 3, 2]), torch.Size([5, 3]))
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    # Parameters that grow with the batch, and how many of their last dimensions belong to an
    # event (-1: the tensor stays as it is); and what else an expanded copy takes over. Families
    # that are not made of tensors write `expand` themselves.
    _expands: ClassVar[Mapping[str, int]]
    _keeps: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check parameters and values when `validate_args` is not given.

        >>> torch.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError("set_default_validate_args: expected True or False")
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Any = Size(),  # noqa: B008  (immutable)
        event_shape: Any = Size(),  # noqa: B008
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            checks = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set "
                "`arg_constraints = {}` or initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=4,
            )
            return
        for name, constraint in checks.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # derived from the parameter that was given, which is checked
            value = getattr(self, name)
            if not _holds(constraint, value):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    # -- shapes ------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of parameters.

        >>> torch.distributions.Normal(torch.zeros(3), 1.0).batch_shape
        torch.Size([3])
        """
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single value.

        >>> torch.distributions.Categorical(torch.ones(4)).event_shape
        torch.Size([])
        >>> torch.distributions.Dirichlet(torch.ones(4)).event_shape
        torch.Size([4])
        """
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with another batch shape; parameters are views, not copies.

        Args:
            batch_shape: one that the present batch shape broadcasts to.
            _instance: for subclasses that write their own `expand`: the new instance to fill.

        >>> torch.distributions.Normal(0.0, 1.0).expand((2, 3)).batch_shape
        torch.Size([2, 3])
        """
        new = self._get_checked_instance(self._owner(), _instance)
        batch_shape = Size(batch_shape)
        self._expand_parameters(new, batch_shape)
        return self._finish_expanded(new, batch_shape, self._event_shape)

    def _owner(self) -> type:
        """The family: the class whose parameters an expanded copy gets."""
        owner = next((c for c in type(self).__mro__ if "_expands" in c.__dict__), None)
        if owner is None:
            raise NotImplementedError
        return owner

    def _expand_parameters(self, new: Any, batch_shape: Size) -> None:
        for name, dims in self._expands.items():
            value = self.__dict__.get(name)
            if value is not None and dims >= 0:
                value = value.expand(batch_shape + value.shape[value.dim() - dims :])
            if value is not None:
                new.__dict__[name] = value

    def _finish_expanded(self, new: Any, batch_shape: Any, event_shape: Any) -> Any:
        for name in self._keeps:
            new.__dict__[name] = self.__dict__[name]
        Distribution.__init__(new, batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """An empty instance to expand into, or the one that a subclass made."""
        if _instance is not None:
            return _instance
        if type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                "__init__ method must also define a custom .expand() method."
            )
        return self.__new__(type(self))

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of a sample."""
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    # -- what families declare ---------------------------------------------------------------

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The constraint of each parameter, by name.

        >>> torch.distributions.Normal(0.0, 1.0).arg_constraints
        {'loc': Real(), 'scale': GreaterThan(lower_bound=0.0)}
        """
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set of possible values.

        >>> torch.distributions.Exponential(1.0).support.check(torch.tensor([-1.0, 2.0]))
        tensor([False,  True])
        """
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The expected value.

        >>> torch.distributions.Exponential(4.0).mean
        tensor(0.2500)
        """
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most probable value.

        >>> torch.distributions.Normal(3.0, 1.0).mode
        tensor(3.)
        """
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected square of the distance from the mean.

        >>> torch.distributions.Normal(0.0, 3.0).variance
        tensor(9.)
        """
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance.

        >>> torch.distributions.Bernoulli(0.2).stddev
        tensor(0.4000)
        """
        return self.variance.sqrt()

    # -- values ------------------------------------------------------------------------------

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Random values, without gradients, of shape ``sample_shape + batch_shape + event_shape``.

        >>> _ = torch.manual_seed(0)
        >>> torch.distributions.Normal(torch.tensor([0.0, 100.0]), 1.0).sample((3,)).shape
        torch.Size([3, 2])
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Random values as a differentiable function of the parameters, of shape ``sample_shape +
        batch_shape + event_shape``.

        NotImplementedError where `has_rsample` is False: of discrete distributions.

        >>> scale = torch.tensor(2.0, requires_grad=True)
        >>> torch.distributions.Normal(0.0, scale).rsample().requires_grad
        True
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Old spelling of ``sample((n,))``."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return self.sample((n,))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density or probability of a value.

        value: of a shape that broadcasts with ``batch_shape + event_shape``; the result has that
        shape without the dimensions of the event. ValueError for a value outside the support, where
        arguments are validated.

        >>> torch.distributions.Bernoulli(0.25).log_prob(torch.tensor([0.0, 1.0])).exp()
        tensor([0.7500, 0.2500])
        """
        raise NotImplementedError

    def cdf(self, value: Any) -> Tensor:
        """The probability of values up to this one.

        >>> torch.distributions.Uniform(0.0, 4.0).cdf(torch.tensor([1.0, 3.0]))
        tensor([0.2500, 0.7500])
        """
        raise NotImplementedError

    def icdf(self, value: Any) -> Tensor:
        """The inverse of `cdf`: a quantile.

        value: shares in [0, 1].

        >>> torch.distributions.Uniform(0.0, 4.0).icdf(torch.tensor([0.25, 0.5]))
        tensor([1., 2.])
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution along a new first dimension.

        Args:
            expand: whether the batch dimensions have their full size, or 1.

        >>> torch.distributions.Bernoulli(torch.tensor([0.2, 0.7])).enumerate_support()
        tensor([[0., 0.],
                [1., 1.]])
        """
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """These values along a first dimension, before the batch dimensions."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """The expected value of ``-log_prob``, in nats.

        >>> torch.distributions.Bernoulli(0.5).entropy()
        tensor(0.6931)
        """
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """exp of the entropy: how many equally probable values would be as uncertain.

        >>> torch.distributions.Categorical(torch.ones(8)).perplexity()
        tensor(8.)
        """
        return rl.exp(self.entropy())

    def _checked(self, value: Any) -> None:
        """`_validate_sample` where checks are on: how methods that take values begin."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError for what cannot be a value of this distribution."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, wanted = value.size(), self._batch_shape + self._event_shape
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{shape} vs {self._event_shape}."
            )
        for i, j in zip(reversed(shape), reversed(wanted), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {wanted}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=4,
            )
            return
        if not _holds(support, value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, but found "
                f"invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        given = [(k, self.__dict__[k]) for k in self.arg_constraints if k in self.__dict__]
        shown = (f"{k}: {v if v.numel() == 1 else v.size()}" for k, v in given)
        return f"{self.__class__.__name__}({', '.join(shown)})"


def _holds(constraint: Any, value: Any) -> bool:
    """Whether all of a value lies in the set. Nothing of the question goes onto the tape."""
    with no_grad():
        return bool(constraint.check(value).all())


class Probable(Distribution):
    """A family given by probabilities or by logits, whichever the user has; the other is derived.

    `_binary` says whether each element is a probability of its own (log odds as logits) or the
    last dimension holds one distribution.
    """

    _binary: ClassVar[bool] = True
    _keeps: ClassVar[tuple[str, ...]] = ("_given",)

    def _give(self, probs: Any, logits: Any) -> None:
        self._given = "logits" if probs is None else "probs"
        self.__dict__[self._given] = logits if probs is None else probs

    @property
    def _param(self) -> Tensor:
        """The parameter that was given."""
        return self.__dict__[self._given]  # type: ignore[no-any-return]

    @lazy_property
    def logits(self) -> Tensor:
        """Log odds, or logarithms of probabilities up to a constant."""
        return probs_to_logits(self.probs, self._binary)

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits, self._binary)

    @property
    def param_shape(self) -> Size:
        """The shape of the probabilities or logits."""
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)
