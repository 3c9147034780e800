"""Attention with scores changed by a function: the names; `scaled_dot_product_attention` takes any
mask instead."""

from __future__ import annotations

from rushlight import unsupported

_DEFAULT_SPARSE_BLOCK_SIZE = 128  # libraries import it to build the masks they then do not use

__getattr__, __dir__ = unsupported.module(
    __name__,
    "AuxOutput AuxRequest BlockMask and_masks create_block_mask create_mask "
    "create_nested_block_mask flex_attention noop_mask or_masks",
    "attention that is compiled from a function",
    "torch.nn.functional.scaled_dot_product_attention with attn_mask",
)
