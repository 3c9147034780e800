"""Time that a step could do without: waiting for data, numbers taken out of tensors, Python between
operations, work that is too small."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from ..recording import NONE, Event, Finding, Step
from .reading import Reading, duration, median, names, percent, several

WAITING = 0.1  # shares of a step's time from which on it is worth to speak
PYTHON = 0.25
SMALL = 0.5
CLEARING = 0.02
TAKEN = 0.01
NOTHING = 50_000  # ns: less is not worth a word


def loader(reading: Reading) -> Iterator[Finding]:
    """A DataLoader that keeps the step waiting."""
    waits: dict[int, list[int]] = {}
    kinds: dict[int, str] = {}
    for step in reading.typical:
        spent: dict[int, int] = {}
        for k in reading.of_step(step):
            e = reading.events[k]
            if e.kind == "loader" and not any(a.kind == "loader" for a in reading.above(e)):
                spent[e.line] = spent.get(e.line, 0) + e.end - e.begin
                kinds[e.line] = e.name
        for line, ns in spent.items():
            waits.setdefault(line, []).append(ns)
    for line, found in waits.items():
        wait = median([*found, *[0] * (len(reading.typical) - len(found))])
        share = reading.share(wait)
        if share < WAITING or wait < NOTHING:
            continue
        rest = max(reading.step_time - wait, 1.0)
        cores = reading.recording.machine.cores
        workers = min(max(1, math.ceil(wait / rest)), max(1, cores))
        text = f"`{reading.source(line)}` waits {duration(wait)} for each batch, "
        text += f"{percent(share)} of the step. "
        if "SingleProcess" in kinds[line]:
            text += "The samples are made in the process that trains (num_workers=0). "
            text += f"DataLoader(..., num_workers={workers}, persistent_workers=True) makes them "
            text += "meanwhile, in other processes: to make a batch takes "
            text += f"{wait / rest:.2g} times as long as the rest of a step, and this machine has "
            text += f"{several(cores, 'core')}. "
        else:
            text += "The workers do not keep up: with a larger num_workers more batches are made "
            text += f"at a time, as far as this machine's {several(cores, 'core')} go. "
        text += "Work that is the same each time (decoding, resizing) can be done once, before."
        saves = min(wait, wait - max(0.0, wait / workers - rest))
        yield Finding(
            "loader", f"The DataLoader keeps the step waiting: {percent(share)} of its time"
            f"{reading.at(line)}",
            text, line, reading.of_time(saves), True, weight=share,
        )  # fmt: skip


# How a line of a program asks for a number.
SHOWN = ("print(", 'f"', "f'", "format(")
WRITTEN = {
    "item": (".item(", *SHOWN), "tolist": (".tolist(", *SHOWN),
    "float": ("float(", "math.", *SHOWN),
    "repr": SHOWN,
    "int": ("int(", "range(", *SHOWN), "index": ("[", "range("), "complex": ("complex(",),
    "bool": ("if ", "while ", "assert ", "bool(", " and ", " or ", "not ", "max(", "min("),
}  # fmt: skip


def numbers_taken_out(reading: Reading) -> Iterator[Finding]:
    """`.item()`, `float()`, `print()` of tensors in each step."""
    if len(reading.whole) < 2:
        return
    found: dict[int, dict[int, list[Event]]] = {}
    for number, step in enumerate(reading.recording.steps):
        for k in reading.of_step(step):
            e = reading.events[k]
            if e.kind != "item" or e.phase in ("data", "optimizer") or e.line == NONE:
                continue
            if step.kind == "evaluation":
                continue
            if e.parent == NONE or reading.events[e.parent].kind != "item":
                found.setdefault(e.line, {}).setdefault(number, []).append(e)
    compiled = any(e.kind == "compiled" for e in reading.events)
    # what is taken out behind the optimiser's step belongs to the next step
    wanted = max(2, len(reading.whole) - 1)
    for line, steps in found.items():
        source = reading.source(line)
        words = [w for e in next(iter(steps.values())) for w in WRITTEN.get(e.name, ())]
        asked = any(word in source for word in words)
        if len(steps) < wanted or not asked:  # what a function of ours does by itself
            continue
        time = median([sum(e.end - e.begin for e in events) for events in steps.values()])
        count = median([len(events) for events in steps.values()])
        if reading.share(time) < TAKEN and not compiled:
            continue
        ways = names(dict.fromkeys(way(e.name) for events in steps.values() for e in events))
        text = f"`{reading.source(line)}` takes {several(int(count), 'number')} out of tensors in "
        text += f"each step ({ways}), which takes {duration(time)}. "
        text += "A compiled step is cut in two there; on a machine that computes beside Python the "
        text += "program waits there for all that is under way. Add up loss.detach(), and take the "
        text += "number out every so many steps."
        yield Finding(
            "item", f"Numbers are taken out of tensors in each step{reading.at(line)}", text, line,
            reading.of_time(time), True, weight=0.02 + reading.share(time), event=next(
                iter(steps.values()))[0].parent,
        )  # fmt: skip


def way(name: str) -> str:
    """How a number is taken out, as it is written."""
    if name == "repr":
        return "print()"
    return f"{name}()" if name in ("bool", "float", "int") else f".{name}()"


def preparing(reading: Reading) -> Iterator[Finding]:
    """The program's own Python before the first operation of a step: batches made by hand."""
    gaps: list[int] = []
    firsts: list[int] = []
    for step in reading.typical:
        inside = [k for k in reading.of_step(step) if reading.events[k].kind != "step"]
        if inside:
            gaps.append(reading.events[inside[0]].begin - step.begin)
            firsts.append(reading.events[inside[0]].line)
    gap = median(gaps)
    share = reading.share(gap)
    if share < PYTHON or gap < 20 * NOTHING or not reading.training:
        return
    line = statistics.mode(firsts)
    before = f"before `{reading.source(line)}`" if line != NONE else "before its first operation"
    yield Finding(
        "preparation", f"{percent(share)} of the step is the program's own Python before its first "
        "operation",
        f"{duration(gap)} of each step pass {before}, in which nothing runs that was recorded: "
        "batches made with NumPy or with files, logs, pictures, checkpoints. What makes batches "
        "can stand in a Dataset: a DataLoader(..., num_workers=1) does it meanwhile, in another "
        "process. What does not change can be done once, before the loop.",
        line, reading.of_time(min(gap, reading.step_time - gap)), weight=share,
    )  # fmt: skip


