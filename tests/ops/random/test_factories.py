"""Random functions and methods: signatures, checks, gradients, in-place rules."""

from __future__ import annotations

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def _zero():
    torch.manual_seed(0)


def test_sizes():
    assert torch.rand(2, 3).shape == torch.rand((2, 3)).shape == torch.rand(size=[2, 3]).shape
    assert torch.randn(()).shape == ()
    assert torch.rand(0).shape == (0,)
    assert torch.rand(torch.Size([4])).shape == (4,)
    assert torch.randint(5, (2,)).shape == torch.randint(1, 5, size=(2,)).shape
    assert torch.randint(low=1, high=3, size=(2, 2)).shape == (2, 2)
    assert torch.normal(0.0, 1.0, (2, 5)).shape == torch.normal(0, 1, size=(2, 5)).shape


def test_types_and_devices():
    assert torch.rand(2).dtype is torch.float32
    assert torch.rand(2, dtype=torch.float64).dtype is torch.float64
    assert torch.randn(2, dtype=torch.complex64).dtype is torch.complex64
    assert torch.randint(5, (2,)).dtype is torch.int64
    assert torch.randperm(5, dtype=torch.int32).dtype is torch.int32
    assert torch.rand(2, 3, device="meta").is_meta
    assert torch.randint(5, (2,), device="meta").shape == (2,)
    x = torch.zeros(2, 3, dtype=torch.float64)
    assert torch.rand_like(x).dtype is torch.float64
    assert torch.rand_like(x, dtype=torch.float32).dtype is torch.float32
    assert torch.randn_like(x.t()).stride() == (1, 3)
    assert torch.randint_like(x, 5).dtype is torch.float64


def test_requires_grad_and_out():
    x = torch.rand(2, requires_grad=True)
    assert x.requires_grad
    assert x.is_leaf
    with pytest.raises(RuntimeError, match="Only Tensors of floating point"):
        torch.randint(5, (2,), requires_grad=True)
    out = torch.zeros(2, dtype=torch.float64)
    assert torch.rand(2, out=out) is out
    assert (out != 0).all()


def test_in_place_methods_return_the_tensor():
    x = torch.zeros(3)
    for fill in (
        x.uniform_,
        x.normal_,
        x.random_,
        x.bernoulli_,
        x.exponential_,
        x.cauchy_,
        x.log_normal_,
    ):
        assert fill() is x
    assert x.geometric_(0.5) is x
    assert x.uniform_(2, 3).min() >= 2
    assert x.uniform_(to=3).min() >= 0
    assert x.uniform_(**{"from": 5, "to": 6}).min() >= 5
    assert x.random_(4).max() < 4
    assert x.random_(4, 6).min() >= 4
    assert x.bernoulli_(torch.ones(3)).tolist() == [1, 1, 1]


def test_in_place_counts_as_a_change():
    x = torch.ones(3)
    before = x._version
    x.normal_()
    assert x._version == before + 1
    y = torch.ones(3, requires_grad=True).exp()
    z = y * y
    y.uniform_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_in_place_on_leaves_and_expanded_tensors():
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        leaf.normal_()
    assert leaf.tolist() == [1, 1, 1]
    with torch.no_grad():
        leaf.normal_()
    assert leaf.tolist() != [1, 1, 1]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(1).expand(3).uniform_()


def test_gradients_are_zero():
    x = torch.rand(4, requires_grad=True)
    y = (x * 2).normal_()
    assert type(y.grad_fn).__name__ == "NormalBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0, 0]
    p = torch.rand(4, requires_grad=True)
    b = torch.bernoulli(p)
    assert type(b.grad_fn).__name__ == "BernoulliBackward0"
    b.sum().backward()
    assert p.grad.tolist() == [0, 0, 0, 0]
    mean, std = torch.zeros(4, 1, requires_grad=True), torch.ones(3, requires_grad=True)
    z = torch.normal(mean, std)
    assert type(z.grad_fn).__name__ == "NormalBackward3"
    z.sum().backward()
    assert mean.grad.shape == (4, 1)
    assert std.grad.tolist() == [0, 0, 0]
    assert not torch.multinomial(p, 2).requires_grad


def test_in_place_on_a_view_reaches_the_base():
    x = torch.ones(4, requires_grad=True)
    y = x * 1
    y[:2].uniform_()
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 1]


def test_bernoulli_of_a_number_ignores_the_values():
    x = torch.tensor([5.0, -3.0])
    assert torch.bernoulli(x, 1.0).tolist() == [1, 1]
    assert x.bernoulli(p=0.0).tolist() == [0, 0]


def test_multinomial_shapes():
    w = torch.rand(3, 5)
    assert torch.multinomial(w, 2).shape == (3, 2)
    assert w.multinomial(7, replacement=True).shape == (3, 7)
    assert sorted(torch.multinomial(w[0], 5).tolist()) == [0, 1, 2, 3, 4]
    assert torch.multinomial(torch.tensor([0.0, 1.0]), 10, True).tolist() == [1] * 10


