"""Parameters that do not learn: the chain to them is cut, they are frozen, no optimiser holds them,
or their gradients are never cleared."""

from __future__ import annotations

from collections.abc import Iterator

from ..recording import NONE, Event, Finding, Unreached
from .reading import Reading, length, names, number, several

# What helps, by a word of the cause.
REMEDIES = (
    (".data", "Use the tensor itself in place of `.data`; where a copy without history is meant, "
     "`.detach()` says so."),
    ("detach", "Take the detach() away, or put it where no parameter lies behind it."),
    ("no_grad", "Take what these parameters compute out of the block without gradients."),
    ("inference_mode", "Take what these parameters compute out of the block without gradients."),
    ("NumPy", "Compute it with functions of torch in place of NumPy's."),
    ("Python number", "Compute on with the tensor; take numbers out of it only to show them."),
    ("has no gradient", "Whole numbers and truth values have no derivative: stay with floating "
     "point (a soft form such as sigmoid, or straight through: x + (hard - x).detach())."),
    ("not used", "Call the module in forward(), or delete it."),
    ("does not go into the loss", "Put it into the loss, or delete it."),
)  # fmt: skip


def backward_failed(reading: Reading) -> bool:
    """Whether the recording ended in an error inside a backward, so that gradients are missing."""
    failed = reading.recording.failed
    if not reading.recording.error or failed == NONE:
        return False
    return reading.events[failed].phase == "backward"


def unreached(reading: Reading) -> Iterator[Finding]:
    """Parameters to which no gradient came, by what cut the chain."""
    if backward_failed(reading):
        return
    groups: dict[tuple[str, int], list[Unreached]] = {}
    for one in reading.recording.unreached:
        if one.why.startswith("it is frozen"):
            continue
        # nobody wants to train what no optimiser holds: a teacher that runs under no_grad, say
        if not reading.training or one.name in reading.held:
            groups.setdefault((one.why, one.line), []).append(one)
    for (why, line), group in groups.items():
        verb = "gets" if len(group) == 1 else "get"
        remedy = next((text for word, text in REMEDIES if word in why), "")
        group_names = names([g.name for g in group])
        text = f"On the way from {group_names} to the loss, "
        text += f"{reading.where(line) or 'somewhere'} ends the chain: {why}. "
        if line != NONE and reading.source(line):
            text += f"The line is `{reading.source(line)}`. "
        if "not used" in why:
            text = f"{group_names}: {why}. "
        yield Finding(
            "unreached",
            f"{group_names} {verb} no gradient: {why}",
            text + "What gets no gradient does not learn. " + remedy,
            line, weight=1.0 if "not used" in why else 2.0, event=group[0].event,
        )  # fmt: skip


def frozen(reading: Reading) -> Iterator[Finding]:
    """Parameters whose requires_grad is False, above all those that an optimiser holds."""
    groups: dict[int, list[str]] = {}
    for one in reading.recording.unreached:
        if one.why.startswith("it is frozen"):
            groups.setdefault(one.line, []).append(one.name)
    every = len(reading.recording.parameters)
    for line, group in groups.items():
        held = [name for name in group if name in reading.held]
        verb = "is" if len(group) == 1 else "are"
        text = f"requires_grad of {several(len(group), 'parameter')} of {every} is False"
        if line != NONE:
            text += f", set at {reading.where(line)}: `{reading.source(line)}`"
        text += f". These are {names(group, 12)}. They get no gradient and do not learn. "
        if held:
            text += "An optimiser holds them nevertheless, so they may be meant to learn: look at "
            text += "which names the line takes. If they are meant to stay as they are, give the "
            text += "optimiser the others only."
        else:
            text += "If that is what you want, all is well."
        title = f"{names(group)} {verb} frozen"
        if held:
            title += f" although the optimiser holds {'it' if len(group) == 1 else 'them'}"
        yield Finding(
            "frozen", title, text, line, weight=1.5 if held else 0.1,
        )  # fmt: skip


def forgotten(reading: Reading) -> Iterator[Finding]:
    """Parameters that get gradients and that no optimiser holds."""
    if not reading.training:
        return
    groups: dict[int, list[str]] = {}
    for p in reading.recording.parameters:
        if p.reached and not p.frozen and p.module != NONE and p.name not in reading.held:
            groups.setdefault(reading.root(p.module), []).append(p.name)
    optimizer = max(reading.recording.optimizers, key=lambda o: o.steps)
    for root, group in groups.items():
        others = [
            p for p in reading.recording.parameters
            if p.module != NONE and reading.root(p.module) == root and p.name in reading.held
        ]  # fmt: skip
        if others:
            yield Finding(
                "forgotten", f"No optimiser holds {names(group)}",
                f"Gradients come to {several(len(group), 'parameter')} of "
                f"{reading.module(root)} that no optimiser holds, so they stay as they began: "
                f"{names(group, 12)}. {optimizer.kind}{reading.at(optimizer.line)} holds "
                f"{several(len(others), 'other')} of this model. Give it model.parameters(), or "
                "add a group with add_param_group.",
                optimizer.line, weight=2.0, module=root,
            )  # fmt: skip
        else:
            yield Finding(
                "unused gradients", f"Gradients of {reading.module(root)} are used by no optimiser",
                f"Each backward computes gradients of {several(len(group), 'parameter')} of "
                f"{reading.module(root)}, which no optimiser holds. If this model only judges "
                "another one, requires_grad_(False) on it saves their time and memory.",
                weight=0.3, module=root,
            )  # fmt: skip


CLEARING = ("zero_", "fill_", "mul_", "set_", "copy_")  # by which a program may clear by hand


def never_cleared(reading: Reading) -> Iterator[Finding]:
    """Gradients to which each step adds, because nobody sets them back."""
    held: dict[int, set[str]] = {}
    for n in reading.recording.numbers:
        if n.what == "gradient":
            held.setdefault(n.event, set()).add(n.name)
    last: dict[frozenset[str], int] = {}
    grown: dict[str, Event] = {}
    for place in sorted(held):
        key = frozenset(held[place])
        if key in last:
            between = reading.events[last[key] + 1 : place]
            if not any(clears(e) for e in between):
                added = [e for e in between if e.kind == "leaf" and e.name in key]
                fresh = {e.name for e in added if len(e.takes) < 2}
                grown |= {e.name: e for e in added if e.name not in fresh}
        last[key] = place
    if not grown:
        return
    event = next(iter(grown.values()))
    text = "Since the optimiser's last step nobody has set these gradients back, and each backward "
    text += "adds to them, so that every step goes by the sum of all batches until now. "
    lengths = {
        name: [length(n) for n in found] for name, found in reading.numbers("gradient").items()
        if name in grown
    }  # fmt: skip
    most = max(lengths, key=lambda name: lengths[name][-1], default="")
    if most and len(lengths[most]) > 1:
        text += f"The gradient of {most} has a length of "
        text += ", ".join(number(v) for v in lengths[most]) + " in the recorded steps. "
    yield Finding(
        "zero_grad", f"zero_grad() is forgotten: gradients of {names(grown)} grow with each step",
        text + "Call optimizer.zero_grad() before the backward of each step.",
        event.line, weight=2.0,
    )  # fmt: skip


def clears(event: Event) -> bool:
    """Whether an event may set gradients back."""
    return event.kind == "zero_grad" or (event.phase != "optimizer" and event.name in CLEARING)
