"""Attention inside windows of images and videos, for `swin_transformer.py`,
`video/swin_transformer.py` and `maxvit.py`.

What is said of pixels holds for any number of sides: (B, H, W, C) or (B, T, H, W, C).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import rushlight

from ...nn import functional as F
from ...tensor import Tensor


def relative_positions(window: Sequence[int]) -> Tensor:
    """(pixels, pixels): the number of the place that one has relative to the other.

    There are 2 n - 1 places along a side of n, counted as digits are.

    >>> relative_positions([2])
    tensor([[1, 0],
            [2, 1]])
    """
    sides = [rushlight.arange(n) for n in window]
    places = rushlight.stack(rushlight.meshgrid(*sides, indexing="ij")).flatten(1)
    away = places[:, :, None] - places[:, None, :]  # (sides, pixels, pixels)
    number = rushlight.zeros_like(away[0])
    for n, offset in zip(window, away, strict=True):
        number = number * (2 * n - 1) + offset + (n - 1)
    return number


def _get_relative_position_bias(table: Tensor, index: Tensor, window: Sequence[int]) -> Tensor:
    """The rows of `table` (places, heads) for each pair of pixels: (1, heads, pixels, pixels)."""
    n = math.prod(window)
    if index.dim() == 2:  # for a window that may be smaller
        index = index[:n, :n]
    return table[index.flatten()].view(n, n, -1).permute(2, 0, 1).unsqueeze(0)


def partition(x: Tensor, window: Sequence[int]) -> Tensor:
    """(B, H, W, C) cut into windows: (B windows, pixels, C)."""
    sides = x.shape[1:-1]
    cut = [n for side, w in zip(sides, window, strict=True) for n in (side // w, w)]
    k = len(window)
    order = [0, *range(1, 2 * k, 2), *range(2, 2 * k + 1, 2), 2 * k + 1]
    x = x.reshape(x.shape[0], *cut, x.shape[-1]).permute(order)
    return x.reshape(-1, math.prod(window), x.shape[-1])


def unpartition(x: Tensor, window: Sequence[int], sides: Sequence[int]) -> Tensor:
    """What :func:`partition` was given: (B windows, pixels, C) to (B, H, W, C)."""
    k = len(window)
    counts = [side // w for side, w in zip(sides, window, strict=True)]
    order = [0, *(n for i in range(1, k + 1) for n in (i, k + i)), 2 * k + 1]
    x = x.reshape(-1, *counts, *window, x.shape[-1]).permute(order)
    return x.reshape(-1, *sides, x.shape[-1])


def _strangers(
    x: Tensor, sides: Sequence[int], window: Sequence[int], shift: Sequence[int]
) -> Tensor:
    """-100 for pixels that only the shift brought into one window, else 0: (windows, n, n)."""
    region = x.new_zeros(())
    for i, (n, w, s) in enumerate(zip(sides, window, shift, strict=True)):
        if s:
            place = rushlight.arange(n, device=x.device)
            part = (place >= n - w).to(x.dtype) + (place >= n - s).to(x.dtype)
            shape = [n if j == i else 1 for j in range(len(sides))]
            region = region * 3 + part.view(shape)
    region = partition(region.expand(*sides)[None, ..., None], window)[..., 0]  # (windows, n)
    apart = region.unsqueeze(1) != region.unsqueeze(2)
    return x.new_zeros(apart.shape).masked_fill(apart, -100.0)


def shifted_window_attention(
    input: Tensor,
    qkv_weight: Tensor,
    proj_weight: Tensor,
    relative_position_bias: Tensor,
    window_size: Sequence[int],
    num_heads: int,
    shift_size: Sequence[int],
    attention_dropout: float = 0.0,
    dropout: float = 0.0,
    qkv_bias: Tensor | None = None,
    proj_bias: Tensor | None = None,
    logit_scale: Tensor | None = None,
    training: bool = True,
) -> Tensor:
    """Every pixel attends to those of its window: (B, H, W, C) -> the same.

    The windows begin `shift_size` pixels further in, around the edge; pixels from the other edge
    are masked. Sizes that no whole number of windows fills are padded with zeros.

    Args:
        qkv_weight, qkv_bias: (3 C, C) and (3 C,), for queries, keys and values.
        proj_weight, proj_bias: (C, C) and (C,), behind the attention.
        relative_position_bias: (1, heads, pixels of a window, the same), added to the products.
        logit_scale: (heads, 1, 1); with it the products are cosines times min(exp(it), 100), and
            keys have no bias.

    Source: https://arxiv.org/abs/2103.14030, https://arxiv.org/abs/2111.09883.

    >>> x, bias = torch.ones(1, 4, 4, 2), torch.zeros(1, 1, 4, 4)
    >>> y = shifted_window_attention(x, torch.ones(6, 2), torch.eye(2), bias, [2, 2], 1, [1, 1])
    >>> y[0, 0, 0]
    tensor([2., 2.])
    """
    sides, c = input.shape[1:-1], input.shape[-1]
    padding = [n for s, w in zip(sides, window_size, strict=True) for n in (-s % w, 0)]
    x = F.pad(input, (0, 0, *padding[::-1]))
    padded = x.shape[1:-1]
    # Where a window covers a whole side there is nothing to shift.
    shift = [
        0 if w >= n else s for s, w, n in zip(shift_size, window_size, padded, strict=True)
    ]
    dims = list(range(1, len(padded) + 1))
    if any(shift):
        x = rushlight.roll(x, [-s for s in shift], dims)
    x = partition(x, window_size)  # (B windows, n, C)

    if logit_scale is not None and qkv_bias is not None:
        keys = rushlight.zeros_like(qkv_bias[:c])
        qkv_bias = rushlight.cat([qkv_bias[:c], keys, qkv_bias[2 * c :]])
    rows, n, _ = x.shape
    qkv = F.linear(x, qkv_weight, qkv_bias).reshape(rows, n, 3, num_heads, c // num_heads)
    q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # (B windows, heads, n, C / heads)
    if logit_scale is not None:
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * rushlight.clamp(logit_scale, max=math.log(100.0)).exp()
    else:
        attn = (q * (c // num_heads) ** -0.5) @ k.transpose(-2, -1)
    attn = attn + relative_position_bias
    if any(shift):
        mask = _strangers(x, padded, window_size, shift)  # (windows, n, n)
        attn = attn.view(-1, mask.shape[0], num_heads, n, n) + mask[:, None]
        attn = attn.view(-1, num_heads, n, n)
    attn = F.dropout(attn.softmax(-1), attention_dropout, training=training)
    x = (attn @ v).transpose(1, 2).reshape(rows, n, c)
    x = F.dropout(F.linear(x, proj_weight, proj_bias), dropout, training=training)

    x = unpartition(x, window_size, padded)
    if any(shift):
        x = rushlight.roll(x, shift, dims)
    return x[tuple(slice(0, s) for s in (input.shape[0], *sides))].contiguous()
