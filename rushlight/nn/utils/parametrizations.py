"""Ready-made parametrisations: weight norm, spectral norm, orthogonal matrices."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, TypeVar

import rushlight

from ...autograd.grad_mode import no_grad
from ...tensor import Tensor
from .. import functional as F
from ..module import Module
from . import _norms, parametrize
from .spectral_norm import default_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

T = TypeVar("T", bound=Module)


def _tensor_of(module: Module, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return _norms.weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return _norms.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: T, name: str = "weight", dim: int | None = 0) -> T:
    """Split a parameter into length g (`original0`) and direction v: weight = g · v / ‖v‖.

    Args:
        dim: the dimension that keeps a length each; None for one length of all.

    State dicts of the old `weight_norm` can be loaded. Salimans and Kingma, arXiv:1602.07868.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([40, 1])
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: Any, prefix: str, *_: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but "
                f"got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight.detach())
            for name, size in (("_u", matrix.shape[0]), ("_v", matrix.shape[1])):
                start = matrix.new_empty(size).normal_(0, 1)
                self.register_buffer(name, F.normalize(start, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        return (weight.movedim(self.dim, 0) if self.dim else weight).flatten(1)

    def _power_method(self, matrix: Any, n_power_iterations: int) -> None:
        with no_grad():
            for _ in range(n_power_iterations):
                self._u.copy_(F.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(matrix.mH.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # A later forward changes the buffers; the backward of this one keeps its own.
        u, v = self._u.clone(), self._v.clone()
        return weight / rushlight.vdot(u, matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: T,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> T:
    """Divide a parameter by its largest singular value, found by power iteration.

    Args:
        n_power_iterations: steps for each forward in training.
        eps: smallest norm to divide by.
        dim: the dimension of the outputs (0; 1 for transposed convolutions).

    Miyato et al., 2018, arXiv:1802.05957.

    >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(20, 40))
    >>> bool((torch.linalg.matrix_norm(layer.weight, 2) - 1).abs() < 0.1)
    True
    """
    weight = _tensor_of(module, name)
    dim = default_dim(module) if dim is None else dim
    parametrize.register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )
    return module


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(q: Any) -> bool:
    n, k = q.shape[-2:]
    eye = rushlight.eye(k, dtype=q.dtype, device=q.device)
    return rushlight.allclose(q.mH @ q, eye, atol=10.0 * n * rushlight.finfo(q.dtype).eps)


def _make_orthogonal(a: Any) -> Any:
    """The Q of QR whose R has a positive diagonal."""
    q, r = rushlight.linalg.qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Any

    def __init__(
        self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True
    ) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Any) -> Any:
        transposed = x.shape[-2] < x.shape[-1]
        x = x.mT if transposed else x
        if self.orthogonal_map is _OrthMaps.householder:
            a = x.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (a * a).sum(dim=-2))
            q = rushlight.linalg.householder_product(a, tau)
            # The diagonal is ±1 and takes no gradient.
            q = q * x.diagonal(dim1=-2, dim2=-1).detach().trunc().unsqueeze(-2)
        else:
            q = self._from_skew(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def _from_skew(self, x: Any) -> Any:
        """A skew-symmetric matrix through the exponential, or the Cayley map."""
        n, k = x.shape[-2:]
        x = x.tril()
        if n != k:
            zeros = x.new_zeros((*x.shape[:-2], n, n - k))
            x = rushlight.cat([x, zeros], dim=-1)
        a = x - x.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            q = rushlight.linalg.matrix_exp(a)
        else:
            eye = rushlight.eye(n, dtype=a.dtype, device=a.device)
            q = rushlight.linalg.solve(eye - a / 2, eye + a / 2)
        return q[..., :k] if n != k else q

    def right_inverse(self, q: Any) -> Any:
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {q.shape}."
            )
        with no_grad():
            return self._invert(q)

    def _invert(self, given: Any) -> Any:
        transpose = given.shape[-2] < given.shape[-1]
        q = given.mT if transpose else given
        n, k = q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            a, tau = rushlight.geqrf(q)
            diagonal = a.diagonal(dim1=-2, dim2=-1)
            signs = diagonal.sign()
            diagonal.copy_(rushlight.where(tau == 0.0, -signs, signs))
            return a.mT if transpose else a
        if n == k:
            q = q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
        else:
            more = rushlight.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)
            q = _make_orthogonal(rushlight.cat([q, more], dim=-1))
        self.base = q
        minus_eye = rushlight.zeros_like(given)
        minus_eye.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return minus_eye


def orthogonal(
    module: T,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> T:
    """Keep a matrix orthogonal: Q Qᵀ = I, or Qᵀ Q = I for the longer side.

    Args:
        orthogonal_map: 'matrix_exp', 'cayley' or 'householder'; by default the first for square
            and complex matrices and the last for others.
        use_trivialization: compute relative to the assigned value, which allows assigning.

    Lezcano-Casado, 2019, arXiv:1909.09501.

    >>> q = nn.utils.parametrizations.orthogonal(nn.Linear(20, 40)).weight
    >>> torch.allclose(q.mT @ q, torch.eye(20), atol=1e-5)
    True
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    part = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, part, unsafe=True)
    return module
