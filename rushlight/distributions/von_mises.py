"""The von Mises distribution: angles."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]


def _log_bessel(x: Any, order: int) -> Any:
    """log of the modified Bessel function I_0 or I_1, which itself would overflow."""
    scaled = rl.special.i0e(x) if order == 0 else rl.special.i1e(x)
    return scaled.log() + x


class VonMises(Distribution):
    """Angles in [-pi, pi) of density ``exp(k cos(x - loc)) / (2 pi I_0(k))``, k = concentration.

    Samples: Best and Fisher, Efficient simulation of the von Mises distribution, 1979.

    Args:
        loc: an angle in radians.
        concentration: positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.VonMises(torch.tensor([1.0]), torch.tensor([1.0])).variance
        tensor([0.5536])
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real
    has_rsample = False
    _expands: ClassVar[Any] = {"loc": 0, "concentration": 0}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        """The circular variance, between 0 and 1."""
        k = self.concentration
        return 1 - (_log_bessel(k, 1) - _log_bessel(k, 0)).exp()  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        height = self.concentration * rl.cos(value - self.loc)
        return height - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)  # type: ignore[no-any-return]

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            loc, k = self.loc.double(), self.concentration.double()
            tau = 1 + (1 + 4 * k**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            # a small concentration cancels in rho
            r = rl.where(k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))
            x = rl.empty(self._extended_shape(sample_shape), dtype=rl.float64)
            done = rl.zeros(x.shape, dtype=rl.bool)
            while not done.all():
                u1, u2, u3 = rl.rand((3, *x.shape), dtype=rl.float64).unbind()
                z = rl.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = rl.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
