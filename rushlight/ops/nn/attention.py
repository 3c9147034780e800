"""Attention: softmax(q k^T * scale + mask) v as one op, and the multi-head layer made of it.

Vaswani et al., 2017, arXiv:1706.03762. Not here: the modules (`nn/multihead_attention.py`).
"""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door, views
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.attention import select as kernels
from ...kernels.attention import whole
from ...kernels.keys import Plans
from ...kernels.matmul.select import product
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.softmax.select import softmax_grad
from ..core import overrides
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, values
from ..linalg.matmul import matmul
from ..reduce.sums import sum as total
from ..shape.views import cat
from .dropout import _noise as drop_noise
from .linear import linear

NEG_INF = float("-inf")
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

# -- the op --------------------------------------------------------------------------------------


_Q, _K = (2, 3, 4), (2, 5, 4)
PLAIN = {"scale": 0.5, "causal": False, "safe": True}


@op(
    autocast="lower",
    accepts="floating: softmax_lastdim_kernel_impl",
    samples=[
        case(_Q, _K, (2, 5, 3), **PLAIN),
        case(_Q, _K, (2, 5, 3), (3, 5), arr((2, 3, 5), 0, 2), **PLAIN),
        case(_Q, (2, 3, 4), (2, 3, 4), scale=0.5, causal=True, safe=False),
    ],
    public="",
    fresh=True,
    outputs=2,
    name="scaled_dot_product_attention",
    node="ScaledDotProductFlashAttentionForCpuBackward0",
)
def attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    noise: Any = None,
    *,
    scale: float,
    causal: bool,
    safe: bool,
) -> Any:
    """(softmax(q k^T * scale + mask) * noise v, the softmax).

    Args:
        mask: added to the scores; a bool one hides where it is False.
        noise: factors of the weights (dropout).
        causal: position i sees positions up to i.
        safe: a row that sees nothing is 0, not NaN.
    """
    w = whole.weights(query, key, mask, scale, causal, safe)
    return product(w if noise is None else w * noise, value), w


@attention.shape
def _(q: Any, k: Any, v: Any, mask: Any = None, noise: Any = None, **_kw: Any) -> Any:
    batch = np.broadcast_shapes(
        q.shape[:-2], k.shape[:-2], v.shape[:-2], () if mask is None else mask.shape[:-2]
    )
    rows = (*batch, q.shape[-2])
    return MetaArray((*rows, v.shape[-1]), q.dtype), MetaArray((*rows, k.shape[-2]), q.dtype)


def _attention_rule(
    g: Any, y: Any, q: Any, k: Any, v: Any, _mask: Any, noise: Any, *, scale: float, needs: Any
) -> Any:
    g_out, g_w = g
    w = y[1]
    gv = gn = None
    if g_out is not None:
        if needs[2]:
            gv = matmul((w if noise is None else w * noise).swapaxes(-1, -2), g_out)
        part = matmul(g_out, v.swapaxes(-1, -2))
        if needs[4]:
            gn = part * w
        if noise is not None:
            part = part * noise
        g_w = part if g_w is None else part + g_w
    if g_w.__class__ is np.ndarray:
        scores = softmax_grad(g_w, w, -1)
    else:
        gw = g_w * w
        scores = gw - w * total(gw, dim=-1, keepdim=True)
    gq = matmul(scores, k) * scale if needs[0] else None
    gk = matmul(scores.swapaxes(-1, -2), q) * scale if needs[1] else None
    return gq, gk, gv, scores if needs[3] else None, gn


attention.joint(_attention_rule)


@op(
    autocast="lower",
    samples=[
        case(_Q, _K, (2, 5, 3), scale=0.5, causal=False),
        case(_Q, _K, (2, 5, 3), np.arange(15).reshape(3, 5) % 4 > 0, scale=0.5, causal=True),
    ],
    public="",
    fresh=True,
    outputs=2,
    differentiable=(0,),
    saves=(0, 1),
    name="attention_by_blocks",
    node="ScaledDotProductFlashAttentionForCpuBackward0",
)
def attention_by_blocks(
    query: Any, key: Any, value: Any, mask: Any = None, *, scale: float, causal: bool
) -> Any:
    """(softmax(q k^T * scale + mask) v, the logarithm of each row's sum of exponentials).

    The scores are not kept; backward computes them anew. A row that sees nothing is 0.
    """
    return kernels.forward(query, key, value, mask, scale, causal)


