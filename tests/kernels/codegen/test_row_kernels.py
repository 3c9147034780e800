"""Kernels of bodies: rows, columns of an earlier dimension, sums over all rows; cut anywhere."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import row_kernels
from rushlight.kernels.codegen.row_body import by_numpy, row_body

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ELEMENTS = {"float": np.float32, "double": np.float64, "bfloat": ml_dtypes.bfloat16}


@row_body(
    {"x": "row: data", "p": "period: a factor", "y": "row: the result",
     "s": "ones: the sum, and the largest"}, {"by": "a factor"}, {"skip": "how many"},
)  # fmt: skip
def centred(r: Any) -> None:
    """y = (x - the largest) p by."""
    top = r.reduce("max", lambda i: r.load("x", i))
    r.set_one("s", r.reduce("add", lambda i: r.load("x", i)), 0)
    r.set_one("s", top, 1)
    top, by = r.wide(top), r.wide(r.one("p") * r.parameter("by"))
    r.each(lambda i: r.store("y", i, (r.load("x", i) - top) * by))


@row_body({"x": "row: data", "g": "row: more data", "m": "one: a number", "w": "line: weights",
           "dw": "sum: of x g", "db": "sum: of g m", "y": "row: the result"})  # fmt: skip
def summed(r: Any) -> None:
    """dw = sum x g, db = sum g m, y = x w + sum(x g) of the row."""
    both = r.wide(r.totals(1, lambda i: ((r.load("x", i), r.load("g", i)),))[0])
    m = r.wide(r.one("m"))

    def write(i: Any) -> None:
        r.store("y", i, r.fma(r.load("x", i), r.load("w", i), both))
        r.add_line("dw", i, r.load("x", i), r.load("g", i))
        r.add_line("db", i, r.load("g", i) * m)

    r.each(write)


def ready() -> None:
    from rushlight.kernels.runtime import threads

    threads.ready()


@pytest.mark.parametrize("e", ["float", "double", "bfloat"])
@pytest.mark.parametrize("n", [1, 7, 16, 17, 64, 65, 131])
@pytest.mark.parametrize("each", [1, 4, 100])
def test_rows(e: str, n: int, each: int, rng: np.random.Generator, by_threads: Any) -> None:
    """Vectors, four at a time, and the rest of a row; nothing is written beyond the last one."""
    ready()
    wide = np.float64 if e == "double" else np.float32
    x = rng.standard_normal((11, n)).astype(ELEMENTS[e])
    p = rng.standard_normal(3).astype(wide)
    kernel = row_kernels.row_kernel(centred, e, ("x", "p", "y", "s"))

    def run() -> Any:
        y, s = np.full(11 * n + 64, 7, x.dtype), np.full(2 * 11 + 64, 7, wide)
        # words: n, rows, numbers, period, each, chunks, skip; and the factor
        kernel.call(x, p, y, s, n, 11, 11, 3, each, -(-11 // each), 0, 0.5)
        return y, s

    y, s = by_threads(run)
    assert (y[11 * n :] == 7).all()
    assert (s[22:] == 7).all()
    factor = np.resize(p, 11)[:, None] * wide(0.5)
    X = x.astype(wide)
    wanted = ((X - X.max(1, keepdims=True)) * factor).astype(x.dtype)
    np.testing.assert_array_equal(y[: 11 * n].reshape(11, n), wanted)
    np.testing.assert_array_equal(s[11:22], X.max(1))
    size = np.abs(X.astype(np.float64)).sum(1)
    assert (np.abs(s[:11] - X.astype(np.float64).sum(1)) <= 4 * np.finfo(wide).eps * size).all()


@pytest.mark.parametrize("e", ["float", "double"])
@pytest.mark.parametrize("vectors", [1, 4])
@pytest.mark.parametrize("inner", [2, 15, 33, 130])
def test_columns(
    e: str, vectors: int, inner: int, rng: np.random.Generator, by_threads: Any
) -> None:
    """The same body along the middle of (outer, n, inner): whole blocks, and what is left."""
    ready()
    outer, n = 3, 5
    width = row_kernels.columns(e, vectors)
    x = rng.standard_normal((outer, n, inner)).astype(ELEMENTS[e])
    given = ("x", "y", "s")
    blocks = -(-inner // width)
    count, numbers = outer * blocks, outer * inner
    kernel = row_kernels.column_kernel(plain, e, given, vectors)

    def run() -> Any:
        y, s = np.full(x.size + 64, 7, x.dtype), np.full(2 * numbers + 64, 7, x.dtype)
        kernel.call(x, y, s, n, inner, numbers, blocks, count, 2, -(-count // 2), 0.5)
        return y, s

    y, s = by_threads(run)
    assert (y[x.size :] == 7).all()
    assert (s[2 * numbers :] == 7).all()
    best = by_numpy(plain, {"x": x}, ("y", "s"), 1, {"by": 0.5})
    np.testing.assert_allclose(y[: x.size].reshape(x.shape), best[0], rtol=1e-5)
    for k in (0, 1):
        got = s[k * numbers : (k + 1) * numbers].reshape(outer, 1, inner)
        np.testing.assert_allclose(got, best[1][k], rtol=1e-5, atol=1e-6)


@row_body({"x": "row: data", "y": "row: the result", "s": "ones: the sum, and the largest"},
          {"by": "a factor"})  # fmt: skip
def plain(r: Any) -> None:
    """y = x by."""
    r.set_one("s", r.reduce("add", lambda i: r.load("x", i)), 0)
    r.set_one("s", r.reduce("max", lambda i: r.load("x", i)), 1)
    by = r.wide(r.parameter("by"))
    r.each(lambda i: r.store("y", i, r.load("x", i) * by))


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("each", [1, 2, 3, 100])
@pytest.mark.parametrize("n", [1, 13, 40])
def test_sums_over_all_rows(
    rows: int, each: int, n: int, rng: np.random.Generator, by_threads: Any
) -> None:
    """Two rows at a time and one; chunks have lines of their own, which are added up."""
    ready()
    x, g = rng.standard_normal((2, rows, n))
    m, w = rng.standard_normal(rows), rng.standard_normal(n)
    chunks = -(-rows // each)
    kernel = row_kernels.summing_kernel(summed, "double", ("x", "g", "m", "w", "dw", "db", "y"))

    def run() -> Any:
        dw, db, y = np.empty(n), np.empty(n), np.empty_like(x)
        lines = np.empty((2, chunks, n)) if chunks > 1 else (dw, db)
        kernel.call(x, g, m, w, dw, db, y, *lines, n, rows, each, chunks)
        return dw, db, y

    dw, db, y = by_threads(run)
    close = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(dw, (x * g).sum(0), **close)
    np.testing.assert_allclose(db, (g * m[:, None]).sum(0), **close)
    np.testing.assert_allclose(y, x * w + (x * g).sum(1, keepdims=True), **close)


def test_rows_together_give_the_bits_of_one_at_a_time(rng: np.random.Generator) -> None:
    """Cut behind each row there is nothing to put together; the rows' results are the same."""
    ready()
    x, g = rng.standard_normal((2, 7, 50))
    m, w = rng.standard_normal(7), rng.standard_normal(50)
    kernel = row_kernels.summing_kernel(summed, "double", ("x", "g", "m", "w", "dw", "db", "y"))
    found = []
    for each in (1, 7):
        dw, db = np.empty((2, 50))
        lines = np.empty((2, 7, 50)) if each == 1 else (dw, db)
        y = np.empty_like(x)
        kernel.call(x, g, m, w, dw, db, y, *lines, 50, 7, each, -(-7 // each))
        found.append(y.tobytes())
    assert found[0] == found[1]


def test_kernels_are_kept_and_say_what_they_are() -> None:
    kernel = row_kernels.row_kernel(centred, "float", ("x", "p", "y", "s"))
    assert row_kernels.row_kernel(centred, "float", ("x", "p", "y", "s")) is kernel
    assert row_kernels.row_kernel(centred, "double", ("x", "p", "y", "s")) is not kernel
    text = kernel.interface.documentation()
    assert text.startswith("rows_centred: y = (x - the largest) p by.")
    assert "p: array. a number for each of some rows in turn: a factor" in text
    assert "skip: int. how many" in text
