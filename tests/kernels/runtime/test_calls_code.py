"""Whole plans as one native function: outputs, workspace, what comes back, errors."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from rushlight import config
from rushlight.kernels import plan as plans
from rushlight.kernels import runtime
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Reference, View
from rushlight.kernels.runtime import calls, threads, workspace
from tests.kernels.test_together import META, plan, scale

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

TWO = {"y": META, "z": META}


def both(made: Any) -> list[Any]:
    """`run` by machine code and by Python."""
    whole = plans.in_one_call(made)
    assert whole is not None
    return [whole, plans.written(made)]


def test_the_same_as_in_python() -> None:
    steps = [scale("y", "x", by=2.0), scale("z", "y", more="n", by="f")]
    made = plan(steps, outputs=TWO, returns=("z", "y"), scalars=("n", "f"))
    for run in both(made):
        z, y = run(np.ones(4), 1, 0.5)
        np.testing.assert_array_equal(y, np.full(4, 2.0))
        np.testing.assert_array_equal(z, np.full(4, 5.0))
        assert all(a.flags.owndata and a.flags.c_contiguous and a.base is None for a in (y, z))


def test_one_array_none_or_an_operand_comes_back() -> None:
    for run in both(plan([scale("y", "x")])):
        assert run(np.ones(4)).shape == (4,)
    x = np.ones(4)
    for run in both(plan([scale("x", "x", by=3.0)], outputs={}, returns=(), mutates=("x",))):
        assert run(x) is None
    np.testing.assert_array_equal(x, np.full(4, 9.0))
    for run in both(plan([scale("x", "x", by=1.0)], outputs={}, returns=("x",), mutates=("x",))):
        assert run(x) is x


def test_arrays_lie_as_the_plan_says() -> None:
    metas = {
        "y": MetaArray((2, 2), np.float64, (8, 16)), "e": MetaArray((0, 3), np.int64),
        "s": MetaArray((), np.float32), "z": MetaArray((1, 4), np.float64, (80, 8)),
    }  # fmt: skip
    made = plan([scale("y", "x")], outputs=metas, returns=tuple(metas))
    results = [run(np.ones(4)) for run in both(made)]
    for a, b, meta in zip(*results, metas.values(), strict=True):
        assert a.shape == b.shape == meta.shape
        assert a.dtype is b.dtype
        assert a.strides == b.strides
        assert str(a.flags) == str(b.flags)


def test_workspace_is_the_threads_own_and_views_are_parts() -> None:
    steps = [
        scale("first", "x", by=2.0), View("part", "first", MetaArray((2,), np.float64), 16),
        scale("second", "part", n=2, more=1), scale("y", "second", n=2),
    ]  # fmt: skip
    made = plan(steps, outputs={"y": MetaArray((2,), np.float64)},
                workspace={"first": 32, "second": 16})  # fmt: skip
    workspace.release()
    for run in both(made):
        for _ in range(2):
            np.testing.assert_array_equal(run(np.arange(4.0)), [6.0, 8.0])
    assert workspace.kept.room.nbytes == 128
    run, found = both(made)[0], []

    def elsewhere() -> None:
        found.append((run(np.arange(4.0)), workspace.kept.room))

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    np.testing.assert_array_equal(found[0][0], [6.0, 8.0])
    assert found[0][1] is not workspace.kept.room


def test_the_pool_is_asked() -> None:
    """Another number of threads is brought about before the first kernel."""
    run = both(plan([scale("y", "x")]))[0]
    before = config.current.num_threads
    try:
        for n in (3, 1, before):
            config.current.num_threads = n
            run(np.ones(4))
            assert threads.pool().size == n
    finally:
        config.current.num_threads = before


def test_another_number_of_operands() -> None:
    run = both(plan([scale("y", "x")]))[0]
    for given in ((), (np.ones(4), np.ones(4))):
        with pytest.raises(TypeError, match="another number of arrays"):
            run(*given)


def test_an_output_that_has_no_room_lets_go_of_the_others() -> None:
    huge = {"y": META, "z": MetaArray((1 << 60,), np.float64)}
    run = both(plan([scale("y", "x")], outputs=huge, returns=("y", "z")))[0]
    x, counts = np.ones(4), []
    for _ in range(10):
        with pytest.raises((MemoryError, ValueError)):
            run(x)
        counts.append(sys.getrefcount(META.dtype))
    assert counts[-1] == counts[1]


def test_an_operand_may_be_left_out() -> None:
    for run in both(plan([scale("y", "x", more=2)])):
        np.testing.assert_array_equal(run(None), np.full(4, 8.0))


def test_what_has_something_for_python_to_do_stays_there() -> None:
    assert plans.in_one_call(plan([Reference(np.negative, ("x",), ("y",))])) is None
    seen = [scale("y", "x"), View("v", "y", MetaArray((2,), np.float64))]
    assert plans.in_one_call(plan(seen, returns=("v",))) is None
    many = {f"y{i}": META for i in range(calls.MOST_THINGS)}
    assert plans.in_one_call(plan([scale("y0", "x")], outputs=many, returns=("y0",))) is None
    assert plan([scale("y0", "x")], outputs=many, returns=("y0",)).run(np.ones(4)).sum() == 4.0


@pytest.mark.slow
def test_constants_live_as_long_as_the_function() -> None:
    constant = np.full(4, 7.0)
    made = plan([scale("y", "c")], constants={"c": constant})
    run = made.run
    run(None)
    run, kept = made.run, weakref.ref(constant)
    del made, constant
    gc.collect()
    np.testing.assert_array_equal(run(None), np.full(4, 7.0))
    del run
    gc.collect()
    assert kept() is None
