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

__all__ = ["DefaultLogsSpecs", "LogsDest", "LogsSpecs", "SignalException", "Std", "to_map"]
