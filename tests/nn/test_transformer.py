"""Transformers: names, masks, layouts."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def test_parameters_are_named_as_in_pytorch() -> None:
    assert list(nn.MultiheadAttention(4, 2).state_dict()) == [
        "in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"
    ]  # fmt: skip
    assert list(nn.MultiheadAttention(4, 2, kdim=3, add_bias_kv=True).state_dict()) == [
        "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias", "bias_k", "bias_v",
        "out_proj.weight", "out_proj.bias",
    ]  # fmt: skip
    names = list(nn.Transformer(4, 2, 1, 1, 8).state_dict())
    assert "encoder.layers.0.self_attn.in_proj_weight" in names
    assert "decoder.layers.0.multihead_attn.out_proj.bias" in names
    assert names[-1] == "decoder.norm.bias"


def test_the_layers_of_a_stack_begin_alike_and_are_apart() -> None:
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)
    a, b = encoder.layers[0].linear1.weight, encoder.layers[1].linear1.weight
    assert a is not b
    assert (a == b).all()


def test_a_causal_decoder_does_not_see_the_future() -> None:
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True).eval()
    src, tgt = torch.randn(2, 5, 8), torch.randn(2, 4, 8)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    whole = model(src, tgt, tgt_mask=mask)
    part = model(src, tgt[:, :2], tgt_mask=mask[:2, :2])
    np.testing.assert_allclose(
        whole[:, :2].detach().numpy(), part.detach().numpy(), rtol=1e-4, atol=1e-5
    )


def test_norm_first_and_activation_functions() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, activation=torch.tanh, norm_first=True)
    assert layer.activation is torch.tanh
    assert layer(torch.randn(5, 8)).shape == (5, 8)
    with pytest.raises(RuntimeError, match="activation should be relu/gelu"):
        nn.TransformerEncoderLayer(8, 2, activation="elu")


def test_second_order() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0).double()
    x = torch.randn(3, 1, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(layer, (x,))
