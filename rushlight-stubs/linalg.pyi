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
    """The lower triangular L with L @ L^H = A, for Hermitian positive definite A (*, n, n).

    `upper=True`: the upper triangular U with U^H @ U = A. Only that triangle of A is read.
    LinAlgError if a matrix is not positive definite; `cholesky_ex` tells instead of raising.

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> torch.linalg.cholesky(A)
    tensor([[2., 0.],
            [1., 2.]])
    """
def cholesky_ex(A: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_cholesky_ex:
    """(L, info): `cholesky`, which tells instead of raising.

    `info` (int32) is 0, or the size of the first leading block that is not positive definite; L is
    then not to be used. With `check_errors=True` it raises after all.

    >>> torch.linalg.cholesky_ex(torch.tensor([[1.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=torch.int32)
    """
def cond(A: Tensor, p: Number | _str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number of matrices (*, n, n): the norm of A times the norm of its inverse.

    `p` as `ord` of `linalg.matrix_norm`; without it, and for 2 and -2, from the singular values,
    for matrices of any shape.

    >>> A = torch.tensor([[4.0, 0.0], [0.0, 2.0]])
    >>> torch.linalg.cond(A)
    tensor(2.)
    """
def cross(input: Tensor, other: Tensor | Number, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The vector product along a dimension of size 3, the last one by default; the others
    broadcast.

    >>> x = torch.tensor([1.0, 0.0, 0.0])
    >>> torch.linalg.cross(x, torch.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices (*, n, n): (*), by LU decomposition.

    Its gradient, det(A) * A^-T, is that of the cofactors and so exists for singular matrices too.
    Of large matrices the determinant over- or underflows: see `linalg.slogdet`.

    >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.det(A)
    tensor(-2.)
    """
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """A view of the diagonals of matrices (*, m, n), as the last dimension.

    `torch.diagonal`, but of the last two dimensions by default.

    >>> torch.linalg.diagonal(torch.eye(2))
    tensor([1., 1.])
    """
def eig(A: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_eig:
    """Eigenvalues (*, n) and eigenvectors (*, n, n) of square matrices, always complex.

    A @ V = V @ diag(w); the columns of V have norm 1. For symmetric matrices `eigh` is faster and
    real.

    >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    >>> torch.linalg.eig(A).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
def eigh(A: Tensor, UPLO: _str = 'L', *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_eigh:
    """(eigenvalues, eigenvectors) of Hermitian matrices (*, n, n): A = V @ diag(w) @ V^H.

    The eigenvalues w (*, n) ascend; the columns of V (*, n, n) are orthonormal. Only the lower
    triangle is read, with `UPLO="U"` the upper one. Signs (phases) of eigenvectors are LAPACK's
    choice; their gradient is not finite where eigenvalues are equal.

    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues (*, n) of square matrices (*, n, n), always complex.

    >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    >>> torch.linalg.eigvals(A)
    tensor([0.+1.j, 0.-1.j])
    """
def eigvalsh(A: Tensor, UPLO: _str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues (*, n) of symmetric or Hermitian matrices (*, n, n), ascending.

    Only the lower triangle is read, with `UPLO="U"` the upper one.

    >>> A = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
    >>> torch.linalg.eigvalsh(A)
    tensor([1., 3.])
    """
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the product of the reflections that `geqrf` returns: Q of a QR.

    `A` (*, m, n) with the vectors below its diagonal, `tau` (*, k); Q (*, m, n).

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.linalg.householder_product(*torch.geqrf(A))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices (*, n, n); LinAlgError if one is singular.

    `linalg.solve(A, B)` is faster and more exact than `inv(A) @ B`.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torch.linalg.inv(A)
    tensor([[ 0.5000,  0.0000],
            [-0.5000,  1.0000]])
    """
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_inv_ex:
    """(inverse, info): `linalg.inv`, which tells instead of raising.

    `info` (int32) is 0, or the place of the first pivot that is zero, counted from 1. With
    `check_errors=True` it raises after all.

    >>> torch.linalg.inv_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
def ldl_factor(A: Tensor, *, hermitian: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_ldl_factor:
    """(LD, pivots) of a symmetric (or Hermitian) indefinite A, for `linalg.ldl_solve`.

    A = P @ L @ D @ L^T @ P^T, in LAPACK's packed form: L has ones on its diagonal, D blocks of
    1 x 1 and 2 x 2. `A` (*, n, n), of which the lower triangle is read; `hermitian`: L^H in place
    of L^T. RuntimeError if D is singular.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]])).mT
    tensor([[2., 1.]])
    """
def ldl_factor_ex(A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_ldl_factor_ex:
    """(LD, pivots, info): `ldl_factor`, which tells instead of raising.

    `info` is 0, or the place of the first zero on the diagonal of D, counted from 1; with
    `check_errors=True` it raises after all. `hermitian` as of `ldl_factor`.

    >>> torch.linalg.ldl_factor_ex(torch.eye(2)).info
    tensor(0, dtype=torch.int32)
    """
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B, from what `linalg.ldl_factor` says of a symmetric or Hermitian A.

    `LD` (*, n, n), `pivots` (*, n), `B` (*, n, k); `hermitian` as it was for the factors.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.0], [4.0]]))
    tensor([[2.],
            [1.]])
    """
def lstsq(A: Tensor, B: Tensor, rcond: _float | None = None, *, driver: _str | None = None) -> return_types.linalg_lstsq:
    """The X that minimises |A @ X - B|: (solution, residuals, rank, singular_values).

    `A` (*, m, n), `B` (*, m, k); X (*, n, k), of least norm where several are best. `driver`:
    "gelsy" (default), "gels" (full rank), "gelsd" and "gelss" (which also give singular values).
    All but the default give the residuals, sums of squares for each column, if m > n and the rank
    is full. `rcond` is the relative size of singular values that count as zero.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.linalg.lstsq(A, torch.tensor([[1.0], [4.0]])).solution
    tensor([[2.5000]])
    """
def lu(A: Tensor, *, pivot: _bool = True, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu:
    """A = P @ L @ U: a permutation, a lower triangular matrix with ones on the diagonal, an upper
    one.

    `A` (*, m, n), with k = min(m, n) L is (*, m, k) and U (*, k, n). Rows are exchanged for the
    largest pivot; `pivot=False` exchanges none (PyTorch has that on CUDA alone).

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> P, L, U = torch.linalg.lu(A)
    >>> L
    tensor([[1.0000, 0.0000],
            [0.2500, 1.0000]])
    >>> U
    tensor([[4., 4.],
            [0., 1.]])
    """
def lu_factor(A: Tensor, *, pivot: _bool = True, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor:
    """(LU, pivots) of matrices (*, m, n) in LAPACK's packed form, for `linalg.lu_solve`.

    U is on and above the diagonal of LU, L without its ones below; row i was exchanged with row
    pivots[i], counted from 1 (int32). LinAlgError if a pivot is zero.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> torch.linalg.lu_factor(A)
    torch.return_types.linalg_lu_factor(
    LU=tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]]),
    pivots=tensor([2, 2], dtype=torch.int32))
    """
def lu_factor_ex(A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor_ex:
    """(LU, pivots, info): `lu_factor`, which tells instead of raising.

    `info` is 0, or the place of the first pivot that is zero, counted from 1; with
    `check_errors=True` it raises after all.

    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B, from what `linalg.lu_factor` says of A.

    `LU` (*, n, n), `pivots` (*, n), `B` (*, n, k). `left=False`: X @ A = B; `adjoint=True`: A^H @ X
    = B.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[2.0], [9.0]]))
    tensor([[1.],
            [2.]])
    """
def matmul(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The matrix product of vectors, matrices and stacks of matrices: another name of
    `torch.matmul`.

    >>> torch.linalg.matmul(torch.eye(2) * 2, torch.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """
