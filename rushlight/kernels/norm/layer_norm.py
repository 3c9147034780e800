"""Layer and RMS norm, and the length of a row made 1, in one pass over memory.

A row is small enough for the cache: its moments, then the distances from the mean, then the result
are computed while it is there. Gradients likewise; the sums over rows that weight and bias need are
gathered for each chunk, and the calling thread adds the chunks' sums in order at the end.

The bodies are read by LLVM and by NumPy. Not here: channels and groups (`batch_norm.py`); when
which of them computes a call (`select.py`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..codegen.row_body import row_body

if TYPE_CHECKING:
    from ..codegen.interface import Kernel

EPS = {"eps": "added to the variance"}
# Rows behind a formula: of 768 rows of 512 behind `gelu(x) + y` 45.5 µs in place of 55.6 (two: 48).
# A norm alone waits for memory: with four rows 37.5 -> 40.5 µs (RMS, 2048 rows of 384).
TOGETHER = 4


def inverse_std(r: Any, var: Any) -> Any:
    """1 / sqrt(var + eps)."""
    return 1.0 / r.sqrt(var + r.parameter("eps"))


@row_body(
    {"x": "row: data", "w": "line: weight", "b": "line: bias", "y": "row: the result",
     "mean": "one: mean", "rstd": "one: 1 / sqrt(variance + eps)"}, EPS,
    fronts={"x": "y"}, writes=("y", "mean", "rstd"), together=TOGETHER,
)  # fmt: skip
def layer_norm(r: Any) -> None:
    """y = (x - mean) * rstd * w + b; without a mean, RMS norm: y = x * rstd * w."""
    mean: Any = None
    if r.has("mean"):
        mean = r.mean(lambda i: r.load("x", i))
        r.set_one("mean", mean)
        mean = r.wide(mean)

    def apart(i: Any) -> Any:
        return r.load("x", i) if mean is None else r.load("x", i) - mean

    def square(i: Any) -> Any:
        d = apart(i)
        return d, d

    rstd = inverse_std(r, r.mean(square))
    r.set_one("rstd", rstd)
    rstd = r.wide(rstd)

    def write(i: Any) -> None:
        r.next("x", i)
        t = apart(i) * rstd
        if r.has("w") and r.has("b"):
            t = r.fma(t, r.load("w", i), r.load("b", i))
        elif r.has("w"):
            t = t * r.load("w", i)
        elif r.has("b"):
            t = t + r.load("b", i)
        r.store("y", i, t)

    r.each(write)


@row_body(
    {"g": "row: gradient of y", "x": "row: data", "w": "line: weight", "mean": "one: mean",
     "rstd": "one: 1 / sqrt(variance + eps)", "dx": "row: gradient of x",
     "dw": "sum: gradient of w", "db": "sum: gradient of b"},
    fronts={"g": "dx", "x": None}, writes=("dx", "dw", "db"),
)  # fmt: skip
def layer_norm_grad(r: Any) -> None:
    """With d = x - mean and h = g w: dx = rstd (h - mean(h) - d rstd rstd mean(h d)),
    dw = sum g d rstd, db = sum g; without a mean, dx = rstd (h - d rstd rstd mean(h d))."""
    share = 1.0 / r.count
    one = r.one("rstd")
    rstd = r.wide(one)
    mean = r.wide(r.one("mean")) if r.has("mean") else None

    def both(i: Any) -> tuple[Any, Any]:
        """g and x - mean."""
        d = r.load("x", i)
        return r.load("g", i), d if mean is None else d - mean

    def products(i: Any) -> tuple[Any, ...]:
        g, d = both(i)
        h = g * r.load("w", i) if r.has("w") else g
        return ((h, d),) if mean is None else ((h, d), h)

    if r.has("dx"):
        found = r.totals(1 if mean is None else 2, products)
        slope = r.wide(-(found[0] * share * one * one * one))
        less = None if mean is None else r.wide(-(found[1] * share * one))

    def write(i: Any) -> None:
        g, d = both(i)
        if r.has("dx"):
            scale = r.load("w", i) * rstd if r.has("w") else rstd
            h = g * scale if less is None else r.fma(g, scale, less)
            r.store("dx", i, r.fma(d, slope, h))
        if r.has("dw"):
            r.add_line("dw", i, g * rstd, d)
        if r.has("db"):
            r.add_line("db", i, g)

    r.each(write)


@functools.cache
def gradient(e: str, given: tuple[str, ...]) -> Kernel:
    """The kernel of `layer_norm_grad`, whose dw and db have a line for each chunk, which are added
    up in the end."""
    from ..codegen.row_kernels import summing_kernel

    return summing_kernel(layer_norm_grad, e, given)


# -- the length of a row made 1 ------------------------------------------------------------------

FLOOR = {
    "eps": "the least length",
    "stops": "1 where the floor stops the gradient, else 0",
}


@row_body(
    {"x": "row: data", "norm": "one: the length", "y": "row: the result"}, FLOOR,
    fronts={"x": "y"}, writes=("norm", "y"),
)  # fmt: skip
def unit(r: Any) -> None:
    """y = x / max(norm, eps) with norm = sqrt(sum(x ** 2)), which is kept."""
    norm = r.sqrt(r.reduce("add", lambda i: (r.load("x", i), r.load("x", i))))
    r.set_one("norm", norm)
    eps = r.parameter("eps")
    length = r.wide(r.select(norm < eps, eps, norm))
    r.each(lambda i: r.store("y", i, r.load("x", i) / length))


@row_body(
    {"g": "row: gradient of y", "x": "row: data", "norm": "one: the length",
     "dx": "row: gradient of x"}, FLOOR, fronts={"g": "dx", "x": None}, writes=("dx",),
)  # fmt: skip
def unit_grad(r: Any) -> None:
    """dx = g / l - x sum(g x) / (l l norm) with l = max(norm, eps); the second part is 0 where the
    norm is, and where the floor holds and stops the gradient."""
    norm, eps = r.one("norm"), r.parameter("eps")
    held = norm < eps
    length = r.select(held, eps, norm)
    along = r.reduce("add", lambda i: (r.load("g", i), r.load("x", i)))
    slope = along / length / length / norm
    slope = r.select(held, slope * (1.0 - r.parameter("stops")), slope)
    slope = r.wide(r.select(norm == 0.0, 0.0, slope))
    length = r.wide(length)
    r.each(lambda i: r.store("dx", i, r.load("g", i) / length - r.load("x", i) * slope))
