"""Rows turned into columns of whole vectors, and back: of weights, of gradients, of sums.

Kernels that multiply vectors of output channels (`skipping_forward.py`, `direct_weight.py`,
`skipping_weight.py`) read and write them in this order, while arrays have the channels in rows.
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import I32, I64, PTR, Module, vector
from ..matmul.gemm import transposed
from ..matmul.tile import lanes_of
from ..runtime import jit

# name -> arguments
FUNCTIONS = {
    "turn": (("to", PTR), ("rows", PTR), ("step", I64), ("count", I64), ("v", I64), ("n", I64)),
    "turn_back": (("to", PTR), ("step", I64), ("columns", PTR), ("v", I64), ("n", I64),
                  ("count", I64)),
}  # fmt: skip


def declare(module: Module) -> None:
    """Let a module call these functions."""
    for name, arguments in FUNCTIONS.items():
        module.declare(name, None, [type_ for _, type_ in arguments])


def symbols(e: str) -> dict[str, int]:
    """The functions for an element type."""
    return jit.load(("turning", e, jit.target().lanes), lambda: build(e), list(FUNCTIONS))


def build(e: str) -> Module:
    """The module of both functions."""
    module = Module(f"turning_{e}")
    write_turn(module, e, lanes_of(e))
    write_turn_back(module, e, lanes_of(e))
    return module


def write_turn(module: Module, e: str, w: int) -> None:
    """n numbers of `count` rows, `step` apart, become n rows of v vectors; lanes past the last row
    repeat it."""
    f = module.function("turn", None, FUNCTIONS["turn"])
    to, rows = f.args["to"].of(e), f.args["rows"].of(e)
    step, v, n, last = f.args["step"], f.args["v"], f.args["n"], f.args["count"] - 1
    whole = n - n % w
    rest = f.iota(vector(I32, w)) < f.convert(n - whole, I32)
    with f.range(v) as j:
        lines = []
        for i in range(w):
            at = j * w + i
            lines.append(rows.at(f.select(last < at, last, at) * step))
        with f.range(0, whole, w) as t:
            for lane, value in enumerate(transposed(f, [at.load(t, w) for at in lines])):
                to.store(value, (t + lane) * v * w + j * w, aligned=True)
        with f.when(whole < n):
            parts = [at.load_masked(whole, rest) for at in lines]
            for lane, value in enumerate(transposed(f, parts)):
                with f.when(whole + lane < n):
                    to.store(value, (whole + lane) * v * w + j * w, aligned=True)
    f.ret()


def write_turn_back(module: Module, e: str, w: int) -> None:
    """n rows of v vectors become n numbers of `count` rows, `step` apart."""
    f = module.function("turn_back", None, FUNCTIONS["turn_back"])
    to, columns = f.args["to"].of(e), f.args["columns"].of(e)
    step, v, n, count = (f.args[name] for name in ("step", "v", "n", "count"))
    last = n - 1
    with f.range(0, n, w) as t:
        mask = f.iota(vector(I32, w)) < f.convert(n - t, I32)
        lines: list[Any] = []
        for i in range(w):
            at = t + i
            lines.append(columns.at(f.select(last < at, last, at) * v * w))
        with f.range(v) as j:
            for lane, value in enumerate(transposed(f, [at.load(j * w, w) for at in lines])):
                row = j * w + lane
                with f.when(row < count):
                    to.store_masked(value, row * step + t, mask)
    f.ret()
