"""The profiler: where the time of a program goes, operation by operation.

    with torch.profiler.profile(record_shapes=True) as prof:
        train_step()
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))

It costs nothing while it is off, and keeps a bounded number of events while it is on. Read
`session.py` for what programs call, `recording.py` for what is kept, `watching.py` for how it sees.
"""

from __future__ import annotations

from .events import DeviceType, EventList, FunctionEvent, FunctionEventAvg
from .recording import record_function
from .schedule import ProfilerAction, schedule
from .session import (
    ProfilerActivity,
    _ExperimentalConfig,  # noqa: F401 - programs import it
    _KinetoProfile,  # noqa: F401
    kineto_available,
    profile,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
