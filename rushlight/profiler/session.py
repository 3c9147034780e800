"""`torch.profiler.profile`: a profiler that knows of steps, cycles and what to do after each.

What it records comes from `autograd/profiler.py`; here is when.
"""

from __future__ import annotations

import enum
import json
import os
import uuid
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd import profiler as autograd_profiler
from ..errors import message
from .events import EventList
from .recording import record_function
from .schedule import ProfilerAction, always


class ProfilerActivity(enum.Enum):
    """What can be asked for. There is a CPU here; the others are known by name.

    >>> activities = [torch.profiler.ProfilerActivity.CPU]
    >>> with torch.profiler.profile(activities=activities) as prof:
    ...     y = torch.ones(2)
    >>> [e.key for e in prof.key_averages()]
    ['aten::ones']
    """

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


def supported_activities() -> set[ProfilerActivity]:
    """What a profiler records here: {ProfilerActivity.CPU}.

    >>> torch.profiler.supported_activities()
    {<ProfilerActivity.CPU: 0>}
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Whether traces can be recorded; always (the name is that of PyTorch's library for it).

    >>> torch.profiler.kineto_available()
    True
    """
    return True


class _ExperimentalConfig:
    """Settings of PyTorch's tracing library: accepted, and without effect."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[Any], None]:
    """A function for `on_trace_ready` that writes each trace into a folder, under its own name.

    Args:
        dir_name: the folder; it is made when it is not there.
        worker_name: what the names of the files begin with: host and process unless given.
        use_gzip: compress the files.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ready = torch.profiler.tensorboard_trace_handler(folder, "worker")
    >>> with torch.profiler.profile(on_trace_ready=ready):
    ...     y = torch.exp(torch.ones(2))
    >>> [name.split(".")[0] for name in os.listdir(folder)]
    ['worker']
    """
    import socket
    import time

    def handler(prof: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handler


SETTINGS = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")


class _KinetoProfile:
    """A profiler without steps: `start`, `stop`, and what was recorded between."""

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        max_events: int | None = None,
    ) -> None:
        self.activities = _parse(activities)
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.max_events = max_events
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None
        self.profiler: autograd_profiler.profile | None = None
        self.preset_metadata: dict[str, str] = {}
        self._metadata: dict[str, Any] = {}
        self._trace_id: str | None = None

    def start(self) -> None:
        """Begin to record."""
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        """Record no more."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Make ready for recording; what an earlier cycle recorded is forgotten."""
        make_id = self.custom_trace_id_callback
        self._trace_id = make_id() if make_id else f"{uuid.uuid4().int:032X}"
        if self.profiler is not None and self.acc_events:
            return
        self.profiler = autograd_profiler.profile(
            use_cpu=ProfilerActivity.CPU in self.activities,
            use_device=self.use_device,
            record_shapes=self.record_shapes,
            with_flops=self.with_flops,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            with_modules=self.with_modules,
            use_kineto=True,
            acc_events=self.acc_events,
            max_events=self.max_events,
        )

    def start_trace(self) -> None:
        """Begin to record what `prepare_trace` made ready for."""
        self._prepared("starting trace")._start()
        for name in SETTINGS:
            if getattr(self, name):
                self._metadata[name] = 1
        for key, value in self.preset_metadata.items():
            self.add_metadata_json(key, value)

    def stop_trace(self) -> None:
        """End the recording."""
        self._prepared("stopping trace")._stop()

    def _prepared(self, what: str) -> Any:
        if self.profiler is None:
            raise AssertionError(
                message(
                    f"Profiler must be initialized before {what}",
                    hint="`with profile() as prof:`, or prof.start() first; with a schedule, as "
                    "many prof.step() as it takes to record",
                )
            )
        return self.profiler

    # -- results -----------------------------------------------------------------------------

    def events(self) -> EventList:
        """Every event, one by one."""
        found: EventList = self._prepared("accessing events").function_events
        return found

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The totals by name (and by shapes, and by the innermost n callers)."""
        found: EventList = self._prepared("getting key averages").key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )
        return found

    def export_chrome_trace(
        self, path: str | os.PathLike[str], use_python_export: bool = False
    ) -> None:
        """Write a trace for chrome://tracing or Perfetto; compressed if the name ends in .gz."""
        profiler = self._prepared("exporting chrome trace")
        profiler.export_chrome_trace(path, {"trace_id": self._trace_id, **self._metadata})

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write the callers of all events with their times, for a flame graph."""
        self._prepared("exporting stacks").export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Put a text into the trace file."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Put a value, given as JSON, into the trace file."""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """As `add_metadata_json`, before the profiler is started."""
        self.preset_metadata[key] = value

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[Any]) -> None:
        """Pause the recording, or go on with it."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Not there: PyTorch has deprecated it, and allocations are counted by operation here."""
        raise NotImplementedError(
            message(
                "export_memory_timeline is not there",
                wanted="the bytes that each operation allocates",
                hint='profile_memory=True and key_averages().table(sort_by="cpu_memory_usage")',
            )
        )