def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential of square matrices (*, n, n): the sum of A^k / k! over k.

    >>> A = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    >>> torch.linalg.matrix_exp(A)
    tensor([[1., 1.],
            [0., 1.]])
    """
def matrix_norm(A: Tensor, ord: Number | _str = 'fro', dim: Dims = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The norm of matrices: of the last two dimensions by default.

    `ord`: "fro" (the root of the sum of squares), "nuc" (the sum of the singular values), inf and
    -inf (largest, smallest sum of |a| over a row), 1 and -1 (over a column), 2 and -2 (largest,
    smallest singular value).

    >>> a = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.linalg.matrix_norm(a)
    tensor(5.)
    >>> torch.linalg.matrix_norm(a, "nuc")
    tensor(7.)
    """
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Square matrices (*, n, n) multiplied with themselves n times.

    n = 0 gives the identity; for negative n it is the inverse's power.

    >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> torch.linalg.matrix_power(A, 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
def matrix_rank(A: Tensor, tol: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Tensor | None = None) -> Tensor:
    """The number of singular values of matrices (*, m, n) that are not zero, int64.

    Those above max(atol, rtol * the largest) count; `rtol` is max(m, n) * eps by default, or 0 if
    `atol` is given. `hermitian=True`: by eigenvalues. `tol` is an older name of `atol`.

    >>> A = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    >>> torch.linalg.matrix_rank(A)
    tensor(1)
    """
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices, multiplied in the order that costs least.

    The first and the last may be vectors. Two tensors at least.

    >>> a, b, c = torch.ones(10, 100), torch.ones(100, 5), torch.ones(5, 2)
    >>> torch.linalg.multi_dot([a, b, c]).shape
    torch.Size([10, 2])
    """
def norm(input: Tensor, ord: Number | _str | None = None, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """A vector norm or a matrix norm, as `ord` and `dim` say.

    Without `ord` the root of the sum of squares of all elements (or over `dim`). With an `ord` and
    one dimension `vector_norm`, with two dimensions, or for a matrix without `dim`, `matrix_norm`.

    >>> a = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.linalg.norm(a)
    tensor(5.)
    >>> torch.linalg.norm(a, 2)
    tensor(4.)
    """
def pinv(A: Tensor, rcond: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Tensor | None = None) -> Tensor:
    """The Moore-Penrose pseudoinverse (*, n, m) of matrices (*, m, n).

    By singular values, of which those not above max(atol, rtol * the largest) count as zero; `rtol`
    is max(m, n) * eps by default, or 0 if `atol` is given. `hermitian=True`: by eigenvalues,
    reading the lower triangle. `rcond` is an older name of `rtol`.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.linalg.pinv(A)
    tensor([[0.5000, 0.5000]])
    """
def qr(A: Tensor, mode: _str = 'reduced', *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_qr:
    """A = Q @ R: orthonormal columns in Q, R upper triangular.

    `A` (*, m, n); with k = min(m, n) the result is (*, m, k) and (*, k, n) for `mode="reduced"`,
    (*, m, m) and (*, m, n) for "complete"; "r" computes R alone, Q is empty. Signs are LAPACK's.
    Differentiable where the first k columns are independent.

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> Q, R = torch.linalg.qr(A)
    >>> R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    >>> torch.allclose(Q @ R, A)
    True
    """
def slogdet(A: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_slogdet:
    """(sign, logabsdet) of square matrices (*, n, n): the determinant is sign * exp(logabsdet).

    Does not overflow where `det` does. Of singular matrices (0, -inf).

    >>> A = torch.diag(torch.tensor([1e30, -1e30]))
    >>> torch.linalg.slogdet(A)
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(138.1551))
    """
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B (with `left=False` X @ A = B), for square A (*, n, n).

    `B` is (*, n, k), or a vector (n,) (for a stack of matrices (*, n)). LinAlgError if A is
    singular.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.linalg.solve(A, torch.tensor([2.0, 9.0]))
    tensor([1., 2.])
    """
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_solve_ex:
    """(result, info): `linalg.solve`, which tells instead of raising.

    `info` (int32) is 0, or the place of the first pivot that is zero, counted from 1; with
    `check_errors=True` it raises after all.

    >>> torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2)).info
    tensor(1, dtype=torch.int32)
    """
