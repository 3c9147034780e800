"""`python -m rushlight tune`: measure whether the matrix unit (AMX) is worth using, and keep it.

Two processes, one with the unit and one without it, take turns at work of the kind that training
consists of (`tune_work.py`): each does a whole round of it, so that the unit is under load for
half a second and a host that throttles it has the time to. The rounds are done on one thread and
on all of them, since the threads of a core share one unit.

Not here: the file and what a process makes of it (`kernels/tuned.py`).
"""

from __future__ import annotations

import datetime
import json
import math
import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rushlight

from ..errors import message
from ..kernels import runtime, tuned
from ..kernels.tuned import Figure, Kept
from . import tune_work

USAGE = """\
usage: python -m rushlight tune             measure this machine, and keep what is faster
       python -m rushlight tune --show      say what is kept, and what a process would do
       python -m rushlight tune amx on|off  keep that the matrix unit is used, or is not
       python -m rushlight tune --clear     keep nothing: vectors, until it is measured again

RUSHLIGHT_AMX=0 or 1 in the environment of a process comes before what is kept. A process that
runs already does not change.
"""

ROUNDS = 5
SECONDS = 0.03  # of a piece of work in a round
PATIENCE = 120.0  # seconds for an answer: the first one compiles
# The unit is chosen where it takes at most `GAIN` of the time of vectors on the whole, is not
# slower in any piece of work, and lost by more than `NOISE` in at most a quarter of the rounds.
GAIN, NOISE = 0.9, 1.05

Side = Callable[[str, int], float]  # seconds of a piece of work, on so many threads


class Failed(Exception):
    """A process of ours ended or gave no answer."""


def main(args: list[str]) -> None:
    """Do what the words behind `tune` say."""
    try:
        if not args:
            measure()
        elif args == ["--show"]:
            print(*shown(), sep="\n")
        elif args == ["--clear"]:
            print("what was kept is removed" if tuned.clear() else "nothing was kept")
            print(*state(), sep="\n")
        elif len(args) == 2 and args[0] == "amx" and args[1] in ("on", "off"):
            keep(tuple(tuned.GROUPS) if args[1] == "on" else (), "hand")
            print(*state(), sep="\n")
        elif args in (["-h"], ["--help"]):
            print(USAGE, end="")
        else:
            print(f"tune: {' '.join(args)} is not understood", file=sys.stderr)
            print(USAGE, end="", file=sys.stderr)
            raise SystemExit(2)
    except OSError as error:
        hint = "a folder that can be written, named by RUSHLIGHT_CACHE"
        print(message("the choice cannot be kept", error, hint=hint), file=sys.stderr)
        raise SystemExit(1) from None
    except Failed as error:
        hint = f"again; or {tuned.COMMAND} amx off"
        print(message("the matrix unit was not measured", error, hint=hint), file=sys.stderr)
        raise SystemExit(1) from None


# -- what is there -------------------------------------------------------------------------------


def missing() -> str:
    """Why there is nothing to choose; empty where there is a matrix unit."""
    if not runtime.available():
        return "kernels are not compiled here (RUSHLIGHT_JIT=0, or no llvmlite)"
    from ..kernels.matmul import amx

    return "" if amx.present() else "this CPU has no matrix unit (AMX) that programs may use"


def state() -> Iterator[str]:
    """What a process that starts now does with the matrix unit, and why."""
    absent = missing()
    if absent:
        yield f"nothing to choose: {absent}"
        from ..kernels.matmul import narrow

        if narrow.makes_pairs():
            yield "products and convolutions of bfloat16 by pairs of them (AVX512-BF16)"
        return
    found = tuned.chosen()
    yield f"{computed(found.groups)}: {found.why}"
    yield f"those of bfloat16 {'by AMX' if found.bfloat16 else 'by vectors'}"
    if found.complaint:
        yield found.complaint


def computed(groups: Iterable[str]) -> str:
    """Who computes what."""
    by = {group: "by AMX" if group in groups else "by vectors" for group in tuned.GROUPS}
    return ", ".join(f"{name} {by[group]}" for group, name in tuned.GROUPS.items())


def shown(figures: Callable[[Sequence[Figure]], Iterator[str]] | None = None) -> Iterator[str]:
    """All that is known: the state, what is kept, and its figures (`table`, or shorter ones)."""
    yield from state()
    path = tuned.place()
    if path is None:
        yield "nothing is kept here (RUSHLIGHT_CACHE is empty, or there is no home)"
        return
    try:
        kept = tuned.read(path)
    except tuned.Refused as error:
        yield f"{path}: {error}"
        return
    if kept is None:
        yield f"nothing is kept in {path}"
        return
    how = "set by hand" if kept.by == "hand" else "measured"
    yield f"kept in {path}: {computed(kept.groups)}, {how} on {kept.date}"
    yield from (figures or table)(kept.figures)


def in_short(figures: Sequence[Figure]) -> Iterator[str]:
    """A line for each group: the average, and the best and the worst piece of work."""
    for group, name in tuned.GROUPS.items():
        ratios = [f.ratio for f in figures if f.group == group]
        if ratios:
            span = f"{min(ratios):.2f} to {max(ratios):.2f}"
            yield f"{name}: AMX takes {average(ratios):.2f} of the time of vectors ({span})"


