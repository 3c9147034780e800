"""Who takes turns for the compiled table: our compiled and eager steps, PyTorch's, and JAX.

`answer` is what a process does for a request of this table; the rest is the parent's. PyTorch's own
compiler is measured in the first round alone, where there is a C++ compiler: it takes minutes.
Memory is what the steps hold at most, beyond what the process held after its imports; capture is
the time of the first three calls beyond that of three later ones.

Not here: what is measured (`compiled.py`), processes and clocks (`peers.py`).
"""

from __future__ import annotations

import contextlib
import gc
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import jax_steps
from .compiled import CAPTURE, MEMORY, TIMED, found, made
from .peers import Plan, RowFailed, Side, libraries, measure, most_memory

# The columns, in the order of the table; also who is asked for a row.
OURS, EAGER, PYTORCH, INDUCTOR, JAX = "compiled", "our eager", "PyTorch", "torch.compile", "JAX"
FIRST_CALLS = 3
SETTLING = 8.0  # seconds of steps: memory that was not needed for five is given back


@dataclass
class Found:
    """A row's figures by column, one a round, and why a column has none."""

    taken: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def note(self, column: str, value: float) -> None:
        self.taken.setdefault(column, []).append(value)

    def add(self, other: Found) -> None:
        """Enter another round."""
        for column, values in other.taken.items():
            self.taken.setdefault(column, []).extend(values)
        self.errors.update(other.errors)

    def ratios(self, over: str, under: str = OURS) -> list[float]:
        pairs = zip(self.taken.get(under, []), self.taken.get(over, []), strict=False)
        return [mine / theirs for mine, theirs in pairs if theirs]


# -- one process ---------------------------------------------------------------------------------


def answer(torch: Any, request: dict[str, Any]) -> Any:
    """What a process does for one request of this table."""
    what, name = request["what"], request["row"]
    if torch.__name__ == "jax":
        make, wrap = (lambda wrap: jax_steps.STEPS[name](torch)), None
    else:
        warnings.simplefilter("ignore")  # what is not replayed says so; here only time counts
        torch.manual_seed(0)
        torch.compiler.reset()  # what earlier rows left must not slow this one's guards
        wrap = torch.compile if request["compiled"] else lambda f: f
        make = lambda wrap: made(found(name), torch, wrap)  # noqa: E731
    if what == "memory":
        return memory(lambda: make(wrap))
    if what == "capture":
        if request["warmed"] and wrap is not None:  # what eager loads is not the capture's
            repeated(make(lambda f: f))
        return capture(make(wrap))
    if what == "guards":
        return guards(make(wrap))
    call = make(wrap)
    repeated(call)
    gc.collect()
    return measure(call, request["seconds"], request["least"])


def repeated(call: Callable[[], Any]) -> None:
    for _ in range(FIRST_CALLS):
        call()


def capture(call: Callable[[], Any]) -> float:
    """Seconds of the first calls beyond those of as many later ones."""
    begin = time.perf_counter()
    repeated(call)
    first = time.perf_counter() - begin
    return first - FIRST_CALLS * measure(call, 0.1)


def memory(make: Callable[[], Callable[[], Any]]) -> int:
    """Bytes that steps hold at most, parameters included, once the first have passed and what they
    needed alone was given back."""
    before = resident()
    call = make()
    repeated(call)
    gc.collect()
    until = time.perf_counter() + SETTLING
    while time.perf_counter() < until:
        call()
    with contextlib.suppress(OSError):  # the peak begins anew (Linux)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    repeated(call)
    return (most_memory() or 0) - before


def resident() -> int:
    """Bytes that this process holds; 0 where the system does not tell."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return 1024 * int(next(x.split()[1] for x in status.splitlines() if x.startswith("VmRSS")))


def guards(call: Any) -> float:
    """Seconds of what is looked at before a replay."""
    repeated(call)
    entries = getattr(call, "entries", None)
    if not entries:
        raise RuntimeError("nothing was compiled, so there are no guards")
    return measure(lambda: entries[0].fits((), {}), 0.2)


# -- all of them ---------------------------------------------------------------------------------


def columns(number: int, jax: str | None, quick: bool) -> dict[str, tuple[str, bool, str]]:
    """Who can be measured in this round: the library, whether compiled, the interpreter."""
    here = sys.executable
    who = {OURS: ("rushlight", True, here), EAGER: ("rushlight", False, here)}
    if "torch" in libraries():
        who[PYTORCH] = ("torch", False, here)
        if number == 0 and not quick and cpp():
            who[INDUCTOR] = ("torch", True, here)
    if jax:
        who[JAX] = ("jax", True, jax)
    return who


def cpp() -> str | None:
    """The C++ compiler that PyTorch's compiler would call."""
    return next((name for name in ("g++", "clang++", "c++") if shutil.which(name)), None)


def one_round(
    names: Iterable[str],
    plan: Plan,
    number: int,
    results: dict[str, Found],
    jax: str | None,
    quick: bool = False,
) -> None:
    """Measure the rows once; `quick`: without PyTorch's compiler. No process is left at the end."""
    names, who = list(names), columns(number, jax, quick)
    timed = [name for name in names if name in TIMED]
    if timed:
        with ExitStack() as stack:
            sides = {
                column: stack.enter_context(Side(library, plan.threads, python))
                for column, (library, _, python) in who.items()
            }
            for side in sides.values():
                side.ask("ready", "")
            for name in timed:
                order = list(sides.items())
                for column, side in order if number % 2 == 0 else order[::-1]:
                    if column == JAX and name not in jax_steps.STEPS:
                        continue
                    if column == INDUCTOR:
                        print(f"  {name}: torch.compile", file=sys.stderr, flush=True)
                    with noted(results[name], column) as f:
                        f.note(column, side.ask("time", name, compiled=who[column][1],
                                               seconds=plan.seconds, least=plan.least))  # fmt: skip
    for name in [name for name in names if name in MEMORY and number < 2]:
        for column in (OURS, EAGER, PYTORCH):
            if column in who:
                with noted(results[name], column) as f, Side(who[column][0], plan.threads) as side:
                    f.note(column, side.ask("memory", MEMORY[name], compiled=who[column][1]))
    if number < 3:
        captures([name for name in names if name in CAPTURE], plan, who, results)
    if "guards" in names:
        with noted(results["guards"], OURS) as f, Side("rushlight", plan.threads) as side:
            f.note(OURS, side.ask("guards", "sixty", compiled=True))


def captures(
    wanted: list[str],
    plan: Plan,
    who: dict[str, tuple[str, bool, str]],
    results: dict[str, Found],
) -> None:
    """The first compiled steps of a process: with empty caches, then with those that it left."""
    for column in (OURS, INDUCTOR, JAX) if wanted else ():
        if column not in who:
            continue
        library, _, python = who[column]
        with tempfile.TemporaryDirectory() as folder:
            caches = {"RUSHLIGHT_CACHE": folder, "TORCHINDUCTOR_CACHE_DIR": folder}
            for name in CAPTURE:  # the warm one needs the cold one before it
                if column == JAX and name == "capture_warm":
                    continue  # it keeps nothing on disk
                with (
                    noted(results.get(name, Found()), column) as f,
                    Side(library, plan.threads, python, **caches) as side,
                ):
                    f.note(column, side.ask("capture", CAPTURE[name], compiled=True,
                                           warmed=name == "capture_warm"))  # fmt: skip


@contextlib.contextmanager
def noted(found: Found, column: str) -> Iterator[Found]:
    """A column that fails says so in the report; the others go on."""
    try:
        yield found
    except RowFailed as error:
        found.errors[column] = str(error)
