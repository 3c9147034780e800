"""Networks for segmentation: their features and heads, options, weights and preprocessing."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models import segmentation
from rushlight.vision.models._utils import IntermediateLayerGetter
from rushlight.vision.models.segmentation.deeplabv3 import ASPP, DeepLabHead
from rushlight.vision.models.segmentation.fcn import FCN, FCNHead
from rushlight.vision.models.segmentation.lraspp import LRASPPHead


def small(aux: bool) -> FCN:
    """An FCN on two convolutions, which halve the image twice."""
    body = nn.Sequential(nn.Conv2d(3, 8, 2, 2), nn.Conv2d(8, 16, 2, 2))
    features = IntermediateLayerGetter(body, {"0": "aux", "1": "out"})
    return FCN(features, FCNHead(16, 5), FCNHead(8, 5) if aux else None)


def test_a_class_for_every_pixel() -> None:
    y = small(aux=False)(torch.randn(2, 3, 16, 24))
    assert {name: tuple(t.shape) for name, t in y.items()} == {"out": (2, 5, 16, 24)}


def test_the_second_head_is_trained_too() -> None:
    net = small(aux=True)
    y = net(torch.randn(2, 3, 16, 24))
    assert list(y) == ["out", "aux"]
    (y["out"].mean() + 0.5 * y["aux"].mean()).backward()
    assert all(p.grad is not None for p in net.parameters())


def test_the_pyramid_sees_the_whole_image() -> None:
    net = ASPP(4, [2, 3], out_channels=8).eval()
    assert [type(m).__name__ for m in net.convs][-1] == "ASPPPooling"
    assert len(net.convs) == 4
    x = torch.randn(1, 4, 12, 12)
    y = net.convs[-1](x)
    torch.testing.assert_close(y, y[:, :, :1, :1].expand_as(y))  # the mean, everywhere
    assert tuple(net(x).shape) == (1, 8, 12, 12)
    assert tuple(DeepLabHead(4, 3, [2])(torch.randn(2, 4, 6, 6)).shape) == (2, 3, 6, 6)


def test_the_light_head() -> None:
    head = LRASPPHead(4, 6, 3, 8).eval()
    y = head({"low": torch.randn(1, 4, 8, 8), "high": torch.randn(1, 6, 4, 4)})
    assert tuple(y.shape) == (1, 3, 8, 8)
    with pytest.raises(NotImplementedError, match="does not use auxiliary loss"):
        segmentation.lraspp_mobilenet_v3_large(weights_backbone=None, aux_loss=True)


def test_features_of_backbones() -> None:
    with torch.device("meta"):
        net = segmentation.deeplabv3_mobilenet_v3_large(weights_backbone=None, aux_loss=True)
        assert net.backbone.return_layers == {"16": "out", "4": "aux"}
        assert net.aux_classifier[0].in_channels == 40
        net = segmentation.fcn_resnet50(weights_backbone=None)
    assert net.backbone.layer4[0].conv2.dilation == (2, 2)
    assert net.aux_classifier is None


def test_what_trained_weights_ask_for() -> None:
    weights = segmentation.FCN_ResNet50_Weights.DEFAULT
    with pytest.raises(ValueError, match="'num_classes' expected value 21 but got 5"):
        segmentation.fcn_resnet50(weights=weights, num_classes=5)
    with pytest.raises(ValueError, match="'aux_loss' expected value True but got False"):
        segmentation.fcn_resnet50(weights="DEFAULT", aux_loss=False)
    with pytest.raises(TypeError, match="expected ResNet50_Weights"):
        segmentation.fcn_resnet50(weights_backbone=models.ResNet18_Weights.DEFAULT)


def test_trained_weights_replace_those_of_the_backbone(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    weights = segmentation.LRASPP_MobileNet_V3_Large_Weights.DEFAULT
    state = segmentation.lraspp_mobilenet_v3_large(weights_backbone=None).state_dict()
    folder = tmp_path / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    torch.save(state, folder / weights.url.rsplit("/", 1)[1])
    loaded = segmentation.lraspp_mobilenet_v3_large(weights="DEFAULT").state_dict()
    assert all(loaded[name].equal(value) for name, value in state.items())


def test_calls_of_older_programs() -> None:
    with warnings.catch_warnings(record=True) as seen, torch.device("meta"):
        warnings.simplefilter("always")
        net = segmentation.fcn_resnet50(False, True, 7, pretrained_backbone=False)
    assert net.classifier[4].out_channels == 7
    text = "\n".join(str(w.message) for w in seen)
    assert "Using 'weights' and 'progress' and 'num_classes' as positional" in text
    assert "The parameter 'pretrained_backbone' is deprecated" in text
    assert "equivalent to passing `weights_backbone=None`" in text
    assert "equivalent to passing `weights=None`" in text


def test_the_names_of_a_package_below() -> None:
    names = models.list_models(segmentation)
    assert names == sorted(n for n in segmentation.__all__ if n.islower())
    assert set(names) <= set(models.list_models())
    assert not set(names) & set(models.list_models(models))
    with pytest.raises(AttributeError, match=r"torchvision\.models\.nothing is not there"):
        models.nothing  # noqa: B018


def test_preprocessing() -> None:
    prepare = segmentation.FCN_ResNet50_Weights.DEFAULT.transforms()
    assert "resize_size=[520]" in repr(prepare)
    assert "resize_size=[520]" in prepare.describe()
    prepare.resize_size = [8]
    y = prepare(torch.full((3, 16, 24), 255, dtype=torch.uint8))
    assert tuple(y.shape) == (3, 8, 12)
    assert float(y[0, 0, 0]) == pytest.approx((1 - 0.485) / 0.229, rel=1e-5)
