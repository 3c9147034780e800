"""Errors that ended a recording, and the first NaN or Inf with its cause."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..recording import NONE, Event, Finding, Range
from .reading import Reading, number, several, shape

_changed = re.compile(
    r"saved by (\w+) at (.+?):(\d+) in .*?\n\s*changed by (\w+) at (.+?):(\d+) in ", re.DOTALL
)


def error(reading: Reading) -> Iterator[Finding]:
    """What the program failed with."""
    recording = reading.recording
    if not recording.error or recording.error.startswith("KeyboardInterrupt"):
        return
    first, _, rest = recording.error.partition("\n")
    event = recording.failed
    line = recording.events[event].line if event != NONE else NONE
    match = _changed.search(recording.error)
    if match is not None and "modified by an inplace operation" in recording.error:
        saved, changed = line_of(reading, match[2], match[3]), line_of(reading, match[5], match[6])
        op = match[1].removesuffix("Backward0").removesuffix("Backward")
        yield Finding(
            "in place",
            f"{match[4]}{reading.at(changed)} changes in place what {op.lower()} has saved for its "
            "derivative",
            f"{op.lower()}{reading.at(saved)} (`{reading.source(saved)}`) keeps its value for the "
            f"backward. {reading.where(changed)} writes into it (`{reading.source(changed)}`), so "
            "the backward cannot be computed. Write the result into a new tensor: x = x / y in "
            "place of x /= y; or change a clone().",
            changed, weight=3.0, event=event,
        )  # fmt: skip
        return
    where = "" if event == NONE else f" It came from {recording.events[event].name}"
    if where and recording.events[event].module != NONE:
        where += f" in {reading.module(recording.events[event].module)}"
    yield Finding(
        "error", first,
        "The program ended with this error." + (where + "." if where else "")
        + (f" {rest.strip()}" if rest else ""),
        line, weight=3.0, event=event,
    )  # fmt: skip


def line_of(reading: Reading, file: str, line: str) -> int:
    """The place of a line among the recording's."""
    for place, known in enumerate(reading.recording.lines):
        if known.file == file and known.number == int(line):
            return place
    return NONE


def first_broken(reading: Reading) -> Iterator[Finding]:
    """The first NaN or Inf: which operation made it, of what."""
    broken = reading.recording.broken
    if broken is None or broken.event == NONE:
        return
    event = reading.events[broken.event]
    of = reading.events[event.of] if event.kind == "node" and event.of != NONE else event
    short, cause, remedy = explained(reading, event, of, broken.inputs, broken.finite_inputs)
    text = f"Until here every number was finite. {of.name}{reading.at(event.line)}"
    if reading.source(event.line):
        text += f" (`{reading.source(event.line)}`)"
    if event.kind == "node":
        text = text.replace(of.name, f"The derivative of {of.name}", 1)
    step = f" in {reading.step(broken.step)}," if reading.recording.steps else ""
    text += f" makes the first {broken.what},{step} {broken.phase}: {cause} "
    if broken.inputs:
        text += "It was computed of: " + "; ".join(described(r) for r in broken.inputs) + ". "
    record = event.record if event.record != NONE else of.record
    if event.kind == "node" and record != NONE and reading.recording.records[record].derivative:
        text += f"The derivative is {reading.recording.records[record].derivative.strip()}. "
    spoiled = [s.number for s in reading.recording.steps
               if s.number and s.loss is not None and s.loss - s.loss != 0]  # fmt: skip
    if spoiled:
        text += f"The loss is not finite from step {spoiled[0]} on. "
    yield Finding(
        "nan", f"The first {broken.what}: {short}{reading.at(event.line)}", text + remedy,
        event.line, weight=3.0, event=broken.event, module=event.module,
    )  # fmt: skip


def described(r: Range) -> str:
    """What lay in a tensor: '64x3 float32 (input) from 0 to 1, 27 of them 0'."""
    text = f"{r.name or 'an operand'} ({shape(r.shape)} {r.dtype})"
    if r.low == r.low:
        text += f" from {r.low:.3g} to {r.high:.3g}"  # commas stand between what follows
    counts = [several(r.zeros, "zero")] if r.zeros else []
    counts += [f"{r.negative:,} negative"] if r.negative else []
    counts += [f"{r.broken:,} NaN or Inf"] if r.broken else []
    return text + (f", {', '.join(counts)}" if counts else "")


