"""Health of a network: dead units, gradients that explode or vanish, steps that are too large."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from ..recording import NONE, Finding, Numbers
from .reading import Reading, length, names, number, percent

RECTIFIERS = ("relu", "relu6", "ReLU", "ReLU6", "threshold", "Threshold")
RECURRENT = re.compile("rnn|lstm|gru", re.IGNORECASE)
DEAD = 0.9  # share of units that are 0 for a whole batch
EXPLODING, VANISHING = 1e4, 1e-7  # from the loss to the first layer, or the first step of time
MANY = 4  # layers, or steps of time, that make a way
LARGE = 1.0  # length of an update by that of the parameter


def dead_units(reading: Reading) -> Iterator[Finding]:
    """Rectified units that are 0 for every sample, and whose gradient is 0 therefore."""
    found: dict[tuple[str, int], list[Numbers]] = {}
    for n in reading.recording.numbers:
        if n.what == "activation" and n.event != NONE and rectifies(reading, n):
            found.setdefault((n.name, reading.events[n.event].line), []).append(n)
    for (_, line), numbers in found.items():
        last = numbers[-1]
        late = numbers[-2:] if len(numbers) > 1 else numbers
        if not all(n.dead >= DEAD and n.finite for n in late):
            continue
        shares = ", ".join(percent(n.dead) for n in numbers[-5:])
        text = f"{percent(last.dead)} of the units of this ReLU are 0 for every sample that was "
        text += f"looked at (in the steps: {shares}). Where a ReLU is 0 its derivative is 0, so "
        text += "that what lies before it learns no more, and the units stay dead. "
        text += before(reading, last) + "Take a smaller learning rate, a start with smaller "
        text += "weights (nn.init.kaiming_normal_) and biases of 0, or leaky_relu, which is never "
        text += "flat."
        place = f" of {reading.module(last.module)}" if last.module != NONE else ""
        title = f"{percent(last.dead)} of the units{place} are dead: relu{reading.at(line)}"
        yield Finding(
            "dead relu", title, text, line, weight=2.0, event=last.event, module=last.module,
        )  # fmt: skip


def rectifies(reading: Reading, n: Numbers) -> bool:
    """Whether an activation is what a ReLU gave."""
    event = reading.events[n.event]
    if event.kind == "module" and event.module != NONE:
        return reading.recording.modules[event.module].kind in RECTIFIERS
    return event.name.rstrip("_") in RECTIFIERS


def before(reading: Reading, n: Numbers) -> str:
    """By how much the layer before a ReLU was changed."""
    place = n.event
    event = reading.events[place]
    if event.kind == "module":
        inner = [k for k in reading.inside(place) if reading.events[k].name.startswith("relu")]
        event = reading.events[inner[-1]] if inner else event
    made = event.takes[0].made_by if event.takes else NONE
    params = [v.name for v in reading.events[made].takes if v.name] if made != NONE else []
    ratios = {
        name: ratio for name, steps in changes(reading).items() if name in params
        for ratio in [max(steps)]
    }  # fmt: skip
    if not ratios:
        return ""
    name = max(ratios, key=lambda k: ratios[k])
    if ratios[name] < LARGE / 4:
        return ""
    return f"A step of the optimiser changed {name} by {number(ratios[name])} times its length. "


def changes(reading: Reading) -> dict[str, list[float]]:
    """By name the length of each update by that of the parameter before it."""
    lengths = {
        (n.name, n.step): length(n) for n in reading.recording.numbers if n.what == "parameter"
    }  # fmt: skip
    found: dict[str, list[float]] = {}
    for n in reading.recording.numbers:
        old = lengths.get((n.name, n.step), 0.0)
        if n.what == "update" and n.finite and old > 0:
            found.setdefault(n.name, []).append(length(n) / old)
    return found


def large_steps(reading: Reading) -> Iterator[Finding]:
    """Updates that change weights by more than they are."""
    shapes = {n.name: n.shape for n in reading.recording.numbers if n.what == "parameter"}
    found = {
        name: max(steps) for name, steps in changes(reading).items()
        if len(shapes.get(name, ())) >= 2 and max(steps) >= LARGE
    }  # fmt: skip
    if not found:
        return
    worst = max(found, key=lambda k: found[k])
    event = next((e for e in reading.events if e.kind == "optimizer"), None)
    yield Finding(
        "large step", f"A step changes {worst} by {number(found[worst])} times its length",
        f"The optimiser changes {names(found)} by more than all that they were (by length: the "
        "root of the sum of squares); a step that trains well changes weights by about a "
        "thousandth. Take a smaller learning rate, or clip the gradients "
        "(torch.nn.utils.clip_grad_norm_) if they are what is too large.",
        event.line if event else NONE, weight=1.5,
    )  # fmt: skip


def through_layers(reading: Reading) -> Iterator[Finding]:
    """Gradients that grow or shrink on their way from the loss to the first layer or time step."""
    said: set[tuple[str, int]] = set()
    for place, event in enumerate(reading.events):
        if event.kind != "backward":
            continue
        way = [k for k in reading.inside(place) if weighs(reading, k)]
        runs: dict[tuple[int, int, str], list[int]] = {}
        for k in way:
            e = reading.events[k]
            runs.setdefault((e.line, e.module, e.name), []).append(k)
        over_time = [run for run in runs.values() if len(run) >= 2 * MANY]
        again = {k for run in over_time for k in run}
        layers = [k for k in way if k not in again]
        for run in [*over_time, layers]:
            finding = along(reading, run, run is not layers)
            if finding is not None and (finding.kind, finding.line) not in said:
                said.add((finding.kind, finding.line))
                yield finding


def recurrent_layers(reading: Reading) -> Iterator[Finding]:
    """Recurrent layers that are one operation, in which the gradient grows over time."""
    lengths = {
        (n.name, n.step): length(n) for n in reading.recording.numbers if n.what == "gradient"
    }  # fmt: skip
    said: set[int] = set()
    for place, event in enumerate(reading.events):
        if event.kind != "node" or event.of == NONE or not RECURRENT.search(event.name):
            continue
        weights = [v.name for v in reading.events[event.of].takes if v.name and len(v.shape) >= 2]
        grown = {name: lengths.get((name, event.step), 0.0) for name in weights}
        worst = max(grown, key=lambda name: grown[name], default="")
        # (one step of a layer that is in order brings as much as its inputs are long)
        if event.line in said or not event.norm > 0 or not worst:
            continue
        if not EXPLODING**1.5 * event.norm < grown[worst] < math.inf:
            continue
        said.add(event.line)
        layer = reading.module(event.module) or reading.events[event.of].name
        yield Finding(
            "exploding gradients",
            f"The gradient grows {number(grown[worst] / event.norm)} times over the steps of time "
            f"in {layer}{reading.at(event.line)}",
            f"The gradient that comes to {layer} has a length of {number(event.norm)}, that of "
            f"{worst} one of {number(grown[worst])}: on the way back through time it is "
            "multiplied by the recurrent weights once for each step. Begin with smaller or "
            "orthogonal ones (nn.init.orthogonal_), use nn.LSTM or nn.GRU, or clip gradients "
            "(torch.nn.utils.clip_grad_norm_).",
            event.line, weight=1.8, event=place, module=event.module,
        )  # fmt: skip


def weighs(reading: Reading, place: int) -> bool:
    """Whether an event is the derivative of an operation with weights."""
    event = reading.events[place]
    if event.kind != "node" or event.of == NONE or not event.norm > 0:
        return False
    return any(v.name and len(v.shape) >= 2 for v in reading.events[event.of].takes)


def along(reading: Reading, run: list[int], over_time: bool) -> Finding | None:
    """What is to be said of the gradients that came to these nodes, one after the other."""
    norms = [reading.events[k].norm for k in run]
    good = [(k, v) for k, v in zip(run, norms, strict=True) if math.isfinite(v)]
    if len(good) < MANY:
        return None
    growth = good[-1][1] / good[0][1]
    exploding = growth >= EXPLODING
    # through time a gradient fades by nature: it must be gone
    if not exploding and growth > (VANISHING if not over_time else VANISHING**2):
        return None
    worst = max(pairwise(good), key=lambda p: p[1][1] / p[0][1] if exploding else p[0][1] / p[1][1])
    event = reading.events[good[0][0] if over_time else worst[0][0]]
    kind = "exploding gradients" if exploding else "vanishing gradients"
    each = growth ** (1 / (len(good) - 1))
    way = f"over {len(good)} " + ("steps of time" if over_time else "layers with weights")
    text = f"{way[0].upper()}{way[1:]} the length of the gradient goes from {number(good[0][1])} "
    text += f"(nearest to the loss) to {number(good[-1][1])}: times {number(each)} from one to the "
    text += "next. "
    if reading.source(event.line):
        text += f"The line is `{reading.source(event.line)}`. "
    weights = [v.name for v in reading.events[event.of].takes if v.name and len(v.shape) >= 2]
    if over_time:
        text += "Each step multiplies it by the derivative of this line, that is, by "
        text += f"{names(weights)}. "
        text += (
            "Begin with smaller or orthogonal recurrent weights (nn.init.orthogonal_), bound the "
            "state (tanh; nn.LSTM, nn.GRU), clip gradients (torch.nn.utils.clip_grad_norm_), or "
            "detach() the state every few steps." if exploding else
            "The first steps of time cannot be learned from the loss: use gates (nn.LSTM, nn.GRU), "
            "orthogonal recurrent weights, or attention."
        )  # fmt: skip
    else:
        text += (
            "Begin with smaller weights (nn.init.kaiming_normal_, xavier_normal_), normalise "
            "(LayerNorm, BatchNorm), add shortcuts, or clip gradients." if exploding else
            "The first layers hardly learn: use relu or gelu in place of sigmoid or tanh, "
            "normalise (LayerNorm, BatchNorm), or add shortcuts around layers."
        )  # fmt: skip
    verb = "grows" if exploding else "shrinks"
    return Finding(
        kind, f"The gradient {verb} {number(growth if exploding else 1 / growth)} times {way}"
        f"{reading.at(event.line)}", text, event.line,
        weight=1.8 if exploding else 1.2, event=good[-1][0], module=event.module,
    )  # fmt: skip
