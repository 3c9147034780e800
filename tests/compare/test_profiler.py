"""The profiler beside PyTorch's: text of tables, schedules, cycles, names of events, warnings."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry
from rushlight.profiler import ProfilerAction, ProfilerActivity, events, names, profile, schedule

torch = pytest.importorskip("torch")
util = pytest.importorskip("torch.autograd.profiler_util")

# -- tables --------------------------------------------------------------------------------------

# name, start, end, bytes, shapes, stack, flops, scope
ROWS: list[tuple[Any, ...]] = [
    ("aten::conv2d", 0.0, 5000.5, 4096, [[2, 3, 8, 8], [4, 3, 3, 3]], ["a.py(1): f"], 55296, 0),
    ("aten::convolution", 10.0, 4000.0, 4096, [[2, 3, 8, 8]], ["a.py(1): f", "b.py(2): g"], 0, 0),
    ("aten::add", 6000.0, 6001.25, 12, [[], []], [], 18, 0),
    ("aten::add", 7000.0, 2_000_000.0, 3 << 20, [[3], []], ["a.py(9): h"], 3_000_000, 0),
    ("autograd::engine::evaluate_function: ConvolutionBackward0 with a name that is too long",
     2_000_001.0, 2_000_400.0, -5, [], [], 0, 0),
    ("ConvolutionBackward0", 2_000_002.0, 2_000_399.0, 5 << 30, [[2] * 60], ["x" * 90], 0, 1),
    ("forward", 2_000_500.0, 2_000_500.0, 0, [], [], 0, 7),
]  # fmt: skip


def lists(shapes: bool, stacks: bool, flops: bool, memory: bool) -> tuple[Any, Any]:
    """The same events as PyTorch's list and as ours."""
    theirs, ours = [], []
    for i, (name, start, end, nbytes, dims, stack, count, scope) in enumerate(ROWS):
        given = {
            "input_shapes": dims if shapes else [],
            "stack": stack if stacks else [],
            "cpu_memory_usage": nbytes,
            "flops": count,
            "scope": scope,
            "fwd_thread": 0,
        }
        theirs.append(util.FunctionEvent(i, name, 1, start, end, **given))
        ours.append(events.FunctionEvent(i, name, 1, start, end, **given))
    their_list = util.EventList(theirs, use_device=None, profile_memory=memory, with_flops=flops)
    their_list._populate_cpu_children()
    their_list._tree_built = True
    for a, b in zip(theirs, ours, strict=True):
        if a.cpu_parent is not None:
            parent = ours[a.cpu_parent.id]
            parent.append_cpu_child(b)
            b.set_cpu_parent(parent)
    return their_list, events.EventList(ours, profile_memory=memory, with_flops=flops)


KINDS = [k for k in itertools.product((False, True), repeat=4) if not (k[1] and k[2])]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_tables_are_the_same_text(kind: tuple[bool, ...]) -> None:
    theirs, ours = lists(*kind)
    assert ours.table() == theirs.table()
    for group in ({}, {"group_by_input_shapes": True}, {"group_by_stack_n": 2}):
        a, b = theirs.key_averages(**group), ours.key_averages(**group)
        for how in (
            {},
            {"sort_by": "cpu_time_total", "row_limit": 2},
            {"sort_by": "self_cpu_memory_usage", "header": "a header"},
            {"sort_by": "count", "row_limit": -1, "time_unit": "ms"},
            {"sort_by": "self_cuda_time_total"},
            {"max_name_column_width": 20, "max_shapes_column_width": 10},
            {"max_name_column_width": None, "max_src_column_width": 12},
            {"top_level_events_only": True, "time_unit": "s"},
        ):
            assert b.table(**how) == a.table(**how), how
        assert str(b) == str(a)
    assert ours.self_cpu_time_total == theirs.self_cpu_time_total
    assert repr(ours.total_average()) == repr(theirs.total_average())


def test_source_and_operations_stand_under_their_headings() -> None:
    """PyTorch swaps the two cells of a row."""
    theirs, ours = lists(True, True, True, True)
    head, row = ours.table().splitlines()[1:4:2]
    assert head == theirs.table().splitlines()[1]
    place = head.index("Source Location")
    assert row[place:].startswith("a.py(1): f")
    assert row.rstrip().endswith("55296.000") or row.rstrip().endswith("--")


NAMES = """
id key name cpu_time cpu_time_total self_cpu_time_total cpu_memory_usage count input_shapes stack
self_cpu_memory_usage scope thread fwd_thread node_id is_async is_remote sequence_nr is_legacy
use_device flops kernels cpu_time_str cpu_time_total_str self_cpu_time_total_str device_time
device_time_total self_device_time_total device_memory_usage is_user_annotation device_index
"""
SAME = NAMES.split()


