"""Normal vectors whose covariance is a diagonal plus a matrix of low rank."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv, _log_diagonal
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _capacitance_tril(w: Any, d: Any) -> Any:
    """The Cholesky factor of ``I + W^T D^-1 W``, which is small."""
    k = (w.mT / d.unsqueeze(-2)) @ w
    return rl.linalg.cholesky(k + rl.eye(k.shape[-1], dtype=k.dtype, device=k.device))


def _log_det(w: Any, d: Any, factor: Any) -> Any:
    """log det of ``W W^T + D`` by the matrix determinant lemma."""
    return 2 * _log_diagonal(factor) + d.log().sum(-1)


def _mahalanobis(w: Any, d: Any, x: Any, factor: Any) -> Any:
    """``x^T (W W^T + D)^-1 x`` by the Woodbury identity."""
    inner = _batch_mv(w.mT / d.unsqueeze(-2), x)
    return (x.pow(2) / d).sum(-1) - _batch_mahalanobis(factor, inner)


class LowRankMultivariateNormal(Distribution):
    """`MultivariateNormal` of covariance ``W W^T + D``, at the cost of the rank of W.

    Args:
        loc: (*batch, n) mean.
        cov_factor: (*batch, n, rank) W.
        cov_diag: (*batch, n) the diagonal D, positive.

    Example:
        >>> import rushlight as torch
        >>> w = torch.tensor([[1.0], [0.0]])
        >>> d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), w, torch.ones(2))
        >>> d.variance
        tensor([2., 1.])
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _expands: ClassVar[Any] = {
        "loc": 1,
        "cov_factor": 2,
        "cov_diag": 1,
        "_unbroadcasted_cov_factor": -1,
        "_unbroadcasted_cov_diag": -1,
        "_capacitance_tril": -1,
    }

    def __init__(
        self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        event_shape = loc.shape[-1:]
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(
                f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m"
            )
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            shape = rl.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as err:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from err
        self.loc = loc.expand((*shape, -1))
        self.cov_factor = cov_factor.expand((*shape, -1, -1))
        self.cov_diag = cov_diag.expand((*shape, -1))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _capacitance_tril(cov_factor, cov_diag)
        super().__init__(shape, event_shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        w = self._unbroadcasted_cov_factor / root
        k = w @ w.mT
        k = k + rl.eye(k.shape[-1], dtype=k.dtype, device=k.device)
        return (root * rl.linalg.cholesky(k)).expand(self._matrix_shape())  # type: ignore[no-any-return]

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        w = self._unbroadcasted_cov_factor
        matrix = w @ w.mT + rl.diag_embed(self._unbroadcasted_cov_diag)
        return matrix.expand(self._matrix_shape())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        d = self._unbroadcasted_cov_diag
        a = self._unbroadcasted_cov_factor.mT / d.unsqueeze(-2)
        a = rl.linalg.solve_triangular(self._capacitance_tril, a, upper=False)
        return (rl.diag_embed(d.reciprocal()) - a.mT @ a).expand(self._matrix_shape())  # type: ignore[no-any-return]

    def _matrix_shape(self) -> Any:
        return self._batch_shape + self._event_shape + self._event_shape

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        rank = self.cov_factor.shape[-1:]
        low = _standard_normal(shape[:-1] + rank, self.loc.dtype, self.loc.device)
        full = _standard_normal(shape, self.loc.dtype, self.loc.device)
        spread = _batch_mv(self._unbroadcasted_cov_factor, low)
        return self.loc + spread + self._unbroadcasted_cov_diag.sqrt() * full

    def _parts(self) -> tuple[Any, Any, Any]:
        return (
            self._unbroadcasted_cov_factor,
            self._unbroadcasted_cov_diag,
            self._capacitance_tril,
        )

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        w, d, factor = self._parts()
        distance = _mahalanobis(w, d, value - self.loc, factor)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + _log_det(w, d, factor) + distance)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        h = 0.5 * (constant + _log_det(*self._parts()))
        return h.expand(self._batch_shape)  # type: ignore[no-any-return]
