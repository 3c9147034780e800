"""A formula in front of a body: the bits of the formula and the body one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import row_kernels
from rushlight.kernels.codegen.lower import NoKernel
from rushlight.kernels.codegen.row_body import row_body
from rushlight.kernels.codegen.row_front import Front

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ELEMENTS = {"float": np.float32, "double": np.float64}


@row_body({"x": "row: data", "y": "row: the result", "s": "one: the sum"}, fronts={"x": "y"},
          writes=("y", "s"))  # fmt: skip
def centred(r: Any) -> None:
    """y = x - sum x."""
    total = r.reduce("add", lambda i: r.load("x", i))
    r.set_one("s", total)
    total = r.wide(total)
    r.each(lambda i: r.store("y", i, r.load("x", i) - total))


@row_body({"g": "row: data", "x": "row: more data", "dx": "row: the result", "dw": "sum: of g x"},
          fronts={"g": "dx", "x": None}, writes=("dx", "dw"))  # fmt: skip
def summed(r: Any) -> None:
    """dx = g + sum(g x), dw = sum g x."""
    both = r.wide(r.totals(1, lambda i: ((r.load("g", i), r.load("x", i)),))[0])

    def write(i: Any) -> None:
        r.add_line("dw", i, r.load("g", i), r.load("x", i))
        r.store("dx", i, r.load("g", i) + both)

    r.each(write)


@row_body({"x": "row: data", "y": "one: an element"}, fronts={"x": None}, writes=("y",))
def hasty(r: Any) -> None:
    """y = x[0], before there is a row."""
    r.set_one("y", r.pick("x", r.f.const("i64", 0)))
    r.each(lambda i: r.store("x", i, r.load("x", i)))


@row_body({"x": "row: data", "y": "one: a number"}, fronts={"x": None}, writes=("y",))
def idle(r: Any) -> None:
    """y = 1."""
    r.set_one("y", r.number(1.0))


def front(e: str, to: str, first: bool) -> Front:
    def write(f: Any, a: Any, b: Any, c: Any) -> list[Any]:
        from rushlight.kernels.codegen.ir import element, lanes

        return [a * b + f.splat(f.convert(c, element(a.type)), lanes(a.type))]

    operands = [(e, "array"), (e, "one"), ("double", "number")]
    return Front("a * b + c", write, operands, [(to, e)], first)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("e", ELEMENTS)
@pytest.mark.parametrize("n", [1, 7, 16, 65, 131])
def test_rows(e: str, n: int, first: bool, rng: np.random.Generator) -> None:
    """Where the formula's result has memory of its own, and where it lies in the results'."""
    from rushlight.kernels.runtime import threads

    threads.ready()
    a = rng.standard_normal((11, n)).astype(ELEMENTS[e])
    b = np.full(1, 0.7, ELEMENTS[e])
    x = a * b + ELEMENTS[e](0.3)
    alone = row_kernels.row_kernel(centred, e, ("x", "y", "s"))
    joined = alone.rows.behind(front(e, "x", first))
    assert list(joined.interface.arrays) == ["x", "y", "s", "f0", "f1"]
    sizes = (n, 11, 11, 1, 4, 3)  # rows; numbers, period; rows of a chunk, chunks
    y, s = np.empty_like(a), np.empty(11, a.dtype)
    alone.call(x, y, s, *sizes)
    for apart in (True, False):
        u, t = np.full_like(a, np.nan), np.full(11, np.nan, a.dtype)
        v = np.full_like(a, np.nan) if apart else u
        joined.call(v, u, t, a, b, *sizes, 0.3)
        assert u.tobytes() == y.tobytes()
        assert t.tobytes() == s.tobytes()
        assert not apart or v.tobytes() == x.tobytes()


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_sums_over_all_rows(rows: int, first: bool, rng: np.random.Generator) -> None:
    """Rows are computed two at a time."""
    from rushlight.kernels.runtime import threads

    threads.ready()
    a, x = (rng.standard_normal((rows, 37)).astype(np.float32) for _ in range(2))
    b = np.full(1, 0.7, np.float32)
    g = a * b + np.float32(0.3)
    alone = row_kernels.summing_kernel(summed, "float", ("g", "x", "dx", "dw"))
    joined = alone.rows.behind(front("float", "g", first))
    found = []
    for kernel, given, more in ((alone, g, ()), (joined, np.full_like(g, np.nan), (a, b))):
        dx, dw, lines = np.empty_like(a), np.empty(37, np.float32), np.empty((3, 37), np.float32)
        number = (0.3,) if more else ()
        kernel.call(given, x, dx, dw, lines, *more, 37, rows, 3, -(-rows // 3), *number)
        total = dw if rows > 3 else lines[0]
        found.append((dx.tobytes(), given.tobytes(), total.tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("body", [hasty, idle])
def test_bodies_that_need_the_row_before_a_loop_has_read_it(body: Any) -> None:
    kernel = row_kernels.row_kernel(body, "float", ("x", "y"))
    with pytest.raises(NoKernel):
        kernel.rows.behind(front("float", "x", False)).build()
