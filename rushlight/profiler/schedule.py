"""Schedules: which steps of a long run are recorded."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable


class ProfilerAction(enum.Enum):
    """What a profiler does during a step.

    >>> [action.name for action in torch.profiler.ProfilerAction]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'DEVICE_STOPPED']
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


Schedule = Callable[[int], ProfilerAction]


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Schedule:
    """A function from step number to action: after `skip_first` steps, cycles of `wait` steps of
    nothing, `warmup` steps and `active` recorded ones.

    Args:
        repeat: how many cycles; 0 for as many as there are steps.
        skip_first_wait: if not 0, the first cycle begins without its `wait` steps.

    Raises:
        AssertionError: a number below 0, or no active step.

    >>> from rushlight.profiler import schedule
    >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} "
            f"(need >= 0), active={active} (need > 0), repeat={repeat} (need >= 0), "
            f"skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn(
            "Profiler won't be using warmup, this can skew profiler results", stacklevel=2
        )
    length = wait + warmup + active

    def plan(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        cycle, place = divmod(step, length)
        if 0 < repeat <= cycle or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return plan


def always(step: int) -> ProfilerAction:
    """The schedule of a profiler that was given none: every step is recorded."""
    return ProfilerAction.RECORD
