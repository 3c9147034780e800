"""Every model has torchvision's parameters: their names, order and shapes, as stored facts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import rushlight
from rushlight.vision import models

LINES = (Path(__file__).parents[1] / "data" / "models.txt").read_text(encoding="utf-8").splitlines()
FACTS = {name: facts for name, *facts in (line.split() for line in LINES if line[0] != "#")}


def test_all_models_are_known() -> None:
    assert list(FACTS) == models.list_models()
    assert len(FACTS) > 50


@pytest.mark.parametrize("name", FACTS)
def test_names_and_shapes(name: str) -> None:
    entries, parameters, digest = FACTS[name]
    with rushlight.device("meta"):
        model = models.get_model(name)
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
        # Larger images have more positions; GoogLeNet is counted without its heads half way.
        if meta["min_size"][0] <= 224 and name != "googlenet":
            assert meta["num_params"] == int(FACTS[name][1]), weights
        assert meta["categories"] is None or len(meta["categories"]) == 1000
        assert weights.url.startswith("https://download.pytorch.org/models/")
        assert meta["recipe"].startswith("https://github.com/")
