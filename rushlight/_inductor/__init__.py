"""The code generator behind `torch.compile`, which is not there: its settings are accepted."""

from __future__ import annotations

from . import config as config
