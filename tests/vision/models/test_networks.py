"""Networks at small sizes: their options, what goes wrong, and outputs from inside."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models import _utils, mnasnet, resnet, vision_transformer
from rushlight.vision.ops import misc, stochastic_depth


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("resnet18", 33),
        ("resnext50_32x4d", 32),
        ("mobilenet_v2", 32),
        ("mobilenet_v3_small", 32),
        ("squeezenet1_1", 33),
        ("densenet121", 32),
        ("shufflenet_v2_x0_5", 32),
        ("mnasnet0_5", 32),
        ("efficientnet_b0", 32),
    ],
)
def test_any_number_of_classes_and_any_size(name: str, side: int) -> None:
    model = models.get_model(name, num_classes=5).eval()
    with torch.no_grad():
        y = model(torch.randn(2, 3, side, side + 7))
    assert tuple(y.shape) == (2, 5)
    assert y.isfinite().all()


def test_residual_blocks_begin_as_the_identity() -> None:
    net = models.resnet18(zero_init_residual=True)
    assert all(b.bn2.weight.abs().sum().item() == 0 for b in net.layer1)
    net = models.ResNet(resnet.Bottleneck, [1, 1, 1, 1], zero_init_residual=True)
    assert net.layer4[0].bn3.weight.abs().sum().item() == 0


def test_dilation_in_place_of_strides() -> None:
    options: dict[str, Any] = {"replace_stride_with_dilation": [False, True, True]}
    net = models.ResNet(resnet.Bottleneck, [1, 2, 2, 2], num_classes=2, **options).eval()
    with torch.no_grad():
        x = net.layer4(net.layer3(net.layer2(torch.randn(1, 256, 16, 16))))
    assert tuple(x.shape) == (1, 2048, 8, 8)
    assert net.layer4[1].conv2.dilation == (4, 4)
    with pytest.raises(ValueError, match="3-element tuple"):
        models.resnet50(replace_stride_with_dilation=[True])
    with pytest.raises(NotImplementedError, match="Dilation > 1"):
        models.resnet18(**options)
    with pytest.raises(ValueError, match="groups=1"):
        models.resnet18(groups=2)


def test_another_norm() -> None:
    net = models.resnet18(norm_layer=partial(nn.GroupNorm, 4), num_classes=2)
    assert isinstance(net.bn1, nn.GroupNorm)
    frozen = models.resnet18(norm_layer=misc.FrozenBatchNorm2d, num_classes=2)
    frozen.load_state_dict(models.resnet18(num_classes=2).state_dict())
    assert not [name for name, _ in frozen.named_parameters() if ".bn" in name]


def test_frozen_norm_is_a_norm_in_evaluation() -> None:
    norm, frozen = nn.BatchNorm2d(3), misc.FrozenBatchNorm2d(3)
    for t in (norm.weight, norm.bias, norm.running_mean, norm.running_var):
        t.data.uniform_(0.5, 2)
    frozen.load_state_dict(norm.state_dict())
    x = torch.randn(2, 3, 4, 4)
    torch.testing.assert_close(frozen(x), norm.eval()(x))


@pytest.mark.slow
def test_the_heads_half_way() -> None:
    net = models.googlenet(num_classes=3, init_weights=False)
    y = net(torch.randn(2, 3, 32, 32))
    assert [tuple(t.shape) for t in y] == [(2, 3)] * 3
    assert y._fields == ("logits", "aux_logits2", "aux_logits1")
    assert tuple(net.eval()(torch.randn(1, 3, 32, 32)).shape) == (1, 3)
    bare = models.googlenet(num_classes=3, aux_logits=False, init_weights=False)
    assert tuple(bare(torch.randn(2, 3, 32, 32)).shape) == (2, 3)
    deep = models.inception_v3(num_classes=3, init_weights=False)
    with torch.no_grad():
        logits, aux = deep(torch.randn(2, 3, 299, 299))
    assert tuple(logits.shape) == tuple(aux.shape) == (2, 3)


def test_input_brought_to_the_range_of_inception() -> None:
    x = torch.rand(1, 3, 2, 2)
    mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    y = _utils.from_imagenet_statistics((x - mean) / std)
    torch.testing.assert_close(y, x * 2 - 1)


def test_memory_efficient_densenet_computes_the_same() -> None:
    options: dict[str, Any] = {"block_config": (2, 2), "growth_rate": 4, "num_init_features": 8}
    plain = models.DenseNet(num_classes=2, **options)
    thrifty = models.DenseNet(num_classes=2, memory_efficient=True, **options)
    thrifty.load_state_dict(plain.state_dict())
    x = torch.randn(2, 3, 32, 32)
    for net in (plain, thrifty):
        net(x).sum().backward()
    for a, b in zip(plain.parameters(), thrifty.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_squeezenet_versions() -> None:
    with pytest.raises(ValueError, match="Unsupported SqueezeNet version 2_0"):
        models.SqueezeNet("2_0")


def test_configurations_are_checked() -> None:
    with pytest.raises(ValueError, match="non-empty or a 4-element list"):
        models.mobilenet_v2(inverted_residual_setting=[[1, 2]])
    with pytest.raises(ValueError, match="should not be empty"):
        models.MobileNetV3([], 8)
    with pytest.raises(TypeError, match=r"List\[InvertedResidualConfig\]"):
        models.MobileNetV3([1], 8)  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"List\[MBConvConfig\]"):
        models.EfficientNet([1], 0.1)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="alpha should be greater"):
        models.MNASNet(0.0)
    with pytest.raises(ValueError, match="3 positive ints"):
        models.ShuffleNetV2([1], [1, 2, 3, 4, 5])


def test_the_first_version_of_mnasnet_loads() -> None:
    first, net = models.mnasnet0_5(num_classes=2), models.mnasnet0_5(num_classes=2)
    stage = mnasnet._stack(16, 16, 3, 2, 3, 3, 0.1)
    for i, layer in enumerate([*mnasnet._stem(32, 16), stage]):
        first.layers[i] = layer
    first._version = 1
    with pytest.warns(UserWarning, match="new version of MNASNet"):
        net.load_state_dict(first.state_dict())
    assert net._version == 1
    assert net.layers[0].weight.equal(first.layers[0].weight)
    state = net.state_dict()
    state._metadata[""]["version"] = 3
    with pytest.raises(ValueError, match="version should be set to 1 or 2 instead of 3"):
        net.load_state_dict(state)


# -- the vision transformer --------------------------------------------------------------------


def small_vit(**options: Any) -> Any:
    return models.VisionTransformer(16, 8, 2, 2, 8, 16, num_classes=3, **options)


def test_vision_transformer() -> None:
    net = small_vit(representation_size=6)
    assert net.seq_length == 5
    assert net(torch.randn(2, 3, 16, 16)).abs().sum().item() == 0  # the head begins at zero
    with pytest.raises(AssertionError, match="Wrong image height! Expected 16 but got 17!"):
        net(torch.randn(2, 3, 17, 16))
    with pytest.raises(AssertionError, match="Wrong image width"):
        net(torch.randn(2, 3, 16, 17))
    with pytest.raises(AssertionError, match="indivisible by patch size"):
        models.VisionTransformer(17, 8, 1, 1, 8, 8)
    with pytest.raises(AssertionError, match=r"Expected \(batch_size, seq_length, hidden_dim\)"):
        net.encoder(torch.randn(2, 3))


def test_vision_transformer_with_a_convolutional_stem() -> None:
    config = vision_transformer.ConvStemConfig
    net = small_vit(conv_stem_configs=[config(4, 3, 2), config(8, 3, 4)])
    assert tuple(net(torch.randn(2, 3, 16, 16)).shape) == (2, 3)
    assert "conv_proj.conv_bn_relu_1.1.running_mean" in net.state_dict()


def test_old_names_in_files_of_vision_transformers() -> None:
    net, other = small_vit(), small_vit()
    state = net.state_dict()
    for name in [n for n in state if ".mlp." in n]:
        old = name.replace(".mlp.0.", ".mlp.linear_1.").replace(".mlp.3.", ".mlp.linear_2.")
        state[old] = state.pop(name)
    state._metadata["encoder.layers.encoder_layer_0.mlp"]["version"] = 1
    state._metadata["encoder.layers.encoder_layer_1.mlp"]["version"] = 1
    other.load_state_dict(state)
    for a, b in zip(net.parameters(), other.parameters(), strict=True):
        assert a.equal(b)


def test_interpolated_positions() -> None:
    net = small_vit()
    state = vision_transformer.interpolate_embeddings(32, 8, net.state_dict())
    larger = models.VisionTransformer(32, 8, 2, 2, 8, 16, num_classes=3)
    larger.load_state_dict(state)
    same = vision_transformer.interpolate_embeddings(16, 8, net.state_dict())
    assert same["encoder.pos_embedding"].equal(net.encoder.pos_embedding)
    bare = vision_transformer.interpolate_embeddings(32, 8, net.state_dict(), reset_heads=True)
    assert not [name for name in bare if name.startswith("heads")]
    for shape in ((2, 5, 8), (1, 4, 8)):
        with pytest.raises(ValueError, match=r"position embedding shape|perfect square"):
            vision_transformer.interpolate_embeddings(
                32, 8, {"encoder.pos_embedding": torch.zeros(shape)}
            )


# -- outputs from inside -----------------------------------------------------------------------


def test_intermediate_layers() -> None:
    net = models.resnet18().eval()
    cut = _utils.IntermediateLayerGetter(net, {"layer1": "low", "layer2": "high"})
    assert list(cut)[-1] == "layer2"
    y = cut(torch.randn(1, 3, 32, 32))
    assert [(k, tuple(v.shape)) for k, v in y.items()] == [
        ("low", (1, 64, 8, 8)),
        ("high", (1, 128, 4, 4)),
    ]
    with pytest.raises(ValueError, match="return_layers are not present in model"):
        _utils.IntermediateLayerGetter(net, {"layer9": "x"})


# -- blocks ------------------------------------------------------------------------------------


def test_convolution_norm_activation() -> None:
    block = misc.Conv2dNormActivation(3, 4, (3, 5), dilation=2)
    assert [type(m).__name__ for m in block] == ["Conv2d", "BatchNorm2d", "ReLU"]
    assert block[0].padding == (2, 4)
    assert block[0].bias is None
    assert block.out_channels == 4
    bare = misc.Conv3dNormActivation(3, 4, norm_layer=None, activation_layer=None)
    assert len(bare) == 1
    assert bare[0].bias is not None
    with pytest.warns(UserWarning, match="Don't use ConvNormActivation directly"):
        misc.ConvNormActivation(3, 4)


def test_stochastic_depth() -> None:
    x = torch.ones(200, 2, 2)
    y = stochastic_depth(x, 0.25, "row")
    rows = y.flatten(1)
    assert (rows == rows[:, :1]).all()
    assert rows[:, 0].unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert stochastic_depth(x, 1.0, "batch").sum() == 0
    assert stochastic_depth(x, 0.5, "row", training=False) is x
    with pytest.raises(ValueError, match="between 0 and 1"):
        stochastic_depth(x, 1.5, "row")
    with pytest.raises(ValueError, match="'batch' or 'row'"):
        stochastic_depth(x, 0.5, "column")
