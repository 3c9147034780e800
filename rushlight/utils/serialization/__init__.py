"""`torch.utils.serialization`: the settings of `save` and `load`, in `config`."""

from . import config

__all__ = ["config"]
