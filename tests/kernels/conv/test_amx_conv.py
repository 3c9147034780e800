"""Convolutions on the matrix unit against float64, and where they leave the work to others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime
from rushlight.kernels.conv import launches, reference, select
from rushlight.kernels.conv.problem import Conv
from rushlight.kernels.matmul import select as matmul
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Draft

pytestmark = pytest.mark.skipif(
    not runtime.available() or not matmul.has_amx(), reason="no machine code, or a CPU without AMX"
)


EVERY_SIZE = {
    "CONV_AMX_LEAST_WORK": 0, "CONV_AMX_FEW": 0, "CONV_AMX_FEW_OF_WEIGHT": 0,
    "CONV_AMX_USEFUL": 0, "CONV_AMX_USEFUL_OF_WEIGHT": 0, "IM2COL_LEAST_WORK": 1 << 60,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Iterator[None]:
    with limits(**EVERY_SIZE):
        yield


def meta(a: Any) -> Any:
    return None if a is None else MetaArray(a.shape, a.dtype, a.strides)


def key(*arrays: Any) -> tuple[Any, ...]:
    return tuple(v for a in arrays for v in (a.dtype, a.shape, a.strides))


def forward(x: Any, w: Any, bias: Any, *how: Any) -> Any:
    """The convolution on the matrix unit."""
    out = reference.out_size(x.shape[2:], w.shape[2:], *how[:3])
    c = Conv.of(x, w, out, *how, "highest")
    d = Draft({"x": meta(x), "w": meta(w), "bias": meta(bias)})
    d.array("y", MetaArray((x.shape[0], w.shape[0], *out), x.dtype))
    b = None if bias is None else (bias.dtype, bias.strides)
    other = select.plan_forward(*key(x, w), b, *how, None, "highest", False)
    return launches.amx_forward(c, d, "y", other).run(x, w, bias)


def backward(g: Any, w: Any, size: Any, *how: Any) -> Any:
    """The gradient of an input, by the flipped kernel, on the matrix unit."""
    x = MetaArray((g.shape[0], w.shape[1] * how[3], *size), g.dtype)
    c = Conv.of(x, w, g.shape[2:], *how, "highest").flipped()
    d = Draft({"g": meta(g), "w": meta(w)})
    d.array("dx", x)
    other = select.plan_input(*key(g, w), size, *how, "highest", False)
    return launches.amx_forward(c, d, "dx", other).run(g, w)


def weight(x: Any, g: Any, kernel: Any, *how: Any) -> Any:
    """The gradient of a weight on the matrix unit."""
    w = MetaArray((g.shape[1], x.shape[1] // how[3], *kernel), g.dtype)
    c = Conv.of(x, w, g.shape[2:], *how, "highest")
    d = Draft({"x": meta(x), "g": meta(g)})
    d.array("dw", w)
    other = select.plan_weight(*key(x, g), kernel, *how, "highest", False)
    return launches.amx_weight(c, d, other).run(x, g)


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32)


def windows_of(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """(N, C, *kernel, *out) in float64."""
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0)] + [(p, p) for p in padding])
    out = reference.out_size(x.shape[2:], kernel, stride, (0,) * len(kernel), dilation)
    return reference.windows(x, kernel, stride, dilation, out)


def close(got: Any, want: np.ndarray, size: np.ndarray, terms: int) -> None:
    """Within a few roundings of the sum of the terms' absolute values."""
    assert got is not None
    assert got.shape == want.shape
    assert (np.abs(got - want) <= (terms / 16 + 8) * 2.0**-24 * size + 1e-30).all()


@pytest.mark.parametrize("seed", range(60))
def test_random_convolutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    c, o = (int(rng.choice([1, 3, 16, 32, 40, 64])) for _ in range(2))
    n, d = int(rng.choice([1, 2, 9])), int(rng.choice([1, 2, 2]))
    kernel, stride, dilation, padding = (
        tuple(int(v) for v in rng.integers(low, high, d))
        for low, high in ((1, 5), (1, 4), (1, 3), (0, 3))
    )
    size = tuple(
        int(rng.integers(max(1, (k - 1) * e + 1 - 2 * p), 20))
        for k, e, p in zip(kernel, dilation, padding, strict=True)
    )
    x, w = normal(rng, n, groups * c, *size), normal(rng, groups * o, c, *kernel)
    bias = normal(rng, groups * o) if seed % 2 else None
    out = reference.out_size(size, kernel, stride, padding, dilation)
    terms, p = c * math.prod(kernel), math.prod(out)
    seen = windows_of(x, kernel, stride, padding, dilation).reshape(n, groups, terms, p)
    w64 = w.astype(np.float64).reshape(groups, o, terms)

    y = forward(x, w, bias, stride, padding, dilation, groups)
    want, bound = (np.matmul(f(w64), f(seen)).reshape(n, -1, *out) for f in (np.array, np.abs))
    if bias is not None:
        column = bias.reshape(-1, *[1] * d)
        want, bound = want + column, bound + np.abs(column)
    close(y, want, bound, terms)

    g = normal(rng, *want.shape)
    g64 = g.astype(np.float64).reshape(n, groups, o, p)
    dw = weight(x, g, kernel, stride, padding, dilation, groups)
    want, bound = (
        np.matmul(f(g64), f(seen).swapaxes(2, 3)).sum(0).reshape(w.shape)
        for f in (np.array, np.abs)
    )
    close(dw, want, bound, n * p)

    around = tuple(e * (k - 1) - q for e, k, q in zip(dilation, kernel, padding, strict=True))
    if max(stride) == 1 and min(around) >= 0:
        dx = backward(g, w, size, stride, padding, dilation, groups)
        exact = [
            reference.input_gradient(
                f(g.astype(np.float64)), f(w.astype(np.float64)), size, stride, padding, dilation,
                groups,
            )
            for f in (np.array, np.abs)
        ]  # fmt: skip
        close(dx, exact[0], exact[1], o * math.prod(kernel))


