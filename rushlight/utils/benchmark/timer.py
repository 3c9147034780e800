"""`Timer`: run a statement often enough to say how long it takes."""

from __future__ import annotations

import enum
import statistics
import textwrap
import timeit
from collections.abc import Callable
from typing import Any

from ...errors import message
from .measurement import Measurement, TaskSpec, set_torch_threads

timer = timeit.default_timer


class Language(enum.Enum):
    """Languages of statements; C++ is named only."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Measure a Python statement.

    Args:
        stmt: the statement, as text.
        setup: what to run before, as text.
        timer: the clock.
        globals: names that the statement uses; `torch` is there anyway.
        label, sub_label, description, env: what tables say; see `Compare`.
        num_threads: threads that operations may use meanwhile.

    >>> from rushlight.utils.benchmark import Timer
    >>> t = Timer("x * 2", setup="x = torch.ones(8)", label="product")
    >>> measured = t.timeit(10)
    >>> measured.number_per_run, measured.title
    (10, 'product')
    """

    _timer_cls = timeit.Timer

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError(
                message(
                    "Currently only a `str` stmt is supported.",
                    got=type(stmt).__name__,
                    hint='Timer("f(x)", globals={"f": f, "x": x})',
                )
            )
        if language in (Language.CPP, "cpp", "c++"):
            raise NotImplementedError(
                message("Timer: statements in C++ need a compiler", hint="a statement in Python")
            )
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can "
                "simply be moved to `setup`."
            )
        names = dict(globals or {})
        if "torch" not in names:
            import rushlight

            names["torch"] = rushlight
        stmt, setup = _dedent(stmt), _dedent(setup)
        self._globals = names
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )

    def _run(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)  # 0 would be divided by

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One run of `number` executions, after a hundredth as many to warm up."""
        with set_torch_threads(self._task_spec.num_threads):
            self._run(max(int(number // 100), 2))
            return self._measurement(number, [self._run(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        """Not there: `blocked_autorange` chooses both numbers itself."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Any = None) -> None:
        """Not there: `blocked_autorange` repeats, which gives statistics."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Runs of a fitting number of executions each, until `min_run_time` seconds are full.

        Args:
            callback: called with that number and the seconds of each run.
            min_run_time: seconds of all runs together.
        """
        number = self._block(min_run_time)
        return self._runs(number, min_run_time, lambda times: True, None, callback)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """As `blocked_autorange`, but until the runs agree.

        Args:
            threshold: the middle half of the runs has to lie within this share of the median.
            min_run_time, max_run_time: seconds of all runs together, at least and at most.
        """

        def enough(times: list[float]) -> bool:
            if len(times) <= 3:
                return False
            return self._measurement(number, times).meets_confidence(threshold)

        number = self._block(0.05)
        return self._runs(number, min_run_time, enough, max_run_time, callback)

    def collect_callgrind(self, *args: Any, **kw: Any) -> Any:
        """Not there: it counts instructions of PyTorch's library under Valgrind."""
        raise NotImplementedError(
            message("collect_callgrind is not there", hint="blocked_autorange(), or the profiler")
        )

    def _measurement(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def _runs(
        self,
        number: int,
        least: float,
        enough: Callable[[list[float]], bool],
        most: float | None,
        callback: Callable[[int, float], Any] | None,
    ) -> Measurement:
        times: list[float] = []
        total, done = 0.0, False
        with set_torch_threads(self._task_spec.num_threads):
            while total < least or not done:
                times.append(self._run(number))
                total += times[-1]
                if callback is not None:
                    callback(number, times[-1])
                done = enough(times)
                if most is not None and total > most:
                    break
        return self._measurement(number, times)

    def _block(self, min_run_time: float) -> int:
        """Executions a run: so many that reading the clock does not count."""
        with set_torch_threads(self._task_spec.num_threads):
            overhead = statistics.median(self._run(0) for _ in range(5))
            number = 1
            while True:
                taken = self._run(number)
                long_enough = overhead / taken <= 1e-4 and taken >= min_run_time / 1000
                if long_enough or taken > min_run_time or number * 10 > 2**31 - 1:
                    return number
                number *= 10


def _dedent(text: str) -> str:
    """A statement without common indentation and without an empty first line."""
    return textwrap.dedent(text).removeprefix("\n").rstrip()