attention_by_blocks.planned(lambda *a, **kw: kernels.plan_of(*a, **kw))


@attention_by_blocks.shape
def _(q: Any, k: Any, v: Any, mask: Any = None, **_kw: Any) -> Any:
    rows = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2]) + q.shape[-2:-1]
    return MetaArray((*rows, v.shape[-1]), q.dtype), MetaArray(rows, q.dtype)


@attention_by_blocks.joint
def _(
    g: Any, y: Any, q: Any, k: Any, v: Any, mask: Any, *, scale: float, causal: bool, needs: Any
) -> Any:
    if q.__class__ is np.ndarray or not isinstance(q, TensorBase):
        found = kernels.backward(g[0], y[0], y[1], q, k, v, mask, scale, causal)
        if found is not None:
            return (*found, None)
        _, w = attention.fn(q, k, v, mask, scale=scale, causal=causal, safe=True)
    else:
        kw = {"scale": scale, "causal": causal, "safe": True}
        _, w = attention.call((q, k, v, mask, None), kw)
    needs = (*needs[:3], False, False)
    found = _attention_rule((g[0], None), (None, w), q, k, v, None, None, scale=scale, needs=needs)
    return (*found[:3], None)


# -- scaled_dot_product_attention ----------------------------------------------------------------


def _check(query: Any, key: Any, value: Any, mask: Any, is_causal: bool) -> None:
    arrays = q, k, v = query._a, key._a, value._a

    def shapes() -> str:
        return f"query {tuple(q.shape)}, key {tuple(k.shape)}, value {tuple(v.shape)}"

    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise RuntimeError(
            message(
                "scaled_dot_product_attention: Expected query, key, and value to all be  at least "
                f"2 dimensional, but got query.dim: {query.ndim}, key.dim: {key.ndim} and "
                f"value.dim: {value.ndim} instead.",
                got=shapes(),
            )
        )
    if not q.dtype == k.dtype == v.dtype and len(set(door.arriving(attention, *arrays))) > 1:
        raise RuntimeError(
            message(
                "Expected query, key, and value to have the same dtype, but got query.dtype: "
                f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
            )
        )
    if q.dtype.kind in "iub":
        kind = type_name(query.dtype)
        raise RuntimeError(
            message(f"expected scalar type Float but found {kind}", got=shapes(), hint="x.float()")
        )
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise RuntimeError(
            message(
                "scaled_dot_product_attention: The size of tensor a must match the size of "
                "tensor b: query and key differ in the last dimension, or key and value in length",
                got=shapes(),
                wanted="query (..., L, E), key (..., S, E), value (..., S, V)",
            )
        )
    if mask is not None and is_causal:
        raise RuntimeError(
            message(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                "is_causal=True",
                hint="leave out one of them, or put the triangle into the mask",
            )
        )
    taken = (np.bool_, np.float32, q.dtype)
    if (
        mask is not None
        and mask._a.dtype not in taken
        and len(set(door.arriving(attention, q, mask._a))) > 1
    ):
        raise RuntimeError(
            message(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                f"attn_mask.dtype: {mask.dtype} and  query.dtype: {query.dtype} instead."
            )
        )


def attend(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    dropout_p: float,
    causal: bool,
    scale: float | None,
    safe: bool = True,
) -> tuple[Any, Any]:
    """(result, weights after dropout; None where `safe` and no use is made of them)."""
    if scale is None:
        scale = 1 / pymath.sqrt(max(query.shape[-1], 1))
    # Gradients by blocks read the result, which for 16-bit types is rounded: they keep the weights.
    narrow = query._a.dtype in dtypes.LOW_NP
    if safe and not dropout_p and not narrow and not (mask is not None and mask.requires_grad):
        kw = {"scale": float(scale), "causal": bool(causal)}
        return attention_by_blocks.first((query, key, value, mask), kw), None
    noise = None
    if dropout_p > 0:
        batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        shape = (*batch, query.shape[-2], key.shape[-2])
        if dropout_p == 1:
            noise = query.new_zeros(shape)
        else:
            noise = drop_noise(query.new_empty(shape), dropout_p, False, True)
    kw = {"scale": float(scale), "causal": causal, "safe": safe}
    out, w = attention.call((query, key, value, mask, noise), kw)
    if w.requires_grad and not views.needs_grad((query, key, mask)):
        w = w.detach()  # the value alone has a history, of which the weights know nothing
    return out, w if noise is None else w * noise


