"""Where PyTorch has the classes of its package `elastic.multiprocessing`."""

from __future__ import annotations

from . import (
    DefaultLogsSpecs,
    LogsDest,
    LogsSpecs,
    SignalException,
    Std,
    to_map,
)
from . import __dir__ as __dir__
from . import __getattr__ as __getattr__

__all__ = ["DefaultLogsSpecs", "LogsDest", "LogsSpecs", "SignalException", "Std", "to_map"]
