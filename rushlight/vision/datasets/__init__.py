"""Data sets of images from files on disk."""

from .mnist import KMNIST, MNIST, FashionMNIST, read_idx
from .vision import VisionDataset

__all__ = ["KMNIST", "MNIST", "FashionMNIST", "VisionDataset", "read_idx"]
