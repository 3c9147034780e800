"""Products by a matrix that stays split and packed: C = A @ B (+ C) (+ bias), many times over.

What `gemm.py` calls mode 1 and 2, for the matrix unit. `pack` splits B (K, N) into panels of 32
columns, each along the whole of K. `run` splits A, whose rows are few, and multiplies. Both set a
flag, and `run` then leaves C as it was, where a number cannot be split (`amx.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.ir import F32, I64, PTR, Function, Pointer, Value
from ..runtime import builtin, jit, threads
from . import amx
from .amx import DEPTH, TILE, least, shares
from .amx_gemm import PANEL, AmxGemm

PACK = (("b", "array"), ("row", "int"), ("col", "int"), ("k", "int"), ("n", "int"),
        ("packed", "array"), ("flag", "array"))  # fmt: skip
RUN = (("a", "array"), ("a_row", "int"), ("c", "array"), ("c_row", "int"), ("bias", "array?"),
       ("m", "int"), ("n", "int"), ("k", "int"), ("packed", "array"), ("room", "array"),
       ("accumulate", "int"), ("flag", "array"), ("group", "int"))  # fmt: skip
GROUP = 4  # panels of columns that a chunk computes at most
CHUNKS = 2  # chunks that there should be
FEW = 4  # panels of rows that the caller packs itself


class AmxPacked(AmxGemm):
    """Writes the module for one number of parts."""

    def __init__(self, parts: int) -> None:
        super().__init__(parts)
        self.module.name = f"amx_packed_{parts}"

    def build(self) -> Any:
        threads.declare_run(self.module)
        amx.configure(self.module)
        for left in (True, False):
            amx.write_pack(self.module, self.parts, left)
        for rows in (1, 2):
            for columns in (1, 2):
                self.write_tile(rows, columns)
        self.write_chunks()
        for name, kinds, write in (("pack", PACK, self.pack_all), ("run", RUN, self.run_all)):
            f = self.module.function(
                name, None, [(n, PTR if kind.startswith("array") else I64) for n, kind in kinds]
            )
            place = f.buffer(I64, len(kinds))
            for i, (n, kind) in enumerate(kinds):
                value = f.args[n]
                if kind.startswith("array"):
                    value = f.emit(I64, f"ptrtoint ptr {value.text} to i64")
                place[i] = value
            write(f, place)
            f.ret()
            builtin.entry(self.module, f"py_{name}", name, [kind for _, kind in kinds])
        return self.module

    def chunk(self, name: str, kinds: Any) -> tuple[Function, Any, Any]:
        """(the function, its words by name, its pointers by name)."""
        f = self.module.function(name, None, [("words", PTR), ("index", I64)], private=True)
        names = [n for n, _ in kinds]

        def word(n: str) -> Value:
            return f.args["words"].of(I64)[names.index(n)]

        def pointer(n: str, e: str) -> Pointer:
            return Pointer(f, f.emit(PTR, f"inttoptr i64 {word(n).text} to ptr").text, e)

        return f, word, pointer

    def write_chunks(self) -> None:
        f, word, pointer = self.chunk("pack_columns", PACK)
        first = f.args["index"] * PANEL
        size = shares(f, word("k"), DEPTH) * self.step_bytes
        given = [pointer("packed", "i8").at(f.args["index"] * size),
                 pointer("b", F32).at(first * word("col")), word("col"), word("row"),
                 least(f, word("n") - first, PANEL), word("k"), size,
                 pointer("flag", I64)]  # fmt: skip
        f.call("pack_right", None, given)
        f.ret()

        f, word, pointer = self.chunk("pack_rows", RUN)
        first = f.args["index"] * PANEL
        size = shares(f, word("k"), DEPTH) * self.step_bytes
        given = [pointer("room", "i8").at(f.args["index"] * size),
                 pointer("a", F32).at(first * word("a_row")), word("a_row"), f.const(I64, 1),
                 least(f, word("m") - first, PANEL), word("k"), size,
                 pointer("flag", I64)]  # fmt: skip
        f.call("pack_left", None, given)
        f.ret()

        f, word, pointer = self.chunk("compute", RUN)
        amx.begin(f)
        steps = shares(f, word("k"), DEPTH)
        size, panels = steps * self.step_bytes, shares(f, word("n"), PANEL)
        start = f.args["index"] * word("group")
        with (
            f.range(start, least(f, start + word("group"), panels)) as j,
            f.range(shares(f, word("m"), PANEL)) as i,
        ):
            rows = least(f, word("m") - i * PANEL, PANEL)
            columns = least(f, word("n") - j * PANEL, PANEL)
            bias = pointer("bias", F32).at(j * PANEL)
            there = word("bias") != 0
            chosen = f.emit(PTR, f"select i1 {there.text}, ptr {bias.text}, ptr null")
            self.call_tile(
                f, steps, pointer("room", "i8").at(i * size), pointer("packed", "i8").at(j * size),
                pointer("c", F32).at(i * PANEL * word("c_row") + j * PANEL), word("c_row"),
                word("accumulate"), rows, columns, Value(f, PTR, "null"), chosen,
            )  # fmt: skip
        amx.end(f)
        f.ret()

    def pack_all(self, f: Function, place: Pointer) -> None:
        chunk = Value(f, PTR, "@pack_columns")
        f.call("pool_run", None, [chunk, place, shares(f, f.args["n"], PANEL)])

    def run_all(self, f: Function, place: Pointer) -> None:
        a = f.args
        rows = shares(f, a["m"], PANEL)
        with f.when(rows <= FEW) as few, f.range(rows) as i:
            f.call("pack_rows", None, [place, i])
        with few.otherwise():
            f.call("pool_run", None, [Value(f, PTR, "@pack_rows"), place, rows])
        with f.when(a["flag"].of(I64).atomic_load() == 0):
            panels = shares(f, a["n"], PANEL)
            groups = (panels + a["group"] - 1) // a["group"]
            f.call("pool_run", None, [Value(f, PTR, "@compute"), place, groups])


@functools.cache
def kernels(parts: int) -> tuple[Any, Any]:
    """(pack, run) as Python functions of the parameters in `PACK` and `RUN`."""
    amx.need()
    symbols = {**builtin.symbols(), **threads.run_symbol()}
    found = jit.load(
        amx.key("amx_packed", parts), lambda: AmxPacked(parts).build(), ["py_pack", "py_run"],
        symbols,
    )  # fmt: skip
    pack, run = (builtin.function(found[f"py_{n}"], f"amx_{n}") for n in ("pack", "run"))
    return pack, run


def panel_bytes(lines: int, k: int, parts: int) -> int:
    """Bytes of so many lines, split and packed."""
    return -(-lines // PANEL) * -(-k // DEPTH) * 2 * parts * TILE


def group_of(n: int) -> int:
    """Panels of columns for a chunk."""
    return max(1, min(GROUP, -(-n // PANEL) // CHUNKS))
