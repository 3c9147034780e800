"""Few random numbers by one native call: those of the NumPy path, bit for bit, from one stream."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.random import distributions, select
from rushlight.kernels.random.mersenne_twister import INTEGERS, NORMALS, PERMUTED, UNIFORMS, Twister

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

SHAPES = [(1,), (), (2, 3), (1,), (15,), (3, 5), (16,), (17,), (5,), (600,), (30, 30), (4096,)]


def by(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANDOM_LEAST", "RANDOM_LEAST_RUNNING", "RANDOM_PATIENCE"):
        monkeypatch.setattr(tuning, name, least)


def two(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Twister, Twister]:
    """A stream from which kernels draw, and one at the same place for NumPy."""
    by(1, monkeypatch)
    ours, theirs = Twister(seed), Twister(seed)
    ours.floats(1), theirs.floats(1)
    by(1 << 62, monkeypatch)
    return ours, theirs


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.0, 0.37), (2.5, 3.0), (0.0, 0.0)])
def test_normal_ones_are_those_of_the_stream(
    mean: float, std: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the number that waits from an odd count on, and what it says in the state."""
    ours, theirs = two(11, monkeypatch)
    for shape in SHAPES * 3:
        got, want = ours.few(shape, NORMALS, (mean, std)), np.empty(shape, np.float32)
        if mean and want.size < 16:
            assert got is None
            continue
        distributions.normal(want, theirs, mean, std)
        assert (got.shape, got.dtype) == (shape, np.float32)
        assert got.tobytes() == want.tobytes()
        assert ours.normal == theirs.normal
        np.testing.assert_array_equal(ours.get_state(), theirs.get_state())


