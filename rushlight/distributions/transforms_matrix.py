"""Transformations of vectors and matrices: onto the simplex, onto Cholesky factors.

Public names of `transforms.py`, where the base class is.
"""

from __future__ import annotations

import math
from typing import Any

import rushlight as rl

from ..nn.functional import logsigmoid, pad, softplus
from . import constraints
from .transform import Transform
from .transforms_elementwise import _clipped_sigmoid, _Plain
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


def _at_least(shape: Any, dims: int) -> Any:
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")
    return shape


class SoftmaxTransform(_Plain):
    """y = exp(x) / sum(exp(x)) along the last dimension: onto the simplex, but not bijective.

    >>> torch.distributions.SoftmaxTransform()(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        return rl.softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _at_least(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        return _at_least(shape, 1)


class StickBreakingTransform(_Plain):
    """n - 1 numbers to a point of the simplex of n: each breaks a share off the rest of a stick.

    Source: Stan Reference Manual, unit simplex transform.

    >>> torch.distributions.StickBreakingTransform()(torch.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _log_left(x: Any) -> Any:
        """Logarithms of how many shares are still to come: zeros give equal shares."""
        return rl.arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device).log()

    def _call(self, x: Any) -> Any:
        share = _clipped_sigmoid(x - self._log_left(x))
        left = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        parts = y[..., :-1]
        # rounding must not make the rest of the stick negative
        left = (1 - parts.cumsum(-1)).clamp(min=rl.finfo(y.dtype).tiny)
        return parts.log() - left.log() + self._log_left(parts)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        z = x - self._log_left(x)
        return (-z + logsigmoid(z) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        return (*_at_least(shape, 1)[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Any) -> Any:
        return (*_at_least(shape, 1)[:-1], shape[-1] - 1)


class LowerCholeskyTransform(_Plain):
    """Any square matrix to a lower triangular one with a positive diagonal (by exp).

    >>> torch.distributions.LowerCholeskyTransform()(torch.tensor([[0.0, 5.0], [3.0, 1.0]]))
    tensor([[1.0000, 0.0000],
            [3.0000, 2.7183]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(_Plain):
    """Any square matrix to a positive definite one, through its Cholesky factor.

    >>> torch.distributions.PositiveDefiniteTransform()(torch.tensor([[0.0, 5.0], [3.0, 0.0]]))
    tensor([[ 1.,  3.],
            [ 3., 10.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(rl.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """n (n - 1) / 2 numbers to the Cholesky factor of an n x n correlation matrix.

    tanh gives partial correlations; each row then breaks a stick of squared length 1. Source: Stan
    Reference Manual, Cholesky factors of correlation matrices.

    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        limit = 1 - rl.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(rl.tanh(x).clamp(min=-limit, max=limit), diag=-1)
        left = (1 - partial**2).sqrt().cumprod(-1)  # square roots of what the row has left
        partial = partial + rl.eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return partial * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        partial = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        tanh = -2 * (x + softplus(-2 * x) - math.log(2.0))
        return 0.5 * left.log().sum(-1) + tanh.sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        size = _at_least(shape, 1)[-1]
        n = round((0.25 + 2 * size) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != size:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape: Any) -> Any:
        if _at_least(shape, 2)[-2] != shape[-1]:
            raise ValueError("Input is not square")
        n = shape[-1]
        return (*shape[:-2], n * (n - 1) // 2)