LOGS = ("log", "log2", "log10", "log1p", "xlogy", "logit", "binary_cross_entropy")
DIVISIONS = ("div", "true_divide", "divide", "reciprocal", "rsqrt", "fmod", "remainder", "rdiv")
ROOTS = ("sqrt", "rsqrt", "norm", "linalg_vector_norm", "vector_norm", "cdist", "std",
         "pairwise_distance", "hypot", "dist")  # fmt: skip
EXPONENTIALS = ("exp", "exp2", "expm1", "sinh", "cosh")
CLAMP = "Keep away from 0 with x.clamp(min=1e-8)"


def explained(
    reading: Reading, event: Event, of: Event, inputs: list[Range], finite: bool
) -> tuple[str, str, str]:
    """What happened in few words, in a sentence, and what helps."""
    name = of.name.rstrip("_")
    mine = [r for r in inputs if r.name != "the gradient that came"]
    zeros = any(r.zeros for r in mine)
    negative = any(r.negative for r in mine)
    largest = max([max(abs(r.low), abs(r.high)) for r in inputs if r.low == r.low], default=0.0)
    if event.kind == "node":
        if name in ROOTS and zeros:
            return (
                f"the derivative of {name} at 0",
                "it divides by the root, which is 0 for some elements.",
                "Put a small number under the root: torch.sqrt(x + 1e-8).",
            )
        if name in (*DIVISIONS, *LOGS, "pow", "atan2") and zeros:
            return (
                f"the derivative of {name} divides by 0",
                "what it divides by is 0 for some elements. A torch.where() behind it does not "
                "help, as 0 times Inf is NaN.",
                CLAMP + ", before it is divided by, or put the torch.where() around the divisor.",
            )
        if largest > 1e15:
            return overflow(name, largest)
        return (
            f"the derivative of {name}", "its gradient is not finite although what came was.",
            "Look at the numbers that it was computed of.",
        )  # fmt: skip
    if event.kind == "optimizer":
        return (
            f"a step of {event.name}", "the step leads to parameters that are not finite.",
            "Take a smaller learning rate, or clip gradients with torch.nn.utils.clip_grad_norm_.",
        )  # fmt: skip
    if largest > 1e15 and finite and name not in EXPONENTIALS:
        return overflow(name, largest)
    if not finite and not (name in LOGS or name in DIVISIONS):
        return (
            f"{name} is given it", "it was in the data already, which no operation here has made.",
            "Look at the batch: torch.isfinite(x).all() tells whether it is clean.",
        )  # fmt: skip
    if name in LOGS and (zeros or negative):
        what = "a negative number" if negative else "0"
        remedy = CLAMP + ", or compute the logarithm in one piece with what is before it: "
        remedy += "log_softmax, cross_entropy on scores, binary_cross_entropy_with_logits."
        return f"{name} of {what}", f"the {name} of {what} is not finite.", remedy
    if name in ("sqrt", "rsqrt", "pow") and negative:
        return (
            f"{name} of a negative number", "the root of a negative number is NaN.",
            "Keep it from becoming negative: x.clamp(min=0).",
        )  # fmt: skip
    if name in DIVISIONS and zeros:
        return (
            f"{name} by 0", "what it divides by is 0 for some elements.",
            "Add a small number to the divisor, or " + CLAMP[0].lower() + CLAMP[1:] + ".",
        )  # fmt: skip
    if name in EXPONENTIALS:
        return (
            f"{name} of {number(largest)}",
            f"the {name} of numbers above {'127' if name == 'exp2' else '88'} is too large for "
            "float32.",
            "Subtract the largest first (softmax, logsumexp do so), or bound the numbers.",
        )  # fmt: skip
    if name in ("var", "std", "mean", "var_mean", "std_mean"):
        return (
            f"{name} of too few elements", "there are too few elements to divide by their number.",
            "Give it more than one element, or correction=0.",
        )  # fmt: skip
    if largest > 1e15:
        return overflow(name, largest)
    return (
        f"in {name}", "what it was given was finite, its result is not.",
        "Look at the numbers that it was computed of.",
    )  # fmt: skip


def overflow(name: str, largest: float) -> tuple[str, str, str]:
    """Numbers have grown until they were too large."""
    return (
        f"numbers in {name} have grown too large",
        f"what it was given goes up to {number(largest)}, and more does not fit into float32.",
        "Something grows from layer to layer or from step to step: look at the advice on exploding "
        "gradients, take a smaller learning rate, clip gradients, or normalise.",
    )
