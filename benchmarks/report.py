"""The report: figures as text, in Markdown. Pure functions, so that tests can read it.

Not here: where figures come from (`peers.py`, `machine.py`).
"""

from __future__ import annotations

import statistics
from typing import Any

from .peers import Figures, Plan
from .work import ROWS, SPECIAL

# of the vector peak of one thread, without the matrix unit: at least, and the aim
WANTED_SHARE = {
    "matmul": (0.82, 0.90),
    **{f"conv{c}{end}": (0.78, 0.88) for c in (64, 128, 256) for end in ("", "_grad")},
}


def duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def bytes_text(count: float) -> str:
    return f"{count / 2**20:.0f} MB"


def verdict(value: float | None, at_most: float, aim: float) -> str:
    if value is None:
        return ""
    return "aim" if value <= aim else "reached" if value <= at_most else "**missed**"


def where_time_goes(profiler: Any, calls: int, most: int = 25) -> str:
    """A line for each function of a profile, those that took longest first: calls and microseconds
    in it alone, for each of so many calls.

    Functions of one name are added up: kernels of one kind are many built-in functions, of which
    `pstats` shows one and drops the others' time.
    """
    found: dict[str, list[float]] = {}
    for entry in profiler.getstats():
        code = entry.code
        if not isinstance(code, str):
            code = f"{code.co_filename}:{code.co_firstlineno}({code.co_name})"
        line = found.setdefault(code, [0.0, 0.0])
        line[0] += entry.callcount
        line[1] += entry.inlinetime
    total = sum(seconds for _, seconds in found.values())
    lines = [f"{total / calls * 1e3:.3f} ms a call, profiled", "    calls        us  function"]
    for name, (count, seconds) in sorted(found.items(), key=lambda x: -x[1][1])[:most]:
        lines.append(f"{count / calls:9.1f} {seconds / calls * 1e6:9.1f}  {name}")
    return "\n".join(lines)


