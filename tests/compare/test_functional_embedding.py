"""Lookups and dropout against PyTorch: values, gradients, masks, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
F, TF = rushlight.nn.functional, torch.nn.functional


def test_embedding(same: Any, rng: Any) -> None:
    w, i = rng.standard_normal((6, 4)), rng.integers(0, 6, (3, 5))
    same(F.embedding, TF.embedding, i, w)
    same(F.embedding, TF.embedding, i.astype(np.int32), w)
    same(F.embedding, TF.embedding, i, w, padding_idx=int(i[0, 0]))
    same(F.embedding, TF.embedding, i, w, padding_idx=-2)
    same(F.embedding, TF.embedding, i, w, scale_grad_by_freq=True)
    same(F.embedding, TF.embedding, np.asarray(i[0, 0]), w)
    same(F.embedding, TF.embedding, i[:0], w)
    same(
        lambda a, b: (F.embedding(a, b) ** 3).sum(), lambda a, b: (TF.embedding(a, b) ** 3).sum(),
        i, w, order=2,
    )  # fmt: skip


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.0])
def test_max_norm_changes_the_table(norm_type: float, rng: Any) -> None:
    w, i = rng.standard_normal((6, 4)), rng.integers(0, 6, 4)
    a, b = rushlight.tensor(w), torch.tensor(w)
    y = F.embedding(rushlight.tensor(i), a, max_norm=1.0, norm_type=norm_type)
    z = TF.embedding(torch.tensor(i), b, max_norm=1.0, norm_type=norm_type)
    np.testing.assert_allclose(y.numpy(), z.numpy(), rtol=1e-6)
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag(mode: str, same: Any, rng: Any) -> None:
    w, i = rng.standard_normal((6, 4)), rng.integers(0, 6, (3, 5))
    f, tf = F.embedding_bag, TF.embedding_bag
    same(f, tf, i, w, mode=mode)
    flat, offsets = i.reshape(-1), np.array([0, 4, 4, 9])
    same(f, tf, flat, w, offsets, mode=mode)
    ends = np.array([0, 4, 4, 9, 15])
    same(f, tf, flat, w, ends, mode=mode, include_last_offset=True)
    same(f, tf, flat, w, offsets, mode=mode, padding_idx=int(flat[0]))
    if mode == "sum":
        same(
            lambda a, b, c: f(a, b, mode="sum", per_sample_weights=c),
            lambda a, b, c: tf(a, b, mode="sum", per_sample_weights=c),
            i, w, rng.standard_normal((3, 5)),
        )  # fmt: skip
    if mode != "max":  # PyTorch divides a row's gradient by the count of another row
        same(f, tf, i, w, mode=mode, scale_grad_by_freq=True, order=0)


def test_one_hot(same: Any, rng: Any) -> None:
    i = rng.integers(0, 6, (3, 5))
    same(F.one_hot, TF.one_hot, i, order=0)
    same(F.one_hot, TF.one_hot, i, 9, order=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 1.0])
def test_dropout_masks(p: float, dtype: Any, same: Any, rng: Any) -> None:
    x = rng.standard_normal((3, 4, 5)).astype(dtype)
    for inplace in (False, True):

        def of(fn: Any, inplace: bool = inplace) -> Any:
            return lambda t: fn(t * 1, p, True, inplace)

        for name, a in (
            ("dropout", x),
            ("dropout1d", x),
            ("dropout1d", x[0]),
            ("dropout2d", x[None]),
            ("dropout3d", x[None, None]),
            ("dropout3d", x[None]),
            ("alpha_dropout", x),
            ("feature_alpha_dropout", x),
        ):
            same(of(getattr(F, name)), of(getattr(TF, name)), a, seed=7, rtol=1e-5, atol=1e-6)
    same(
        lambda t: F.dropout(t.transpose(0, 2), p), lambda t: TF.dropout(t.transpose(0, 2), p), x,
        seed=1, rtol=1e-6,
    )  # fmt: skip


def test_large_dropout_and_torch_names(same: Any, rng: Any) -> None:
    x = rng.standard_normal(100_000).astype(np.float32)
    same(F.dropout, TF.dropout, x, 0.1, seed=2)
    for name in ("dropout", "alpha_dropout"):
        same(getattr(rushlight, name), getattr(torch, name), x, 0.1, True, seed=2, rtol=1e-5)


def test_errors(same_error: Any) -> None:
    def both(fn: Any, words: str) -> None:
        same_error(lambda: fn(rushlight, F), lambda: fn(torch, TF), words)

    both(lambda t, f: f.embedding(t.tensor([5]), t.ones(5, 2)), "index out of range in self")
    both(lambda t, f: f.embedding(t.tensor([-1]), t.ones(5, 2)), "index out of range in self")
    both(lambda t, f: f.embedding(t.ones(1), t.ones(5, 2)), "Long, Int")
    both(lambda t, f: f.one_hot(t.tensor([-1])), "Class values must be non-negative")
    both(lambda t, f: f.one_hot(t.tensor([3]), 3), "smaller than num_classes")
    both(lambda t, f: f.one_hot(t.ones(2)), "LongTensor")
    both(lambda t, f: f.dropout(t.ones(2), 1.5), "between 0 and 1")
    both(lambda t, f: f.dropout1d(t.ones(2), 0.5), "Expected 2D or 3D input")
    both(lambda t, f: f.embedding_bag(t.tensor([1]), t.ones(5, 2)), "offsets has to be a 1D")
    both(lambda t, f: f.embedding_bag(t.tensor([[1]]), t.ones(5, 2), mode="x"), "mode has to be")
    both(
        lambda t, f: f.embedding_bag(t.tensor([[0]]), t.ones(5, 2), mode="max", sparse=True),
        "max mode does not support sparse weights",
    )
    with pytest.warns(UserWarning, match="Received a 3D input to dropout2d"):
        F.dropout2d(rushlight.ones(2, 3, 4))


REFUSED = {
    "bag below": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[-1, 1]]), t.ones(6, 2), mode="max"
    ),
    "bag above": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1, 9]]), t.ones(6, 2), mode="max"
    ),
    "padding": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1, 1]]), t.ones(6, 2), padding_idx=9
    ),
    "types": lambda t: t.nn.functional.embedding_bag(
        t.tensor([[1, 1]]), t.ones(6, 2), mode="sum", per_sample_weights=t.ones(1, 2).double()
    ),
    "no table": lambda t: t.nn.functional.embedding(t.tensor([0]), t.tensor(1.0)),
    "a 3-d table": lambda t: t.nn.functional.embedding(t.tensor([0]), t.ones(1, 1, 1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_same_words(name):
    def told(t):
        with pytest.raises(RuntimeError) as caught:
            REFUSED[name](t)
        return str(caught.value).split("\n")[0].split(";")[0]

    assert told(rushlight) == told(torch)


def test_a_sparse_gradient_of_an_empty_table():
    for t in (torch, rushlight):
        table = t.nn.Embedding(0, 0, sparse=True)
        table(t.tensor([], dtype=t.int64)).sum().backward()
        assert table.weight.grad.is_sparse
        assert table.weight.grad.shape == table.weight.shape


def test_functional_names_the_gradients_of_convolutions():
    assert rushlight.nn.functional.grad is rushlight.nn.grad
