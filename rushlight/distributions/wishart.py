"""The Wishart distribution of positive definite matrices."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

import rushlight as rl

from ..tensor import Tensor
from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import _log_diagonal, _precision_to_scale_tril
from .utils import is_number, lazy_property

__all__ = ["Wishart"]


def _mvdigamma(x: Any, p: int) -> Any:
    """The derivative of the logarithm of the multivariate gamma function."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return rl.digamma(x.unsqueeze(-1) - rl.arange(p, dtype=x.dtype).div(2)).sum(-1)


class Wishart(ExponentialFamily):
    """Matrices ``sum_i x_i x_i^T`` of `df` normal vectors x_i of the given covariance.

    Samples: Bartlett's decomposition (Odell and Feiveson 1966). Where PyTorch draws every sample
    twice and warns, whether or not it is singular, one draw is made here.

    Args:
        df: degrees of freedom, above p - 1.
        covariance_matrix: (*batch, p, p), positive definite; or instead of it
        precision_matrix: its inverse, or
        scale_tril: its Cholesky factor.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
        tensor([[3., 0.],
                [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _expands: ClassVar[Any] = {
        "df": 0,
        "_unbroadcasted_scale_tril": 2,
        "covariance_matrix": 2,
        "precision_matrix": 2,
        "scale_tril": 2,
    }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [name for name, m in matrices.items() if m is not None]
        if len(given) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be "
                "specified."
            )
        name, matrix = given[0], matrices[given[0]]
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if is_number(df):
            shape = matrix.shape[:-2]
            self.df = rl.as_tensor(df, dtype=matrix.dtype)
        else:
            shape = rl.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(shape)
        event_shape = matrix.shape[-2:]
        p = event_shape[-1]
        if self.df.le(p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        if self.df.lt(p).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for "
                "ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        self.__dict__[name] = matrix.expand((*shape, -1, -1))
        super().__init__(shape, event_shape, validate_args=validate_args)
        if name == "covariance_matrix":
            matrix = rl.linalg.cholesky(matrix)
        elif name == "precision_matrix":
            matrix = _precision_to_scale_tril(matrix)
        self._unbroadcasted_scale_tril = matrix

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        inverse = rl.cholesky_inverse(self._unbroadcasted_scale_tril)
        return inverse.expand(self._batch_shape + self._event_shape)

    def _matrix_df(self) -> Tensor:
        return self.df.expand(self._batch_shape).reshape((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        return self._matrix_df() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """NaN for too few degrees of freedom."""
        factor = self._matrix_df() - self._event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        d = v.diagonal(dim1=-2, dim2=-1)
        return self._matrix_df() * (v.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def rsample(self, sample_shape: Any = (), max_try_correction: int = 10) -> Tensor:
        """Random matrices; one that is numerically singular is drawn again, a few times."""
        sample = self._bartlett(sample_shape)
        for _ in range(max_try_correction):
            valid = self.support.check(sample)
            if valid.all():
                break
            again = self._bartlett(sample_shape)
            sample = rl.where(valid[..., None, None], sample, again)
        return sample

    def _bartlett(self, sample_shape: Any) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        p = self._event_shape[-1]
        df = self.df.unsqueeze(-1) - rl.arange(p, dtype=factor.dtype)
        chi2 = Chi2(df.expand((*self._batch_shape, p))).rsample(sample_shape)
        noise = chi2.sqrt().clamp(min=rl.finfo(factor.dtype).eps).diag_embed()
        i, j = rl.tril_indices(p, p, offset=-1)
        shape = (*sample_shape, *self._batch_shape, p * (p - 1) // 2)
        noise[..., i, j] = rl.randn(shape, dtype=noise.dtype)
        root = factor @ noise
        return root @ root.mT

    def log_prob(self, value: Any) -> Tensor:
        self._checked(value)
        nu, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        trace = rl.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        constant = nu * (p * math.log(2) / 2 + _log_diagonal(factor)) + rl.mvlgamma(nu / 2, p)
        log_det = rl.linalg.slogdet(value).logabsdet
        return (nu - p - 1) / 2 * log_det - trace / 2 - constant  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        size = p * math.log(2) / 2 + _log_diagonal(self._unbroadcasted_scale_tril)
        spread = (nu - p - 1) / 2 * _mvdigamma(nu / 2, p)
        return (p + 1) * size + rl.mvlgamma(nu / 2, p) - spread + nu * p / 2  # type: ignore[no-any-return]

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        size = p * math.log(2) - rl.linalg.slogdet(-2 * x).logabsdet
        return half * size + rl.mvlgamma(half, p)