def test_a_number_that_waits_is_handed_out_by_either(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = two(3, monkeypatch)
    for turn in range(12):
        want = np.empty(1, np.float32)
        distributions.normal(want, theirs)
        got = np.empty(1, np.float32)
        if turn % 3:
            got = ours.few((1,), NORMALS, (0.0, 1.0))
        else:
            distributions.normal(got, ours)
        assert got.tobytes() == want.tobytes()
        assert ours.normal == theirs.normal
    twin = ours.clone()
    assert twin.normal == ours.normal


def test_a_stream_that_nobody_touched_may_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    by(1, monkeypatch)
    rng = Twister(0)
    rng.floats(1)
    rng.reseed(0)
    assert rng.few((1,), NORMALS, (0.0, 1.0)) is None


@pytest.mark.parametrize(("base", "span"), [(0, 4), (-7, 1), (5, (1 << 28) - 1), (-(1 << 40), 9)])
def test_whole_ones_are_those_of_the_stream(
    base: int, span: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = two(7, monkeypatch)
    for shape in SHAPES:
        got, want = ours.few(shape, INTEGERS, (base, span)), np.empty(shape, np.int64)
        distributions.integers(want, theirs, base, span)
        assert (got.shape, got.dtype) == (shape, np.int64)
        assert got.tobytes() == want.tobytes()
        np.testing.assert_array_equal(ours.get_state(), theirs.get_state())
    for refused in [(0, 0), (0, -1), (0, 1 << 28), (1 << 62, 2), (1 << 64, 2), (0.0, 2)]:
        assert ours.few((2,), INTEGERS, tuple(refused)) is None
    np.testing.assert_array_equal(ours.get_state(), theirs.get_state())


@pytest.mark.parametrize("n", [1, 2, 3, 50, 1025, 4096])
def test_permutations_are_those_of_the_stream(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = two(n, monkeypatch)
    got = ours.few((n,), PERMUTED)
    assert got.tobytes() == select.permutation(n, theirs).tobytes()
    np.testing.assert_array_equal(ours.get_state(), theirs.get_state())


def test_functions_draw_the_same_numbers_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `few` and without it; wrong calls say the same."""
    g = rushlight.Generator()
    x = rushlight.zeros(3, 4)
    calls = [
        lambda: rushlight.rand(3),
        lambda: rushlight.rand((2, 3), generator=g),
        lambda: rushlight.randn(3, device="cpu"),
        lambda: rushlight.randn((3, 7)),
        lambda: rushlight.randn(3, generator=g, device=rushlight.device("cpu")),
        lambda: rushlight.normal(0.0, 0.5, (3,)),
        lambda: rushlight.normal(2.0, 0.5, (4, 4)),
        lambda: rushlight.randint(5, (3,)),
        lambda: rushlight.randint(-5, 5, (3, 2), generator=g),
        lambda: rushlight.randperm(9),
        lambda: rushlight.randn_like(x),
        lambda: rushlight.randn_like(x.t()),
        lambda: rushlight.rand_like(x[:, :1]),
        lambda: rushlight.rand_like(x, generator=g),
    ]
    wrong = [
        lambda: rushlight.rand(-1),
        lambda: rushlight.randn(2, generator=3),
        lambda: rushlight.randn((2.0,)),
        lambda: rushlight.randn(2, wrong=1),
        lambda: rushlight.normal(0.0, -1.0, (2,)),
        lambda: rushlight.randint(5, 5, (2,)),
        lambda: rushlight.randint(2**63 - 5, 2**63 + 5, (2,)),
        lambda: rushlight.randint(5, (2,), device="nowhere"),
        lambda: rushlight.randint(5, (-2,)),
        lambda: rushlight.randperm(-1),
    ]

    def program() -> list[Any]:
        rushlight.manual_seed(3)
        g.manual_seed(4)
        rushlight.rand(5000), rushlight.rand(5000, generator=g)
        found: list[Any] = []
        for call in calls * 3:
            y = call()
            found.append((y.numpy().tobytes(), y.shape, y.stride(), y.dtype))
        for call in wrong:
            with pytest.raises((RuntimeError, TypeError)) as error:
                call()
            found.append((type(error.value), str(error.value)))
        return [*found, rushlight.get_rng_state().tolist(), g.get_state().tolist()]

    by(1, monkeypatch)
    ours = program()
    monkeypatch.setattr(Twister, "few", lambda *_: None)
    assert ours == program()
    by(1 << 62, monkeypatch)
    assert ours == program()


def test_uniform_ones_are_those_of_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """The array, the numbers, and where the stream stands, on both sides of a twist."""
    by(1, monkeypatch)
    ours, theirs = Twister(5), Twister(5)
    assert ours.few((1,), UNIFORMS) is None  # kernels have not drawn from it
    ours.floats(1), theirs.floats(1)
    for shape in [(1,), (), (2, 3), (600,), (1, 1, 1), (30, 30), (4096,), (2,) * 8]:
        got, n = ours.few(shape, UNIFORMS), int(np.prod(shape))
        assert got is not None
        assert (got.shape, got.dtype) == (shape, np.float32)
        assert got.flags.num == np.empty(shape).flags.num
        assert got.tobytes() == theirs.floats(n).tobytes()
        np.testing.assert_array_equal(ours.get_state(), theirs.get_state())
    for refused in [(0,), (4097,), (64, 65), (3, 0), (1,) * 9, (1.0,), (True,), (-1,), (1 << 70,)]:
        assert ours.few(refused, UNIFORMS) is None
    np.testing.assert_array_equal(ours.get_state(), theirs.get_state())


def test_they_wait_for_a_thread_that_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    by(1, monkeypatch)
    rng = Twister(5)
    rng.floats(1)
    with rng.lock:
        assert rng.few((1,), UNIFORMS) is None
    assert rng.few((1,), UNIFORMS) is not None


@pytest.mark.slow
def test_they_of_threads_are_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that draw few numbers and many at once take each number once."""
    by(1, monkeypatch)
    rng, twin = Twister(9), Twister(9)
    rng.floats(1), twin.floats(1)
    found: list[Any] = []

    def small() -> None:
        for _ in range(400):
            a = rng.few((3,), UNIFORMS)
            if a is None:
                a = np.empty(3, np.float32)
                rng.fill(select.standard_uniform, a)
            found.append(a)

    def large() -> None:
        for _ in range(20):
            a = np.empty(3 << 15, np.float32)
            rng.fill(select.standard_uniform, a)
            found.append(a)

    threads = [threading.Thread(target=t) for t in (small, large, small)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    drawn = np.concatenate([a.reshape(-1, 3) for a in found])
    whole = twin.floats(drawn.size).reshape(-1, 3)
    order = [np.lexsort(x.T) for x in (drawn, whole)]
    np.testing.assert_array_equal(drawn[order[0]], whole[order[1]])
    np.testing.assert_array_equal(rng.get_state(), twin.get_state())
