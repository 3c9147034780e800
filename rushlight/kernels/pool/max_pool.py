"""Maxima of windows over planes, which tap of its window holds each, and the way back.

Window and stride are part of the code: a tap is one vector load (stride 1), two loads and a shuffle
(stride 2) or a gather. One chunk is a number of planes.

Not here: padding and what is left to NumPy (`select.py`, `reference.py`).
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I8, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..codegen.lower import maximum
from ..runtime import jit, threads

INTS = {
    "planes": "how many planes there are",
    "oh": "rows of a plane of windows",
    "ow": "columns of a plane of windows",
    "h": "rows of a plane, with padding",
    "w": "columns of a plane, with padding",
    "each": "planes of a chunk",
    "chunks": "pieces of work that threads share",
}
PLANES = "(planes, h, w), with padding"
WINDOWS = "(planes, oh, ow)"
INTERFACES = {
    "max_pool": Interface(
        "max_pool", "the maximum of each window; NaN wins",
        {"x": f"data {PLANES}", "y": f"maxima {WINDOWS}"}, INTS,
    ),
    "max_tap": Interface(
        "max_tap", "which tap of its window holds each maximum: the first of equals, the last NaN",
        {"x": f"data {PLANES}", "taps": f"taps {WINDOWS}, 8 bits each"}, INTS,
    ),
    "put_taps": Interface(
        "put_taps", "dx += g at the element of its window that its tap says",
        {"g": f"gradient {WINDOWS}", "dx": f"gradient {PLANES}, zeros before",
         "taps": f"taps {WINDOWS}, 8 bits each"}, INTS,
    ),
    "max_pool_input": Interface(
        "max_pool_input", "dx += g at the element of its window that max_tap would name",
        {"x": f"data {PLANES}", "g": f"gradient {WINDOWS}",
         "dx": f"gradient {PLANES}, zeros before where no window lies"}, INTS,
    ),
}  # fmt: skip


def in_pairs(window: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> bool:
    """Whether windows are two wide, neighbours, and no two hold one element: the kernel
    `max_pool_input` then writes lines as a whole, and adds to nothing."""
    return window[1] == stride[1] == 2 and dilation == (1, 1) and stride[0] >= window[0]


class Pool:
    """Writes a module for one window (kh, kw), stride and dilation."""

    def __init__(self, e: str, window: tuple[int, ...], stride: tuple[int, ...],
                 dilation: tuple[int, ...]) -> None:  # fmt: skip
        self.e, self.window, self.stride, self.dilation = e, window, stride, dilation
        self.lanes = jit.target().lanes // (2 if e == F64 else 1)

    def load(self, f: Function, line: Pointer, ox: Value, kx: int, mask: Value | None) -> Value:
        """One tap for a vector of neighbouring outputs."""
        n, step = self.lanes, self.stride[1]
        first = ox * step + kx * self.dilation[1]
        if step == 1:
            return line.load(first, n) if mask is None else line.load_masked(first, mask)
        if step == 2 and mask is None:
            # the last element of the second vector is not needed and may not be there
            there = Value(f, vector("i1", n), "<" + ", ".join(
                ["i1 true"] * (n - 1) + ["i1 false"]) + ">")  # fmt: skip
            low, high = line.load(first, n), line.load_masked(first + n, there)
            return f.shuffle(low, high, [2 * i for i in range(n)])
        t, many = vector(self.e, n), f"<{n} x ptr>"
        places = f.splat(first, n) + f.iota(vector(I64, n)) * step
        text = f"getelementptr {self.e}, ptr {line.text}, {places.type} {places.text}"
        pointers = f.emit(many, text)
        everywhere = mask if mask is not None else f.const(vector("i1", n), True)
        name = f"llvm.masked.gather.v{n}{'f64' if self.e == F64 else 'f32'}.v{n}p0"
        align = f.const(I32, 8 if self.e == F64 else 4)
        return f.intrinsic(name, t, [pointers, align, everywhere, f.const(t, 0)])

    def begin(self, made: Interface) -> tuple[Module, Function, Any, Value, Value]:
        """A module, its chunk with the words of it, and which planes that has."""
        module = Module(made.name)
        threads.declare_run(module)
        f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        get = made.words(f.args["context"])
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["planes"], start + get["each"], get["planes"])
        return module, f, get, start, stop

    def forward(self, name: str) -> Module:
        """Maxima, or the taps that hold them."""
        with_taps = name == "max_tap"
        module, f, get, start, stop = self.begin(INTERFACES[name])
        x = get["x"].of(self.e)
        to = get["taps"].of(I8) if with_taps else get["y"].of(self.e)
        n = self.lanes
        kh, kw = self.window
        with f.range(start, stop) as plane, f.range(get["oh"]) as oy:
            lines = [x.at(self.line(get, plane, oy, ky)) for ky in range(kh)]
            line = (plane * get["oh"] + oy) * get["ow"]

            def largest(ox: Value, mask: Value | None) -> Value:
                return functools.reduce(
                    functools.partial(maximum, f),
                    [self.load(f, lines[ky], ox, kx, mask) for ky in range(kh) for kx in range(kw)],
                )

            def step(ox: Value, mask: Value | None) -> None:
                what = self.numbers(f, lines, ox, mask) if with_taps else largest(ox, mask)
                if mask is None:
                    to.store(what, line + ox)
                else:
                    to.store_masked(what, line + ox, mask)

            whole = get["ow"] - get["ow"] % n
            with f.range(0, whole, n) as ox:
                step(ox, None)
            with f.when(whole < get["ow"]):
                left = f.convert(get["ow"] - whole, I32)
                step(whole, f.iota(vector(I32, n)) < left)
        f.ret()
        INTERFACES[name].write(module, "chunks")
        return module

    def line(self, get: Any, plane: Value, oy: Value, ky: int) -> Value:
        """Where the line of a plane begins that is line `ky` of the windows in line `oy`."""
        line = plane * get["h"] + oy * self.stride[0] + ky * self.dilation[0]
        return line * get["w"]  # type: ignore[no-any-return]

    def numbers(self, f: Function, lines: list[Pointer], ox: Value, mask: Value | None) -> Value:
        """The taps that hold the maxima of neighbouring windows, 8 bits each."""
        best: Any = None
        number: Any = None
        for k, (ky, kx) in enumerate(itertools.product(*map(range, self.window))):
            v = self.load(f, lines[ky], ox, kx, mask)
            if best is None:
                best, number = v, f.const(vector(I8, self.lanes), 0)
                continue
            better = (v > best) | (v != v)
            best = f.select(better, v, best)
            number = f.select(better, f.const(vector(I8, self.lanes), k), number)
        return number  # type: ignore[no-any-return]

    def gradient(self) -> Module:
        """`max_tap` and `put_taps` in one pass.

        Lines of pairs are written whole, a vector at a time; other windows element by element, for
        those that overlap add to one another in the order of `put_taps`.
        """
        made = INTERFACES["max_pool_input"]
        module, f, get, start, stop = self.begin(made)
        x, g, to = (get[k].of(self.e) for k in ("x", "g", "dx"))
        n, (kh, kw) = self.lanes, self.window
        taps, shift = f.buffer(I8, n), f.buffer(I64, kh * kw)
        for k, (ky, kx) in enumerate(itertools.product(range(kh), range(kw))):
            shift[k] = get["w"] * (ky * self.dilation[0]) + kx * self.dilation[1]
        with f.range(start, stop) as plane, f.range(get["oh"]) as oy:
            places = [self.line(get, plane, oy, ky) for ky in range(kh)]
            lines, targets = [x.at(p) for p in places], [to.at(p) for p in places]
            source = g.at((plane * get["oh"] + oy) * get["ow"])

            def pairs(ox: Value, left: Value | None) -> None:
                mask = None if left is None else f.iota(vector(I32, n)) < left
                number = self.numbers(f, lines, ox, mask)
                given = source.load(ox, n) if mask is None else source.load_masked(ox, mask)
                # as 0 + g: of -0.0 it is 0.0
                given, zero = given + 0, f.const(given.type, 0)
                for ky in range(kh):
                    first, second = (
                        f.select(number == f.const(number.type, 2 * ky + kx), given, zero)
                        for kx in (0, 1)
                    )
                    for half in (0, 1):
                        order = [i // 2 + i % 2 * n for i in range(half * n, half * n + n)]
                        value, at = f.shuffle(first, second, order), ox * 2 + half * n
                        if left is None:
                            targets[ky].store(value, at)
                        else:
                            there = f.iota(vector(I32, n)) + half * n < left * 2
                            targets[ky].store_masked(value, at, there)

            def one_by_one(ox: Value, left: Value | None) -> None:
                mask = None if left is None else f.iota(vector(I32, n)) < left
                taps.store(self.numbers(f, lines, ox, mask))
                count: Any = n if left is None else f.convert(left, I64)
                with f.range(0, count) as i:
                    tap = taps[i]
                    number = f.emit(I64, f"zext i8 {tap.text} to i64")
                    at = shift[number] + (ox + i) * self.stride[1]
                    targets[0][at] = targets[0][at] + source[ox + i]

            step = pairs if in_pairs(self.window, self.stride, self.dilation) else one_by_one
            whole = get["ow"] - get["ow"] % n
            with f.range(0, whole, n) as ox:
                step(ox, None)
            with f.when(whole < get["ow"]):
                step(whole, f.convert(get["ow"] - whole, I32))
        f.ret()
        made.write(module, "chunks")
        return module

    def backward(self) -> Module:
        """dx[plane, tap's place] += g[plane, output]."""
        made = INTERFACES["put_taps"]
        module, f, get, start, stop = self.begin(made)
        kh, kw = self.window
        g, to, taps = get["g"].of(self.e), get["dx"].of(self.e), get["taps"].of(I8)
        shift = f.buffer(I64, kh * kw)
        for ky in range(kh):
            for kx in range(kw):
                shift[ky * kw + kx] = get["w"] * (ky * self.dilation[0]) + kx * self.dilation[1]
        with f.range(start, stop) as plane, f.range(get["oh"]) as oy:
            source = (plane * get["oh"] + oy) * get["ow"]
            target = to.at((plane * get["h"] + oy * self.stride[0]) * get["w"])
            with f.range(get["ow"]) as ox:
                tap = taps[source + ox]
                number = f.emit(I64, f"zext i8 {tap.text} to i64")
                at = shift[number] + ox * self.stride[1]
                target[at] = target[at] + g[source + ox]
        f.ret()
        made.write(module, "chunks")
        return module


@functools.cache
def kernel(what: str, e: str, window: tuple[int, ...], stride: tuple[int, ...],
           dilation: tuple[int, ...]) -> Kernel:  # fmt: skip
    """One of `INTERFACES` for one window."""
    pool = Pool(e, window, stride, dilation)
    ways = {"put_taps": pool.backward, "max_pool_input": pool.gradient}
    build = ways.get(what) or functools.partial(pool.forward, what)
    return Kernel(INTERFACES[what], (e, window, stride, dilation), build)
