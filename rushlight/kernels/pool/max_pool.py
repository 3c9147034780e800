"""Maxima of windows over planes, which tap of its window holds each, and the way back.

Window and stride are part of the code: a tap is one vector load (stride 1), two loads and a shuffle
(stride 2) or a gather. One chunk is a number of planes.

Not here: padding and what is left to NumPy (`select.py`, `reference.py`).
"""

from __future__ import annotations

import functools
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
}  # fmt: skip


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
            lines = [
                x.at((plane * get["h"] + oy * self.stride[0] + ky * self.dilation[0]) * get["w"])
                for ky in range(kh)
            ]
            line = (plane * get["oh"] + oy) * get["ow"]

            def step(ox: Value, mask: Value | None) -> None:
                best: Any = None
                number: Any = None
                for ky in range(kh):
                    for kx in range(kw):
                        v = self.load(f, lines[ky], ox, kx, mask)
                        if best is None:
                            best, number = v, f.const(vector(I8, n), 0)
                        elif with_taps:
                            better = (v > best) | (v != v)
                            best = f.select(better, v, best)
                            number = f.select(better, f.const(vector(I8, n), ky * kw + kx), number)
                        else:
                            best = maximum(f, best, v)
                what = number if with_taps else best
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
    """max_pool, max_tap or put_taps of one window."""
    pool = Pool(e, window, stride, dilation)
    build = pool.backward if what == "put_taps" else functools.partial(pool.forward, what)
    return Kernel(INTERFACES[what], (e, window, stride, dilation), build)