def test_many_images_are_taken_in_blocks(limits: Any) -> None:
    rng = np.random.default_rng(0)
    x, w = normal(rng, 7, 32, 9, 9), normal(rng, 32, 32, 3, 3)
    how = ((1, 1), (1, 1), (1, 1), 1)
    g = normal(rng, 7, 32, 9, 9)
    whole = forward(x, w, None, *how)
    gradient = weight(x, g, (3, 3), *how)
    with limits(CONV_AMX_MOST=1, CONV_AMX_TOGETHER=1):
        np.testing.assert_array_equal(forward(x, w, None, *how), whole)
        np.testing.assert_allclose(weight(x, g, (3, 3), *how), gradient, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e38])
@pytest.mark.parametrize("place", ["x", "w", "g"])
def test_numbers_that_cannot_be_split_are_left_to_others(
    place: str, value: float, limits: Any
) -> None:
    """The plan's last launch computes it again, by the plan of a CPU without the unit. (Of margins
    that are not multiplied, no NaN would come.)"""
    with limits(CONV_SKIPPED_LEAST=1 << 40):
        left_to_others(place, value)


def left_to_others(place: str, value: float) -> None:
    rng = np.random.default_rng(1)
    x, w, g = normal(rng, 2, 32, 8, 8), normal(rng, 32, 32, 3, 3), normal(rng, 2, 32, 8, 8)
    {"x": x, "w": w, "g": g}[place].flat[777] = value
    how = ((1, 1), (1, 1), (1, 1), 1)
    y, dw, dx = forward(x, w, None, *how), weight(x, g, (3, 3), *how), backward(g, w, (8, 8), *how)
    vectors = {"stride": how[0], "padding": how[1], "dilation": how[2], "groups": 1}
    vectors |= {"precision": "highest", "allows_amx": False}
    for got, plan, operands in (
        (y, select.plan_forward(*key(x, w), None, **vectors), (x, w, None)),
        (dw, select.plan_weight(*key(x, g), (3, 3), **vectors), (x, g)),
        (dx, select.plan_input(*key(g, w), (8, 8), **vectors), (g, w)),
    ):
        by_vectors = plan.run(*operands)
        met = any(not (abs(a) < 2.0**110).all() for a in operands if a is not None)
        assert np.array_equal(got, by_vectors, equal_nan=True) == met
    if place != "g":
        wide = reference.forward(x.astype(np.float64), w.astype(np.float64), None, *how)
        np.testing.assert_array_equal(np.isnan(y), np.isnan(wide))
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(np.isinf(y), np.isinf(wide.astype(np.float32)))


def test_threads_give_the_same_bits() -> None:
    rng = np.random.default_rng(2)
    x, w, g = normal(rng, 3, 64, 20, 20), normal(rng, 48, 64, 3, 3), normal(rng, 3, 48, 10, 10)
    how = ((2, 2), (1, 1), (1, 1), 1)
    before = rushlight.get_num_threads()
    found = set()
    try:
        for threads in (1, 2, 3, 8):
            rushlight.set_num_threads(threads)
            y, dw = forward(x, w, None, *how), weight(x, g, (3, 3), *how)
            found.add(y.tobytes() + dw.tobytes())
    finally:
        rushlight.set_num_threads(before)
    assert len(found) == 1


def test_other_types_and_dims_are_left_to_others() -> None:
    one, three = ((1, 1), (0, 0), (1, 1), 1), ((1,) * 3, (0,) * 3, (1,) * 3, 1)
    for dtype, x_shape, w_shape, how, is_taken in (
        (np.float32, (2, 32, 8, 8), (32, 32, 3, 3), one, True),
        (np.float64, (2, 32, 8, 8), (32, 32, 3, 3), one, False),
        (np.float32, (1, 32, 4, 4, 4), (32, 32, 1, 1, 1), three, False),
    ):
        x, w = np.ones(x_shape, dtype), np.ones(w_shape, dtype)
        assert (select.plan_forward(*key(x, w), None, *how).name == "conv.amx") == is_taken
