"""PyTorch's code generator, which is not there (`compiler/` has none): settings are accepted."""

from __future__ import annotations

from . import config as config
