"""Sparse tensors without PyTorch: SciPy and NumPy agree, gradients are right, nothing is loaded."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.kernels.sparse import arrays, products


def random(n: int, m: int, seed: int = 0, share: float = 0.3) -> Any:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, m)) * (rng.random((n, m)) < share)
    return torch.from_numpy(a)


@pytest.mark.parametrize("shape", [(5, 7, 3), (1, 1, 1), (4, 0, 3), (0, 4, 3), (4, 5, 0)])
@pytest.mark.parametrize("with_scipy", [True, False])
def test_products(shape: Any, with_scipy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if with_scipy:
        pytest.importorskip("scipy")
    else:
        monkeypatch.setattr(products, "scipy", lambda: None)
    n, k, m = shape
    a, b = random(n, k), random(k, m, 1, 1.0)
    s, c = a.to_sparse(), random(k, m, 2)
    want = a.numpy() @ b.numpy()
    np.testing.assert_allclose((s @ b).numpy(), want, atol=1e-12)
    np.testing.assert_allclose((a.to_sparse_csr() @ b).numpy(), want, atol=1e-12)
    both = s @ c.to_sparse()
    assert both.is_sparse
    np.testing.assert_allclose(both.to_dense().numpy(), a.numpy() @ c.numpy(), atol=1e-12)


def test_numpys_way_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "scipy", lambda: None)
    monkeypatch.setattr(products, "CHUNK", 7)
    a, b = random(20, 30), random(30, 3, 1, 1.0)
    np.testing.assert_allclose((a.to_sparse() @ b).numpy(), (a @ b).numpy(), atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.complex64, torch.int64])
def test_types(dtype: Any) -> None:
    a = torch.tensor([[0, 2, 0], [3, 0, -1]]).to(dtype)
    b = torch.tensor([[1, 2], [3, 4], [5, 6]]).to(dtype)
    y = a.to_sparse() @ b
    assert y.dtype is dtype
    assert torch.equal(y, a @ b)


def coo(i: Any, v: Any, size: Any = (3, 4)) -> Any:
    return torch.sparse_coo_tensor(i, v, size)


FUNCTIONS = [
    lambda v, w, i: coo(i, v) @ w,
    lambda v, w, i: (coo(i, v) * 2).to_dense() @ w,
    lambda v, w, i: torch.sparse.softmax(coo(i, v), 1).to_dense() @ w,
    lambda v, w, i: torch.sparse.sum(coo(i, v), 0).to_dense(),
    lambda v, w, i: (coo(i, v) @ coo(i, v).t()).to_dense(),
    lambda v, w, i: w.t().sparse_mask(coo(i[:, :2], v[:2], (2, 4))).to_dense(),
    lambda v, w, i: coo(i, v).coalesce().to_sparse_csr() @ w,
    lambda v, w, i: torch.cat([coo(i, v)] * 2).to_dense() @ w,
    lambda v, w, i: coo(i, v).index_select(1, torch.tensor([3, 0, 3])).to_dense(),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_derivatives(number: int) -> None:
    i = torch.tensor([[0, 1, 1, 2, 0], [0, 1, 3, 2, 0]])  # one place comes twice
    v = torch.randn(5, dtype=torch.float64, requires_grad=True)
    w = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda v, w: FUNCTIONS[number](v, w, i), (v, w))
    assert gradgradcheck(lambda v, w: FUNCTIONS[number](v, w, i), (v, w))


def test_scipys_matrices() -> None:
    sp = pytest.importorskip("scipy.sparse")
    a = random(4, 5).numpy()
    for make, kind in (
        (sp.csr_matrix, torch.sparse_csr), (sp.csc_array, torch.sparse_csc),
        (sp.coo_array, torch.sparse_coo), (sp.lil_matrix, torch.sparse_coo),
    ):  # fmt: skip
        t = torch.sparse.from_scipy(make(a))
        assert t.layout is kind
        assert np.array_equal(t.to_dense().numpy(), a)
        assert np.array_equal(torch.sparse.to_scipy(t).toarray(), a)
    with pytest.raises(TypeError, match="expected a sparse matrix"):
        torch.sparse.from_scipy(a)


def test_indices_out_of_range_are_refused() -> None:
    with pytest.raises(RuntimeError, match="size is 3 but found index 5"):
        torch.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (3,))
    with pytest.raises(RuntimeError, match="found negative index -1"):
        torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (3,))
    with pytest.raises(RuntimeError, match="col_indices"):
        torch.sparse_csr_tensor([0, 1, 2], [0, 5], [1.0, 2.0], (2, 2))


def test_leaves_refuse_in_place_changes() -> None:
    s = torch.eye(2).to_sparse().requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        s.mul_(2)
    with torch.no_grad():
        s.mul_(2)
    assert s.to_dense().tolist() == [[2, 0], [0, 2]]


def test_changed_operand_is_noticed() -> None:
    s = torch.eye(2).to_sparse().requires_grad_()
    w = torch.ones(2, 2)
    y = s @ w
    w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_gcn_layer_trains() -> None:
    """A graph convolution, as PyTorch's examples have it."""
    torch.manual_seed(0)
    adjacency = (torch.rand(20, 20) < 0.2).float().to_sparse()
    x, w = torch.randn(20, 8), torch.randn(8, 3, requires_grad=True)
    target = torch.randint(0, 3, (20,))
    losses = []
    opt = torch.optim.SGD([w], lr=0.1)
    for _ in range(20):
        opt.zero_grad()
        loss = torch.nn.functional.cross_entropy(torch.sparse.mm(adjacency, x @ w), target)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 1.5