@Plans
def _usual(q: Any, k: Any, v: Any) -> float | None:
    """The scale of attention unless another one is asked for, where these are arrays of one
    ordinary type whose shapes go together, keys and values of one shape: then nothing else is
    asked."""
    dtype, shape, keys = q.dtype, q.shape, k.shape
    usual = (
        (dtype is FLOAT32 or dtype is FLOAT64)
        and k.dtype is dtype
        and v.dtype is dtype
        and keys == v.shape
        and len(shape) > 1 < len(keys)
        and shape[-1] == keys[-1]
    )
    return 1 / pymath.sqrt(max(shape[-1], 1)) if usual else None


@composite(
    public="nn.functional",
    samples=[
        case((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 6)),
        case((2, 3, 4), (2, 3, 4), (2, 3, 4), is_causal=True),
        case((2, 3, 4), (2, 3, 4), (2, 3, 4), values(np.eye(3), "bool"), scale=0.3),
    ],
)
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(query key^T * scale + mask) value.

    Args:
        query: (..., L, E). key: (..., S, E). value: (..., S, V). Returns (..., L, V).
        attn_mask: broadcast to (..., L, S): bool (True: may be looked at) or added to the scores.
        dropout_p: probability with which a weight is dropped, always.
        is_causal: position i sees positions up to i.
        scale: 1 / sqrt(E) when None.
        enable_gqa: the heads (dimension -3) of key and value serve several of query each.

    A row that may look at nothing is 0.

    >>> q, k, v = torch.tensor([[1.0, 0.0]]), torch.eye(2), torch.tensor([[10.0], [20.0]])
    >>> F.scaled_dot_product_attention(q, k, v)
    tensor([[13.3024]])
    >>> F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor([[False, True]]))
    tensor([[20.]])
    """
    ordinary: Any = overrides.ordinary
    if (
        attn_mask is None
        and dropout_p == 0
        and not enable_gqa
        and query.__class__ in ordinary
        and key.__class__ in ordinary
        and value.__class__ in ordinary
    ):
        q, k, v = query._a, key._a, value._a
        known = few.layouts(q, k, v)
        usual = _usual.get(known) or _usual.make(known, q, k, v)
        if usual is not None:
            kw = {"scale": usual if scale is None else float(scale), "causal": bool(is_causal)}
            return attention_by_blocks.first((query, key, value, None), kw)
    _check(query, key, value, attn_mask, is_causal)
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(
            message(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
        )
    if not enable_gqa or query.ndim < 3 or query.shape[-3] == key.shape[-3]:
        return attend(query, key, value, attn_mask, dropout_p, is_causal, scale)[0]
    heads, groups = query.shape[-3], key.shape[-3]
    if heads % groups or value.shape[-3] != groups:
        raise RuntimeError(
            message(
                "Number of heads in key and value must divide the number of heads in query",
                got=f"{heads} of query, {groups} of key, {value.shape[-3]} of value",
            )
        )
    if attn_mask is not None and attn_mask.ndim > 2:
        split = (groups, heads // groups) if attn_mask.shape[-3] == heads else (1, 1)
        attn_mask = attn_mask.unflatten(-3, split)
    q = query.unflatten(-3, (groups, heads // groups))
    out = attend(q, key.unsqueeze(-3), value.unsqueeze(-3), attn_mask, dropout_p, is_causal, scale)[
        0
    ]
    return out.flatten(-4, -3)


# -- several heads -------------------------------------------------------------------------------


def canonical_mask(mask: Any, name: str, other: Any, other_name: str, dtype: Any) -> Any:
    """A mask as what is added to the scores: True becomes -inf."""
    if mask is None:
        return None
    is_bool = mask._a.dtype == bool
    if not is_bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype != other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both "
            "instead.",
            stacklevel=5,
        )
    if is_bool:
        return door.wrap(np.where(mask._a, dtype.np.type(NEG_INF), dtype.np.type(0)))
    return mask


def _check_shapes(
    query: Any, key: Any, value: Any, padding: Any, mask: Any, num_heads: int
) -> bool:
    """Whether there is a batch dimension; AssertionError when the ranks do not go together."""
    dim = query.dim()
    if dim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dim}-D query tensor"
        )
    kind = "batched (3-D)" if dim == 3 else "unbatched (2-D)"
    if key.dim() != dim or value.dim() != dim:
        raise AssertionError(
            message(
                f"For {kind} `query`, expected `key` and `value` to be {dim}-D but found "
                f"{key.dim()}-D and {value.dim()}-D tensors respectively"
            )
        )
    if padding is not None and padding.dim() != dim - 1:
        raise AssertionError(
            message(
                f"For {kind} `query`, expected `key_padding_mask` to be `None` or {dim - 1}-D but "
                f"found {padding.dim()}-D tensor instead"
            )
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            message(
                f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                f"{mask.dim()}-D tensor instead"
            )
        )
    if dim == 2 and mask is not None and mask.dim() == 3:
        wanted = (num_heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != wanted:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {wanted} but got {tuple(mask.shape)}"
            )
    return dim == 3


def _project(query: Any, key: Any, value: Any, weight: Any, bias: Any) -> Any:
    """q, k and v by the three parts of one weight; in one product where the inputs are the same."""
    e = query.shape[-1]
    if query is key and key is value:
        return linear.call((query, weight, bias), {}).split(e, -1)
    w_q, w_kv = weight.split([e, 2 * e])
    b_q: Any = None
    b_kv: Any = None
    if bias is not None:
        b_q, b_kv = bias.split([e, 2 * e])
    q = linear.call((query, w_q, b_q), {})
    if key is value:
        return (q, *linear.call((key, w_kv, b_kv), {}).split(e, -1))
    w_k, w_v = w_kv.split(e)
    b_k, b_v = (None, None) if b_kv is None else b_kv.split(e)
    return q, linear.call((key, w_k, b_k), {}), linear.call((value, w_v, b_v), {})


def _project_apart(inputs: Any, weights: Any, bias: Any) -> Any:
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear.call((x, w, b), {}) for x, w, b in zip(inputs, weights, biases, strict=True)]


def _wanted(ok: bool, text: str) -> None:
    if not ok:
        raise AssertionError(text)


def _one_more(mask: Any) -> Any:
    """A mask with one more column of zeros."""
    if mask is None:
        return None
    return cat.call((mask, mask.new_zeros((*mask.shape[:-1], 1))), {"dim": -1})


@composite(
    loose="embed_dim_to_check num_heads",
    public="nn.functional",
    samples=[
        case(
            (3, 2, 4),
            (5, 2, 4),
            (5, 2, 4),
            4,
            2,
            (12, 4),
            (12,),
            None,
            None,
            False,
            0.0,
            (4, 4),
            (4,),
        ),
    ],
)
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """The forward of `nn.MultiheadAttention` as a function of its parameters.

    Args:
        query: (L, N, E) or (L, E). key, value: (S, N, E) or (S, E).
        key_padding_mask: (N, S): True (or -inf) for keys that nobody looks at.
        attn_mask: (L, S) or (N * heads, L, S): True (or -inf) for what may not be looked at.
        embed_dim_to_check: E, which the query must have.
        in_proj_weight, in_proj_bias: (3 E, E) and (3 E,) or None: query, key, value in this order;
            with `use_separate_proj_weight` `q_proj_weight`, `k_proj_weight`, `v_proj_weight`
            instead, so that keys and values may have other sizes.
        bias_k, bias_v: (1, 1, E) or None: one more key and value, learned.
        add_zero_attn: one more key and value, of zeros.
        dropout_p: probability with which a weight is dropped, when `training`.
        out_proj_weight, out_proj_bias: of the linear layer at the end.
        need_weights, average_attn_weights: whether the weights are returned, as a mean over heads.
        static_k, static_v: (N * heads, S, E / heads), used instead of projected keys and values.
        is_causal: a hint that `attn_mask`, which must be given, is the causal one.

    Returns the result (L, N, E), and the weights (N, L, S) (or (N, heads, L, S) when they are
    not averaged; None when not needed).

    >>> x = torch.randn(3, 2, 4)  # 3 places, a batch of 2, 4 numbers each
    >>> m = nn.MultiheadAttention(4, num_heads=2)
    >>> out, weights = F.multi_head_attention_forward(
    ...     x, x, x, 4, 2, m.in_proj_weight, m.in_proj_bias, None, None, False, 0.0,
    ...     m.out_proj.weight, m.out_proj.bias,
    ... )
    >>> out.shape, weights.shape
    (torch.Size([3, 2, 4]), torch.Size([2, 3, 3]))
    """
    if not (query.is_floating_point() or query.is_complex()):
        kind = type_name(query.dtype)
        if kind == "Bool":
            raise NotImplementedError(message("\"addmm_impl_cpu_\" not implemented for 'Bool'"))
        raise RuntimeError(message(f"expected scalar type Float but found {kind}"))
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same = query is key, key is value
        query = query.unsqueeze(1)
        key = query if same[0] else key.unsqueeze(1)
        value = key if same[1] else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    rows, n, embed = query.shape
    columns = key.shape[0]
    dtype = query.dtype
    padding = canonical_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            message(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer "
                "module method `generate_square_subsequent_mask` to create this mask.",
                hint="attn_mask=nn.Transformer.generate_square_subsequent_mask(L)",
            )
        )
    if is_causal and padding is None and not need_weights:
        mask = None  # the hint says all that the mask says
    else:
        mask = canonical_mask(attn_mask, "attn_mask", None, "", dtype)
        is_causal = False
    _wanted(
        embed == embed_dim_to_check,
        f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed}",
    )
    head = embed // num_heads
    _wanted(head * num_heads == embed, f"embed_dim {embed} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        _wanted(
            key.shape[:2] == value.shape[:2],
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}",
        )
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        q, k, v = _project_apart((query, key, value), weights, in_proj_bias)
    else:
        _wanted(
            key.shape == value.shape,
            f"key shape {key.shape} does not match value shape {value.shape}",
        )
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)
    if mask is not None:
        wanted = (rows, columns) if mask.dim() == 2 else (n * num_heads, rows, columns)
        if tuple(mask.shape) != wanted:
            raise RuntimeError(
                message(
                    f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be "
                    f"{wanted}."
                )
            )
    _wanted((bias_k is None) == (bias_v is None), "bias_k and bias_v go together")
    if bias_k is not None:
        _wanted(static_k is None, "bias cannot be added to static key.")
        _wanted(static_v is None, "bias cannot be added to static value.")
        k = cat.call((k, bias_k.expand(1, n, embed)), {"dim": 0})
        v = cat.call((v, bias_v.expand(1, n, embed)), {"dim": 0})
        mask, padding = _one_more(mask), _one_more(padding)

    def heads(x: Any) -> Any:
        return x.reshape(x.shape[0], n, num_heads, head).permute(1, 2, 0, 3)  # (N, H, L, E / H)

    q = heads(q)
    k = heads(k) if static_k is None else _static(static_k, "k", n, num_heads, head)
    v = heads(v) if static_v is None else _static(static_v, "v", n, num_heads, head)
    if add_zero_attn:
        zero = k.new_zeros((n, num_heads, 1, head))
        k = cat.call((k, zero), {"dim": 2})
        v = cat.call((v, zero), {"dim": 2})
        mask, padding = _one_more(mask), _one_more(padding)
    columns = k.shape[2]
    if mask is not None and mask.dim() == 3:
        mask = mask.reshape(n, num_heads, rows, columns)
    if padding is not None:
        _wanted(
            padding.shape[0] == n,
            f"Expected key_padded_mask.shape[0] to be {n}, but got {padding.shape[0]}",
        )
        _wanted(
            padding.shape[1] == columns,
            f"Expected key_padded_mask.shape[1] to be {columns}, but got {padding.shape[1]}",
        )
        padding = padding.reshape(n, 1, 1, columns)
        mask = padding if mask is None else mask + padding
    p = dropout_p if training else 0.0
    out, w = attend(q, k, v, mask, p, is_causal, None, safe=not need_weights)
    out = out.permute(2, 0, 1, 3).reshape(rows * n, embed)
    out = linear.call((out, out_proj_weight, out_proj_bias), {})
    out = out.reshape(rows, n, out.shape[1])
    if not batched:
        out = out.squeeze(1)
    if not need_weights:
        return out, None
    if average_attn_weights:
        w = w.mean(1)
    return out, w if batched else w.squeeze(0)


def _static(x: Any, name: str, n: int, num_heads: int, head: int) -> Any:
    """A key or value that comes as it is: (N * heads, S, E / heads)."""
    _wanted(
        x.shape[0] == n * num_heads,
        f"expecting static_{name}.size(0) of {n * num_heads}, but got {x.shape[0]}",
    )
    _wanted(x.shape[2] == head, f"expecting static_{name}.size(2) of {head}, but got {x.shape[2]}")
    return x.reshape(n, num_heads, x.shape[1], head)
