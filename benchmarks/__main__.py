"""`python -m benchmarks`: the table of limits. The package's docstring says how to use it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from . import __doc__ as about
from . import compiled_report, compiled_rounds, machine
from .compiled import LIMITS, OWN, found, made, title
from .compiled_rounds import Found
from .peers import Figures, Plan, RowFailed, one_round
from .report import text, where_time_goes
from .work import ROWS, SPECIAL

SPOILED = 3  # rounds that may be thrown away because others were at work in them


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows; all by default")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    parser.add_argument("--rounds", type=int, help=f"{Plan.rounds} by default")
    parser.add_argument("--threads", type=int, default=Plan.threads)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="two short rounds, for a first look; without PyTorch's compiler",
    )
    parser.add_argument("--force", action="store_true", help="measure on a loaded machine too")
    parser.add_argument("--profile", action="store_true", help="where our time goes in a row")
    parser.add_argument("--output", help="write the report to this file")
    parser.add_argument("--only", choices=("eager", "compiled"), help="one of the two tables")
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter that has JAX")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - {*ROWS, *SPECIAL, *LIMITS})
    if unknown:
        parser.error(f"no rows are named {', '.join(unknown)}; --list prints all names")
    if given.profile and (not given.names or set(given.names) - {*ROWS, *OWN}):
        parser.error(f"--profile needs names of rows, and none of {', '.join(SPECIAL)}")
    if given.jax is None and importlib.util.find_spec("jax"):
        given.jax = sys.executable
    if given.profile and any(name in ROWS and ROWS[name].in_front for name in given.names):
        parser.error("python -m benchmarks.in_front --profile NAME profiles without kernels")
    return given


def profile(names: list[str], threads: int, compiled: bool, seconds: float = 1.0) -> None:
    """Print where Python's time goes on our side. A call of a kernel is one line: what is inside it
    is not Python's."""
    import cProfile
    import time

    import rushlight

    rushlight.set_num_threads(threads)
    for name in names:
        rushlight.manual_seed(0)
        wrap = rushlight.compile if compiled else lambda f: f
        call = made(found(name), rushlight, wrap)
        begin = time.perf_counter()
        for _ in range(3):
            call()
        number = max(1, int(seconds * 3 / (time.perf_counter() - begin)))
        profiler = cProfile.Profile()
        profiler.enable()
        for _ in range(number):
            call()
        profiler.disable()
        print(f"{found(name).title}: {number} calls")
        print(where_time_goes(profiler, number))


Result = TypeVar("Result", Figures, Found)


def collected(
    names: list[str],
    plan: Plan,
    force: bool,
    kind: type[Result] = Figures,  # type: ignore[assignment]
    one_round: Callable[..., None] = one_round,
) -> tuple[dict[str, Result], float | None]:
    """The figures of all rounds, and how many cores others kept busy in the worst of them."""
    results = {name: kind() for name in names}
    worst, number, spoiled = None, 0, 0
    while number < plan.rounds and names:
        print(f"round {number + 1} of {plan.rounds}", file=sys.stderr, flush=True)
        watch, found = machine.Watch(), {name: kind() for name in names}
        one_round(names, plan, number, found)
        others = watch.others()
        if others is not None:
            if others > machine.LIMIT and not force:
                spoiled += 1
                if spoiled > SPOILED:
                    raise SystemExit(machine.refusal(others))
                print(f"  again: others kept {others:.2f} cores busy", file=sys.stderr)
                continue
            worst = max(others, worst or 0.0)
        for name, figures in found.items():
            results[name].add(figures)
        number += 1
    return results, worst


def main() -> int:
    given = options()
    if given.list:
        for name in (*ROWS, *SPECIAL):
            mark = "  (compiled, too)" if name in LIMITS else ""
            print(f"{name:26}{ROWS[name].title if name in ROWS else SPECIAL[name][0]}{mark}")
        for name in LIMITS:
            if name not in ROWS:
                print(f"{name:26}{title(name)}  (compiled only)")
        return 0
    if given.profile:
        profile(given.names, given.threads, given.only == "compiled")
        return 0
    wanted: list[str] = given.names
    short: dict[str, Any] = {"rounds": 2, "seconds": 0.1, "least": 2} if given.quick else {}
    if given.rounds:
        short["rounds"] = max(1, given.rounds)
    plan = Plan(threads=given.threads, **short)
    names = [n for n in (*ROWS, *SPECIAL) if n in wanted or not wanted]
    names = [] if given.only == "compiled" else names
    steps = [n for n in LIMITS if n in wanted or not wanted]
    steps = [] if given.only == "eager" else steps

    before = machine.others_now()
    loaded = before is not None and before > machine.LIMIT
    if loaded and not given.force:
        print(machine.refusal(before or 0.0), file=sys.stderr)
        return 2
    about_machine = {**machine.description(), **machine.peaks(plan.threads)}
    results, worst = collected(names, plan, given.force)
    compiled, more = collected(
        steps,
        plan,
        given.force,
        Found,
        partial(compiled_rounds.one_round, jax=given.jax, quick=given.quick),
    )
    worst = max((w for w in (worst, more) if w is not None), default=None)
    about_machine["others"] = worst
    about_machine["forced"] = loaded or (worst or 0.0) > machine.LIMIT
    complete = not (given.names or given.only)
    report = text(about_machine, results, plan, complete)
    if compiled:
        report += "\n" + compiled_report.text(compiled, given.jax)
    print(report)
    path = given.output
    if path is None and complete and not given.quick and not about_machine["forced"]:
        path = os.path.join(os.path.dirname(__file__), "RESULTS.md")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(report)
        print(f"written to {path}", file=sys.stderr)
    return 1 if any(f.error for f in results.values()) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (KeyboardInterrupt, RowFailed) as error:
        sys.exit(f"stopped: {error}")
