"""One seed, two libraries: the same weights, the same order, the same losses, step by step."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.vision import datasets, transforms

torch = pytest.importorskip("torch")


def net(lib: Any) -> Any:
    """The network of PyTorch's MNIST example without its dropout."""
    nn = lib.nn
    return nn.Sequential(
        nn.Conv2d(1, 10, 5),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Conv2d(10, 20, 5),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(320, 50),
        nn.ReLU(),
        nn.Linear(50, 10),
        nn.LogSoftmax(dim=1),
    )


def images() -> tuple[np.ndarray, np.ndarray]:
    """Real digits: MNIST where RUSHLIGHT_MNIST names its folder, else those of scikit-learn."""
    folder = os.environ.get("RUSHLIGHT_MNIST")
    if folder:
        data = datasets.MNIST(folder)
        return data.data.numpy()[:, None], data.targets.numpy()
    found = pytest.importorskip("sklearn.datasets").load_digits()
    small = (found.images * (255 / 16)).astype(np.uint8)
    chain = transforms.Compose(
        [transforms.ToPILImage(), transforms.Resize((28, 28)), transforms.PILToTensor()]
    )
    return np.stack([chain(image).numpy() for image in small]), found.target


def losses(lib: Any, x: np.ndarray, y: np.ndarray, steps: int, optimizer: str) -> list[float]:
    lib.manual_seed(1)
    inputs = (lib.from_numpy(x).float() / 255 - 0.1307) / 0.3081
    data = lib.utils.data.TensorDataset(inputs, lib.from_numpy(y.astype(np.int64)))
    loader = lib.utils.data.DataLoader(data, batch_size=64, shuffle=True)
    model = net(lib)
    # Adam divides by the gradient's size, so a larger step would blow rounding up within ten steps.
    options = {"lr": 0.01, "momentum": 0.5} if optimizer == "SGD" else {"lr": 1e-3}
    step = getattr(lib.optim, optimizer)(model.parameters(), **options)
    seen = []
    for _, (batch, target) in zip(range(steps), loader, strict=False):
        step.zero_grad()
        loss = lib.nn.functional.nll_loss(model(batch), target)
        loss.backward()
        step.step()
        seen.append(loss.item())
    return seen


def test_weights_of_a_fresh_network() -> None:
    for seed in (0, 1, 1234):
        rushlight.manual_seed(seed)
        torch.manual_seed(seed)
        ours, theirs = net(rushlight).state_dict(), net(torch).state_dict()
        for name, value in theirs.items():
            assert ours[name].tolist() == value.tolist(), name


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_the_first_losses(optimizer: str) -> None:
    x, y = images()
    ours, theirs = (losses(lib, x, y, 10, optimizer) for lib in (rushlight, torch))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)
