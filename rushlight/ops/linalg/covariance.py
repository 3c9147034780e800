"""Covariance, low-rank approximations, products with Q, and the names that PyTorch has removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.door import wrap
from ...autograd.observe import look
from ...dtypes import type_name
from ...errors import message
from ..core.composite import composite
from ..core.samples import case, error, values
from ..elementwise.formulas import sqrt
from ..shape.views import cat
from .matmul import matmul
from .matrices import in_columns
from .operands import adjoint_, finish, is_complex
from .qr import householder_product
from .spectral import linalg_svd


@composite(
    accepts="floating integral complex: cov(): bool dtype is not supported for input",
    constant=(2,),
    samples=[case((3, 5)), case((3, 5), correction=0, fweights=values([1, 2, 1, 1, 3]))],
)
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance matrix (n, n) of n variables, the rows, over m observations, the columns.

    (X - mean) @ (X - mean)^H / (m - correction); `fweights` (m,) say how often an observation
    occurred (integers), `aweights` (m,) how much it weighs. Of a vector: its variance.

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> torch.cov(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    x = input.reshape((1, -1)) if input.ndim < 2 else input
    if x._a.dtype.kind in "iub":
        x = x.to(dtypes.get_default_dtype())
    weights = None
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        if w.ndim != 1 or w.shape[0] != x.shape[1]:
            raise RuntimeError(f"cov(): expected {name} to have one weight for each observation")
        if name == "fweights" and w._a.dtype.kind not in "iu":
            raise RuntimeError(
                "cov(): expected fweights to have integral dtype but got fweights with "
                f"{type_name(w.dtype)} dtype"
            )
        look("cov")
        a = door.resolved(w._a)
        if a.__class__ is np.ndarray and a.size and a.min() < 0:
            raise RuntimeError(f"cov(): {name} cannot be negative")
        if w.dtype.is_floating_point:
            x = x.to(dtypes.promote_types(x.dtype, w.dtype))
        w = w.to(dtypes.from_numpy(np.empty(0, x._a.dtype).real.dtype))
        weights = w if weights is None else weights * w
    n = x.shape[1]
    if weights is None:
        total, mean = float(n), x.mean(1, keepdim=True)
    else:
        total = weights.sum()
        mean = (x * weights).sum(1, keepdim=True) / total
    norm = total - correction
    if weights is not None and aweights is not None and correction:
        a = aweights.to(weights.dtype)
        norm = total - correction * (weights * a).sum() / total
    centred = x - mean
    left = centred if weights is None else centred * weights
    right = centred.conj() if is_complex(x) else centred
    y = matmul(left, right.mT) / (max(norm, 0.0) if isinstance(norm, float) else norm.clamp(min=0))
    return y.reshape(()) if x.shape[0] == 1 else y


@composite(accepts="floating integral complex: cov(): bool dtype is not supported for input",
           samples=[case((3, 5))])
def corrcoef(input: Any) -> Any:
    """The correlation matrix (n, n) of n variables, the rows: cov[i, j] / sqrt(cov[i, i] * cov[j,
    j]).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> torch.corrcoef(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(input)
    if c.ndim == 0:
        return c / c
    d = sqrt(c.diagonal().real if is_complex(c) else c.diagonal())
    c = c / d[:, None] / d[None, :]
    return c if is_complex(c) else c.clip(-1, 1)


@composite(autocast="float32", accepts="floating complex: ormqr_cpu",
           samples=[case((4, 3), (3,), (4, 2))])
def ormqr(
    input: Any,
    input2: Any,
    input3: Any,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Any = None,
) -> Any:
    """Q @ input3, where `input` and `input2` are what `geqrf` says of Q (all of it, square).

    `transpose`: Q^H; `left=False`: input3 @ Q.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.ormqr(a, tau, torch.eye(2))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
    tau, other = input2, input3
    if input.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if other.ndim < 2:
        raise RuntimeError(
            message("torch.ormqr: other must have at least 2 dimensions.", f"{tuple(other.shape)}")
        )
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    m = other.shape[-2] if left else other.shape[-1]
    if tau.shape[-1] != min(m, input.shape[-1]):
        side = "-2" if left else "-1"
        raise RuntimeError(
            message(
                f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], "
                "input.shape[-1])",
                got=f"tau {tuple(tau.shape)}, other {tuple(other.shape)}",
            )
        )
    if input.shape[-2] != m:
        raise RuntimeError(
            message(
                f"torch.ormqr: other.shape[{'-2' if left else '-1'}] must be equal to "
                "input.shape[-2]",
                got=f"input {tuple(input.shape)}, other {tuple(other.shape)}",
            )
        )
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim "
            f"equal to {tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    input = input[..., :m]
    more = m - input.shape[-1]
    wide = wrap(np.zeros((*input.shape[:-1], more), input._a.dtype))
    q = householder_product(cat(input, wide, dim=-1) if more else input, tau)
    q = adjoint_(q) if transpose else q
    y = matmul(q, other) if left else matmul(other, q)
    return finish("ormqr", in_columns(y), out)


@composite(loose="q niter", public="torch", random=True, smooth=False, samples=[case((5, 4), 2)])
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """(U, S, V) of the `q` largest singular values of A (*, m, n), or of A - M.

    A is about U @ diag(S) @ V^H. PyTorch finds them by random projections in `niter` steps; here
    the whole SVD is computed, so they are exact and `niter` changes nothing.

    >>> A = torch.diag(torch.tensor([3.0, 2.0, 1.0]))
    >>> U, S, V = torch.svd_lowrank(A, q=2)
    >>> S
    tensor([3., 2.])
    """
    x = A if M is None else A - M
    u, s, vh = linalg_svd(x, full_matrices=False)
    q = 6 if q is None else q
    return u[..., :, :q], s[..., :q], adjoint_(vh)[..., :, :q]


@composite(
    loose="q center niter", public="torch", random=True, smooth=False, samples=[case((5, 4), 2)]
)
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """(U, S, V) of the `q` first principal components of m rows with n numbers each, A (*, m, n).

    The columns of V (*, n, q) are the directions; `A @ V` are the rows in them. The mean row is
    subtracted before unless `center=False`. `q` is min(6, m, n) by default. Exact, as
    `svd_lowrank`.

    >>> A = torch.tensor([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> U, S, V = torch.pca_lowrank(A, q=1)
    >>> S
    tensor([3.1623])
    """
    q = min(6, *A.shape[-2:]) if q is None else q
    if not 0 <= q <= min(A.shape[-2:]):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, "
            f"n)={min(A.shape[-2:])}"
        )
    x = A - A.mean(-2, keepdim=True) if center else A
    return svd_lowrank(x, q)


def _removed(name: str, hint: str, public: str = "torch Tensor") -> None:
    def gone(*_args: Any, **_kw: Any) -> Any:
        raise RuntimeError(
            message(
                "This function was deprecated since version 1.9 and is now removed.",
                f"torch.{name}",
                hint=hint,
            )
        )

    gone.__name__ = gone.__qualname__ = name
    gone.__doc__ = f"""Removed from PyTorch, and raises RuntimeError: call `{hint}`.

    >>> torch.{name}(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
    samples = [error(RuntimeError, "is now removed", (2, 2))]
    composite(gone, public=public, name=name, dispatch=False, samples=samples)


_removed("eig", "torch.linalg.eig")
_removed("lstsq", "torch.linalg.lstsq, with the arguments the other way round")
_removed("solve", "torch.linalg.solve, with the arguments the other way round")
_removed("matrix_rank", "torch.linalg.matrix_rank", "torch")
_removed("symeig", "torch.linalg.eigh")
