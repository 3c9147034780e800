"""Depthwise convolution: each plane has a small kernel of its own, so there is no product to make.

A vector of neighbouring outputs is a sum over taps, each one a load and a multiplication. What lies
outside a plane is zero by a mask: nothing is padded or copied. Masks of a column block and the
weights of a plane stay in registers while the rows go by.

One generator writes the result, the gradient of the input, and the sum of columns (`col2im.py`). A
*phase* is a set of output rows (or columns) that see the same taps: all of them in the forward
direction; one set for each residue of the stride on the way back. Kernel, stride, dilation and
padding are part of the code.

Not here: the choice (`select.py`), masks and loads (`codegen/planes.py`), convolutions over
channels (`implicit_gemm.py`).
"""

from __future__ import annotations

import functools
from typing import Any

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Pointer, Value, Variable, vector
from ..codegen.planes import Ints, PlaneKernel, Taps

SIZES = {
    "out_h": "lines of a plane of {0}",
    "out_w": "columns of a plane of {0}",
    "in_h": "lines of a plane of {1}",
    "in_w": "columns of a plane of {1}",
}
DEPTHWISE = Interface(
    "depthwise",
    "y = the windows of each plane of x times a kernel of its own (+ bias)",
    arrays={
        "x": "planes (…, in_h, in_w)",
        "w": "kernels (rows, kernel lines, kernel columns)",
        "y": "planes (planes, out_h, out_w)",
        "bias?": "a number for each kernel (rows)",
    },
    ints={
        "planes": "planes of y",
        "inner": "neighbouring planes of x whose windows are added up for a plane of y",
        "share": "neighbouring planes of y that see the same plane of x",
        "rows": "kernels: plane i has kernel i % rows",
        **{k: text.format("y", "x") for k, text in SIZES.items()},
        "each": "planes of y that a chunk computes",
    },
)
WEIGHT = Interface(
    "depthwise_weight",
    "dw = the sum over images of a plane of g times the windows of a plane of x",
    arrays={
        "x": "planes (images, rows / share, in_h, in_w)",
        "g": "gradients of the outputs (images, rows, out_h, out_w)",
        "dw": "kernels (rows, kernel lines, kernel columns)",
    },
    ints={
        "images": "images",
        "share": "neighbouring planes of g that belong to the same plane of x",
        "rows": "kernels",
        **{k: text.format("g", "x") for k, text in SIZES.items()},
        "each": "kernels that a chunk computes",
    },
)


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


