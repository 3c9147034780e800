"""Plans of rows: a body by machine code or by NumPy. Kernels take small rows too: their error
against float64 is not larger than NumPy's.

Of each result the error of some thousand rows, as a root of the mean square; by a kernel, by the
same body read by NumPy, and by NumPy calls as one writes them. `tools/small_row_errors.py` compares
whole trees, with more of everything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import rows, runtime
from rushlight.kernels.codegen.row_body import row_body
from rushlight.kernels.loss import select as loss
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.norm import select as norm
from rushlight.kernels.softmax import select as softmax

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
DRAWS, N = 8000, 32
LEAST = ("SOFTMAX_LEAST", "LOSS_LEAST", "NORM_LEAST", "UNIT_LEAST")
RNG = np.random.default_rng(0)
X = (RNG.standard_normal((DRAWS, N)) * 2 + 1).astype(np.float32)
G, W = (RNG.standard_normal(s).astype(np.float32) for s in ((DRAWS, N), N))
T = RNG.integers(0, N, DRAWS)
EPS = 1e-5


def plain_softmax(x: Any, g: Any) -> list[Any]:
    y = np.exp(x - x.max(1, keepdims=True))
    y /= y.sum(1, keepdims=True)
    gy = g * y
    return [y, gy - y * gy.sum(1, keepdims=True)]


def plain_log_softmax(x: Any, g: Any) -> list[Any]:
    y = x - x.max(1, keepdims=True)
    y -= np.log(np.exp(y).sum(1, keepdims=True))
    return [y, g - np.exp(y) * g.sum(1, keepdims=True)]


def plain_layer_norm(x: Any, g: Any) -> list[Any]:
    w = W.astype(x.dtype)
    mean = x.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + x.dtype.type(EPS))
    xh = (x - mean) * rstd
    h = g * w
    dx = (h - xh * (h * xh).mean(1, keepdims=True) - h.mean(1, keepdims=True)) * rstd
    return [xh * w, dx, (g * xh).sum(0)]


def plain_unit(x: Any, g: Any) -> list[Any]:
    length = np.sqrt((x * x).sum(1, keepdims=True))
    along = (g * x).sum(1, keepdims=True)
    return [x / length, g / length - x * (along / length / length / length)]


def plain_cross_entropy(x: Any, g: Any) -> list[Any]:
    logs, _ = plain_log_softmax(x, g)
    each = g[:, 0]
    dx = np.exp(logs) * each[:, None]
    dx[np.arange(len(T)), T] -= each
    return [-logs[np.arange(len(T)), T], dx]


def plain_batch_norm(x: Any, g: Any) -> list[Any]:
    return [a.T if a.ndim == 2 else a for a in _channels(x.T, g.T)]


def _channels(x: Any, g: Any) -> list[Any]:
    mean = x.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + x.dtype.type(EPS))
    xh = (x - mean) * rstd
    dw, db = (g * xh).sum(1, keepdims=True), g.sum(1, keepdims=True)
    n = x.dtype.type(x.shape[1])
    return [xh, (g - xh * (dw / n) - db / n) * rstd, dw[:, 0]]


def by_plans(name: str) -> list[Any]:
    """The results by whatever the limits choose."""
    if name == "softmax":
        y = softmax.softmax(X, 1)
        return [y, softmax.softmax_grad(G, y, 1)]
    if name == "log_softmax":
        y = softmax.log_softmax(X, 1)
        return [y, softmax.log_softmax_grad(G, y, 1)]
    if name == "layer_norm":
        y, mean, rstd = norm.rows(X, N, W, None, EPS)
        return [y, *norm.rows_gradient(G, X, N, W, mean, rstd, (True, True, False))[:2]]
    if name == "batch_norm":
        y, mean, var = norm.channels(X, None, None, None, None, EPS)
        return [y, *norm.channels_gradient(G, X, None, mean, var, EPS, True, True)[:2]]
    if name == "unit":
        y, length = norm.unit(X, 1, 1e-12, True)
        return [y, norm.unit_gradient(G, X, length, 1, 1e-12, True)]
    y, sums = loss.cross_entropy(X, T, None, "none", -100, 0.0)
    g = np.ascontiguousarray(G[:, 0])
    return [y, loss.cross_entropy_gradient(g, X, T, None, sums, "none", -100, 0.0)]


PLAIN: dict[str, Callable[..., list[Any]]] = {
    "softmax": plain_softmax, "log_softmax": plain_log_softmax, "layer_norm": plain_layer_norm,
    "batch_norm": plain_batch_norm, "unit": plain_unit, "cross_entropy": plain_cross_entropy,
}  # fmt: skip


@NATIVE
@pytest.mark.parametrize("name", PLAIN)
def test_errors_are_not_larger(name: str, limits: Any, not_larger: Any) -> None:
    exact = PLAIN[name](X.astype(np.float64), G.astype(np.float64))
    with limits(**dict.fromkeys(LEAST, 1)):
        kernel = by_plans(name)
    with limits(**dict.fromkeys(LEAST, 1 << 60)):
        numpy = by_plans(name)
    plain = PLAIN[name](X, G)
    for best, a, b, c in zip(exact, kernel, numpy, plain, strict=True):
        not_larger(a, c, best)
        not_larger(b, c, best)


# -- plans -----------------------------------------------------------------------------------------


@row_body({"x": "row: data", "w": "line: weights", "k": "index: a place", "s": "one: a number",
           "y": "row: the result"}, {"by": "a factor"})  # fmt: skip
def chosen(r: Any) -> None:
    """y = x w by + x[k] s."""
    picked = r.wide(r.pick("x", r.index("k")) * r.one("s"))
    by = r.wide(r.parameter("by"))
    r.each(lambda i: r.store("y", i, r.load("x", i) * r.load("w", i) * by + picked))


def operands(shape: tuple[int, ...], dim: int, dtype: Any = np.float64) -> dict[str, MetaArray]:
    kept = tuple(1 if i == dim else n for i, n in enumerate(shape))
    wide = rows.computed(np.dtype(dtype))
    return {"x": MetaArray(shape, dtype), "w": MetaArray((shape[dim],), wide),
            "k": MetaArray(kept, np.int64), "s": MetaArray(kept, wide)}  # fmt: skip


def plan_of(given: dict[str, MetaArray], dim: int, least: int) -> Any:
    x = given["x"]
    return rows.plan("test", chosen, given, {"y": MetaArray(x.shape, x.dtype)}, dim, least,
                     {"by": 3.0}, flops=4)  # fmt: skip


@NATIVE
def test_the_choice() -> None:
    """A kernel for enough elements, of types that it has, of operands as it reads them."""
    given = operands((6, 8), 1)
    assert [plan_of(given, 1, least).way for least in (48, 49)] == ["rows", "numpy"]
    assert plan_of(operands((6, 8), 0), 0, 1).way == "columns"
    assert plan_of(operands((6, 8, 1), 1), 1, 1).way == "rows"  # nothing is inside
    assert plan_of(operands((0, 8), 1), 1, 0).way == "numpy"
    assert plan_of(operands((6, 8), 1, np.complex128), 1, 1).way == "numpy"
    for name, other in (("k", np.int32), ("w", np.float32), ("s", np.float16)):
        assert not rows.takes(chosen, {**given, name: MetaArray((1,), other)}, 1, 1)
    assert rows.has_kernels(np.dtype("f4"))
    assert not rows.has_kernels(np.dtype("i4"))
    assert rows.has_kernels(np.dtype("f2")) == rows.has_half()


def test_what_a_plan_says() -> None:
    made = plan_of(operands((6, 8), 1), 1, 1 << 60)
    assert made.name == "test.numpy"
    assert made.operands == ("x", "w", "k", "s")
    assert made.flops == 4 * 48
    assert made.bytes == 8 * (48 + 8 + 6 + 6 + 48)


@pytest.mark.parametrize("least", [pytest.param(1, marks=NATIVE), 1 << 60])
@pytest.mark.parametrize(("shape", "dim"), [
    ((5, 37), 1), ((2, 3, 64), 2), ((4, 9, 7), 1), ((9, 70), 0), ((3, 5, 130), 1), ((1, 1), 1),
])  # fmt: skip
def test_against_the_formula(
    shape: Any, dim: int, least: int, rng: np.random.Generator, by_threads: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Along any dimension, in chunks of few rows and of many, by both readers."""
    x, w = rng.standard_normal(shape), rng.standard_normal(shape[dim])
    kept = tuple(1 if i == dim else n for i, n in enumerate(shape))
    k, s = rng.integers(0, shape[dim], kept), rng.standard_normal(kept)
    across = w.reshape([-1 if i == dim else 1 for i in range(x.ndim)])
    wanted = x * across * 3 + np.take_along_axis(x, k, dim) * s
    given = {"x": x, "w": across if least > 1 else w, "k": k, "s": s}
    metas = {name: rows.meta(a) for name, a in given.items()}
    for chunk in (1, 100, 8192):
        monkeypatch.setattr(rows.tuning, "ROWS_CHUNK", chunk)
        made = plan_of(metas, dim, least)  # type: ignore[arg-type]
        y = by_threads(lambda made=made: made.run(*given.values()))
        np.testing.assert_allclose(y, wanted, rtol=1e-13, atol=1e-13)


