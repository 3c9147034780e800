"""The parts of `utils.data` that programs reach by PyTorch's path to them."""

from . import collate

__all__ = ["collate"]
