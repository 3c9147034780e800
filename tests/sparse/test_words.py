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
