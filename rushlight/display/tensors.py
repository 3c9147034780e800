"""A tensor in a notebook: an image, a heat map, a line; below it the text of `repr`.

Looked at are at most a few thousand elements, evenly spread; what was left out is said.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..kernels.meta import UnresolvedArray
from ..torch_names import is_own
from . import parts

MOST_ROWS, MOST_COLUMNS = 24, 32  # of a heat map
MOST_POINTS = 200  # of a line
MOST_PIXELS = 256  # along a side of one image
MOST_IMAGES, GRID_PIXELS = 16, 96  # of a batch
LEAST_PIXELS = 8
MOST_LINES = 16  # of text that is not folded
BELOW, ABOVE, ODD = "#3b82c4", "#d9772b", "#c026d3"


@parts.shown
def tensor(t: Any) -> str | None:
    """The display of a tensor; None where its own text says all, or its class has its own."""
    if not is_own(type(t).__repr__.__module__) or t.ndim == 0:
        return None
    words = repr(t)
    text = parts.text(words)
    if words.count("\n") > MOST_LINES:
        text = parts.folded("as text", text)
    return parts.frame(body(t), text)


def body(t: Any) -> str:
    """The heading and the picture."""
    a = t._a
    if isinstance(a, UnresolvedArray):
        a = a.resolved()
    held = a.__class__ is np.ndarray
    facts = [parts.shape_text(t.shape), str(t.dtype).partition(".")[2]]
    if held:
        facts.append(parts.size(a.size * a.dtype.itemsize))
    else:
        facts.append(str(t.device) if t.is_meta else parts.counted(t._nnz(), "value") + " stored")
    if t.requires_grad:
        facts.append("requires_grad")
    drawn, more = "", ""
    if held and a.size:
        try:
            drawn, more = image(a) or (heat_map(a), "") if a.ndim >= 2 else (line(a), "")
        except (TypeError, ValueError, OverflowError):  # a type that NumPy does not compute with
            drawn = ""
    return parts.heading(type(t).__name__, *facts, more) + drawn


def spread(length: int, most: int) -> np.ndarray:
    """At most so many places of a dimension, evenly spread, the first and the last among them."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.int64))


def wide(a: np.ndarray) -> np.ndarray:
    """The same numbers in a type that NumPy computes with; complex ones by their size."""
    if a.dtype.kind in "cW":
        return np.abs(a.astype(np.complex128))
    return a.astype(np.float64)


def values_of(a: np.ndarray) -> list[Any]:
    """The numbers as Python's."""
    kind = a.dtype.kind
    if kind in "bui":
        return a.tolist()  # type: ignore[no-any-return]
    return a.astype(np.complex128 if kind in "cW" else np.float64).tolist()  # type: ignore[no-any-return]


# -- images ----------------------------------------------------------------------------------------


def image(a: np.ndarray) -> tuple[str, str] | None:
    """(the picture, what was left out) of 1 or 3 channels with values of an image; else None."""
    if a.ndim not in (3, 4) or a.shape[-3] not in (1, 3) or min(a.shape[-2:]) < LEAST_PIXELS:
        return None
    if a.dtype != np.uint8 and a.dtype.kind not in "fV":
        return None
    batch = a if a.ndim == 4 else a[None]
    most = MOST_PIXELS if len(batch) == 1 else GRID_PIXELS
    rows, columns = side(a.shape[-2:], most)
    pixels = batch[:MOST_IMAGES][:, :, rows][:, :, :, columns]
    if a.dtype != np.uint8:
        values = wide(pixels)
        if not (values.min() >= 0 and values.max() <= 1 and values.min() < values.max()):
            return None
        pixels = (values * 255).round().astype(np.uint8)
    pixels = pixels.transpose(0, 2, 3, 1)
    drawn = pixels[0] if a.ndim == 3 else grid(pixels)
    if drawn.shape[-1] == 1:
        drawn = drawn[..., 0]
    left = []
    if len(batch) > MOST_IMAGES:
        left.append(f"the first {MOST_IMAGES} of {len(batch)} images")
    if pixels.shape[1:3] != a.shape[-2:]:
        left.append("drawn smaller")
    words = parts.counted(min(len(batch), MOST_IMAGES), "image") + " of " + str(a.shape[-2:])
    return parts.picture(drawn, words, 160 if len(batch) == 1 else 320), ", ".join(left)


