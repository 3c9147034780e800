"""Launches of a plan that are one native call: parts of arrays, numbers, other threads."""

from __future__ import annotations

import cProfile
import gc
import pstats
import threading
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, together, tuning
from rushlight.kernels.codegen.interface import Interface, Kernel
from rushlight.kernels.codegen.ir import F64, PTR, Module, Value
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Launch, Plan, Reference, Series, View
from rushlight.kernels.runtime import threads

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

SCALE = Interface(
    "scale",
    "y = x * by + n * more, and x = 0 where there is none",
    arrays={"y": "the result", "x?": "an operand"},
    ints={"n": "elements", "more": "a number"},
    floats={"by": "a factor"},
)


def build() -> Module:
    module = Module("scale")
    threads.declare_run(module)
    f = SCALE.begin_run(module)
    n = f.args["n"]
    added = f.convert(n * f.args["more"], F64)
    y, x = f.args["y"].of(F64), f.args["x"].of(F64)
    there = f.compare("ne", f.args["x"], Value(f, PTR, "null"))
    with f.when(there) as branch, f.range(n) as i:
        y[i] = x[i] * f.args["by"] + added
    with branch.otherwise(), f.range(n) as i:
        y[i] = added
    f.ret()
    SCALE.write_invoke(module)
    return module


KERNEL = Kernel(SCALE, ("test_together",), build)
META = MetaArray((4,), np.float64)


def scale(y: Any, x: Any, more: Any = 0, by: Any = 1.0, n: int = 4) -> Launch:
    return Launch(KERNEL, y=y, x=x, n=n, more=more, by=by)


def plan(launches: Any, operands: Any = ("x",), outputs: Any = None, **more: Any) -> Plan:
    return Plan("test.scale", operands, outputs or {"y": META}, launches, **more)


def test_one_call_for_neighbours() -> None:
    """And one more behind what NumPy does."""
    y, z = {"y": META, "z": META}, ("z",)
    made = plan([scale("y", "x", by=2.0), scale("y", "y", more=1)], outputs=y, returns=("y",))
    profile = cProfile.Profile()
    made.run(np.ones(4))
    profile.runcall(made.run, np.ones(4))
    found = {k[2]: v[0] for k, v in pstats.Stats(profile).stats.items()}  # type: ignore[attr-defined]
    assert [n for name, n in found.items() if "test.scale" in name] == [1]
    np.testing.assert_array_equal(made.run(np.ones(4)), np.full(4, 6.0))
    steps = [scale("y", "x", by=2.0), Reference(np.negative, ("y",), ("z",)), scale("z", "z", 1)]
    np.testing.assert_array_equal(
        plan(steps, outputs=y, returns=z).run(np.ones(4)), np.full(4, 2.0)
    )


def test_parts_of_arrays() -> None:
    """Memory of the workspace, constants, views of views, with NumPy in between or without."""
    table = np.arange(8.0)
    half = MetaArray((4,), np.float64)
    for through_numpy in (False, True):
        steps: list[Any] = [
            scale("room", "x", by=3.0), scale("more", "room", more=1),
            View("end", "table", MetaArray((6,), np.float64), 16), View("later", "end", half, 16),
            scale("y", "more"), scale("z", "later"),
        ]  # fmt: skip
        if through_numpy:
            steps.append(Reference(np.add, ("y", "later"), ("sum",)))
        else:
            steps.append(scale("sum", "z"))
        made = plan(
            steps, outputs={"y": META, "z": META, "sum": META}, workspace={"room": 32, "more": 32},
            constants={"table": table},
        )  # fmt: skip
        y, z, total = made.run(np.ones(4))
        np.testing.assert_array_equal(y, np.full(4, 7.0))
        np.testing.assert_array_equal(z, table[4:])
        np.testing.assert_array_equal(total, y + z if through_numpy else z)
    del table
    gc.collect()
    np.testing.assert_array_equal(made.run(np.ones(4))[1], np.arange(4.0, 8.0))


def test_operands_that_are_not_there() -> None:
    made = plan([scale("y", "x", more=2)])
    np.testing.assert_array_equal(made.run(None), np.full(4, 8.0))
    np.testing.assert_array_equal(made.run(np.ones(4)), np.full(4, 9.0))
    assert plan([scale("y", None, more=-1)], operands=()).run().tolist() == [-4.0] * 4


def test_numbers_that_come_with_the_call() -> None:
    made = plan([scale("y", "x", "more", "by"), scale("y", "y", "more")], scalars=("by", "more"))
    for by, more in ((2.0, 3), (np.float64(0.5), -1), (3, True)):
        wanted = np.ones(4) * float(by) + 8 * int(more)
        np.testing.assert_array_equal(made.run(np.ones(4), by, more), wanted)


def test_more_launches_than_a_call_takes() -> None:
    many = [scale("y", "x"), *[scale("y", "y", more=1)] * 300]
    found = [*together.calls("many", many, {}, {}, ("x",), True)]
    assert len(found) == 3  # 5 words each, 512 at most
    np.testing.assert_array_equal(plan(many).run(np.ones(4)), np.full(4, 1201.0))


def test_other_threads_run_the_same_plan() -> None:
    """Each call has words of its own, whether others may run meanwhile or not."""
    n = 1 << 16
    meta = MetaArray((n,), np.float64)
    for flops in (None, 1):
        made = plan([scale("y", "x", n=n), scale("y", "y", n=n)], outputs={"y": meta}, flops=flops)
        wrong = []

        def several(k: int, made: Plan = made, wrong: list[int] = wrong) -> None:
            x = np.full(n, float(k))
            for _ in range(20):
                if not (made.run(x) == k).all():
                    wrong.append(k)

        workers = [threading.Thread(target=several, args=(k,)) for k in range(4)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        assert not wrong


@pytest.mark.parametrize(
    ("flops", "size", "releases"),
    [(None, 0, True), (0, 0, True), (1, 0, False), (1, tuning.RELEASE_LEAST, True)],
)
def test_who_lets_other_threads_run(
    flops: Any, size: int, releases: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans that cost something, or of which nobody knows."""
    from rushlight.kernels.runtime import calls

    seen = []
    real = calls.function
    monkeypatch.setattr(calls, "function", lambda *a: (seen.append(a[5]), real(*a))[1])
    plan([scale("y", "x")], flops=flops, bytes=size).run(np.ones(4))
    assert seen == [releases]


def test_a_series_stays_one() -> None:
    steps = [scale("y", "x"), Series([scale("y", "y", more=1)] * 3), scale("y", "y", by=2.0)]
    np.testing.assert_array_equal(plan(steps).run(np.ones(4)), np.full(4, 26.0))
    numpy = Reference(lambda y: np.multiply(y, 3.0, out=y), ("y",), ())  # beside NumPy, too
    np.testing.assert_array_equal(plan([*steps, numpy]).run(np.ones(4)), np.full(4, 78.0))
