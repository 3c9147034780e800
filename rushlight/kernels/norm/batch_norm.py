"""Batch, group and instance norm: bodies that LLVM (`channels.py`) and NumPy read.

A row is what one channel has in all images, or one group of channels in a sample. With weights of
the channels of a group there are words beside those of `codegen/row_body.py`:

    r.channels(write)            `write(c)` for each channel of the group, a reader of its own
    c.channel(name)              a channel's number
    c.add_channel(name, v)       a sum over all samples, for each channel: += v
    r.channel_means(n, values)   sums of n values of each channel, over the elements of the group

Not here: when which of them computes a call (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.row_body import row_body
from .layer_norm import EPS, inverse_std

FORWARD = {
    "x": "row: data", "w": "one: weight", "b": "one: bias", "mean": "one: mean",
    "var": "one: variance", "y": "row: the result",
}  # fmt: skip
BACKWARD = {
    "g": "row: gradient of y", "x": "row: data", "w": "one: weight", "mean": "one: mean",
    "var": "one: variance", "dx": "row: gradient of x", "dw": "one: gradient of w",
    "db": "one: gradient of b",
}  # fmt: skip


def moments(r: Any) -> tuple[Any, Any]:
    """Mean and variance, which are kept; the variance in a second pass."""
    mean = r.mean(lambda i: r.load("x", i))
    middle = r.wide(mean)

    def square(i: Any) -> tuple[Any, Any]:
        d = r.load("x", i) - middle
        return d, d

    var = r.mean(square)
    r.set_one("mean", mean)
    r.set_one("var", var)
    return mean, var


def scaled(r: Any, mean: Any, var: Any) -> None:
    """y = x scale + shift with scale = rstd w, shift = b - mean scale."""
    scale = inverse_std(r, var)
    if r.has("w"):
        scale = scale * r.one("w")
    shift = -mean * scale
    if r.has("b"):
        shift = shift + r.one("b")
    scale, shift = r.wide(scale), r.wide(shift)
    r.each(lambda i: r.store("y", i, r.fma(r.load("x", i), scale, shift)))


@row_body(FORWARD, EPS)
def batch_norm(r: Any) -> None:
    """y = (x - mean) / sqrt(var + eps) * w + b with the moments of x, which are kept."""
    scaled(r, *moments(r))


@row_body(FORWARD, EPS)
def batch_norm_eval(r: Any) -> None:
    """y = (x - mean) / sqrt(var + eps) * w + b with the moments given."""
    scaled(r, r.one("mean"), r.one("var"))


def slopes(r: Any, training: bool) -> None:
    """dw = sum g xh, db = sum g with xh = (x - mean) / sqrt(var + eps), and dx."""
    mean = r.wide(r.one("mean"))
    rstd = inverse_std(r, r.one("var"))

    def apart(i: Any) -> Any:
        return r.load("x", i) - mean

    def products(i: Any) -> tuple[Any, Any]:
        g = r.load("g", i)
        return (g, apart(i)), g

    along, db = r.totals(2, products)
    dw = along * rstd
    r.set_one("dw", dw)
    r.set_one("db", db)
    if not r.has("dx"):
        return
    scale = r.wide(rstd * r.one("w") if r.has("w") else rstd)
    if training:
        share = 1.0 / r.count
        slope, less = r.wide(-(dw * share) * rstd), r.wide(db * share)

    def write(i: Any) -> None:
        g = r.load("g", i)
        if training:
            g = r.fma(apart(i), slope, g - less)
        r.store("dx", i, g * scale)

    r.each(write)


@row_body(BACKWARD, EPS)
def batch_norm_grad(r: Any) -> None:
    """dw = sum g xh, db = sum g, dx = rstd w (g - mean(g) - xh mean(g xh))."""
    slopes(r, True)


@row_body(BACKWARD, EPS)
def batch_norm_eval_grad(r: Any) -> None:
    """dw = sum g xh, db = sum g, dx = rstd w g."""
    slopes(r, False)


@row_body(FORWARD, EPS)
def group_norm(r: Any) -> None:
    """y = (x - mean) / sqrt(var + eps) * w + b with the moments of a group, which are kept; w and b
    of its channels."""
    mean, var = moments(r)
    rstd = inverse_std(r, var)

    def write(c: Any) -> None:
        scale = rstd * c.channel("w") if r.has("w") else rstd
        shift = -mean * scale
        if r.has("b"):
            shift = shift + c.channel("b")
        scale, shift = c.wide(scale), c.wide(shift)
        c.each(lambda i: c.store("y", i, r.fma(c.load("x", i), scale, shift)))

    r.channels(write)


@row_body(BACKWARD, EPS)
def group_norm_grad(r: Any) -> None:
    """dx = rstd (h - mean(h) - xh mean(h xh)) with h = g w; dw = sum g xh, db = sum g of a
    channel."""
    mean = r.wide(r.one("mean"))
    rstd = inverse_std(r, r.one("var"))

    def values(c: Any) -> tuple[Any, Any]:
        def products(i: Any) -> tuple[Any, Any]:
            g = c.load("g", i)
            return (g, c.load("x", i) - mean), g

        along, level = c.totals(2, products)
        along = along * rstd
        if r.has("dw"):
            c.add_channel("dw", along)
        if r.has("db"):
            c.add_channel("db", level)
        if r.has("w"):
            w = c.channel("w")
            along, level = along * w, level * w
        return along, level

    along, level = r.channel_means(2, values)
    if not r.has("dx"):
        return
    slope, less, wide_rstd = r.wide(-along * rstd), r.wide(level), r.wide(rstd)

    def write(c: Any) -> None:
        w = c.wide(c.channel("w")) if r.has("w") else None

        def at(i: Any) -> None:
            h = c.load("g", i) if w is None else c.load("g", i) * w
            c.store("dx", i, r.fma(c.load("x", i) - mean, slope, h - less) * wide_rstd)

        c.each(at)

    r.channels(write)
