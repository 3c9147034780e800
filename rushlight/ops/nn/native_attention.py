"""Attention layers as one call: `_native_multi_head_attention`, `_transformer_encoder_layer_fwd`.

They are what PyTorch's modules call when they only evaluate, and what programs that evaluate
encoders quickly call themselves. Masks are of bools, True where nobody may look.
"""

from __future__ import annotations

from typing import Any

from ...errors import message
from ..core.composite import composite
from ..core.samples import case
from ..elementwise.activation import gelu, relu
from .attention import attend
from .linear import linear
from .norm_public import layer_norm


def _wanted(ok: bool, text: str, **more: Any) -> None:
    if not ok:
        raise RuntimeError(message(text, **more))


def _check(query: Any, key: Any, value: Any, embed_dim: int, num_head: int, w: Any, b: Any) -> None:
    for name, x in (("query", query), ("key", key), ("value", value)):
        _wanted(x.dim() == 3, f"expected 3-D `{name}`, got {x.dim()}-D tensor")
    found = query.shape[-1]
    _wanted(
        found == embed_dim,
        f"passed-in embed_dim {embed_dim} didn't match last dim of query {found}",
    )
    same = query.shape == key.shape == value.shape
    _wanted(same, "expected `query`/`key`/`value` shapes to match")
    _wanted(w.dim() == 2, f"expected 2-D `qkv_weight`, got {w.dim()}-D tensor")
    _wanted(w.shape[0] == 3 * embed_dim, "expected `qkv_weight` first dim to be 3x embed_dim")
    _wanted(w.shape[1] == embed_dim, "expected `qkv_weight` second dim to be embed_Dim")
    _wanted(b.dim() == 1, f"expected 1-D `qkv_bias`, got {b.dim()}-D tensor")
    _wanted(
        b.shape[0] == 3 * embed_dim,
        "expected `qkv_bias` first dim and first dim of query to be equal",
        got=f"{b.shape[0]} numbers, embed_dim={embed_dim}",
        wanted=f"{3 * embed_dim}: those of queries, keys and values",
    )
    if not query.dtype == w.dtype == b.dtype:
        found = ", ".join(str(t.dtype) for t in (query, w, b))
        raise RuntimeError(
            message(
                "expected query, qkv_weight and qkv_bias to have the same dtype",
                got=found,
                hint="x.to(w.dtype), or model.double() / model.float()",
            )
        )
    _wanted(
        num_head > 0 and embed_dim % num_head == 0,
        "`embed_dim` must divide evenly by `num_heads`",
        got=f"embed_dim={embed_dim}, num_head={num_head}",
    )


def _four(mask: Any, kind: int | None, batch: int, heads: int, length: int) -> Any:
    """The mask as bools that go with (N, H, L, L)."""
    if mask is None:
        return None
    _wanted(kind is not None, "Mask Type should be defined")
    _wanted(
        kind in (0, 1, 2),
        "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)",
        got=f"mask_type={kind}",
    )
    shape = tuple(mask.shape)
    if len(shape) == 2 and kind == 0:
        _wanted(shape == (length, length), "For mask_type == 0 mask shape should be (L, L)")
    elif len(shape) == 2 and kind == 1:
        _wanted(shape == (batch, length), "For mask_type == 1 mask shape should be (B, L)")
        mask = mask[:, None, None]
    else:
        whole = (batch, heads, length, length)
        _wanted(shape == whole, "For mask_type == 2 mask shape should match input shape")
    return mask.bool()


