"""What PyTorch publishes for sparse tensors: methods that refuse a dense one or convert it,
factories, products with a sparse matrix.

Sparse tensors themselves answer these methods and functions first (`rushlight/sparse`); what stands
here is called with dense ones.
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...errors import message
from .composite import composite
from .samples import case, error

# -- methods ---------------------------------------------------------------------------------------


def expects(name: str, wanted: str, doc: str) -> Any:
    """A method of sparse tensors, on a dense one."""

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        raise RuntimeError(f"{name} expected {wanted} tensor layout but got Strided")

    fn.__name__ = name
    fn.__doc__ = doc
    return composite(
        fn, public="Tensor", name=name, samples=[error(RuntimeError, "but got Strided", (2, 3))]
    )


expects(
    "coalesce", "sparse coordinate",
    """A sparse tensor with each place stored once, in order: values of one place are added.

    RuntimeError for a dense tensor.

    >>> x = torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3,))
    >>> x.coalesce().values()
    tensor([2., 4.])
    """,
)
expects(
    "is_coalesced", "sparse coordinate",
    """Whether a sparse tensor stores each place once, in order. RuntimeError for a dense
    tensor.

    >>> x = torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]), torch.tensor([1.0, 2.0, 3.0]), (3,))
    >>> x.is_coalesced(), x.coalesce().is_coalesced()
    (False, True)
    """,
)
expects(
    "indices", "sparse coordinate",
    """The places of the stored values of a sparse tensor, (sparse dimensions, stored), int64.

    RuntimeError for a dense tensor, and for a sparse one before `coalesce`.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().indices()
    tensor([[0, 1],
            [1, 0]])
    """,
)
expects(
    "_indices", "sparse coordinate",
    """`indices` of a sparse tensor as they are stored, coalesced or not.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse()._indices()
    tensor([[0, 1],
            [1, 0]])
    """,
)
expects(
    "_values", "sparse",
    """`values` of a sparse tensor as they are stored, coalesced or not.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse()._values()
    tensor([5., 7.])
    """,
)
expects(
    "values", "sparse",
    """The stored values of a sparse tensor, in the order of its indices.

    RuntimeError for a dense tensor, and for one of the layout sparse_coo before `coalesce`.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().values()
    tensor([5., 7.])
    """,
)
expects(
    "crow_indices", "sparse row compressed",
    """Of a tensor in the layout sparse_csr or sparse_bsr: where the values of each row begin,
    one more than there are rows. RuntimeError for other layouts.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr().crow_indices()
    tensor([0, 1, 3])
    """,
)
expects(
    "col_indices", "sparse row compressed",
    """Of a tensor in the layout sparse_csr or sparse_bsr: the column of each stored value or
    block. RuntimeError for other layouts.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr().col_indices()
    tensor([1, 0, 1])
    """,
)
expects(
    "ccol_indices", "sparse column compressed",
    """Of a tensor in the layout sparse_csc or sparse_bsc: where the values of each column
    begin, one more than there are columns. RuntimeError for other layouts.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().ccol_indices()
    tensor([0, 1, 3])
    """,
)
expects(
    "row_indices", "sparse column compressed",
    """Of a tensor in the layout sparse_csc or sparse_bsc: the row of each stored value or
    block. RuntimeError for other layouts.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().row_indices()
    tensor([1, 0, 1])
    """,
)


def sparse_alone(name: str, doc: str) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. It is for sparse "
            "tensors."
        )

    fn.__name__ = name
    fn.__doc__ = doc
    samples = [error(NotImplementedError, "Could not run", (2, 3))]
    return composite(fn, public="Tensor", name=name, samples=samples)


sparse_alone(
    "_nnz",
    """How many values a sparse tensor stores. NotImplementedError for a dense one.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse()._nnz()
    3
    """,
)
sparse_alone(
    "_dimI",
    """How many dimensions of a sparse tensor are sparse: `sparse_dim`.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse()._dimI()
    2
    """,
)
sparse_alone(
    "_dimV",
    """How many dimensions of a sparse tensor are dense: `dense_dim`.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse(1)._dimV()
    1
    """,
)
sparse_alone(
    "_coalesced_",
    """Say of a sparse tensor whether each place is stored once, in order, and return it.

    >>> x = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.tensor([1.0, 2.0]), (3,))
    >>> x._coalesced_(True).is_coalesced()
    True
    """,
)
sparse_alone(
    "sparse_resize_",
    """Give a sparse tensor another shape in place, its values staying: ``sparse_resize_(size,
    sparse_dim, dense_dim)``. NotImplementedError for a dense tensor.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse().sparse_resize_((3, 3), 2, 0).shape
    torch.Size([3, 3])
    """,
)
sparse_alone(
    "sparse_resize_and_clear_",
    """Give a sparse tensor another shape in place and take its values away:
    ``sparse_resize_and_clear_(size, sparse_dim, dense_dim)``. NotImplementedError for a dense
    tensor.

    >>> torch.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0)._nnz()
    0
    """,
)
sparse_alone(
    "resize_as_sparse_",
    """Give a sparse tensor the shape of another in place. NotImplementedError for a dense
    tensor.

    >>> torch.eye(2).to_sparse().resize_as_sparse_(torch.eye(3).to_sparse()).shape
    torch.Size([3, 3])
    """,
)


def conversion(name: str, doc: str, *wrong: Any) -> Any:
    """A method that makes a sparse tensor of a dense one."""

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        from ...sparse import conversions

        return getattr(conversions, name)(input, *args, **kw)

    fn.__name__ = name
    fn.__doc__ = doc
    return composite(fn, public="Tensor", name=name, data_dependent=True, samples=wrong)


# What comes out is looked at in tests/sparse: the generated tests know arrays alone.
conversion(
    "to_sparse",
    """A sparse tensor of the elements that are not zero.

    sparse_dim: of how many dimensions the places are stored, all by default; the others stay dense.
    layout: `torch.sparse_coo` by default, or sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, the
    last two with blocksize. Gradients go through it.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse()
    tensor(indices=tensor([[0, 1],
                           [1, 0]]),
           values=tensor([5., 7.]),
           size=(2, 2), nnz=2, layout=torch.sparse_coo)
    """, error(RuntimeError, "dense_to_sparse: sparse_dim argument", (2, 3), 3))
conversion(
    "to_sparse_coo",
    """A sparse tensor of the elements that are not zero, in the layout sparse_coo: `to_sparse`.

    >>> torch.tensor([0.0, 5.0]).to_sparse_coo()
    tensor(indices=tensor([[1]]),
           values=tensor([5.]),
           size=(2,), nnz=1, layout=torch.sparse_coo)
    """, error(TypeError, "positional argument", (2, 3), 3))
conversion(
    "to_sparse_csr",
    """A sparse tensor of the elements that are not zero, stored row by row.

    dense_dim: how many of the last dimensions stay dense; 0 by default. For two dimensions or more.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csr()
    tensor(crow_indices=tensor([0, 1, 3]),
           col_indices=tensor([1, 0, 1]),
           values=tensor([5., 7., 8.]), size=(2, 2), nnz=3,
           layout=torch.sparse_csr)
    """, error(IndexError, "Dimension out of range", (2,)))
conversion(
    "to_sparse_csc",
    """A sparse tensor of the elements that are not zero, stored column by column.

    dense_dim: how many of the last dimensions stay dense; 0 by default. For two dimensions or more.

    >>> torch.tensor([[0.0, 5.0], [7.0, 8.0]]).to_sparse_csc().values()
    tensor([7., 5., 8.])
    """, error(IndexError, "Dimension out of range", (2,)))
conversion(
    "to_sparse_bsr",
    """A sparse tensor of the blocks that are not zero, stored row of blocks by row.

    blocksize: the pair (rows, columns), which must divide the shape, else RuntimeError.

    >>> x = torch.tensor([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]])
    >>> torch.Tensor.to_sparse_bsr(x, (1, 2)).values()
    tensor([[[1., 2.]],
    <BLANKLINE>
            [[3., 4.]]])
    """, error(RuntimeError, "must be divisible by", (2, 3), [2, 2]))
conversion(
    "to_sparse_bsc",
    """A sparse tensor of the blocks that are not zero, stored column of blocks by column.

    blocksize: the pair (rows, columns), which must divide the shape, else RuntimeError.

    >>> x = torch.tensor([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 4.0]])
    >>> torch.Tensor.to_sparse_bsc(x, (1, 2)).row_indices()
    tensor([0, 1])
    """, error(RuntimeError, "must be divisible by", (2, 3), [2, 2]))


@composite(
    public="Tensor",
    samples=[error(NotImplementedError, "Could not run 'aten::sparse_mask'", (2, 3), (2, 3))],
)
def sparse_mask(input: Any, mask: Any) -> Any:
    """The elements at the places of a sparse tensor, sparse as it is.

    mask: a sparse tensor of the same shape; NotImplementedError for a dense one.

    >>> mask = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).to_sparse()
    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sparse_mask(mask).values()
    tensor([2., 3.])
    """
    raise NotImplementedError(
        "Could not run 'aten::sparse_mask' with arguments from the 'CPU' backend. The mask is a "
        "sparse tensor."
    )


@composite(public="Tensor", samples=[case((2, 3)), case((2, 3), dtypes.float32)])
def to_dense(input: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """The tensor in the dense layout: of a dense one itself.

    dtype: the type of the result, that of the tensor by default. masked_grad: of sparse tensors.

    >>> torch.tensor([[0.0, 5.0], [7.0, 0.0]]).to_sparse().to_dense()
    tensor([[0., 5.],
            [7., 0.]])
    """
    return input if dtype is None else input.to(dtype)


@composite(public="Tensor", samples=[case((2, 3))])
def sparse_dim(input: Any) -> int:
    """How many dimensions are sparse: 0 of a dense tensor.

    >>> torch.eye(2).sparse_dim(), torch.eye(2).to_sparse().sparse_dim()
    (0, 2)
    """
    return 0


@composite(public="Tensor", samples=[case((2, 3))])
def dense_dim(input: Any) -> int:
    """How many dimensions are dense: all of a dense tensor.

    >>> torch.eye(2).dense_dim(), torch.eye(2).to_sparse().dense_dim()
    (2, 0)
    """
    return int(input._a.ndim)


# -- factories -------------------------------------------------------------------------------------


def sparse_factory(name: str, doc: str, *samples: Any, module: str = "compressed") -> Any:
    def fn(*args: Any, **kw: Any) -> Any:
        from ...sparse import compressed, create

        return getattr(create if module == "create" else compressed, name)(*args, **kw)

    fn.__name__ = name
    fn.__doc__ = doc
    return composite(
        fn, public="torch", name=name, dispatch=False, data_dependent=True, samples=samples
    )


sparse_factory(
    "sparse_coo_tensor",
    """A sparse tensor of places and values, in the layout sparse_coo.

    indices (sparse dimensions, n), integers; values (n, *), of which the last dimensions stay
    dense; size: the shape, by default as small as the indices allow. Values at one place are added
    by `coalesce`. dtype, device, requires_grad and is_coalesced; check_invariants: look whether all
    fits. RuntimeError for indices outside the size.

    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """, error(RuntimeError, "size is 1", [[0, 1]], [1.0, 2.0], [1]),
    module="create",
)  # fmt: skip
sparse_factory(
    "sparse_csr_tensor",
    """A sparse matrix stored row by row: the values of row i, and their columns, stand at
    `crow_indices[i]` to `crow_indices[i + 1]`.

    crow_indices (*, rows + 1), col_indices (*, n) and values (*, n); size: the shape, by default as
    small as the indices allow. dtype, device, requires_grad, check_invariants.

    >>> torch.sparse_csr_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """, error(RuntimeError, "col_indices", [0, 1], [2], [1.0], [1, 2]))
sparse_factory(
    "sparse_csc_tensor",
    """A sparse matrix stored column by column: the values of column j, and their rows, stand at
    `ccol_indices[j]` to `ccol_indices[j + 1]`.

    ccol_indices (*, columns + 1), row_indices (*, n) and values (*, n); size: the shape, by default
    as small as the indices allow. dtype, device, requires_grad, check_invariants.

    >>> torch.sparse_csc_tensor([0, 1, 1, 2], [1, 0], [4.0, 3.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """, error(RuntimeError, "row_indices", [0, 1], [2], [1.0], [2, 1]))
sparse_factory(
    "sparse_bsr_tensor",
    """A sparse matrix of dense blocks, stored row of blocks by row.

    crow_indices (*, rows of blocks + 1), col_indices (*, n) and values (*, n, block rows, block
    columns); size: the shape, by default as small as the indices allow.

    >>> torch.sparse_bsr_tensor([0, 1, 2], [1, 0], [[[1.0, 2.0]], [[3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 1., 2.],
            [3., 4., 0., 0.]])
    """, error(RuntimeError, "block dimensionalities", [0, 1], [0], [1.0])
)
sparse_factory(
    "sparse_bsc_tensor",
    """A sparse matrix of dense blocks, stored column of blocks by column.

    ccol_indices (*, columns of blocks + 1), row_indices (*, n) and values (*, n, block rows, block
    columns); size: the shape, by default as small as the indices allow.

    >>> torch.sparse_bsc_tensor([0, 1, 2], [1, 0], [[[1.0, 2.0]], [[3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 3., 4.],
            [1., 2., 0., 0.]])
    """, error(RuntimeError, "block dimensionalities", [0, 1], [0], [1.0])
)
sparse_factory(
    "sparse_compressed_tensor",
    """A sparse matrix in the layout that `layout` says: sparse_csr, sparse_csc, sparse_bsr or
    sparse_bsc.

    compressed_indices: where each row or column begins; plain_indices: the other index of each
    value; values and size as of `sparse_csr_tensor`. RuntimeError without a layout.

    >>> parts = [0, 1, 2], [2, 0], [3.0, 4.0]
    >>> torch.sparse_compressed_tensor(*parts, (2, 3), layout=torch.sparse_csr).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """,     error(RuntimeError, "expected sparse compressed", [0, 1], [0], [1.0]),
)


# -- products --------------------------------------------------------------------------------------


def need_sparse(name: str) -> NotImplementedError:
    return NotImplementedError(
        message(
            f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. One operand is a "
            "sparse tensor.",
            hint="torch.mm",
        )
    )


@composite(
    public="torch Tensor", samples=[error(NotImplementedError, "Could not run", (2, 3), (3, 4))]
)
def smm(input: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense one, as a sparse matrix.

    input (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

    >>> torch.smm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
    tensor([[1.],
            [2.]])
    """
    raise need_sparse("smm")


@composite(
    public="torch",
    aliases="hsmm",
    samples=[error(NotImplementedError, "Could not run", (2, 3), (3, 4))],
)
def hspmm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense one, as a tensor with sparse rows and dense
    columns.

    mat1 (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

    >>> torch.hspmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
    tensor([[1.],
            [2.]])
    """
    raise need_sparse("hspmm")


@composite(
    public="torch Tensor",
    samples=[error(NotImplementedError, "Could not run", (2, 4), (2, 3), (3, 4))],
)
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`y = beta * input + alpha * (mat1 @ mat2)`, a sparse matrix.

    input (n, p) and mat1 (n, m), sparse; mat2 (m, p), dense; beta and alpha: 1 by default.
    NotImplementedError where all are dense: `torch.addmm`.

    >>> sparse = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(sparse, sparse, torch.ones(2, 2), alpha=2).to_dense()
    tensor([[3., 2.],
            [2., 3.]])
    """
    raise NotImplementedError(
        "Could not run 'aten::sspaddmm' with arguments from the 'CPU' backend. It is for sparse "
        "tensors."
    )


@composite(
    public="torch",
    samples=[error(NotImplementedError, "Could not run", (2, 4), (2, 3), (3, 4))],
)
def saddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`torch.sspaddmm` under an older name: `y = beta * input + alpha * (mat1 @ mat2)`.

    input (n, p) and mat1 (n, m), sparse; mat2 (m, p), dense; beta and alpha: 1 by default.

    >>> sparse = torch.eye(2).to_sparse()
    >>> torch.saddmm(sparse, sparse, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
    return input.sspaddmm(mat1, mat2, beta=beta, alpha=alpha)


@composite(public="torch", aliases="dsmm", samples=[case((2, 3), (3, 4))])
def spmm(input: Any, mat2: Any) -> Any:
    """The matrix product, of which an operand may be sparse.

    input (n, m), mat2 (m, p); the result (n, p) is dense where one of them is. RuntimeError for
    tensors that are no matrices.

    >>> torch.spmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]]))
    tensor([[1.],
            [2.]])
    """
    for name, x in (("self", input), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(
                message(f"{name} must be a matrix", f"shape {tuple(x.shape)}", hint="matmul")
            )
    return input @ mat2