ERRORS = [
    (NotImplementedError, "not implemented for 'Long'", lambda: torch.rand(3, dtype=torch.int64)),
    (NotImplementedError, "not implemented for 'Long'", lambda: torch.randn(3, dtype=torch.int64)),
    (RuntimeError, "negative dimension -1", lambda: torch.rand(-1)),
    (TypeError, "'size' .* must be tuple of ints, not str", lambda: torch.rand("a")),
    (TypeError, "'size' .* must be tuple of ints, not float", lambda: torch.rand(2.0)),
    (TypeError, "invalid combination of arguments", lambda: torch.rand()),
    (TypeError, "must be tuple of ints, not int", lambda: torch.randint(5, 2)),
    (TypeError, "'high' must be int, not float", lambda: torch.randint(0, 10.5, (2,))),
    (RuntimeError, "'from' to be less than 'to'", lambda: torch.randint(5, 5, (2,))),
    (
        RuntimeError,
        "to - 1 is out of bounds for unsigned char",
        lambda: torch.randint(0, 300, (2,), dtype=torch.uint8),
    ),
    (RuntimeError, "negative dimension", lambda: torch.randperm(-1)),
    (RuntimeError, "without overflow", lambda: torch.randperm(300, dtype=torch.uint8)),
    (
        RuntimeError,
        "greater than 2049 for Half",
        lambda: torch.randperm(5000, dtype=torch.float16),
    ),
    (TypeError, "must be int, not float", lambda: torch.randperm(2.5)),
    (TypeError, "invalid combination", lambda: torch.normal(0.0, 1.0)),
    (RuntimeError, "std >= 0.0, but found std -1", lambda: torch.normal(torch.zeros(2), -1.0)),
    (
        RuntimeError,
        "all elements of std >= 0.0",
        lambda: torch.normal(torch.zeros(2), torch.tensor([-1.0, 1])),
    ),
    (
        RuntimeError,
        "must match the size",
        lambda: torch.normal(torch.zeros(2), torch.ones(3)),
    ),
    (RuntimeError, "p_in >= 0 && p_in <= 1", lambda: torch.bernoulli(torch.tensor([2.0]))),
    (NotImplementedError, "for 'Long'", lambda: torch.bernoulli(torch.tensor([1]))),
    (RuntimeError, r"p to be in \[0, 1\]", lambda: torch.zeros(2).bernoulli_(1.5)),
    (RuntimeError, r"return a \[from, to\) range", lambda: torch.zeros(2).uniform_(2, 1)),
    (RuntimeError, "to is out of bounds", lambda: torch.zeros(2).uniform_(0, 1e40)),
    (RuntimeError, "found std -1", lambda: torch.zeros(2).normal_(0, -1)),
    (RuntimeError, "lambda > 0.0", lambda: torch.zeros(2).exponential_(0)),
    (
        RuntimeError,
        "continuous probability distribution",
        lambda: torch.zeros(2, dtype=torch.int64).exponential_(),
    ),
    (RuntimeError, r"p to be in \(0, 1\)", lambda: torch.zeros(2).geometric_(1)),
    (RuntimeError, "sigma > 0.0", lambda: torch.zeros(2).cauchy_(0, -1)),
    (RuntimeError, "std > 0.0", lambda: torch.zeros(2).log_normal_(0, -1)),
    (RuntimeError, "'from' to be less than 'to'", lambda: torch.zeros(2).random_(0)),
    (RuntimeError, "'from' to be less than 'to'", lambda: torch.empty(0).random_(3, 2)),
    (
        RuntimeError,
        "without replacement",
        lambda: torch.multinomial(torch.tensor([1.0, 2]), 3),
    ),
    (RuntimeError, "n_sample <= 0", lambda: torch.multinomial(torch.tensor([1.0, 2]), 0)),
    (
        RuntimeError,
        "either `inf`, `nan` or element < 0",
        lambda: torch.multinomial(torch.tensor([1.0, -2]), 1),
    ),
    (
        RuntimeError,
        "entry < 0",
        lambda: torch.multinomial(torch.tensor([1.0, -2]), 2, True),
    ),
    (
        RuntimeError,
        "sum of probabilities <= 0",
        lambda: torch.multinomial(torch.tensor([0.0, 0]), 1),
    ),
    (RuntimeError, "1 or 2 dim", lambda: torch.multinomial(torch.ones(2, 2, 2), 1)),
    (RuntimeError, "non-negative", lambda: torch.poisson(torch.tensor([-1.0]))),
]


@pytest.mark.parametrize(("kind", "words", "call"), ERRORS)
def test_errors(kind, words, call):
    before = torch.get_rng_state().tolist()
    with pytest.raises(kind, match=words):
        call()
    assert torch.get_rng_state().tolist() == before


def test_whole_numbers_beyond_the_precision_of_the_type_warn():
    with pytest.warns(UserWarning, match="Due to precision limitations float16"):
        x = torch.randint(0, 4000, (50,), dtype=torch.float16)
    assert x.max() < 4000
