"""`Compare`: measurements side by side, statements as rows and descriptions as columns."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import Any

from .measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

BEST, GOOD, BAD, VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
BOLD, END = "\033[1m", "\033[0m"


class Colorize(enum.Enum):
    """What the colours of a table compare."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table of measurements: one for each label, a row for each sub_label (or statement) and
    number of threads, a column for each description.

    >>> from rushlight.utils.benchmark import Compare, Measurement, TaskSpec
    >>> def spent(us, stmt, who):
    ...     return Measurement(1, [us * 1e-6], TaskSpec(stmt, "", label="ops", description=who))
    >>> print(Compare([spent(1.25, "a + b", "ours"), spent(2, "a + b", "theirs")]))
    [------------ ops ------------]
                 |  ours  |  theirs
    1 threads: --------------------
          a + b  |  1.2   |   2.0
    <BLANKLINE>
    Times are in microseconds (us).
    <BLANKLINE>
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trim = False
        self._warn = False
        self._colorize = Colorize.NONE
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements."""
        for r in results:
            if not isinstance(r, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(r)} instead.")
            self._results.append(r)

    def trim_significant_figures(self) -> None:
        """Show no more digits than the runs agree on."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour the good and the bad, of each column or of each row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Mark measurements whose runs differ much."""
        self._warn = True

    def print(self) -> None:
        """Print the tables."""
        print(str(self))

    def __str__(self) -> str:
        groups: dict[Any, list[Measurement]] = {}
        for m in Measurement.merge(self._results):
            groups.setdefault(m.label, []).append(m)
        return "\n".join(self._table(group) for group in groups.values())

    def _table(self, found: list[Measurement]) -> str:
        unit, scale = select_unit(min(m.median for m in found))
        keys = ordered_unique((m.num_threads, m.env, m.as_row_name) for m in found)
        keys.sort(key=lambda key: (key[0], key[1] or ""))
        heads = ordered_unique(m.description for m in found)
        cells = {((m.num_threads, m.env, m.as_row_name), m.description): m for m in found}
        columns = [[cells.get((key, head)) for key in keys] for head in heads]
        texts = [self._column(column, scale) for column in columns]

        envs = {m.env for m in found}
        names = []
        before: Any = (None, None)
        for threads, env, name in keys:
            shown = ""
            if len(envs) > 1:
                shown = f"({env})" if (threads, env) != before else ""
                shown = shown.ljust(max(len(str(e)) for e in envs) + 4)
            else:
                shown = " " * 4
            before = (threads, env)
            names.append("  " + shown + name)
        width = max(map(len, names))
        widths = [max(len(head or ""), *map(len, t)) for head, t in zip(heads, texts, strict=True)]
        title = [" " * width, *((h or "").center(w) for h, w in zip(heads, widths, strict=True))]
        lines = ["  |  ".join(title)]
        whole = len(lines[0])
        threads_before = None
        for i, (key, name) in enumerate(zip(keys, names, strict=True)):
            if key[0] != threads_before:
                lines.append(f"{key[0]} threads: ".ljust(whole, "-"))
                threads_before = key[0]
            row = [name.ljust(width)]
            for column, text, w in zip(columns, texts, widths, strict=True):
                row.append(self._coloured(text[i].center(w), i, keys, column, columns))
            lines.append("  |  ".join(row))
        end = f"Times are in {unit_to_english(unit)}s ({unit}).\n"
        if self._warn and any(m.has_warnings for m in found):
            end += "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        head = f" {found[0].label or ''} ".center(whole - 2, "-")
        return "\n".join([f"[{head}]", *lines, "", end])

    def _column(self, column: list[Measurement | None], scale: float) -> list[str]:
        """The cells of a column: all with as many digits as the largest and the most exact need."""
        there = [m for m in column if m is not None]
        warn = self._warn and any(m.has_warnings for m in there)
        digits = [math.ceil(math.log10(m.median / scale)) for m in there]
        decimals = 1
        if self._trim:
            needed = zip(there, digits, strict=True)
            decimals = min(max(m.significant_figures - d, 0) for m, d in needed)
        length = max(digits) + decimals + (1 if decimals else 0)
        blank = " " * len(f"{1:>{length}.{decimals}f}" + " " * (7 if warn else 0))
        out = []
        for m in column:
            if m is None:
                out.append(blank)
                continue
            value = m.median / scale
            if self._trim:
                value = trim_sigfig(value, m.significant_figures)
            note = f" (! {m.iqr / m.median * 100:.0f}%)" if warn and m.has_warnings else ""
            out.append(f"{value:>{length}.{decimals}f}{note:>{7 if warn else 0}}")
        return out

    def _coloured(self, text: str, i: int, keys: Any, column: Any, columns: Any) -> str:
        """A cell in the colour of its distance from the best of its row or column."""
        m = column[i]
        if m is None or self._colorize is Colorize.NONE:
            return text
        if self._colorize is Colorize.ROWWISE:
            others = [c[i] for c in columns]
        else:  # among those with as many threads
            others = [o for o, key in zip(column, keys, strict=True) if key[0] == keys[i][0]]
        value, best = m.median, min(o.median for o in others if o is not None)
        if value <= best * 1.01 or value <= best + 100e-9:
            return BEST + BOLD + text + END * 2
        if value <= best * 1.1:
            return GOOD + BOLD + text + END * 2
        if value >= best * 5:
            return VERY_BAD + BOLD + text + END * 2
        return BAD + text + END * 2 if value >= best * 2 else text
