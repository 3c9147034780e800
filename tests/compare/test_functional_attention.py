"""Attention against PyTorch: masks, dropout, groups of heads, two orders of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
F, TF = rushlight.nn.functional, torch.nn.functional
sdpa, tsdpa = F.scaled_dot_product_attention, TF.scaled_dot_product_attention


@pytest.fixture
def qkv(rng: Any) -> Any:
    return (
        rng.standard_normal((2, 3, 5, 4)),
        rng.standard_normal((2, 3, 6, 4)),
        rng.standard_normal((2, 3, 6, 7)),
    )


def test_without_and_with_masks(same: Any, qkv: Any, rng: Any) -> None:
    tol = {"rtol": 1e-6, "atol": 1e-9}
    same(sdpa, tsdpa, *qkv, **tol)
    same(sdpa, tsdpa, *qkv, scale=0.3, **tol)
    same(sdpa, tsdpa, *qkv, is_causal=True, **tol)
    boolean = rng.random((5, 6)) < 0.6
    boolean[2] = False  # a row that sees nothing
    same(sdpa, tsdpa, *qkv, attn_mask=boolean, **tol)
    same(sdpa, tsdpa, *qkv, attn_mask=rng.random((2, 1, 5, 6)) < 0.7, **tol)
    same(sdpa, tsdpa, *qkv, rng.standard_normal((5, 6)), **tol)
    same(sdpa, tsdpa, *(a[0, 0] for a in qkv), **tol)
    same(sdpa, tsdpa, *(a[0] for a in qkv), **tol)


def test_second_order(same: Any, qkv: Any) -> None:
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        same(sdpa, tsdpa, *qkv, order=2)
        same(sdpa, tsdpa, *qkv, order=2, is_causal=True)


def test_dropout(same: Any, qkv: Any) -> None:
    same(sdpa, tsdpa, *qkv, dropout_p=0.3, seed=4)
    same(sdpa, tsdpa, *qkv, dropout_p=0.3, is_causal=True, seed=4)


def test_groups_of_heads(same: Any, rng: Any) -> None:
    q, k, v = rng.standard_normal((2, 6, 5, 4)), *rng.standard_normal((2, 2, 2, 5, 4))
    same(sdpa, tsdpa, q, k, v, enable_gqa=True)
    same(sdpa, tsdpa, q, k, v, enable_gqa=True, is_causal=True)
    mask = rng.random((2, 6, 5, 5)) < 0.8
    same(sdpa, tsdpa, q, k, v, enable_gqa=True, attn_mask=mask)


def test_errors(same_error: Any) -> None:
    def both(fn: Any, words: str) -> None:
        same_error(lambda: fn(rushlight, sdpa), lambda: fn(torch, tsdpa), words)

    def x(t: Any) -> Any:
        return t.ones(2, 3, 4)

    both(lambda t, f: f(x(t), x(t), x(t), t.ones(3, 3), is_causal=True), "should not be set when")
    both(lambda t, f: f(t.ones(3), x(t), x(t)), "2 dimensional")
    both(lambda t, f: f(x(t), x(t), x(t).double()), "same dtype")
    both(lambda t, f: f(x(t), x(t), x(t), t.ones(3, 3).long()), "Expected attn_mask dtype")
    both(lambda t, f: f(x(t), x(t), x(t), dropout_p=2.0), "dropout")
    with pytest.raises(RuntimeError, match="must match the size"):
        sdpa(x(rushlight), rushlight.ones(2, 3, 5), x(rushlight))


def test_a_mask_may_be_larger_than_the_batch(same: Any, rng: Any) -> None:
    q, k, v = rng.standard_normal((3, 2, 3, 4))
    mask = rng.standard_normal((5, 2, 3, 3))
    y = sdpa(rushlight.tensor(q), rushlight.tensor(k), rushlight.tensor(v), rushlight.tensor(mask))
    assert y.shape == (5, 2, 3, 4)
    assert np.isfinite(y.numpy()).all()


@pytest.mark.parametrize("needed", [True, False])
@pytest.mark.parametrize("which", ["none", "padding", "mask", "both", "each head"])
def test_layers_in_evaluation(which: str, needed: bool, rng: Any) -> None:
    """PyTorch's short way, with places that may look at nothing."""
    x = rng.standard_normal((3, 4, 8)).astype(np.float32)
    padding, mask = rng.random((3, 4)) < 0.4, rng.random((4, 4)) < 0.4
    padding[1], mask[2] = True, True
    given = {
        "none": {},
        "padding": {"key_padding_mask": padding},
        "mask": {"attn_mask": mask},
        "both": {"key_padding_mask": padding, "attn_mask": mask},
        "each head": {"attn_mask": rng.random((6, 4, 4)) < 0.4},
    }[which]
    found = []
    weights: Any = None
    for lib in (rushlight, torch):
        m = lib.nn.MultiheadAttention(8, 2, batch_first=True).eval()
        if weights is None:
            weights = {k: v.detach().numpy() for k, v in m.state_dict().items()}
        m.load_state_dict({k: lib.from_numpy(v.copy()) for k, v in weights.items()})
        masks = {k: lib.from_numpy(v.copy()) for k, v in given.items()}
        a = lib.from_numpy(x.copy())
        with lib.no_grad():
            found.append(m(a, a, a, need_weights=needed, **masks))
    (out, w), (wanted, tw) = found
    np.testing.assert_allclose(out.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-5)
    assert (w is None) == (tw is None)
    if w is not None:
        np.testing.assert_allclose(w.numpy(), tw.numpy(), rtol=1e-5, atol=1e-6)
