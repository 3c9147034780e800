"""Pools against PyTorch: random shapes, ties, NaN, indices, gradients, errors."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rushlight
import rushlight.nn.functional as F

torch = pytest.importorskip("torch")
G = torch.nn.functional


def pool_case(rng, d, dilated=True):
    kernel = tuple(random.choice([1, 2, 3, 4]) for _ in range(d))
    how = {
        "kernel_size": kernel,
        "stride": random.choice([None, tuple(random.choice([1, 2, 3]) for _ in range(d))]),
        "padding": tuple(random.randint(0, k // 2) for k in kernel),
        "ceil_mode": random.random() < 0.5,
    }
    if dilated:
        how["dilation"] = tuple(random.choice([1, 2]) for _ in range(d))
    size = [random.randint(7, 11) for _ in range(d)]
    lead = random.choice([(2,), (0, 2), (2, 3)])
    return rng.standard_normal((*lead, *size)), how


@pytest.mark.parametrize("d", [1, 2, 3])
def test_max_pool(same, rng, d):
    name = f"max_pool{d}d"
    for _ in range(15):
        x, how = pool_case(rng, d)
        same(getattr(F, name), getattr(G, name), x, order=2, **how)
        same(getattr(F, name), getattr(G, name), x, return_indices=True, **how)


def test_max_pool_ties_nan_inf(same, rng):
    for _ in range(20):
        x, how = pool_case(rng, 2)
        x = np.floor(x)
        for value in (np.nan, -np.inf, np.inf):
            if random.random() < 0.5:
                x[rng.random(x.shape) < 0.3] = value
        same(F.max_pool2d, G.max_pool2d, x, return_indices=True, **how)
        same(F.max_pool2d, G.max_pool2d, x, **how)


def test_max_pool_of_integers(same, rng):
    x = rng.integers(-9, 9, (2, 3, 6, 6))
    same(F.max_pool2d, G.max_pool2d, x, 2, order=0)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_avg_pool(same, rng, d):
    for _ in range(15):
        x, how = pool_case(rng, d, dilated=False)
        how["count_include_pad"] = random.random() < 0.5
        if d > 1 and random.random() < 0.3:
            how["divisor_override"] = 5
        name = f"avg_pool{d}d"
        same(getattr(F, name), getattr(G, name), x, order=2, **how)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", ["avg", "max"])
def test_adaptive(same, rng, d, kind):
    name = f"adaptive_{kind}_pool{d}d"
    for _ in range(12):
        size = [random.randint(3, 9) for _ in range(d)]
        out = tuple(random.choice([1, 2, 4, n, None, n + 2]) for n in size)
        if d == 1:
            out = (out[0] or 2,)
        x = rng.standard_normal((*random.choice([(2,), (0, 2), (2, 3)]), *size))
        same(getattr(F, name), getattr(G, name), x, out, order=2)
        if kind == "max":
            same(getattr(F, name), getattr(G, name), x, out, return_indices=True)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_max_unpool(same, rng, d):
    x = rng.standard_normal((2, 3, *(6, 8, 4)[:d]))
    ours, theirs = getattr(F, f"max_unpool{d}d"), getattr(G, f"max_unpool{d}d")
    y, i = getattr(G, f"max_pool{d}d")(torch.from_numpy(x), 2, return_indices=True)
    same(ours, theirs, y.numpy(), i.numpy(), 2, order=2)
    bigger = tuple(n + 1 for n in x.shape[2:])
    same(ours, theirs, y.numpy(), i.numpy(), 2, output_size=bigger)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_lp_pool(same, rng, d):
    x = rng.uniform(0.1, 2, (2, 3, *(6, 7, 5)[:d]))
    name = f"lp_pool{d}d"
    for p, how in ((2, {}), (3.0, {"stride": 1}), (1.5, {"ceil_mode": True})):
        same(getattr(F, name), getattr(G, name), x, p, 2, **how)


@pytest.mark.parametrize("d", [2, 3])
def test_fractional(same, rng, d):
    x = rng.standard_normal((2, 3, *(9, 8, 7)[:d]))
    samples = rng.random((2, 3, d))
    name = f"fractional_max_pool{d}d"
    for out in (3, (4, 5, 3)[:d]):
        same(getattr(F, name), getattr(G, name), x, 2, out, None, True, samples, fixed=(5,))
    y = getattr(F, name)(rushlight.from_numpy(x), 2, output_ratio=0.5)
    assert tuple(y.shape) == (2, 3, *(4, 4, 3)[:d])


def test_names_in_torch(same, rng):
    x = rng.standard_normal((2, 3, 8))
    same(rushlight.max_pool1d, torch.max_pool1d, x, 2)
    same(rushlight.avg_pool1d, torch.avg_pool1d, x, 2)
    same(rushlight.max_pool1d_with_indices, torch.max_pool1d_with_indices, x, 2)
    same(rushlight.adaptive_avg_pool1d, torch.adaptive_avg_pool1d, x, 3)
    same(rushlight.adaptive_max_pool1d, torch.adaptive_max_pool1d, x, 3)
    same(F.max_pool1d_with_indices, G.max_pool1d_with_indices, x, 2)
    same(F.max_pool2d_with_indices, G.max_pool2d_with_indices, x, 2)


def test_errors(same_error):
    def both(fn, shape, *args, words, **kw):
        same_error(
            lambda: getattr(F, fn)(rushlight.zeros(shape), *args, **kw),
            lambda: getattr(G, fn)(torch.zeros(shape), *args, **kw),
            words,
        )

    x = (1, 4, 4)
    both("max_pool2d", x, 2, padding=2, words="pad should be at most half of effective kernel size")
    both("max_pool2d", x, 5, words="Output size is too small")
    both("max_pool2d", x, 2, stride=0, words="stride should not be zero")
    both("max_pool2d", x, (2, 2, 2), words="must either be a single int, or a tuple of two ints")
    both("max_pool2d", (1, 0, 4, 4), 2, words="tensor with optional 0 dim batch size")
    both("max_pool1d", (4,), 2, words="tensor with optional 0 dim batch size")
    both("max_pool1d", (4, 4), 5, words="Invalid computed output size")
    both("avg_pool2d", x, 2, divisor_override=0, words="divisor must be not zero")
    both("adaptive_avg_pool2d", (4, 4), 2, words="Expected 3D or 4D tensor")
    both("adaptive_avg_pool2d", x, (2,), words="output_size must be 2")
    both("adaptive_max_pool2d", x, (2,), words="output_size.size\\(\\) must be 2")
    for name in ("adaptive_avg_pool1d", "adaptive_max_pool1d"):
        both(name, (4, 4), (2, 2), words="'output_size' should contain one int \\(got 2\\)")
    both("adaptive_avg_pool2d", x, (2, -1), words="must be greater than or equal to 0")
    both("adaptive_avg_pool2d", (1, 4, 0), 2, words="non-zero size for non-batch dimensions")
    both("fractional_max_pool2d", (1, 8, 8), 2, words="requires specifying either an output_size")


def test_unpool_errors(same_error):
    def both(index, words, **kw):
        def run(lib, f):
            i = lib.tensor(index)
            return lambda: f(lib.zeros(1, 2, 2), i, 2, **kw)

        same_error(run(rushlight, F.max_unpool2d), run(torch, G.max_unpool2d), words)

    good = [[[0, 1], [2, 3]]]
    both([[[0, 1], [2, 99]]], "Found an invalid max index: 99")
    both([[[0.0, 1.0], [2.0, 3.0]]], "should be type int64 but got: Float")
    both([[[0, 1, 2], [2, 3, 4]]], "Expected shape of indices to be same")
    both(good, "invalid output_size", output_size=(9, 9))
    both(good, "output_size should be a sequence containing 2 or 4 elements", output_size=(9,))


EDGES = {
    "adaptive of numbers": lambda t: t.nn.functional.adaptive_max_pool2d(t.ones(2, 4, 4).long(), 2),
    "adaptive mean of bytes": lambda t: t.nn.functional.adaptive_avg_pool3d(
        t.ones(2, 4, 4, 4).byte(), 2
    ),
    "adaptive of no channels": lambda t: t.nn.functional.adaptive_avg_pool1d(t.ones(0, 10), 5),
    "adaptive of no rows": lambda t: t.nn.functional.adaptive_max_pool1d(t.ones(1, 0, 10), 5),
    "kernel of none": lambda t: t.nn.functional.fractional_max_pool2d(
        t.ones(2, 7, 7), (), output_size=(3, 3)
    ),
    "kernel of one": lambda t: t.nn.functional.fractional_max_pool3d(
        t.ones(2, 7, 7, 7), (1,), output_size=(3, 3, 3)
    ),
    "none of it": lambda t: t.nn.functional.fractional_max_pool2d(
        t.ones(2, 3, 8, 8), 2, output_size=[0, 1]
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    def told(t):
        try:
            return tuple(EDGES[name](t).shape)
        except RuntimeError as error:
            return type(error), str(error).split("\n")[0]

    ours, theirs = told(rushlight), told(torch)
    assert ours[:1] == theirs[:1]
    assert ours == theirs or str(ours[1]).split("(")[0] == str(theirs[1]).split("(")[0]


def test_too_large_an_output_is_refused():
    for t in (torch, rushlight):
        with pytest.raises(RuntimeError, match="overflow"):
            t.nn.AdaptiveMaxPool1d(0x3FFFFFFFFFFFFFFF)(t.empty([2, 2, 2]))


def test_adaptive_windows_none_and_one():
    for out in ((1, 0), (0, 1)):
        y = F.adaptive_avg_pool2d(rushlight.ones(1, 2, 3, 3), out)
        assert y.shape == G.adaptive_avg_pool2d(torch.ones(1, 2, 3, 3), out).shape
