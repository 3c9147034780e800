"""Random numbers against PyTorch's, bit for bit, and the state of the stream after them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import rushlight
from rushlight.kernels.random import distributions as R
from rushlight.kernels.random import select
from rushlight.kernels.random.mersenne_twister import Twister
from rushlight.ops.random.fill import below

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
        lambda a, r: below(a, np.array(0.3, np.float32), r, a), ALL),
    "bernoulli of float64": (
        lambda t: t.bernoulli_(torch.from_numpy(probabilities(t.numpy()))),
        lambda a, r: below(a, probabilities(a), r, a), ["float32", "int64", "bool"]),
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
    np.testing.assert_array_equal(select.permutation(n, rng), torch.randperm(n).numpy())
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


def weights(m, *shape):
    """The same numbers in both libraries, without drawing any."""
    n = int(np.prod(shape))
    return m.tensor([((7 * i) % 11 + 1) / 12 for i in range(n)]).reshape(shape)


FUNCTIONS = {
    "rand": lambda m: m.rand(3, 4),
    "rand bfloat16": lambda m: m.rand(300, dtype=m.bfloat16),
    "rand complex": lambda m: m.rand(5, dtype=m.complex64),
    "rand meta": lambda m: m.rand(5, device="meta"),
    "randn 5": lambda m: m.randn(5),
    "randn 5x7": lambda m: m.randn(5, 7),
    "randn float64": lambda m: m.randn(3, dtype=m.float64),
    "randn complex": lambda m: m.randn(20, dtype=m.complex64),
    "randn float16": lambda m: m.randn(37, dtype=m.float16),
    "randint": lambda m: m.randint(5, (3,)),
    "randint wide": lambda m: m.randint(-5, 2**40, (3,)),
    "randint uint8": lambda m: m.randint(0, 256, (9,), dtype=m.uint8),
    "randint float": lambda m: m.randint(2, (9,), dtype=m.float32),
    "randint half": lambda m: m.randint(0, 4000, (50,), dtype=m.float16),
    "randint bfloat16": lambda m: m.randint(-300, 301, (50,), dtype=m.bfloat16),
    "randint bool": lambda m: m.randint(2, (9,), dtype=m.bool),
    "randperm": lambda m: m.randperm(9),
    "randperm int16": lambda m: m.randperm(300, dtype=m.int16),
    "randperm float": lambda m: m.randperm(9, dtype=m.float32),
    "rand_like": lambda m: m.rand_like(m.zeros(4, 6)),
    "randn_like transposed": lambda m: m.randn_like(m.zeros(4, 6).t()),
    "randn_like complex transposed": lambda m: m.randn_like(m.zeros(4, 6, dtype=m.complex64).t()),
    "randint_like": lambda m: m.randint_like(m.zeros(4, 6), 3, 9),
    "normal mean": lambda m: m.normal(weights(m, 4, 1), 2.0),
    "normal mean alone": lambda m: m.normal(weights(m, 40)),
    "normal std": lambda m: m.normal(1.0, weights(m, 17)),
    "normal both": lambda m: m.normal(weights(m, 4, 1), weights(m, 3)),
    "normal both mixed": lambda m: m.normal(weights(m, 4).double(), weights(m, 4)),
    "normal 0-d std": lambda m: m.normal(weights(m, 20), m.tensor(0.3, dtype=m.float64)),
    "normal half": lambda m: m.normal(weights(m, 20).half(), 0.7),
    "normal size": lambda m: m.normal(1, 2, (5, 5)),
    "bernoulli": lambda m: m.bernoulli(weights(m, 6, 5)),
    "bernoulli p": lambda m: m.bernoulli(weights(m, 6, 5), 0.3),
    "bernoulli half": lambda m: m.bernoulli(weights(m, 50).half()),
    "bernoulli_ tensor": lambda m: m.zeros(6, 5).bernoulli_(weights(m, 5)),
    "bernoulli_ transposed": lambda m: m.zeros(6, 5).t().bernoulli_(weights(m, 6)),
    "poisson": lambda m: m.poisson(weights(m, 3, 5) * 15),
    "multinomial": lambda m: m.multinomial(weights(m, 4, 9), 3),
    "multinomial 1-d": lambda m: m.multinomial(weights(m, 9), 9),
    "multinomial one replaced": lambda m: m.multinomial(weights(m, 4, 9), 1, True),
    "multinomial replaced": lambda m: m.multinomial(weights(m, 4, 9), 20, replacement=True),
    "multinomial half": lambda m: m.multinomial(weights(m, 4, 9).half(), 2),
    "uniform_ sliced": lambda m: m.zeros(8, 6)[::2].uniform_(2, 3),
    "normal_ complex": lambda m: m.zeros(4, 6, dtype=m.complex64).t().normal_(),
    "random_ half": lambda m: m.zeros(9, dtype=m.float16).random_(),
    "random_ from": lambda m: m.zeros(9, dtype=m.int8).random_(5, None),
    "generator": lambda m: m.randn(20, generator=m.Generator().manual_seed(9)),
}


def outcome(m, call):
    """(values, dtype, shape, state afterwards), everything as plain Python."""
    m.manual_seed(12)
    m.randn(3)
    t = call(m)
    values = None if t.is_meta else t.tolist()
    return values, str(t.dtype), tuple(t.shape), tuple(t.stride()), m.get_rng_state().tolist()


@pytest.mark.filterwarnings("ignore:.*out of bounds .*precision limitations:UserWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    call = FUNCTIONS[name]
    assert outcome(rushlight, call) == outcome(torch, call)


WRONG = [
    lambda m: m.rand(3, dtype=m.int64),
    lambda m: m.rand(-1),
    lambda m: m.rand("a"),
    lambda m: m.rand(),
    lambda m: m.randint(5, 2),
    lambda m: m.randint(5, 5, (2,)),
    lambda m: m.randint(0, 300, (2,), dtype=m.uint8),
    lambda m: m.randperm(-1),
    lambda m: m.randperm(300, dtype=m.uint8),
    lambda m: m.randperm(5, dtype=m.bool),
    lambda m: m.normal(0.0, 1.0),
    lambda m: m.normal(m.zeros(2), -1.0),
    lambda m: m.normal(m.zeros(2, dtype=m.int64), 1.0),
    lambda m: m.bernoulli(m.tensor([2.0])),
    lambda m: m.bernoulli(m.tensor([1])),
    lambda m: m.zeros(2, dtype=m.complex64).bernoulli_(),
    lambda m: m.zeros(2, dtype=m.int64).uniform_(),
    lambda m: m.zeros(2).exponential_(-1),
    lambda m: m.zeros(2, dtype=m.int64).cauchy_(),
    lambda m: m.zeros(2, dtype=m.int64).log_normal_(),
    lambda m: m.zeros(2).random_(3, 2),
    lambda m: m.zeros(2, dtype=m.complex64).random_(),
    lambda m: m.multinomial(m.tensor([1, 2]), 1),
    lambda m: m.multinomial(m.tensor(1.0), 1),
    lambda m: m.poisson(m.tensor([1])),
    lambda m: m.rand_like(m.zeros(2, dtype=m.int64)),
    lambda m: m.rand(2, generator=3),
    lambda m: m.Generator().manual_seed("a"),
    lambda m: m.manual_seed(2**64),
    lambda m: m.set_rng_state(3),
    lambda m: m.Generator("cuda"),
]


@pytest.mark.parametrize("call", WRONG, ids=range(len(WRONG)))
def test_error_classes(call):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        call(torch)
    with pytest.raises(type(theirs.value)) as ours:
        call(rushlight)
    assert type(ours.value) is type(theirs.value)
