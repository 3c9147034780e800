"""What functions of matrices share: their checks and shapes, samples with known spectra, columns.

Not here: the adjoint and results into `out` (`matmul.py`), triangles and diagonals
(`triangles.py`). Read next: `cholesky.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.record import op
from ..core.samples import Case
from .norm import need_float


class separated:
    """A sample: matrices with well separated eigenvalues and singular values."""

    def __init__(self, shape: tuple[int, ...], kind: str = "general") -> None:
        self.shape, self.kind = shape, kind

    def make(self, rng: np.random.Generator) -> Any:
        m, n = self.shape[-2:]
        k = min(m, n)
        x = rng.normal(size=self.shape)
        u, _, vh = np.linalg.svd(x, full_matrices=False)
        s = np.arange(1, k + 1) + rng.uniform(0, 0.4, (*self.shape[:-2], k))
        if self.kind == "symmetric":
            return (u * s[..., None, :]) @ u.mT
        if self.kind == "real eigenvalues":
            mix = x + 3 * np.eye(n)
            return mix @ (s[..., None] * np.linalg.inv(mix))
        return (u * s[..., None, :]) @ vh


class matrices(Case):
    """A case of one `separated` stack of matrices."""

    __slots__ = ()

    def make(self, rng: np.random.Generator) -> Any:
        return [self.args[0].make(rng), *self.args[1:]], dict(self.kw)


def sample(*shape: int, kind: str = "general", **kw: Any) -> Case:
    """A case with separated matrices of this shape."""
    return matrices((separated(shape, kind),), kw)


def need_matrix(name: str, x: Any, square: bool = False) -> None:
    """Raise PyTorch's errors unless x is a stack of (square) matrices of floats."""
    need_float(name, x)
    if x.ndim < 2:
        raise RuntimeError(
            message(
                f"{name}: The input tensor A must have at least 2 dimensions.",
                f"shape {tuple(x.shape)}",
            )
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            message(
                f"{name}: A must be batches of square matrices, "
                f"but they are {x.shape[-2]} by {x.shape[-1]} matrices",
                f"shape {tuple(x.shape)}",
                "A.shape[-2] == A.shape[-1]",
                "torch.linalg.lstsq or torch.linalg.pinv for matrices that are not square",
            )
        )


def same_in_columns(a: Any, **_kw: Any) -> MetaArray:
    """A result of the operand's shape, column by column."""
    made: MetaArray = dense.in_columns(MetaArray(a.shape, a.dtype))
    return made


def same_shape(a: Any, **_kw: Any) -> MetaArray:
    """The shape rule of functions of a matrix."""
    return MetaArray(a.shape, a.dtype)


def first_bad(infos: Any) -> tuple[str, int]:
    """How PyTorch's messages name the first matrix of a stack with an info, and that info."""
    if not infos.ndim:
        return "", int(infos)
    k = int(np.flatnonzero(infos)[0]) if infos.any() else 0
    return f"(Batch element {k}): ", int(infos.reshape(-1)[k])


def column(v: Any) -> Any:
    """A vector as a column."""
    return v[..., :, None]


def row(v: Any) -> Any:
    """A vector as a row."""
    return v[..., None, :]


def real_type(x: Any) -> Any:
    """The dtype of the magnitudes of x."""
    return x.real.dtype


@op(samples=[sample(4, 3)], low="keep", fresh=True, public="", node="CloneBackward0")
def in_columns(input: Any) -> Any:
    """A copy that lies column by column, of what is composed as LAPACK would compute it."""
    return dense.in_columns(input.copy())


in_columns.vjp(lambda g, _y, _x: g)
in_columns.shape(same_in_columns)


class _System(Case):
    """A case of one matrix with its right-hand side."""

    __slots__ = ()

    def make(self, rng: np.random.Generator) -> Any:
        a = self.args[0].make(rng) if hasattr(self.args[0], "make") else self.args[0]
        return [a, rng.normal(size=self.args[1])], dict(self.kw)


def system(shape: tuple[int, ...], right: tuple[int, ...], **kw: Any) -> Case:
    """A well conditioned system."""
    return _System((sample(*shape).args[0], right), kw)


def system_shape(a: Any, b: Any, **_kw: Any) -> MetaArray:
    """The shape of the x with a @ x = b."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    made: MetaArray = dense.in_columns(MetaArray((*batch, *b.shape[-2:]), b.dtype))
    return made
