"""Bags of lookups: what their rows give, and their gradients, dense and sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional
BAGS = (0, 3, 3, 9)  # the second is empty


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_are_reductions_of_rows(mode: str, rng: Any) -> None:
    w = torch.from_numpy(rng.standard_normal((6, 3)))
    flat = torch.from_numpy(rng.integers(0, 6, 7))
    y = F.embedding_bag(flat, w, torch.tensor([0, 3, 3]), mode=mode)
    rows = w.numpy()[flat.numpy()]
    for bag, part in zip(y.numpy(), (rows[:3], rows[:0], rows[3:]), strict=True):
        wanted = getattr(np, mode)(part, axis=0) if len(part) else np.zeros(3)
        np.testing.assert_allclose(bag, wanted)


@pytest.fixture(params=[1, 1 << 60], ids=["kernel", "numpy"])
def _least(request: Any) -> Any:
    """Every size by kernels, and none."""
    from rushlight.kernels import tuning
    from rushlight.kernels.sparse import select

    plans = select.plan_csr_mm, select.plan_coo_mm, select.plan_sddmm
    before = tuning.CSR_LEAST
    tuning.CSR_LEAST = request.param
    for plan in plans:
        plan.cache_clear()
    yield
    tuning.CSR_LEAST = before
    for plan in plans:
        plan.cache_clear()


def by_hand(w: Any, i: Any, offsets: Any, mean: bool, factors: Any, padding: int) -> Any:
    """Bags of looked-up rows, one by one."""
    found = []
    for begin, end in zip(offsets, [*offsets[1:], len(i)], strict=True):
        kept = [k for k in range(begin, end) if int(i[k]) != padding]
        rows = [w[int(i[k])] * (1 if factors is None else factors[k]) for k in kept]
        total = torch.stack(rows).sum(0) if rows else torch.zeros_like(w[0])
        found.append(total / max(len(rows), 1) if mean else total)
    return torch.stack(found)


@pytest.mark.usefixtures("_least")
@pytest.mark.parametrize("padding", [None, 2, -1])
@pytest.mark.parametrize("index", [torch.int64, torch.int32])
@pytest.mark.parametrize("how", ["sum", "mean", "factors"])
def test_sums_and_their_gradients(rng: Any, how: str, index: Any, padding: Any) -> None:
    """Also with a sparse gradient, and once more."""
    i = torch.from_numpy(rng.integers(0, 6, 9)).to(index)
    offsets = torch.tensor(BAGS[:3], dtype=index)
    w, w2 = (torch.from_numpy(rng.standard_normal((6, 5))).requires_grad_() for _ in range(2))
    w2.data.copy_(w.data)
    f = torch.from_numpy(rng.standard_normal(9)).requires_grad_() if how == "factors" else None
    mode = "mean" if how == "mean" else "sum"
    row = -1 if padding is None else padding % 6
    wanted = by_hand(w, i, BAGS[:3], mode == "mean", f, row)
    g = torch.from_numpy(rng.standard_normal((3, 5))).requires_grad_()
    inputs = [w] if f is None else [w, f]
    hand = torch.autograd.grad(wanted, inputs, g, create_graph=True, allow_unused=True)
    kw = {"mode": mode, "per_sample_weights": f, "padding_idx": padding}
    y = F.embedding_bag(i, w, offsets, **kw)
    torch.testing.assert_close(y, wanted)
    assert type(y.grad_fn).__name__ == "EmbeddingBagBackward0"
    found = torch.autograd.grad(y, inputs, g, create_graph=True)
    for a, b in zip(found, hand, strict=True):
        torch.testing.assert_close(a, b)
    both = [sum((a * a).sum() for a in grads) for grads in (found, hand)]
    for a, b in zip(
        *(torch.autograd.grad(t, [g, *inputs], allow_unused=True) for t in both), strict=True
    ):
        a, b = (torch.zeros(()) if v is None else v for v in (a, b))
        torch.testing.assert_close(a, b)
    y = F.embedding_bag(i, w2, offsets, sparse=True, **kw)
    torch.testing.assert_close(y, wanted)
    if f is not None:
        f.grad = None
    y.backward(g.detach())
    assert w2.grad.is_sparse
    torch.testing.assert_close(w2.grad.to_dense(), hand[0].detach())
    if f is not None:
        torch.testing.assert_close(f.grad, hand[1].detach())


@pytest.mark.usefixtures("_least")
def test_gradients_by_frequency(rng: Any) -> None:
    i = torch.tensor([1, 1, 2, 1, 0, 3])
    w = torch.zeros(5, 3, requires_grad=True)
    y = F.embedding_bag(i, w, torch.tensor([0, 2]), mode="sum", scale_grad_by_freq=True)
    (grad,) = torch.autograd.grad(y.sum(), w)
    assert grad.tolist() == [[1] * 3, [1] * 3, [1] * 3, [1] * 3, [0] * 3]
    kw = {"mode": "sum", "scale_grad_by_freq": True, "sparse": True}
    y = F.embedding_bag(i, w, torch.tensor([0, 2]), **kw)
    with pytest.raises(RuntimeError, match="not supported with sparse gradients"):
        y.sum().backward()


@pytest.mark.usefixtures("_least")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_low_precision_is_rounded_once(rng: Any, dtype: Any) -> None:
    w = torch.from_numpy(rng.standard_normal((6, 5))).to(dtype).requires_grad_()
    i = torch.from_numpy(rng.integers(0, 6, (2, 7)))
    y = F.embedding_bag(i, w, mode="sum")
    assert y.dtype == dtype
    torch.testing.assert_close(y, w.float()[i].sum(1).to(dtype), rtol=1e-6, atol=1e-6)
    y.sum().backward()
    assert w.grad.dtype == dtype
    assert w.grad[:, 0].tolist() == np.bincount(i.numpy().reshape(-1), minlength=6).tolist()


@pytest.mark.usefixtures("_least")
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_nothing_to_add(mode: str) -> None:
    w = torch.ones(3, 2, requires_grad=True)
    none = torch.zeros(0, dtype=torch.int64)
    for y in (F.embedding_bag(none, w, torch.tensor([0, 0]), mode=mode),
              F.embedding_bag(none.reshape(2, 0), w, mode=mode)):  # fmt: skip
        assert y.tolist() == [[0, 0], [0, 0]]
        w.grad = None
        y.sum().backward()
        assert not w.grad.any()
    assert F.embedding_bag(none, w, none, mode=mode).shape == (0, 2)
    assert F.embedding_bag(none, torch.ones(3, 0), torch.tensor([0]), mode=mode).shape == (1, 0)


@pytest.mark.usefixtures("_least")
def test_tables_that_are_views(rng: Any) -> None:
    whole = torch.from_numpy(rng.standard_normal((8, 12)))
    i, offsets = torch.tensor([3, 0, 1, 1]), torch.tensor([0, 2])
    for w in (whole[:, 2:7], whole.t()[:8], whole[::2], whole[:1].expand(4, 12)):
        y = F.embedding_bag(i, w, offsets, mode="sum")
        torch.testing.assert_close(y, torch.stack([w[3] + w[0], w[1] + w[1]]))


def test_indices_behind_the_last_bag_belong_to_none() -> None:
    w = torch.eye(3)
    f = torch.tensor([1.0, 2.0, 3.0])
    y = F.embedding_bag(torch.tensor([0, 1, 2]), w, torch.tensor([0, 1, 2]), mode="sum",
                        include_last_offset=True, per_sample_weights=f)  # fmt: skip
    assert y.tolist() == [[1, 0, 0], [0, 2, 0]]


def test_refused_before_anything_changes() -> None:
    w, bags = torch.full((3, 2), 2.0), torch.tensor([0, 1])
    for bad in (3, -1):
        with pytest.raises(RuntimeError, match="Expected idx >= 0 && idx < num_embeddings"):
            F.embedding_bag(torch.tensor([0, bad]), w, bags, max_norm=1.0)
    i = torch.tensor([0, 1, 2])
    for offsets in ([0, 4, 3], [0, -1, 3]):
        with pytest.raises(IndexError, match="index out of range in self"):
            F.embedding_bag(i, w, torch.tensor(offsets), max_norm=1.0)
    with pytest.raises(RuntimeError, match=r"offsets must not fall[\s\S]*offsets\[1\] = 3, then 2"):
        F.embedding_bag(i, w, torch.tensor([0, 3, 2]), max_norm=1.0)
    assert (w == 2).all()


def test_the_plan_is_shown(capsys: Any) -> None:
    w, i = torch.ones(2000, 8), torch.zeros(500, dtype=torch.int64)
    torch.show("embedding_bag_sums", w, None, i, torch.tensor([0, 200, 500]))
    assert "plan csr_mm" in capsys.readouterr().out


def test_errors() -> None:
    w = torch.ones(3, 2)
    with pytest.raises(ValueError, match="max mode does not support sparse weights"):
        F.embedding_bag(torch.tensor([[0]]), w, mode="max", sparse=True)
    with pytest.raises(ValueError, match="offsets has to be None"):
        F.embedding_bag(torch.tensor([[0]]), w, torch.tensor([0]))
    with pytest.raises(NotImplementedError, match="only supported for mode='sum'"):
        F.embedding_bag(torch.tensor([[0]]), w, per_sample_weights=torch.ones(1, 1))


def test_a_table_may_be_changed_before_backward():
    """Only gradients of the factors ask for its rows."""
    table = torch.ones(3, 2, requires_grad=True)
    y = F.embedding_bag(torch.tensor([[0, 2]]), table)
    with torch.no_grad():
        table += 1
    y.sum().backward()
    assert table.grad.tolist() == [[0.5, 0.5], [0, 0], [0.5, 0.5]]
    factors = torch.ones(1, 2, requires_grad=True)
    y = F.embedding_bag(torch.tensor([[0, 2]]), table, per_sample_weights=factors, mode="sum")
    with torch.no_grad():
        table += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
