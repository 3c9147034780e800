"""Images: data sets from files on disk and the transforms around them; torchvision's names."""

from . import datasets, transforms

__all__ = ["datasets", "transforms"]
