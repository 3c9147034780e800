"""The cells of recurrent layers: gates, state and output of one time step in one pass.

An operand has rows of one H, or of several side by side (LSTM: i f g o; GRU: r z n). `KINDS` says
which part of how many parts a name is. Bodies are written once for one row, as in
`codegen/rows.py`.

Not here: the products between the steps (`matmul/gemm.py`) and when this is used (`reference.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen import vecmath
from ..codegen.ir import I64, PTR, Function, Module, Pointer, Value
from ..codegen.rows import Row
from ..runtime import builtin, jit, threads

ELEMENTS = 4096  # a chunk has so many elements of a state, or one row

# (operand, parts side by side, which one)
LSTM = {n: ("gates", 4, k) for k, n in enumerate("ifgo")}
LSTM_GRAD = {"d" + n: ("dgates", 4, k) for k, n in enumerate("ifgo")}
GRU = {n: ("gates", 3, k) for k, n in enumerate("rzn")}
GRU_PRODUCT = {"p" + n: ("product", 3, k) for k, n in enumerate("rzn")}
GRU_GRAD = {"d" + n: ("dgates", 3, k) for k, n in enumerate("rzn")}


class Cell(Row):
    """One row of all operands of a cell; `parts` as in `LSTM`."""

    parts: dict[str, tuple[str, int, int]]

    def enter_parts(self, row: Value) -> None:
        for name, (operand, count, k) in self.parts.items():
            base = self.words[operand].of(self.e)
            self.places[name] = base.at((row * count + k) * self.n)


def sigmoid(f: Function, x: Value) -> Value:
    """1 / (1 + e**-x), as NumPy computes it."""
    return 1.0 / (vecmath.exp(f, -x) + 1.0)


def lstm(r: Cell) -> None:
    """i, f, o = sigmoid; g = tanh; c = f c + i g; h = o tanh(c). The gates stay for backward."""
    f = r.f

    def step(at: Value) -> None:
        i, forget, o = (sigmoid(f, r.load(n, at)) for n in "ifo")
        g = vecmath.tanh(f, r.load("g", at))
        c = forget * r.load("c", at) + i * g
        h = vecmath.tanh(f, c) * o
        for name, v in (("i", i), ("f", forget), ("g", g), ("o", o), ("c", c), ("cell", c),
                        ("h", h), ("out", h)):  # fmt: skip
            r.store(name, at, v)

    r.each(step)


def lstm_grad(r: Cell) -> None:
    """Gradients of what enters the gates, and of the cell before (dc, in place)."""
    f = r.f

    def step(at: Value) -> None:
        i, forget, g, o = (r.load(n, at) for n in "ifgo")
        d = r.load("dh", at)
        if r.has("g_out"):
            d = d + r.load("g_out", at)
        t = vecmath.tanh(f, r.load("cell", at))
        c = r.load("dc", at) + d * ((1.0 - t * t) * o)
        r.store("dc", at, c * forget)
        r.store("di", at, c * (((1.0 - i) * i) * g))
        r.store("df", at, c * (((1.0 - forget) * forget) * r.load("before", at)))
        r.store("dg", at, c * ((1.0 - g * g) * i))
        r.store("do", at, d * (((1.0 - o) * o) * t))

    r.each(step)


def gru(r: Cell) -> None:
    """r, z = sigmoid; n = tanh(x + r p); h = n + z (h - n). Gates and p stay for backward."""
    f = r.f

    def step(at: Value) -> None:
        p = r.load("pn", at)
        reset = sigmoid(f, r.load("r", at) + r.load("pr", at))
        z = sigmoid(f, r.load("z", at) + r.load("pz", at))
        new = vecmath.tanh(f, r.load("n", at) + reset * p)
        h = (r.load("h", at) - new) * z + new
        for name, v in (("r", reset), ("z", z), ("n", new), ("inner", p), ("h", h), ("out", h)):
            r.store(name, at, v)

    r.each(step)


def gru_grad(r: Cell) -> None:
    """Gradients of the state's products (dgates), of what enters n (to_new), of the state (dh)."""

    def step(at: Value) -> None:
        reset, z, new = (r.load(n, at) for n in "rzn")
        d = r.load("dh", at)
        if r.has("g_out"):
            d = d + r.load("g_out", at)
        part = d * ((1.0 - z) * (1.0 - new * new))
        r.store("to_new", at, part)
        r.store("dr", at, part * r.load("inner", at) * (reset * (1.0 - reset)))
        r.store("dz", at, d * ((r.load("before", at) - new) * (z * (1.0 - z))))
        r.store("dn", at, part * reset)
        r.store("dh", at, d * z)

    r.each(step)


def tanh(r: Cell) -> None:
    """h = tanh(out), also in place."""

    def step(at: Value) -> None:
        h = vecmath.tanh(r.f, r.load("out", at))
        r.store("out", at, h)
        r.store("h", at, h)

    r.each(step)


def tanh_grad(r: Cell) -> None:
    """dpart = (1 - out^2) (dh + g_out)."""

    def step(at: Value) -> None:
        y, d = r.load("out", at), r.load("dh", at)
        if r.has("g_out"):
            d = d + r.load("g_out", at)
        r.store("dpart", at, (1.0 - y * y) * d)

    r.each(step)


PARTS: dict[str, dict[str, tuple[str, int, int]]] = {
    "lstm": LSTM,
    "lstm_grad": LSTM | LSTM_GRAD,
    "gru": GRU | GRU_PRODUCT,
    "gru_grad": GRU | GRU_GRAD,
    "tanh": {},
    "tanh_grad": {},
}


def build(name: str, e: str, operands: tuple[str, ...]) -> Module:
    """The module of a cell: called with its operands, H, rows, rows of a chunk."""
    module = Module(name)
    threads.declare_run(module)
    fields = [*operands, "n", "rows", "each"]
    parts = PARTS[name]
    wide = {operand for operand, _, _ in parts.values()}

    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    context = c.args["context"].of(PTR)
    words: dict[str, Any] = {
        field: context[k] if field in operands else context.at(k).of(I64)[0]
        for k, field in enumerate(fields)
    }
    start = c.args["index"] * words["each"]
    stop = c.select(start + words["each"] < words["rows"], start + words["each"], words["rows"])
    r = Cell(c, e, {o: "part" if o in wide else "row" for o in operands}, words)
    r.parts = parts
    with c.range(start, stop) as row:
        r.enter(row)
        r.enter_parts(row)
        globals()[name](r)
    c.ret()

    f = module.function("run", None, [(n, PTR if n in operands else I64) for n in fields])
    pack(f, fields)
    builtin.entry(module, "call", "run", ["array"] * len(operands) + ["int"] * 3)
    return module


def pack(f: Function, fields: list[str]) -> None:
    """Put the arguments into words on the stack and hand the chunks to the pool."""
    packed: Pointer = f.buffer(I64, len(fields))
    for k, field in enumerate(fields):
        value = f.args[field]
        if value.type == PTR:
            value = f.emit(I64, f"ptrtoint ptr {value.text} to i64")
        packed[k] = value
    chunks = (f.args["rows"] + (f.args["each"] - 1)) // f.args["each"]
    f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
    f.ret()


def kernel(name: str, e: str, operands: tuple[str, ...]) -> Any:
    """The compiled cell as a Python function of (operands..., H, rows, rows of a chunk)."""
    imports = {**builtin.symbols(), **threads.run_symbol()}
    key = (f"cell_{name}", e, jit.target().lanes, operands)
    found = jit.load(key, lambda: build(name, e, operands), ["call"], imports)
    return builtin.function(found["call"], f"cell_{name}")