def solve_triangular(A: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = B (with `left=False` X @ A = B), for triangular A (*, n, n).

    `upper` says which triangle is read; `unitriangular`: the diagonal counts as ones. `B` (*, n,
    k). Nothing is checked: zeros on the diagonal give infinities.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[2.0], [9.0]]), upper=False)
    tensor([[1.],
            [2.]])
    """
def svd(A: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.linalg_svd:
    """A = U @ diag(S) @ Vh, with the singular values S in descending order.

    `A` (*, m, n), with k = min(m, n) S is (*, k); U (*, m, m) and Vh (*, n, n), or with
    `full_matrices=False` (*, m, k) and (*, k, n). The gradient of U and Vh is finite only where the
    singular values differ. `driver` is CUDA's.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])
    >>> U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    >>> S
    tensor([4., 3.])
    >>> torch.allclose(U @ torch.diag(S) @ Vh, A)
    True
    """
def svdvals(A: Tensor, *, driver: _str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values (*, min(m, n)) of matrices (*, m, n), in descending order.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> torch.linalg.svdvals(A)
    tensor([4., 3.])
    """
def tensorinv(A: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse for `tensordot`: A counts as a matrix from its dimensions after `ind` to those
    before.

    Their products must be equal; `tensordot(tensorinv(A, ind), B, ind)` is `tensorsolve(A, B)`.

    >>> A = torch.eye(4).reshape(2, 2, 4) * 2
    >>> torch.linalg.tensorinv(A, ind=2).shape
    torch.Size([4, 2, 2])
    """
def tensorsolve(A: Tensor, B: Tensor, dims: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """The X with tensordot(A, X, X.ndim) = B.

    A has the dimensions of B, then those of X, or after the dimensions `dims` were moved to the
    end.

    >>> A = torch.eye(4).reshape(2, 2, 4) * 2
    >>> torch.linalg.tensorsolve(A, torch.tensor([[2.0, 4.0], [6.0, 8.0]]))
    tensor([1., 2., 3., 4.])
    """
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """The powers x^0, x^1, ... x^(N-1) of each element, in a new last dimension; N is the last
    size.

    >>> torch.linalg.vander(torch.tensor([2, 3]), N=4)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """Sums of conj(x) * y along `dim`; the other dimensions broadcast.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.vecdot(x, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
def vector_norm(x: Tensor, ord: Number | _str = 2, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The vector norm over dims (all by default): (sum |x|^ord)^(1/ord); ord may be 0, inf,
    -inf.

    >>> torch.linalg.vector_norm(torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
