"""`utils.benchmark`: what a Timer runs, by a clock that the tests turn."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.benchmark import Compare, Language, Measurement, TaskSpec, Timer


class Clock:
    """A clock that stands still unless the statement moves it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.runs = 0
        self.threads: set[int] = set()

    def __call__(self) -> float:
        self.now += 1e-7  # reading it takes time
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.runs += 1
        self.threads.add(torch.get_num_threads())


def made(seconds: str = "1e-3", **how: Any) -> tuple[Clock, Timer]:
    clock = Clock()
    return clock, Timer(f"clock.work({seconds})", timer=clock, globals={"clock": clock}, **how)


def test_timeit() -> None:
    clock, timer = made()
    m = timer.timeit(300)
    assert clock.runs == 3 + 300
    assert (m.number_per_run, len(m.raw_times)) == (300, 1)
    assert m.mean == m.median == pytest.approx(1e-3, rel=1e-3)
    assert "1.00 ms" in repr(m)


def test_blocked_autorange() -> None:
    _, timer = made("1e-5")
    seen: list[tuple[int, float]] = []
    m = timer.blocked_autorange(callback=lambda n, t: seen.append((n, t)), min_run_time=0.2)
    assert m.number_per_run == 100  # of 1 ms, beside which 0.1 µs of reading do not count
    assert sum(m.raw_times) >= 0.2 > sum(m.raw_times[:-1])
    assert seen == [(100, t) for t in m.raw_times]
    assert m.median == pytest.approx(1e-5, rel=1e-3)
    assert not m.has_warnings


def test_adaptive_autorange() -> None:
    _, timer = made("0.1")
    m = timer.adaptive_autorange()
    assert len(m.raw_times) == 4
    _, timer = made("0.1 * (1 + 9 * (clock.runs % 2))")
    m = timer.adaptive_autorange(max_run_time=5.0)
    assert m.has_warnings
    assert 5.0 < sum(m.raw_times) < 7.0


def test_threads_and_names() -> None:
    before = torch.get_num_threads()
    clock, timer = made(num_threads=3)
    timer.timeit(2)
    assert clock.threads == {3}
    assert torch.get_num_threads() == before
    m = Timer("y = torch.ones(2) + x", "x = 1\nz = 2", label="L", sub_label="S").timeit(2)
    assert m.title == "L: S"
    assert m.setup == "x = 1\nz = 2"
    assert Timer("\n    a = 1\n    b = 2\n").timeit(2).stmt == "a = 1\nb = 2"


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="only a `str` stmt"):
        Timer(print)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="C\\+\\+"):
        Timer("x", language=Language.CPP)
    with pytest.raises(ValueError, match="Invalid language"):
        Timer("x", language="fortran")
    with pytest.raises(ValueError, match="global_setup is C\\+\\+ only"):
        Timer("x", global_setup="y")
    for call in ("repeat", "autorange", "collect_callgrind"):
        with pytest.raises(NotImplementedError):
            getattr(Timer("x"), call)()
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        Compare([1])  # type: ignore[list-item]
    with pytest.raises(AttributeError, match="nothing"):
        _ = Measurement(1, [1.0], TaskSpec("x", "")).nothing


def test_merging(capsys: pytest.CaptureFixture[str]) -> None:
    spec = TaskSpec("x", "pass", description="d")
    one, two = Measurement(10, [1.0, 2.0], spec), Measurement(100, [30.0], spec)
    (m,) = Measurement.merge([one, two])
    assert m.number_per_run == 1
    assert m.raw_times == [0.1, 0.2, 0.3]
    Compare([one, two]).print()
    assert "200.0" in capsys.readouterr().out