def test_hooks_and_retain_grad() -> None:
    s = torch.eye(3).to_sparse().requires_grad_()
    seen = []
    s.register_hook(lambda g: seen.append(g.layout))
    y = s * 2
    y.retain_grad()
    y.to_dense().sum().backward()
    assert seen == [torch.sparse_coo]
    assert y.grad.is_sparse
    assert s.grad.values().tolist() == [2, 2, 2]


def test_arrays_add_up() -> None:
    a = arrays.Coo(np.array([[0, 2]]), np.array([1.0, 2.0]), (3,), True)
    assert arrays.dense_of(a + a).tolist() == [2, 0, 4]
    assert (np.ones(3) + a).tolist() == [2, 1, 3]
    with pytest.raises(NotImplementedError, match="unasked"):
        np.asarray(a)


def test_nothing_is_loaded_unasked() -> None:
    code = (
        "import sys, rushlight\n"
        "assert not [m for m in sys.modules if m.startswith('rushlight.sparse')], 'loaded'\n"
        "assert 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tangents_are_not_lost() -> None:
    from rushlight.autograd import forward_ad

    s, d = torch.eye(3).to_sparse(), torch.ones(3, 3)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(d, d)
        for call in (lambda: torch.sparse.mm(s, x), lambda: s @ x, lambda: torch.mm(s, x)):
            with pytest.raises(NotImplementedError, match=r"forward AD(.|\n)*to_dense"):
                call()
        assert forward_ad.unpack_dual(s.to_dense() @ x).tangent.tolist() == d.tolist()


def test_in_compiled_functions_and_under_vmap() -> None:
    s, d = torch.eye(3).to_sparse(), torch.ones(3, 3)
    compiled = torch.compile(lambda a, b: torch.sparse.mm(a, b) * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what runs eagerly
        found = [compiled(a, d).sum().item() for a in (s, s, (s * 2).coalesce(), d.to_sparse())]
    assert found == [18, 18, 36, 54]
    assert torch.vmap(lambda v: s.to_dense() @ v)(d).tolist() == d.tolist()


def uncoalesced() -> Any:
    return torch.sparse_coo_tensor([[0, 0, 1]], [1.0, 2.0, 3.0], (2,), dtype=torch.float64)


@pytest.mark.parametrize("change", [torch.clone, lambda s: s.to(torch.float32)])
def test_gradients_pass_copies_of_coordinates_that_come_twice(change: Any) -> None:
    s = uncoalesced().requires_grad_()
    y = change(s)
    y.backward(torch.tensor([5.0, 7.0], dtype=y.dtype).to_sparse())
    assert s.grad.to_dense().tolist() == [5, 7]


def test_products_broadcast() -> None:
    a, b = random(2, 3).reshape(2, 1, 3), random(4, 3, 1).reshape(1, 4, 3)
    assert torch.equal((a.to_sparse() * b.to_sparse()).to_dense(), a * b)
    assert torch.equal((a.to_sparse() * b).to_dense(), a * b)
    assert torch.equal((b[0].to_sparse() * a).to_dense(), a * b)
    assert torch.equal((a.to_sparse() * torch.tensor(2.0).to_sparse()).to_dense(), a * 2)
    v = torch.randn(3, dtype=torch.float64, requires_grad=True)
    at = torch.tensor([[0, 1, 2]])
    assert gradcheck(lambda v: (torch.sparse_coo_tensor(at, v, (3,)) * b).to_dense(), v)
    with pytest.raises(ValueError, match="broadcast"):
        a.to_sparse() * random(5, 2).to_sparse()


def test_mistaken_calls() -> None:
    with pytest.raises(RuntimeError, match="asin_ requires coalesced input"):
        uncoalesced().arcsin_()
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        torch.sparse_coo_tensor([[0]] * 4, [1.0], (100_001,) * 4)
    with pytest.raises(RuntimeError, match="cannot set is_coalesced to true"):
        torch.sparse_coo_tensor(
            [[0, 0]], [1.0, 2.0], (2,), is_coalesced=True, check_invariants=True
        )
    with pytest.raises(RuntimeError, match="Dimension 5 out of range"):
        uncoalesced().narrow_copy(5, 0, 1)
    with pytest.raises(TypeError, match="sizes, or indices and values"):
        uncoalesced().new([6])
    with pytest.raises(RuntimeError, match="Sparse floor division requires"):
        uncoalesced() // uncoalesced()


def test_small_cases() -> None:
    assert torch.sparse_coo_tensor(torch.zeros(0, 1), 12.5, []).item() == 12.5
    none = torch.sparse_coo_tensor(size=(2, 3))
    some = random(2, 3).to_sparse(1).float()
    assert torch.equal((none + some).to_dense(), some.to_dense())
    assert torch.equal((some + none).to_dense(), some.to_dense())
    assert some.new((4, 5)).shape == (4, 5)
    assert random(2, 3).to_sparse().permute(dims=(1, 0)).shape == (3, 2)
    assert torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([5]), (2, 2))._nnz() == 0
    assert torch.zeros(2, 2, out=none).shape == (2, 2)
    assert none.new_zeros((3, 3)).layout is torch.sparse_coo


def test_rebuilt_of_its_parts() -> None:
    from rushlight._utils import _rebuild_sparse_tensor

    s = random(2, 3).to_sparse()
    parts = (s.indices(), s.values(), s.shape, True)
    assert torch.equal(_rebuild_sparse_tensor(torch.sparse_coo, parts).to_dense(), s.to_dense())
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        _rebuild_sparse_tensor(torch.sparse_coo, (s.indices() + 3, s.values(), s.shape))
    r = s.to_sparse_csr()
    parts = (r.crow_indices() + 1, r.col_indices(), r.values(), r.shape)
    with pytest.raises(RuntimeError, match="== 0` is not satisfied"):
        _rebuild_sparse_tensor(torch.sparse_csr, parts)


def test_conjugates_become_sparse_and_are_multiplied():
    """Of a tensor with the conjugate bit, or the negative one, the values are taken as they are
    read."""
    z = torch.tensor([[1 + 2j, 0], [3 - 1j, 2j]])
    s = torch.tensor([[0, 1j], [2, 0]]).to_sparse()
    for x in (z.conj(), z.conj().mT):
        plain = x.resolve_conj()
        assert torch.equal(x.to_sparse().to_dense(), plain)
        assert torch.equal(torch.sparse.sum(x.to_sparse(), 0).to_dense(), plain.sum(0))
        assert torch.equal(s @ x, s.to_dense() @ plain)
        assert torch.equal(x.to_sparse() @ x, plain @ plain)
        assert torch.equal(x.to_sparse_csr() @ x, plain @ plain)
        assert torch.equal(torch.mv(s, x[0]), s.to_dense() @ plain[0])
        coo = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), x[0], (2, 2))
        csr = torch.sparse_csr_tensor([0, 1, 2], [1, 0], x[0], (2, 2))
        assert torch.equal(coo.to_dense(), csr.to_dense())
    negative = z.conj().imag
    assert torch.equal(negative.to_sparse() @ negative, negative.clone() @ negative.clone())