def test_attributes() -> None:
    theirs, ours = lists(True, False, True, True)
    for a, b in zip(theirs, ours, strict=True):
        for name in SAME:
            assert getattr(b, name) == getattr(a, name), name
        assert [c.id for c in b.cpu_children] == [c.id for c in a.cpu_children]
    missing = set(vars(theirs[0])) - set(dir(ours[0]))
    kineto = "activity_type event_metadata external_id flow_id flow_start flow_type"
    assert missing <= {
        *kineto.split(),
        *(n for n in missing if n.startswith(("_", "python_", "structured_", "linked_"))),
        "is_python_function",
        "self_cpu_percent",
        "total_cpu_percent",
        "total_device_percent",
    }


# -- schedules and cycles ------------------------------------------------------------------------


def test_schedules() -> None:
    choices = itertools.product((0, 1, 3), (0, 1, 2), (1, 2, 3), (0, 1, 2), (0, 1, 4), (0, 1))
    for wait, warmup, active, repeat, skip, first in choices:
        how = {
            "wait": wait,
            "warmup": warmup,
            "active": active,
            "repeat": repeat,
            "skip_first": skip,
            "skip_first_wait": first,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = torch.profiler.schedule(**how), schedule(**how)
        for step in range(25):
            assert ours(step).value == theirs(step).value, (how, step)


@pytest.mark.parametrize(
    "wrong", [{"wait": -1}, {"warmup": -1}, {"active": 0}, {"repeat": -1}, {"skip_first": -1}]
)
def test_wrong_schedules(wrong: dict[str, int]) -> None:
    how = {"wait": 1, "warmup": 1, "active": 1, **wrong}
    with pytest.raises(AssertionError) as theirs:
        torch.profiler.schedule(**how)
    with pytest.raises(AssertionError) as ours:
        schedule(**how)
    assert str(ours.value) == str(theirs.value)


def cycles(package: Any, plan: list[int], steps: int) -> tuple[list[Any], list[str]]:
    """What `on_trace_ready` sees of a run under a plan of actions, and the warnings."""
    actions = package.profiler.ProfilerAction
    seen: list[Any] = []

    def ready(prof: Any) -> None:
        marks = [e.trace_name for e in prof.events() if e.name == "ProfilerStep*"]
        adds = sum(e.name == "aten::add" for e in prof.events())
        seen.append((prof.step_num, marks, adds))

    x = package.ones(2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with package.profiler.profile(
            activities=[package.profiler.ProfilerActivity.CPU],
            schedule=lambda step: actions(plan[step % len(plan)]),
            on_trace_ready=ready,
        ) as prof:
            for _ in range(steps):
                x + x
                prof.step()
    return seen, [str(w.message) for w in told if "schedule" in str(w.message)]


PLANS = [[0, 1, 2, 3], [1, 3], [2, 2, 3], [3], [0, 1, 3, 0], [2], [2, 0], [0, 0, 2, 3, 1, 3]]


@pytest.mark.parametrize("plan", PLANS, ids=str)
@pytest.mark.parametrize("steps", [1, 6])
def test_cycles(plan: list[int], steps: int) -> None:
    assert cycles(rushlight, plan, steps) == cycles(torch, plan, steps)


# -- names ---------------------------------------------------------------------------------------


def test_every_aten_name_is_an_operator_of_pytorch() -> None:
    known = {name.split(".")[0] for name in torch._C._dispatch_get_all_op_names()}
    shown = {names.op_name(op) for op in registry.values()}
    shown |= {names.public_name(c.name, c.public) for c in composites.values()
              if not names.is_quiet(c)}  # fmt: skip
    assert len(shown) > 700
    assert sorted(n for n in shown if n.startswith("aten::") and n not in known) == []
    # (We have in-place forms that PyTorch lacks.)
    inplace = {
        names.op_name(op) + "_" for op in registry.values() if hasattr(torch.Tensor, op.name + "_")
    }
    assert sorted(n for n in inplace if n.startswith("aten::") and n not in known) == []


def recorded(package: Any) -> list[Any]:
    """The events of two training steps of a small network."""
    nn, F = package.nn, package.nn.functional
    package.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    optimizer = package.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, target = package.randn(2, 3, 8, 8), package.tensor([1, 2])
    with package.autograd.profiler.profile(record_shapes=True) as prof:
        for _ in range(2):
            optimizer.zero_grad()
            with package.autograd.profiler.record_function("forward"):
                loss = F.cross_entropy(model(x), target)
            loss.backward()
            optimizer.step()
    return list(prof.function_events)


def test_a_training_step_has_pytorchs_names() -> None:
    ours, theirs = recorded(rushlight), recorded(torch)
    top = [e for e in ours if e.cpu_parent is None]
    their_top = [e for e in theirs if e.cpu_parent is None and e.name != "aten::ones_like"]

    def order(found: list[Any]) -> list[str]:
        # A transposed weight is an operation of its own in PyTorch.
        return [e.name for e in found if "TBackward0" not in e.name]

    def without_leaves(found: list[str]) -> list[str]:
        return [n for n in found if "AccumulateGrad" not in n]

    # Cross entropy of classes is one operation here, for all sizes and whoever looks on.
    wanted = [n for n in order(their_top) if "LogSoftmaxBackward0" not in n]
    assert without_leaves(order(top)) == without_leaves(wanted)
    assert sorted(order(top)) == sorted(wanted)  # leaves: as many
    forward = next(e for e in ours if e.name == "forward")
    their_forward = next(e for e in theirs if e.name == "forward")
    inside = [(c.name, c.input_shapes[:2]) for c in forward.cpu_children]
    assert inside == [(c.name, c.input_shapes[:2]) for c in their_forward.cpu_children]
    shared = {e.name for e in ours} & {e.name for e in theirs}
    assert shared >= {
        "aten::convolution_backward",
        "ConvolutionBackward0",
        "aten::native_batch_norm",
    }


# -- what is not there ---------------------------------------------------------------------------


def told(package: Any, **how: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with package(**how):
            pass
    return [str(w.message) for w in seen]


def test_cuda_is_refused_as_in_a_build_for_cpus() -> None:
    if torch.cuda.is_available():
        pytest.skip("PyTorch sees a GPU")
    ours, theirs = ProfilerActivity, torch.profiler.ProfilerActivity
    assert {a.name: a.value for a in ours} == {k: int(v) for k, v in theirs.__members__.items()}
    assert {a.name for a in rushlight.profiler.supported_activities()} == {"CPU"}
    assert told(profile, activities=[ours.CPU, ours.CUDA]) == told(
        torch.profiler.profile, activities=[theirs.CPU, theirs.CUDA]
    )
    for how in ({"use_cuda": True}, {"use_device": "cuda"}, {"use_device": "nothing"}):
        assert told(rushlight.autograd.profiler.profile, **how) == told(
            torch.autograd.profiler.profile, **how
        )
    for package in (rushlight, torch):
        with (
            pytest.warns(UserWarning, match="CUDA is not available"),
            pytest.raises(AssertionError, match="No activities specified"),
        ):
            package.profiler.profile(activities=[package.profiler.ProfilerActivity.CUDA]).start()
        with pytest.raises(AssertionError, match="No valid profiler activities found"):
            package.profiler.profile(activities=[])
        with pytest.raises(AssertionError, match="Profiler must be initialized"):
            package.profiler.profile().key_averages()
        with pytest.raises(AssertionError, match="CUDA"), package.autograd.profiler.emit_nvtx():
            pass
        with package.autograd.profiler.emit_nvtx(enabled=False):
            pass


def test_actions_have_pytorchs_numbers() -> None:
    theirs = {a.name: a.value for a in torch.profiler.ProfilerAction}
    assert {a.name: a.value for a in ProfilerAction} == theirs


def test_public_names() -> None:
    for module in ("profiler", "autograd.profiler", "autograd.profiler_util"):
        theirs = __import__(f"torch.{module}", fromlist=["x"])
        ours = __import__(f"rushlight.{module}", fromlist=["x"])
        lacking = set(theirs.__all__) - set(dir(ours))
        assert lacking <= {
            "ExecutionTraceObserver",  # replay of executions
            *("EventMetadata", "StringTable", "MemRecordsAcc"),  # of PyTorch's tracing library
            *("EnforceUnique", "KinetoStepTracker", "parse_nvprof_trace"),
        }


# -- the example ---------------------------------------------------------------------------------


def test_the_example_runs_under_pytorch_too(tmp_path: Path) -> None:
    program = Path(__file__).parents[2] / "examples" / "profiler_session.py"
    options = ["--steps", "8", "--batch-size", "8", "--out", str(tmp_path)]
    got = subprocess.run(
        [sys.executable, str(program), *options], capture_output=True, text=True, check=False
    )
    assert got.returncode == 0, got.stderr
    assert got.stdout.splitlines()[-1].startswith("trace of 5 steps")
