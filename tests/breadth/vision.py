"""torchvision, as `t.vision`. Not a test file: tests/test_breadth.py calls what is here."""

from __future__ import annotations

import gzip
import hashlib
import pickle
import random
import struct
import tempfile
from pathlib import Path

import numpy as np


def picture(size=(6, 5)):
    from PIL import Image

    pixels = np.arange(size[0] * size[1] * 3, dtype=np.uint8).reshape(size[1], size[0], 3) * 2
    return Image.fromarray(pixels)


def seeded(t, transform, value):
    t.manual_seed(6)
    random.seed(6)
    return transform(value)


def pixels(image):
    return np.asarray(image).tolist()


def mnist(t):
    """Four images in the files of MNIST."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "MNIST" / "raw"
        raw.mkdir(parents=True)
        for part in ("train", "t10k"):
            images = np.arange(4 * 28 * 28, dtype=np.uint32).astype(np.uint8).tobytes()
            files = {
                f"{part}-images-idx3-ubyte": struct.pack(">4i", 2051, 4, 28, 28) + images,
                f"{part}-labels-idx1-ubyte": struct.pack(">2i", 2049, 4) + bytes([3, 1, 4, 1]),
            }
            for name, data in files.items():
                (raw / name).write_bytes(data)
                (raw / f"{name}.gz").write_bytes(gzip.compress(data))
        data = t.vision.datasets.MNIST(folder, train=True, transform=t.vision.transforms.ToTensor())
        image, label = data[2]
        return [len(data), label, image.sum(), data.targets, data.classes[3]]


def cifar(t):
    """Two images in each of CIFAR10's files, with the checksums of these."""
    kind = t.vision.datasets.CIFAR10
    rows = np.arange(2 * 3072, dtype=np.uint32).astype(np.uint8).reshape(2, 3072)
    data = pickle.dumps({"data": rows, "labels": [6, 9]}, protocol=2)
    meta = pickle.dumps({"label_names": ["a", "b"]}, protocol=2)

    small = type("Small", (kind,), {})
    sums = [hashlib.md5(data).hexdigest(), hashlib.md5(meta).hexdigest()]
    small.train_list = [[name, sums[0]] for name, _ in kind.train_list]
    small.test_list = [[name, sums[0]] for name, _ in kind.test_list]
    small.meta = kind.meta | {"md5": sums[1]}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / kind.base_folder
        base.mkdir()
        for name, _ in small.train_list + small.test_list:
            (base / name).write_bytes(data)
        (base / "batches.meta").write_bytes(meta)
        found = small(folder, transform=t.vision.transforms.ToTensor())
        image, label = found[1]
        return [len(found), label, image.sum(), found.classes, str(found[0][0].shape)]


def folders(t):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cat", "dog"):
            (Path(folder) / name).mkdir()
            picture().save(Path(folder) / name / "1.png")
        data = t.vision.datasets.ImageFolder(folder, transform=t.vision.transforms.ToTensor())
        return [len(data), data.classes, data.class_to_idx, data[1]]


def written(t):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.png"
        t.vision.utils.save_image(t.linspace(0, 1, 24).reshape(2, 3, 2, 2), path, nrow=2)
        from PIL import Image

        with Image.open(path) as image:
            return [image.size, pixels(image)]


CALLS = {
    "torchvision.transforms.ToTensor": lambda t: t.vision.transforms.ToTensor()(picture()),
    "torchvision.transforms.Compose": lambda t: t.vision.transforms.Compose(
        [t.vision.transforms.CenterCrop(4), t.vision.transforms.ToTensor()]
    )(picture()),
    "torchvision.transforms.Normalize": lambda t: t.vision.transforms.Normalize(
        (0.5, 0.4, 0.3), (0.1, 0.2, 0.3)
    )(t.ones(3, 2, 2)),
    "torchvision.transforms.Resize": lambda t: [
        pixels(t.vision.transforms.Resize(3)(picture())),
        t.vision.transforms.Resize((4, 7))(t.linspace(0, 1, 60).reshape(3, 4, 5)),
    ],
    "torchvision.transforms.RandomHorizontalFlip": lambda t: [
        pixels(seeded(t, t.vision.transforms.RandomHorizontalFlip(p), picture()))
        for p in (0.0, 0.5, 1.0)
    ],
    "torchvision.transforms.CenterCrop": lambda t: pixels(
        t.vision.transforms.CenterCrop((2, 3))(picture())
    ),
    "torchvision.transforms.RandomCrop": lambda t: pixels(
        seeded(t, t.vision.transforms.RandomCrop(4, padding=2), picture())
    ),
    "torchvision.datasets.MNIST": mnist,
    "torchvision.datasets.CIFAR10": cifar,
    "torchvision.datasets.ImageFolder": folders,
    "torchvision.utils.save_image": written,
}
