"""Builders: weights and where they come from, calls of older programs, names."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.vision import models
from rushlight.vision.models import ResNet18_Weights, ResNet50_Weights, SqueezeNet1_1_Weights


def test_names() -> None:
    assert models.list_models(include="resnet*") == [
        "resnet101",
        "resnet152",
        "resnet18",
        "resnet34",
        "resnet50",
    ]
    two = models.list_models(include=("vgg11*", "vgg13*"), exclude=["*_bn"])
    assert two == ["vgg11", "vgg13"]
    assert set(models.list_models(models)) < set(models.list_models())
    assert models.list_models(rushlight) == []
    assert models.get_model_builder("ResNet18") is models.resnet18
    with pytest.raises(ValueError, match=r"(?s)Unknown model resnet17.*resnet18"):
        models.get_model("resnet17")


def test_the_names_of_the_module_are_builders() -> None:
    """Programs list them so."""
    found = {
        name
        for name in models.__dict__
        if name.islower() and not name.startswith("__") and callable(models.__dict__[name])
    }
    assert found >= set(models.list_models(models))


def test_enums_of_weights() -> None:
    v1, v2 = ResNet50_Weights.IMAGENET1K_V1, ResNet50_Weights.IMAGENET1K_V2
    assert ResNet50_Weights.DEFAULT is v2
    assert v1 != v2
    assert repr(v2) == "ResNet50_Weights.IMAGENET1K_V2"
    assert v1.url == "https://download.pytorch.org/models/resnet50-0676ba61.pth"
    assert v1.meta["categories"][:2] == ["tench", "goldfish"]
    assert v1.meta["num_params"] == 25557032
    assert copy.deepcopy(v1) is v1
    assert pickle.loads(pickle.dumps(v1)) is v1
    assert models.get_weight("ResNet50_Weights.DEFAULT") is v2
    assert models.get_model_weights("resnet50") is ResNet50_Weights
    assert models.get_model_weights(models.resnet50) is ResNet50_Weights
    with pytest.raises(ValueError, match="Invalid weight name provided: 'ResNet50'"):
        models.get_weight("ResNet50")
    with pytest.raises(ValueError, match=r"weight enum 'Nothing' .* couldn't be retrieved"):
        models.get_weight("Nothing.V1")
    with pytest.raises(TypeError, match="expected ResNet18_Weights"):
        models.resnet18(weights=v1)
    with pytest.raises(KeyError, match="IMAGENET1K_V1"):
        models.resnet18(weights="IMAGENET1K_V9")


def test_weights_of_a_users_own_builder() -> None:
    def build(*, weights: ResNet18_Weights | None = None) -> None: ...

    def bare() -> None: ...

    build.__annotations__["weights"] = ResNet18_Weights | None
    assert models.get_model_weights(build) is ResNet18_Weights
    with pytest.raises(ValueError, match="missing the 'weights' argument"):
        models.get_model_weights(bare)


def test_the_preprocessing_of_weights() -> None:
    pytest.importorskip("PIL")
    from PIL import Image

    prepare = ResNet50_Weights.DEFAULT.transforms()
    assert "resize_size=[232]" in repr(prepare)
    assert "crop_size=[224]" in prepare.describe()
    picture = prepare(Image.new("RGB", (300, 250), (124, 116, 104)))
    assert tuple(picture.shape) == (3, 224, 224)
    assert abs(float(picture.mean())) < 0.01  # the mean colour of ImageNet
    batch = prepare(rushlight.zeros(2, 3, 240, 260, dtype=rushlight.uint8))
    assert tuple(batch.shape) == (2, 3, 224, 224)
    assert float(batch[0, 0, 0, 0]) == pytest.approx(-0.485 / 0.229)


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`cached(weights, model)`: the model's values lie where a download would have put them."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))

    def put(weights: Any, state: dict[str, Any]) -> None:
        folder = tmp_path / "hub" / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        rushlight.save(state, folder / weights.url.rsplit("/", 1)[1])

    return put


def same(a: nn.Module, state: dict[str, Any]) -> bool:
    own = a.state_dict()
    return list(own) == list(state) and all(own[k].equal(v) for k, v in state.items())


def test_weights_are_loaded(cached: Any) -> None:
    weights = SqueezeNet1_1_Weights.IMAGENET1K_V1
    state = models.squeezenet1_1().state_dict()
    cached(weights, state)
    for given in (weights, "IMAGENET1K_V1", "DEFAULT", "SqueezeNet1_1_Weights.DEFAULT"):
        assert same(models.squeezenet1_1(weights=given), state)
    assert same(models.get_model("squeezenet1_1", weights="DEFAULT", progress=False), state)
    with pytest.raises(ValueError, match="'num_classes' expected value 1000 but got 10"):
        models.squeezenet1_1(weights=weights, num_classes=10)


def test_calls_of_older_programs(cached: Any) -> None:
    weights = SqueezeNet1_1_Weights.IMAGENET1K_V1
    state = models.squeezenet1_1().state_dict()
    cached(weights, state)

    def warned(*args: Any, **kwargs: Any) -> tuple[Any, str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = models.squeezenet1_1(*args, **kwargs)
        assert all(w.filename == __file__ for w in seen)
        assert all(w.category is UserWarning for w in seen)
        return model, "\n".join(str(w.message) for w in seen)

    model, text = warned(pretrained=True)
    assert same(model, state)
    assert "The parameter 'pretrained' is deprecated" in text
    assert "equivalent to passing `weights=SqueezeNet1_1_Weights.IMAGENET1K_V1`" in text
    model, text = warned(True, False)
    assert same(model, state)
    assert "Using 'weights' and 'progress' as positional parameter(s) is deprecated" in text
    model, text = warned(pretrained=False, num_classes=3)
    assert model.num_classes == 3
    assert "equivalent to passing `weights=None`" in text
    assert not warned(weights=weights)[1]
    assert not warned(weights=None)[1]


def test_calls_that_no_version_understands() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="No weights available for model vit_h_14"):
            models.vit_h_14(pretrained=True)
    with pytest.raises(TypeError, match="at most 2 arguments by position"):
        models.squeezenet1_1(None, True, 3)
    with pytest.raises(TypeError, match="multiple values for argument 'weights'"):
        models.squeezenet1_1(None, weights=None)


@pytest.mark.slow
def test_the_old_names_in_files_of_densenet(cached: Any) -> None:
    state = models.densenet121().state_dict()

    def old(name: str) -> str:
        for kind in ("norm", "conv"):
            for i in "12":
                if "denselayer" in name:
                    name = name.replace(f".{kind}{i}.", f".{kind}.{i}.")
        return name

    renamed = {old(name): value for name, value in state.items()}
    assert "features.denseblock1.denselayer1.norm.1.weight" in renamed
    cached(models.DenseNet121_Weights.DEFAULT, renamed)
    assert same(models.densenet121(weights="DEFAULT"), state)


@pytest.mark.slow
def test_heads_half_way_are_left_out_of_trained_googlenets(cached: Any) -> None:
    cached(models.GoogLeNet_Weights.DEFAULT, models.googlenet().state_dict())
    plain = models.googlenet(weights="DEFAULT")
    assert plain.aux1 is None
    assert plain.transform_input
    with pytest.warns(UserWarning, match="NOT pretrained"):
        assert models.googlenet(weights="DEFAULT", aux_logits=True).aux1 is not None


@pytest.mark.slow
def test_heads_half_way_stay_in_trained_inceptions(cached: Any) -> None:
    cached(models.Inception_V3_Weights.DEFAULT, models.inception_v3().state_dict())
    assert models.inception_v3(weights="DEFAULT").AuxLogits is not None
    assert models.inception_v3(weights="DEFAULT", aux_logits=False).AuxLogits is None
