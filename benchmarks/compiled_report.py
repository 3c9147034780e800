"""The compiled table as text. Pure functions, so that tests can read it."""

from __future__ import annotations

import statistics
from typing import Any

from .compiled import LIMITS, MEMORY, title
from .compiled_rounds import EAGER, INDUCTOR, JAX, OURS, PYTORCH, Found, cpp
from .report import bytes_text, duration, shown, table, verdict
from .work import ROWS

COLUMNS = (OURS, EAGER, PYTORCH, INDUCTOR, JAX)


def rows(results: dict[str, Found]) -> list[str]:
    """The table of limits: ours compiled by what the limit is about."""
    present = [c for c in COLUMNS if any(c in f.taken for f in results.values())]
    lines = []
    for name, f in results.items():
        text: Any = bytes_text if name in MEMORY else duration
        limit = LIMITS[name]
        value, unit = compared(name, f)
        by_jax = middle(f.ratios(JAX))
        reached = verdict(value, limit.at_most, limit.aim)
        if limit.jax and by_jax and by_jax > limit.jax:
            reached = "**missed**"
        elif limit.jax_aim and by_jax and reached == "aim" and by_jax > limit.jax_aim:
            reached = "reached"
        eager = middle(f.ratios(PYTORCH, EAGER))
        lines.append(
            [
                title(name),
                *[shown(middle(f.taken.get(c, [])), text) for c in present],
                shown(value, lambda x, unit=unit: f"{x:.3g}{unit}"),
                f"{limit.at_most:g}{unit}",
                f"{limit.aim:g}{unit}",
                shown(by_jax, lambda x: f"{x:.2f}"),
                f"{limit.jax:g}" if limit.jax else "",
                reached,
                shown(eager, lambda x: f"{x:.2f}"),
                f"{ROWS[name].at_most:g}" if name in ROWS else "",
            ]
        )
    head = ["work", *present, "ratio", "at most", "aim", "by JAX's", "at most", "",
            "eager, ratio", "eager, at most"]  # fmt: skip
    return table(head, lines)


def compared(name: str, f: Found) -> tuple[float | None, str]:
    """What the limits of a row are about, and its unit."""
    limit, ours = LIMITS[name], f.taken.get(OURS, [])
    if limit.of == "s":
        return middle(ours), " s"
    if limit.of == "µs":
        return middle([seconds * 1e6 for seconds in ours]), " µs"
    if limit.of == EAGER:
        return middle(f.ratios(EAGER)), " of our eager"
    return middle(f.ratios(PYTORCH)), ""


def middle(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def text(results: dict[str, Found], jax: str | None) -> str:
    """The section of the report."""
    lines = [
        "## Compiled",
        "",
        "The whole step inside `torch.compile`. Ratio: by PyTorch's eager where nothing else",
        "is said; less is better.",
        "",
    ]
    if not jax:
        lines += ["> JAX is not installed here (`--jax PYTHON` names an interpreter that has it):"
                  " no column of it.\n"]  # fmt: skip
    if not cpp():
        lines += ["> No C++ compiler is here: PyTorch's own compiler was not measured.\n"]
    lines += rows(results)
    missed = sum("**missed**" in line for line in lines)
    lines += ["", f"{missed} of {len(results)} rows miss their limit."]
    failed = [
        f"- {title(name)}, {column}: {why}"
        for name, f in results.items()
        for column, why in f.errors.items()
    ]
    if failed:
        lines += ["", "Not measured:", "", *failed]
    return "\n".join(lines) + "\n"
