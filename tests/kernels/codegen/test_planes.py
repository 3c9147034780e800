"""Vectors along lines of planes: masks, loads with steps, lines that are not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.codegen.interface import Interface, Kernel
from rushlight.kernels.codegen.ir import Module
from rushlight.kernels.codegen.planes import PlaneKernel

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")

INTERFACE = Interface(
    "test_planes",
    "y[p, i, j] = the sum over taps of x[p, i + offset, first + step j], 0 where there is none",
    arrays={"x": "planes (planes, h, w)", "y": "planes (planes, oh, ow)"},
    ints={
        "planes": "how many", "h": "lines of x", "w": "columns of x", "oh": "lines of y",
        "ow": "columns of y", "first": "the column that column 0 shows", "each": "of a chunk",
    },
)  # fmt: skip


class Shown(PlaneKernel):
    """A kernel of a test; `also` adds a mask of its own, which makes the loads gathers."""

    interface = INTERFACE

    def __init__(self, e: str, step: int, offsets: tuple[int, ...], also: bool) -> None:
        super().__init__(e, (len(offsets), 1), (1, step))
        self.offsets, self.also = offsets, also

    def build(self) -> Module:
        f, get = self.begin()
        start, stop = self.share(f, get, "planes")
        taps = tuple((offset, k) for k, offset in enumerate(self.offsets))
        with f.range(start, stop) as plane:
            source = get["x"].at(plane * get["h"] * get["w"])
            with f.range(get["oh"]) as i:
                line = get["y"].at((plane * get["oh"] + i) * get["ow"])
                with f.range(0, get["ow"], self.n) as j:
                    real = self.within(f, j, get["ow"])
                    first = get["first"] + j * self.step[1]
                    masks = self.masks(f, first, get["w"], real if self.also else None)
                    total = f.splat(f.const(self.e, 0.0), self.n)
                    line.store_masked(total, j, real)

                    def add(lines: Any, there: Any, j: Any = j, real: Any = real,
                            line: Any = line, first: Any = first, masks: Any = masks) -> None:
                        for k, place in enumerate(lines):
                            v = self.load(f, place, first, masks)
                            if there is not None:
                                zero = f.splat(f.const(self.e, 0.0), self.n)
                                v = f.select(f.splat(there[k], self.n), v, zero)
                            line.store_masked(line.load_masked(j, real) + v, j, real)

                    self.lines(f, source, i, taps, get["h"], get["w"], add)
        f.ret()
        return self.finish("planes")


def shown(
    x: np.ndarray, step: int, first: int, offsets: tuple[int, ...], oh: int, ow: int
) -> np.ndarray:
    y = np.zeros((len(x), oh, ow), x.dtype)
    for i in range(oh):
        for j in range(ow):
            for offset in offsets:
                a, b = i + offset, first + step * j
                if 0 <= a < x.shape[1] and 0 <= b < x.shape[2]:
                    y[:, i, j] += x[:, a, b]
    return y


@pytest.mark.parametrize("e", ["float", "double"])
@pytest.mark.parametrize(("step", "also"), [(1, False), (2, False), (2, True), (3, False)])
def test_lines(
    e: str, step: int, also: bool, rng: np.random.Generator, by_threads: Any
) -> None:
    """Neighbours, every second one by two loads, gathers; before, within and behind a plane."""
    from rushlight.kernels.runtime import threads

    threads.ready()
    dtype = np.float32 if e == "float" else np.float64
    for offsets in ((-2, 0, 5), ())[: 1 + (step == 1)]:
        key = (e, step, offsets, also)
        kernel = Kernel(INTERFACE, key, lambda key=key: Shown(*key).build())  # type: ignore[misc]
        for (h, w), (oh, ow), first in (
            ((4, 37), (4, 37), 0), ((3, 16), (5, 20), -3), ((1, 1), (2, 3), -1),
            ((4, 50), (3, 33), 7), ((2, 5), (2, 40), -30),
        ):  # fmt: skip
            x = np.full((3, h, w), np.nan, dtype)  # behind the planes nothing may be read
            x[:2] = rng.standard_normal((2, h, w))

            def run(x: Any = x, oh: int = oh, ow: int = ow, first: int = first,
                    kernel: Any = kernel) -> Any:
                y = np.full((3, oh, ow), 7, dtype)
                kernel.call(x, y, 2, x.shape[1], x.shape[2], oh, ow, first, 1)
                return y

            y = by_threads(run)
            wanted = shown(x[:2], step, first, offsets, oh, ow)
            np.testing.assert_allclose(y[:2], wanted, rtol=1e-6, atol=1e-6)
            assert (y[2] == 7).all()
