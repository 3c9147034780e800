"""Kernels that copy: y = x, where both lie in any way, with a change of type where one is wanted.

Both arrays have the axes (outer 0, 1, 2, rows, columns), each with a step of its own in either.
Work is cut into pieces of some rows and some columns at one place of the outer axes. How a piece is
copied depends on the steps along its two axes:

* "rows": along a row both lie side by side; vectors;
* "turned": the result along a row, the source down a column: squares of as many rows as a vector
  has lanes are turned in registers; what is left over, element by element;
* "interleaved2", 3, 4: as before, of rows of two to four elements without gaps between them, as the
  channels of an image are; "separated2", 3, 4: the other way round; vectors that are shuffled;
* "filled": a row of the source is one number; "reversed": it runs backwards; vectors;
* "apart": anything else, element by element.

Not here: how the axes are found, and when such a kernel is used (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import BYTES, F32, F64, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..elementwise.contiguous import BOOL, NARROW, load, narrowed, place_of, store
from ..runtime import jit, threads

INTERFACE = Interface(
    "copy",
    "y = x, lying as they like",
    arrays={"x": "the source", "y": "the result"},
    ints={
        "size1": "places along the outer axis 1", "size2": "and along 2",
        "rows": "rows of a place", "n": "elements of a row",
        "from0": "step of x along the outer axis 0, in elements", "from1": "along 1",
        "from2": "along 2", "from_row": "from row to row", "from_": "along a row",
        "to0": "steps of y", "to1": "along 1", "to2": "along 2", "to_row": "from row to row",
        "to": "along a row", "height": "rows of a piece", "width": "columns of a piece",
        "down": "pieces from the first row of a place to the last",
        "across": "and from the first column to the last",
        "pieces": "pieces in all", "each": "pieces of a chunk",
        "chunks": "chunks that threads share",
    },
)  # fmt: skip


def lanes_of(source: str, target: str) -> int:
    """Elements that are copied at a time."""
    lanes = jit.target().lanes
    return lanes // 2 if 8 in (BYTES[place(source)], BYTES[place(target)]) else lanes


def place(kind: str) -> str:
    """The type in memory as what it is loaded."""
    return NARROW.get(kind, kind)


def changed(f: Function, v: Value, source: str, target: str) -> Value:
    """What was loaded of one type, as it is stored as another one."""
    if source == target:
        return v
    if target == BOOL:
        return v if source == BOOL else v != 0
    in_registers = {F64: F64, I64: I64, F32: F32, "half": F32, "bfloat": F32}.get(target, I32)
    return f.convert(v, in_registers)


def moved(
    f: Function, x: Pointer, i: Value, y: Pointer, j: Value, lanes: int, source: str, target: str,
    mask: Value | None = None, order: Any = None,
) -> None:  # fmt: skip
    """Copy neighbours: those of x from i on to y from j on."""
    if source == target:  # bits as they are
        v = x.load(i, lanes) if mask is None else x.load_masked(i, mask, 0)
        v = v if order is None else f.shuffle(v, None, order)
        y.store(v, j) if mask is None else y.store_masked(v, j, mask)
        return
    v = load(f, x, i, lanes, mask, source)
    v = v if order is None else f.shuffle(v, None, order)
    store(f, y, j, changed(f, v, source, target), mask, kind=target)


def one(f: Function, x: Pointer, i: Value, y: Pointer, j: Value, source: str, target: str) -> None:
    """Copy one element."""
    moved(f, x, i, y, j, 1, source, target)


def along_rows(f: Function, w: Any, p: Any, way: str, source: str, target: str) -> None:
    """The rows of a piece, along which the result lies side by side."""
    lanes = lanes_of(source, target)
    backwards = list(range(lanes))[::-1]
    whole = p["left"] + (p["right"] - p["left"]) // lanes * lanes
    with f.range(p["top"], p["bottom"]) as r:
        x, y = p["x"].at(r * w["from_row"]), p["y"].at(r * w["to_row"])
        if way == "filled":
            v = load(f, x, 0, 1, None, source)
            v = v if source == target else changed(f, v, source, target)
            v = f.splat(narrowed(f, v, target), lanes)
        with f.range(p["left"], whole, lanes, unroll=4) as c:
            if way == "filled":
                y.store(v, c)
            elif way == "reversed":
                moved(f, x, 0 - c - (lanes - 1), y, c, lanes, source, target, None, backwards)
            else:
                moved(f, x, c, y, c, lanes, source, target)
        with f.when(whole < p["right"]):
            mask = f.iota(vector(I32, lanes)) < f.convert(p["right"] - whole, I32)
            if way == "filled":
                y.store_masked(v, whole, mask)
            elif way == "reversed":
                with f.range(whole, p["right"]) as c:
                    one(f, x, 0 - c, y, c, source, target)
            else:
                moved(f, x, whole, y, whole, lanes, source, target, mask)


def apart(f: Function, w: Any, p: Any, top: Any, left: Any, source: str, target: str) -> None:
    """The rows of a piece from `top` on, its columns from `left` on, element by element."""
    with f.range(top, p["bottom"]) as r:
        x, y = p["x"].at(r * w["from_row"]), p["y"].at(r * w["to_row"])
        with f.range(left, p["right"], unroll=4) as c:
            one(f, x, c * w["from_"], y, c * w["to"], source, target)


def turned(f: Function, w: Any, p: Any, source: str, target: str) -> None:
    """A piece whose source lies side by side down its columns."""
    side = lanes_of(source, target)
    bottom = p["top"] + (p["bottom"] - p["top"]) // side * side
    right = p["left"] + (p["right"] - p["left"]) // side * side
    with f.range(p["top"], bottom, side) as r, f.range(p["left"], right, side) as c:
        x = p["x"].at(r + c * w["from_"])
        y = p["y"].at(r * w["to_row"] + c)
        lines = read(f, [x.at(w["from_"] * k) for k in range(side)], side, source, target)
        for k, v in enumerate(transposed(f, lines)):
            written(f, y.at(w["to_row"] * k), v, source, target)
    apart(f, w, p | {"bottom": bottom}, p["top"], right, source, target)
    apart(f, w, p, bottom, p["left"], source, target)


def transposed(f: Function, lines: list[Value]) -> list[Value]:
    """A square of vectors turned: blocks of 1, 2, 4, … change places across the diagonal."""
    side = len(lines)
    step = 1
    while step < side:
        upper = [k + side - step if k & step else k for k in range(side)]
        lower = [k + side if k & step else k + step for k in range(side)]
        for k in range(side):
            if not k & step:
                a, b = lines[k], lines[k + step]
                lines[k], lines[k + step] = f.shuffle(a, b, upper), f.shuffle(a, b, lower)
        step *= 2
    return lines


def gathered(f: Function, lines: list[Value], of: list[tuple[int, int]]) -> Value:
    """A vector of lanes of several: of each (which vector, which lane)."""
    found, side = lines[of[0][0]], len(of)
    order = [lane if line == of[0][0] else 0 for line, lane in of]
    if len({line for line, _ in of}) == 1:
        return f.shuffle(found, None, order)
    for k in sorted({line for line, _ in of} - {of[0][0]}):
        order = [
            side + lane if line == k else order[i] for i, (line, lane) in enumerate(of)
        ]  # fmt: skip
        found = f.shuffle(found, lines[k], order)
        order = list(range(side))
    return found


def interleaved(f: Function, w: Any, p: Any, n: int, source: str, target: str) -> None:
    """Rows of n elements, which lie in n places of the source."""
    lanes = lanes_of(source, target)
    whole = p["top"] + (p["bottom"] - p["top"]) // lanes * lanes
    with f.range(p["top"], whole, lanes) as r:
        x, y = p["x"].at(r), p["y"].at(r * n)
        lines = read(f, [x.at(w["from_"] * k) for k in range(n)], lanes, source, target)
        for j in range(n):
            places = [(e % n, e // n) for e in range(j * lanes, (j + 1) * lanes)]
            written(f, y.at(j * lanes), gathered(f, lines, places), source, target)
    apart(f, w, p, whole, p["left"], source, target)


def separated(f: Function, w: Any, p: Any, n: int, source: str, target: str) -> None:
    """n rows, whose elements lie beside each other in the source."""
    lanes = lanes_of(source, target)
    whole = p["left"] + (p["right"] - p["left"]) // lanes * lanes
    with f.range(p["left"], whole, lanes) as c:
        x = p["x"].at(c * n)
        lines = read(f, [x.at(k * lanes) for k in range(n)], lanes, source, target)
        for j in range(n):
            places = [(e // lanes, e % lanes) for e in range(j, n * lanes, n)]
            to = p["y"].at(w["to_row"] * j).at(c)
            written(f, to, gathered(f, lines, places), source, target)
    apart(f, w, p, p["top"], whole, source, target)


def read(f: Function, places: list[Pointer], lanes: int, source: str, target: str) -> list[Value]:
    """A vector from each place; as it is in memory where the type stays."""
    if source == target:
        return [at.load(0, lanes) for at in places]
    return [load(f, at, 0, lanes, None, source) for at in places]


def written(f: Function, at: Pointer, v: Value, source: str, target: str) -> None:
    """Write what `read` has read."""
    if source == target:
        at.store(v, 0)
    else:
        store(f, at, 0, changed(f, v, source, target), kind=target)


def build(way: str, source: str, target: str) -> Module:
    """The module of a kernel."""
    module = Module("copy")
    threads.declare_run(module)
    c = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    w = INTERFACE.words(c.args["context"])
    first = c.args["index"] * w["each"]
    last = c.select(first + w["each"] < w["pieces"], first + w["each"], w["pieces"])
    with c.range(first, last) as piece:
        line, column = piece // w["across"], piece % w["across"]
        where, part = line // w["down"], line % w["down"]
        i2, rest = where % w["size2"], where // w["size2"]
        i1, i0 = rest % w["size1"], rest // w["size1"]
        p: Any = {}
        for name, kind, step in (("x", source, "from"), ("y", target, "to")):
            start = i0 * w[f"{step}0"] + i1 * w[f"{step}1"] + i2 * w[f"{step}2"]
            p[name] = place_of(w[name], kind).at(start)
        for begin, end, number, size, most in (
            ("top", "bottom", part, "height", "rows"), ("left", "right", column, "width", "n"),
        ):  # fmt: skip
            p[begin] = number * w[size]
            p[end] = c.select(p[begin] + w[size] < w[most], p[begin] + w[size], w[most])
        if way == "turned":
            turned(c, w, p, source, target)
        elif way.startswith("interleaved"):
            interleaved(c, w, p, int(way[-1]), source, target)
        elif way.startswith("separated"):
            separated(c, w, p, int(way[-1]), source, target)
        elif way == "apart":
            apart(c, w, p, p["top"], p["left"], source, target)
        else:
            along_rows(c, w, p, way, source, target)
    c.ret()
    INTERFACE.write(module, "chunks")
    return module


def kernel(way: str, source: str, target: str) -> Kernel:
    """The kernel from elements of one type (as `elementwise.lowered.ELEMENTS` calls them, or an
    integer of their size) to those of another."""
    return Kernel(INTERFACE, (way, source, target), lambda: build(way, source, target))
