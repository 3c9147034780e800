"""What programs need around tensors and modules: `data` (data sets and loaders), `checkpoint`."""

from . import data

__all__ = ["data"]
