"""Outputs from inside models: names of nodes, what is computed, modes, copies, and models that
cannot be traced."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.vision import models, ops
from rushlight.vision.models.feature_extraction import (
    create_feature_extractor,
    get_graph_node_names,
)


def test_features_from_inside() -> None:
    net = models.resnet18(num_classes=2).eval()
    names = {"layer1.0.relu": "first", "layer1.0.relu_1": "second", "layer2": "stage"}
    cut = create_feature_extractor(net, names)
    x = torch.randn(1, 3, 32, 32)
    found = cut(x)
    block = net.layer1[0]
    stem = net.maxpool(net.relu(net.bn1(net.conv1(x))))
    torch.testing.assert_close(found["first"], block.relu(block.bn1(block.conv1(stem))))
    torch.testing.assert_close(found["second"], block(stem))
    torch.testing.assert_close(found["stage"], net.layer2(net.layer1(stem)))
    assert list(found) == ["first", "second", "stage"]
    later = ("layer3", "layer4", "fc")
    assert list(cut.state_dict()) == [n for n in net.state_dict() if not n.startswith(later)]
    assert cut.get_submodule("layer1.0.conv1").weight is net.layer1[0].conv1.weight
    found["stage"].sum().backward()
    assert net.conv1.weight.grad is not None
    assert net.fc.weight.grad is None


def test_nodes_that_are_no_modules() -> None:
    net = models.resnet18(num_classes=2).eval()
    cut = create_feature_extractor(net, ["flatten", "layer1.0.add"])
    x = torch.randn(1, 3, 32, 32)
    found = cut(x)
    torch.testing.assert_close(net.fc(found["flatten"]), net(x))
    assert tuple(found["layer1.0.add"].shape) == (1, 64, 8, 8)


def test_names_of_nodes() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            self.drop = nn.Dropout()

        def forward(self, x: Any) -> Any:
            y = self.inner(x) + self.inner(x)
            if self.training:
                y = self.drop(y)
            return torch.flatten(y + 1, 1)

    with pytest.warns(UserWarning, match="eval mode are a subsequence of those obtained in train"):
        train, evaluate = get_graph_node_names(Net())
    inner = ["inner.0", "inner.1", "inner.0_1", "inner.1_1"]
    assert evaluate == ["x", *inner, "add", "add_1", "flatten"]
    assert train == [*evaluate[:6], "drop", *evaluate[6:]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        get_graph_node_names(Net(), suppress_diff_warning=True)


def test_features_by_mode() -> None:
    net = models.resnet18(num_classes=2)
    net.bn1.eval()
    cut = create_feature_extractor(
        net, train_return_nodes=["layer1"], eval_return_nodes={"avgpool": "y"}
    )
    assert net.training
    assert not net.bn1.training
    x = torch.randn(2, 3, 32, 32)
    assert list(cut(x)) == ["layer1"]
    assert list(cut.eval()(x)) == ["y"]
    assert not net.layer1[0].conv1.training
    assert list(cut.train()(x)) == ["layer1"]


def test_copies_and_files() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Dropout(), nn.Linear(3, 1)).eval()
    cut = create_feature_extractor(
        net, train_return_nodes=["1"], eval_return_nodes=["0", "2"], suppress_diff_warning=True
    )
    x = torch.randn(2, 2)
    for other in (copy.deepcopy(cut), pickle.loads(pickle.dumps(cut))):
        assert other(x)["2"].equal(net(x))
        assert other.get_submodule("0").weight is not net[0].weight
        assert list(other.train()(x)) == ["1"]


def test_what_ops_has_is_one_node() -> None:
    net = nn.Sequential(ops.Conv2dNormActivation(3, 4), ops.SqueezeExcitation(4, 2))
    assert get_graph_node_names(net)[0] == ["input", "0", "1"]

    class Own(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * (2 if float(x.sum()) > 0 else 3)

    net = nn.Sequential(Own(), nn.ReLU())
    options: dict[str, Any] = {"leaf_modules": [Own]}
    assert get_graph_node_names(net, options)[1] == ["input", "0", "1"]
    assert options == {"leaf_modules": [Own]}
    found = create_feature_extractor(net, ["0"], tracer_kwargs=options)(torch.ones(1))
    assert found["0"].item() == 2


def test_a_model_that_cannot_be_traced() -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.head = nn.Linear(2, 2), nn.Linear(2, 1)

        def forward(self, x: Any) -> Any:
            y = self.conv(x)
            return self.head(self.conv(y) if float(y.sum()) > 1e9 else y)

    net = Own()
    cut = create_feature_extractor(net, ["conv"])
    x = torch.randn(3, 2)
    assert cut(x)["conv"].equal(net.conv(x))
    assert not net.conv._forward_hooks
    assert copy.deepcopy(cut)(x)["conv"].equal(net.conv(x))
    assert get_graph_node_names(net)[0] == ["conv", "head"]
    with pytest.raises(ValueError, match="node: 'flatten' is not present in model"):
        create_feature_extractor(net, ["flatten"])
    with pytest.raises(ValueError, match="'conv_1' was not computed"):
        create_feature_extractor(net, ["conv_1"])(x)


def test_features_that_are_not_there() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    for name in ("flatten", "1_1"):
        with pytest.raises(ValueError, match=f"node: '{name}' is not present in model"):
            create_feature_extractor(net, [name])
    with pytest.raises(ValueError, match="Either `return_nodes`"):
        create_feature_extractor(net)
    with pytest.raises(ValueError, match="then both should be specified"):
        create_feature_extractor(net, train_return_nodes=["0"])


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("convnext_tiny", ["features.1.0.block.4", "features.7", "avgpool"]),
        ("regnet_y_400mf", ["trunk_output.block1.block1-0.f.se", "flatten"]),
        ("swin_t", ["features.1.1.attn.shifted_window_attention", "features.2", "permute"]),
        ("maxvit_t", ["stem", "blocks.0"]),
        ("vit_b_32", ["encoder.layers.encoder_layer_3.mlp", "encoder.ln", "getitem_5"]),
        ("efficientnet_b0", ["features.2.0.block.0", "features.8"]),
        ("fcn_resnet50", ["backbone.layer3", "classifier.4", "interpolate"]),
        ("r3d_18", ["layer1.0.conv1.0", "flatten"]),
        ("swin3d_t", ["patch_embed.norm", "features.0.0.attn.shifted_window_attention"]),
        ("mvit_v2_s", ["blocks.1.attn.pool_q.pool", "blocks.2.attn._add_rel_pos", "norm"]),
    ],
)
def test_nodes_of_models(name: str, nodes: list[str]) -> None:
    """As torchvision names them; the models have no values here."""
    from tests.vision.models.test_names_and_shapes import built

    net = built(name)
    cut = create_feature_extractor(net, nodes, suppress_diff_warning=True)
    size = {"r3d_18": (8, 32, 32), "swin3d_t": (4, 32, 32), "mvit_v2_s": (16, 224, 224)}
    with torch.device("meta"):
        found = cut.eval()(torch.zeros(1, 3, *size.get(name, (224, 224))))
    assert list(found) == nodes


def test_models_are_traced_without_more() -> None:
    """`fx` alone knows the functions that look at sizes."""
    net = models.SwinTransformer([4, 4], 4, [2, 1], [2, 2], [3, 3], num_classes=3).eval()
    x = torch.randn(1, 3, 32, 32)
    traced = torch.fx.symbolic_trace(net)
    torch.testing.assert_close(traced(x), net(x))
    assert "shifted_window_attention" in traced.code
