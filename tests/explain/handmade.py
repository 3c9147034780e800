"""Recordings written by hand, so that the page can be tested without looking at a step."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from rushlight.explain.recording import (
    KINDS,
    NONE,
    PHASES,
    ROLES,
    Block,
    Broken,
    Event,
    Finding,
    Line,
    Machine,
    Module,
    Numbers,
    Plan,
    Record,
    Recording,
    Saved,
    Step,
    Unreached,
    Value,
)

MACHINE = Machine("A machine of tests", 2, 2, 80e9, 12e9)
SCRIPT = [
    ("forward", "x = F.relu(F.max_pool2d(self.conv1(x), 2))"),
    ("forward", "x = F.relu(F.max_pool2d(self.conv2(x), 2))"),
    ("forward", "x = F.relu(self.fc1(x.view(-1, 320)))"),
    ("forward", "return F.log_softmax(self.fc2(x), dim=1)"),
    ("train_epoch", "for x, target in loader:"),
    ("train_epoch", "    optimizer.zero_grad()"),
    ("train_epoch", "    loss = F.nll_loss(model(x), target)"),
    ("train_epoch", "    loss.backward()"),
    ("train_epoch", "    optimizer.step()"),
    ("train_epoch", "    total += loss.item() * len(x)"),
]
NUMBERS = [34, 35, 36, 37, 91, 92, 93, 94, 95, 96]  # of those lines in the file
LAYERS = [  # path, kind, operation, its line, parameters' shapes, shape of the result
    ("conv1", "Conv2d", "convolution", 0, [(10, 1, 5, 5), (10,)], (64, 10, 24, 24)),
    ("", "", "max_pool2d", 0, [], (64, 10, 12, 12)),
    ("", "", "relu", 0, [], (64, 10, 12, 12)),
    ("conv2", "Conv2d", "convolution", 1, [(20, 10, 5, 5), (20,)], (64, 20, 8, 8)),
    ("conv2_drop", "Dropout2d", "dropout", 1, [], (64, 20, 8, 8)),
    ("", "", "max_pool2d", 1, [], (64, 20, 4, 4)),
    ("", "", "relu", 1, [], (64, 20, 4, 4)),
    ("", "", "view", 2, [], (64, 320)),
    ("fc1", "Linear", "linear", 2, [(50, 320), (50,)], (64, 50)),
    ("", "", "relu", 2, [], (64, 50)),
    ("fc2", "Linear", "linear", 3, [(10, 50), (10,)], (64, 10)),
    ("", "", "log_softmax", 3, [], (64, 10)),
]
FORMULAS = {
    "relu": ("max(x, 0)", "g * (y > 0)"),
    "convolution": ("sum over taps of x * w, + b", "input: convolve(g, flipped w)\nweight: x * g"),
    "linear": ("x @ w.T + b", "input: g @ w\nweight: g.T @ x\nbias: sum of g"),
    "log_softmax": ("x - log(sum(exp(x)))", "g - exp(y) * sum(g)"),
}


def size(shape: tuple[int, ...]) -> int:
    return 4 * math.prod(shape)


class Maker:
    """Writes events one after another, on a clock of its own."""

    def __init__(self) -> None:
        self.now = 0
        self.open: list[int] = []
        self.recording = Recording("examples/mnist.py --epochs 1", "0.1.0", MACHINE, "2026-01-01")

    def begin(self, kind: str, name: str, **more: Any) -> Event:
        events = self.recording.events
        event = Event(kind, name, self.now, self.now, self.open[-1] if self.open else NONE)
        for key, value in more.items():
            setattr(event, key, value)
        event.step = len(self.recording.steps)
        self.open.append(len(events))
        events.append(event)
        self.now += 2_000
        return event

    def end(self, event: Event, after: int = 0) -> int:
        self.now += after
        event.end = self.now
        self.now += 1_500
        return self.open.pop()


def mnist(steps: int = 2, repeat: int = 1) -> Recording:
    """Steps like those of the MNIST example; `repeat` times as many layers as it has."""
    maker = Maker()
    r = maker.recording
    r.lines = [
        Line("/home/someone/mnist.py", n, f, t) for n, (f, t) in zip(NUMBERS, SCRIPT, strict=True)
    ]
    r.modules = [Module("", "Net", "Net()", NONE, 0, True)]
    layers = []
    for k in range(repeat):
        for path, kind, op, line, shapes, shape in LAYERS:
            path = f"block{k}.{path}" if path and repeat > 1 else path
            where = 0
            if path:
                where = len(r.modules)
                count = sum(math.prod(s) for s in shapes)
                r.modules.append(Module(path, kind, f"{kind}(...)", 0, count, True))
            layers.append((path, where, op, line, shapes, shape))
    for name in ("convolution", "max_pool2d", "relu", "linear", "log_softmax", "view", "dropout"):
        formula, derivative = FORMULAS.get(name, ("", "one rule for all inputs"))
        r.records.append(Record(name, f"The {name} of x.", formula, derivative, "rushlight/ops:1"))
        r.plans.append(Plan(f"{name}: one launch\n  grain 4096", 1000, 2000))
    for path, _, _, _, shapes, _ in layers:
        for name, shape in zip(("weight", "bias"), shapes, strict=False):
            r.blocks.append(
                Block(size(shape), 0, NONE, NONE, 6, "parameter", f"{path}.{name}", "float32",
                      shape)
            )  # fmt: skip
    for _ in range(steps):
        one(maker, layers)
    r.findings = [
        Finding("item", "A number is taken out of a tensor in each step", "Collect the losses "
                "and take the numbers out after the epoch.", 9, "0.02 ms of 1.2 ms a step", True,
                0.02),
        Finding("loader", "The step waits for its data", "Give the DataLoader two workers.", 4,
                "0.2 ms of 1.2 ms a step", True, 0.17),
    ]  # fmt: skip
    return r


def one(maker: Maker, layers: list[Any]) -> None:
    """A whole step."""
    r = maker.recording
    step, first, start = len(r.steps), len(r.events), maker.now
    whole = maker.begin("step", f"step {step}")
    maker.end(maker.begin("loader", "DataLoader", phase="data", line=4), 180_000)
    maker.now += 20_000
    maker.end(maker.begin("zero_grad", "SGD.zero_grad", phase="zero_grad", line=5), 9_000)
    net = maker.begin("module", "Net", phase="forward", module=0, line=6)
    value = Value("float32", (64, 1, 28, 28), name="")
    r.blocks.append(
        Block(size(value.shape), start, NONE, 1, 4, "batch", "x", "float32", value.shape)
    )
    ops, held = [], []
    names = [rec.name for rec in r.records]
    for path, where, op, line, shapes, shape in layers:
        inside = {"phase": "forward", "module": where, "line": line}
        module = maker.begin("module", path, **inside) if path else None
        takes = [value] + [
            Value("float32", s, name=f"{path}.{n}")
            for n, s in zip(("weight", "bias"), shapes, strict=False)
        ]
        event = maker.begin("op", op, takes=takes, **inside)
        event.record = event.plan = names.index(op)
        event.flops = math.prod(shape) * (2 * math.prod(shapes[0][1:]) if shapes else 1)
        event.bytes = sum(size(v.shape) for v in takes) + size(shape)
        event.made = 0 if op == "view" else size(shape)
        if op != "view":
            event.saved = [Saved("input", "float32", value.shape, size(value.shape), "x * g")]
        number = maker.end(event, 3_000 + event.flops // 60)
        value = Value("float32", shape, number)
        event.gives = [value]
        ops.append((number, path, shapes))
        if event.made:
            held.append(len(r.blocks))
            r.blocks.append(
                Block(event.made, event.begin, NONE, number, line, "saved for backward",
                      f"input of {op}", "float32", shape)
            )  # fmt: skip
        r.numbers.append(
            Numbers("activation", path or op, step, number, where, "float32", shape, 0.1, 0.8, 0.4,
                    3.1, -1.0, 3.1, [2, 9, 30, 14, 6, 3, 1, 1], True)
        )  # fmt: skip
        if module:
            module.gives = [value]
            maker.end(module)
    maker.end(net)
    net.gives = [value]
    backward = maker.begin("backward", "backward", phase="backward", line=7, of=ops[-1][0])
    for depth, (number, path, shapes) in enumerate(reversed(ops)):
        op = r.events[number]
        node = maker.begin("node", f"{op.name.capitalize()}Backward0", phase="backward",
                           module=op.module, line=op.line, of=number, record=op.record)  # fmt: skip
        node.flops, node.bytes = 2 * op.flops, 2 * op.bytes
        maker.end(node, 5_000 + op.flops // 30)
        for name, shape in zip(("weight", "bias"), shapes, strict=False):
            leaf = maker.begin("leaf", "accumulate", phase="backward", module=op.module)
            leaf.takes = [Value("float32", shape, name=f"{path}.{name}")]
            maker.end(leaf, 2_000)
            r.blocks.append(
                Block(size(shape), leaf.begin, NONE, number, 7, "gradient", f"{path}.{name}.grad",
                      "float32", shape)
            )  # fmt: skip
            for what, spread in (("parameter", 0.1), ("gradient", 0.01 / 2**depth)):
                r.numbers.append(
                    Numbers(what, f"{path}.{name}", step, number, op.module, "float32", shape,
                            0.001, spread, 0.0, 3 * spread, -3 * spread, 3 * spread,
                            [1, 3, 8, 20, 22, 9, 2, 1], True)
                )  # fmt: skip
    maker.end(backward)
    for k in held:
        r.blocks[k].died = maker.now
    sgd = maker.begin("optimizer", "SGD.step", phase="optimizer", line=8)
    maker.end(maker.begin("op", "sgd", phase="optimizer", line=8), 60_000)
    maker.end(sgd)
    maker.end(maker.begin("item", "item", phase="other", line=9), 3_000)
    maker.end(whole)
    r.steps.append(
        Step(start, whole.end, first, len(r.events) - 1, 9_000_000, backward.begin,
             2.3 - 0.1 * step)
    )  # fmt: skip


def broken() -> Recording:
    """A NaN, and parameters that no gradient reached."""
    r = mnist(1)
    op = next(i for i, e in enumerate(r.events) if e.name == "log_softmax")
    r.broken = Broken(op, 0, "backward", "NaN", "gradient of input", True)
    r.unreached = [Unreached("fc1.weight", "x.data cut the chain: it has no history", 2, op)]
    one_of = next(n for n in r.numbers if n.what == "gradient")
    one_of.finite, one_of.mean, one_of.largest = False, math.nan, math.inf
    return r


def empty() -> Recording:
    return Recording("", "0.1.0", Machine("", 0, 0, 0.0, 0.0), "")


def random(seed: int) -> Recording:
    """Anything that the types allow: events of all kinds in each other, zeros, infinities."""
    draw = np.random.default_rng(seed)

    def some(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    def place(n: int) -> int:
        return int(draw.integers(-1, n)) if n else NONE

    def number() -> float:
        return float(some(0.0, math.nan, math.inf, -math.inf, draw.normal(), 1e-30, -1e30))

    def shape() -> tuple[int, ...]:
        return tuple(int(x) for x in draw.integers(0, 9, draw.integers(4)))

    r = Recording(some("", "a b.py"), "0", some(MACHINE, Machine("", 0, 0, 0.0, 0.0)), "")
    r.lines = [Line(some("", "a.py", "b/c.py"), int(draw.integers(50)), some("", "<module>", "f"),
                    some("", "x = 1")) for _ in range(draw.integers(9))]  # fmt: skip
    r.modules = [
        Module(some("", "a", "a.b", "c"), some("", "ReLU"), "", place(k), int(draw.integers(9)),
               bool(draw.integers(2)), some("", "net")) for k in range(draw.integers(9))
    ]  # fmt: skip
    r.records = [Record("op", "", some("", "x"), some("", "g"), "") for _ in range(3)]
    r.plans = [Plan("plan", 0, 0)]
    at = 0
    for k in range(int(draw.integers(120))):
        parent = place(k) if draw.integers(3) else NONE
        if parent != NONE:
            above = r.events[parent]
            begin, end = sorted(int(x) for x in draw.integers(above.begin, above.end + 1, 2))
        else:
            begin, end = at, at + int(some(0, 1, draw.integers(10**7)))
            at = end
        e = Event(some(*KINDS), some("", "op"), begin, end, parent, some(*PHASES))
        e.module, e.line, e.of = place(len(r.modules)), place(len(r.lines)), place(k)
        e.record, e.plan = place(3), place(1)
        e.flops, e.bytes, e.made = (int(some(0, draw.integers(10**9))) for _ in range(3))
        e.takes = [Value("float32", shape(), place(k), some("", "w")) for _ in range(k % 3)]
        e.gives = [Value("float32", shape(), some(NONE, k)) for _ in range(k % 4)]
        e.saved = [Saved("x", "float32", shape(), 4, some("", "g * x")) for _ in range(k % 2)]
        r.events.append(e)
    count = len(r.events)
    if count and draw.integers(4):
        cuts = sorted({0, count, *(int(x) for x in draw.integers(0, count, draw.integers(5)))})
        for a, b in itertools.pairwise(cuts):
            part = r.events[a:b]
            begin, end = min(e.begin for e in part), max(e.end for e in part)
            peak = int(some(0, 1000))
            r.steps.append(Step(begin, end, a, b - 1, peak, end, some(None, number())))
            for e in part:
                e.step = len(r.steps) - 1
    for _ in range(int(draw.integers(30))):
        born = int(draw.integers(at + 1))
        died = some(NONE, born, born + int(draw.integers(10**6)))
        r.blocks.append(
            Block(int(draw.integers(10**6)), born, died, place(count),
                              place(len(r.lines)), some(*ROLES), some("", "w"), "", shape())
        )  # fmt: skip
    for _ in range(int(draw.integers(30))):
        what = some("parameter", "gradient", "activation", "update")
        n = [number() for _ in range(6)]
        bins = [int(x) for x in draw.integers(0, 9, some(0, 8))]
        r.numbers.append(
            Numbers(what, some("", "w", "b"), place(len(r.steps)), place(count),
                    place(len(r.modules)), "float32", shape(), *n, bins, True)
        )  # fmt: skip
    if draw.integers(2):
        r.broken = Broken(place(count), place(len(r.steps)), "forward", "Inf", "output", True)
        r.unreached = [Unreached("w", "", place(len(r.lines)), place(count))]
        r.findings = [Finding("x", "t", "", place(len(r.lines)), "", True, number(), place(count),
                              place(len(r.modules)))]  # fmt: skip
    return r
