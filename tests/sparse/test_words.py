"""What sparse operations refuse, in PyTorch's words."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_products_of_two_types() -> None:
    a, b = torch.eye(2, dtype=torch.float64).to_sparse(), torch.eye(2)
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        torch.sparse.mm(a, b)
    with pytest.raises(RuntimeError, match="mat1 dtype Double does not match mat2 dtype Float"):
        a @ b.to_sparse()


def test_integers_require_no_grad() -> None:
    for x in (torch.ones(2).int(), torch.ones(2).int().to_sparse()):
        with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can"):
            x.requires_grad_()
        with pytest.raises(RuntimeError, match="floating point and complex dtype can require"):
            x.requires_grad = True


def test_products_take_their_operands_by_name() -> None:
    d = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
    s = d.to_sparse()
    assert torch.spmm(input=s, mat2=d).tolist() == [[1, 0], [8, 9]]
    assert torch.smm(s, mat2=d).to_dense().tolist() == [[1, 0], [8, 9]]
    assert s.smm(mat2=d).to_dense().tolist() == [[1, 0], [8, 9]]
    assert torch.hspmm(mat1=s, mat2=d).to_dense().tolist() == [[1, 0], [8, 9]]
    assert torch.sspaddmm(input=s, mat1=s, mat2=d).to_dense().tolist() == [[2, 0], [10, 12]]
    with pytest.raises(TypeError):
        torch.smm(mat1=s, mat2=d)
    with pytest.raises(NotImplementedError, match="Could not run 'aten::hspmm'"):
        torch.hspmm(mat1=d, mat2=d)


def test_a_dense_tensor_is_multiplied_in_place_by_a_sparse_one() -> None:
    s = torch.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse()
    d = torch.full((2, 2), 2.0)
    assert d.mul_(s) is d
    assert d.tolist() == [[2, 0], [4, 6]]
    d = torch.full((3, 2, 2), 2.0)
    d *= s
    assert d.tolist() == [[[2, 0], [4, 6]]] * 3
    with pytest.raises(RuntimeError, match="format CSR"):
        torch.ones(2, 2).mul_(s.to_sparse_csr())


@pytest.mark.parametrize(
    ("diagonals", "offsets", "more", "words"),
    [
        ((3, 2, 3), [0, 1, 2], ((4, 4),), "Diagonals must be vector or matrix"),
        ((2, 2), [-1, 0], ((2, 3), torch.strided), r"Only output layouts .* got Strided"),
        ((1, 5), [0.0], ((5, 5),), "must have dtype Long but got Float"),
        ((2, 3), [0, 0, 2], ((4, 4),), r"Number of diagonals \(2\) does not match"),
    ],
)
def test_diagonals_that_fit_no_matrix(
    diagonals: tuple[int, ...], offsets: list[float], more: tuple[object, ...], words: str
) -> None:
    with pytest.raises(RuntimeError, match=words):
        torch.sparse.spdiags(torch.ones(diagonals), torch.tensor(offsets), *more)


def test_resize_as_a_sparse_tensor() -> None:
    s = torch.eye(2).to_sparse()
    assert s.new().resize_as_(s).shape == (2, 2)
    assert s.clone().resize_as_(torch.eye(3).to_sparse()).to_dense().tolist() == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
    ]
    with pytest.raises(RuntimeError, match="shrinking the size of sparse dimensions"):
        s.resize_as_(torch.zeros(1, 2).to_sparse())
    with pytest.raises(RuntimeError, match="shrinking the size of dense dimensions"):
        torch.ones(2, 3).to_sparse(1).resize_as_(torch.zeros(2, 2).to_sparse(1))
    with pytest.raises(RuntimeError, match="Unsupported memory format"):
        s.resize_as_(s, memory_format=torch.contiguous_format)
    with pytest.raises(NotImplementedError, match="aten::resize_"):
        s.resize_as_(torch.eye(2))


def test_products_with_sparse_numbers() -> None:
    """Types are promoted as those of dense numbers; what is not coalesced stays so."""
    many = torch.sparse_coo_tensor(torch.zeros(0, 3).long(), torch.ones(3).short(), ())
    two = torch.tensor(2).to_sparse()
    for y in (many * two, two * many):
        assert (y.dtype, y._nnz(), y.to_dense().item()) == (torch.int64, 3, 6)
    assert (many * torch.tensor(1.5)).dtype is torch.float32
    vector = torch.ones(2, dtype=torch.int16).to_sparse()
    assert (vector * two).dtype is (two * vector).dtype is torch.int16


def test_older_names_of_products() -> None:
    d = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
    s = d.to_sparse()
    assert torch.hsmm(s, d).to_dense().tolist() == (d @ d).tolist()
    assert (
        torch.saddmm(s, s, d, beta=2, alpha=3).to_dense().tolist() == (2 * d + 3 * d @ d).tolist()
    )
    with pytest.raises(NotImplementedError, match="aten::hspmm"):
        torch.hsmm(d, s)


def test_what_sparse_tensors_refuse() -> None:
    s = torch.eye(2).to_sparse()
    with pytest.raises(RuntimeError, match="two tensor dim should be 2 and 1"):
        s.mv(s)
    with pytest.raises(RuntimeError, match="length 2 at dimension 0 does not broadcast"):
        torch._sparse_broadcast_to(s, (3, 2))
    with pytest.raises(ValueError, match="dtype argument is not supported in frobenius norm"):
        s.norm("fro", dtype=torch.float64)
    with pytest.raises(RuntimeError, match="does not support 'dtype' argument"):
        s.norm(2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="transpositions between sparse and dense"):
        torch.ones(2, 3, 4).to_sparse(2).permute(0, 2, 1)


def test_permuted_places_are_in_order() -> None:
    x = torch.arange(1.0, 9).reshape(2, 2, 2).to_sparse()
    moved = x.permute(0, 2, 1)
    assert moved.is_coalesced()
    assert moved.values().tolist() == [1, 3, 2, 4, 5, 7, 6, 8]
    assert not x.permute(1, 0, 2).is_coalesced()
    assert not x.permute(-3, -2, -1).is_coalesced()


def test_dense_ones_like_sparse_take_a_memory_format() -> None:
    s = torch.ones(1, 2, 3, 4).to_sparse()
    for make in (torch.empty_like, torch.zeros_like):
        y = make(s, layout=torch.strided, memory_format=torch.channels_last)
        assert y.is_contiguous(memory_format=torch.channels_last)
    with pytest.raises(RuntimeError, match="only supported by strided"):
        torch.empty_like(s, memory_format=torch.channels_last)


def test_a_masked_sum_of_nothing_stores_nothing() -> None:
    x = torch.zeros(2, 2).to_sparse()
    nothing = torch.zeros(2, 2, dtype=torch.bool).to_sparse()
    assert torch.masked.sum(x, (), mask=nothing)._nnz() == 0
    assert torch.masked.prod(x, (), mask=nothing)._nnz() == 1
