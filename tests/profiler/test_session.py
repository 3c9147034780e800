"""`torch.profiler.profile`: steps, cycles, files; and the older `torch.autograd.profiler`."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import profiler as autograd_profiler
from rushlight.profiler import (
    ProfilerAction,
    ProfilerActivity,
    events,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)
from rushlight.profiler.recording import local
from rushlight.profiler.table import format_memory, format_share, format_time


def work() -> None:
    w = torch.ones(2, 2, requires_grad=True)
    with record_function("mine"):
        (w @ w).sum().backward()


# -- steps and cycles ----------------------------------------------------------------------------


def test_a_schedule_and_its_cycles() -> None:
    seen: list[Any] = []
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    with profile(
        schedule=plan,
        on_trace_ready=lambda p: seen.append((p.step_num, [e.trace_name for e in p.events()])),
    ) as prof:
        for n in range(12):
            assert (local.recorder is not None) == (n in (3, 4, 7, 8))
            torch.ones(n)
            prof.step()
    assert seen == [
        (5, ["ProfilerStep#3", "aten::ones", "ProfilerStep#4", "aten::ones"]),
        (9, ["ProfilerStep#7", "aten::ones", "ProfilerStep#8", "aten::ones"]),
    ]
    row = prof.key_averages()[0]
    assert (row.key, row.count) == ("ProfilerStep*", 2)
    assert prof.current_action is ProfilerAction.NONE


def test_without_a_schedule_all_is_recorded() -> None:
    ready = []
    prof = profile(on_trace_ready=ready.append)
    prof.start()
    torch.ones(1)
    prof.step()
    torch.ones(1)
    assert ready == []
    prof.stop()
    assert ready == [prof]
    assert [e.name for e in prof.events()] == ["aten::ones"] * 2


def test_events_of_all_cycles() -> None:
    plan = schedule(wait=1, warmup=1, active=1)
    with profile(schedule=plan, acc_events=True) as prof:
        for _ in range(9):
            torch.ones(1)
            prof.step()
    assert sum(e.name == "aten::ones" for e in prof.events()) == 3


def test_a_wrong_schedule_is_told() -> None:
    plan = [ProfilerAction.WARMUP, ProfilerAction.NONE, ProfilerAction.RECORD]
    with profile(schedule=lambda n: plan[n % 3]) as prof:
        with pytest.warns(UserWarning, match="WARMUP followed by NONE"):
            prof.step()
        prof.step()
        with pytest.warns(UserWarning, match="RECORD followed by WARMUP"):
            prof.step()
    with pytest.raises(ValueError, match="DEVICE_STOPPED"):
        profile(schedule=lambda n: ProfilerAction.DEVICE_STOPPED)
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=0, warmup=0, active=1)


def test_pausing() -> None:
    with profile() as prof:
        torch.ones(1)
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        torch.zeros(1)
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        torch.eye(1)
    assert [e.name for e in prof.events()] == ["aten::ones", "aten::eye"]


def test_what_cannot_be_recorded() -> None:
    with pytest.raises(ValueError, match="more than once"):
        profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CPU])
    with pytest.raises(TypeError, match="Expected ProfilerActivity"):
        profile(activities=["cpu"])
    with pytest.raises(NotImplementedError, match="export_memory_timeline"):
        profile().export_memory_timeline("x.html")
    with (
        pytest.raises(AssertionError, match=r"CUDA enabled[\s\S]*try"),
        autograd_profiler.emit_nvtx(),
    ):
        pass
    with (
        pytest.raises(RuntimeError, match=r"ITT[\s\S]*torch.profiler.profile"),
        autograd_profiler.emit_itt(),
    ):
        pass
    with autograd_profiler.emit_nvtx(enabled=False), autograd_profiler.emit_itt(enabled=False):
        pass
    with pytest.raises(NotImplementedError, match="nvprof"):
        autograd_profiler.load_nvprof("x")


# -- traces --------------------------------------------------------------------------------------


def test_a_trace(tmp_path: Path) -> None:
    with profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        work()
        torch.ones(2) + 1.5
        prof.add_metadata("who", 'a "name"')
        prof.add_metadata_json("numbers", "[1, 2]")
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert trace["schemaVersion"] == 1
    assert trace["who"] == 'a "name"'
    assert trace["numbers"] == [1, 2]
    assert trace["record_shapes"] == 1
    assert trace["baseTimeNanoseconds"] > 1.5e18
    assert trace["trace_id"] == prof.get_trace_id()
    entries = trace["traceEvents"]
    spans = [e for e in entries if e["ph"] == "X"]
    assert len(spans) == len(prof.events())
    for span, event in zip(spans, prof.events(), strict=True):
        assert span["name"] == event.trace_name
        assert span["cat"] == ("user_annotation" if event.scope == 7 else "cpu_op")
        assert span["ts"] == pytest.approx(event.time_range.start, abs=1e-3)
        assert span["dur"] == pytest.approx(event.cpu_time_total, abs=1e-3)
        assert span["pid"] == os.getpid()
        assert isinstance(span["tid"], int)
    by_name = {e["name"]: e for e in reversed(spans)}  # the first of each name
    assert by_name["aten::matmul"]["args"]["Input Dims"] == [[2, 2], [2, 2]]
    assert by_name["aten::matmul"]["args"]["Input type"] == ["float", "float"]
    assert by_name["aten::add"]["args"]["Concrete Inputs"] == ["", "1.5"]
    number = by_name["aten::matmul"]["args"]["Sequence number"]
    assert by_name["MmBackward0"]["args"]["Sequence number"] == number
    # Arrows from an operation to its derivative.
    starts = {e["id"]: e for e in entries if e["ph"] == "s"}
    ends = {e["id"]: e for e in entries if e["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert {e["cat"] for e in starts.values()} == {"fwdbwd"}
    pairs = {(starts[i]["ts"], ends[i]["ts"]) for i in starts}
    assert (by_name["aten::matmul"]["ts"], by_name["MmBackward0"]["ts"]) in pairs
    assert len(pairs) == 2


def test_a_packed_trace_and_a_folder_of_traces(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "run"
    plan = schedule(wait=0, warmup=1, active=1)
    ready = tensorboard_trace_handler(str(folder), worker_name="me", use_gzip=True)
    with profile(schedule=plan, on_trace_ready=ready) as prof:
        for _ in range(4):
            work()
            prof.step()
    files = sorted(folder.iterdir())
    assert len(files) == 2
    assert all(f.name.startswith("me.") and f.name.endswith(".pt.trace.json.gz") for f in files)
    for file, step in zip(files, (1, 3), strict=True):
        trace = json.loads(gzip.decompress(file.read_bytes()))
        assert f"ProfilerStep#{step}" in {e["name"] for e in trace["traceEvents"]}
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="Can't create directory"):
        tensorboard_trace_handler(str(tmp_path / "file" / "x"))(prof)


def test_a_failed_export_leaves_the_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with profile() as prof:
        work()
    path = tmp_path / "trace.json"
    path.write_text("older")
    monkeypatch.setattr("rushlight.profiler.trace.entries", lambda events: iter([object()]))
    with pytest.raises(TypeError):
        prof.export_chrome_trace(path)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


# -- torch.autograd.profiler ---------------------------------------------------------------------


def test_the_older_profiler(tmp_path: Path) -> None:
    prof = autograd_profiler.profile(record_shapes=True)
    assert str(prof) == "<unfinished torch.autograd.profile>"
    assert prof.function_events is None
    with pytest.raises(AssertionError, match="Expected profiling results"):
        prof.table()
    with prof:
        work()
        with pytest.raises(AssertionError, match="block has not ended"):
            prof.key_averages()
    found = prof.function_events
    assert found is not None
    assert str(prof) == str(found) == prof.table()
    assert prof.self_cpu_time_total == found.self_cpu_time_total
    assert prof.total_average().count == len(found)
    assert "FunctionEvent id=1 name=" in repr(prof)
    assert prof.table(top_level_events_only=True).count("\n") < prof.table().count("\n")
    assert prof.key_averages().table(sort_by="cpu_time_total", row_limit=1, header="H") != ""
    prof.export_chrome_trace(str(tmp_path / "t.json"))
    json.loads((tmp_path / "t.json").read_text())
    with pytest.raises(RuntimeError, match="not reentrant"), prof:
        pass
    with autograd_profiler.profile(enabled=False) as off:
        work()
    assert off is None
    with autograd_profiler.profile() as empty:
        pass
    assert str(empty) == ""


def test_names_under_which_programs_find_it() -> None:
    import rushlight.autograd.profiler_legacy
    import rushlight.autograd.profiler_util

    assert rushlight.autograd.profiler_legacy.profile is autograd_profiler.profile
    assert rushlight.autograd.profiler_util.FunctionEvent is events.FunctionEvent
    assert torch.autograd.profiler.record_function is torch.profiler.record_function
    assert torch.profiler.kineto_available()
    assert torch.profiler.DeviceType.CPU.name == "CPU"


# -- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("us", "text"),
    [(0, "0.000us"), (999.9994, "999.999us"), (1000, "1.000ms"), (1.5e6, "1.500s")],
)
def test_times(us: float, text: str) -> None:
    assert format_time(us) == text


def test_shares_and_sizes() -> None:
    assert format_share(1, 3) == "33.33%"
    assert format_share(0, 0) == "NaN"
    assert [format_memory(n) for n in (5, -2048, 3 << 20, 1 << 31)] == [
        *("5 B", "-2.00 KB", "3.00 MB", "2.00 GB"),
    ]
