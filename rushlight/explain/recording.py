"""What a recording holds: plain data, without a tensor or a function in it.

    looking   `observer.py` and its neighbours fill a `Recording` while a step runs
    finding   `advice/` reads it
    showing   `page/` and `text.py` write it out

Everything refers to everything by its place in the recording's lists (-1: none), so that
`as_json()` is the recording itself. Times are nanoseconds since the recording began, without what
recording itself took; bytes are bytes. Not here: how any of it is found out.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

NONE = -1  # in place of an index: there is none

# In which part of a step something happens.
PHASES = ("data", "forward", "backward", "optimizer", "zero_grad", "other")

# What an event is.
KINDS = (
    "step",  # a round of the training loop, or what lies between two of them: see `Step`
    "module",  # the call of a module
    "function",  # a function that is made of operations, or an `autograd.Function`
    "op",  # an operation on tensors, as the user or a module calls it
    "node",  # the derivative of one
    "leaf",  # adding into `.grad`
    "backward",  # a whole backward
    "optimizer",  # a step of an optimiser
    "zero_grad",
    "loader",  # waiting for a batch
    "item",  # a number taken out of a tensor: `.item()`, `float()`, `bool()`, `.tolist()`
    "compiled",  # a call that a compiled program carried out
    "collective",
)

# Whose the memory is.
ROLES = ("parameter", "buffer", "gradient", "optimizer state", "saved for backward", "batch",
         "result", "other")  # fmt: skip


@dataclass(slots=True)
class Line:
    """A line of the user's program."""

    file: str
    number: int
    function: str
    text: str


@dataclass(slots=True)
class Module:
    """A module that was called, or that has parameters."""

    path: str  # "layer1.0.conv1"; "" for the outermost
    kind: str  # the name of its class
    repr: str  # its own line of `print(module)`
    parent: int  # Module
    parameters: int  # elements of its own parameters, without those below it
    training: bool
    name: str = ""  # of an outermost one, what the program calls it: "model", "netG"


@dataclass(slots=True)
class Value:
    """A tensor that an event takes or gives."""

    dtype: str
    shape: tuple[int, ...]
    made_by: int = NONE  # Event
    name: str = ""  # of a parameter or buffer: "fc1.weight"
    grad: bool = False  # whether it requires a gradient


@dataclass(slots=True)
class Saved:
    """What an operation keeps for its derivative."""

    name: str  # "input", "result", "weight": an operand's name in the record, or "result"
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    why: str  # the line of the derivative that reads it


@dataclass(slots=True)
class Event:
    kind: str
    name: str
    begin: int
    end: int
    parent: int = NONE  # Event
    phase: str = "other"
    step: int = NONE  # Step
    module: int = NONE  # Module: the innermost one it happened in; of a node, its operation's
    line: int = NONE  # Line: of the user's own program, where there is one
    inner: int = NONE  # Line of an installed package, which that line called
    takes: list[Value] = field(default_factory=list)
    gives: list[Value] = field(default_factory=list)
    of: int = NONE  # Event: of a node, the operation whose derivative it is
    record: int = NONE  # Record
    plan: int = NONE  # Plan
    flops: int = 0
    bytes: int = 0  # read and written
    made: int = 0  # bytes of new memory
    saved: list[Saved] = field(default_factory=list)
    norm: float = 0.0  # of a node: of the gradient that comes to it


@dataclass(slots=True)
class Record:
    """What an op's record says."""

    name: str
    summary: str
    formula: str
    derivative: str
    declared: str  # "rushlight/ops/elementwise/activation.py:120"


@dataclass(slots=True)
class Plan:
    """How a call is computed: what `rushlight.show(op, *inputs)` prints."""

    text: str
    flops: int
    bytes: int


@dataclass(slots=True)
class Block:
    """Memory of a tensor, from its birth to its death."""

    bytes: int
    born: int
    died: int  # NONE: it was there at the end
    event: int = NONE  # Event in which it was made
    line: int = NONE  # Line
    role: str = "other"
    name: str = ""  # "fc1.weight", "exp_avg of fc1.weight", "input of conv2d at model.py:12"
    dtype: str = ""
    shape: tuple[int, ...] = ()


