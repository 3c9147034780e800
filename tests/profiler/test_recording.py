"""What a profile keeps: times, memory, shapes, stacks, operations; and how much of it."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.profiler import profile, record_function
from rushlight.profiler.events import EventList, FunctionEvent
from rushlight.profiler.recording import local


def one(prof: Any, name: str) -> Any:
    (event,) = [e for e in prof.events() if e.name == name]
    return event


def work() -> None:
    w = torch.ones(4, 4, requires_grad=True)
    for _ in range(5):
        with record_function("pass"):
            F.cross_entropy(w @ w, torch.tensor([0, 1, 2, 3])).backward()


def test_times_add_up() -> None:
    with profile() as prof:
        work()
    events = prof.events()
    assert [e.id for e in events] == list(range(1, len(events) + 1))
    for e in events:
        assert e.cpu_time_total == pytest.approx(
            e.self_cpu_time_total + sum(c.cpu_time_total for c in e.cpu_children)
        )
        assert e.self_cpu_time_total >= 0
        for c in e.cpu_children:
            assert e.time_range.start <= c.time_range.start
            assert c.time_range.end <= e.time_range.end
    top = sum(e.cpu_time_total for e in events if e.cpu_parent is None)
    assert events.self_cpu_time_total == pytest.approx(top)
    averages = prof.key_averages()
    assert averages.self_cpu_time_total == pytest.approx(top)
    assert sum(a.count for a in averages) == len(events)
    total = events.total_average()
    assert (total.key, total.count) == ("Total", len(events))
    assert total.self_cpu_time_total == pytest.approx(top)
    row = next(a for a in averages if a.key == "pass")
    assert row.count == 5
    assert row.cpu_time == pytest.approx(row.cpu_time_total / 5)


@pytest.mark.parametrize("limit", [0, 1, 7, 40])
def test_a_bounded_number_of_events(limit: int, tmp_path: Any) -> None:
    with profile(record_shapes=True, profile_memory=True) as whole:
        work()
    with profile(record_shapes=True, profile_memory=True, max_events=limit) as prof:
        work()
    events, averages = prof.events(), prof.key_averages()
    assert len(events) == min(limit, len(whole.events()))
    assert [e.name for e in events] == [e.name for e in whole.events()][:limit]
    # No parent is lost, and no sum.
    parents = [e.cpu_parent.id if e.cpu_parent else None for e in whole.events()][:limit]
    assert [e.cpu_parent.id if e.cpu_parent else None for e in events] == parents

    def sums(found: Any) -> dict[str, Any]:
        return {a.key: (a.count, a.cpu_memory_usage, a.self_cpu_memory_usage) for a in found}

    assert sums(averages) == sums(whole.key_averages())
    by_shape = prof.key_averages(group_by_input_shape=True)
    assert {(a.key, str(a.input_shapes), a.count) for a in by_shape} == {
        (a.key, str(a.input_shapes), a.count) for a in whole.key_averages(group_by_input_shape=True)
    }
    for row in averages:
        assert 0 <= row.self_cpu_time_total <= row.cpu_time_total + 1e-6
    tops = [a for a in averages if a.key == "pass"]
    assert averages.self_cpu_time_total >= tops[0].cpu_time_total
    dropped = len(whole.events()) - limit
    line = f"Events beyond the buffer's limit: {dropped} "
    assert (line in averages.table()) == (dropped > 0)
    assert "beyond the buffer" not in whole.key_averages().table()
    assert events.total_average().count == len(whole.events())
    at_top = [e.key for e in averages if e.cpu_parent is None]
    assert at_top == [e.key for e in whole.key_averages() if e.cpu_parent is None]
    prof.export_chrome_trace(tmp_path / "trace.json")
    assert f'"events not kept": {dropped}' in (tmp_path / "trace.json").read_text()


def test_sums_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rushlight.profiler.recording.MAX_SUMS", 3)
    with profile(record_shapes=True, max_events=0) as prof:
        for n in range(20):
            torch.ones(n).exp()
    assert len(prof.events()._dropped) <= 3 + 2
    assert {a.key: a.count for a in prof.key_averages()} == {"aten::ones": 20, "aten::exp": 20}


def test_memory() -> None:
    x = torch.ones(4, 4)
    with profile(profile_memory=True) as prof:
        x.exp()
        x.t()
        x.add_(1)
        x.reshape(2, 8)
        x.to(torch.float32)
        x.to(torch.float64)
        torch.zeros(10)
        F.softmax(x, 1)
        x.max(1)
        x[1:]
    found = {e.name: e.cpu_memory_usage for e in prof.events() if e.cpu_parent is None}
    assert found == {
        "aten::exp": 64,
        "aten::t": 0,
        "aten::add_": 0,
        "aten::reshape": 0,
        "aten::to": 128,
        "aten::zeros": 40,
        "aten::softmax": 64,
        "aten::max": 4 * (4 + 8),
        "aten::slice": 0,
    }
    for e in prof.events():
        inside = sum(c.cpu_memory_usage for c in e.cpu_children)
        assert e.self_cpu_memory_usage == e.cpu_memory_usage - inside >= 0


def test_memory_of_a_derivative() -> None:
    x = torch.ones(4, 4, requires_grad=True)
    with profile(profile_memory=True) as prof:
        (x * x).sum().backward()
    assert one(prof, "MulBackward0").cpu_memory_usage == 2 * 64
    assert one(prof, "SumBackward0").cpu_memory_usage == 0  # an expanded view


def test_shapes() -> None:
    x = torch.ones(2, 3)
    with profile(record_shapes=True) as prof:
        x @ x.t()
        x + 1
        x[0] + 1
        x[1] + 1
        torch.cat([x, x])
        F.conv2d(torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3), padding=1)
    shapes = {e.name: e.input_shapes for e in prof.events() if e.cpu_parent is None}
    assert shapes["aten::matmul"] == [[2, 3], [3, 2]]
    assert shapes["aten::cat"] == [[2, 3], [2, 3]]
    assert shapes["aten::conv2d"][:2] == [[1, 2, 5, 5], [3, 2, 3, 3]]
    add = next(e for e in prof.events() if e.name == "aten::add")
    assert add.concrete_inputs == ["", "1"]
    assert add.input_dtypes == ["float", "Scalar"]
    grouped = prof.key_averages(group_by_input_shape=True)
    rows = [(a.input_shapes, a.count) for a in grouped if a.key == "aten::add"]
    assert rows == [([[2, 3], []], 1), ([[3], []], 2)]
    with profile() as prof:
        x + 1
    assert prof.events()[0].input_shapes == []


def test_operations_are_counted() -> None:
    a, b = torch.ones(2, 3), torch.ones(3, 5)
    with profile(with_flops=True) as prof:
        a @ b
        a.mm(b)
        torch.addmm(torch.ones(5), a, b)
        torch.bmm(a[None], b[None])
        F.linear(a, b.t())
        a * 2
        a + 1
        F.conv2d(torch.ones(1, 4, 6, 6), torch.ones(8, 2, 3, 3), groups=2)
        a.exp()
    flops = {e.name: e.flops for e in prof.events() if e.cpu_parent is None}
    assert flops["aten::matmul"] == flops["aten::mm"] == flops["aten::addmm"] == 2 * 2 * 3 * 5
    assert flops["aten::bmm"] == flops["aten::linear"] == 60
    assert flops["aten::mul"] == flops["aten::add"] == 6
    assert flops["aten::conv2d"] == 2 * (8 * 4 * 4) * (2 * 3 * 3)
    assert flops["aten::exp"] == 0
    assert "Total FLOPs" in prof.key_averages().table()


def caller(w: Any) -> Any:
    return (w * w).sum()


def test_stacks(tmp_path: Any) -> None:
    w = torch.ones(2, requires_grad=True)
    with profile(with_stack=True) as prof:
        for _ in range(50):
            caller(w).backward()
    events = {e.name: e for e in prof.events()}
    first, second = events["aten::mul"].stack[:2]
    line = caller.__code__.co_firstlineno + 1
    assert first == f"{__file__}({line}): caller"
    assert second.endswith(": test_stacks")
    # A derivative shows where its operation was called.
    assert events["MulBackward0"].stack[0] == first
    grouped = prof.key_averages(group_by_stack_n=1)
    (row,) = [a for a in grouped if a.key == "aten::mul"]
    assert row.stack == [first]
    assert "Source Location" in grouped.table()
    assert "Source Location" not in prof.key_averages().table()
    prof.export_stacks(tmp_path / "stacks.txt", "self_cpu_time_total")
    lines = (tmp_path / "stacks.txt").read_text().splitlines()
    assert lines
    assert all(int(text.rpartition(" ")[2]) > 0 for text in lines)
    assert any("caller" in text for text in lines)
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(tmp_path / "stacks.txt", "nothing")
    with profile() as prof:
        caller(w)
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        prof.export_stacks(tmp_path / "stacks.txt")


# -- the user's marks ----------------------------------------------------------------------------


def test_record_function() -> None:
    @record_function("twice")
    def again(n: int) -> int:
        """What it says."""
        return n if n == 0 else again(n - 1)

    assert again.__doc__ == "What it says."
    mark = record_function("mark", "more")
    with profile(record_shapes=True) as prof:
        again(2)
        with mark:
            pass
        with mark, pytest.raises(KeyError), record_function("raises"):
            raise KeyError
    depth = [e for e in prof.events() if e.name == "twice"]
    assert [e.cpu_parent for e in depth] == [None, *depth[:2]]
    assert [e.name for e in prof.events()][3:] == ["mark", "mark", "raises"]
    assert all(e.is_user_annotation and e.scope == 7 for e in prof.events())
    with record_function("nobody listens") as mark:
        assert local.recorder is None
    assert again(1) == 0


def test_marks_that_outlast_the_profile() -> None:
    before = record_function("before")
    before.__enter__()
    prof = profile()
    prof.start()
    inside = record_function("inside")
    inside.__enter__()
    torch.ones(1)
    before.__exit__(None, None, None)
    prof.stop()
    inside.__exit__(None, None, None)
    assert [e.name for e in prof.events()] == ["inside", "aten::ones"]
    assert prof.events()[1].cpu_parent is prof.events()[0]
    assert local.recorder is None


def test_marks_that_cross() -> None:
    with profile() as prof:
        a, b = record_function("a"), record_function("b")
        a.__enter__()
        b.__enter__()
        a.__exit__(None, None, None)
        b.__exit__(None, None, None)
        torch.ones(1)
    assert [(e.name, e.cpu_parent is None) for e in prof.events()] == [
        ("a", True),
        ("b", False),
        ("aten::ones", True),
    ]


def test_a_profile_within_a_profile() -> None:
    with profile() as outer:
        torch.ones(1)
        with profile() as inner:
            torch.zeros(1)
        torch.eye(2)
    assert [e.name for e in inner.events()] == ["aten::zeros"]
    assert [e.name for e in outer.events()] == ["aten::ones", "aten::eye"]


def test_events_made_by_hand() -> None:
    def event(id: int, start: float, end: float, thread: int = 0) -> Any:
        return FunctionEvent(
            id=id, node_id=0, name="", thread=thread, start_us=start, end_us=end, is_async=False
        )

    events = EventList([event(1, 0, 4), event(2, 1, 3), event(3, 1, 2), event(4, 5, 6)])
    events.append(event(5, 1, 2, thread=1))
    events._populate_cpu_children()
    assert [[c.id for c in e.cpu_children] for e in events] == [[2], [3], [], [], []]
    assert events[0].self_cpu_time_total == 2.0
    one = FunctionEvent(0, "x", 3, 0, 1, device_memory_usage=5, device_resource_id=7)
    assert (one.device_memory_usage, one.device_resource_id) == (5, 7)


def test_whether_this_thread_is_profiled() -> None:
    assert not torch.autograd._profiler_enabled()
    with torch.autograd.profiler.profile():
        assert torch.autograd._profiler_enabled()
    assert not torch.autograd._profiler_enabled()