def table(figures: Sequence[Figure]) -> Iterator[str]:
    """The figures as lines."""
    if not figures:
        return
    wide = max(len(f.work) for f in figures)
    yield f"{'':<{wide}}  threads       AMX   vectors   AMX / vectors"
    for f in figures:
        times = f"{f.unit * 1e3:7.2f} ms{f.vectors * 1e3:7.2f} ms"
        lost = f"   slower in {f.lost} of {f.rounds} rounds" if f.lost else ""
        yield f"{f.work:<{wide}}  {f.threads:7}{times}{f.ratio:10.2f}{lost}"


# -- measuring -----------------------------------------------------------------------------------


def measure() -> None:
    """Measure, keep the result and say it."""
    absent = missing()
    if absent:
        print(f"There is nothing to choose: {absent}.")
        return
    print(f"{tuned.cpu()['model']}: about 15 seconds, best on an idle machine", flush=True)
    with ExitStack() as stack:
        unit = stack.enter_context(Process(True))
        vectors = stack.enter_context(Process(False))
        threads = sorted({1, unit.ready(), vectors.ready()})
        works = [(group, name) for name, (group, *_) in tune_work.WORK.items()]
        figures = alternating(works, unit, vectors, threads)
    groups = tuple(g for g in tuned.GROUPS if wins([f for f in figures if f.group == g]))
    print(*table(figures), *in_short(figures), f"from now on {computed(groups)}", sep="\n")
    keep(groups, "measurement", figures)
    setting = tuned.setting()[0]
    if setting is not None:
        print(f"RUSHLIGHT_AMX={os.environ['RUSHLIGHT_AMX']} is set here, and comes before it")


def keep(groups: tuple[str, ...], by: str, figures: Sequence[Figure] = ()) -> None:
    """Write it to the disk, and say where."""
    today = datetime.datetime.now().astimezone().isoformat(" ", "minutes")
    kernels = tuned.kernels() if by == "measurement" else ""
    kept = Kept(groups, by, today, rushlight.__version__, kernels, tuple(figures))
    path = tuned.write(kept)
    if path is None:
        hint = "RUSHLIGHT_AMX=0 or 1 for each process"
        text = message("nothing is kept here", "an empty RUSHLIGHT_CACHE, or no home", hint=hint)
        print(text, file=sys.stderr)
        raise SystemExit(1)
    print(f"kept in {path}, for processes that start from now on")


def alternating(
    works: Sequence[tuple[str, str]], unit: Side, vectors: Side, threads: Sequence[int],
    rounds: int = ROUNDS,
) -> list[Figure]:  # fmt: skip
    """Figures of all works (group and name) on each number of threads.

    In a round one side does all of the work, then the other; who begins alternates, so that
    neither has what drifts on its side.
    """
    figures = []
    for n in threads:
        taken: dict[tuple[str, bool], list[float]] = {}
        for i in range(rounds):
            for is_unit in (i % 2 == 0, i % 2 == 1):
                for _, name in works:
                    seconds = (unit if is_unit else vectors)(name, n)
                    taken.setdefault((name, is_unit), []).append(seconds)
        for group, name in works:
            ours, others = taken[name, True], taken[name, False]
            ratios = [a / b for a, b in zip(ours, others, strict=True)]
            figures.append(
                Figure(
                    group, name, n, statistics.median(ours), statistics.median(others),
                    statistics.median(ratios), max(ratios), rounds, sum(r > NOISE for r in ratios),
                )
            )  # fmt: skip
    return figures


def wins(figures: Sequence[Figure]) -> bool:
    """Whether the unit is chosen for a group with these figures: clearly and nowhere slower."""
    if not figures or average(f.ratio for f in figures) > GAIN:
        return False
    return all(f.ratio <= 1 and 4 * f.lost <= f.rounds for f in figures)


def average(ratios: Iterable[float]) -> float:
    """The geometric mean: of a half and a double it is 1."""
    return math.exp(statistics.fmean(math.log(r) for r in ratios))


class Process:
    """A process of `tune_work`, with the matrix unit or without it."""

    def __init__(self, unit: bool) -> None:
        self.unit = unit
        code = "import sys; sys.path.insert(0, sys.argv[1]); "
        code += "from rushlight.dropin import tune_work; tune_work.main()"
        root = str(Path(rushlight.__file__).parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, root],
            env={**os.environ, "RUSHLIGHT_AMX": "1" if unit else "0"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate()

    def ready(self) -> int:
        """Wait until kernels are compiled; how many threads it would use."""
        found = self.answer()
        if found["uses"] != (list(tuned.GROUPS) if self.unit else []):
            raise Failed(f"a process that uses it for {found['uses']}, not as it was told to")
        return int(found["threads"])

    def __call__(self, work: str, threads: int) -> float:
        request = {"work": work, "threads": threads, "seconds": SECONDS}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError:  # it has ended; `answer` says so
            pass
        return float(self.answer()["seconds"])

    def answer(self) -> Any:
        """The next line; whoever gives none for too long is ended."""
        assert self.process.stdout is not None
        late = threading.Timer(PATIENCE, self.process.kill)
        late.start()
        try:
            line = self.process.stdout.readline()
        finally:
            late.cancel()
        if not line:
            which = "with" if self.unit else "without"
            raise Failed(f"the process {which} AMX ended with code {self.process.wait()}")
        return json.loads(line)