class profile(_KinetoProfile):
    """Record what this thread's tensors do, for a block or in cycles of steps.

    Args:
        activities: what to record, `[ProfilerActivity.CPU]`; CUDA is refused with a warning.
        schedule: from step number to action, see `schedule`; without one every step is recorded.
        on_trace_ready: called with the profiler at the end of each cycle.
        record_shapes: note the shapes of operands.
        profile_memory: count the bytes of results. What is released is not counted.
        with_stack: note the callers outside this package.
        with_flops: count floating point operations of products, convolutions, `add` and `mul`.
        with_modules: accepted (PyTorch notes modules of TorchScript).
        acc_events: keep events over the cycles.
        use_cuda: the old way of asking for CUDA.
        max_events: events kept one by one (200,000 unless given). Later ones count in the averages
            and tables, but are not in `events()` nor in traces; the table says how many they are.

    >>> import rushlight as torch
    >>> from rushlight.profiler import profile, schedule
    >>> x = torch.ones(4, 4)
    >>> def ready(prof):
    ...     print(prof.step_num, [e.key for e in prof.key_averages()])
    >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> with profile(schedule=plan, on_trace_ready=ready) as prof:
    ...     for _ in range(5):
    ...         y = x @ x
    ...         prof.step()
    4 ['ProfilerStep*', 'aten::matmul']
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        max_events: int | None = None,
    ) -> None:
        given = list(supported_activities() if activities is None else activities)
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead",
                FutureWarning,
                stacklevel=2,
            )
            # As in PyTorch, this changes what is checked, not what is recorded.
            if not use_cuda and given == [ProfilerActivity.CUDA]:
                given = []
            elif use_cuda and not given:
                given = [ProfilerActivity.CUDA]
        if not given:
            raise AssertionError("No valid profiler activities found")
        super().__init__(
            activities=given,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer,
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            max_events=max_events,
        )
        self.schedule = schedule or always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.step_rec_fn: record_function | None = None
        self.current_action = self._action(0)

    def _action(self, step: int) -> ProfilerAction:
        action = self.schedule(step)
        if action is ProfilerAction.DEVICE_STOPPED:
            raise ValueError(
                "ProfilerAction.DEVICE_STOPPED is set internally by the profiler and must not be "
                "returned by a user-provided schedule"
            )
        return action

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.stop()
        except BaseException:
            self._abandon()
            raise

    def start(self) -> None:
        """Begin with the first step."""
        try:
            self._transit(ProfilerAction.NONE, self.current_action)
            self._begin_step()
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Look no longer, after an interrupt (Ctrl-C) in the middle of `start` or `stop`."""
        if self.profiler is not None:
            self.profiler._abandon()

    def stop(self) -> None:
        """End with the step in progress."""
        self._end_step()
        self._transit(self.current_action, None)

    def step(self) -> None:
        """Say that the next step begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self._action(self.step_num)
        self._transit(before, self.current_action)
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _transit(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Start and stop as the change from one step's action to the next one's asks for.

        `after` is None at the end of the profile.
        """
        act = ProfilerAction
        recording = (act.RECORD, act.RECORD_AND_SAVE)
        if before is act.NONE:
            if after is act.WARMUP:
                self.prepare_trace()
            elif after in recording:
                super().start()
        elif before is act.WARMUP:
            if after in recording:
                self.start_trace()
            elif after is not act.WARMUP:
                if after is act.NONE:
                    warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)
                self.start_trace()
                self.stop_trace()
        elif before is act.RECORD:
            if after in (act.NONE, act.WARMUP):
                warnings.warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=4)
                self.stop_trace()
            elif after is None:
                self.stop_trace()
                self._trace_ready()
        else:
            self.stop_trace()
            self._trace_ready()
            if after is act.WARMUP:
                self.prepare_trace()
            elif after in recording:
                super().start()

    def _trace_ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Say who names the traces from the next cycle on."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """The name of the trace in progress."""
        return self._trace_id


def _parse(activities: Iterable[Any] | None) -> set[ProfilerActivity]:
    """Activities, given one by one or as dictionaries of activities and details."""
    found: set[ProfilerActivity] = set()
    for item in supported_activities() if activities is None else activities:
        if not isinstance(item, (ProfilerActivity, dict)):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
        for activity in item if isinstance(item, dict) else (item,):
            if activity in found:
                raise ValueError(f"Activity {activity} specified more than once")
            found.add(activity)
    return found