def python_between(reading: Reading) -> Iterator[Finding]:
    """Python between operations, which a compiled step has not."""
    step = reading.usual
    if any(e.kind == "compiled" for e in reading.events) or not reading.training or step is None:
        return
    between = idle(reading, step)
    share = reading.share(between)
    if share < PYTHON or between < NOTHING:
        return
    yield Finding(
        "compile", f"{percent(share)} of the step is Python between operations",
        f"A step calls {several(operations(reading, step), 'operation')} and derivatives and takes "
        f"{duration(reading.step_time)}, of which {duration(between)} pass between them: in the "
        "program, in modules, in the engine of the backward. torch.compile(model), or a "
        "torch.compile of the whole step, runs a step as one program that was written down once; "
        "a larger batch spreads the same Python over more samples.",
        gain=f"up to {reading.of_time(between)}", measured=True, weight=0.6 * share,
    )  # fmt: skip


BUSY = ("op", "node", "leaf", "optimizer", "loader", "zero_grad", "item", "collective", "compiled")


def idle(reading: Reading, step: Step) -> float:
    """Nanoseconds of a step in which none of these runs, from its first event to its last."""
    inside = [reading.events[k] for k in reading.of_step(step) if reading.events[k].kind != "step"]
    if not inside:
        return 0
    busy = sum([
        e.end - e.begin for k in reading.of_step(step)
        if (e := reading.events[k]).kind in BUSY
        and not any(a.kind in BUSY for a in reading.above(e))
    ])  # fmt: skip
    return max(0, max(e.end for e in inside) - inside[0].begin - busy)


def operations(reading: Reading, step: Step) -> int:
    """How many operations and derivatives a step has."""
    return sum([reading.events[k].kind in ("op", "node") for k in reading.of_step(step)])


def small_work(reading: Reading) -> Iterator[Finding]:
    """Operations so small that calling them takes longer than what they compute."""
    machine = reading.recording.machine
    if not (machine.flops and machine.bandwidth and reading.training):
        return
    small: list[Event] = []
    lost = 0.0
    for step in reading.typical:
        for k in reading.of_step(step):
            e = reading.events[k]
            if e.kind not in ("op", "node") or not (e.flops or e.bytes):
                continue
            taken = e.end - e.begin
            needed = 1e9 * max(e.flops / machine.flops, e.bytes / machine.bandwidth)
            if taken < NOTHING and needed < 0.1 * taken:
                small.append(e)
                lost += taken - needed
    lost /= max(1, len(reading.typical))
    share = reading.share(lost)
    if share < SMALL:
        return
    layers: dict[int, float] = {}
    for e in small:
        if e.module != NONE:
            layers[e.module] = layers.get(e.module, 0.0) + e.end - e.begin
    most = sorted(layers, key=lambda m: -layers[m])[:3]
    some = f", above all in {names(map(reading.module, most))}" if most else ""
    title = f"Layers are too small for this machine: {percent(share)} of the step is calls"
    yield Finding(
        "small work", title,
        f"{several(len(small) // max(1, len(reading.typical)), 'operation')} a step take "
        f"{duration(median([e.end - e.begin for e in small]))} each, and less than a tenth of it "
        f"is arithmetic or memory{some}. They run on one thread, as more would only wait for each "
        "other. A batch several times as large would take hardly longer; torch.compile joins "
        "operations.",
        gain=f"up to {reading.of_time(lost)}", weight=0.4 * share,
        module=most[0] if most else NONE,
    )  # fmt: skip


def zeroed(reading: Reading) -> Iterator[Finding]:
    """Gradients that are filled with zeros in place of being let go."""
    times, line = [], NONE
    for step in reading.typical:
        spent = 0
        for k in reading.of_step(step):
            e = reading.events[k]
            if e.kind == "zero_grad" and filled(reading, range(k + 1, step.last + 1)):
                spent, line = spent + e.end - e.begin, e.line
        times.append(spent)
    time = median(times)
    if reading.share(time) < CLEARING:
        return
    yield Finding(
        "set_to_none", f"zero_grad(set_to_none=False) fills gradients with zeros{reading.at(line)}",
        "Filling them takes time, the next backward adds to them in place of giving its own, and "
        "their memory is never free. zero_grad() without this argument lets them go.",
        line, reading.of_time(time), True, weight=reading.share(time),
    )  # fmt: skip


def filled(reading: Reading, after: range) -> bool:
    """Whether all gradients that come next are added to old ones, which must be zeros then."""
    first: dict[str, bool] = {}
    for k in after:
        e = reading.events[k]
        if e.kind in ("zero_grad", "optimizer"):
            break
        if e.kind == "leaf":
            first.setdefault(e.name, len(e.takes) > 1)
    return bool(first) and all(first.values())
