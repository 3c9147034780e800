"""The kernel of short Fourier transforms along rows: each lane of a vector is a row.

Squares of numbers are turned in registers on the way into a buffer and out of it, the passes lie
between (`passes.py`). Real rows of n numbers are read as rows of n / 2 complex ones, z; what they
give is brought to the transform of the row afterwards (w = exp(-2 pi i / n), m = n / 2):

    E = (Z[k] + conj Z[m - k]) / 2,  O = (Z[k] - conj Z[m - k]) / 2i
    X[k] = E + w^k O,                X[m - k] = conj(E - w^k O)

and the other way round for a transform to real numbers. Not here: long rows (`long.py`), other
dims (`columns.py`), when it is used (`select.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import threads
from .passes import Complex, Passes, lanes_of, times

SCHEDULE = {
    "steps": "int64 (passes, 4): radix, m, s and place of its factors for each pass",
    "factors": "factors of the passes",
}
INTERFACE = Interface(
    "fft_rows",
    "y = scale * the transform of each row of x",
    arrays={
        "x": "rows, real or complex, numbers of a row side by side", "y": "rows of results",
        **SCHEDULE, "half?": "of real rows, w^k / 2 (conj w^k to real) for k up to points / 2",
    },
    ints={
        "rows": "rows", "x_row": "real numbers from a row of x to the next",
        "y_row": "and of y", "points": "complex points of a transform", "passes": "passes",
        "x_numbers": "real numbers of a row of x", "y_numbers": "and of y",
        "each": "groups of rows that are one chunk", "chunks": "chunks that threads share",
    },
    floats={"scale": "factor of the results"},
)  # fmt: skip


class Rows:
    """Writes the module.

    Args:
        kind: "c2c", "r2c", "full" (real, with the second half of the result) or "c2r".
    """

    def __init__(self, kind: str, e: str, radices: tuple[int, ...], back: bool) -> None:
        self.kind, self.e, self.w = kind, e, lanes_of(e)
        self.module = Module("fft_rows")
        threads.declare_run(self.module)
        self.passes = Passes(self.module, e, radices, back, ("middle", "end"))

    def build(self) -> Module:
        self.write_chunk()
        INTERFACE.write(self.module, "chunks")
        return self.module

    def write_chunk(self) -> None:
        """Some groups of rows."""
        c = self.module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        word = INTERFACE.words(c.args["context"])
        room = self.passes.buffers(c)
        first = c.args["index"] * (word["each"] * self.w)
        last = first + word["each"] * self.w
        last = c.select(last < word["rows"], last, word["rows"])
        with c.range(first, last, self.w) as row:
            left = last - row
            count = c.select(left < self.w, left, c.const(I64, self.w))
            self.write_group(c, word, row, count, room)
        c.ret()

    def write_group(
        self, c: Function, word: dict[str, Value], row: Value, count: Value,
        room: tuple[Pointer, Pointer],
    ) -> None:  # fmt: skip
        """The rows of one vector."""
        passes, points = self.passes, word["points"]
        x = word["x"].of(self.e).at(row * word["x_row"])
        y = word["y"].of(self.e).at(row * word["y_row"])
        half = word["half"].of(self.e)
        passes.turn_in(c, x, word["x_row"], count, word["x_numbers"], room[0])
        if self.kind == "c2r":
            packed_half(c, passes, room[0], room[1], points, half)
            room = room[1], room[0]
        found, other = passes.transform(c, word, room, c.convert(word["scale"], self.e))
        if self.kind in ("r2c", "full"):
            half_of_packed(c, passes, found, other, points, half, self.kind == "full")
            found = other
        passes.turn_out(c, found, y, word["y_row"], count, word["y_numbers"])


def halved(c: Function, z: Complex, other: Complex, factor: Complex) -> tuple[Complex, Complex]:
    """(X[k], X[m - k]) of (Z[k], Z[m - k]); the factor is w^k / 2."""
    (a, b), (p, q) = z, other
    u, v = (a + p) * 0.5, (b - q) * 0.5
    r, i = times(c, (b + q, p - a), factor)
    return (u + r, v + i), (u - r, i - v)


def packed(c: Function, x: Complex, other: Complex, factor: Complex) -> tuple[Complex, Complex]:
    """And back, 2 (Z[k], Z[m - k]); the factor is conj w^k."""
    (a, b), (p, q) = x, other
    u, v = a + p, b - q
    r, i = times(c, (a - p, b + q), factor)
    return (u - i, v + r), (u + i, r - v)


def half_of_packed(
    c: Function, passes: Passes, z: Pointer, y: Pointer, m: Value, half: Pointer,
    full: bool,
) -> None:  # fmt: skip
    """The first half, or all, of a real transform from that of its numbers two by two."""
    passes.put(z.at(m * passes.point), passes.read(z))
    with c.range(m // 2 + 1) as k:
        low, high = k * passes.point, (m - k) * passes.point
        (a, b), (p, q) = passes.read(z.at(low)), passes.read(z.at(high))
        near, far = halved(c, (a, b), (p, q), passes.factor(c, half, k))
        if full:  # of k = 0 behind the end, and over what is written next
            passes.put(y.at((m * 2 - k) * passes.point), (near[0], -near[1]))
            passes.put(y.at((m + k) * passes.point), (far[0], -far[1]))
        passes.put(y.at(low), near)
        passes.put(y.at(high), far)


def packed_half(
    c: Function, passes: Passes, x: Pointer, z: Pointer, m: Value, half: Pointer
) -> None:
    """And back."""
    nothing = c.const(vector(passes.e, passes.w), 0)
    x.store(nothing, passes.w, True)  # the ends are real: what else they hold is not looked at
    x.at(m * passes.point).store(nothing, passes.w, True)
    with c.range(m // 2 + 1) as k:
        low, high = k * passes.point, (m - k) * passes.point
        (a, b), (p, q) = passes.read(x.at(low)), passes.read(x.at(high))
        near, far = packed(c, (a, b), (p, q), passes.factor(c, half, k))
        passes.put(z.at(low), near)
        passes.put(z.at(high), far)


@functools.cache
def kernel(kind: str, e: str, radices: tuple[int, ...], back: bool) -> Kernel:
    """The kernel of transforms "c2c", "r2c", "full" or "c2r" whose passes have these radices."""
    return Kernel(
        INTERFACE, (kind, e, radices, back), lambda: Rows(kind, e, radices, back).build()
    )
