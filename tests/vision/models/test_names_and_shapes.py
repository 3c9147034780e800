"""Every model has torchvision's parameters: their names, order and shapes, as stored facts."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.vision import models

CLASSES = {"COCO-val2017-VOC-labels": 21, "Kinetics-400": 400, "COCO-val2017": 91}
LINES = (Path(__file__).parents[1] / "data" / "models.txt").read_text(encoding="utf-8").splitlines()
FACTS = {name: facts for name, *facts in (line.split() for line in LINES if line[0] != "#")}


def built(name: str, **options: Any) -> nn.Module:
    """A model without values, and without a download for its backbone."""
    build = models.get_model_builder(name)
    if "weights_backbone" in inspect.signature(build).parameters:
        options["weights_backbone"] = None
    with rushlight.device("meta"):
        return build(**options)


def test_all_models_are_known() -> None:
    assert list(FACTS) == models.list_models()
    assert len(FACTS) > 50


@pytest.mark.parametrize("name", FACTS)
def test_names_and_shapes(name: str) -> None:
    entries, parameters, digest = FACTS[name]
    model = built(name)
    state = model.state_dict()
    text = "".join(f"{key} {tuple(value.shape)}\n" for key, value in state.items())
    assert len(state) == int(entries)
    assert sum(p.numel() for p in model.parameters()) == int(parameters)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("name", FACTS)
def test_weights_are_of_the_model(name: str) -> None:
    """What is told of the trained weights fits the network they are for."""
    for weights in models.get_model_weights(name):
        meta = weights.meta
        # Larger images have more positions; GoogLeNet is counted without its heads half way, the
        # networks for segmentation with theirs.
        if "aux_loss" in inspect.signature(models.get_model_builder(name)).parameters:
            found = sum(p.numel() for p in built(name, aux_loss=True).parameters())
            assert meta["num_params"] == found, weights
        elif "trainable_backbone_layers" in inspect.signature(
            models.get_model_builder(name)
        ).parameters and meta["num_params"] != int(FACTS[name][1]):
            backbone: Any = built(name).backbone  # whose norms are frozen, so have no parameters
            norms = [m for m in backbone.body.modules() if isinstance(m, nn.BatchNorm2d)]
            frozen = sum(p.numel() for m in norms for p in m.parameters())
            assert meta["num_params"] == int(FACTS[name][1]) - frozen, weights
        elif meta["min_size"][0] <= 224 and "googlenet" not in name:
            assert meta["num_params"] == int(FACTS[name][1]), weights
        classes = meta.get("categories")
        wanted = CLASSES.get(next(iter(meta["_metrics"])), 1000)
        if "keypoint_names" in meta:  # of persons
            wanted = 2
        assert classes is None or len(classes) == wanted
        assert weights.url.startswith("https://download.pytorch.org/models/")
        assert meta["recipe"].startswith("https://github.com/")
