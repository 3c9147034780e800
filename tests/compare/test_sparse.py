"""Sparse tensors against PyTorch: values, layouts, texts, gradients, files, optimisers."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def given(t: Any) -> dict[str, Any]:
    """Tensors of one package under the names that the texts below use."""
    i = t.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])
    s = t.sparse_coo_tensor(i, t.tensor([3.0, 4.0, 5.0, 6.0]), (2, 3))
    c = s.coalesce()
    return {
        "torch": t,
        "F": t.nn.functional,
        "s": s,  # not coalesced
        "c": c,
        "c2": t.tensor([[1.0, 0, 2], [0, 0, 3]]).to_sparse(),
        "d": t.arange(6.0).reshape(2, 3),
        "r": c.to_sparse_csr(),
        "k": c.to_sparse_csc(),
        "h": t.sparse_coo_tensor(t.tensor([[0, 2]]), t.tensor([[1.0, 2], [3, 4]]), (3, 2)),
        "b": t.tensor([[[1.0, 0], [0, 2]], [[0, 3], [4, 0]]]).to_sparse(),
        "w": t.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]]),
        "e": t.arange(16.0).reshape(4, 4),
        "p": t.stack([t.eye(4), t.eye(4).flip(0)]),  # a batch
    }


def result(t: Any, text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, given(t))


# The same text comes out, so the same indices, values, types and flags.
SAME = """
s | c | r | k | h | b | d + c | s * 2 | s * d | d * s | s / 2 | -s | 2 * s | c + c | c - c
c * c2 | c * c | c + c2 | d - s | r + r | r + d | d + r | r * 2 | r * r | r * d
torch.add(c, c2, alpha=2) | c.sub(c2) | s @ w | s @ w[:, 0] | s @ s.t() | r @ w
torch.ones(2, 2) @ s | torch.ones(2, 2) @ r | torch.mm(s, w) | torch.sparse.mm(s, w)
torch.sparse.mm(torch.ones(2, 2), s) | torch.mv(s, w[:, 1]) | torch.bmm(b, b.to_dense())
torch.sparse.mm(r, w, 'mean') | torch.sparse.mm(r, w, 'sum') | torch.sparse.mm(r, w, 'amax')
torch.sparse.mm(r, w, 'amin') | torch.addmm(torch.ones(2, 2), s, w) | torch.spmm(s, w)
torch.smm(s, w) | torch.sparse.addmm(torch.ones(2, 2), s, w, beta=2, alpha=3) | torch.hspmm(s, w)
torch.ones(2, 2).addmm(s, w, beta=0.5) | F.linear(torch.ones(1, 3), s)
F.linear(torch.ones(1, 3), r) | s.sum() | s.sum(0) | s.sum(1, keepdim=True) | torch.sparse.sum(s)
torch.sparse.sum(s, 0) | r.sum() | torch.sparse.sum(h, 1) | torch.sparse.sum(h, 0)
torch.sparse.sum(s, (0, 1)) | torch.sparse.sum(b, 2) | torch.sparse.sum(c, dtype=torch.float64)
s.int().sum() | s.norm() | s.any() | torch.sparse.softmax(s, 1) | torch.sparse.log_softmax(s, 0)
torch.sparse.softmax(h, 1) | torch.sparse.softmax(h, 0)
torch.sparse.softmax(s, 1, dtype=torch.float64) | torch.sparse.softmax(b, -1) | s.t() | s.T | s.mT
s.transpose(0, 1) | s.permute(1, 0) | r.t() | r.transpose(0, 1) | b.permute(2, 0, 1)
s.index_select(0, torch.tensor([1, 1])) | s.index_select(1, torch.tensor([2, 0])) | s[0] | s[0, 2]
s[:, 0] | h.index_select(1, torch.tensor([1, 0])) | r[0] | r[0, 2] | s.select(0, 1)
s.narrow_copy(0, 0, 1) | s[1, ...] | d.sparse_mask(c) | d.sparse_mask(s) | d.sparse_mask(r)
s.sparse_mask(c) | c2.sparse_mask(c) | s.clone() | s.detach() | s.to(torch.float64)
r.to(torch.float64) | s.half() | s.int() | s.bool() | s.bfloat16() | s.double().requires_grad_()
s._values() | s._indices() | c.indices() | c.values() | r.values() | r.crow_indices()
r.col_indices() | k.ccol_indices() | k.row_indices() | d.to_sparse() | d.to_sparse(1)
d.to_sparse_csr() | d.to_sparse_csc() | d.to_sparse(layout=torch.sparse_csr) | r.to_dense()
r.to_sparse() | k.to_dense() | h.to_dense() | b.to_dense() | d.to_dense()
(s._nnz(), s.sparse_dim(), s.dense_dim(), h.dense_dim())
(r.sparse_dim(), d.sparse_dim(), d.dense_dim())
(s.layout, r.layout, k.layout, s.is_sparse)
(r.is_sparse, r.is_sparse_csr, s.is_sparse_csr, d.is_sparse)
(s.is_coalesced(), c.is_coalesced(), c.t().is_coalesced(), (c * 2).is_coalesced())
(s.stride(), s.is_contiguous(), len(s), s.type())
(s.element_size(), s.numel(), s.storage_offset(), s.shape)
(torch.typename(s), torch.is_tensor(s), isinstance(s, torch.Tensor))
(s.is_leaf, s.float() is s, s.device)
s.unsqueeze(0) | torch.cat([s, s]) | torch.cat([c, c2], 1) | torch.stack([s, s])
torch.cat([h, h], 1) | s.abs() | s.sqrt() | s.relu() | torch.relu(s) | F.relu(r) | s.pow(2)
s ** 2 | torch.isnan(s) | r.sin() | s.neg() | s.div(2, rounding_mode='floor') | s // 2
torch.sqrt(c) | s.square() | c.sign() | torch.zeros_like(s) | torch.zeros_like(h)
torch.empty_like(s) | torch.zeros_like(s, layout=torch.strided)
torch.zeros(2, 3, layout=torch.sparse_coo) | torch.zeros(2, 3, layout=torch.sparse_csr)
torch.sparse_coo_tensor([[0, 1]], [1., 2.]) | torch.sparse_coo_tensor((2, 3))
torch.sparse_coo_tensor(size=(2, 3)) | torch.sparse_coo_tensor([[0]], [1 + 2j], (3,))
torch.sparse_coo_tensor([[0]], [True], (3,))
torch.sparse_coo_tensor(torch.tensor([[0., 1]]), torch.ones(2), (3,))
torch.zeros(0, 3).to_sparse()
torch.sparse_coo_tensor([[0]], [1.], (3,), dtype=torch.float64, requires_grad=True)
torch.tensor(3.).to_sparse() | torch.arange(3000.).to_sparse()
torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1., 2.])
torch.sparse_compressed_tensor([0, 1, 2], [0, 1], [1., 2.], layout=torch.sparse_csr)
torch.sparse.sampled_addmm(torch.eye(3).to_sparse_csr(), torch.ones(3, 3), torch.ones(3, 3))
c.sparse_resize_((3, 3), 2, 0) | s.zero_() | c.add_(c2) | c.mul_(2) | d.add_(c)
d.add_(s, alpha=2) | c.neg_() | torch.nn.Parameter(s) | torch.nn.Parameter(s).requires_grad
(s.requires_grad_() * 2).requires_grad
e.to_sparse_bsr((2, 2)) | e.to_sparse_bsc((2, 1)) | e.to_sparse_bsr((2, 2)).to_sparse_bsc((2, 2))
e.to_sparse_csr().to_sparse_bsr((4, 2)) | e.to_sparse().to_sparse_bsc((2, 2)) | p.to_sparse_csr()
e.to_sparse_bsr((2, 2)).to_sparse() | p.to_sparse_bsr((2, 2)) | p.to_sparse_csc().to_sparse_csr()
p.to_sparse_csr().to_sparse_coo() | p.to_sparse_csr()[1] | p.to_sparse_csr().transpose(1, 2)
p.to_sparse_csr(dense_dim=1).values() | p.to_sparse_csr()[0] * 2
e.to_sparse_bsr((2, 1)).t() | e.to_sparse_bsr((2, 2)) @ e | e.to_sparse_bsr((2, 2)).sin()
e.to_sparse_bsr((2, 2)) * 2
p.to_sparse_csr().sum()
torch.zeros_like(p.to_sparse_bsr((2, 2))) | torch.ones_like(e.to_sparse_bsc((2, 2)))
torch.zeros(2, 3, 4, layout=torch.sparse_csr) | e.sparse_mask(e.to_sparse_bsr((2, 2)))
e.to_sparse_bsr((2, 2)).zero_() | e.to_sparse_csr().fill_(2) | e.to_sparse_csr()[:, 1]
torch.sparse_bsr_tensor([0, 1, 2], [0, 1], torch.ones(2, 2, 3))
torch.sparse_compressed_tensor([[0, 1]], [[0]], torch.ones(1, 1, 2, 2, 3), layout=torch.sparse_bsc)
torch.sparse.FloatTensor(torch.tensor([[0]]), torch.tensor([1.]), torch.Size([3])) | list(s)
""".replace("\n", " | ").split(" | ")


@pytest.mark.parametrize("text", [t for t in SAME if t])
def test_same_text(text: str) -> None:
    mine, theirs = result(rushlight, text), result(torch, text)
    assert repr(mine).replace("rushlight", "torch") == repr(theirs)


# The same numbers, perhaps written down in another order.
EQUAL = (
    "torch.sparse.spdiags(torch.ones(3, 3), torch.tensor([0, 1, -1]), (3, 3)) | "
    "s + s | s + c | s - c | s * s | c * s | r @ r.t() | "
    "torch.sspaddmm(c @ c.t(), c @ c.t(), torch.ones(2, 2))"
)


@pytest.mark.parametrize("text", EQUAL.split(" | "))
def test_same_numbers(text: str) -> None:
    mine, theirs = result(rushlight, text), result(torch, text)
    assert np.array_equal(mine.to_dense().numpy(), theirs.to_dense().numpy())
    assert str(mine.layout) == str(theirs.layout)


ERRORS = """
s + d | s + 1 | s - d | s / d | s / s | 2 - s | 2 / s | 1 + s | s.indices() | s.values()
r.indices() | s.crow_indices() | d.indices() | d.values() | d.crow_indices() | d.is_coalesced()
d.coalesce() | d._nnz() | d.sparse_mask(d) | d.to_sparse(3) | r.is_coalesced() | r.coalesce()
s.storage() | s.data_ptr() | s.numpy() | s.contiguous() | s.tolist() | s.item() | bool(s)
s.view(3, 2) | s.reshape(3, 2) | s.squeeze() | s[0:1] | torch.cat([s, d]) | s == s | s > 0
torch.equal(s, s) | s.exp() | s.cos() | s.pow(0) | s.mean() | s.max() | s.all() | s.nonzero()
torch.ones_like(c) | torch.rand_like(c) | torch.ones(2, 3, layout=torch.sparse_coo)
torch.randn(2, 3, layout=torch.sparse_coo) | torch.softmax(s, 1) | s.softmax(1) | s.resize_(3, 3)
s.nbytes | torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(3), (3,))
torch.sparse_coo_tensor(2, 3) | torch.sparse_coo_tensor(torch.tensor([0, 1]), torch.ones(3), (3,))
torch.addmm(s, s, torch.ones(3, 3))
torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2), (3, 3)) | r.sum(0)
torch.dot(s, s) | torch.sparse.mm(s, w, 'mean') | s.trace() | torch.diag(s)
s.index_add(0, torch.tensor([0]), d[:1]) | s.narrow(0, 0, 1) | torch.where(d > 1, s, s) | r.T
torch.mm(s, d) | s[5] | s.t_().exp_() | s.uniform_() | d.add_(torch.eye(3).to_sparse())
s.transpose(0, 5) | c.select(0, 7) | s.index_select(0, torch.tensor([9]))
torch.sort(s) | s.cumsum(0) | torch.linalg.inv(s)
s.masked_select(d > 1) | s[0] == 1 | s.sparse_mask(d) | torch.sparse.softmax(d, 0) | s.fill_(1)
s.clamp(0)
""".replace("\n", " | ").split(" | ")


@pytest.mark.parametrize("text", [t for t in ERRORS if t])
def test_same_errors(text: str) -> None:
    kinds = []
    for t in (rushlight, torch):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the two are compared
            result(t, text)
        kinds.append((caught.type.__name__, str(caught.value)))
    (mine, words), (theirs, theirs_words) = kinds
    assert mine == theirs, (words, theirs_words)
    if not theirs_words.startswith("Could not run"):
        assert words.split("\n")[0][:40] == theirs_words.split("\n")[0][:40]


# -- gradients -----------------------------------------------------------------------------------


GRADIENTS: list[Callable[..., Any]] = [
    lambda t, s, w: t.sparse.mm(s, w),
    lambda t, s, w: s @ w,
    lambda t, s, w: t.sparse.mm(s.t(), w[:2]),
    lambda t, s, w: t.sparse.sum(s) * w.sum(),
    lambda t, s, w: t.sparse.sum(s, 0).to_dense() * w[:, 0],
    lambda t, s, w: (s * 2).to_dense() @ w,
    lambda t, s, w: (s + s).to_dense() @ w,
    lambda t, s, w: (s * s).to_dense() @ w,
    lambda t, s, w: s.to_dense() @ w,
    lambda t, s, w: t.sparse.softmax(s, 1).to_dense() @ w,
    lambda t, s, w: t.sparse.log_softmax(s, 0).to_dense() @ w,
    lambda t, s, w: s.transpose(0, 1).to_dense() * w,
    lambda t, s, w: t.sparse.addmm(w[:2], s, w, beta=0.5, alpha=2.0),
    lambda t, s, w: t.mv(s, w[:, 0]),
    lambda t, s, w: w.t() + s.to_dense()[:, :3],
    lambda t, s, w: s.coalesce().values() * w.reshape(-1)[:3],
]


@pytest.mark.parametrize("number", range(len(GRADIENTS)))
@pytest.mark.parametrize("leaf", ["values", "sparse"])
def test_gradients(number: int, leaf: str) -> None:
    found = []
    for t in (rushlight, torch):
        i = t.tensor([[0, 1, 1], [2, 0, 2]])
        v = t.tensor([3.0, -4.0, 0.5], dtype=t.float64, requires_grad=leaf == "values")
        w = t.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]], dtype=t.float64, requires_grad=True)
        s = t.sparse_coo_tensor(i, v, (2, 3)).coalesce()
        if leaf == "sparse":
            s = s.detach().requires_grad_()
        GRADIENTS[number](t, s, w).pow(2).sum().backward()
        g = v.grad if leaf == "values" else s.grad
        if leaf == "sparse":
            assert t is torch or g.layout is t.sparse_coo  # PyTorch's are dense here and there
            g = g.to_dense()
            g = g[i[0], i[1]]
        found.append((g.numpy(), w.grad.to_dense().numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_gradients_of_reductions(reduce: str) -> None:
    found = []
    for t in (rushlight, torch):
        a = t.tensor([[0.0, 2.0, -1.0], [0.0, 0.0, 0.0], [1.5, 0.0, 4.0]]).to_sparse_csr()
        w = t.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]], requires_grad=True)
        y = t.sparse.mm(a, w, reduce)
        (y * y).sum().backward()
        found.append((y.detach().numpy(), w.grad.numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_csr_gradient() -> None:
    found = []
    for t in (rushlight, torch):
        a = t.tensor([[0.0, 2.0, -1.0], [1.5, 0.0, 4.0]]).to_sparse_csr().requires_grad_()
        w = t.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]], requires_grad=True)
        (a @ w).pow(2).sum().backward()
        mask = a.detach().to_dense().numpy() != 0
        found.append((a.grad.to_dense().numpy() * mask, w.grad.numpy()))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_uncoalesced_gradients() -> None:
    for fn in (
        lambda s: s.to_dense(),
        lambda s: (s * 3).to_dense(),
        lambda s: s.coalesce().to_dense(),
    ):
        found = []
        for t in (rushlight, torch):
            s = t.sparse_coo_tensor(t.tensor([[0, 0, 1]]), t.tensor([1.0, 2.0, 3.0]), (3,))
            s.requires_grad_()
            (fn(s) * t.tensor([1.0, 2.0, 4.0])).sum().backward()
            found.append(s.grad.to_dense().numpy())
        assert np.array_equal(*found)


# -- tables with sparse gradients ----------------------------------------------------------------


def trained(t: Any, make: Any, optimizer: Any) -> Any:
    net = make(t)
    with t.no_grad():
        net.weight.copy_(t.arange(12.0).reshape(6, 2) / 10)
    opt = optimizer(t.optim, net.parameters())
    for batch in ([[1, 2], [1, 0]], [[3, 3], [1, 5]], [[2, 2], [2, 2]]):
        opt.zero_grad()
        net(t.tensor(batch)).pow(2).sum().backward()
        assert net.weight.grad.is_sparse
        opt.step()
    return net.weight.detach().numpy(), net.weight.grad.coalesce()


TABLES = [
    lambda t: t.nn.Embedding(6, 2, sparse=True),
    lambda t: t.nn.Embedding(6, 2, sparse=True, padding_idx=1),
    lambda t: t.nn.EmbeddingBag(6, 2, sparse=True, mode="sum"),
    lambda t: t.nn.EmbeddingBag(6, 2, sparse=True, mode="mean", padding_idx=2),
]
OPTIMIZERS = [
    lambda o, p: o.SGD(p, lr=0.1),
    lambda o, p: o.SGD(p, lr=0.1, momentum=0.9),
    lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    lambda o, p: o.SGD(p, lr=0.1, momentum=0.9, dampening=0.5, maximize=True),
    lambda o, p: o.Adagrad(p, lr=0.1, lr_decay=0.1),
    lambda o, p: o.SparseAdam(p, lr=0.1),
    lambda o, p: o.SparseAdam(p, lr=0.1, betas=(0.5, 0.9), maximize=True),
]


@pytest.mark.parametrize("table", range(len(TABLES)))
@pytest.mark.parametrize("optimizer", range(len(OPTIMIZERS)))
def test_training(table: int, optimizer: int) -> None:
    (w, g), (w2, g2) = (
        trained(t, TABLES[table], OPTIMIZERS[optimizer]) for t in (rushlight, torch)
    )
    np.testing.assert_allclose(w, w2, rtol=1e-5)
    assert g.indices().tolist() == g2.indices().tolist()
    np.testing.assert_allclose(g.values().numpy(), g2.values().numpy(), rtol=1e-5)


def test_dense_and_sparse_gradients_add_up() -> None:
    found = []
    for t in (rushlight, torch):
        e = t.nn.Embedding(4, 2, sparse=True)
        loss = e(t.tensor([1, 3])).sum() + (e.weight * 2).sum()
        loss.backward()
        first = e.weight.grad
        assert not first.is_sparse
        e(t.tensor([1])).sum().backward()
        assert e.weight.grad is first
        f = t.nn.Embedding(4, 2, sparse=True)
        f(t.tensor([1])).sum().backward()
        f(t.tensor([1])).sum().backward()
        assert f.weight.grad.is_sparse
        (f.weight * 3).sum().backward()
        assert not f.weight.grad.is_sparse
        (g,) = t.autograd.grad(f(t.tensor([0, 0])).sum(), [f.weight])
        found.append((first.numpy(), f.weight.grad.numpy(), g.to_dense().numpy()))
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)


OTHERS = [
    "Adam",
    "AdamW",
    "RMSprop",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "ASGD",
    "Rprop",
    "Adafactor",
]


@pytest.mark.parametrize("name", OTHERS)
def test_other_optimizers_refuse(name: str) -> None:
    words = []
    for t in (rushlight, torch):
        e = t.nn.Embedding(4, 2, sparse=True)
        opt = getattr(t.optim, name)(e.parameters(), lr=0.1)
        e(t.tensor([1])).sum().backward()
        with pytest.raises(RuntimeError) as caught:
            opt.step()
        words.append(str(caught.value))
    assert words[0] == words[1]


def test_sparse_adam_arguments() -> None:
    for call in (
        lambda t, w: t.optim.SparseAdam([w], lr=0),
        lambda t, w: t.optim.SparseAdam([w], betas=(1, 2)),
        lambda t, w: t.optim.SparseAdam([w], eps=-1),
        lambda t, w: t.optim.SparseAdam([t.ones(3).to_sparse().requires_grad_()]),
    ):
        words = []
        for t in (rushlight, torch):
            with pytest.raises(ValueError, match=r".") as caught:
                call(t, t.ones(3, requires_grad=True))
            words.append(str(caught.value))
        assert words[0] == words[1]


# -- files ---------------------------------------------------------------------------------------


def kinds(t: Any) -> list[Any]:
    env = given(t)
    return [
        *[env[n] for n in "scrkhb"],
        t.nn.Parameter(env["s"]),
        env["c"].double(),
        env["r"].half(),
    ]


@pytest.mark.parametrize("new", [True, False])
def test_files_both_ways(new: bool) -> None:
    for a, b in ((torch, rushlight), (rushlight, torch), (rushlight, rushlight)):
        for x in kinds(a):
            f = io.BytesIO()
            a.save({"x": x}, f, _use_new_zipfile_serialization=new)
            f.seek(0)
            y = b.load(f)["x"]
            assert repr(y).replace("rushlight", "torch") == repr(x).replace("rushlight", "torch")
            assert type(y).__name__ == type(x).__name__
            if x.layout is a.sparse_coo:
                assert x.is_coalesced() == y.is_coalesced()


def test_copies_and_pickles() -> None:
    for x in kinds(rushlight):
        for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
            assert repr(x) == repr(y)
            assert type(x) is type(y)


def test_invariants_of_files() -> None:
    with torch.sparse.check_sparse_tensor_invariants(False):
        bad = [
            torch.sparse_coo_tensor(torch.tensor([[0, 7]]), torch.ones(2), (3,)),
            torch.sparse_coo_tensor(torch.tensor([[0, -1]]), torch.ones(2), (3,)),
            torch.sparse_csr_tensor(
                torch.tensor([0, 1, 9]), torch.tensor([0, 1]), torch.ones(2), (2, 2)
            ),
        ]
    for x in bad:
        f = io.BytesIO()
        torch.save(x, f)
        f.seek(0)
        with pytest.raises(rushlight.serialization.CheckpointError, match="malformed"):
            rushlight.load(f)
