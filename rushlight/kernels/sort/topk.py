"""The kernel that finds the k largest (or smallest) numbers of each row, in order.

The best k so far lie in order on the stack, each as one int64: above its number, as a whole number
of the same order, below its place, turned round, so that of equals the first one is better. A row
is read a vector at a time, and a vector with nothing above the k-th best so far (in most rows that
is soon nearly all of them) costs a load and a comparison. What is better is put into its place by
moving those behind it, again a vector at a time: k ln(n / k) times for numbers in no order.

NaN is the greatest; -0 and 0 are equal.

Not here: which calls come here (`select.py`), NumPy's way (`reference.py`).
"""

from __future__ import annotations

import functools

from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F32, I1, I32, I64, PTR, Function, Module, Pointer, Value, vector
from ..runtime import jit, threads
from ..tuning import TOPK_MOST as MOST

TOPK = Interface(
    "topk",
    "places[i] = places of the k largest, or smallest, numbers of row i, in order",
    arrays={"x": "(rows, n) of float32", "places": "(rows, k), int64"},
    ints={
        "rows": "rows of x",
        "n": "numbers of a row",
        "k": f"how many are wanted, 1 to n, {MOST} at most",
        "each": "rows that a chunk has",
        "chunks": "pieces of work, which threads share",
    },
)
LOW_32 = (1 << 32) - 1
LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
MISSING = (1 << 31) - 2  # the whole number of NaN: its complement is above the least, too


class Best:
    """The best of a row so far.

    Attributes:
        place: where they lie; in front of them stand numbers that nothing is better than, and
            behind them there is room for the one that falls off.
        bound: the k-th of them, as a number of the row.
    """

    def __init__(self, f: Function, k: Value, largest: bool) -> None:
        self.f, self.k, self.largest = f, k, largest
        self.w = max(2, jit.target().lanes // 2)
        room = f.buffer(I64, MOST + 2 * self.w)
        room.store(f.const(vector(I64, self.w), GREATEST), 0)
        self.place = room.at(self.w)
        self.bound = f.var(f.const(F32, 0.0))

    def empty(self) -> None:
        """Nothing has been seen."""
        with self.f.range(self.k) as i:
            self.place[i] = self.f.const(I64, LEAST)

    def key(self, number: Value) -> Value:
        """The whole number of the same order; of the smallest, the opposite one."""
        f = self.f
        bits = f.bits(number + 0.0, I32)  # -0 becomes 0
        key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        key = f.select(f.compare("ne", number, number), f.const(I32, MISSING), key)
        return key if self.largest else key ^ -1

    def take(self, x: Pointer, at: Value) -> None:
        """Look at the number at a place, which is behind those that were looked at before."""
        f, w, best = self.f, self.w, self.place
        high = f.convert(self.key(x[at]), I64) << 32
        own = high | (f.const(I64, LOW_32) - at)
        with f.when(best[self.k - 1] < own):
            end, moved = f.var(self.k), f.var(0)
            with f.repeat() as loop:
                here = end.get() - w
                block = best.load(here, w)
                less = block < f.splat(own, w)
                best.store_masked(block, here + 1, less)
                count = f.intrinsic("llvm.ctpop.i64", I64, [mask_of(f, less)])
                moved.set(moved.get() + count)
                end.set(here)
                loop.stop_if((count < w) | (here <= 0))
            best[self.k - moved.get()] = own
            worst = best[self.k - 1]
            with f.when(worst != LEAST):
                self.bound.set(x[(worst & LOW_32) ^ LOW_32])

    def better(self, numbers: Value) -> Value:
        """The lanes that may be better than the k-th best, of a row of which k were looked at:
        all of NaN."""
        f, w = self.f, jit.target().lanes
        bound = f.splat(self.bound.get(), w)
        code = "fcmp ugt" if self.largest else "fcmp ult"
        return f.emit(vector(I1, w), f"{code} {numbers.type} {numbers.text}, {bound.text}")


def mask_of(f: Function, lanes: Value) -> Value:
    """Lanes as the bits of one number, int64."""
    bits = f"i{lanes.type.split(' ')[0][1:]}"
    return f.extended(f.emit(bits, f"bitcast {lanes.type} {lanes.text} to {bits}"), I64)


def build(largest: bool) -> Module:
    module = Module(TOPK.name)
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = TOPK.words(f.args["context"])
    n, k, w = word["n"], word["k"], jit.target().lanes
    first = f.args["index"] * word["each"]
    last = f.select(first + word["each"] < word["rows"], first + word["each"], word["rows"])
    best = Best(f, k, largest)
    with f.range(first, last) as row:
        x, places = word["x"].of(F32).at(row * n), word["places"].of(I64).at(row * k)
        best.empty()
        with f.range(0, k) as i:
            best.take(x, i)
        whole = n - (n - k) % w
        with f.range(k, whole, w) as i:
            found = f.var(mask_of(f, best.better(x.load(i, w))))
            with f.repeat() as loop:
                loop.stop_if(found.get() == 0)
                lane = f.intrinsic("llvm.cttz.i64", I64, [found.get(), f.const(I1, True)])
                found.set(found.get() & (found.get() - 1))
                best.take(x, i + lane)
        with f.range(whole, n) as i:
            best.take(x, i)
        with f.range(k) as i:
            places[i] = (best.place[i] & LOW_32) ^ LOW_32
    f.ret()
    TOPK.write(module, "chunks")
    return module


@functools.cache
def kernel(largest: bool) -> Kernel:
    """Of the largest numbers, or of the smallest."""
    return Kernel(TOPK, (largest, MOST), lambda: build(largest))