@composite(
    public="torch",
    accepts="floating: transform_bias_rescale_qkv",
    samples=[case((2, 3, 4), (2, 3, 4), (2, 3, 4), 4, 2, (12, 4), (12,), (4, 4), (4,))],
)
def _native_multi_head_attention(
    query: Any,
    key: Any,
    value: Any,
    embed_dim: int,
    num_head: int,
    qkv_weight: Any,
    qkv_bias: Any,
    proj_weight: Any,
    proj_bias: Any,
    mask: Any = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> tuple[Any, Any]:
    """Attention with several heads of batches that come first, and a linear layer.

    Args:
        query, key, value: (N, L, E), of one shape.
        embed_dim, num_head: E and H, into which E is split.
        qkv_weight, qkv_bias: (3 E, E) and (3 E,): of queries, keys and values.
        proj_weight, proj_bias: (E, E) and (E,), of the linear layer at the end.
        mask: bools, True where nobody may look: (L, L) with `mask_type` 0, (N, L) with 1,
            (N, H, L, L) with 2.

    Returns the result (N, L, E) and the weights: (N, L, L), (N, H, L, L) where they are not
    averaged, None where they are not needed. Places that may look at nothing are NaN.

    >>> m = nn.MultiheadAttention(4, num_heads=2)
    >>> x = torch.randn(2, 3, 4)
    >>> out, weights = torch._native_multi_head_attention(
    ...     x, x, x, 4, 2, m.in_proj_weight, m.in_proj_bias, m.out_proj.weight, m.out_proj.bias
    ... )
    >>> out.shape, weights.shape
    (torch.Size([2, 3, 4]), torch.Size([2, 3, 3]))
    """
    _check(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias)
    batch, length, _ = query.shape
    hidden = _four(mask, mask_type, batch, num_head, length)
    if query is key and key is value:
        parts = linear.call((query, qkv_weight, qkv_bias), {}).chunk(3, -1)
    else:
        each = zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3), strict=True)
        parts = [linear.call((x, w, b), {}) for x, w, b in each]
    split = (batch, length, num_head, embed_dim // num_head)
    q, k, v = (x.reshape(split).transpose(1, 2) for x in parts)
    looked_at = None if hidden is None else ~hidden
    out, weights = attend(q, k, v, looked_at, 0.0, False, None, safe=not need_weights)
    if hidden is not None and not need_weights:
        out = out.masked_fill(hidden.all(-1, keepdim=True), float("nan"))
    out = out.transpose(1, 2).reshape(batch, length, embed_dim)
    out = linear.call((out, proj_weight, proj_bias), {})
    if not need_weights:
        return out, None
    return out, weights.mean(1) if average_attn_weights else weights


@composite(
    public="torch",
    accepts="floating: transform_bias_rescale_qkv",
    samples=[
        case((2, 3, 4), 4, 2, (12, 4), (12,), (4, 4), (4,), False, False, 1e-5, (4,), (4,), (4,),
             (4,), (6, 4), (6,), (4, 6), (4,)),
    ],
)  # fmt: skip
def _transformer_encoder_layer_fwd(
    src: Any,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Any,
    qkv_bias: Any,
    proj_weight: Any,
    proj_bias: Any,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Any,
    norm_bias_1: Any,
    norm_weight_2: Any,
    norm_bias_2: Any,
    ffn_weight_1: Any,
    ffn_bias_1: Any,
    ffn_weight_2: Any,
    ffn_bias_2: Any,
    mask: Any = None,
    mask_type: int | None = None,
) -> Any:
    """`nn.TransformerEncoderLayer` in evaluation, as a function of its parameters.

    Args:
        src: (N, L, E).
        embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type: as of
            `_native_multi_head_attention`.
        use_gelu, norm_first, eps: gelu in place of relu; norms before each part; of the norms.
        norm_weight_1 to ffn_bias_2: the parameters of norm1, norm2, linear1 and linear2.

    >>> m = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    >>> a, x = m.self_attn, torch.randn(2, 3, 4)
    >>> y = torch._transformer_encoder_layer_fwd(
    ...     x, 4, 2, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias,
    ...     False, False, 1e-5, m.norm1.weight, m.norm1.bias, m.norm2.weight, m.norm2.bias,
    ...     m.linear1.weight, m.linear1.bias, m.linear2.weight, m.linear2.bias,
    ... )
    >>> torch.allclose(y, m(x), atol=1e-6)
    True
    """

    def attended(x: Any) -> Any:
        return _native_multi_head_attention(
            x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
            False, True, mask_type,
        )[0]  # fmt: skip

    def fed(x: Any) -> Any:
        x = linear.call((x, ffn_weight_1, ffn_bias_1), {})
        return linear.call((gelu(x) if use_gelu else relu(x), ffn_weight_2, ffn_bias_2), {})

    def norm1(x: Any) -> Any:
        return layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm2(x: Any) -> Any:
        return layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    if norm_first:
        x = src + attended(norm1(src))
        return x + fed(norm2(x))
    x = norm1(src + attended(src))
    return norm2(x + fed(x))