class Sum(PlaneKernel):
    """y[plane] = the sum over `inner` planes of x, through the taps of each phase."""

    interface = DEPTHWISE

    def __init__(
        self, e: str, kernel: Ints, step: Ints, rows: tuple[Taps, ...], columns: tuple[Taps, ...],
        summed: bool,
    ) -> None:  # fmt: skip
        super().__init__(e, kernel, step)
        self.rows, self.columns, self.summed = rows, columns, summed

    def build(self) -> Module:
        f, get = self.begin()
        start, stop = self.share(f, get, "planes")
        bias = get.get("bias")
        apart = len(self.columns)
        with f.range(start, stop) as plane:
            shift = f.var(f.const(self.e, 0))
            if bias is not None:
                with f.when(f.compare("ne", bias, Value(f, PTR, "null"))):
                    shift.set(bias[plane % get["rows"]])
            begin = f.splat(shift.get(), self.n)
            fixed = None if self.summed else self.operands(f, get, plane)
            to = get["y"].at(plane * get["out_h"] * get["out_w"])
            with f.range(0, (get["out_w"] + (apart - 1)) // apart, self.n) as q:
                masks = {
                    offset: self.masks(f, q * self.step[1] + offset, get["in_w"], None)
                    for offset in {o for phase in self.columns for o, _ in phase}
                }
                for r, taps in enumerate(self.rows):
                    count = (get["out_h"] + (len(self.rows) - 1 - r)) // len(self.rows)
                    with f.range(count) as i:
                        sums = [f.var(begin) for _ in self.columns]
                        at = i * self.step[0]
                        if fixed:
                            self.add(f, get, fixed, sums, masks, taps, at, q)
                        else:
                            with f.range(get["inner"]) as j:
                                given = self.operands(f, get, plane * get["inner"] + j)
                                self.add(f, get, given, sums, masks, taps, at, q)
                        line = to.at((i * len(self.rows) + r) * get["out_w"])
                        self.write(f, line, [s.get() for s in sums], q * apart, get["out_w"])
        f.ret()
        return self.finish("planes")

    def operands(self, f: Function, get: Any, plane: Value) -> tuple[Pointer, list[Value]]:
        """A plane of x and its weights in every lane."""
        kh, kw = self.kernel
        weights = get["w"].at((plane % get["rows"]) * (kh * kw))
        x = get["x"].at((plane // get["share"]) * get["in_h"] * get["in_w"])
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

        self.lines(f, x, at, taps, get["in_h"], get["in_w"], body)

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


class Weight(PlaneKernel):
    """dw[row] = the sum over images and positions of g times x at each tap."""

    interface = WEIGHT

    def __init__(self, e: str, kernel: Ints, step: Ints, rows: Taps, columns: Taps) -> None:
        super().__init__(e, kernel, step)
        self.rows, self.columns = rows, columns

    def build(self) -> Module:
        f, get = self.begin()
        n, many = self.n, self.kernel[0] * self.kernel[1]
        t = vector(self.e, n)
        totals = f.buffer(self.e, many * n)
        start, stop = self.share(f, get, "rows")
        with f.range(start, stop) as row:
            for tap in range(many):
                totals.store(f.const(t, 0), tap * n)
            with f.range(get["images"]) as image, f.range(0, get["out_w"], n) as q:
                plane = image * get["rows"] + row
                g = get["g"].at(plane * get["out_h"] * get["out_w"])
                x = get["x"].at((plane // get["share"]) * get["in_h"] * get["in_w"])
                real = self.within(f, q, get["out_w"])
                masks = [
                    self.masks(f, q * self.step[1] + offset, get["in_w"], real)
                    if self.step[1] != 2
                    else self.pair(f, q * 2 + offset, get["in_w"], q, get["out_w"])
                    for offset, _ in self.columns
                ]
                sums = [f.var(f.const(t, 0)) for _ in range(many)]
                with f.range(get["out_h"]) as oy:
                    mine = g.load_masked(oy * get["out_w"] + q, real)
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

                    self.lines(f, x, at, self.rows, get["in_h"], get["in_w"], body)
                for tap in range(many):
                    totals.store(totals.load(tap * n, n) + sums[tap].get(), tap * n)
            name = f"llvm.vector.reduce.fadd.v{n}{'f64' if self.e == F64 else 'f32'}"
            for tap in range(many):
                parts = [f.const(self.e, 0), totals.load(tap * n, n)]
                get["dw"][row * many + tap] = f.intrinsic(name, self.e, parts)
        f.ret()
        return self.finish("rows")

    def pair(self, f: Function, first: Value, bound: Value, q: Value, ow: Value) -> list[Value]:
        """Masks of two loads whose even lanes are used, without what belongs to no output."""
        last = f.select(ow - q < self.n, ow - q, f.const(I64, self.n)) * 2 - 1
        return [
            self.within(f, first + h, bound) & self.within(f, f.const(I64, h), last)
            for h in (0, self.n)
        ]


@functools.cache
def kernel(
    what: str, e: str, size: Ints, stride: Ints, padding: Ints, dilation: Ints, summed: bool = False
) -> Kernel:
    """The kernel of a direction ("forward", "input" or "weight") and of numbers in two dimensions.

    `summed`: several planes of x make one of y, as in the gradient of an input that several
    outputs see.
    """
    how = list(zip(size, stride, padding, dilation, strict=True))

    def build() -> Module:
        if what == "input":
            rows, columns = (backward_phases(*h) for h in how)
            return Sum(e, size, (1, 1), rows, columns, summed).build()
        rows, columns = (forward_phases(*h) for h in how)
        if what == "forward":
            return Sum(e, size, stride, rows, columns, summed).build()
        return Weight(e, size, stride, rows[0], columns[0]).build()

    interface = WEIGHT if what == "weight" else DEPTHWISE
    return Kernel(interface, (what, e, size, stride, padding, dilation, summed), build)
