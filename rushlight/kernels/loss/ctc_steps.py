"""Kernels for the forward and backward variables of connectionist temporal classification.

    alpha[t, s] = log(e**alpha[t-1, s] + e**alpha[t-1, s-1] + e**alpha[t-1, s-2]) + emit[t, s]

where the last term is left out unless `skip[s]`; `ctc.py` has the whole story. A sample belongs to
one thread; the states of a step are computed in vectors. The backward variables run the other way,
and what they make of each step is added to the classes of the states, in their order.

Not here: losses, and when it is used (`ctc.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from ..codegen import vecmath
from ..codegen.interface import Interface, Kernel
from ..codegen.ir import F64, I64, PTR, Function, Module, Pointer, Value, vector
from ..resample.taps import gathered
from ..runtime import jit, threads

SHARED = {
    "steps": "times", "samples": "of a batch", "classes": "of labels", "states": "of a sample",
}  # fmt: skip
ALPHA = Interface(
    "ctc_alpha",
    "the forward variables",
    arrays={
        "x": "(steps, samples, classes)", "labels": "int64 (samples, states)",
        "skip": "(samples, states): 0 where the state two before leads here, else -inf",
        "first": "(samples, states): 0 where paths begin, else -inf",
        "alpha": "(steps, samples, states)",
    },
    ints=SHARED,
)  # fmt: skip
BETA = Interface(
    "ctc_beta",
    "minus the probability of each class at each time",
    arrays={
        "x": "(steps, samples, classes)", "labels": "int64 (samples, states)",
        "skip": "(samples, states): 0 where this state leads two further, else -inf",
        "last": "(samples, states): 0 where paths end, else -inf",
        "alpha": "(steps, samples, states)", "loss": "(samples)",
        "ends": "int64 (samples), times of each",
        "beta": "room for (samples, 2, states)", "there": "room for (samples, states)",
        "grad": "(steps, samples, classes)",
    },
    ints=SHARED,
)  # fmt: skip


def logaddexp(f: Function, a: Value, b: Value) -> Value:
    """log(e**a + e**b), of infinities too."""
    larger = f.select(a > b, a, b)
    apart = -f.fabs(a - b)
    y = larger + vecmath.log1p(f, vecmath.exp(f, apart))
    return f.select(a == b, a + math.log(2.0), y)


class Steps:
    """Writes "alpha" or "beta" for elements "float" or "double"."""

    def __init__(self, what: str, e: str) -> None:
        self.what, self.e = what, e
        self.n = jit.target().lanes // (2 if e == F64 else 1)

    def build(self) -> Module:
        interface = ALPHA if self.what == "alpha" else BETA
        module = Module(interface.name)
        threads.declare_run(module)
        f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
        self.f, self.w = f, interface.words(f.args["context"])
        w, self.sample = self.w, f.args["index"]
        self.states = w["states"]
        of_states = self.sample * self.states
        self.labels = w["labels"].of(I64).at(of_states)
        self.skip = w["skip"].of(self.e).at(of_states)
        (self.alpha if self.what == "alpha" else self.beta)(of_states)
        f.ret()
        interface.write(module, "samples")
        return module

    def row(self, name: str, t: Value, width: str) -> Pointer:
        """A sample's row of an array at a time."""
        place = (t * self.w["samples"] + self.sample) * self.w[width]
        return self.w[name].of(self.e).at(place)  # type: ignore[no-any-return]

    def vectors(self, write: Any) -> None:
        """All states, a vector at a time: write(first, mask)."""
        f, n = self.f, self.n
        lane = f.iota(vector(I64, n))
        with f.range(0, self.states, n) as s:
            write(s, lane + f.splat(s, n) < f.splat(self.states, n))

    def near(self, a: Pointer, s: Value, by: int) -> Value:
        """The elements so far from those at s; -inf where there are none."""
        f, n = self.f, self.n
        at = f.iota(vector(I64, n)) + f.splat(s + by, n)
        inside = (at >= 0) & (at < f.splat(self.states, n))
        return a.load_masked(s + by, inside, -math.inf)

    def summed(self, a: Pointer, s: Value, mask: Value, way: int) -> Value:
        """log of the sum of the states that lead to those at s; they lie before it or behind it."""
        f = self.f
        found = logaddexp(f, a.load_masked(s, mask, -math.inf), self.near(a, s, way))
        far = self.near(a, s, 2 * way)
        skipped = self.skip.load_masked(s, mask, -math.inf)
        return logaddexp(f, found, f.select(skipped == 0.0, far, f.const(far.type, -math.inf)))

    def emitted(self, x: Pointer, s: Value, mask: Value) -> Value:
        return gathered(self.f, x, self.labels.load_masked(s, mask, 0), mask)

    def alpha(self, of_states: Value) -> None:
        f, w = self.f, self.w
        first = w["first"].of(self.e).at(of_states)
        with f.range(w["steps"]) as t:
            x, y = self.row("x", t, "classes"), self.row("alpha", t, "states")

            def begin(s: Value, mask: Value) -> None:
                begun = first.load_masked(s, mask, -math.inf) == 0.0
                v = self.emitted(x, s, mask)
                y.store_masked(f.select(begun, v, f.const(v.type, -math.inf)), s, mask)

            def go_on(s: Value, mask: Value) -> None:
                before = self.row("alpha", t - 1, "states")
                y.store_masked(
                    self.summed(before, s, mask, -1) + self.emitted(x, s, mask), s, mask
                )  # fmt: skip

            with f.when(t == 0) as branch:
                self.vectors(begin)
            with branch.otherwise():
                self.vectors(go_on)

    def beta(self, of_states: Value) -> None:
        f, w, e = self.f, self.w, self.e
        last, there = (w[k].of(e).at(of_states) for k in ("last", "there"))
        rooms = w["beta"].of(e).at(of_states * 2)
        end, steps, classes = w["ends"].of(I64)[self.sample], w["steps"], w["classes"]
        one = w["loss"].of(e)[self.sample]  # no target has a gradient that does not fit
        loss = f.splat(f.select(f.fabs(one) < math.inf, one, f.const(e, math.nan)), self.n)
        with f.range(steps) as back:
            t = steps - 1 - back
            x, alpha = self.row("x", t, "classes"), self.row("alpha", t, "states")
            grad = self.row("grad", t, "classes")
            with f.range(classes) as c:
                grad[c] = 0.0
            here, later = rooms.at(t % 2 * self.states), rooms.at((t + 1) % 2 * self.states)

            def step(s: Value, mask: Value, begin: bool) -> None:
                v = last.load_masked(s, mask, -math.inf) if begin else (
                    self.summed(later, s, mask, 1)
                )  # fmt: skip
                found = vecmath.exp(f, alpha.load_masked(s, mask, 0) + v + loss)
                there.store_masked(found, s, mask)
                here.store_masked(v + self.emitted(x, s, mask), s, mask)

            with f.when(t < end):
                with f.when(t == end - 1) as branch:
                    self.vectors(lambda s, mask: step(s, mask, True))
                with branch.otherwise():
                    self.vectors(lambda s, mask: step(s, mask, False))
                with f.range(self.states) as s:
                    place = grad.at(self.labels[s])
                    place[0] = place[0] - there[s]


@functools.cache
def kernel(what: str, e: str) -> Kernel:
    """The kernel of "alpha" or "beta" for elements of a type."""
    interface = ALPHA if what == "alpha" else BETA
    return Kernel(interface, (what, e), lambda: Steps(what, e).build())
