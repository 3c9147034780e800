"""Generators, seeds and states, and the numbers that PyTorch 2.13 gives for seed 0."""

from __future__ import annotations

import copy
import pickle

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def _zero():
    torch.manual_seed(0)


def listed(t):
    return [float(f"{v:.6g}") for v in t.flatten().tolist()]


def test_the_first_numbers():
    assert listed(torch.rand(4)) == [0.496257, 0.768222, 0.0884774, 0.13203]
    torch.manual_seed(0)
    assert listed(torch.randn(5)) == [1.541, -0.293429, -2.17879, 0.568431, -1.08452]
    torch.manual_seed(0)
    assert torch.randint(0, 10, (10,)).tolist() == [4, 9, 3, 0, 3, 9, 7, 3, 7, 3]
    torch.manual_seed(0)
    assert torch.randperm(10).tolist() == [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]
    torch.manual_seed(0)
    assert torch.zeros(12).bernoulli_(0.3).tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    torch.manual_seed(0)
    assert torch.multinomial(torch.tensor([1.0, 2, 3, 4]), 3).tolist() == [2, 1, 3]
    torch.manual_seed(0)
    assert torch.poisson(torch.tensor([0.5, 3, 20, 1000])).tolist() == [2, 4, 21, 996]


def test_manual_seed_returns_the_default_generator():
    assert torch.manual_seed(5) is torch.default_generator
    assert torch.initial_seed() == 5
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1
    assert torch.manual_seed(torch.tensor(3)).initial_seed() == 3


def test_seed_draws_a_seed():
    seeds = {torch.seed() for _ in range(3)}
    assert len(seeds) == 3
    assert torch.initial_seed() in seeds


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seeds_have_64_bits(seed):
    with pytest.raises(ValueError, match="Overflow when unpacking long"):
        torch.manual_seed(seed)


def test_a_seed_is_an_integer():
    with pytest.raises(RuntimeError, match="expected a long"):
        torch.Generator().manual_seed(1.5)


def test_a_state_brings_the_numbers_back():
    torch.randn(3)  # one number of a pair is left
    state = torch.get_rng_state()
    assert state.dtype is torch.uint8
    assert state.shape == (5056,)
    first = torch.randn(5), torch.rand(3)
    torch.set_rng_state(state)
    again = torch.randn(5), torch.rand(3)
    for a, b in zip(first, again, strict=True):
        assert a.tolist() == b.tolist()


def test_wrong_states_change_nothing():
    before = torch.get_rng_state().tolist()
    with pytest.raises(RuntimeError, match=r"of size 5056 but found .* 50"):
        torch.set_rng_state(torch.zeros(50, dtype=torch.uint8))
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        torch.set_rng_state(torch.zeros(5056, dtype=torch.uint8))
    with pytest.raises(TypeError, match=r"must be a torch\.ByteTensor"):
        torch.set_rng_state(torch.zeros(5056))
    with pytest.raises(TypeError, match=r"expected a torch\.ByteTensor"):
        torch.set_rng_state(3)
    assert torch.get_rng_state().tolist() == before


def test_fork_rng_gives_the_numbers_back():
    with torch.random.fork_rng():
        inside = torch.rand(3).tolist()
    assert torch.rand(3).tolist() == inside
    torch.manual_seed(0)
    with torch.random.fork_rng(enabled=False):
        torch.rand(3)
    assert torch.rand(3).tolist() != inside


def test_generators_are_independent():
    g = torch.Generator()
    assert g.device == torch.device("cpu")
    assert g.initial_seed() == 67280421310721
    assert g.manual_seed(0) is g
    assert torch.rand(4, generator=g).tolist() == torch.rand(4).tolist()
    torch.rand(100)
    assert torch.rand(1, generator=g).item() != torch.rand(1).item()
    twin = g.clone_state()
    assert torch.randn(3, generator=g).tolist() == torch.randn(3, generator=twin).tolist()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_generators_can_be_copied(again):
    g = torch.Generator().manual_seed(4)
    torch.randn(3, generator=g)
    twin = again(g)
    assert twin.initial_seed() == 4
    assert torch.randn(5, generator=twin).tolist() == torch.randn(5, generator=g).tolist()


def test_what_a_cpu_generator_has_not():
    with pytest.raises(RuntimeError, match="CUDA generator"):
        torch.Generator(device="cuda")
    with pytest.raises(RuntimeError, match="does not use offset"):
        torch.Generator().get_offset()
    with pytest.raises(RuntimeError, match="does not use offset"):
        torch.Generator().set_offset(1)
    with pytest.raises(NotImplementedError, match="graphsafe"):
        torch.Generator().graphsafe_get_state()
    with pytest.raises(TypeError, match=r"must be torch\.Generator, not int"):
        torch.rand(2, generator=3)
