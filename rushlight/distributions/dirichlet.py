"""The Dirichlet distribution: random points of the simplex."""

from __future__ import annotations

from typing import Any, ClassVar

import rushlight as rl

from ..ops.random.rejection import dirichlet_path
from ..tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Vectors of non-negative numbers with sum 1, of density ``prod x_i^(a_i - 1) / B(a)``.

    Args:
        concentration: (*batch, n) positive numbers a.

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.Dirichlet(torch.tensor([1.0, 3.0]))
        >>> d.mean, d.sample((5,)).shape
        (tensor([0.2500, 0.7500]), torch.Size([5, 2]))
    """

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True
    _expands: ClassVar[Any] = {"concentration": 1}

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """Where no concentration exceeds 1, the corner of the largest."""
        excess = (self.concentration - 1).clamp(min=0.0)
        mode = excess / excess.sum(-1, True)
        flat = (self.concentration < 1).all(dim=-1)
        n = self.concentration.shape[-1]
        corner = rl.nn.functional.one_hot(mode[flat].argmax(dim=-1), n).to(mode)
        mode[flat] = corner
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return dirichlet_path(self.concentration.expand(self._extended_shape(sample_shape)))  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        a = self.concentration
        return rl.xlogy(a - 1.0, value).sum(-1) + rl.lgamma(a.sum(-1)) - rl.lgamma(a).sum(-1)

    def entropy(self) -> Tensor:
        a = self.concentration
        n, total = a.size(-1), a.sum(-1)
        spread = ((a - 1.0) * rl.digamma(a)).sum(-1)
        return rl.lgamma(a).sum(-1) - rl.lgamma(total) - (n - total) * rl.digamma(total) - spread

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
