"""Plans: named launches, running on arrays and on pointers, and what they say of themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import select as matmul
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Launch, Plan, Reference

native = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def product_plan(a: np.ndarray, b: np.ndarray) -> Plan:
    return matmul.plan(a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides)


SHAPES = [
    ((5, 300), (300, 70)), ((75, 200), (200, 130)), ((300, 256), (256, 300)),
    ((2, 30, 40), (2, 40, 50)),
]  # fmt: skip


@native
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_pointers_give_the_bits_of_arrays(
    a: Any, b: Any, rng: np.random.Generator, on_pointers: Any
) -> None:
    x, w = (rng.standard_normal(s).astype(np.float32) for s in (a, b))
    plan = product_plan(x, w)
    expected = plan.run(x, w, None, 1.0, 0.0)
    got = on_pointers(plan, x, w, None, alpha=1.0, beta=0.0)
    np.testing.assert_array_equal(got, expected)


@native
def test_a_plan_says_what_it_does_and_costs() -> None:
    x, w = np.ones((300, 256), np.float32), np.ones((256, 300), np.float32)
    plan = product_plan(x, w)
    assert plan.flops == 2 * 300 * 256 * 300
    assert plan.bytes == 4 * (300 * 256 + 256 * 300 + 300 * 300)
    text = plan.describe()
    assert "matmul." in text
    assert "m=300" in text
    assert "(300, 300) float32" in text


@native
def test_a_kernel_has_documentation_and_names() -> None:
    from rushlight.kernels.matmul import gemv

    kernel = gemv.kernel("float")
    assert "alpha: float. factor of the product" in kernel.call.__doc__
    assert "d: array or None" in kernel.call.__doc__
    with pytest.raises(TypeError, match=r"missing .*'c'.*unknown \['wrong'\]"):
        Launch(kernel, a="a", b="b", wrong=1)


def test_numpy_is_a_launch_too(rng: np.random.Generator) -> None:
    """Results are handed on by name; what has no result writes into its operands."""

    def halves(x: Any, *, by: float) -> tuple[Any, Any]:
        return x / by, x - x / by

    meta = MetaArray((3,), np.float64)
    plan = Plan(
        "test.halves", ("x", "into"), {"low": meta, "high": meta},
        [
            Reference(halves, ("x",), ("low", "high"), by=2.0),
            Reference(np.copyto, ("into", "low"), ()),
        ],
        mutates=("into",), flops=6, bytes=72,
    )  # fmt: skip
    x, into = np.arange(3.0), np.zeros(3)
    low, high = plan.run(x, into)
    np.testing.assert_array_equal(low, x / 2)
    np.testing.assert_array_equal(high, x / 2)
    np.testing.assert_array_equal(into, low)
    assert "writes to  into" in plan.describe()
    assert "6 FLOPs, 72 bytes" in plan.describe()
    with pytest.raises(TypeError, match="has no native function"):
        plan.emit({"x": 0, "into": 0, "low": 0, "high": 0})


def test_results_keep_the_strides_that_a_plan_states() -> None:
    turned = MetaArray((3, 5), np.float32, (4, 12))
    launch = Reference(lambda x, y: np.copyto(y, x), ("x", "y"), ())
    y = Plan("test.turned", ("x",), {"y": turned}, [launch]).run(np.ones((3, 5), np.float32))
    assert y.strides == (4, 12)
    assert (y == 1).all()


def test_workspaces_begin_at_cache_lines() -> None:
    seen = []

    def note(*rooms: Any) -> None:
        seen.extend(r.ctypes.data % 64 for r in rooms)

    launch = Reference(note, ("one", "two"), ())
    Plan("test.rooms", (), {}, [launch], workspace={"one": 5, "two": 70}).run()
    assert seen == [0, 0]
