"""Random numbers in machine code: those of the NumPy path, bit for bit, from the same stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.random import box_muller, distributions, generator, select
from rushlight.kernels.random.mersenne_twister import Twister

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

COUNTS = [1, 2, 7, 8, 15, 16, 17, 100, 226, 227, 228, 623, 624, 625, 1000, 1249, 5000, 40000]


def by(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANDOM_LEAST", "RANDOM_LEAST_RUNNING", "RANDOM_PATIENCE"):
        monkeypatch.setattr(tuning, name, least)


def both(monkeypatch: pytest.MonkeyPatch, program: Any) -> tuple[Any, Any]:
    by(1, monkeypatch)
    ours = program()
    by(1 << 62, monkeypatch)
    return ours, program()


@pytest.mark.parametrize("kind", ["words", "floats", "doubles"])
def test_draws_are_numpys(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def program() -> list[Any]:
        rng = Twister(2147483648 + 5)
        found: list[Any] = [getattr(rng, kind)(n) for n in COUNTS]
        return [*found, rng.get_state()]

    for ours, theirs in zip(*both(monkeypatch, program), strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()


def test_ways_of_drawing_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    by(1, monkeypatch)
    rng = Twister(3)
    parts = []
    for k, n in enumerate(COUNTS):
        by((1, 1 << 62)[k % 2], monkeypatch)
        parts += [rng.words(n), [rng.word()]]
    rest = rng.clone().words(5)
    np.testing.assert_array_equal(rest, rng.words(5))
    whole = Twister(3).words(sum(COUNTS) + len(COUNTS))
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_nothing_is_written_beyond_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    by(1, monkeypatch)
    rng = Twister(0)
    for kind, dtype in (("words", np.uint32), ("floats", np.float32), ("doubles", np.float64)):
        for n in COUNTS:
            out = np.full(n + 40, 77, dtype)
            generator.draw(kind).call(out[20:-20], rng.native(n), n)
            assert (out[:20] == 77).all()
            assert (out[-20:] == 77).all()


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.0, 0.01), (2.5, 3.0), (-1e3, 1e-3)])
@pytest.mark.parametrize("groups", [1, 2, 3, 64, 1001])
def test_normals_are_numpys(
    mean: float, std: float, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    u = Twister(groups).floats(16 * groups)
    u[:3] = 0, 1 - 2.0**-24, 2.0**-24  # the ends of the range, and angles on the axes
    u[8:16] = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1 - 2.0**-24]
    theirs = box_muller.box_muller_16(u, mean, std)
    kernel = generator.normals(mean == 0 and std == 1)
    kernel.call(u, u, groups, mean, std)  # in place
    assert u.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("n", [16, 17, 31, 1000, 32768 + 16, 70001])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_tensors_of_any_size(n: int, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def program() -> list[Any]:
        rng, out = Twister(n), [np.empty(n, dtype) for _ in range(9)]
        select.normal(out[0], rng, 0.0, 0.5)
        select.uniform(out[1], rng, -3.0, 7.0)
        select.bernoulli(out[2], rng, 0.3)
        distributions.integers(out[3], rng, -4, 9)
        select.uniform(out[4], rng, 1.0, 1.0 + 2.0**-22)  # most round to the excluded end
        select.uniform(out[5], rng, -0.1, 0.1)
        select.uniform(out[6], rng, 0.0, 1e30)
        select.bernoulli(out[7], rng, 0.6, 1 / 0.6)
        select.uniform(out[8], rng)
        return [*out, rng.get_state()]

    for ours, theirs in zip(*both(monkeypatch, program), strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 50, 199, 200, 5000, 70001])
def test_permutations(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = both(monkeypatch, lambda: select.permutation(n, Twister(n)))
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.sort(ours), np.arange(n))


@pytest.mark.parametrize("n", [1, 16, 17, 624, 5000])
def test_plans_on_pointers(n: int, on_pointers: Any) -> None:
    """A compiled step draws from the same memory: the same numbers, and the stream goes on."""
    shape, strides = (n,), (4,)
    plans = [
        (select.plan_uniform(np.dtype("f4"), shape, strides, False, True), (-2.0, 3.0)),
        (select.plan_uniform(np.dtype("f4"), shape, strides, True, True), (0.0, 1.0)),
        (select.plan_bernoulli(np.dtype("f4"), shape, strides, True), (0.4, 2.5)),
    ]
    if n >= 16:
        normal = select.plan_normal(np.dtype("f4"), shape, strides, True, False, True)
        plans.append((normal, (1.0, 0.5)))
    for plan, numbers in plans:
        one, two = Twister(5), Twister(5)
        a, b = np.empty(n, np.float32), np.empty(n, np.float32)
        plan.run(a, one.native(1 << 20), one, *numbers)
        scalars = dict(zip(plan.scalars, numbers, strict=True))
        on_pointers(plan, b, two.native(1 << 20), None, **scalars)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(one.get_state(), two.get_state())
        assert plan.mutates == ("a", "state", "rng")
