"""ConvNeXt and RegNet: their configurations, first values and blocks."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models.convnext import CNBlock, CNBlockConfig, LayerNorm2d
from rushlight.vision.models.regnet import BlockParams, ResBottleneckBlock


def test_a_norm_over_channels() -> None:
    norm, plain = LayerNorm2d(4), nn.LayerNorm(4)
    x = torch.randn(2, 4, 3, 5)
    torch.testing.assert_close(norm(x)[1, :, 2, 4], plain(x[1, :, 2, 4]))


def test_blocks_begin_near_the_identity() -> None:
    x = torch.randn(1, 8, 6, 6)
    torch.testing.assert_close(CNBlock(8, 1e-6, 0.0)(x), x, atol=1e-4, rtol=0)
    assert CNBlock(8, 1e-6, 1.0).train()(x).equal(x)  # left out


def test_stages_of_convnext() -> None:
    rows = [CNBlockConfig(8, 16, 2), CNBlockConfig(16, None, 1)]
    assert repr(rows[1]) == "CNBlockConfig(input_channels=16, out_channels=None, num_layers=1)"
    net = models.ConvNeXt(rows, stochastic_depth_prob=0.2, num_classes=3)
    depths = [m.stochastic_depth.p for m in net.modules() if isinstance(m, CNBlock)]
    assert depths == pytest.approx([0, 0.1, 0.2])
    net(torch.randn(2, 3, 16, 24)).square().sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    with pytest.raises(ValueError, match="block_setting should not be empty"):
        models.ConvNeXt([])
    with pytest.raises(TypeError, match=r"List\[CNBlockConfig\]"):
        models.ConvNeXt([1])  # type: ignore[list-item]
    with torch.device("meta"):
        net = models.convnext_tiny(stochastic_depth_prob=0.0)
    assert net.features[7][2].stochastic_depth.p == 0


def test_stages_of_regnet() -> None:
    params = BlockParams.from_init_params(27, 48, 20.71, 2.65, 24, se_ratio=0.25)
    assert (params.widths, params.depths) == ([48, 120, 336, 888], [2, 6, 17, 2])  # Y-1.6GF
    assert params.group_widths == [24] * 4
    assert BlockParams.from_init_params(4, 8, 0.0, 2.0, 16).group_widths == [8]
    right: dict[str, Any] = {"depth": 4, "w_0": 8, "w_a": 8.0, "w_m": 2.0, "group_width": 8}
    for wrong in ({"w_a": -1.0}, {"w_0": 0}, {"w_m": 1.0}, {"w_0": 12}):
        with pytest.raises(ValueError, match="Invalid RegNet settings"):
            BlockParams.from_init_params(**{**right, **wrong})


def test_blocks_of_regnet() -> None:
    options: Any = (nn.BatchNorm2d, nn.ReLU, 4, 1.0, 0.25)
    same, half = ResBottleneckBlock(8, 8, 1, *options), ResBottleneckBlock(8, 16, 2, *options)
    assert same.proj is None
    assert half.f.b[0].groups == 4
    assert half.f.se.fc1.out_channels == 2
    assert tuple(half(same(torch.randn(2, 8, 6, 6))).shape) == (2, 16, 3, 3)
    plain = ResBottleneckBlock(8, 8, 1, *options[:-1])
    assert not hasattr(plain.f, "se")


def test_regnet_takes_other_classes_and_norms() -> None:
    with torch.device("meta"):
        net = models.regnet_x_400mf(num_classes=7, norm_layer=nn.InstanceNorm2d)
    assert net.fc.out_features == 7
    assert isinstance(net.stem[1], nn.InstanceNorm2d)