@NATIVE
def test_operands_with_gaps_are_copied_first(rng: np.random.Generator) -> None:
    x, w = rng.standard_normal((40, 6)).T, rng.standard_normal(80)[::2]
    k, s = rng.integers(0, 40, (6, 1)), rng.standard_normal((6, 1))
    metas = {n: rows.meta(a) for n, a in (("x", x), ("w", w), ("k", k), ("s", s))}
    made = plan_of(metas, 1, 1)  # type: ignore[arg-type]
    assert [launch.describe()[0].split("(")[0] for launch in made.launches[:2]]
    assert len(made.launches) == 3
    np.testing.assert_allclose(
        made.run(x, w, k, s), x * w * 3 + np.take_along_axis(x, k, 1) * s, rtol=1e-13, atol=1e-13
    )


def test_what_lies_dense() -> None:
    """Strides along dimensions of one say nothing."""
    for shape, strides, dense in (
        ((2, 3), (24, 8), True), ((2, 3), (8, 16), False), ((1, 3), (999, 8), True),
        ((2, 1), (8, 999), True), ((2, 3), (48, 8), False), ((), (), True), ((3,), (-8,), False),
    ):  # fmt: skip
        meta = MetaArray(shape, np.float64, strides)
        assert rows.contiguous(meta) == dense
        made: list[Any] = []
        name = rows.dense("x", meta, np.float64, made)
        assert (name, len(made)) == (("x", 0) if dense else ("x_dense", 1))
    assert rows.dense("x", MetaArray((3,), np.float64), np.float32, made) == "x_dense"
    x = np.arange(6.0).reshape(2, 3).T
    assert rows.laid_out(x, dtype=np.dtype("f4")).flags.c_contiguous
    assert rows.meta(None) is None