def side(shape: tuple[int, ...], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of an image that is drawn with at most so many along its longer side."""
    step = max(1, math.ceil(max(shape) / most))
    return np.arange(0, shape[0], step), np.arange(0, shape[1], step)


def grid(images: np.ndarray) -> np.ndarray:
    """A batch as one image: rows of images with a line of transparent pixels between them."""
    count, height, width = images.shape[:3]
    across = math.ceil(math.sqrt(count))
    down = math.ceil(count / across)
    made = np.zeros((down * (height + 1) - 1, across * (width + 1) - 1, 4), np.uint8)
    for k in range(count):
        y, x = k // across * (height + 1), k % across * (width + 1)
        made[y : y + height, x : x + width, :3] = images[k]  # one channel stands for all three
        made[y : y + height, x : x + width, 3] = 255
    return made


# -- heat maps and lines ---------------------------------------------------------------------------


def heat_map(a: np.ndarray) -> str:
    """A matrix as squares: colour says the sign, how strong it is the size; a square's number and
    place stand at the pointer. Of more dimensions, the first matrix."""
    first = ""
    if a.ndim > 2:
        first = "the first matrix, [" + "0, " * (a.ndim - 2) + ":, :]"
        a = a[(0,) * (a.ndim - 2)]
    rows, columns = spread(a.shape[0], MOST_ROWS), spread(a.shape[1], MOST_COLUMNS)
    part = a[np.ix_(rows, columns)]
    sizes, values = wide(part), values_of(part)
    finite = np.isfinite(sizes)
    most = float(np.abs(sizes[finite]).max()) if finite.any() else 0.0
    edge = 14 if part.size <= 400 else 11
    squares = []
    for i, row in enumerate(rows.tolist()):
        for j, column in enumerate(columns.tolist()):
            value = float(sizes[i, j])
            colour, strength = ODD, 1.0
            if math.isfinite(value):
                colour = ABOVE if value >= 0 else BELOW
                strength = 0.04 + 0.96 * abs(value) / most if most else 0.04
            squares.append(
                f'<rect x="{j * edge}" y="{i * edge}" width="{edge - 1}" height="{edge - 1}" '
                f'fill="{colour}" fill-opacity="{strength:.2f}"><title>[{row}, {column}]  '
                f"{parts.number(values[i][j])}</title></rect>"
            )
    left = [first] if first else []
    if part.size < a.size:
        left.append(f"{len(rows)} of {a.shape[0]} rows, {len(columns)} of {a.shape[1]} columns")
    return (
        f'<svg width="{edge * len(columns)}" height="{edge * len(rows)}" role="img" '
        f'aria-label="heat map" style="margin:4px 0;display:block">{"".join(squares)}</svg>'
        + (f'<div style="{parts.QUIET}">{", ".join(left)}</div>' if left else "")
    )


def line(a: np.ndarray) -> str:
    """A vector as a line from its smallest number to its largest; gaps are NaN or infinite."""
    places = spread(len(a), MOST_POINTS)
    sizes = wide(a[places])
    finite = np.isfinite(sizes)
    if len(a) < 2 or not finite.any():
        return ""
    low, high = float(sizes[finite].min()), float(sizes[finite].max())
    width, height = 240.0, 40.0
    xs = np.linspace(2, width - 2, len(places))
    ys = height - 3 - (sizes - low) / ((high - low) or 1) * (height - 6)
    runs: list[list[str]] = [[]]
    for x, y, good in zip(xs, ys, finite, strict=True):
        if good:
            runs[-1].append(f"{x:.1f},{y:.1f}")
        elif runs[-1]:
            runs.append([])
    lines = "".join(
        f'<polyline points="{" ".join(run if len(run) > 1 else run * 2)}" fill="none" '
        f'stroke="{ABOVE}" stroke-width="1.5" stroke-linecap="round"/>'
        for run in runs
        if run
    )
    kind = "sizes " if a.dtype.kind in "cW" else ""
    words = f"{kind}from {parts.number(low)} to {parts.number(high)}"
    odd = int((~finite).sum())
    words += f", {odd} not finite" if odd else ""
    words += f", at {len(places)} places" if len(places) < len(a) else ""
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{words}" '
        f'style="margin:4px 0;display:block"><title>{words}</title>{lines}</svg>'
        f'<div style="{parts.QUIET}">{words}</div>'
    )
