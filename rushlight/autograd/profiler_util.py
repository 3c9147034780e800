"""`torch.autograd.profiler_util`: the classes of events, under PyTorch's other name for them."""

from __future__ import annotations

from ..profiler.events import (
    DeviceType,
    EventList,
    FormattedTimesMixin,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    Kernel,
)
from ..profiler.table import format_time

__all__ = [
    "DeviceType",
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
]

_format_time = format_time  # PyTorch's scripts use its private name
