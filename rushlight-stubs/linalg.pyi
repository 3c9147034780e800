"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

from rushlight import return_types as return_types
from rushlight.layout import memory_format
from rushlight.random import Generator
from rushlight.size import Size
from rushlight.tensor import Tensor
from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)
from rushlight.errors import LinAlgError as LinAlgError

def cholesky(A: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """The lower (or upper) triangular L with L @ L^H = A, for positive-definite A."""
def cholesky_ex(A: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_cholesky_ex:
    """(L, info) without an exception: info is the order of the first minor that is not positive."""
def cond(A: Tensor, p: Number | _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number: the norm of A times the norm of its inverse."""
def cross(input: Tensor, other: Tensor | Number, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The vector product along a dim of size 3 (the last one by default)."""
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices.

    >>> import rushlight as torch
    >>> torch.linalg.det(torch.eye(3) * 2)
    tensor(8.)
    """
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The diagonal of the last two dims, as a view."""
def eig(A: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_eig:
    """Eigenvalues and eigenvectors (complex) of square matrices."""
def eigh(A: Tensor, UPLO: _str = 'L', *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_eigh:
    """Eigenvalues (ascending) and orthonormal eigenvectors of symmetric or Hermitian matrices.

    >>> import rushlight as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues (complex) of square matrices."""
def eigvalsh(A: Tensor, UPLO: _str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices, ascending."""
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the product of the reflections that geqrf returns."""
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices; LinAlgError if one is singular.

    >>> import rushlight as torch
    >>> torch.linalg.inv(torch.tensor([[2.0]]))
    tensor([[0.5000]])
    """
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_inv_ex:
    """(inverse, info) without an exception: info is the first zero pivot, counted from 1."""
def ldl_factor(A: Tensor, *, hermitian: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_ldl_factor:
    """(LD, pivots) of a symmetric (or Hermitian) indefinite A, for `linalg.ldl_solve`.

    >>> import rushlight as torch
    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]])).mT
    tensor([[2., 1.]])
    """
def ldl_factor_ex(A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_ldl_factor_ex:
    """(LD, pivots, info) of a symmetric (or Hermitian) A; info is the first zero of D, counted from
    1.
    """
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B, from `linalg.ldl_factor` of a symmetric or Hermitian A."""
def lstsq(A: Tensor, B: Tensor, rcond: _float | None = None, *, driver: _str | None = None) -> return_types.linalg_lstsq:
    """The X that minimises |A @ X - B|: (solution, residuals, rank, singular_values)."""
def lu(A: Tensor, *, pivot: _bool = True, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu:
    """A = P @ L @ U: a permutation, a unit lower and an upper triangular matrix."""
def lu_factor(A: Tensor, *, pivot: _bool = True, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor:
    """(LU, pivots) in LAPACK's packed form, for `linalg.lu_solve`."""
def lu_factor_ex(A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor_ex:
    """(LU, pivots, info); info is the first zero pivot, counted from 1."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B, from `linalg.lu_factor` of A (A^H when adjoint; X @ A when not
    left).
    """
def matmul(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, as torch.matmul."""
def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential: the sum of A^k / k!."""
def matrix_norm(A: Tensor, ord: Number | _str = 'fro', dim: Dims = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of matrices: "fro", "nuc", inf, -inf, 1, -1, 2, -2, over two dims."""
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """A multiplied with itself n times; the inverse's power for negative n."""
def matrix_rank(A: Tensor, tol: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Tensor | None = None) -> Tensor:
    """The number of singular values above max(atol, rtol * the largest one)."""
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order; the ends may be vectors."""
def norm(input: Tensor, ord: Number | _str | None = None, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The vector norm (ord None, or one dim) or the matrix norm (two dims, or a 2-D tensor)."""
def pinv(A: Tensor, rcond: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Tensor | None = None) -> Tensor:
    """The Moore-Penrose pseudoinverse, by SVD (or eigenvalues when hermitian)."""
def qr(A: Tensor, mode: _str = 'reduced', *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_qr:
    """A = Q @ R with orthonormal columns in Q and R upper triangular; mode: reduced, complete,
    r.
    """
def slogdet(A: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_slogdet:
    """(sign, logabsdet): the determinant is sign * exp(logabsdet)."""
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B (X @ A = B when not left); B is a matrix, or a vector.

    >>> import rushlight as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([0.5000, 0.2500])
    """
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_solve_ex:
    """(result, info) without an exception for singular matrices."""
def solve_triangular(A: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B (X @ A = B when not left) for triangular A."""
def svd(A: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_svd:
    """A = U @ diag(S) @ Vh with singular values in descending order.

    >>> import rushlight as torch
    >>> torch.linalg.svd(torch.eye(2) * 3).S
    tensor([3., 3.])
    """
def svdvals(A: Tensor, *, driver: _str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values in descending order."""
def tensorinv(A: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A seen as a matrix from its dims after ind to those before."""
def tensorsolve(A: Tensor, B: Tensor, dims: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """The X with tensordot(A, X, X.ndim) = B."""
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """The powers x^0 ... x^(N-1) of each element, ascending, in a new last dim."""
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """Sums of conj(x) * y along dim."""
def vector_norm(x: Tensor, ord: Number | _str = 2, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The vector norm over dims (all by default): (sum |x|^ord)^(1/ord); ord may be 0, inf,
    -inf.

    >>> import rushlight as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