def table(head: list[str], lines: list[list[str]]) -> list[str]:
    """A Markdown table; the first column is text, the others numbers."""
    marks = ["---", *["---:"] * (len(head) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (head, marks, *lines)]


def middle(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def shown(value: float | None, text: Any = duration) -> str:
    return "-" if value is None else text(value)


def ratios(results: dict[str, Figures]) -> list[str]:
    """The table of limits. Where limits are seconds or microseconds, ours stand where ratios do."""
    lines = []
    third = any(f.jax for f in results.values())
    for name, f in results.items():
        special = name in SPECIAL
        title, at_most, aim = SPECIAL[name] if special else limits(name)
        if f.error:
            lines.append([f"{title}: {f.error}", *[""] * (8 if third else 7)])
            continue
        values, unit = compared(name, f)
        value = middle(values)
        theirs = f.more.get("PyTorch", []) if special and name != "memory" else f.theirs
        text = bytes_text if name == "memory" else duration
        lines.append(
            [
                title,
                shown(middle(f.ours), text),
                shown(middle(theirs), text),
                shown(value, lambda x, unit=unit: f"{x:.2f}{unit}"),
                f"{min(values):.2f} to {max(values):.2f}" if values else "-",
                f"{at_most:g}{unit}",
                f"{aim:g}{unit}",
                verdict(value, at_most, aim),
                *([shown(middle(f.jax))] if third else []),
            ]
        )
    head = ["work", "ours", "PyTorch", "ratio", "of rounds", "at most", "aim", ""]
    return table([*head, *(["JAX (jit)"] if third else [])], lines)


def compared(name: str, f: Figures) -> tuple[list[float], str]:
    """What the limits of a row are about, of each round, and its unit."""
    if name.startswith("first"):
        return f.ours, " s"
    if name in ROWS and ROWS[name].in_front:
        return [seconds * 1e6 for seconds in f.ours], " µs"
    return f.ratios, ""


def limits(name: str) -> tuple[str, float, float]:
    row = ROWS[name]
    return row.title, row.at_most, row.aim


def arithmetic(results: dict[str, Figures], threads: int = 2) -> list[str]:
    """Share of the peak of vectors, as it was beside each row: products and convolutions on one
    thread, without the matrix unit, and with it where there is one; what PyTorch reaches with all
    threads, and what the limit asks for: above 100 % it lies beyond the machine's peak."""
    lines = []
    unit = any(f.alone_unit for f in results.values())
    for name, f in results.items():
        mine = middle(f.alone_ours)
        peak = middle(f.alone_peak)
        if name in ROWS and ROWS[name].flops and mine and peak:
            rate = ROWS[name].flops / mine / 1e9
            pairs = zip(f.alone_ours, f.alone_peak, strict=True)
            own = statistics.median(ROWS[name].flops / t / 1e9 / most for t, most in pairs)
            theirs = middle(f.alone_theirs)
            share = ROWS[name].flops / theirs / 1e9 / peak if theirs else None
            least, aim = WANTED_SHARE.get(name, (0.0, 0.0))
            reached = verdict(-own, -least, -aim) if least else ""
            peers = middle(f.theirs)
            all_of = ROWS[name].flops / peers / 1e9 / (peak * threads) if peers else None
            fast = middle(f.alone_unit)
            lines.append(
                [
                    ROWS[name].title,
                    f"{rate:.0f}",
                    f"{peak:.0f}",
                    f"{own:.0%}",
                    "-" if share is None else f"{share:.0%}",
                    f"{least:.0%}" if least else "",
                    reached,
                    *([shown(fast, lambda x, n=name: f"{ROWS[n].flops / x / 1e9:.0f}")] * unit),
                    "-" if all_of is None else f"{all_of:.0%}",
                    "-" if all_of is None else f"{all_of / ROWS[name].at_most:.0%}",
                ]
            )
    head = ["work, one thread", "GFLOP/s", "peak", "share", "PyTorch", "wanted", "",
            *(["GFLOP/s, matrix unit"] * unit),
            f"PyTorch, {threads} threads", "limit asks for"]  # fmt: skip
    return table(head, lines) if lines else []


def memory_bound(results: dict[str, Figures], copy: float) -> list[str]:
    """Bytes a second, beside those of a plain copy."""
    lines = []
    for name, f in results.items():
        mine, theirs = middle(f.ours), middle(f.theirs)
        if name in ROWS and ROWS[name].moved and mine:
            rate = ROWS[name].moved / mine / 1e9
            peer = f"{ROWS[name].moved / theirs / 1e9:.0f}" if theirs else "-"
            lines.append([ROWS[name].title, f"{rate:.0f}", f"{rate / copy:.0%}", peer])
    head = ["work", "GB/s", "of a copy", "PyTorch, GB/s"]
    return table(head, lines) if lines else []


def details(results: dict[str, Figures]) -> list[str]:
    """What belongs to single rows."""
    lines = []
    for name, f in results.items():
        title = SPECIAL[name][0] if name in SPECIAL else ROWS[name].title
        said = [f"{what} {duration(statistics.median(v))}" for what, v in f.more.items()]
        if said:
            lines.append(f"- {title}: {', '.join(said)}.")
    return lines


def warnings(machine: dict[str, Any], plan: Plan, complete: bool) -> list[str]:
    """What makes figures worth less than they look."""
    found = []
    if machine.get("forced"):
        found.append("The machine was loaded and measuring was forced: **provisional**.")
    if not complete or plan != Plan(threads=plan.threads, rounds=max(plan.rounds, Plan.rounds)):
        found.append("A shortened run, or some rows only: **provisional**.")
    if machine.get("others") is None:
        found.append("This system does not tell whether other processes ran.")
    if not machine.get("machine_code", True):
        found.append("Without machine code (`RUSHLIGHT_JIT=0`, or no llvmlite): NumPy alone.")
    if not machine["versions"].get("torch"):
        found.append("PyTorch is not installed: our times alone, no ratios.")
    return found


def text(
    machine: dict[str, Any], results: dict[str, Figures], plan: Plan, complete: bool = True
) -> str:
    """The whole report."""
    versions = ", ".join(f"{n} {v}" for n, v in machine["versions"].items() if v)
    others = machine.get("others")
    lines = [
        "# Results",
        "",
        "Written by `python -m benchmarks`. Ratios: time ours / PyTorch's (eager), the processes",
        f"alternating; medians of {plan.rounds} rounds, {plan.threads} threads each. Lower is "
        "better.",
        "",
        *[f"> {warning}\n" for warning in warnings(machine, plan, complete)],
        f"- Machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory']:.0f} GB, "
        f"{machine['system']}",
        f"- Versions: Python {machine['python']}, {versions}; commit {machine['commit']}",
        f"- Date: {machine['date']}",
        f"- Peak of one thread: {machine['gflops']:.0f} GFLOP/s in float32 ({machine['how']})",
        f"- Copy of memory, {plan.threads} threads: {machine['copy']:.1f} GB/s read and written",
    ]
    if machine.get("unit"):
        lines.append(f"- Matrix unit (AMX): {machine['unit']}")
    if others is not None:
        lines.append(f"- Other processes: {others:.2f} cores busy in the worst round")
    if results:
        lines += ["", *ratios(results)]
        missed = sum("**missed**" in line for line in lines)
        failed = sum(bool(f.error) for f in results.values())
        lines += ["", f"{missed} of {len(results)} rows miss their limit; {failed} failed."]
    for part, told in (
        (arithmetic(results, plan.threads), "## Share of the peak"),
        (memory_bound(results, machine["copy"]), "## Memory"),
        (details(results), "## Details"),
    ):
        if part:
            lines += ["", told, "", *part]
    return "\n".join(lines) + "\n"