@dataclass(slots=True)
class Numbers:
    """What stood in a tensor. Of samples, but for `nan`, `inf` and `largest` where `whole`."""

    what: str  # "parameter", "gradient", "activation", "update"
    name: str  # of a parameter, or a module's path
    step: int
    event: int
    module: int
    dtype: str
    shape: tuple[int, ...]
    mean: float
    spread: float  # standard deviation
    zeros: float  # share
    largest: float  # magnitude
    low: float  # edges of the histogram
    high: float
    histogram: list[int]
    finite: bool  # of all elements, not of a sample
    dead: float = 0.0  # of an activation: the share of its channels that are 0 everywhere


@dataclass(slots=True)
class Range:
    """What lay in a tensor that went into an event, or that it had kept."""

    name: str  # "input", "other", "result": an operand's name in the record
    dtype: str
    shape: tuple[int, ...]
    low: float  # of its finite elements
    high: float
    zeros: int  # how many elements are 0, negative, NaN or Inf
    negative: int
    broken: int


@dataclass(slots=True)
class Broken:
    """The first NaN or Inf of the recording."""

    event: int
    step: int
    phase: str
    what: str  # "NaN" or "Inf"
    where: str  # "output", "gradient of input", "parameter fc1.weight"
    finite_inputs: bool  # whether what went in was finite
    inputs: list[Range] = field(default_factory=list)  # what went in; of a node also what it kept


@dataclass(slots=True)
class Parameter:
    """A parameter of a module, or a tensor to whose `.grad` something was added."""

    name: str
    shape: tuple[int, ...]
    module: int  # NONE: it is no module's
    frozen: bool  # its requires_grad is False
    reached: bool  # a gradient came to it


@dataclass(slots=True)
class Unreached:
    """A parameter that got no gradient, and what cut the chain."""

    name: str
    why: str
    line: int = NONE  # of what cut it
    event: int = NONE


@dataclass(slots=True)
class Optimizer:
    """An optimiser that was made, or made a step."""

    kind: str
    parameters: list[str]  # names of those that it holds
    line: int = NONE  # at which it was made, or first made a step
    steps: int = 0


@dataclass(slots=True)
class Watched:
    """What was found behind the recorded steps, by a watch that sees little and costs little."""

    kind: str  # "evaluation": a model in eval() was called with gradients on; "kept graphs"
    line: int
    count: int
    bytes: int  # that are held by it
    text: str = ""  # of "kept graphs": who keeps them


@dataclass(slots=True)
class Finding:
    """An advice."""

    kind: str  # the advice's name: "no_grad", "item", "loader"
    title: str
    text: str
    line: int = NONE
    gain: str = ""  # "0.8 ms of 3.1 ms a step", "140 MB at the peak"
    measured: bool = False  # or computed
    weight: float = 0.0  # by which findings are put in order: the share of time or memory, 2 for
    # what makes a result wrong
    event: int = NONE
    module: int = NONE


@dataclass(slots=True)
class Step:
    """A round of the training loop (`rounds.py` says what that is), or what lies between two."""

    begin: int
    end: int
    first: int  # Event
    last: int  # Event, inclusive
    peak: int  # bytes
    peak_at: int  # ns
    loss: float | None = None  # what the first backward began from, where that is one number
    kind: str = "round"  # "evaluation": models in eval() between two rounds; "rest": what no
    # optimiser has ended, behind others
    number: int = 0  # of a round, from 1 on


@dataclass(slots=True)
class Machine:
    """The machine, as measured: what shares of a peak are shares of."""

    name: str
    cores: int
    threads: int
    flops: float  # a second, of float32 products
    bandwidth: float  # bytes a second


@dataclass(slots=True)
class Recording:
    program: str  # what was run: "train.py --epochs 1"
    version: str
    machine: Machine
    began: str  # date and time
    steps: list[Step] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    numbers: list[Numbers] = field(default_factory=list)
    broken: Broken | None = None
    parameters: list[Parameter] = field(default_factory=list)
    unreached: list[Unreached] = field(default_factory=list)
    optimizers: list[Optimizer] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)
    evaluated: list[int] = field(default_factory=list)  # Event: calls of models in eval()
    findings: list[Finding] = field(default_factory=list)
    error: str = ""  # the error that ended the recording: its class and text
    failed: int = NONE  # Event: the innermost one that it came from
    left_out: int = 0  # events that were not kept because there were too many

    def as_json(self) -> dict[str, Any]:
        """The same as dictionaries, lists, numbers and strings; NaN and Inf are None."""
        found: dict[str, Any] = plain(self)
        return found


def plain(x: Any) -> Any:
    """A dataclass, or a list of them, as JSON knows it."""
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return {f.name: plain(getattr(x, f.name)) for f in dataclasses.fields(x)}
