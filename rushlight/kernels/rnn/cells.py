"""Cells of recurrent layers in machine code: gates, state and output of one time step in one pass.

What a cell computes is in `formulas.py`. An operand has rows of one H, or of several side by side
(LSTM: i f g o; GRU: r z n); `LSTM` and its like say which part of how many parts a name is.

Not here: the products between the steps (`matmul/gemm.py`), when this is used (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen import vecmath
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Function, Module, Value
from ..codegen.rows import Row
from ..runtime import threads
from . import formulas

ELEMENTS = 4096  # a chunk has so many elements of a state, or one row

# (operand, parts side by side, which one)
LSTM = {n: ("gates", 4, k) for k, n in enumerate("ifgo")}
LSTM_GRAD = {"d" + n: ("dgates", 4, k) for k, n in enumerate("ifgo")}
GRU = {n: ("gates", 3, k) for k, n in enumerate("rzn")}
GRU_PRODUCT = {"p" + n: ("product", 3, k) for k, n in enumerate("rzn")}
GRU_GRAD = {"d" + n: ("dgates", 3, k) for k, n in enumerate("rzn")}


class Cell(Row):
    """One row of all operands of a cell; `parts` as in `LSTM`; `states`: those that have rows for
    one time, which every time changes."""

    parts: dict[str, tuple[str, int, int]]
    states: tuple[str, ...]

    def enter_parts(self, row: Value) -> None:
        for name, (operand, count, k) in self.parts.items():
            base = self.words[operand].of(self.e)
            self.places[name] = base.at((row * count + k) * self.n)

    def ask(self, at: Value) -> None:
        """Ask for what is read and written here at the next time, which has long come when the
        product between the two is done."""
        rows = self.words["next"]
        for name, place in self.places.items():
            operand, count, _ = self.parts.get(name, (name, 1, 0))
            if operand not in self.states:
                self.ahead(place, at, rows * self.n * count, level=2)


class Machine:
    """Machine code as a reader of `formulas.py`."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def sigmoid(self, x: Value) -> Value:
        """1 / (1 + e**-x), as NumPy computes it."""
        return 1.0 / (vecmath.exp(self.f, -x) + 1.0)

    def tanh(self, x: Value) -> Value:
        return vecmath.tanh(self.f, x)


def loaded(r: Cell, at: Value, names: str) -> list[Value]:
    return [r.load(name, at) for name in names.split()]


def stored(r: Cell, at: Value, /, **values: Value) -> None:
    for name, value in values.items():
        r.store(name, at, value)


def state_gradient(r: Cell, at: Value) -> Value:
    """The gradient of the state: from later times, and from the outside where there is one."""
    d = r.load("dh", at)
    return d + r.load("g_out", at) if r.has("g_out") else d


def lstm(r: Cell, m: Machine, at: Value) -> None:
    """The gates stay for backward."""
    i, f, g, o, c, h = formulas.lstm(m, *loaded(r, at, "i f g o c"))
    stored(r, at, i=i, f=f, g=g, o=o, c=c, cell=c, h=h, out=h)


def lstm_gradient(r: Cell, m: Machine, at: Value) -> None:
    """dc in place."""
    i, f, g, o, cell, before = loaded(r, at, "i f g o cell before")
    dh = state_gradient(r, at)
    found = formulas.lstm_gradient(m, i, f, g, o, cell, before, dh, r.load("dc", at))
    stored(r, at, **dict(zip(("di", "df", "dg", "do", "dc"), found, strict=True)))


def gru(r: Cell, m: Machine, at: Value) -> None:
    """The gates and the state's part of n stay for backward."""
    values = loaded(r, at, "r z n pr pz pn h")
    reset, z, n, h = formulas.gru(m, *values)
    stored(r, at, r=reset, z=z, n=n, inner=values[5], h=h, out=h)


def gru_gradient(r: Cell, m: Machine, at: Value) -> None:
    """dh in place."""
    reset, z, n, inner, before = loaded(r, at, "r z n inner before")
    found = formulas.gru_gradient(m, reset, z, n, inner, before, state_gradient(r, at))
    stored(r, at, **dict(zip(("dr", "dz", "dn", "to_new", "dh"), found, strict=True)))


def tanh(r: Cell, m: Machine, at: Value) -> None:
    """In place, and into the state."""
    h = formulas.tanh(m, r.load("out", at))
    stored(r, at, out=h, h=h)


def tanh_gradient(r: Cell, m: Machine, at: Value) -> None:
    r.store("dpart", at, formulas.tanh_gradient(m, r.load("out", at), state_gradient(r, at)))


PARTS: dict[str, dict[str, tuple[str, int, int]]] = {
    "lstm": LSTM,
    "lstm_gradient": LSTM | LSTM_GRAD,
    "gru": GRU | GRU_PRODUCT,
    "gru_gradient": GRU | GRU_GRAD,
    "tanh": {},
    "tanh_gradient": {},
}


@functools.cache
def interface(name: str, operands: tuple[str, ...]) -> Interface:
    """What a cell's kernel is called with: rows of its operands."""
    formula = getattr(formulas, name).__doc__.strip().splitlines()[0]
    return Interface(
        f"cell_{name}",
        formula,
        {k: "rows of one time" for k in operands},
        {
            "n": "H, the size of a state",
            "rows": "rows",
            "each": "rows of a chunk",
            "next": "rows from those of this time to those of the next, backwards below 0",
        },
    )


def build(name: str, e: str, operands: tuple[str, ...], states: tuple[str, ...]) -> Module:
    """The module of a cell."""
    module = Module(name)
    threads.declare_run(module)
    parts, called_with = PARTS[name], interface(name, operands)
    wide = {operand for operand, _, _ in parts.values()}
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    words = called_with.words(c.args["context"])
    start = c.args["index"] * words["each"]
    stop = c.select(start + words["each"] < words["rows"], start + words["each"], words["rows"])
    r = Cell(c, e, {o: "part" if o in wide else "row" for o in operands}, words)
    r.parts, r.states = parts, states
    m = Machine(c)

    def write(at: Value) -> None:
        r.ask(at)
        globals()[name](r, m, at)

    with c.range(start, stop) as row:
        r.enter(row)
        r.enter_parts(row)
        r.each(write)
    c.ret()
    called_with.write(
        module, lambda _f, given: (given["rows"] + (given["each"] - 1)) // given["each"]
    )
    return module


@functools.cache
def kernel(
    name: str, e: str, operands: tuple[str, ...], states: tuple[str, ...]
) -> Kernel:
    """The kernel of a cell ("lstm", …, "tanh_gradient") with these operands, of which `states` have
    rows for one time, the others for all."""
    key = (e, operands, states)
    return Kernel(interface(name, operands), key, lambda: build(name, e, operands, states))
