"""Memory that need not be: graphs of evaluations, graphs that nobody asks for a gradient, losses
kept with their graphs; and what a checkpoint would save."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..recording import NONE, Block, Finding
from .reading import Reading, duration, names, percent, several, size

LEAST = 32_000_000  # bytes at the peak, from which on it is worth to speak of saving them
SHARE = 0.25  # of the peak


def outermost(reading: Reading) -> list[int]:
    """The calls of modules that stand in no other module's, whose results have a history."""
    return [
        k for k, e in enumerate(reading.events)
        if e.kind == "module" and e.module != NONE and any(v.grad for v in e.gives)
        and not any(a.kind == "module" for a in reading.above(e))
    ]  # fmt: skip


def kept_by(reading: Reading, place: int) -> int:
    """Bytes that operations inside an event have made and keep for their derivatives."""
    inside = range(place, reading.ends[place])
    return sum(
        [b.bytes for b in reading.recording.blocks
         if b.role == "saved for backward" and b.event in inside]
    )  # fmt: skip


def outliving(reading: Reading, places: list[int]) -> str:
    """What is to be said of graphs that are still there when the next step is over."""
    steps = reading.recording.steps
    held: dict[int, int] = {}
    for place in places:
        step = reading.events[place].step
        if 0 <= step < len(steps) - 1:
            inside = range(place, reading.ends[place])
            held[step] = held.get(step, 0) + sum(
                [b.bytes for b in reading.recording.blocks if b.role == "saved for backward"
                 and b.event in inside and (b.died == NONE or b.died > steps[step + 1].end)]
            )  # fmt: skip
    most = max(held.values(), default=0)
    if not most:
        return ""
    text = f"{size(most)} of it lives on until the next step is over, as something keeps the "
    return text + "results with their graphs, such as a list of losses, or their sum. "


def asked(reading: Reading, place: int) -> bool:
    """Whether the derivative of anything inside an event has run."""
    return any(k in reading.derived for k in range(place, reading.ends[place]))


def evaluation(reading: Reading) -> Iterator[Finding]:
    """A model in eval() that builds graphs which no backward uses."""
    calls: dict[int, list[int]] = {}  # line: how often, bytes a call
    where: dict[int, list[int]] = {}
    evaluated = set(reading.recording.evaluated)
    more = ""
    for place in outermost(reading):
        e = reading.events[place]
        if place in evaluated and not asked(reading, place):
            known = calls.setdefault(e.line, [0, 0])
            known[0] += 1
            known[1] = max(known[1], kept_by(reading, place))
            where.setdefault(e.line, []).append(place)
    for one in reading.recording.watched:
        if one.kind == "evaluation":
            known = calls.setdefault(one.line, [0, 0])
            known[0] += one.count
            known[1] = max(known[1], one.bytes)
            if one.text:
                more = f"{one.text}, because their results are kept: no_grad lets them go. "
    for line, (count, each) in calls.items():
        text = f"The model is in eval() and was called {several(count, 'time')}"
        text += f" by `{reading.source(line)}`" if line != NONE else ""
        text += f", with gradients on: each call keeps {size(each)} for a backward that never "
        text += "comes. " + outliving(reading, where.get(line, []))
        most = reading.peak.peak if reading.peak else 0
        yield Finding(
            "no_grad", f"Evaluation without no_grad{reading.at(line)}",
            text + more + "Put it into `with torch.no_grad():` or torch.inference_mode().",
            line, f"{size(each)} a call", weight=0.5 + (each / most / 2 if most else 0.0),
        )  # fmt: skip


def unused_graph(reading: Reading) -> Iterator[Finding]:
    """A model in training whose graph no backward ever enters."""
    if not reading.training:
        return
    last = len(reading.recording.steps) - 1
    calls: dict[int, list[int]] = {}
    late: dict[int, list[int]] = {}  # in the last step: their backward may yet come
    evaluated = set(reading.recording.evaluated)
    for place in outermost(reading):
        e = reading.events[place]
        if place not in evaluated:
            (calls if e.step < last else late).setdefault(e.line, []).append(place)
    for line, places in calls.items():
        unused = [p for p in places if not asked(reading, p)]
        if len(unused) == len(places) and reading.recording.steps[last].kind == "round":
            # there never was one, and now the step is over
            places = [*places, *late.get(line, ())]
            unused = [p for p in places if not asked(reading, p)]
        if len(unused) < 2:
            continue
        each = max(kept_by(reading, p) for p in unused)
        event = reading.events[unused[0]]
        yield Finding(
            "unused graph", f"No backward uses the graph of {reading.module(event.module)}"
            f"{reading.at(line)}",
            f"{several(len(unused), 'call')} of {len(places)} by `{reading.source(line)}` build a "
            f"graph that no backward enters, and keep {size(each)} each. "
            f"{outliving(reading, unused)}Put such a call, an evaluation for example, into `with "
            "torch.no_grad():`. Its result has no history then, as behind detach().",
            line, f"{size(each)} a call", weight=0.4, event=unused[0], module=event.module,
        )  # fmt: skip


def kept_graphs(reading: Reading) -> Iterator[Finding]:
    """Losses that are kept with their graphs, in a list or a sum."""
    found = [w for w in reading.recording.watched if w.kind == "kept graphs"]
    known = [w for w in found if w.text]
    most = max([w.count for w in found], default=0)
    for one in known or found:
        text = f"{several(most, 'graph')} are alive although their backward has run. "
        text += f"{one.text[0].upper()}{one.text[1:]}. " if one.text else ""
        text += "A loss holds the whole graph that it was computed by, so that memory grows with "
        text += "each step. Keep the number: loss.item(), or loss.detach() where it shall stay a "
        text += "tensor."
        where = reading.source(one.line)
        title = f"Losses are kept with their graphs{reading.at(one.line)}"
        yield Finding(
            "kept graphs", title + (f": {where}" if where and one.text else ""), text, one.line,
            "one graph less for each step", weight=1.2,
        )  # fmt: skip


