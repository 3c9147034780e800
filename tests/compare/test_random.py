"""Random numbers against PyTorch's, bit for bit, and the state of the stream after them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import random as R
from rushlight.kernels.twister import Twister

torch = pytest.importorskip("torch")

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8"]
ALL = [*FLOATS, *INTEGERS, "bool"]
SHAPES = [(0,), (1,), (), (15,), (16,), (17,), (31,), (100,), (1000,), (3, 5, 7)]
STRIDED = {
    "transposed": ((20, 30), lambda a: a.swapaxes(0, 1)),
    "sliced": ((40, 6), lambda a: a[::2, 1:4]),
    "one column": ((3, 2), lambda a: a[:, :1]),
    "permuted": ((3, 4, 5, 6), lambda a: a.swapaxes(1, 3).swapaxes(0, 2)),
    "steps": ((100,), lambda a: a[::3]),
}


def np_type(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def to_numpy(t):
    if t.dtype is torch.bfloat16:
        return t.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return t.numpy()


def check(theirs, ours, dtype, shape, cut=lambda a: a, seed=7):
    """Fill twice with one stream each: the second run starts from whatever the first has left."""
    t = cut(torch.zeros(shape, dtype=getattr(torch, dtype)))
    a = cut(np.zeros(shape, np_type(dtype)))
    torch.manual_seed(seed)
    rng = Twister(seed)
    for _ in range(2):
        theirs(t)
        ours(a, rng)
        expected = to_numpy(t)
        if dtype == "float64":
            np.testing.assert_allclose(a, expected, rtol=2e-15, atol=1e-300)
        else:
            np.testing.assert_array_equal(a, expected)
        state = rng.get_state()
        other = torch.get_rng_state().numpy()
        np.testing.assert_array_equal(state[:5016], other[:5016])
        normal, other_normal = (s[5024:5032].view(np.float64) for s in (state, other))
        np.testing.assert_allclose(normal, other_normal, rtol=1e-14)
        np.testing.assert_array_equal(state[5032:], other[5032:])


def probabilities(a):
    return np.linspace(0, 1, a.size).reshape(a.shape)


FILLS = {
    "uniform": (lambda t: t.uniform_(), R.uniform, FLOATS),
    "uniform(-0.3, 0.8)": (
        lambda t: t.uniform_(-0.3, 0.8), lambda a, r: R.uniform(a, r, -0.3, 0.8), FLOATS),
    "normal": (lambda t: t.normal_(), R.normal, FLOATS),
    "normal(0.3, 1.7)": (
        lambda t: t.normal_(0.3, 1.7), lambda a, r: R.normal(a, r, 0.3, 1.7), FLOATS),
    "log_normal": (
        lambda t: t.log_normal_(0.3, 0.7), lambda a, r: R.log_normal(a, r, 0.3, 0.7), FLOATS),
    "exponential": (
        lambda t: t.exponential_(2.3), lambda a, r: R.exponential(a, r, 2.3), FLOATS),
    "cauchy": (lambda t: t.cauchy_(0.3, 1.7), lambda a, r: R.cauchy(a, r, 0.3, 1.7), FLOATS),
    "geometric": (
        lambda t: t.geometric_(0.3), lambda a, r: R.geometric(a, r, 0.3), [*FLOATS, *INTEGERS]),
    "bernoulli": (lambda t: t.bernoulli_(0.3), lambda a, r: R.bernoulli(a, r, 0.3), ALL),
    "bernoulli of float32": (
        lambda t: t.bernoulli_(torch.tensor(0.3)),
        lambda a, r: R.bernoulli_each(a, r, np.array(0.3, np.float32)), ALL),
    "bernoulli of float64": (
        lambda t: t.bernoulli_(torch.from_numpy(probabilities(t.numpy()))),
        lambda a, r: R.bernoulli_each(a, r, probabilities(a)), ["float32", "int64", "bool"]),
    "random": (lambda t: t.random_(), R.any_integers, ALL),
    "random(1, 100)": (
        lambda t: t.random_(1, 100), lambda a, r: R.integers(a, r, 1, 99), [*FLOATS, *INTEGERS]),
    "random(-5, 2**28)": (
        lambda t: t.random_(-5, 2**28), lambda a, r: R.integers(a, r, -5, 2**28 + 5), INTEGERS[:2]),
    "random(-5, 2**40)": (
        lambda t: t.random_(-5, 2**40), lambda a, r: R.integers(a, r, -5, 2**40 + 5), ["int64"]),
    "random of 64 bits": (
        lambda t: t.random_(-(2**63), None), lambda a, r: R.integers(a, r, 0, 2**64), ["int64"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLS)
def test_contiguous(name):
    theirs, ours, types = FILLS[name]
    for dtype in types:
        for shape in SHAPES:
            check(theirs, ours, dtype, shape)


@pytest.mark.parametrize("how", STRIDED)
@pytest.mark.parametrize("name", FILLS)
def test_strided(name, how):
    theirs, ours, types = FILLS[name]
    shape, cut = STRIDED[how]
    for dtype in types:
        check(theirs, ours, dtype, shape, cut)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 1000, 70000])
def test_randperm(n):
    torch.manual_seed(3)
    rng = Twister(3)
    np.testing.assert_array_equal(R.permutation(n, rng), torch.randperm(n).numpy())
    np.testing.assert_array_equal(rng.get_state(), torch.get_rng_state().numpy())


def test_poisson():
    rates = torch.tensor([0, 0.1, 1, 3, 9.9, 10, 11, 50, 1000, 1e6] * 30, dtype=torch.float64)
    torch.manual_seed(3)
    rng = Twister(3)
    np.testing.assert_array_equal(R.poisson(rates.numpy(), rng), torch.poisson(rates).numpy())
    np.testing.assert_array_equal(rng.get_state(), torch.get_rng_state().numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [1, 5, 50])
def test_multinomial(dtype, n):
    torch.manual_seed(1)
    weights = torch.rand(7, 50, dtype=getattr(torch, dtype))
    torch.manual_seed(3)
    rng = Twister(3)
    expected = torch.multinomial(weights, n).numpy()
    np.testing.assert_array_equal(R.multinomial_distinct(weights.numpy(), rng, n), expected)
    if n > 1:
        expected = torch.multinomial(weights, n, True).numpy()
        np.testing.assert_array_equal(R.multinomial_replaced(weights.numpy(), rng, n), expected)
    np.testing.assert_array_equal(rng.get_state(), torch.get_rng_state().numpy())


def test_a_state_saved_by_pytorch_goes_on_here_and_back():
    torch.manual_seed(11)
    torch.randn(3)  # leaves the second number of a pair waiting
    rng = Twister(0)
    rng.set_state(torch.get_rng_state().numpy())
    a = np.zeros(5, np.float32)
    R.normal(a, rng)
    np.testing.assert_array_equal(a, torch.randn(5).numpy())
    torch.set_rng_state(torch.from_numpy(rng.get_state()))
    R.normal(a, rng)
    np.testing.assert_array_equal(a, torch.randn(5).numpy())


def test_dropout_masks():
    for shape in ((3,), (64, 32)):
        torch.manual_seed(5)
        kept = torch.nn.functional.dropout(torch.ones(shape), 0.3).numpy() != 0
        mask = np.zeros(shape, np.float32)
        R.bernoulli(mask, Twister(5), 0.7)
        np.testing.assert_array_equal(mask != 0, kept)


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32 + 5, 2**64 - 1])
def test_seeds(seed):
    torch.manual_seed(seed)
    a = np.zeros(40, np.float32)
    rng = Twister(seed)
    R.normal(a, rng)
    np.testing.assert_array_equal(a, torch.randn(40).numpy())
    np.testing.assert_array_equal(rng.get_state(), torch.get_rng_state().numpy())
