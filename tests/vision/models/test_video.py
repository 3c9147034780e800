"""Networks for videos: how they cut convolutions, pool and place; their preprocessing."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models import video
from rushlight.vision.models.video import mvit, resnet, swin_transformer
from rushlight.vision.models.video.s3d import SepInceptionBlock3D


def test_cut_convolutions_have_as_many_parameters() -> None:
    whole = resnet.Conv3DSimple(64, 64)
    cut = resnet.Conv2Plus1D(64, 64, resnet._midplanes(64, 64))
    count = [sum(p.numel() for p in m.parameters() if p.dim() > 1) for m in (whole, cut)]
    assert count[0] == count[1] == 110592


MAKERS = [resnet.Conv3DSimple, resnet.Conv3DNoTemporal, resnet.Conv2Plus1D]


@pytest.mark.parametrize("maker", MAKERS)
def test_time_shrinks_or_stays(maker: Any) -> None:
    block = resnet.Bottleneck(4, 2, maker, 2, nn.Conv3d(4, 8, 1, maker.get_downsample_stride(2)))
    y = block(torch.randn(1, 4, 4, 6, 6))
    assert tuple(y.shape) == (1, 8, 4 if maker is resnet.Conv3DNoTemporal else 2, 3, 3)


def test_residual_networks_of_videos() -> None:
    makers = [resnet.Conv3DSimple] * 4
    net = video.VideoResNet(
        resnet.Bottleneck, makers, [1, 1, 1, 1], resnet.R2Plus1dStem, 3, zero_init_residual=True
    )
    assert net.layer4[0].conv3[1].weight.abs().sum() == 0
    assert tuple(net(torch.randn(2, 3, 2, 16, 16)).shape) == (2, 3)


def test_branches_side_by_side() -> None:
    y = SepInceptionBlock3D(4, 1, 2, 3, 2, 4, 5, nn.BatchNorm3d)(torch.randn(1, 4, 3, 6, 6))
    assert tuple(y.shape) == (1, 13, 3, 6, 6)


def test_windows_shrink_to_the_video() -> None:
    layer = swin_transformer.ShiftedWindowAttention3d(4, [4, 3, 3], [2, 1, 1], 2)
    assert tuple(layer.relative_position_index.shape) == (36, 36)
    for sides in ((2, 3, 3), (1, 7, 4), (5, 6, 6)):
        x = torch.randn(1, *sides, 4)
        assert tuple(layer(x).shape) == (1, *sides, 4)
    with pytest.raises(ValueError, match="must be of length 3"):
        swin_transformer.ShiftedWindowAttention3d(4, [4, 3], [2, 1, 1], 2)


def test_patches_of_videos_are_padded() -> None:
    embed = swin_transformer.PatchEmbed3d([2, 4, 4], 3, 8)
    assert isinstance(embed.norm, nn.Identity)
    assert tuple(embed(torch.randn(1, 3, 3, 9, 4)).shape) == (1, 2, 3, 1, 8)


def test_pooling_leaves_the_token() -> None:
    pool = mvit.Pool(nn.MaxPool3d((1, 2, 2)), None)
    x = torch.arange(9.0).view(1, 9, 1)  # a token and 2 x 2 x 2
    y, size = pool(x, (2, 2, 2))
    assert size == (2, 1, 1)
    assert y.flatten().tolist() == [0, 4, 8]
    before = mvit.Pool(nn.AvgPool3d((1, 2, 2)), nn.ReLU(), norm_before_pool=True)
    y, _ = before(-x, (2, 2, 2))
    assert y.flatten().tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="Unsupported input dimension"):
        pool(torch.zeros(3), (1, 1, 1))


def test_relative_places() -> None:
    table = torch.arange(5.0)[:, None]
    same = mvit._relative(table, 3, 3)[..., 0]
    assert same.tolist() == [[2, 1, 0], [3, 2, 1], [4, 3, 2]]
    fewer = mvit._relative(torch.arange(7.0)[:, None], 4, 2)[..., 0]
    assert fewer.tolist() == [[2, 0], [3, 1], [4, 2], [5, 3]]
    other = mvit._relative(table, 2, 2)[..., 0]  # of five places, where three are wanted
    assert other.flatten().tolist() == pytest.approx([2, 1 / 3, 11 / 3, 2])


def row(*sizes: int, pooled: bool) -> mvit.MSBlockConfig:
    of_q: Any = ([3, 3, 3], [1, 2, 2]) if pooled else ([], [])
    return mvit.MSBlockConfig(*sizes, of_q[0], [3, 3, 3], of_q[1], [1, 2, 2])


@pytest.mark.parametrize("second", [False, True])
def test_mvit_is_trained(second: bool) -> None:
    rows = [row(1, 4, 8, pooled=False), row(2, 8, 8, pooled=True)]
    net = video.MViT((16, 16), 4, rows, second, not second, second, second, num_classes=3)
    assert (net.pos_encoding.spatial_pos is None) == second
    net(torch.randn(2, 3, 4, 16, 16)).square().sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    with pytest.raises(ValueError, match="can't be empty"):
        video.MViT((16, 16), 4, [], True, True, True, True)


def test_one_picture_is_a_short_video() -> None:
    rows, stride = [row(1, 4, 4, pooled=False)], (1, 4, 4)
    net = video.MViT((16, 16), 1, rows, False, True, False, False, patch_embed_stride=stride)
    picture = torch.randn(1, 3, 16, 16)
    net.eval()
    assert net(picture).equal(net(picture.unsqueeze(2)))
    with pytest.raises(ValueError, match="Unsupported input dimension"):
        net(picture[0])


def test_what_trained_weights_ask_for() -> None:
    with pytest.raises(ValueError, match="'temporal_size' expected value 16 but got 8"):
        video.mvit_v2_s(weights="DEFAULT", temporal_size=8)
    with pytest.raises(ValueError, match="'num_classes' expected value 400 but got 5"):
        video.r3d_18(weights="KINETICS400_V1", num_classes=5)
    with torch.device("meta"):
        assert video.mvit_v1_b(spatial_size=(64, 64)).pos_encoding.spatial_size == (16, 16)


def test_names() -> None:
    names = models.list_models(video)
    assert names == sorted(n for n in video.__all__ if n.islower())
    assert models.get_model_weights("s3d").DEFAULT.meta["min_temporal_size"] == 14


def test_preprocessing() -> None:
    prepare = video.R3D_18_Weights.DEFAULT.transforms()
    assert "crop_size=[112, 112]" in repr(prepare)
    assert "permuted" in prepare.describe()
    frames = torch.full((2, 3, 20, 24), 255, dtype=torch.uint8)
    y = prepare(frames)
    assert tuple(y.shape) == (3, 2, 112, 112)
    assert float(y[0, 0, 5, 5]) == pytest.approx((1 - 0.43216) / 0.22803, rel=1e-5)
    assert tuple(prepare(frames[None]).shape) == (1, 3, 2, 112, 112)
