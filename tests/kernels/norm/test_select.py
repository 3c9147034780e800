"""Which kernel normalises, and what holds for all of them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.norm import reference, select

from .norms import EPS, NATIVE, check, close, draw, formula

TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
NEEDS = [(True, True, True), (True, False, False), (False, True, True), (True, False, True)]


@pytest.mark.parametrize("needs", NEEDS)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.usefixtures("road")
def test_gradients_of_some_inputs(needs: Any, weighted: bool) -> None:
    x, g, w = draw(0, 6, 30) + 2, draw(1, 6, 30), draw(2, 30) if weighted else None
    _, mean, rstd = select.rows(x, 30, w, None, EPS)
    check(
        select.rows_gradient(g, x, 30, w, mean, rstd, needs),
        formula(x, g, w, None, (1,), (0,))[1:],
        needs,
    )
    x, g, w = x.reshape(3, 2, 30), g.reshape(3, 2, 30), draw(3, 2) if weighted else None
    _, mean, var = select.groups(x, 2, w, None, EPS)
    got = select.groups_gradient(g, x, 2, w, mean, var, EPS, needs)
    check(got, formula(x, g, None if w is None else w[:, None], None, (2,), (0, 2))[1:], needs)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.usefixtures("road")
def test_every_type(dtype: Any) -> None:
    """Narrow types are computed in float32, and their moments stay there."""
    x, g, w = (
        draw(0, 6, 10, 33).astype(dtype),
        draw(1, 6, 10, 33).astype(dtype),
        draw(2, 10).astype(dtype),
    )
    W = w.astype(np.float64)[:, None]
    wide = np.float32 if np.dtype(dtype).itemsize == 2 else dtype
    y, mean, var = select.channels(x, w, None, None, None, EPS)
    assert y.dtype == dtype
    assert mean.dtype == var.dtype == wide
    expected = formula(x, g, W, None, (0, 2), (0, 2))
    close(y, expected[0])
    check(select.channels_gradient(g, x, w, mean, var, EPS, True, True), expected[1:])
    y, mean, var = select.groups(x, 5, w, None, EPS)
    split = (6, 5, 2, 33)
    expected = formula(x.reshape(split), g.reshape(split), W.reshape(5, 2, 1), None, (2, 3), (0, 3))
    close(y.reshape(split), expected[0])
    dx = select.groups_gradient(g, x, 5, w, mean, var, EPS, (True, True, True))[0]
    assert dx is not None
    assert dx.dtype == dtype
    close(dx.reshape(split), expected[1])
    w = draw(3, 33).astype(dtype)
    y, mean, rstd = select.rows(x, 33, w, w, EPS)
    expected = formula(x, g, w.astype(np.float64), w.astype(np.float64), (2,), (0, 1))
    close(y, expected[0])
    check(select.rows_gradient(g, x, 33, w, mean, rstd, (True, True, True)), expected[1:])


@pytest.mark.usefixtures("road")
def test_not_a_number_stays_in_its_row() -> None:
    x = draw(0, 8, 40)
    x[3, 5], x[5, 7] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        y, _, _ = select.rows(x, 40, None, None, EPS)
    bad = np.isnan(y).any(1)
    assert bad.tolist() == [i in (3, 5) for i in range(8)]


def test_empty() -> None:
    mean, var = reference.moments(np.zeros((0, 3)), (0,))
    assert mean.tolist() == [[0, 0, 0]]
    assert var.shape == (1, 3)
    none = np.zeros((0, 5), np.float32)
    y, mean, rstd = select.rows(none, 5, None, None, EPS)
    assert y.shape == (0, 5)
    assert (
        select.rows_gradient(none, none, 5, None, mean, rstd, (True, True, True))[1].tolist()
        == [0] * 5
    )


@NATIVE
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    x, g, w = draw(0, 700, 90), draw(1, 700, 90), draw(2, 90)
    planes, c = x.reshape(70, 30, 30), w[:30]
    before = torch.get_num_threads()

    def everything() -> list[Any]:
        y, mean, rstd = select.rows(x, 90, w, w, EPS)
        found = [y, mean, *select.rows_gradient(g, x, 90, w, mean, rstd, (True, True, True))]
        for a in (x, planes):
            v = w if a is x else c
            y, mean, var = select.channels(a, v, v, None, None, EPS)
            grads = select.channels_gradient(
                g.reshape(a.shape), a, v, mean, var, EPS, True, True
            )
            found += [y, mean, var, *grads]
        y, mean, var = select.groups(planes, 5, c, c, EPS)
        parts = (g.reshape(planes.shape), planes, 5, c, mean, var, EPS)
        return [*found, y, *select.groups_gradient(*parts, (True, True, True))]

    try:
        torch.set_num_threads(1)
        alone = everything()
        torch.set_num_threads(threads)
        for a, b in zip(everything(), alone, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        torch.set_num_threads(before)


# -- the choice ------------------------------------------------------------------------------------


def plans(dtype: Any = np.float32, g_dtype: Any = None, turned: bool = False) -> list[Any]:
    """All plans of x (4, 6, 8), 192 elements, and of its length along the last dimension."""
    shape = (4, 6, 8)
    x = MetaArray(shape, dtype, (8, 32, 192) if turned else None)
    g, c = MetaArray(shape, g_dtype or dtype), MetaArray((6,), np.float32)
    n, w, needs = (np.dtype(dtype), shape, x.strides), select.line(c), (True, True, True)
    of_g = g.dtype, g.strides
    moment = select.line(MetaArray((8,), np.float32))
    return [
        select.plan_rows(*n, 8, None, None, EPS, True),
        select.plan_rows_grad(*n, *of_g, 8, None, True, needs),
        select.plan_channels(*n, w, w, None, None, EPS),
        select.plan_channels_grad(*n, *of_g, w, w, w, EPS, True, True),
        select.plan_groups(*n, 2, w, w, EPS),
        select.plan_groups_grad(*n, *of_g, 2, w, moment, moment, EPS, needs),
    ]


@NATIVE
def test_the_limit(limits: Any) -> None:
    """Kernels from so many elements on: rows, channels, groups."""
    for least, ways in ((192, ["rows"] * 2 + ["channels"] * 2 + ["groups"] * 2),
                        (193, ["numpy"] * 6)):  # fmt: skip
        with limits(NORM_LEAST=least):
            found = plans()
            assert [p.way for p in found] == ways
            assert all(a is b for a, b in zip(found, plans(), strict=True))  # kept
    for least, way in ((192, "rows"), (193, "numpy")):
        with limits(UNIT_LEAST=least):
            x = np.dtype("f4"), (4, 6, 8), (192, 32, 4)
            assert select.plan_unit(*x, 2, EPS, True).way == way
            back = select.plan_unit_grad(x[0], x[1], x[0], x[2], x[2], 1, EPS, True)
            assert back.way == way.replace("rows", "columns")
            half = np.dtype("f2"), (4, 6, 8), (96, 16, 2)
            assert select.plan_unit(*half, 2, EPS, True).way == "numpy"


@NATIVE
def test_what_numpy_does(limits: Any) -> None:
    """x with gaps; gradients of another type; types without kernels; nothing at all."""
    with limits(NORM_LEAST=0):
        assert {p.way for p in plans(turned=True)} == {"numpy"}
        assert [p.way == "numpy" for p in plans(g_dtype=np.float64)] == [False, True] * 3
        assert {p.way for p in plans(np.complex64)} == {"numpy"}
        empty = select.plan_rows(np.dtype("f4"), (0, 5), (20, 4), 5, None, None, EPS, True)
        assert empty.way == "numpy"


@NATIVE
def test_a_channel_of_one_number_is_a_column(limits: Any) -> None:
    with limits(NORM_LEAST=1):
        single = np.dtype("f4")
        for shape, way in (((30, 8), "columns"), ((30, 8, 1), "columns"), ((30, 8, 2), "channels")):
            strides = MetaArray(shape, single).strides
            none = (None,) * 4
            assert select.plan_channels(single, shape, strides, *none, EPS).way == way


def test_what_comes_out_is_stated() -> None:
    """Of metadata alone; moments of narrow types are float32."""
    shape = (10**6, 6, 8)
    half = np.dtype("f2"), shape, MetaArray(shape, np.float16).strides
    y = select.plan_channels(*half, None, None, None, None, EPS).outputs
    found = {k: (m.shape, m.dtype.name) for k, m in y.items()}
    assert found == {"y": (shape, "float16"), "mean": ((6,), "float32"), "var": ((6,), "float32")}
    rows = select.plan_rows(*half, 8, None, None, EPS, False)
    assert {k: m.shape for k, m in rows.outputs.items()} == {"y": shape, "rstd": (6 * 10**6,)}
    grad = select.plan_rows_grad(*half, half[0], half[2], 8, None, True, (False, True, False))
    assert grad.returns == ("dw",)
    assert grad.outputs["dw"].shape == (8,)
