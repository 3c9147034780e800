"""Transformer layers against PyTorch: the same first weights, results and gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")


def pair(name: str, *args: Any, **kw: Any) -> tuple[Any, Any]:
    """The module of both, made from the same seed; their state must be the same."""
    rushlight.manual_seed(3)
    torch.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = getattr(rushlight.nn, name)(*args, **kw), getattr(torch.nn, name)(*args, **kw)
    sa, sb = a.state_dict(), b.state_dict()
    assert list(sa) == list(sb)
    for k in sa:
        np.testing.assert_allclose(sa[k].numpy(), sb[k].numpy(), rtol=1e-6, atol=1e-7, err_msg=k)
    a.load_state_dict({k: rushlight.from_numpy(v.numpy().copy()) for k, v in sb.items()})
    assert repr(a) == repr(b)
    return a, b


def compare(modules: Any, *arrays: Any, seed: int = 0, **kw: Any) -> None:
    """Results, and gradients of inputs and parameters."""
    done = []
    for lib, module in zip((rushlight, torch), modules, strict=True):
        lib.manual_seed(seed)
        xs = []
        for a in arrays:
            t = lib.from_numpy(a.copy())
            xs.append(t.requires_grad_() if a.dtype.kind == "f" else t)
        named = {
            k: lib.from_numpy(v.copy()) if isinstance(v, np.ndarray) else v for k, v in kw.items()
        }
        if isinstance(module, (rushlight.nn.MultiheadAttention, torch.nn.MultiheadAttention)):
            ys = module(*(xs if len(xs) == 3 else xs * 3), **named)
        else:
            ys = (module(*xs, **named),)
        for p in module.parameters():
            p.grad = None
        loss = sum((y * y.detach().cos()).sum() for y in ys if y is not None)
        loss.backward()
        grads = [x.grad for x in xs] + [p.grad for p in module.parameters()]
        done.append([y for y in ys if y is not None] + [g for g in grads if g is not None])
    assert len(done[0]) == len(done[1])
    for a, b in zip(*done, strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=2e-4, atol=2e-5)


def f32(rng: Any, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": False},
        {"add_bias_kv": True},
        {"add_zero_attn": True},
        {"add_bias_kv": True, "add_zero_attn": True},
        {"kdim": 6, "vdim": 5},
    ],
)
def test_multihead_attention(options: Any, batch_first: bool, rng: Any) -> None:
    m = pair("MultiheadAttention", 8, 2, batch_first=batch_first, **options)
    n, rows, columns = 3, 4, 5

    def shaped(length: int, width: int) -> np.ndarray:
        return f32(rng, *((n, length) if batch_first else (length, n)), width)

    k, v = options.get("kdim", 8), options.get("vdim", 8)
    args = shaped(rows, 8), shaped(columns, k), shaped(columns, v)
    compare(m, *args)
    compare(m, *args, need_weights=False)
    compare(m, *args, average_attn_weights=False)
    padding = np.zeros((n, columns), bool)
    padding[1, 3:] = True
    mask = rng.random((rows, columns)) < 0.2
    mask[:, 0] = False
    compare(m, *args, key_padding_mask=padding)
    compare(m, *args, key_padding_mask=padding, attn_mask=mask, need_weights=False)
    compare(m, *args, attn_mask=f32(rng, n * 2, rows, columns))
    if not options:
        compare(m, shaped(rows, 8))  # attention to itself: one projection
        compare(m, f32(rng, rows, 8), f32(rng, columns, 8), f32(rng, columns, 8))
        causal = np.triu(np.ones((rows, rows), bool), 1)
        compare(m, shaped(rows, 8), attn_mask=causal, is_causal=True, need_weights=False)


def test_multihead_attention_dropout(rng: Any) -> None:
    m = pair("MultiheadAttention", 8, 2, dropout=0.4)
    compare(m, f32(rng, 4, 3, 8), seed=9)
    compare(m, f32(rng, 4, 3, 8), seed=9, need_weights=False)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_layers(norm_first: bool, activation: str, rng: Any) -> None:
    kw = {"dropout": 0.3, "norm_first": norm_first, "activation": activation}
    m = pair("TransformerEncoderLayer", 8, 2, 16, batch_first=True, **kw)
    compare(m, f32(rng, 3, 5, 8), seed=4)
    padding = np.zeros((3, 5), bool)
    padding[0, 4] = True
    compare(m, f32(rng, 3, 5, 8), seed=4, src_key_padding_mask=padding)
    m = pair("TransformerDecoderLayer", 8, 2, 16, bias=False, **kw)
    compare(m, f32(rng, 4, 3, 8), f32(rng, 5, 3, 8), seed=4)


@pytest.mark.parametrize("batch_first", [False, True])
def test_whole(batch_first: bool, rng: Any) -> None:
    m = pair("Transformer", 8, 2, 2, 2, 16, dropout=0.1, batch_first=batch_first)
    shape = (3, 5, 8) if batch_first else (5, 3, 8)
    tgt = (3, 4, 8) if batch_first else (4, 3, 8)
    src, tgt = f32(rng, *shape), f32(rng, *tgt)
    compare(m, src, tgt, seed=5)
    mask = np.triu(np.full((4, 4), -np.inf, np.float32), 1)
    compare(m, src, tgt, seed=5, tgt_mask=mask)
    for module in m:
        module.eval()
    compare(m, src, tgt, tgt_mask=mask, tgt_is_causal=True)


def test_errors() -> None:
    nn, tn = rushlight.nn, torch.nn
    x, tx = rushlight.ones, torch.ones
    for ours, theirs, kind, words in (
        (lambda: nn.MultiheadAttention(7, 2), lambda: tn.MultiheadAttention(7, 2),
         AssertionError, "embed_dim must be divisible by num_heads"),
        (lambda: nn.MultiheadAttention(8, 2)(x(4, 3, 8), x(4, 8), x(4, 8)),
         lambda: tn.MultiheadAttention(8, 2)(tx(4, 3, 8), tx(4, 8), tx(4, 8)),
         AssertionError, "expected `key` and `value` to be 3-D"),
        (lambda: nn.MultiheadAttention(8, 2)(x(4, 3, 8), x(4, 3, 8), x(4, 3, 8), is_causal=True),
         lambda: tn.MultiheadAttention(8, 2)(
             tx(4, 3, 8), tx(4, 3, 8), tx(4, 3, 8), is_causal=True),
         RuntimeError, "Need attn_mask if specifying the is_causal hint"),
        (lambda: nn.Transformer(8, 2, 1, 1, 8)(x(4, 3, 8), x(4, 2, 8)),
         lambda: tn.Transformer(8, 2, 1, 1, 8)(tx(4, 3, 8), tx(4, 2, 8)),
         RuntimeError, "the batch number of src and tgt must be equal"),
        (lambda: nn.Transformer(8, 2, 1, 1, 8)(x(4, 3, 7), x(4, 3, 7)),
         lambda: tn.Transformer(8, 2, 1, 1, 8)(tx(4, 3, 7), tx(4, 3, 7)),
         RuntimeError, "must be equal to d_model"),
    ):  # fmt: skip
        with pytest.raises(kind, match=words):
            theirs()
        with pytest.raises(kind, match=words):
            ours()
