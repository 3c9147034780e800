"""`torch.autograd.profiler`: the profiler without steps, and the marks that users set.

`profile` records the block; `rushlight.profiler.profile` adds steps and schedules. How it sees
what happens is told in `rushlight/profiler/watching.py`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

from ..errors import message
from ..profiler.events import (
    DeviceType,
    EventList,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    Kernel,
)
from ..profiler.reading import function_events
from ..profiler.recording import Recorder, local, record_function
from ..profiler.watching import begin, finish

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "emit_itt",
    "emit_nvtx",
    "profile",
    "record_function",
]

DEVICES = ("cuda", "xpu", "mtia", "hpu")


def kineto_available() -> bool:
    """False: traces are made in Python here."""
    return False


def _profiler_enabled() -> bool:
    """Whether this thread is being profiled."""
    return local.recorder is not None


class profile:
    """Record what this thread does with tensors inside the block.

    Args:
        enabled: False makes it do nothing.
        use_cuda, use_device: there is no device here; refused with a warning, as in PyTorch.
        record_shapes, with_flops, profile_memory, with_stack, with_modules: as in
            `rushlight.profiler.profile`.
        acc_events: keep the events of an earlier block of the same profiler.
        max_events: events kept one by one; later ones are in the sums only.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     (x * x).sum().backward()
    >>> [e.key for e in prof.key_averages() if "engine" not in e.key]
    ['aten::mul', 'aten::sum', 'SumBackward0', 'MulBackward0', 'torch::autograd::AccumulateGrad']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
        max_events: int | None = None,
    ) -> None:
        self.enabled = enabled
        if not enabled:
            return
        self.use_cuda = use_cuda
        self.use_device = use_device
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, "
                "please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
            self.use_device = "cuda"
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self.max_events = max_events
        self.entered = False
        self._recorder: Recorder | None = None
        self._watch: Any = None
        self._events: EventList | None = None
        self._earlier: EventList | None = None
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self._refuse_device()
        if not use_cpu:
            raise AssertionError("No activities specified for the profiler")

    def _refuse_device(self) -> None:
        """No device is there: say so and go on without, as PyTorch's CPU builds do."""
        if self.use_device is None:
            return
        name = self.use_device
        text = (
            f"{name.upper()} is not available, disabling {name.upper()} profiling"
            if name in DEVICES
            else f"The {name} is not a valid device option."
        )
        warnings.warn(text, stacklevel=3)
        self.use_cuda = False
        self.use_device = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(
                message(
                    "Profiler context manager is not reentrant",
                    hint="a new profile() for each block",
                )
            )
        self.entered = True
        try:
            self._start()
        except BaseException:
            self._abandon()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self.enabled:
            try:
                self._stop()
            except BaseException:
                self._abandon()
                raise

    def _abandon(self) -> None:
        """Look no longer, after an interrupt (Ctrl-C) in the middle of `_start` or `_stop`."""
        recorder, watch = self._recorder, self._watch
        if watch is not None:
            finish(watch)
            self._watch = None
        if recorder is not None and local.recorder is recorder:
            local.recorder = recorder.outer

    def _start(self) -> None:
        self._recorder = Recorder(
            self.record_shapes,
            self.profile_memory,
            self.with_stack,
            self.with_flops,
            self.max_events,
        )
        self._watch = begin(self._recorder)
        self._recorder.start()

    def _stop(self) -> None:
        if self._recorder is None or self._watch is None:
            return
        self._recorder.stop()
        finish(self._watch)
        self._watch = None
        if self.acc_events and self._events is not None:
            self._earlier = self._events
        self._events = None
        if self.acc_events:
            self._all()

    def _all(self) -> EventList:
        if self._events is None:
            if self._recorder is None or self._watch is not None:
                raise AssertionError(
                    message(
                        "Expected profiling results",
                        got="a profiler whose block has not ended"
                        if self._watch is not None
                        else "a profiler that recorded nothing",
                        hint="ask after the `with` block",
                    )
                )
            self._events = function_events(self._recorder, self.use_device)
            if self._earlier is not None:
                self._events.extend(self._earlier)
                self._events._dropped += self._earlier._dropped
                self._events._number_dropped += self._earlier._number_dropped
                self._earlier = None
        return self._events

    # -- results -----------------------------------------------------------------------------

    @property
    def function_events(self) -> EventList | None:
        """Every event, one by one; None before the block has ended."""
        if not self.enabled or self._recorder is None or self._watch is not None:
            return None
        return self._all()

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The totals by name (and by shapes, and by the innermost n callers)."""
        return self._all().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> FunctionEventAvg:
        """One total over all events."""
        return self._all().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events together."""
        return self._all().self_cpu_time_total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """Every event as a row; `key_averages().table()` for the totals."""
        return self._all().table(
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
        )

    def export_chrome_trace(
        self, path: str | os.PathLike[str], metadata: dict[str, Any] | None = None
    ) -> None:
        """Write a trace for chrome://tracing or Perfetto; compressed if the name ends in .gz."""
        from ..profiler.trace import write_trace

        write_trace(path, self._all(), metadata)

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write the callers of all events with their times, for a flame graph."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._all().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Any = None) -> None:
        """Pause the recording, or go on with it."""
        if self._recorder is not None and self._watch is not None:
            self._recorder.pause(not enabled)

    def __repr__(self) -> str:
        return self._text(repr)

    def __str__(self) -> str:
        return self._text(str)

    def _text(self, how: Callable[[Any], str]) -> str:
        events = self.function_events
        return "<unfinished torch.autograd.profile>" if events is None else how(events)


class emit_nvtx:
    """Marks for NVIDIA's profilers, which watch a GPU: an error here, unless `enabled=False`."""

    what = "NVTX"
    error: type[Exception] = AssertionError
    tool = "Torch not compiled with CUDA enabled"

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        raise self.error(
            message(
                f"{self.tool}: {type(self).__name__} has nobody to emit {self.what} marks for",
                wanted="a tool that listens for them",
                hint="torch.profiler.profile(), whose traces a browser shows",
            )
        )

    def __exit__(self, *error: object) -> None:
        """Nothing was begun."""


class emit_itt(emit_nvtx):
    """Marks for Intel's VTune: an error here, unless `enabled=False`."""

    what = "ITT"
    error = RuntimeError
    tool = "ITT is not available"


def load_nvprof(path: str) -> EventList:
    """Read what nvprof wrote; there is nothing to read it with here."""
    raise NotImplementedError(
        message("load_nvprof needs CUDA's profiler", hint="torch.profiler.profile()")
    )
