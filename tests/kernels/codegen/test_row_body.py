"""Bodies of rows: one text for LLVM and NumPy, named operands, plans that run on pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import rows, runtime
from rushlight.kernels.codegen.row_body import by_numpy, row_body
from rushlight.kernels.loss import select as loss
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.norm import select as norm
from rushlight.kernels.softmax import select as softmax

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@row_body(
    {"x": "row: data", "w": "line: weights", "y": "row: the result", "s": "one: the sum"},
    {"by": "a factor"},
)
def scaled(r: Any) -> None:
    """y = x w by / sum(x w), and the sum."""
    total = r.reduce("add", lambda i: (r.load("x", i), r.load("w", i)))
    r.set_one("s", total)
    share = r.wide(r.parameter("by") / total)
    r.each(lambda i: r.store("y", i, r.load("x", i) * r.load("w", i) * share))


def draw(*shape: int) -> Any:
    return np.random.default_rng(0).random(shape).astype(np.float32) + np.float32(0.5)


@pytest.mark.parametrize("shape", [(5, 7), (3, 40), (9, 130)])
@pytest.mark.parametrize("dim", [0, 1])
@NATIVE
def test_both_readers_mean_the_same(shape: Any, dim: int) -> None:
    x, w = draw(*shape), draw(shape[dim])
    operands = {"x": rows.meta(x), "w": rows.meta(w)}
    kept = tuple(1 if i == dim else n for i, n in enumerate(shape))
    results = {"y": MetaArray(shape, x.dtype), "s": MetaArray(kept, x.dtype)}
    plan = rows.plan("scaled", scaled, operands, results, dim, 1, {"by": 2.0})
    assert plan.name == ("scaled.rows" if dim == 1 else "scaled.columns")
    y, s = plan.run(x, w)
    across = w if dim == 1 else w[:, None]
    wanted = by_numpy(scaled, {"x": x, "w": across}, ("y", "s"), dim, {"by": 2.0})
    np.testing.assert_allclose(y, wanted[0], rtol=1e-5)
    np.testing.assert_allclose(s, wanted[1], rtol=1e-5)
    text = plan.describe()
    assert "y = x w by / sum(x w), and the sum." in text
    assert "by=2.0" in text


@NATIVE
def test_a_kernel_says_what_its_arguments_are() -> None:
    from rushlight.kernels.codegen.row_kernels import row_kernel

    doc = row_kernel(scaled, "float", ("x", "w", "y", "s")).call.__doc__
    assert doc is not None
    assert "w: array. elements of one row, for all: weights" in doc
    assert "by: float. a factor" in doc


@NATIVE
def test_pointers_give_the_bits_of_arrays(on_pointers: Any, limits: Any) -> None:
    x, w = draw(40, 30), draw(30)
    with limits(SOFTMAX_LEAST=1, NORM_LEAST=1, LOSS_LEAST=1):
        plan = softmax.plan("log_softmax", x.dtype, x.shape, x.strides, 1)
        np.testing.assert_array_equal(on_pointers(plan, x), plan.run(x))
        plan = norm.plan_rows(*norm.key(x), 30, norm.line(w), norm.line(w), 1e-5, True)
        for a, b in zip(on_pointers(plan, x, w, w), plan.run(x, w, w), strict=True):
            np.testing.assert_array_equal(a, b)
        plan = norm.plan_channels(*norm.key(x, w, w, None, None), 1e-5)
        for a, b in zip(on_pointers(plan, x, w, w), plan.run(x, w, w), strict=True):
            np.testing.assert_array_equal(a, b)
        t = np.arange(40) % 30
        plan = loss.plan_cross_entropy(loss.line(x), loss.line(t), None, -100, 0.0, "mean")
        got = on_pointers(plan, x, t, None, weights=0.0)
        for a, b in zip(got, plan.run(x, t, None, 0.0), strict=True):
            np.testing.assert_array_equal(a, b)
