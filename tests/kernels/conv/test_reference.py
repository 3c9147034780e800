"""Convolution kernels against plain loops in float64."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.conv import reference, select


def by_loops(x, w, stride, padding, dilation, groups):
    """The definition: one product of a window with the weight for each output element."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    n, (o, cg), k = x.shape[0], w.shape[:2], w.shape[2:]
    reach = [d * (a - 1) + 1 for a, d in zip(k, dilation, strict=True)]
    out = [(s - r) // st + 1 for s, r, st in zip(x.shape[2:], reach, stride, strict=True)]
    y = np.zeros((n, o, *out))
    for j in range(o):
        first = j // (o // groups) * cg
        for at in product(*map(range, out)):
            window = tuple(
                slice(a * s, a * s + r, d)
                for a, s, r, d in zip(at, stride, reach, dilation, strict=True)
            )
            part = x[(slice(None), slice(first, first + cg), *window)]
            y[(slice(None), j, *at)] = (part * w[j]).reshape(n, -1).sum(1)
    return y


CASES = [
    ((2, 3, 7), (4, 3, 3), (1,), (1,), (1,), 1),
    ((2, 4, 9), (6, 2, 2), (2,), (0,), (3,), 2),
    ((3, 2, 6, 7), (5, 2, 3, 2), (1, 1), (1, 0), (1, 1), 1),
    ((2, 4, 8, 7), (4, 1, 3, 3), (1, 1), (1, 1), (2, 1), 4),
    ((2, 4, 8, 7), (8, 1, 3, 3), (2, 1), (0, 1), (1, 1), 4),
    ((2, 6, 5, 5), (9, 2, 1, 1), (2, 2), (0, 0), (1, 1), 3),
    ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 1),
]
IDS = ["1d", "1d-groups", "2d", "depthwise", "depthwise-stride", "1x1", "3d"]


@pytest.fixture(params=[(1 << 19, 128), (64, 1), (64, 10**9), (1 << 19, 10**9)])
def layout(request, monkeypatch):
    """Every layout and block size that the kernels choose from."""
    monkeypatch.setattr(tuning, "CONV_REFERENCE_BLOCK", request.param[0])
    monkeypatch.setattr(tuning, "CONV_REFERENCE_WIDE", request.param[1])


@pytest.mark.usefixtures("layout")
@pytest.mark.parametrize("case", CASES, ids=IDS)
@pytest.mark.parametrize("kernel", [reference, select])
def test_products(kernel, case, rng):
    xs, ws, stride, padding, dilation, groups = case
    x, w = rng.standard_normal(xs), rng.standard_normal(ws)
    how = (stride, padding, dilation, groups)
    y = by_loops(x, w, *how)
    np.testing.assert_allclose(kernel.forward(x, w, None, *how), y, atol=1e-12)
    bias = rng.standard_normal(ws[0])
    shifted = y + bias.reshape(-1, *[1] * (y.ndim - 2))
    np.testing.assert_allclose(kernel.forward(x, w, bias, *how), shifted, atol=1e-12)
    # The other two are transposes: <forward(x, w), g> is <x, input_gradient(g, w)>
    # is <w, weight_gradient(x, g)>.
    g = rng.standard_normal(y.shape)
    dx = kernel.input_gradient(g, w, xs[2:], *how)
    dw = kernel.weight_gradient(x, g, ws[2:], *how)
    assert dx.shape == x.shape
    assert dw.shape == w.shape
    x2, w2 = rng.standard_normal(xs), rng.standard_normal(ws)
    np.testing.assert_allclose((dx * x2).sum(), (by_loops(x2, w, *how) * g).sum())
    np.testing.assert_allclose((dw * w2).sum(), (by_loops(x, w2, *how) * g).sum())


@pytest.mark.parametrize("kernel", [reference, select])
def test_empty_operands(kernel):
    how = ((1, 1), (0, 0), (1, 1), 1)
    w = np.ones((2, 3, 2, 2))
    assert kernel.forward(np.ones((0, 3, 4, 4)), w, None, *how).shape == (0, 2, 3, 3)
    assert kernel.input_gradient(np.ones((0, 2, 3, 3)), w, (4, 4), *how).shape == (0, 3, 4, 4)
    empty = kernel.weight_gradient(np.ones((0, 3, 4, 4)), np.ones((0, 2, 3, 3)), (2, 2), *how)
    assert empty.shape == (2, 3, 2, 2)
    assert not empty.any()


@pytest.mark.parametrize("kernel", [reference, select])
def test_results_are_contiguous(kernel, rng):
    for xs, ws, groups in (((4, 3, 6, 6), (5, 3, 3, 3), 1), ((4, 4, 6, 6), (4, 1, 3, 3), 4)):
        x, w = rng.standard_normal(xs), rng.standard_normal(ws)
        how = ((1, 1), (1, 1), (1, 1), groups)
        y = kernel.forward(x, w, None, *how)
        assert y.flags.c_contiguous
        assert kernel.input_gradient(y, w, xs[2:], *how).flags.c_contiguous
        assert kernel.weight_gradient(x, y, ws[2:], *how).flags.c_contiguous


@pytest.mark.parametrize("kernel", [reference, select])
def test_operands_may_be_views(kernel, rng):
    x = rng.standard_normal((2, 7, 6, 3)).transpose(0, 3, 1, 2)
    w = rng.standard_normal((3, 3, 3, 4)).transpose(3, 2, 1, 0)
    how = ((1, 1), (1, 1), (1, 1), 1)
    y = by_loops(x, w, *how)
    np.testing.assert_allclose(kernel.forward(x, w, None, *how), y, atol=1e-12)


def test_fold_is_the_transpose_of_unfold(rng):
    for how in (
        ((2, 3), (1, 1), (0, 0), (1, 1)),
        ((2, 2), (2, 1), (1, 0), (1, 2)),
        ((2, 2), (1, 1), (0, 0), (2, 3)),
    ):
        x = rng.standard_normal((2, 3, 6, 7))
        cols = reference.unfold(x, *how)
        c = rng.standard_normal(cols.shape)
        np.testing.assert_allclose((cols * c).sum(), (reference.fold(c, (6, 7), *how) * x).sum())


def test_unfold_of_a_small_image():
    x = np.arange(9.0).reshape(1, 1, 3, 3)
    cols = reference.unfold(x, (2, 2), (1, 1), (0, 0), (1, 1))
    assert cols[0, :, 0].tolist() == [0, 1, 3, 4]
    assert cols[0, :, 3].tolist() == [4, 5, 7, 8]
