"""Attention layers as one call, against the same layers computed the long way."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import nn

N, L, E, H = 2, 5, 8, 2


def masks() -> dict[str, Any]:
    padding = torch.zeros(N, L, dtype=torch.bool)
    padding[1, 3:] = True
    causal = torch.ones(L, L, dtype=torch.bool).triu(1)
    whole = torch.zeros(N, H, L, L, dtype=torch.bool)
    whole[0, 1, 2, :3] = True
    return {"none": (None, None), "padding": (padding, 1), "causal": (causal, 0),
            "whole": (whole, 2)}  # fmt: skip


def layer(**kw: Any) -> nn.MultiheadAttention:
    m = nn.MultiheadAttention(E, H, batch_first=True, **kw).eval()
    nn.init.normal_(m.in_proj_bias)
    nn.init.normal_(m.out_proj.bias)
    return m


def native(m: Any, x: Any, *args: Any) -> Any:
    return torch._native_multi_head_attention(
        *x, E, H, m.in_proj_weight, m.in_proj_bias, m.out_proj.weight, m.out_proj.bias, *args
    )


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("name", masks())
def test_it_is_the_long_way(name: str, same: bool, averaged: bool) -> None:
    m, (mask, kind) = layer(), masks()[name]
    x = [torch.randn(N, L, E)] * 3 if same else [torch.randn(N, L, E) for _ in range(3)]
    given: dict[str, Any] = {}
    if kind == 1:
        given = {"key_padding_mask": mask}
    elif kind is not None:
        given = {"attn_mask": mask.reshape(-1, L, L) if kind == 2 else mask}
    want, weights = m(*x, average_attn_weights=averaged, **given)  # gradients: the long way
    got, w = native(m, x, mask, True, averaged, kind)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(w, weights)
    got, none = native(m, x, mask, False, averaged, kind)
    assert none is None
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("needed", [True, False])
def test_who_may_look_at_nothing_is_nan(needed: bool) -> None:
    m, x = layer(), torch.randn(N, L, E)
    padding = torch.zeros(N, L, dtype=torch.bool)
    padding[1] = True
    out, _ = native(m, [x] * 3, padding, needed, True, 1)
    assert out.isnan().flatten(1).all(1).tolist() == [False, True]
    assert not out[0].isnan().any()


@pytest.mark.parametrize("kw", [{}, {"norm_first": True}, {"activation": "gelu"}])
@pytest.mark.parametrize("name", masks())
def test_an_encoders_layer(kw: dict[str, Any], name: str) -> None:
    m = nn.TransformerEncoderLayer(E, H, 12, batch_first=True, layer_norm_eps=1e-3, **kw).eval()
    a, x, (mask, kind) = m.self_attn, torch.randn(N, L, E), masks()[name]
    given: dict[str, Any] = {}
    if kind == 1:
        given = {"src_key_padding_mask": mask}
    elif kind is not None:
        given = {"src_mask": mask.reshape(-1, L, L) if kind == 2 else mask}
    got = torch._transformer_encoder_layer_fwd(
        x, E, H, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias,
        kw.get("activation") == "gelu", m.norm_first, 1e-3, m.norm1.weight, m.norm1.bias,
        m.norm2.weight, m.norm2.bias, m.linear1.weight, m.linear1.bias, m.linear2.weight,
        m.linear2.bias, mask, kind,
    )  # fmt: skip
    torch.testing.assert_close(got, m(x, **given))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({0: torch.randn(L, E)}, "expected 3-D `query`, got 2-D tensor"),
        ({1: torch.randn(N, 3, E)}, "expected `query`/`key`/`value` shapes to match"),
        ({3: 9}, "passed-in embed_dim 9 didn't match last dim of query 8"),
        ({4: 3}, "`embed_dim` must divide evenly by `num_heads`"),
        ({4: 0}, "`embed_dim` must divide evenly by `num_heads`"),
        ({5: torch.randn(3 * E)}, "expected 2-D `qkv_weight`, got 1-D tensor"),
        ({5: torch.randn(E, E)}, "expected `qkv_weight` first dim to be 3x embed_dim"),
        ({5: torch.randn(3 * E, 7)}, "expected `qkv_weight` second dim to be embed_Dim"),
        ({6: torch.randn(7)}, "expected `qkv_bias` first dim"),
        ({6: torch.zeros(3 * E, dtype=torch.bfloat16)}, "to have the same dtype"),
        ({9: torch.zeros(N, L).bool()}, "Mask Type should be defined"),
        ({9: torch.zeros(N, L).bool(), 12: 3}, "Mask Type should be 0"),
        ({9: torch.zeros(N, L).bool(), 12: 0}, r"mask_type == 0 mask shape should be \(L, L\)"),
        ({9: torch.zeros(L, L).bool(), 12: 1}, r"mask_type == 1 mask shape should be \(B, L\)"),
        ({9: torch.zeros(L, L).bool(), 12: 2}, "mask_type == 2 mask shape should match input"),
    ],
)
def test_mistakes(change: dict[int, Any], text: str) -> None:
    x, m = torch.randn(N, L, E), layer()
    args: list[Any] = [x, x, x, E, H, m.in_proj_weight, m.in_proj_bias, m.out_proj.weight,
                       m.out_proj.bias, None, True, True, None]  # fmt: skip
    for i, value in change.items():
        args[i] = value
    with pytest.raises(RuntimeError, match=text):
        torch._native_multi_head_attention(*args)


def test_a_batch_of_none() -> None:
    m = layer()
    out, weights = native(m, [torch.empty(0, L, E)] * 3)
    assert out.shape == (0, L, E)
    assert weights.shape == (0, L, L)
