"""Passes of Fourier transforms that lie side by side in the lanes of vectors.

A transform of n points takes a pass for each of its radices (Stockham's form: in order, from one
buffer to another). Point k of w transforms is 2 w numbers: w real parts, then w imaginary ones.
Before a pass of radix r, with s the product of the radices before it and m r s = n,

    y[q + s (r p + j)] = w_(m r)^(j p) * sum over k of w_r^(j k) x[q + s (p + m k)]

for p < m and q < s. Four kinds of a pass: `first` reads complex numbers from memory, those of one
point side by side; `middle` is from buffer to buffer; `end` is the last one, to a buffer, and
`last` the same to memory. The last two have no factors, for m is 1.

Not here: which radices, and tables of factors (`reference.py`); kernels (`rows.py`, `columns.py`,
`long.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..codegen.ir import F64, I32, I64, PTR, Function, Module, Pointer, Value, Variable, vector
from ..matmul.gemm import transposed
from ..runtime import jit
from .reference import MOST_POINTS, roots

Complex = tuple[Value, Value]
STEP = 4  # words of a pass in the table: radix, m, s, where its factors begin


def lanes_of(e: str) -> int:
    """Transforms side by side."""
    return jit.target().lanes // (2 if e == F64 else 1)


def doubled(f: Function, count: Value, w: int) -> tuple[Value, Value]:
    """The masks of two vectors that hold `count` complex numbers."""
    lanes, both = f.iota(vector(I32, w)), f.convert(count + count, I32)
    return lanes < both, lanes < both - w


# -- butterflies ---------------------------------------------------------------------------------


def two(a: Complex, b: Complex) -> tuple[Complex, Complex]:
    return (a[0] + b[0], a[1] + b[1]), (a[0] - b[0], a[1] - b[1])


def four(x: Sequence[Complex]) -> list[Complex]:
    """Four points."""
    (a, b), (c, d) = two(x[0], x[2]), two(x[1], x[3])
    y0, y2 = two(a, c)
    return [y0, (b[0] + d[1], b[1] - d[0]), y2, (b[0] - d[1], b[1] + d[0])]


def eight(f: Function, x: Sequence[Complex]) -> list[Complex]:
    """Eight points: the even ones and the odd ones, then both."""
    even, odd = four(x[::2]), four(x[1::2])
    half = math.sqrt(0.5)
    (a, b), (c, d) = odd[1], odd[3]
    sums: list[tuple[Complex, Complex]] = [two(even[0], odd[0])]
    for (r, i), (u, v) in ((even[1], (a + b, b - a)), (even[3], (d - c, -(c + d)))):
        plus = f.fma(u, half, r), f.fma(v, half, i)
        sums.append((plus, (f.fma(u, -half, r), f.fma(v, -half, i))))
    (r, i), (u, v) = even[2], odd[2]
    sums.insert(2, ((r + v, i - u), (r - v, i + u)))
    return [s[0] for s in sums] + [s[1] for s in sums]


def odd_number(f: Function, x: Sequence[Complex]) -> list[Complex]:
    """A few points, their number odd: sums of x[k] and x[r - k] meet cosines, differences sines."""
    r, (first, *_) = len(x), x
    pairs = [two(x[k], x[r - k]) for k in range(1, r // 2 + 1)]
    whole = first
    for plus, _minus in pairs:
        whole = whole[0] + plus[0], whole[1] + plus[1]
    low, high = [], []
    for j in range(1, r // 2 + 1):
        at = first
        turned = None
        for k, (plus, minus) in enumerate(pairs, 1):
            root = complex(roots(r, j * k, True))
            c, s = root.real, root.imag
            at = f.fma(plus[0], c, at[0]), f.fma(plus[1], c, at[1])
            if turned is None:
                turned = minus[0] * s, minus[1] * s
            else:
                turned = f.fma(minus[0], s, turned[0]), f.fma(minus[1], s, turned[1])
        assert turned is not None
        low.append((at[0] + turned[1], at[1] - turned[0]))
        high.append((at[0] - turned[1], at[1] + turned[0]))
    return [whole, *low, *reversed(high)]


def butterfly(f: Function, x: Sequence[Complex], back: bool) -> list[Complex]:
    """The transform of a few points."""
    if len(x) == 2:
        y = list(two(x[0], x[1]))
    elif len(x) == 4:
        y = four(x)
    else:
        y = eight(f, x) if len(x) == 8 else odd_number(f, x)
    return [y[0], *reversed(y[1:])] if back else y


def times(f: Function, a: Complex, b: Complex) -> Complex:
    """The product of complex numbers."""
    (r, i), (u, v) = a, b
    return f.fma(r, u, -(i * v)), f.fma(r, v, i * u)


@dataclass(frozen=True)
class Given:
    """What the passes of a transform are called with.

    Args:
        steps, factors: the tables.
        step: numbers from a point in memory to the next.
        count: lanes that are there in memory.
        scale: factor of what the last pass gives.
    """

    steps: Pointer
    factors: Pointer
    step: Value
    count: Value
    scale: Value


def exchange(a: Variable, b: Variable) -> None:
    """The values of two variables."""
    old = a.get()
    a.set(b.get())
    b.set(old)


# -- passes --------------------------------------------------------------------------------------


class Passes:
    """Writes the passes of some radices into a module, and what calls them.

    Args:
        kinds: which passes are wanted.
    """

    def __init__(
        self, module: Module, e: str, radices: Sequence[int], back: bool, kinds: Sequence[str]
    ) -> None:
        self.module, self.e, self.radices, self.back = module, e, radices, back
        self.w = lanes_of(e)
        self.point = 2 * self.w
        for kind in kinds:
            for r in radices:
                self.write(kind, r)

    def buffers(self, f: Function) -> tuple[Pointer, Pointer]:
        """Two, of the most points and some that squares fill up."""
        count = (MOST_POINTS + 1 + self.w) * self.point
        return f.buffer(self.e, count), f.buffer(self.e, count)

    def read(self, p: Pointer) -> Complex:
        return p.load(0, self.w, True), p.load(self.w, self.w, True)

    def put(self, p: Pointer, v: Complex) -> None:
        p.store(v[0], 0, True)
        p.store(v[1], self.w, True)

    def gather(self, f: Function, p: Pointer, masks: tuple[Value, Value]) -> Complex:
        """Complex numbers side by side, parted."""
        w = self.w
        a, b = p.load_masked(0, masks[0]), p.load_masked(w, masks[1])
        return (f.shuffle(a, b, list(range(0, 2 * w, 2))),
                f.shuffle(a, b, list(range(1, 2 * w, 2))))  # fmt: skip

    def scatter(self, f: Function, p: Pointer, v: Complex, masks: tuple[Value, Value]) -> None:
        """And back."""
        w = self.w
        order = [k // 2 + w * (k % 2) for k in range(2 * w)]
        p.store_masked(f.shuffle(v[0], v[1], order[:w]), 0, masks[0])
        p.store_masked(f.shuffle(v[0], v[1], order[w:]), w, masks[1])

    def write(self, kind: str, r: int) -> None:
        """The function of a pass."""
        e, w, point = self.e, self.w, self.point
        f = self.module.function(
            f"{kind}_{r}", None,
            [("x", PTR), ("y", PTR), ("m", I64), ("s", I64), ("factors", PTR), ("step", I64),
             ("count", I64), ("scale", e)], private=True,
        )  # fmt: skip
        f.apart = True
        x, y, m, s, step = (f.args[k] for k in ("x", "y", "m", "s", "step"))
        x, y, factors = x.of(e), y.of(e), f.args["factors"].of(e)
        masks = doubled(f, f.args["count"], w)
        if kind == "first":
            with f.range(m) as p:
                given = [self.gather(f, x.at((p + m * k) * step), masks) for k in range(r)]
                factor = factors.at(p * (2 * (r - 1)))
                to = y.at(p * (r * point))
                for j, v in enumerate(butterfly(f, given, self.back)):
                    self.put(to.at(j * point), self.turned(f, v, factor, j))
        elif kind == "middle":
            across, along = s * m * point, s * point
            with f.range(m) as p:
                factor = factors.at(p * (2 * (r - 1)))
                origin, target = x.at(p * along), y.at(p * along * r)
                with f.range(0, along, point) as q:
                    given = [self.read(origin.at(q + across * k)) for k in range(r)]
                    for j, v in enumerate(butterfly(f, given, self.back)):
                        self.put(target.at(q + along * j), self.turned(f, v, factor, j))
        else:
            scale = f.splat(f.args["scale"], w)
            with f.range(s) as q:
                given = [self.read(x.at((q + s * k) * point)) for k in range(r)]
                for j, v in enumerate(butterfly(f, given, self.back)):
                    done = v[0] * scale, v[1] * scale
                    if kind == "end":
                        self.put(y.at((q + s * j) * point), done)
                    else:
                        self.scatter(f, y.at((q + s * j) * step), done, masks)
        f.ret()

    def turned(self, f: Function, v: Complex, factors: Pointer, j: int) -> Complex:
        """The j-th result times its factor."""
        if j == 0:
            return v
        return times(f, v, self.factor(f, factors, j - 1))

    def factor(self, f: Function, factors: Pointer, k: Any) -> Complex:
        """The k-th factor of a table, in all lanes."""
        place = factors.at(k * 2)
        return f.splat(place[0], self.w), f.splat(place[1], self.w)

    def call(
        self, f: Function, kind: str, at: Value, x: Pointer, y: Pointer, given: Given
    ) -> None:
        """The pass that stands in the table at `at`."""
        radix, m, s, offset = (given.steps[at * STEP + k] for k in range(STEP))
        rest = [given.factors.at(offset), given.step, given.count, given.scale]
        for r in self.radices:
            with f.when(radix == r):
                f.call(f"{kind}_{r}", None, [x, y, m, s, *rest])

    def transform(
        self, f: Function, word: dict[str, Value], room: tuple[Pointer, Pointer], scale: Value
    ) -> tuple[Pointer, Pointer]:
        """All passes of a transform from the first buffer on; gives (where it is, the other)."""
        one = f.const(I64, 1)
        given = Given(word["steps"].of(I64), word["factors"].of(self.e), one, one, scale)
        origin, target = f.var(room[0]), f.var(room[1])
        last = word["passes"] - 1
        with f.range(last) as i:
            self.call(f, "middle", i, origin.get(), target.get(), given)
            exchange(origin, target)
        self.call(f, "end", last, origin.get(), target.get(), given)
        return target.get(), origin.get()

    def transform_memory(
        self, f: Function, word: dict[str, Value], room: tuple[Pointer, Pointer],
        x: Pointer, x_step: Value, y: Pointer | None, y_step: Value, count: Value, scale: Value,
    ) -> Pointer:  # fmt: skip
        """All passes of a transform that reads from memory, where each point
        is x_step numbers from the one before. It writes into memory, or, without y, into the
        buffer that it gives."""
        steps, factors = word["steps"].of(I64), word["factors"].of(self.e)
        given = Given(steps, factors, x_step, count, scale)
        last = word["passes"] - 1
        origin, target = f.var(room[0]), f.var(room[1])
        with f.when(last == 0) as single:
            self.copy(f, steps[0], x, x_step, room[0], count)
        with single.otherwise():
            self.call(f, "first", f.const(I64, 0), x, room[0], given)
        with f.range(1, last) as i:
            self.call(f, "middle", i, origin.get(), target.get(), given)
            exchange(origin, target)
        given = Given(steps, factors, y_step, count, scale)
        if y is not None:
            self.call(f, "last", last, origin.get(), y, given)
            return y
        self.call(f, "end", last, origin.get(), target.get(), given)
        return target.get()  # type: ignore[no-any-return]

    def copy(
        self, f: Function, n: Value, x: Value, step: Value, room: Pointer, count: Value
    ) -> None:
        """Points from memory into a buffer."""
        masks = doubled(f, count, self.w)
        with f.range(n) as k:
            v = self.gather(f, x.of(self.e).at(k * step), masks)
            self.put(room.at(k * self.point), v)

    # -- rows turned into lanes, and back ----------------------------------------------------------

    def turn_in(
        self, f: Function, x: Pointer, row: Value, count: Value, numbers: Value, room: Pointer
    ) -> None:
        """`count` rows of `numbers` real numbers into a buffer; lanes behind them hold the last."""
        w = self.w
        rows = []
        for i in range(w):
            at = f.const(I64, i)
            rows.append(x.at(f.select(at < count, at, count - 1) * row))
        whole = numbers - numbers % w
        with f.range(0, whole, w) as k:
            for i, v in enumerate(transposed(f, [r.load(k, w) for r in rows])):
                room.store(v, k * w + i * w, True)
        with f.when(whole < numbers):
            mask = f.iota(vector(I32, w)) < f.convert(numbers - whole, I32)
            given = [r.load_masked(whole, mask) for r in rows]
            for i, v in enumerate(transposed(f, given)):
                room.store(v, whole * w + i * w, True)

    def turn_out(
        self, f: Function, room: Pointer, y: Pointer, row: Value, count: Value, numbers: Value,
        factors: Pointer | None = None,
    ) -> None:  # fmt: skip
        """A buffer into `count` rows of `numbers` real numbers.

        Args:
            factors: of each point in each lane, as in a buffer; None: no factors.
        """
        w = self.w
        with f.range(0, numbers, w) as k:
            given: list[Value] = []
            for i in range(0, w, 2):
                at = k * w + i * w
                pair = room.load(at, w, True), room.load(at + w, w, True)
                if factors is not None:
                    pair = times(f, pair, (factors.load(at, w), factors.load(at + w, w)))
                given += pair
            turned = transposed(f, given)
            left = numbers - k
            with f.when((left >= w) & (count == w)) as full:
                for i, v in enumerate(turned):
                    y.store(v, k + row * i)
            with full.otherwise():
                lanes = f.iota(vector(I32, w))
                for i, v in enumerate(turned):
                    some = f.select(count > i, left, f.const(I64, 0))
                    y.store_masked(v, k + row * i, lanes < f.convert(some, I32))
