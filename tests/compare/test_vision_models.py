"""Models beside torchvision's: first values of a seed, outputs, gradients, files both ways."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.vision import models

torch = pytest.importorskip("torch")

# Small enough to be built and run in a second or two. The others differ from these in numbers of
# layers and channels, which `tests/vision/data/models.txt` has facts of.
NAMES = [
    "resnet18",
    "resnet50",
    "resnext50_32x4d",
    "mobilenet_v2",
    "mobilenet_v3_large",
    "mobilenet_v3_small",
    "squeezenet1_0",
    "squeezenet1_1",
    "densenet121",
    "shufflenet_v2_x1_0",
    "mnasnet0_75",
    "efficientnet_b0",
    "efficientnet_v2_s",
    "googlenet",
    "inception_v3",
    "regnet_y_400mf",
    "regnet_x_400mf",
]
FACTORIES: dict[str, Callable[[Any], Any]] = {
    "ResNet, dilated": lambda m: m.ResNet(
        m.resnet.Bottleneck,
        [1, 2, 2, 1],
        zero_init_residual=True,
        replace_stride_with_dilation=[False, True, True],
    ),
    "VGG, plain": lambda m: m.vgg.make_layers(m.vgg.cfgs["A"]),
    "VGG, normalised": lambda m: m.vgg.make_layers(m.vgg.cfgs["B"], batch_norm=True),
    "VisionTransformer": lambda m: m.VisionTransformer(32, 8, 2, 4, 16, 32, num_classes=7),
    "VisionTransformer, more": lambda m: m.VisionTransformer(
        32,
        8,
        2,
        4,
        16,
        32,
        representation_size=8,
        conv_stem_configs=[m.vision_transformer.ConvStemConfig(8, 3, 8)],
    ),
    "DenseNet": lambda m: m.DenseNet(8, (2, 3, 2), 16, num_classes=5),
    "MobileNetV2, wide": lambda m: m.MobileNetV2(num_classes=5, width_mult=1.4, round_nearest=4),
    "ConvNeXt": lambda m: m.ConvNeXt(
        [m.convnext.CNBlockConfig(8, 16, 2), m.convnext.CNBlockConfig(16, None, 2)], num_classes=5
    ),
    "SwinTransformer": lambda m: m.SwinTransformer(
        [2, 2], 8, [2, 1], [2, 4], [3, 3], num_classes=5
    ),
    "SwinTransformer, second": lambda m: m.SwinTransformer(
        [2, 2],
        8,
        [2, 1],
        [2, 4],
        [4, 3],
        num_classes=5,
        block=m.swin_transformer.SwinTransformerBlockV2,
        downsample_layer=m.swin_transformer.PatchMergingV2,
    ),
    "MaxVit": lambda m: m.MaxVit((32, 32), 8, 4, [8, 16], [2, 1], 4, 0.2, num_classes=5),
    **{name: lambda m, name=name: m.get_model(name) for name in NAMES},
}


def both(name: str, torchvision: Any) -> tuple[Any, Any]:
    """Our model and theirs, from the same seed."""
    made = []
    for library, module in ((rushlight, models), (torch, torchvision.models)):
        library.manual_seed(7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of torchvision's Inception networks
            made.append(FACTORIES[name](module))
    return made[0], made[1]


@pytest.mark.parametrize("name", FACTORIES)
def test_model(name: str, torchvision: Any, rng: np.random.Generator) -> None:
    ours, theirs = both(name, torchvision)
    a, b = ours.state_dict(), theirs.state_dict()
    assert list(a) == list(b)
    for key in a:
        np.testing.assert_array_equal(a[key].numpy(), b[key].numpy(), err_msg=key)
    assert rushlight.rand(()).item() == torch.rand(()).item()  # as many numbers were drawn
    assert [n for n, _ in ours.named_modules()] == [n for n, _ in theirs.named_modules()]

    side = 75 if name == "inception_v3" else 32
    x = rng.standard_normal((3, 3, side, side))
    results = [run(lib, net, x) for lib, net in ((rushlight, ours), (torch, theirs))]
    for kind, mine, wanted in zip(("output", "gradient", "trained"), *results, strict=True):
        assert len(mine) == len(wanted)
        for i, (p, q) in enumerate(zip(mine, wanted, strict=True)):
            # The last norms see three values a channel, which magnifies the rounding of float64.
            atol = 1e-7 * max(np.abs(q).max(), 1e-3)
            np.testing.assert_allclose(p, q, rtol=1e-5, atol=atol, err_msg=f"{kind} {i}")


def run(library: Any, net: Any, x: np.ndarray) -> list[list[np.ndarray]]:
    """In float64: outputs and gradients in training, statistics, outputs in evaluation."""
    net.double().train()
    if hasattr(net, "AuxLogits"):
        net.AuxLogits = None  # it wants images of 299x299, too large for here
    for m in net.modules():
        if type(m).__name__ in ("Dropout", "StochasticDepth"):
            m.p = 0.0
    given = library.from_numpy(x).requires_grad_()
    outputs = net(given)
    outputs = [outputs] if hasattr(outputs, "shape") else [t for t in outputs if t is not None]
    loss = sum((t * t + t).mean() for t in outputs)
    loss.backward()
    gradients = [p.grad for p in net.parameters()]
    buffers = list(net.buffers())
    with library.no_grad():
        evaluated = net.eval()(given)
    return [
        [t.detach().numpy() for t in outputs],
        [given.grad.numpy(), *(g.numpy() for g in gradients)],
        [*(t.numpy() for t in buffers), evaluated.numpy()],
    ]


def test_inceptions_head_half_way(torchvision: Any, rng: np.random.Generator) -> None:
    x = rng.standard_normal((3, 16, 17, 17))
    results = []
    for lib, module in ((rushlight, models), (torch, torchvision.models)):
        lib.manual_seed(3)
        results.append(run(lib, module.inception.InceptionAux(16, 5), x))
    for mine, wanted in zip(*results, strict=True):
        for p, q in zip(mine, wanted, strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["resnet18", "densenet121", "VisionTransformer"])
def test_files_both_ways(name: str, torchvision: Any, tmp_path: Path) -> None:
    ours, theirs = both(name, torchvision)
    x = np.random.default_rng(0).standard_normal((2, 3, 32, 32)).astype("float32")
    with rushlight.no_grad(), torch.no_grad():
        for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
            p += 1e-3
            q -= 1e-3
        file = io.BytesIO()
        torch.save(theirs.state_dict(), file)
        file.seek(0)
        ours.load_state_dict(rushlight.load(file))
        wanted = theirs.eval()(torch.from_numpy(x)).numpy()
        np.testing.assert_allclose(ours.eval()(rushlight.from_numpy(x)).numpy(), wanted, atol=2e-4)
        for p in ours.parameters():
            p *= 0.99
        rushlight.save(ours.state_dict(), tmp_path / "ours.pth")
        theirs.load_state_dict(torch.load(tmp_path / "ours.pth"))
        wanted = theirs(torch.from_numpy(x)).numpy()
        np.testing.assert_allclose(ours(rushlight.from_numpy(x)).numpy(), wanted, atol=2e-4)


@pytest.mark.parametrize(
    "name",
    [
        "resnet18",
        "mobilenet_v2",
        "mobilenet_v3_small",
        "squeezenet1_1",
        "densenet121",
        "shufflenet_v2_x1_0",
        "mnasnet0_75",
        "efficientnet_b0",
        "googlenet",
        "inception_v3",
        "VisionTransformer",
    ],
)
def test_whole_models_both_ways(name: str, torchvision: Any, rng: np.random.Generator) -> None:
    """Models saved as objects, not as their state."""
    ours, theirs = both(name, torchvision)
    side = 75 if name == "inception_v3" else 32
    x = rng.standard_normal((2, 3, side, side)).astype("float32")
    results = []
    for net, save, load in (
        (ours, rushlight.save, torch.load),
        (theirs, torch.save, rushlight.load),
    ):
        file = io.BytesIO()
        save(net.eval(), file)
        file.seek(0)
        other = load(file, weights_only=False)
        library = torch if load is torch.load else rushlight
        assert type(other).__module__.startswith(library.__name__)
        with library.no_grad():
            results.append(other(library.from_numpy(x)).numpy())
    np.testing.assert_allclose(*results, rtol=1e-3, atol=1e-4 * np.abs(results[0]).max() + 1e-9)


def test_weights_are_described_alike(torchvision: Any) -> None:
    for name in models.list_models(exclude="quantized_*"):
        mine, wanted = models.get_model_weights(name), torchvision.models.get_model_weights(name)
        assert mine.__name__ == wanted.__name__
        assert list(mine.__members__) == list(wanted.__members__)
        assert mine.DEFAULT.name == wanted.DEFAULT.name
        for a, b in zip(mine, wanted, strict=True):
            assert (a.name, a.url) == (b.name, b.url)
            for key in ("categories", "num_params", "min_size", "recipe", "_ops", "_file_size"):
                assert a.meta.get(key) == b.meta.get(key), (a, key)
            assert repr(a.meta["_metrics"]) == repr(b.meta["_metrics"])
            assert repr(a.transforms()) == repr(b.transforms())


def test_builders_have_the_same_names(torchvision: Any) -> None:
    theirs = set(torchvision.models.list_models())
    assert set(models.list_models()) <= theirs
    own = set(models.list_models(models))
    assert own == set(torchvision.models.list_models(torchvision.models))


def test_interpolated_positions(torchvision: Any) -> None:
    ours, theirs = both("VisionTransformer", torchvision)
    args = (48, 8)
    a = models.vision_transformer.interpolate_embeddings(*args, ours.state_dict())
    b = torchvision.models.vision_transformer.interpolate_embeddings(*args, theirs.state_dict())
    key = "encoder.pos_embedding"
    np.testing.assert_allclose(a[key].numpy(), b[key].numpy(), rtol=1e-5, atol=1e-6)
