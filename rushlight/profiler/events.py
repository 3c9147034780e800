"""What a profile shows: events, their averages, and lists of them.

`EventList` groups events, prints and exports them. The classes have the attributes of PyTorch's.

Read next: `reading.py` for how they are made, `table.py` for the text, `trace.py` for the file of a
trace viewer.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import message
from .recording import Recorder
from .table import build_table, format_time


class DeviceType(enum.Enum):
    """Where an event ran: always the CPU here.

    >>> torch.profiler.DeviceType.CPU.name
    'CPU'
    """

    CPU = 0
    CUDA = 1
    XPU = 12
    HPU = 15
    MTIA = 19
    PrivateUse1 = 20


class Kernel(NamedTuple):
    """A device kernel of an event; there are none on a CPU."""

    name: str
    device: int
    duration: int


class Interval:
    """A stretch of time in microseconds since the profile began."""

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


class FormattedTimesMixin:
    """The times of an event as text, and their average over its calls."""

    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any
    use_device: str | None = None
    # What a device would have done.
    device_time_total = self_device_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    cuda_time_total = self_cuda_time_total = 0

    @property
    def cpu_time(self) -> float:
        """Microseconds a call."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        """Microseconds of a device a call."""
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    cuda_time = device_time

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` with a unit."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total` with a unit."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` with a unit."""
        return format_time(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        """`device_time` with a unit."""
        return format_time(self.device_time)

    @property
    def device_time_total_str(self) -> str:
        """`device_time_total` with a unit."""
        return format_time(self.device_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        """`self_device_time_total` with a unit."""
        return format_time(self.self_device_time_total)


class _Empty:
    """An attribute that is an empty list or dictionary of its own when it is first asked for."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, event: Any, owner: type | None = None) -> Any:
        if event is None:
            return self
        made = event.__dict__[self.name] = self.kind()
        return made


class FunctionEvent(FormattedTimesMixin):
    """One call of an operation, or one stretch that `record_function` marked.

    Attributes:
        id, name, key: a number in the order of starting; what was called (key: for grouping).
        trace_name: the name in traces, where steps keep their number.
        time_range: when, in microseconds since the profile began.
        cpu_time_total, self_cpu_time_total: microseconds, with and without the events inside.
        cpu_memory_usage, self_cpu_memory_usage: bytes allocated for results, likewise.
        cpu_parent, cpu_children: the event around this one, and those directly inside.
        input_shapes, concrete_inputs, input_dtypes: of the operands (with `record_shapes`).
        stack: callers outside this package, innermost first (with `with_stack`).
        sequence_nr: joins an operation and the node of its derivative; -1 where there is none.
        scope: 0 function, 1 backward function, 7 marked by the user.
        flops: floating point operations (with `with_flops`), 0 where not counted.

    >>> with torch.profiler.profile(record_shapes=True) as prof:
    ...     y = torch.exp(torch.ones(2, 3))
    >>> event = prof.events()[-1]
    >>> event.name, event.input_shapes, event.cpu_time_total > 0
    ('aten::exp', [[2, 3]], True)
    """

    # What most events have in common stands here once: a profile can have very many of them.
    node_id = -1
    count = 1
    cpu_parent: FunctionEvent | None = None
    is_async = False
    is_remote = False
    is_legacy = False
    device_type = DeviceType.CPU
    device_index = 0
    overload_name = ""
    fwd_thread: int | None = None
    scope = 0
    cpu_memory_usage = 0
    sequence_nr = -1
    flops: int | None = None
    is_user_annotation = False
    # Within events that were dropped, or are not in the list: no event has them as a child.
    _inside_us: float | None = None
    _inside_bytes: int | None = None
    kernels: Any = _Empty(list)
    kwinputs: Any = _Empty(dict)
    cpu_children: Any = _Empty(list)
    input_shapes: Any = _Empty(list)
    concrete_inputs: Any = _Empty(list)
    input_dtypes: Any = _Empty(list)
    stack: Any = _Empty(list)
    _trace_name: str | None = None
    _resource: int | None = None

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Any = None,
        stack: Any = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: Any = None,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: Any = None,
        kwinputs: Any = None,
        is_user_annotation: bool = False,
        input_dtypes: Any = None,
    ) -> None:
        self.id = id
        self.name = name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        given = {
            "overload_name": overload_name,
            "fwd_thread": fwd_thread,
            "input_shapes": input_shapes,
            "stack": stack,
            "scope": scope or None,
            "use_device": use_device,
            "cpu_memory_usage": cpu_memory_usage or None,
            "device_memory_usage": device_memory_usage or None,
            "is_async": is_async or None,
            "is_remote": is_remote or None,
            "sequence_nr": None if sequence_nr == -1 else sequence_nr,
            "node_id": None if node_id == -1 else node_id,
            "device_type": device_type,
            "device_index": device_index or None,
            "_resource": device_resource_id,
            "is_legacy": is_legacy or None,
            "flops": flops,
            "_trace_name": None if trace_name == name else trace_name,
            "concrete_inputs": concrete_inputs,
            "kwinputs": kwinputs,
            "is_user_annotation": is_user_annotation or None,
            "input_dtypes": input_dtypes,
        }
        for key, value in given.items():
            if value is not None:
                setattr(self, key, value)

    @property
    def trace_name(self) -> str:
        """The name in traces."""
        return self._trace_name or self.name

    @property
    def device_resource_id(self) -> int:
        """The thread, unless it was given."""
        return self.thread if self._resource is None else self._resource

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Note a direct child."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Note the event around this one."""
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """What the event is grouped by."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds from start to end."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds outside the events inside this one."""
        inside = self._inside_us
        if inside is None:
            inside = sum(child.cpu_time_total for child in self.cpu_children)
        return self.cpu_time_total - inside

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes allocated outside the events inside this one."""
        inside = self._inside_bytes
        if inside is None:
            inside = sum(child.cpu_memory_usage for child in self.cpu_children)
        return self.cpu_memory_usage - inside

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} "
            f"{self.use_device}_time={self.device_time_str} name={self.name} "
            f"thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "
            f"{self.use_device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} "
            f"is_legacy={self.is_legacy}>"
        )


# What an average takes over from the first of its events.
FROM_FIRST = (
    *("key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name"),
    *("input_shapes", "stack", "scope", "device_type", "is_legacy", "use_device"),
    "is_user_annotation",
)


class FunctionEventAvg(FormattedTimesMixin):
    """The totals of several events of one key; `cpu_time` is their average.

    >>> with torch.profiler.profile() as prof:
    ...     for _ in range(3):
    ...         torch.exp(torch.ones(2))
    tensor([2.7183, 2.7183])
    tensor([2.7183, 2.7183])
    tensor([2.7183, 2.7183])
    >>> total = prof.key_averages()[-1]
    >>> total.key, total.count, total.cpu_time_total >= total.self_cpu_time_total
    ('aten::exp', 3, True)
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.node_id = 0
        self.is_async = False
        self.is_remote = False
        self.use_device: str | None = None
        self.cpu_time_total: float = 0
        self.self_cpu_time_total: float = 0
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: list[str] | None = None
        self.scope: int | None = None
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.cpu_children: list[FunctionEvent] | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.device_type = DeviceType.CPU
        self.is_legacy = False
        self.is_user_annotation = False
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Add an event, or the totals of several, of the same key."""
        if self.key is None:
            for name in FROM_FIRST:
                setattr(self, name, getattr(other, name))
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.count += other.count
        self.flops += other.flops or 0
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


class EventList(list):  # type: ignore[type-arg]
    """A list of events, or of averages, with ways to group, print and export them.

    Besides the events it holds the totals of those that the bounded buffer did not keep, which
    `key_averages`, `total_average` and `self_cpu_time_total` count.

    >>> with torch.profiler.profile() as prof:
    ...     y = torch.exp(torch.ones(2)) @ torch.ones(2)
    >>> averages = prof.key_averages()
    >>> sorted(e.key for e in averages if e.cpu_parent is None)
    ['aten::exp', 'aten::matmul', 'aten::ones']
    >>> len(averages.table(sort_by="cpu_time_total").splitlines()) > 5
    True
    """

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
        dropped: Iterable[FunctionEventAvg] = (),
        recorder: Recorder | None = None,
    ) -> None:
        super().__init__(events)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops
        self._dropped = list(dropped)
        self._recorder = recorder
        self._number_dropped = 0 if recorder is None else recorder.number_dropped

    def __str__(self) -> str:
        return self.table()

    def _populate_cpu_children(self) -> None:
        """Give each event of a list made by hand its parent: the one of its thread that lies around
        it most closely."""
        here = [e for e in self if not e.is_async and e.device_type == DeviceType.CPU]
        here.sort(key=lambda e: (e.thread, e.node_id, e.time_range.start, -e.time_range.end))
        around: list[Any] = []
        for event in here:
            while around:
                parent = around[-1]
                if (parent.thread, parent.node_id) == (event.thread, event.node_id) and (
                    event.time_range.start < parent.time_range.end >= event.time_range.end
                ):
                    parent.append_cpu_child(event)
                    event.set_cpu_parent(parent)
                    break
                around.pop()
            around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events together."""
        return float(sum(e.self_cpu_time_total for e in (*self, *self._dropped)))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table of text, in PyTorch's columns.

        Args:
            sort_by: an attribute to sort by, largest first: `cpu_time`, `cpu_time_total`,
                `self_cpu_time_total`, `cpu_memory_usage`, `self_cpu_memory_usage`, `count`.
            row_limit: how many rows; -1 for all.
            header: a line above the table.
            top_level_events_only: leave out what ran inside other events.
            time_unit: "s", "ms" or "us" instead of a fitting one.
        """
        return build_table(
            self,
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            with_flops=self._with_flops,
            profile_memory=self._profile_memory,
            top_level_events_only=top_level_events_only,
            time_unit=time_unit,
            dropped=self._number_dropped,
        )

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The totals of the events by name, and by shapes and callers if wished."""
        groups: dict[Any, FunctionEventAvg] = {}
        for e in (*self, *self._dropped):
            key: list[Any] = [e.key, e.is_user_annotation]
            if group_by_input_shapes:
                key.append(str(e.input_shapes))
            if group_by_stack_n > 0:
                key += (e.stack or [])[:group_by_stack_n]
            place = tuple(key)
            found = groups.get(place)
            if found is None:
                found = groups[place] = FunctionEventAvg()
            found.add(e)
        averages = EventList(
            groups.values(),
            use_device=self._use_device,
            profile_memory=self._profile_memory,
            with_flops=self._with_flops,
        )
        averages._number_dropped = self._number_dropped
        for a in averages:
            a.stack = (a.stack or [])[:group_by_stack_n]
            if not group_by_input_shapes:
                a.input_shapes = ""
            a.overload_name = ""
        return averages

    def total_average(self) -> FunctionEventAvg:
        """One total over all events, under the key "Total"."""
        total = FunctionEventAvg()
        for e in (*self, *self._dropped):
            total.key = None  # so that any event may be added
            total.add(e)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a file for a trace viewer."""
        from .trace import write_trace

        write_trace(path, self)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` can weigh by."""
        return [
            "self_cpu_time_total",
            "self_cuda_time_total",
            "self_xpu_time_total",
            "self_privateuse1_time_total",
        ]

    def export_stacks(self, path: str | os.PathLike[str], metric: str) -> None:
        """Write a line "outer;inner microseconds" for each event, as flame graph tools read it."""
        known = self.supported_export_stacks_metrics()
        if metric not in known:
            raise ValueError(
                message(f"metric should be one of: {known}", got=metric, hint=f"{known[0]!r}")
            )
        name = metric
        for device in ("cuda", "xpu", "privateuse1"):
            name = name.replace(device, "device")
        from ..serialization.atomic import replacing

        spaces = str.maketrans(" ;\t\n", "____")
        with replacing(path) as file:
            for e in self:
                weight = int(getattr(e, name))
                if e.stack and weight > 0:
                    line = ";".join(entry.translate(spaces) for entry in reversed(e.stack))
                    file.write(f"{line} {weight}\n".encode())
