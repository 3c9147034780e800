"""The stream of words: NumPy's generator, seeded as PyTorch seeds it, and its states."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from rushlight.kernels.random.mersenne_twister import STATE_BYTES, Twister


def test_words_are_those_of_the_reference_generator() -> None:
    """init_genrand(5489), whose ten thousandth word the authors give (C++11, [rand.predef])."""
    assert Twister(5489).words(10_000)[-1] == 4123659995


@pytest.mark.parametrize("parts", [[1000], [1, 999], [623, 1, 1, 375], [0, 1000]])
def test_parts_are_one_stream(parts: list[int]) -> None:
    rng = Twister(7)
    found = np.concatenate([rng.words(n) for n in parts])
    np.testing.assert_array_equal(found, Twister(7).words(1000))


def test_one_word_is_the_next_of_many() -> None:
    rng = Twister(3)
    assert [rng.word() for _ in range(5)] == Twister(3).words(5).tolist()


def test_a_state_is_the_place_in_the_stream() -> None:
    rng = Twister(11)
    rng.words(700)
    state = rng.get_state()
    assert state.nbytes == STATE_BYTES
    ahead = rng.words(900)
    rng.set_state(state)
    np.testing.assert_array_equal(rng.words(900), ahead)


def pickled(rng: Twister) -> Twister:
    return pickle.loads(pickle.dumps(rng))


@pytest.mark.parametrize("copied", [Twister.clone, copy.deepcopy, pickled])
def test_copies_go_their_own_way(copied: object) -> None:
    rng = Twister(11)
    rng.words(30)
    other = copied(rng)  # type: ignore[operator]
    ahead = rng.words(50)
    np.testing.assert_array_equal(other.words(50), ahead)


def test_what_was_not_used_can_be_given_back() -> None:
    rng = Twister(1)
    rng.words(10)
    mark = rng.mark()
    drawn = rng.words(800)
    rng.rewind(mark, 300)
    np.testing.assert_array_equal(rng.words(500), drawn[300:])
