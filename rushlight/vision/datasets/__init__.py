"""Data sets of images, from files on disk or fetched.

Read next: `vision.py`, then `mnist.py`, `cifar.py`, `folder.py`.
"""

from typing import Any

from . import cifar, fakedata, folder, mnist, stl10, svhn, utils, vision
from .cifar import CIFAR10, CIFAR100
from .fakedata import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST, read_idx
from .stl10 import STL10
from .svhn import SVHN
from .vision import StandardTransform, VisionDataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "EMNIST",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "STL10",
    "SVHN",
    "DatasetFolder",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "StandardTransform",
    "VisionDataset",
    "cifar",
    "fakedata",
    "folder",
    "mnist",
    "read_idx",
    "stl10",
    "svhn",
    "utils",
    "vision",
]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"module 'rushlight.vision.datasets' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torchvision.datasets.{name} is not there (yet)"
    )
