"""Measurements: the times of a statement, what was measured, and how far to trust them."""

from __future__ import annotations

import contextlib
import math
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ...config import get_num_threads, set_num_threads

MOST_FIGURES = 4
LEAST_INTERVAL = 25e-9  # seconds: clocks are no better
SUSPECT, BAD = 0.1, 0.25  # interquartile range by median

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}


@dataclass(frozen=True, repr=False)
class TaskSpec:
    """What was measured; measurements of equal specifications may be merged."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement."""
        if self.label is None and "\n" in self.stmt:
            head = f"stmt: ({self.sub_label})" if self.sub_label else "stmt:"
            return head + "\n" + textwrap.indent(self.stmt, "  ")
        name = self.stmt if self.label is None else self.label
        return name + (f": {self.sub_label}" if self.sub_label else "")

    def setup_str(self) -> str:
        """The setup as text, empty when there is none."""
        if self.setup in ("", "pass"):
            return ""
        if "\n" in self.setup:
            return "setup:\n" + textwrap.indent(self.setup, "  ")
        return "setup: " + self.setup

    def summarize(self) -> str:
        """Title, description and setup, a line or a paragraph each."""
        parts = [self.title, self.description or "", self.setup_str()]
        return "\n".join(p + "\n" if "\n" in p else p for p in parts if p)


@dataclass(repr=False)
class Measurement:
    """Times of a statement, with statistics.

    Args:
        number_per_run: how often the statement ran in each run.
        raw_times: seconds of each run.
        task_spec: what was measured; its fields are attributes here too.

    >>> from rushlight.utils.benchmark import Measurement, TaskSpec
    >>> m = Measurement(10, [2e-5, 2e-5, 3e-5], TaskSpec("a + b", "pass"))
    >>> round(m.median * 1e6, 3), round(m.mean * 1e6, 3)
    (2.0, 2.333)
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in SPEC:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @property
    def times(self) -> list[float]:
        """Seconds of one execution of the statement, by run."""
        return [t / self.number_per_run for t in self.raw_times]

    def _at(self, share: float) -> float:
        return float(np.quantile(self.times, share)) if self.raw_times else -1.0

    @property
    def median(self) -> float:
        """Seconds; half of the runs took less."""
        return self._at(0.5)

    @property
    def mean(self) -> float:
        """Seconds on average."""
        return float(np.mean(self.times)) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """The range of the middle half of the runs, in seconds."""
        return self._at(0.75) - self._at(0.25)

    def meets_confidence(self, threshold: float = SUSPECT) -> bool:
        """Whether the middle half of the runs lies within this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def significant_figures(self) -> int:
        """Digits of the median that repeat, judged by the spread of the middle half."""
        times = sorted(self.times)
        middle = times[len(times) // 4 : math.ceil(3 * len(times) / 4)]
        interval = max(1.645 * float(np.std(middle)) / math.sqrt(len(middle)), LEAST_INTERVAL)
        return min(max(math.floor(math.log10(self.median / interval)), 1), MOST_FIGURES)

    def _warnings(self) -> list[str]:
        if not self.raw_times or self.meets_confidence(SUSPECT):
            return []
        why = (
            "This could indicate system fluctuation."
            if self.meets_confidence(BAD)
            else "This suggests significant environmental influence."
        )
        share = self.iqr / self.median * 100
        return [
            f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.",
            f"           {why}",
        ]

    @property
    def has_warnings(self) -> bool:
        """Whether the runs differ so much that the figures are in doubt."""
        return bool(self._warnings())

    @property
    def title(self) -> str:
        """The label, or else the statement."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """What a table calls the row."""
        return str(self.sub_label or self.stmt or "[Unknown]")

    def __repr__(self) -> str:
        n = len(self.raw_times)
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if n > 1 else ''}{self.median / scale:.2f} {unit}")
        if n >= 4:
            low, high = self._at(0.25) / scale, self._at(0.75) / scale
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        runs = f"{n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs "
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines.append(f"  {runs}{'per measurement,' if n > 1 else ','} {threads}")
        return "\n".join(lines + self._warnings())

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Join measurements of the same thing."""
        groups: dict[TaskSpec, list[float]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).extend(m.times)
        return [Measurement(1, times, spec) for spec, times in groups.items()]


SPEC = frozenset(f.name for f in fields(TaskSpec))


def select_unit(t: float) -> tuple[str, float]:
    """A unit in which a time in seconds is a handy number, and the unit in seconds.

    >>> select_unit(0.002)
    ('ms', 0.001)
    """
    place = math.floor(math.log10(t) / 3) if t > 0 else 0
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(place, "s")
    return unit, UNITS[unit]


def unit_to_english(u: str) -> str:
    """The word for a unit."""
    return ENGLISH[u]


def trim_sigfig(x: float, n: int) -> float:
    """`x` rounded to `n` significant figures.

    >>> trim_sigfig(3.14159, 2)
    3.1
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    scale = 10.0 ** (math.ceil(math.log10(abs(x))) - n) if x else 1.0
    return float(round(x / scale) * scale)


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """The elements without repetitions, in the order of their first occurrence."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Let operations use `n` threads inside the block."""
    before = get_num_threads()
    try:
        set_num_threads(n)
        yield
    finally:
        set_num_threads(before)
