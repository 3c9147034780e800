"""Attention: the definition, rows that see nothing, several heads against loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.nn.attention import attention

F = torch.nn.functional


def reference(q: Any, k: Any, v: Any, bias: Any = 0) -> Any:
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bias
    w = np.exp(s - s.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ v


def test_definition(rng: Any) -> None:
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (5, 6, 6))
    bias = rng.standard_normal((5, 6))
    tensors = [torch.from_numpy(a) for a in (q, k, v)]
    y = F.scaled_dot_product_attention(*tensors)
    np.testing.assert_allclose(y.numpy(), reference(q, k, v))
    y = F.scaled_dot_product_attention(*tensors, torch.from_numpy(bias))
    np.testing.assert_allclose(y.numpy(), reference(q, k, v, bias))
    y = F.scaled_dot_product_attention(*tensors, is_causal=True)
    causal = np.where(np.tri(5, 6, dtype=bool), 0, -np.inf)
    np.testing.assert_allclose(y.numpy(), reference(q, k, v, causal))


def test_a_row_that_sees_nothing_is_zero_and_has_no_gradient(rng: Any) -> None:
    q = torch.from_numpy(rng.standard_normal((1, 2, 4))).requires_grad_()
    mask = torch.tensor([[True, True], [False, False]])
    y = F.scaled_dot_product_attention(q, q, q, mask)
    assert not y[0, 1].any()
    y.sum().backward()
    assert np.isfinite(q.grad.numpy()).all()


def test_inputs_are_not_changed(rng: Any) -> None:
    arrays = [rng.standard_normal((2, 3, 4)) for _ in range(3)]
    before = [a.copy() for a in arrays]
    attention(*arrays, scale=1.0, causal=True, safe=True)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_groups_share_keys(rng: Any) -> None:
    q = torch.from_numpy(rng.standard_normal((2, 6, 5, 4)))
    k, v = (torch.from_numpy(rng.standard_normal((2, 2, 5, 4))) for _ in range(2))
    y = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    spread = [t.repeat_interleave(3, 1) for t in (k, v)]
    wanted = F.scaled_dot_product_attention(q, *spread).numpy()
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12, atol=1e-15)  # some are nearly 0


def test_dropout_scales_what_is_left() -> None:
    q, v = torch.zeros(1, 1, 2), torch.ones(1, 100, 1)
    y = F.scaled_dot_product_attention(q.expand(1, 1, 2), torch.zeros(1, 100, 2), v, dropout_p=0.5)
    assert 0.5 < y.item() < 1.5
    assert F.scaled_dot_product_attention(q, q, q + 1, dropout_p=1.0).tolist() == [[[0, 0]]]


def test_narrow_types_and_meta() -> None:
    x = torch.ones(1, 3, 4, dtype=torch.bfloat16)
    assert F.scaled_dot_product_attention(x, x, x).dtype == torch.bfloat16
    m = torch.empty(2, 3, 4, device="meta")
    assert F.scaled_dot_product_attention(m, m, m).shape == (2, 3, 4)


def test_errors() -> None:
    x = torch.ones(2, 3, 4)
    with pytest.raises(RuntimeError, match="Explicit attn_mask should not be set when is_causal"):
        F.scaled_dot_product_attention(x, x, x, torch.ones(3, 3), is_causal=True)
    with pytest.raises(RuntimeError, match=r"query \(2, 3, 4\), key \(2, 3, 5\)"):
        F.scaled_dot_product_attention(x, torch.ones(2, 3, 5), x)
    k = torch.ones(1, 2, 2, 4)
    with pytest.raises(RuntimeError, match="must divide the number of heads"):
        F.scaled_dot_product_attention(torch.ones(1, 3, 2, 4), k, k, enable_gqa=True)


def test_weights_know_nothing_of_the_values_history():
    q = torch.ones(3, 2, 4)
    v = torch.ones(3, 2, 4, requires_grad=True)
    ones = torch.ones(4, 4)
    options = (4, 2, torch.ones(12, 4), None, None, None, False, 0.0, ones, None)
    out, weights = torch.nn.functional.multi_head_attention_forward(q, q, v, *options)
    assert out.requires_grad
    assert not weights.requires_grad


def test_weights_of_complex_scores_are_refused():
    q = torch.ones(3, 2, 4, dtype=torch.complex64)
    w = torch.ones(12, 4, dtype=torch.complex64)
    options = (4, 2, w, None, None, None, False, 0.0, w[:4], None)
    with pytest.raises(NotImplementedError, match="softmax_lastdim_kernel_impl"):
        torch.nn.functional.multi_head_attention_forward(q, q, q, *options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_common_calls_are_those_of_any_other_kind(dtype: Any, rng: Any) -> None:
    """Plain tensors without a mask ask less; a mask of nothing, groups of one and a subclass go
    the other way to the same bits."""

    class Named(torch.Tensor):
        pass

    for shape in ((2, 2, 5, 4), (2, 5, 4), (5, 4)):
        q, k, v = (torch.from_numpy(rng.standard_normal(shape)).to(dtype) for _ in range(3))
        for causal in (False, True):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.3)
            ways = [
                F.scaled_dot_product_attention(
                    q, k, v, is_causal=causal, scale=0.3, enable_gqa=True
                ),
                F.scaled_dot_product_attention(
                    q, k.as_subclass(Named), v, is_causal=causal, scale=0.3
                ),
            ]
            assert type(ways[1]) is Named
            for other in ways:
                assert other._a.tobytes() == y._a.tobytes()
                assert other.stride() == y.stride()


def test_what_does_not_go_together_is_refused_before_it_is_computed() -> None:
    one = torch.ones(3, 4)
    for wrong, words in (
        ((one, torch.ones(3, 5), torch.ones(3, 5)), "must match the size"),
        ((one, torch.ones(4), torch.ones(4)), "at least 2 dimensional"),
        ((one, one.double(), one), "same dtype"),
        ((one.int(), one.int(), one.int()), "expected scalar type Float"),
    ):
        with pytest.raises(RuntimeError, match=words):
            F.scaled_dot_product_attention(*wrong)
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        F.scaled_dot_product_attention(one, one, one, dropout_p=2.0)
