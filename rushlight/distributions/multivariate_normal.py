"""The normal distribution of vectors, and the matrix arithmetic that its relatives share."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(matrix: Any, vector: Any) -> Any:
    """(..., n, m) times (..., m), broadcast."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(factor: Any, x: Any) -> Any:
    """``x^T (L L^T)^-1 x`` for Cholesky factors L: (..., n, n) and x: (..., n), broadcast."""
    shape = rl.broadcast_shapes(factor.shape[:-2], x.shape[:-1])
    factor = factor.expand(shape + factor.shape[-2:])
    x = x.expand(shape + x.shape[-1:]).unsqueeze(-1)
    return rl.linalg.solve_triangular(factor, x, upper=False).pow(2).sum((-2, -1))


def _precision_to_scale_tril(precision: Any) -> Any:
    """The Cholesky factor of the inverse, from the factor of the matrix upside down."""
    flipped = rl.linalg.cholesky(rl.flip(precision, (-2, -1)))
    upper_inverse = rl.flip(flipped, (-2, -1)).mT
    eye = rl.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return rl.linalg.solve_triangular(upper_inverse, eye, upper=False)


def _log_diagonal(factor: Any) -> Any:
    """Half of log det of ``L L^T``."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class MultivariateNormal(Distribution):
    """Vectors of density ``exp(-(x - loc)^T C^-1 (x - loc) / 2) / sqrt(det(2 pi C))``.

    Args:
        loc: (*batch, n) mean.
        covariance_matrix: (*batch, n, n) C, positive definite; or instead of it
        precision_matrix: its inverse, or
        scale_tril: its Cholesky factor, lower triangular with a positive diagonal (cheapest).

    Example:
        >>> import rushlight as torch
        >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
        >>> d.log_prob(torch.zeros(2))
        tensor(-1.8379)
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _expands: ClassVar[Any] = {
        "loc": 1,
        "_unbroadcasted_scale_tril": -1,  # stays as small as it is
        "covariance_matrix": 2,
        "precision_matrix": 2,
        "scale_tril": 2,
    }

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [name for name, m in matrices.items() if m is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        name, matrix = given[0], matrices[given[0]]
        if matrix.dim() < 2:
            raise ValueError(
                f"{name} matrix must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        shape = rl.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand((*shape, -1, -1))
        self.loc = loc.expand((*shape, -1))
        super().__init__(shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "covariance_matrix":
            matrix = rl.linalg.cholesky(matrix)
        elif name == "precision_matrix":
            matrix = _precision_to_scale_tril(matrix)
        self._unbroadcasted_scale_tril = matrix

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._matrix_shape())

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._matrix_shape())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return rl.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._matrix_shape())

    def _matrix_shape(self) -> Any:
        return self._batch_shape + self._event_shape + self._event_shape

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, drawn)  # type: ignore[no-any-return]

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - _log_diagonal(self._unbroadcasted_scale_tril)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        constant = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        h = constant + _log_diagonal(self._unbroadcasted_scale_tril)
        return h.expand(self._batch_shape)  # type: ignore[no-any-return]
