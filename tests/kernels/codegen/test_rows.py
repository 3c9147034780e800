"""LLVM's readers of bodies: sums in a fixed order, masks, numbers picked and put, rows together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen import row_kernels, rows
from rushlight.kernels.codegen.ir import F32, I64, PTR, Function, Module
from rushlight.kernels.codegen.row_body import row_body
from rushlight.kernels.runtime import jit

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def in_order(x: np.ndarray, w: int) -> np.float32:
    """The sum of a row as `Vectors` promises it: four vectors, those left over, lanes by halves."""
    places = np.zeros((4, w), np.float32)
    fours, whole = len(x) - len(x) % (4 * w), len(x) - len(x) % w
    for i in range(0, fours, 4 * w):
        places += x[i : i + 4 * w].reshape(4, w)
    for i in range(fours, whole, w):
        places[0] += x[i : i + w]
    places[1, : len(x) - whole] += x[whole:]
    v = (places[0] + places[1]) + (places[2] + places[3])
    while len(v) > 1:
        v = v[: len(v) // 2] + v[len(v) // 2 :]
    return np.float32(v[0])


def reduced(how: str) -> Any:
    """A compiled sum or maximum of n float32 numbers."""
    import ctypes

    def build() -> Module:
        module = Module(f"reduce_{how}")
        f = module.function("run", None, [("x", PTR), ("n", I64), ("y", PTR)])
        v = rows.Vectors(f, f.args["n"], F32)
        x = f.args["x"].of(F32)
        f.args["y"].of(F32)[0] = v.reduce(how, lambda i: v.get(x, i))
        f.ret()
        return module

    run = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(
        jit.load(("test_rows", how, jit.target().lanes), build, ["run"])["run"]
    )

    def call(x: np.ndarray) -> np.float32:
        y = np.empty(1, np.float32)
        run(x.ctypes.data, len(x), y.ctypes.data)
        return np.float32(y[0])

    return call


@NATIVE
def test_a_sum_has_one_order(rng: np.random.Generator) -> None:
    """The same bits as the additions written out; what the mask leaves out counts nothing."""
    call, w = reduced("add"), jit.target().lanes
    for n in (0, 1, w - 1, w, w + 1, 4 * w - 1, 4 * w, 5 * w + 3, 9 * w, 1000):
        x = (rng.standard_normal(n + w) * 10.0 ** rng.integers(-3, 4, n + w)).astype(np.float32)
        x[n:] = np.nan
        assert call(x[:n]) == in_order(x[:n], w)


@NATIVE
def test_a_maximum(rng: np.random.Generator) -> None:
    """Of nothing it is -inf; NaN is found wherever it is."""
    call, w = reduced("max"), jit.target().lanes
    assert call(np.empty(0, np.float32)) == -np.inf
    for n in (1, w - 1, w + 1, 5 * w + 3):
        x = rng.standard_normal(n).astype(np.float32) - 10
        assert call(x) == x.max()
        for place in {0, n // 2, n - 1}:
            with_nan = x.copy()
            with_nan[place] = np.nan
            assert np.isnan(call(with_nan))


@row_body({"x": "row: data", "k": "index: a place", "w": "line: weights", "y": "row: the result",
           "s": "one: what is picked"})  # fmt: skip
def exchange(r: Any) -> None:
    """y = |x| but y[k] = -w[k]; s = x[k]."""
    at = r.index("k")
    r.set_one("s", r.pick("x", at))
    r.each(lambda i: r.store("y", i, r.fabs(r.load("x", i))))
    r.put_at("y", at, -r.pick("w", at))


@NATIVE
@pytest.mark.parametrize(("inner", "dtype"), [
    (1, "double"), (3, "double"), (70, "float"), (3, "half"), (1, "bfloat"), (70, "bfloat"),
])  # fmt: skip
def test_elements_are_picked_and_put(inner: int, dtype: str, rng: np.random.Generator) -> None:
    """By a number in a row; by a gather and a scatter in columns, also of narrow types."""
    import ml_dtypes

    from rushlight.kernels import rows as row_plans
    from rushlight.kernels.meta import MetaArray
    from rushlight.kernels.plan import Plan

    if dtype == "half" and not row_plans.has_half():
        pytest.skip("this CPU does not convert float16")
    kind = {"half": np.float16, "bfloat": ml_dtypes.bfloat16}.get(dtype, np.dtype(dtype[0]))
    kind = {"float": np.float32, "double": np.float64}.get(dtype, kind)
    wide = np.float64 if dtype == "double" else np.float32
    x = rng.standard_normal((4, 9, inner)).astype(kind)
    k, w = rng.integers(0, 9, (4, inner)), rng.standard_normal(9).astype(wide)
    metas = {n: MetaArray(a.shape, a.dtype) for n, a in (("x", x), ("k", k), ("w", w))}
    made = row_plans.launches(exchange, metas, ("y", "s"), 1)
    outputs = {"y": MetaArray(x.shape, kind), "s": MetaArray((4, inner), wide)}
    y, s = Plan("test.exchange", ("x", "k", "w"), outputs, made).run(x, k, w)
    wanted = np.abs(x)
    np.put_along_axis(wanted, k[:, None], -w[k].astype(kind)[:, None], 1)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(s, np.take_along_axis(x, k[:, None], 1)[:, 0].astype(wide))


def test_several_values_at_a_time() -> None:
    """An operator or a function of some rows' values is that of each; plain ones are shared."""
    pair = rows.Several([2.0, 8.0])
    for got, wanted in (
        (pair + 1, [3, 9]), (1 + pair, [3, 9]), (pair - 1, [1, 7]), (1 - pair, [-1, -7]),
        (pair * pair, [4, 64]), (3 * pair, [6, 24]), (pair / 2, [1, 4]), (16 / pair, [8, 2]),
        (-pair, [-2, -8]), (rows.each_of(max)(pair, 5.0), [5, 8]),
    ):  # fmt: skip
        assert got.parts == wanted
    assert rows.each_of(max)(1.0, 5.0) == 5
    assert rows.part_of(pair, 1) == 8
    assert rows.part_of(7, 1) == 7


@NATIVE
def test_a_division_is_a_product_with_the_inverse() -> None:
    """Divisions of vectors take long: there is one, of a number."""

    @row_body({"x": "row: data", "s": "one: a number", "y": "row: the result"})
    def shared(r: Any) -> None:
        """y = x / s."""
        share = r.divider(r.one("s"))
        r.each(lambda i: r.store("y", i, share(r.load("x", i))))

    kernel = row_kernels.row_kernel(shared, "float", ("x", "s", "y"))
    text = kernel.build().text()
    assert text.count("fdiv") == 1
    assert "fdiv float 1.0" in text or "fdiv float 0x3FF0000000000000" in text


@NATIVE
def test_a_row_enters_where_its_operands_lie() -> None:
    """Rows n elements apart, numbers by row, those of a period by its rest; lines stay."""
    module = Module("places")
    f: Function = module.function("run", None, [("p", PTR), ("n", I64), ("row", I64)])
    kinds = {"x": "row", "w": "line", "s": "one", "p": "period"}
    words: dict[str, Any] = dict.fromkeys(kinds, f.args["p"]) | {"n": f.args["n"]}
    r = rows.Row(f, "half", kinds, words | {"period": f.const(I64, 3)})
    assert r.narrow
    assert r.c == F32  # narrow elements are computed in float32, as numbers beside them are
    r.enter(f.args["row"])
    assert {k: p.element for k, p in r.places.items()} == {
        "x": "half", "w": F32, "s": F32, "p": F32,
    }  # fmt: skip
    assert r.has("w")
    assert not r.has("b")
