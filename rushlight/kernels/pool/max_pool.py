"""Maxima of windows over planes, which tap of its window holds each, and the way back.

Window and stride are part of the code: a tap is one vector load (stride 1), two loads and a shuffle
(stride 2) or a gather. One chunk is a number of planes.

Not here: padding and what is left to NumPy (`reference.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.ir import F64, I8, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..codegen.lower import maximum
from ..runtime import builtin, jit, threads

# Words: x, y, taps (pointers), then planes, rows and columns of output and of the (padded) input.
FIELDS = ("x", "y", "taps", "planes", "oh", "ow", "h", "w", "each")


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

    def forward(self, with_taps: bool) -> Module:
        module = Module("max_pool")
        threads.declare_run(module)
        f = module.function("chunk", None, [("words", PTR), ("index", I64)], private=True)
        words = f.args["words"].of(I64)
        get = {n: words[i] for i, n in enumerate(FIELDS)}
        place = lambda n, e: Pointer(f, f.emit(PTR, f"inttoptr i64 {get[n].text} to ptr").text, e)  # noqa: E731
        x, out = place("x", self.e), place("y", self.e)
        taps = place("taps", I8)
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["planes"], start + get["each"], get["planes"])
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
                to, which, what = (taps, line + ox, number) if with_taps else (out, line + ox, best)
                to.store(what, which) if mask is None else to.store_masked(what, which, mask)

            whole = get["ow"] - get["ow"] % n
            with f.range(0, whole, n) as ox:
                step(ox, None)
            with f.when(whole < get["ow"]):
                left = f.convert(get["ow"] - whole, I32)
                step(whole, f.iota(vector(I32, n)) < left)
        f.ret()
        return self.finish(module)

    def backward(self) -> Module:
        """y[plane, tap's place] += x[plane, output]; x is the gradient, y zeros before."""
        module = Module("max_pool_back")
        threads.declare_run(module)
        kh, kw = self.window
        f = module.function("chunk", None, [("words", PTR), ("index", I64)], private=True)
        words = f.args["words"].of(I64)
        get = {n: words[i] for i, n in enumerate(FIELDS)}
        place = lambda n, e: Pointer(f, f.emit(PTR, f"inttoptr i64 {get[n].text} to ptr").text, e)  # noqa: E731
        g, to, taps = place("x", self.e), place("y", self.e), place("taps", I8)
        shift = f.buffer(I64, kh * kw)
        for ky in range(kh):
            for kx in range(kw):
                shift[ky * kw + kx] = get["w"] * (ky * self.dilation[0]) + kx * self.dilation[1]
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["planes"], start + get["each"], get["planes"])
        with f.range(start, stop) as plane, f.range(get["oh"]) as oy:
            source = (plane * get["oh"] + oy) * get["ow"]
            target = to.at((plane * get["h"] + oy * self.stride[0]) * get["w"])
            with f.range(get["ow"]) as ox:
                tap = taps[source + ox]
                number = f.emit(I64, f"zext i8 {tap.text} to i64")
                at = shift[number] + ox * self.stride[1]
                target[at] = target[at] + g[source + ox]
        f.ret()
        return self.finish(module)

    def finish(self, module: Module) -> Module:
        f = module.function("run", None, [(n, PTR if i < 3 else I64) for i, n in enumerate(FIELDS)])
        packed = f.buffer(I64, len(FIELDS))
        for i, name in enumerate(FIELDS):
            value = f.args[name]
            packed[i] = f.emit(I64, f"ptrtoint ptr {value.text} to i64") if i < 3 else value
        each = f.args["each"]
        chunks = (f.args["planes"] + (each - 1)) // each
        f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
        f.ret()
        kinds = ["array", "array?", "array?", *["int"] * (len(FIELDS) - 3)]
        builtin.entry(module, "call", "run", kinds)
        return module


def kernel(what: str, e: str, window: tuple[int, ...], stride: tuple[int, ...],
           dilation: tuple[int, ...]) -> Any:  # fmt: skip
    """max_pool, max_tap or put_taps as a Python function of the FIELDS."""
    pool = Pool(e, window, stride, dilation)
    write = {
        "max_pool": lambda: pool.forward(False),
        "max_tap": lambda: pool.forward(True),
        "put_taps": pool.backward,
    }[what]
    imports = {**builtin.symbols(), **threads.run_symbol()}
    key = (what, e, window, stride, dilation, jit.target().lanes)
    found = jit.load(key, write, ["call"], imports)
    return builtin.function(found["call"], what)
