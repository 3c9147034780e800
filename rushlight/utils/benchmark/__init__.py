"""`torch.utils.benchmark`: how long a statement takes, and several of them side by side.

`timer.py` measures, `measurement.py` is what comes out, `compare.py` prints tables of it. Where the
time goes inside a statement, the profiler tells (`rushlight.profiler`).
"""

from __future__ import annotations

from .compare import Colorize, Compare
from .measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from .timer import Language, Timer, timer

__all__ = [
    "Colorize",
    "Compare",
    "Language",
    "Measurement",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]
