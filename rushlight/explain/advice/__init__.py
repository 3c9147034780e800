"""Advice: what a recording tells about a step that somebody should know.

Each advice is a function from a recording, as `reading.py` puts it, to findings; a file has a
theme. `ADVICE` is the one list of them.

    broken.py   errors, values changed in place, the first NaN or Inf
    chain.py    parameters that do not learn: unreached, frozen, forgotten, gradients never cleared
    health.py   dead units, gradients that explode or vanish, steps that are too large
    memory.py   graphs and values that are kept and need not be
    speed.py    waiting for data, numbers taken out, Python between operations, work too small

To add one: write the function, with a test that it speaks and one that it is silent about a healthy
step (`tests/explain/test_advice.py`), and put it in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..recording import Finding, Recording
from . import broken, chain, health, memory, speed
from .reading import Reading

ADVICE: list[Callable[[Reading], Iterable[Finding]]] = [
    broken.error,
    broken.first_broken,
    chain.unreached,
    chain.frozen,
    chain.forgotten,
    chain.never_cleared,
    health.dead_units,
    health.through_layers,
    health.recurrent_layers,
    health.large_steps,
    memory.evaluation,
    memory.unused_graph,
    memory.kept_graphs,
    memory.growing_graph,
    memory.checkpoint,
    memory.saved,
    speed.loader,
    speed.preparing,
    speed.numbers_taken_out,
    speed.python_between,
    speed.small_work,
    speed.zeroed,
]


def findings(recording: Recording) -> list[Finding]:
    """All that is to be said of a recording, what matters most first."""
    reading = Reading(recording)
    found = [finding for advice in ADVICE for finding in advice(reading)]
    return sorted(found, key=lambda f: -f.weight)
