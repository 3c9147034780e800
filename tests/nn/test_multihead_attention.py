"""Attention with several heads: weights, padding, errors, and the short way of evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def test_weights_are_averaged_or_by_head() -> None:
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    x, y = torch.randn(3, 4, 8), torch.randn(3, 5, 8)
    out, w = m(x, y, y)
    _, each = m(x, y, y, average_attn_weights=False)
    assert out.shape == (3, 4, 8)
    assert w.shape == (3, 4, 5)
    assert each.shape == (3, 2, 4, 5)
    np.testing.assert_allclose(w.sum(-1).detach().numpy(), 1, rtol=1e-6)
    quick, none = m(x, y, y, need_weights=False)
    assert none is None
    np.testing.assert_allclose(quick.detach().numpy(), out.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_padded_keys_are_not_looked_at() -> None:
    m = nn.MultiheadAttention(8, 2)
    x = torch.randn(5, 2, 8)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    _, w = m(x, x, x, key_padding_mask=padding)
    assert not w[1, :, 3:].any()
    changed = x.clone()
    changed[3:, 1] = 9.0
    a = m(x, x, x, key_padding_mask=padding)[0][:3]
    b = m(changed, changed, changed, key_padding_mask=padding)[0][:3]
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_errors() -> None:
    with pytest.raises(AssertionError, match=r"divisible by num_heads[\s\S]*num_heads=3"):
        nn.MultiheadAttention(8, 3)
    with pytest.raises(ValueError, match="must be greater than 0"):
        nn.MultiheadAttention(8, 0)
    m, x = nn.MultiheadAttention(8, 2), torch.ones(4, 3, 8)
    with pytest.raises(RuntimeError, match="The shape of the 2D attn_mask is"):
        m(x, x, x, attn_mask=torch.ones(3, 3))
    with pytest.raises(AssertionError, match="was expecting embedding dimension of 8, but got 6"):
        m(x[..., :6], x[..., :6], x[..., :6])
    with pytest.raises(AssertionError, match="only bool and floating types"):
        m(x, x, x, key_padding_mask=torch.ones(3, 4, dtype=torch.int64))
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        m(x, x, x, torch.zeros(3, 4, dtype=torch.bool), attn_mask=torch.zeros(4, 4))
    with pytest.raises(RuntimeError, match="batch number of src and tgt must be equal"):
        nn.Transformer(8, 2, 1, 1, 8)(x, torch.ones(4, 2, 8))


# -- the short way of attention that only evaluates ----------------------------------------------


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What went the short way."""
    seen: list[Any] = []
    native = torch._native_multi_head_attention

    def noted(*args: Any) -> Any:
        seen.append(args)
        return native(*args)

    monkeypatch.setattr(torch, "_native_multi_head_attention", noted)
    return seen


def test_the_short_way_is_taken_and_is_the_long_one(calls: list[Any]) -> None:
    m = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x, padding = torch.randn(3, 4, 8), torch.zeros(3, 4, dtype=torch.bool)
    padding[1, 2:] = True
    each_head = torch.zeros(6, 4, 4, dtype=torch.bool)
    each_head[:, 0, 1:] = True
    given: list[dict[str, Any]] = [
        {},
        {"need_weights": False},
        {"key_padding_mask": padding},
        {"attn_mask": each_head[0], "key_padding_mask": padding, "average_attn_weights": False},
        {"attn_mask": each_head, "need_weights": False},
    ]
    for kw in given:
        want = m(x, x, x, **kw)
        assert not calls  # the parameters require gradients
        with torch.no_grad():
            got = m(x, x, x, **kw)
        assert len(calls) == 1
        calls.clear()
        torch.testing.assert_close(got[0], want[0].detach())
        if want[1] is not None:
            torch.testing.assert_close(got[1], want[1].detach())
        else:
            assert got[1] is None


@torch.no_grad()
@pytest.mark.parametrize(
    "why", ["training", "time first", "other keys", "one sequence", "odd heads", "no bias", "kdim",
            "bias_k", "zeros", "float mask", "autocast", "forbidden", "subclass"],
)  # fmt: skip
def test_the_long_way_is_taken(why: str, calls: list[Any]) -> None:
    kw: dict[str, Any] = {
        "odd heads": {"num_heads": 1},
        "no bias": {"bias": False},
        "kdim": {"kdim": 8, "vdim": 6},
        "bias_k": {"add_bias_kv": True},
        "zeros": {"add_zero_attn": True},
    }.get(why, {})
    how = {"num_heads": 2, "batch_first": why != "time first", **kw}
    m = nn.MultiheadAttention(8, **how)
    m.train(why == "training")
    x = torch.randn(3, 4, 8)
    if why == "one sequence":
        x = x[0]
    if why == "subclass":

        class Mine(torch.Tensor):
            pass

        x = x.as_subclass(Mine)
    y = x.clone() if why == "other keys" else x
    z = torch.randn(3, 4, 6) if why == "kdim" else y
    mask = torch.zeros(4, 4) if why == "float mask" else None
    torch.backends.mha.set_fastpath_enabled(why != "forbidden")
    try:
        with torch.autocast("cpu", enabled=why == "autocast"):
            m(x, y, z, attn_mask=mask)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
    assert not calls
