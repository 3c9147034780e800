"""Depthwise convolution: each plane has a small kernel of its own, so there is no product to make.

A vector of neighbouring outputs is a sum over taps, each one a load and a multiplication. What lies
outside a plane is zero by a mask: nothing is padded or copied. Masks of a column block and the
weights of a plane stay in registers while the rows go by.

One generator writes the result, the gradient of the input, and the sum of columns (`Fold`). A
*phase* is a set of output rows (or columns) that see the same taps: all of them in the forward
direction; one set for each residue of the stride on the way back. Kernel, stride, dilation and
padding are part of the code.

Not here: the choice (`select.py`), convolutions over channels (`implicit_gemm.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Pointer, Value, Variable, vector
from ..runtime import builtin, jit, threads

Ints = tuple[int, ...]
Taps = tuple[tuple[int, int], ...]  # (offset into the input, tap)
SUM = ("x", "w", "y", "bias", "planes", "inner", "share", "rows", "oh", "ow", "h", "wide", "each")
WEIGHT = ("x", "g", "dw", "images", "share", "rows", "oh", "ow", "h", "wide", "each")


def forward_phases(kernel: int, stride: int, padding: int, dilation: int) -> tuple[Taps, ...]:
    return (tuple((k * dilation - padding, k) for k in range(kernel)),)


def backward_phases(kernel: int, stride: int, padding: int, dilation: int) -> tuple[Taps, ...]:
    """Position s * q + r of the input is the sum over taps of g[q + offset] of phase r."""
    return tuple(
        tuple(
            ((r + padding - k * dilation) // stride, k)
            for k in range(kernel)
            if (r + padding - k * dilation) % stride == 0
        )
        for r in range(stride)
    )


class Depthwise:
    """What the kernels share: words, planes, masks and loads."""

    fields: tuple[str, ...] = ()
    pointers = 0  # how many of the fields are arrays

    def __init__(self, e: str, kernel: Ints, step: Ints) -> None:
        self.e, self.kernel, self.step = e, kernel, step
        self.n = jit.target().lanes // (2 if e == F64 else 1)
        self.module = Module("depthwise")

    def begin(self) -> tuple[Function, dict[str, Any]]:
        """The function `chunk`, and its words by name."""
        threads.declare_run(self.module)
        f = self.module.function("chunk", None, [("words", PTR), ("index", I64)], private=True)
        words = f.args["words"].of(I64)
        get: dict[str, Any] = {}
        for i, name in enumerate(self.fields):
            get[name] = words[i]
            if i < self.pointers:
                place = f.emit(PTR, f"inttoptr i64 {get[name].text} to ptr")
                get[name] = Pointer(f, place.text, self.e)
        return f, get

    def finish(self, count: str, kinds: list[str]) -> Module:
        """The function that hands out chunks of `each` of `count`."""
        args = [(str(n), PTR if i < self.pointers else I64) for i, n in enumerate(self.fields)]
        f = self.module.function("run", None, args)
        packed = f.buffer(I64, len(args))
        for i, (name, t) in enumerate(args):
            value = f.args[name]
            text = f"ptrtoint ptr {value.text} to i64"
            packed[i] = f.emit(I64, text) if t == PTR else value
        each = f.args["each"]
        chunks = (f.args[count] + (each - 1)) // each
        f.call("pool_run", None, [Value(f, PTR, "@chunk"), packed, chunks])
        f.ret()
        builtin.entry(self.module, "call", "run", [*kinds, *["int"] * (len(args) - len(kinds))])
        return self.module

    def within(self, f: Function, first: Value, bound: Value, step: int = 1) -> Value:
        """Lanes whose place first + step * lane lies in [0, bound)."""
        t = vector(I32, self.n)
        places = f.iota(t) * step + f.convert(first, I32)
        return f.compare("lt", places, f.splat(f.convert(bound, I32), self.n), unsigned=True)

    def masks(self, f: Function, first: Value, bound: Value, also: Value | None) -> list[Value]:
        """The masks of a vector of inputs that begins at column `first`."""
        step = self.step[1]
        if step == 2 and also is None:
            return [self.within(f, first, bound), self.within(f, first + self.n, bound)]
        mask = self.within(f, first, bound, step)
        return [mask if also is None else mask & also]

    def load(self, f: Function, line: Pointer, first: Value, masks: list[Value]) -> Value:
        """The inputs at columns first, first + step, … of a line; zero where there is none."""
        n, step = self.n, self.step[1]
        if step == 1:
            return line.load_masked(first, masks[0])
        if len(masks) == 2:
            low = line.load_masked(first, masks[0])
            high = line.load_masked(first + n, masks[1])
            return f.shuffle(low, high, [2 * i for i in range(n)])
        t, places = vector(self.e, n), f.splat(first, n) + f.iota(vector(I64, n)) * step
        text = f"getelementptr {self.e}, ptr {line.text}, {places.type} {places.text}"
        pointers = f.emit(f"<{n} x ptr>", text)
        name = f"llvm.masked.gather.v{n}{'f64' if self.e == F64 else 'f32'}.v{n}p0"
        align = f.const(I32, 8 if self.e == F64 else 4)
        return f.intrinsic(name, t, [pointers, align, masks[0], f.const(t, 0)])

    def lines(
        self, f: Function, plane: Pointer, at: Value, taps: Taps, h: Value, wide: Value,
        body: Callable[[list[Pointer], list[Value] | None], None],
    ) -> None:  # fmt: skip
        """Write `body` for the lines at + offset of the taps.

        Once for lines that are all there, once with a condition for each; a line that is not there
        is replaced by the nearest one, which its condition says not to read.
        """
        offsets = [offset for offset, _ in taps]
        if not offsets:
            body([], None)
            return
        inside = (at + min(offsets) >= 0) & (at + max(offsets) < h)
        with f.when(inside) as branch:
            body([plane.at((at + offset) * wide) for offset in offsets], None)
        with branch.otherwise():
            found, there = [], []
            for offset in offsets:
                row = at + offset
                there.append((row >= 0) & (row < h))
                row = f.select(row < 0, f.const(I64, 0), row)
                row = f.select(row < h, row, h - 1)
                found.append(plane.at(row * wide))
            body(found, there)


class Sum(Depthwise):
    """y[plane] = the sum over `inner` planes of x, through the taps of each phase."""

    fields: tuple[str, ...] = SUM
    pointers = 4

    def __init__(
        self, e: str, kernel: Ints, step: Ints, rows: tuple[Taps, ...], columns: tuple[Taps, ...],
        summed: bool,
    ) -> None:  # fmt: skip
        super().__init__(e, kernel, step)
        self.rows, self.columns, self.summed = rows, columns, summed

    def build(self) -> Module:
        f, get = self.begin()
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["planes"], start + get["each"], get["planes"])
        biased = f.emit(I64, f"ptrtoint ptr {get['bias'].text} to i64") != 0
        apart = len(self.columns)
        with f.range(start, stop) as plane:
            shift = f.var(f.const(self.e, 0))
            with f.when(biased):
                shift.set(get["bias"][plane % get["rows"]])
            begin = f.splat(shift.get(), self.n)
            fixed = None if self.summed else self.operands(f, get, plane)
            to = get["y"].at(plane * get["oh"] * get["ow"])
            with f.range(0, (get["ow"] + (apart - 1)) // apart, self.n) as q:
                masks = {
                    offset: self.masks(f, q * self.step[1] + offset, get["wide"], None)
                    for offset in {o for phase in self.columns for o, _ in phase}
                }
                for r, taps in enumerate(self.rows):
                    count = (get["oh"] + (len(self.rows) - 1 - r)) // len(self.rows)
                    with f.range(count) as i:
                        sums = [f.var(begin) for _ in self.columns]
                        at = i * self.step[0]
                        if fixed:
                            self.add(f, get, fixed, sums, masks, taps, at, q)
                        else:
                            with f.range(get["inner"]) as j:
                                given = self.operands(f, get, plane * get["inner"] + j)
                                self.add(f, get, given, sums, masks, taps, at, q)
                        line = to.at((i * len(self.rows) + r) * get["ow"])
                        self.write(f, line, [s.get() for s in sums], q * apart, get["ow"])
        f.ret()
        return self.finish("planes", ["array", "array", "array", "array?"])

    def operands(self, f: Function, get: Any, plane: Value) -> tuple[Pointer, list[Value]]:
        """A plane of x and its weights in every lane."""
        kh, kw = self.kernel
        weights = get["w"].at((plane % get["rows"]) * (kh * kw))
        x = get["x"].at((plane // get["share"]) * get["h"] * get["wide"])
        return x, [f.splat(weights[t], self.n) for t in range(kh * kw)]

    def add(
        self, f: Function, get: Any, given: tuple[Pointer, list[Value]], sums: list[Variable],
        masks: dict[int, list[Value]], taps: Taps, at: Value, q: Value,
    ) -> None:  # fmt: skip
        x, weights = given

        def body(lines: list[Pointer], there: list[Value] | None) -> None:
            totals = [s.get() for s in sums]
            for i, (line, (_, ky)) in enumerate(zip(lines, taps, strict=True)):
                loads: dict[int, Value] = {}
                for c, phase in enumerate(self.columns):
                    for offset, kx in phase:
                        if offset not in loads:
                            use = masks[offset]
                            if there is not None:
                                use = [m & f.splat(there[i], self.n) for m in use]
                            loads[offset] = self.load(f, line, q * self.step[1] + offset, use)
                        weight = weights[ky * self.kernel[1] + kx]
                        totals[c] = f.fma(loads[offset], weight, totals[c])
            for s, total in zip(sums, totals, strict=True):
                s.set(total)

        self.lines(f, x, at, taps, get["h"], get["wide"], body)

    def write(self, f: Function, line: Pointer, sums: list[Value], at: Value, ow: Value) -> None:
        """Store vectors whose lanes take turns in a line."""
        n = self.n
        if len(sums) == 1:
            line.store_masked(sums[0], at, self.within(f, at, ow))
        elif len(sums) == 2:
            for half in range(2):
                order = [half * n // 2 + i // 2 + (i % 2) * n for i in range(n)]
                mask = self.within(f, at + half * n, ow)
                line.store_masked(f.shuffle(sums[0], sums[1], order), at + half * n, mask)
        else:
            for c, value in enumerate(sums):
                mask = self.within(f, at + c, ow, len(sums))
                places = f.splat(at + c, n) + f.iota(vector(I64, n)) * len(sums)
                text = f"getelementptr {self.e}, ptr {line.text}, {places.type} {places.text}"
                pointers = f.emit(f"<{n} x ptr>", text)
                name = f"llvm.masked.scatter.v{n}{'f64' if self.e == F64 else 'f32'}.v{n}p0"
                align = f.const(I32, 8 if self.e == F64 else 4)
                f.intrinsic(name, None, [value, pointers, align, mask])


class Fold(Sum):
    """y[plane] = the sum over taps of a plane of columns each: the transpose of taking windows."""

    fields = (*SUM, "channels", "image_step", "channel_step", "tap_step")

    def operands(self, f: Function, get: Any, plane: Value) -> tuple[Pointer, list[Value]]:
        image, channel = plane // get["channels"], plane % get["channels"]
        first = image * get["image_step"] + channel * get["channel_step"]
        taps = self.kernel[0] * self.kernel[1]
        return get["x"].at(first), [get["tap_step"] * t for t in range(taps)]

    def add(
        self, f: Function, get: Any, given: tuple[Pointer, list[Value]], sums: list[Variable],
        masks: dict[int, list[Value]], taps: Taps, at: Value, q: Value,
    ) -> None:  # fmt: skip
        x, shifts = given

        def body(lines: list[Pointer], there: list[Value] | None) -> None:
            totals = [s.get() for s in sums]
            for i, (line, (_, ky)) in enumerate(zip(lines, taps, strict=True)):
                for c, phase in enumerate(self.columns):
                    for offset, kx in phase:
                        use = masks[offset]
                        if there is not None:
                            use = [m & f.splat(there[i], self.n) for m in use]
                        plane = line.at(shifts[ky * self.kernel[1] + kx])
                        totals[c] = totals[c] + self.load(f, plane, q + offset, use)
            for s, total in zip(sums, totals, strict=True):
                s.set(total)

        self.lines(f, x, at, taps, get["h"], get["wide"], body)


class Weight(Depthwise):
    """dw[row] = the sum over images and positions of g times x at each tap."""

    fields = WEIGHT
    pointers = 3

    def __init__(self, e: str, kernel: Ints, step: Ints, rows: Taps, columns: Taps) -> None:
        super().__init__(e, kernel, step)
        self.rows, self.columns = rows, columns

    def build(self) -> Module:
        f, get = self.begin()
        n, many = self.n, self.kernel[0] * self.kernel[1]
        t = vector(self.e, n)
        totals = f.buffer(self.e, many * n)
        start = f.args["index"] * get["each"]
        stop = f.select(start + get["each"] < get["rows"], start + get["each"], get["rows"])
        with f.range(start, stop) as row:
            for tap in range(many):
                totals.store(f.const(t, 0), tap * n)
            with f.range(get["images"]) as image, f.range(0, get["ow"], n) as q:
                plane = image * get["rows"] + row
                g = get["g"].at(plane * get["oh"] * get["ow"])
                x = get["x"].at((plane // get["share"]) * get["h"] * get["wide"])
                real = self.within(f, q, get["ow"])
                masks = [
                    self.masks(f, q * self.step[1] + offset, get["wide"], real)
                    if self.step[1] != 2
                    else self.pair(f, q * 2 + offset, get["wide"], q, get["ow"])
                    for offset, _ in self.columns
                ]
                sums = [f.var(f.const(t, 0)) for _ in range(many)]
                with f.range(get["oh"]) as oy:
                    mine = g.load_masked(oy * get["ow"] + q, real)
                    at = oy * self.step[0]

                    def body(
                        lines: list[Pointer], there: list[Value] | None, mine: Value = mine,
                        masks: Any = masks, sums: Any = sums, q: Value = q,
                    ) -> None:  # fmt: skip
                        for i, (line, (_, ky)) in enumerate(zip(lines, self.rows, strict=True)):
                            for (offset, kx), mask in zip(self.columns, masks, strict=True):
                                use = mask
                                if there is not None:
                                    use = [m & f.splat(there[i], n) for m in mask]
                                value = self.load(f, line, q * self.step[1] + offset, use)
                                place = sums[ky * self.kernel[1] + kx]
                                place.set(f.fma(mine, value, place.get()))

                    self.lines(f, x, at, self.rows, get["h"], get["wide"], body)
                for tap in range(many):
                    totals.store(totals.load(tap * n, n) + sums[tap].get(), tap * n)
            name = f"llvm.vector.reduce.fadd.v{n}{'f64' if self.e == F64 else 'f32'}"
            for tap in range(many):
                parts = [f.const(self.e, 0), totals.load(tap * n, n)]
                get["dw"][row * many + tap] = f.intrinsic(name, self.e, parts)
        f.ret()
        return self.finish("rows", ["array", "array", "array"])

    def pair(self, f: Function, first: Value, bound: Value, q: Value, ow: Value) -> list[Value]:
        """Masks of two loads whose even lanes are used, without what belongs to no output."""
        last = f.select(ow - q < self.n, ow - q, f.const(I64, self.n)) * 2 - 1
        return [
            self.within(f, first + h, bound) & self.within(f, f.const(I64, h), last)
            for h in (0, self.n)
        ]


def kernel(what: str, e: str, kernel_: Ints, stride: Ints, padding: Ints, dilation: Ints,
           summed: bool) -> Any:  # fmt: skip
    """forward, input, weight or fold as a Python function of SUM, WEIGHT or Fold.fields."""
    how = list(zip(kernel_, stride, padding, dilation, strict=True))
    one = (1,) * len(stride)

    def build() -> Module:
        if what in ("input", "fold"):
            rows, columns = (backward_phases(*h) for h in how)
            return (Sum if what == "input" else Fold)(
                e, kernel_, one, rows, columns, summed
            ).build()
        rows, columns = (forward_phases(*h) for h in how)
        if what == "forward":
            return Sum(e, kernel_, stride, rows, columns, summed).build()
        return Weight(e, kernel_, stride, rows[0], columns[0]).build()

    key = (f"depthwise_{what}", e, kernel_, stride, padding, dilation, summed, jit.target().lanes)
    found = jit.load(key, build, ["call"], {**builtin.symbols(), **threads.run_symbol()})
    return builtin.function(found["call"], f"depthwise_{what}")
