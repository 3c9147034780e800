"""The LKJ distribution of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..autograd.grad_mode import no_grad
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Factors L of correlation matrices M = L L^T of density ``det(M)^(concentration - 1)``.

    Source: Lewandowski, Kurowicka and Joe, Generating random correlation matrices based on vines
    and extended onion method, 2009 (the onion method).

    Args:
        dim: size of the matrices, 2 or more.
        concentration: positive; 1 is uniform, more prefers the identity.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.LKJCholesky(3, 0.5).sample().shape
        torch.Size([3, 3])
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _keeps = ("dim",)

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        rows = rl.arange(dim - 1, dtype=self.concentration.dtype)
        rows = rl.cat([rows.new_zeros((1,)), rows])
        left = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(rows + 0.5, left.unsqueeze(-1) - 0.5 * rows)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = Size(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return self._finish_expanded(new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with no_grad():
            radius = self._beta.sample(sample_shape).unsqueeze(-1).sqrt()
            normal = rl.randn(self._extended_shape(sample_shape), dtype=radius.dtype).tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)  # the first row has no direction
            w = radius * direction
            rest = (1 - (w**2).sum(-1)).clamp(min=rl.finfo(w.dtype).tiny).sqrt()
            return w + rl.diag_embed(rest)  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        n = self.dim - 1
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - rl.arange(2, self.dim + 1)
        density = (order * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        alpha = self.concentration + 0.5 * n
        constant = 0.5 * n * math.log(math.pi) + rl.mvlgamma(alpha - 0.5, n)
        return density - (constant - rl.lgamma(alpha) * n)  # type: ignore[no-any-return]
