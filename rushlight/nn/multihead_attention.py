"""MultiheadAttention: softmax(q kᵀ / √d) v in several heads, with the projections around it.

Vaswani et al., 2017, "Attention is all you need", arXiv:1706.03762. Attention in evaluation is one
call (`ops/nn/native_attention.py`), as in PyTorch. Shapes: N batch, L and S lengths of target and
source, E features. Not here: what attention computes (`ops/nn/attention.py`), the transformer's
layers (`transformer.py`), `torch.nn.attention` (the folder `attention/`).
"""

from __future__ import annotations

from typing import Any

import rushlight

from ..backends import mha
from ..errors import message
from ..tensor import Parameter, Tensor
from . import functional as F
from . import init
from .module import Module
from .modules.linear import Linear


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear, under the name that PyTorch gives to the last one of an attention layer."""


class MultiheadAttention(Module):
    """Attention with several heads: softmax(q kᵀ / √d) v in each, then a linear layer.

    Args:
        embed_dim: E, split among `num_heads` heads.
        dropout: probability with which a weight is dropped in training.
        bias: whether the projections have one.
        add_bias_kv: append a learned element to keys and values. add_zero_attn: a zero one.
        kdim, vdim: features of keys and values, E when None.
        batch_first: (N, L, E) in place of (L, N, E).

    >>> attention = nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.randn(3, 5, 8)
    >>> y, weights = attention(x, x, x)
    >>> y.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    in_proj_weight: Any
    in_proj_bias: Any
    q_proj_weight: Any
    k_proj_weight: Any
    v_proj_weight: Any
    bias_k: Any
    bias_v: Any

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, "
                f"got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(
                message(
                    "embed_dim must be divisible by num_heads",
                    got=f"embed_dim={embed_dim}, num_heads={num_heads}",
                )
            )

        def blank(*size: int) -> Parameter:
            return Parameter(rushlight.empty(size, device=device, dtype=dtype))

        together = self._qkv_same_embed_dim
        if not together:
            self.q_proj_weight = blank(embed_dim, embed_dim)
            self.k_proj_weight = blank(embed_dim, self.kdim)
            self.v_proj_weight = blank(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        else:
            self.in_proj_weight = blank(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        if bias:
            self.in_proj_bias = blank(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        if add_bias_kv:
            self.bias_k = blank(1, 1, embed_dim)
            self.bias_v = blank(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result (L, N, E), and the weights (N, L, S) or None.

        Args:
            query: (L, N, E) or (L, E). key: (S, N, kdim). value: (S, N, vdim).
            key_padding_mask: (N, S), True (or -inf) for keys that nobody looks at.
            need_weights: also return the weights; without them it is quicker.
            attn_mask: (L, S) or (N · heads, L, S), True (or -inf) for what may not be looked at.
            average_attn_weights: False: weights (N, heads, L, S).
            is_causal: a promise that attn_mask is causal.
        """
        if query is key and key is value and self._is_short(query, key_padding_mask, attn_mask):
            mask, kind = self.merge_masks(attn_mask, key_padding_mask, query)
            return rushlight._native_multi_head_attention(
                query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
                self.in_proj_bias, self.out_proj.weight, self.out_proj.bias, mask, need_weights,
                average_attn_weights, kind,
            )  # fmt: skip
        swap = self.batch_first and query.dim() == 3
        if swap:  # what is one tensor stays one tensor: its projections are one product
            turned: dict[int, Tensor] = {}
            query, key, value = (
                turned.setdefault(id(x), x.transpose(0, 1)) for x in (query, key, value)
            )
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return out.transpose(0, 1) if swap else out, weights

    def _is_short(self, x: Tensor, *masks: Tensor | None) -> bool:
        """Whether PyTorch, too, computes this by one call: in evaluation, without gradients."""
        if self.training or not self.batch_first or x.dim() != 3 or self.in_proj_bias is None:
            return False
        used = (x, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)
        return not (
            self.num_heads % 2
            or self.bias_k is not None
            or self.add_zero_attn
            or not self._qkv_same_embed_dim
            or any(m is not None and m.dtype != rushlight.bool for m in masks)
            or any(t.dtype != x.dtype for t in used)
            or (rushlight.is_grad_enabled() and any(t.requires_grad for t in used))
            or rushlight.is_autocast_enabled("cpu")
            or not mha.get_fastpath_enabled()
            or rushlight.overrides.has_torch_function(used)
        )

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """One mask of two, and its type: none, 1 for padding alone, else 2, (N, heads, L, L).

        Args:
            attn_mask: (L, L) or (N · heads, L, L). key_padding_mask: (N, L). query: (N, L, E).

        >>> attention = nn.MultiheadAttention(8, 2, batch_first=True)
        >>> causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        >>> mask, kind = attention.merge_masks(causal, None, torch.randn(3, 5, 8))
        >>> mask.shape, kind
        (torch.Size([3, 2, 5, 5]), 2)
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        n, length, _ = query.shape
        whole = (n, self.num_heads, length, length)
        merged = attn_mask.view(n if attn_mask.dim() == 3 else 1, -1, length, length).expand(whole)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(n, 1, 1, length)
        return merged, 2
