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
