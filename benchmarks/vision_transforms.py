"""Transforms of images: microseconds an image of processor time, ours and torchvision's.

    python -m benchmarks.vision_transforms            the table
    python -m benchmarks.vision_transforms --once rushlight    one process's figures

One thread each. Figures are worth something only when nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

ROUNDS = 7
CASES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...], int]] = {
    "ToTensor, Normalize: 28x28": (
        lambda t: t.Compose([t.ToTensor(), t.Normalize((0.1307,), (0.3081,))]),
        (28, 28),
        1000,
    ),
    "crop, flip, ToTensor, Normalize: 32x32x3": (
        lambda t: t.Compose(
            [
                t.RandomCrop(32, padding=4),
                t.RandomHorizontalFlip(),
                t.ToTensor(),
                t.Normalize((0.5,) * 3, (0.2,) * 3),
            ]
        ),
        (32, 32, 3),
        500,
    ),
    "RandomResizedCrop(224), flip, ToTensor, Normalize: 256x256x3": (
        lambda t: t.Compose(
            [
                t.RandomResizedCrop(224),
                t.RandomHorizontalFlip(),
                t.ToTensor(),
                t.Normalize((0.5,) * 3, (0.2,) * 3),
            ]
        ),
        (256, 256, 3),
        20,
    ),
    "ColorJitter: 32x32x3": (lambda t: t.ColorJitter(0.4, 0.4, 0.4, 0.1), (32, 32, 3), 200),
    "RandomRotation: 32x32x3": (lambda t: t.RandomRotation(30), (32, 32, 3), 500),
}


def library(name: str) -> Any:
    """The module `transforms` of one of the two."""
    if name == "rushlight":
        from rushlight.vision import transforms

        return transforms
    import torch

    torch.set_num_threads(1)
    try:
        import torchvision
    except RuntimeError:  # compiled for another PyTorch: its Python parts are enough here
        for module in [m for m in sys.modules if m.partition(".")[0] == "torchvision"]:
            del sys.modules[module]
        operators = torch.library.Library("torchvision", "FRAGMENT")
        for operator in ("nms", "qnms"):
            operators.define(f"{operator}(Tensor a, Tensor b, float c) -> Tensor")
        _kept.append(operators)
        import torchvision
    return torchvision.transforms


_kept: list[Any] = []


def measure(name: str) -> dict[str, float]:
    """Microseconds an image, the best of several rounds."""
    transforms = library(name)
    found = {}
    for case, (make, shape, count) in CASES.items():
        rng = np.random.default_rng(0)
        images = [Image.fromarray(rng.integers(0, 256, shape, np.uint8)) for _ in range(20)]
        transform = make(transforms)
        best = float("inf")
        for _ in range(ROUNDS):
            start = time.process_time()
            for i in range(count):
                transform(images[i % 20])
            best = min(best, (time.process_time() - start) / count)
        found[case] = best * 1e6
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--once", choices=("rushlight", "torchvision"))
    name = parser.parse_args().once
    if name:
        print(json.dumps(measure(name)))
        return
    found = {}
    for name in ("rushlight", "torchvision"):
        command = [sys.executable, "-m", "benchmarks.vision_transforms", "--once", name]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found[name] = json.loads(done.stdout.splitlines()[-1])
    print(f"{'':62}{'rushlight':>10}{'torchvision':>12}{'ratio':>7}")
    for case in CASES:
        ours, theirs = found["rushlight"][case], found["torchvision"][case]
        print(f"{case:62}{ours:8.1f} us{theirs:9.1f} us{ours / theirs:7.2f}")


if __name__ == "__main__":
    main()
