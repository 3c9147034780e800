"""Checkpoints of a training cross over: ResNet-18 and its optimiser, saved there and resumed here,
and the other way round, in PyTorch's zip format, in the one before, and as safetensors.

After loading, all values are the same to the bit, and both libraries go on training alike.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.serialization import safetensors as ours
from rushlight.vision import models

torch = pytest.importorskip("torch")

OPTIMIZERS: dict[str, Callable[..., Any]] = {
    "Adam": lambda lib, p: lib.optim.Adam(p, lr=1e-4, weight_decay=1e-3, amsgrad=True),
    "AdamW, groups": lambda lib, p: lib.optim.AdamW(
        [{"params": p[:30], "lr": 1e-5}, {"params": p[30:]}], lr=1e-4
    ),
    "SGD": lambda lib, p: lib.optim.SGD(p, lr=1e-3, momentum=0.9, nesterov=True),
}


class Training:
    """A model of one library and its optimiser."""

    def __init__(self, library: Any, module: Any, kind: str, seed: int) -> None:
        self.library = library
        library.manual_seed(seed)
        self.model = module.resnet18(num_classes=10)
        self.optimizer = OPTIMIZERS[kind](library, list(self.model.parameters()))

    def step(self, seed: int) -> float:
        rng = np.random.default_rng(seed)
        images = rng.standard_normal((8, 3, 32, 32)).astype(np.float32)
        labels = self.library.from_numpy(rng.integers(0, 10, 8))
        self.optimizer.zero_grad()
        scores = self.model(self.library.from_numpy(images))
        loss = self.library.nn.functional.cross_entropy(scores, labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def state(self) -> dict[str, Any]:
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


def pickled(new: bool) -> tuple[Any, Any]:
    def write(t: Training, path: Path) -> None:
        t.library.save(t.state(), path / "c.pt", _use_new_zipfile_serialization=new)

    return write, lambda t, path: t.load(t.library.load(path / "c.pt", weights_only=True))


def write_safetensors(t: Training, path: Path) -> None:
    """By the package `safetensors` where PyTorch writes."""
    package = ours
    if t.library is torch:
        package = pytest.importorskip("safetensors.torch")
    package.save_model(t.model, str(path / "model.safetensors"))
    tensors, metadata = ours.flatten_state_dict(t.optimizer.state_dict())
    package.save_file(tensors, str(path / "optimizer.safetensors"), metadata)


def read_safetensors(t: Training, path: Path) -> None:
    package, opened = ours, ours.safe_open
    if t.library is torch:
        package = pytest.importorskip("safetensors.torch")
        opened = pytest.importorskip("safetensors").safe_open
    assert package.load_model(t.model, str(path / "model.safetensors")) == (set(), [])
    name = str(path / "optimizer.safetensors")
    with opened(name, "pt") as file:
        metadata = file.metadata()
    t.optimizer.load_state_dict(ours.unflatten_state_dict(package.load_file(name), metadata))


FORMS = {
    "zip": pickled(True),
    "legacy": pickled(False),
    "safetensors": (write_safetensors, read_safetensors),
}


def leaves(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """All values of a nested state with their paths, tensors as arrays."""
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in leaves(v, f"{name}.{k}")]
    if isinstance(value, (list, tuple)):
        return [x for i, v in enumerate(value) for x in leaves(v, f"{name}.{i}")]
    if hasattr(value, "detach"):
        assert value.layout is not None
        dtype = str(value.dtype).rpartition(".")[2]
        return [(name, (dtype, value.detach().numpy()))]
    return [(name, value)]


def assert_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    mine, wanted = leaves(a), leaves(b)
    assert [name for name, _ in mine] == [name for name, _ in wanted]
    for (name, x), (_, y) in zip(mine, wanted, strict=True):
        if isinstance(x, tuple):
            assert x[0] == y[0], name
            np.testing.assert_array_equal(x[1], y[1], err_msg=name)
        else:
            assert (type(x), x) == (type(y), y), name


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("direction", ["from PyTorch", "to PyTorch"])
def test_a_training_is_resumed(
    form: str, kind: str, direction: str, torchvision: Any, tmp_path: Path
) -> None:
    here = (rushlight, models)
    there = (torch, torchvision.models)
    source, target = (there, here) if direction == "from PyTorch" else (here, there)
    write, read = FORMS[form]

    first = Training(*source, kind, seed=1)
    for i in range(2):
        first.step(i)
    write(first, tmp_path)

    second = Training(*target, kind, seed=2)
    read(second, tmp_path)
    assert_equal(second.state(), first.state())

    # The next loss is computed by the values that crossed over, the one after it by the moments.
    losses = [[t.step(i) for i in (2, 3)] for t in (first, second)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=2e-4)


def test_both_packages_write_the_same_safetensors(torchvision: Any, tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.torch")
    first = Training(torch, torchvision.models, "Adam", seed=1)
    second = Training(rushlight, models, "Adam", seed=1)
    package.save_model(first.model, str(tmp_path / "theirs"))
    ours.save_model(second.model, tmp_path / "ours")
    assert (tmp_path / "theirs").read_bytes() == (tmp_path / "ours").read_bytes()
