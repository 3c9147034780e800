"""The geometric distribution: failures before the first success."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..nn.functional import binary_cross_entropy_with_logits
from ..tensor import Tensor
from . import constraints
from .distribution import Probable
from .utils import broadcast_all, common_parameters, one_of, tiny

__all__ = ["Geometric"]


class Geometric(Probable):
    """Counts k of probability ``(1 - p)^k p``: failures before the first success.

    `Tensor.geometric_` counts the success too.

    Args:
        probs: p, the probability of a success, in (0, 1].
        logits: log odds of a success, instead of `probs`.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Geometric(torch.tensor([0.25])).mean
        tensor([3.])
    """

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _expands: ClassVar[Any] = {"probs": 0, "logits": 0}

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        one_of(probs, logits)
        shape, given = common_parameters(logits if probs is None else probs)
        self._give(*((None, given) if probs is None else (given, None)))
        super().__init__(shape, validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not (value > 0).all():
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to be positive but found "
                    f"invalid values:\n{value}"
                )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return rl.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            u = self.probs.new(self._extended_shape(sample_shape)).uniform_(tiny(self.probs), 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        value, probs = broadcast_all(value, self.probs)
        never = (probs == 1) & (value == 0)  # where 0 * log(0) must be 0
        probs = probs.masked_fill(never, 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        entropy = binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return entropy / self.probs
