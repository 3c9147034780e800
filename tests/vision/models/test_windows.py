"""Attention in windows: Swin, its second version and MaxViT."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.vision import models
from rushlight.vision.models import maxvit, swin_transformer
from rushlight.vision.models._windows import (
    partition,
    relative_positions,
    shifted_window_attention,
    unpartition,
)


@pytest.mark.parametrize(("sides", "window"), [((4, 6), (2, 3)), ((2, 4, 6), (2, 2, 3))])
def test_windows_are_cut_and_put_together(sides: tuple[int, ...], window: tuple[int, ...]) -> None:
    x = torch.arange(2 * torch.Size(sides).numel() * 3).view(2, *sides, 3)
    cut = partition(x, window)
    first = x[(0, *(slice(0, w) for w in window))].reshape(-1, 3)
    assert cut[0].equal(first)
    assert unpartition(cut, window, sides).equal(x)


def test_relative_positions() -> None:
    index = relative_positions([2, 2])
    assert index.tolist() == [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]


def attend(x: Any, window: list[int], shift: list[int]) -> Any:
    """One head whose shares are equal: the mean over each pixel's window."""
    c, n = x.shape[-1], window[0] * window[1]
    weight = torch.cat([torch.zeros(2 * c, c), torch.eye(c)])
    return shifted_window_attention(
        x, weight, torch.eye(c), torch.zeros(1, 1, n, n), window, 1, shift
    ).round(decimals=6)


def test_a_pixel_sees_its_window() -> None:
    x = torch.zeros(1, 4, 4, 1)
    x[0, 0, 0] = 4.0
    y = attend(x, [2, 2], [0, 0])[0, :, :, 0]
    assert y.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_pixels_that_the_shift_brought_together_do_not_see_each_other() -> None:
    x = torch.zeros(1, 4, 4, 1)
    x[0, 0, 0] = 4.0
    y = attend(x, [2, 2], [1, 1])[0, :, :, 0]  # alone in its corner
    assert y.tolist() == [[4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    x[0, 0, 0], x[0, 1, 1] = 0.0, 4.0
    y = attend(x, [2, 2], [1, 1])[0, :, :, 0]
    assert y.tolist() == [[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]


def test_a_window_as_large_as_the_image_is_not_shifted() -> None:
    x = torch.randn(1, 3, 3, 2)
    torch.testing.assert_close(attend(x, [3, 3], [1, 1]), attend(x, [3, 3], [0, 0]))
    odd = attend(torch.randn(2, 5, 7, 2), [3, 3], [1, 1])  # padded
    assert tuple(odd.shape) == (2, 5, 7, 2)


def test_keys_have_no_bias_in_the_second_version() -> None:
    layer = swin_transformer.ShiftedWindowAttentionV2(4, [2, 2], [0, 0], 2)
    assert layer.qkv.bias[4:8].abs().sum() == 0
    x = torch.randn(1, 4, 4, 4)
    before = layer(x)
    with torch.no_grad():
        layer.qkv.bias[4:8] = 1.0
    y = layer(x)
    torch.testing.assert_close(y, before)
    y.sum().backward()
    assert layer.qkv.bias.grad[4:8].abs().sum() == 0
    assert layer.logit_scale.grad is not None
    with pytest.raises(ValueError, match="must be of length 2"):
        swin_transformer.ShiftedWindowAttention(4, [2], [1, 1], 2)


def test_neighbours_are_merged() -> None:
    x = torch.arange(6.0).view(1, 2, 3, 1)
    four = swin_transformer._patch_merging_pad(x)
    assert four[0, 0].tolist() == [[0, 3, 1, 4], [2, 5, 0, 0]]
    assert tuple(swin_transformer.PatchMergingV2(1)(x).shape) == (1, 1, 2, 2)


@pytest.mark.parametrize("version", [1, 2])
def test_swin_is_trained(version: int) -> None:
    second: dict[str, Any] = {
        "block": swin_transformer.SwinTransformerBlockV2,
        "downsample_layer": swin_transformer.PatchMergingV2,
    }
    options = second if version == 2 else {}
    net = models.SwinTransformer([2, 2], 4, [2, 1], [2, 2], [3, 2], num_classes=3, **options)
    depths = [m.p for m in net.modules() if type(m).__name__ == "StochasticDepth"]
    assert depths == pytest.approx([0, 0.05, 0.1])
    net(torch.randn(2, 3, 18, 16)).square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


# Of a PartitionAttentionLayer, behind the size of its images.
OPTIONS: Any = (4, torch.nn.GELU, torch.nn.LayerNorm, 0.0, 0.0, 0.0)


def test_maxvit_wants_whole_windows() -> None:
    with pytest.raises(ValueError, match=r"Input size \(8, 8\) of block 0 is not divisible"):
        models.MaxVit((32, 32), 8, 3, [8], [1], 4, 0.0)
    with pytest.raises(ValueError, match="must be divisible by head_dim"):
        maxvit.RelativePositionalMultiHeadAttention(6, 4, 4)
    with pytest.raises(ValueError, match="'grid' or 'window'"):
        maxvit.PartitionAttentionLayer(4, 4, 2, "ring", (4, 4), *OPTIONS)
    with pytest.raises(ValueError, match="expected value"):
        models.maxvit_t(weights="DEFAULT", input_size=(448, 448))


def test_a_grid_is_of_pixels_far_apart() -> None:
    near = maxvit.PartitionAttentionLayer(4, 4, 2, "window", (4, 4), *OPTIONS)
    far = maxvit.PartitionAttentionLayer(4, 4, 2, "grid", (4, 4), *OPTIONS)
    x = torch.randn(1, 4, 4, 4, requires_grad=True)
    for layer, away in ((near, 1), (far, 2)):
        seen = [[0, 0], [0, away], [away, 0], [away, away]]
        x.grad = None
        layer(x)[0, 0, 0, 0].backward()
        assert x.grad.abs().sum(1)[0].nonzero().tolist() == seen