def growing_graph(reading: Reading) -> Iterator[Finding]:
    """A backward that goes through more nodes in each step: a state is carried on with its
    history."""
    runs: dict[int, list[tuple[int, int]]] = {}
    for place, e in enumerate(reading.events):
        if e.kind == "backward":
            nodes = sum([reading.events[k].kind == "node" for k in reading.inside(place)])
            runs.setdefault(e.line, []).append((nodes, place))
    for line, found in runs.items():
        counts = [n for n, _ in found]
        steps = [b - a for a, b in pairwise(counts)]
        if len(counts) < 3 or min(steps) < max(2, 0.2 * counts[0]):
            continue
        yield Finding(
            "growing graph", f"The backward{reading.at(line)} grows with each step",
            f"It goes through {', '.join(map(str, counts[:5]))} nodes in the recorded steps: a "
            "state that is carried from step to step brings its whole history along, and time and "
            "memory grow. Cut it between steps: hidden = hidden.detach().",
            line, weight=1.5, event=found[-1][1],
        )  # fmt: skip


def at_peak(reading: Reading, role: str) -> list[Block]:
    """The blocks of a role that live when memory is highest."""
    step = reading.peak
    if step is None:
        return []
    at = step.peak_at
    return [
        b for b in reading.recording.blocks
        if b.role == role and b.born <= at and (b.died == NONE or b.died > at)
    ]  # fmt: skip


def saved(reading: Reading) -> Iterator[Finding]:
    """The largest of what is kept for the backward, by the operation that keeps it."""
    blocks = at_peak(reading, "saved for backward")
    total = sum([b.bytes for b in blocks])
    most = reading.peak.peak if reading.peak else 0
    if most < LEAST or total < SHARE * most:
        return
    groups: dict[str, list[Block]] = {}
    for b in blocks:
        groups.setdefault(b.name, []).append(b)
    ordered = sorted(groups.items(), key=lambda g: -sum(b.bytes for b in g[1]))
    largest = [
        f"{name} ({size(sum(b.bytes for b in group))}"
        + (f" in {several(len(group), 'tensor')})" if len(group) > 1 else ")")
        for name, group in ordered[:3]
    ]
    first = ordered[0][1][0]
    yield Finding(
        "saved", f"{percent(total / most)} of memory at the peak is kept for backward",
        f"{reading.of_peak(total)} are values that derivatives need. The largest: "
        f"{names(largest)}. A smaller batch needs less; torch.utils.checkpoint computes them "
        "again in place of keeping them; where no gradient is needed, no_grad or detach() keeps "
        "nothing.",
        first.line, weight=0.2 * total / most, event=first.event,
    )  # fmt: skip


def checkpoint(reading: Reading) -> Iterator[Finding]:
    """Layers that follow each other, whose values could be computed again."""
    step = reading.peak
    if step is None or step.peak < LEAST:
        return
    modules = reading.recording.modules
    groups: dict[tuple[int, str], list[int]] = {}
    for k in reading.of_step(step):
        e = reading.events[k]
        if e.kind == "module" and e.module != NONE and modules[e.module].parent != NONE:
            groups.setdefault((modules[e.module].parent, modules[e.module].kind), []).append(k)
    alive = at_peak(reading, "saved for backward")
    best: tuple[int, list[int]] = (0, [])
    for calls in groups.values():
        if len(calls) < 3 or not all(composed(reading, k) for k in calls):
            continue
        held = [sum(b.bytes for b in alive if k <= b.event < reading.ends[k]) for k in calls]
        saves = sum(held) - max(held) - sum(entered(reading, k) for k in calls)
        if saves > best[0]:
            best = saves, calls
    saves, calls = best
    if saves < SHARE * step.peak:
        return
    time = sum([reading.events[k].end - reading.events[k].begin for k in calls])
    first = reading.events[calls[0]]
    kind = modules[first.module].kind
    yield Finding(
        "checkpoint", f"Checkpoints of the {len(calls)} {kind} layers would save {size(saves)}",
        f"The calls of {kind}{reading.at(first.line)} keep what is inside them for the backward. "
        "With torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False) only what enters "
        "each of them is kept, and the rest is computed again when its backward comes, which takes "
        f"about {duration(time)} more a step.",
        first.line, f"{reading.of_peak(saves)}, for {duration(time)} more a step",
        weight=0.3 * saves / step.peak, event=calls[0], module=first.module,
    )  # fmt: skip


def composed(reading: Reading, place: int) -> bool:
    """Whether a call of a module has several operations in it."""
    return sum([reading.events[k].kind == "op" for k in reading.inside(place)]) > 2


def entered(reading: Reading, place: int) -> int:
    """Bytes that enter a call."""
    return sum([width(v.dtype) * count(v.shape) for v in reading.events[place].takes])


def width(dtype: str) -> int:
    """Bytes of an element."""
    digits = "".join(c for c in dtype if c.isdigit())
    return max(1, int(digits) // 8) if digits else 1


def count(shape: tuple[int, ...]) -> int:
    """Elements."""
    n = 1
    for d in shape:
        n *= d
    return n

