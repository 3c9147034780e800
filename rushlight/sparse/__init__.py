"""`torch.sparse`: operations on tensors of which only some elements are stored: by
coordinates (COO), by rows or columns (CSR, CSC), by blocks (BSR, BSC).

    create.py       factories, SciPy's matrices, files
    compressed.py   factories of the compressed layouts, and what must hold of them
    conversions.py  from one layout to another
    core.py         the class SparseTensor and the two ways between it and its values
    arithmetic.py products.py reduce.py shape.py     what can be done with them
    table.py        the public functions that take them; all others refuse

How they are held: `kernels/sparse/arrays.py`. Why they are made this way: decision 0032.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes as _dtypes
from .. import unsupported
from ..autograd import door
from ..layout import sparse_coo, sparse_csc, sparse_csr
from . import products as _products
from .core import NAMES as _NAMES
from .core import is_sparse as _is_sparse
from .create import from_scipy, to_scipy
from .invariants import check_sparse_tensor_invariants
from .products import sampled_addmm
from .reduce import log_softmax, softmax
from .reduce import sparse_sum as sum

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "from_scipy",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "spsolve",
    "sum",
    "to_scipy",
]


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """The product of two matrices of which one or both are sparse.

    Args:
        mat1: (n, k). mat2: (k, m). Returns (n, m): sparse if both are, dense otherwise.
        reduce: "sum", "mean", "amax" or "amin" of the products of each row of a CSR matrix.

    >>> a = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    >>> torch.sparse.mm(a, torch.tensor([[1.0], [3.0]]))
    tensor([[6.],
            [0.]])
    """
    if reduce is not None:
        return _products.reduced(mat1, mat2, reduce)
    if not (_is_sparse(mat1) or _is_sparse(mat2)):
        return mat1.mm(mat2)
    return _products.mm(mat1, mat2)


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """beta * mat + alpha * (mat1 @ mat2), with a sparse mat1.

    >>> a = torch.eye(2).to_sparse()
    >>> torch.sparse.addmm(torch.ones(2, 2), a, torch.full((2, 2), 5.0), beta=2)
    tensor([[7., 7.],
            [7., 7.]])
    """
    return _products.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def spdiags(diagonals: Any, offsets: Any, shape: Any, layout: Any = None) -> Any:
    """A sparse matrix with given diagonals: element j of diagonal k stands in column j.

    Args:
        diagonals: (k, n), or (n,) for one.
        offsets: (k,) integers; 0 is the main diagonal, 1 the one above it.
        shape: (rows, columns).
        layout: of the result; COO unless given.

    >>> diagonals = torch.tensor([[1.0, 2.0, 3.0], [7.0, 8.0, 9.0]])
    >>> torch.sparse.spdiags(diagonals, torch.tensor([0, 1]), (3, 3)).to_dense()
    tensor([[1., 8., 0.],
            [0., 2., 9.],
            [0., 0., 3.]])
    """
    from .conversions import to_sparse

    d = diagonals if diagonals.ndim > 1 else diagonals.unsqueeze(0)
    if d.ndim > 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if offsets.ndim > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    k = offsets._a.reshape(-1)
    if len(k) != d.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({d.shape[0]}) does not match the number of offsets ({len(k)})"
        )
    if layout not in (None, sparse_coo, sparse_csc, sparse_csr):
        raise RuntimeError(
            "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got "
            f"{_NAMES.get(layout, layout)}"
        )
    if offsets.dtype is not _dtypes.int64:
        raise RuntimeError(
            f"Offset Tensor must have dtype Long but got {_dtypes.type_name(offsets.dtype)}"
        )
    if len(np.unique(k)) != len(k):
        raise RuntimeError("Offset tensor contains duplicate values")
    n, m = shape
    nothing = np.zeros(0, np.int64)
    rows, cols, at = [nothing], [nothing], [nothing]
    for i, off in enumerate(k.tolist()):
        j = np.arange(max(off, 0), max(max(off, 0), min(m, n + off, d.shape[1])))
        rows.append(j - off)
        cols.append(j)
        at.append(i * d.shape[1] + j)
    from .core import at_places

    values = d.reshape(-1).index_select(0, door.wrap(np.concatenate(at).astype(np.int64)))
    indices = np.stack([np.concatenate(rows), np.concatenate(cols)]).astype(np.int64)
    made = at_places(indices, values, (n, m))
    made = made if made._fn is not None else made.coalesce()
    return made if layout in (None, sparse_coo) else to_sparse(made, layout=layout)


def spsolve(A: Any, b: Any) -> Any:
    """x of A x = b for a sparse CSR matrix A; needs SciPy, and is not differentiable.

    >>> import importlib.util
    >>> a = torch.tensor([[2.0, 0.0], [0.0, 4.0]], dtype=torch.float64).to_sparse_csr()
    >>> b = torch.tensor([2.0, 2.0], dtype=torch.float64)
    >>> if importlib.util.find_spec("scipy"):
    ...     assert torch.sparse.spsolve(a, b).tolist() == [1.0, 0.5]
    """
    from ..kernels.sparse import products

    found = products.scipy()
    if found is None:
        raise ModuleNotFoundError("sparse.spsolve needs SciPy\n  try     pip install scipy")
    import scipy.sparse.linalg as linalg

    matrix = to_scipy(A.detach()).tocsc()
    return door.wrap(np.asarray(linalg.spsolve(matrix, b.detach()._a)).astype(b._a.dtype))


def as_sparse_gradcheck(gradcheck: Any) -> Any:
    """`gradcheck` for functions of sparse tensors: their values are what is varied.

    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> x = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    >>> check(lambda x: x.to_dense() * 3, (x,), masked=True)
    True
    """

    def checked(func: Any, inputs: Any, *, masked: bool | None = None, **kw: Any) -> Any:
        kw.pop("check_sparse_nnz", None)
        inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
        flat, remake = [], []
        for x in inputs:
            if _is_sparse(x):
                x = x.coalesce() if x.layout is sparse_coo else x
                flat.append(door.wrap(x._a.values.copy()).requires_grad_(x.requires_grad))
                remake.append(x._a)
            else:
                flat.append(x)
                remake.append(None)

        def dense_func(*values: Any) -> Any:
            from .core import dense_operand, like

            made = [v if a is None else like(a, v) for v, a in zip(values, remake, strict=True)]
            out = func(*made)
            if isinstance(out, (tuple, list)):
                return tuple(dense_operand(o) for o in out)
            return dense_operand(out)

        return gradcheck(dense_func, tuple(flat), **kw)

    return checked


_absent, _names = unsupported.module(
    __name__,
    "SparseSemiStructuredTensor SparseSemiStructuredTensorCUTLASS "
    "SparseSemiStructuredTensorCUSPARSELT to_sparse_semi_structured",
    "semi-structured sparsity, which is CUDA's",
)


def __getattr__(name: str) -> Any:
    if name in LEGACY:
        return legacy(name)
    return _absent(name)


LEGACY = frozenset(
    [
        "FloatTensor",
        "DoubleTensor",
        "HalfTensor",
        "BFloat16Tensor",
        "LongTensor",
        "IntTensor",
        "ShortTensor",
        "CharTensor",
        "ByteTensor",
        "BoolTensor",
    ]
)


def legacy(name: str) -> Any:
    """`torch.sparse.FloatTensor(indices, values, size)` of old programs."""
    from ..legacy_tensors import legacy_type
    from .create import sparse_coo_tensor

    def make(*args: Any) -> Any:
        return sparse_coo_tensor(*args, dtype=legacy_type(f"torch.{name}"))

    make.__name__ = name
    make.__doc__ = f"The old form of `sparse_coo_tensor` with the type of torch.{name}."
    return make
