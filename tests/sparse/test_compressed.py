"""CSR, CSC, BSR and BSC: batches, blocks, dense dimensions, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck

LAYOUTS = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


def block(layout: Any) -> Any:
    return (2, 3) if layout in LAYOUTS[2:] else None


def dense(*shape: int) -> Any:
    """As many numbers in each matrix of a batch, at other places."""
    a = np.zeros((*shape[:-3], 4, 6, shape[-1]))
    a[..., :2, :3, :] = np.arange(1.0, 7).reshape(2, 3, 1)
    a.reshape(-1, 4, 6, shape[-1])[1::2] = a.reshape(-1, 4, 6, shape[-1])[1::2, ::-1, ::-1]
    return torch.from_numpy(a)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches_blocks_and_dense_dimensions(layout: Any) -> None:
    d = dense(2, 3, 4, 6, 5)
    s = d.to_sparse(layout=layout, blocksize=block(layout), dense_dim=1)
    assert s.layout is layout
    assert (s.shape, s.sparse_dim(), s.dense_dim()) == (d.shape, 2, 1)
    assert s._nnz() == (1 if block(layout) else 6)
    assert torch.equal(s.to_dense(), d)
    assert torch.equal(s.to_sparse_coo().to_dense(), d)
    assert torch.equal(s[1, 2].to_dense(), d[1, 2])
    assert torch.equal((s * 2 + s).to_dense(), 3 * d)
    other = LAYOUTS[LAYOUTS.index(layout) ^ 1]
    turned = s.to_sparse(layout=other, blocksize=block(layout))
    assert turned.layout is other
    assert torch.equal(turned.to_dense(), d)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("source", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_conversions_and_their_gradients(layout: Any, source: Any) -> None:
    d = dense(4, 6, 1)[..., 0].requires_grad_()

    def there_and_back(d: Any) -> Any:
        s = d.to_sparse(layout=source).to_sparse(layout=layout, blocksize=block(layout))
        return s.to_dense(masked_grad=False) ** 2

    assert torch.equal(there_and_back(d), d**2)
    there_and_back(d).sum().backward()
    assert torch.equal(d.grad, 2 * d)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_of_values(layout: Any) -> None:
    s = dense(4, 6, 2).to_sparse(layout=layout, blocksize=block(layout), dense_dim=1)
    a = s._a
    values = s.values().clone().requires_grad_()
    other = torch.randn(4, 6, 2, dtype=torch.float64)
    make = getattr(torch, f"{layout!r}".removeprefix("torch.") + "_tensor")
    parts = [torch.from_numpy(x) for x in (a.pointers, a.others)]
    assert gradcheck(lambda v: make(*parts, v, (4, 6, 2)).to_dense() * other, values)


def test_indices_keep_their_type() -> None:
    s = torch.sparse_csr_tensor(
        torch.tensor([0, 1, 2], dtype=torch.int32), torch.tensor([1, 0], dtype=torch.int32), [1, 2]
    )
    for made in (
        s.to_sparse_csc(),
        s.to_sparse_bsc((1, 1)),
        s + s,
        s.to_sparse_csc().to_sparse_csr(),
    ):
        assert made._a.pointers.dtype == made._a.others.dtype == np.int32
    assert s.to_sparse_coo()._indices().dtype is torch.int64


def test_numbers_are_looked_at_unless_that_is_switched_off() -> None:
    def make(**kw: Any) -> Any:
        return torch.sparse_csr_tensor([0, 0, 1], [3], [1.0], (2, 2), **kw)

    for kw in ({}, {"check_invariants": True}):
        with pytest.raises(RuntimeError, match="0 <= col_indices < ncols"):
            make(**kw)
    assert make(check_invariants=False)._nnz() == 1
    with torch.sparse.check_sparse_tensor_invariants(False):
        assert make()._nnz() == 1
        with pytest.raises(RuntimeError, match="is not satisfied"):
            make(check_invariants=True)
    unordered = [0, 2], [1, 0], [1.0, 2.0]
    assert torch.sparse_csr_tensor(*unordered)._nnz() == 2
    with (
        torch.sparse.check_sparse_tensor_invariants(),
        pytest.raises(RuntimeError, match="sorted and distinct"),
    ):
        torch.sparse_csr_tensor(*unordered)


def test_a_block_of_checks_is_entered_once() -> None:
    checks = torch.sparse.check_sparse_tensor_invariants()
    with checks, pytest.raises(RuntimeError, match="already activated"), checks:
        pass
    assert not torch.sparse.check_sparse_tensor_invariants.is_enabled()


def test_scipys_blocks() -> None:
    scipy = pytest.importorskip("scipy.sparse")
    d = dense(4, 6, 1)[..., 0]
    matrix = torch.sparse.to_scipy(d.to_sparse_bsr((2, 3)))
    assert isinstance(matrix, scipy.bsr_array)
    assert torch.equal(torch.sparse.from_scipy(matrix).to_dense(), d)
    with pytest.raises(ValueError, match="no matrices of blocks by columns"):
        torch.sparse.to_scipy(d.to_sparse_bsc((2, 3)))
