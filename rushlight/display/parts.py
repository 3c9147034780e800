"""Pieces of HTML: escaped text, a frame in the notebook's own colours, a PNG, a table.

Text and lines have the colour of the page around them, and surfaces are washes of grey or of one
colour over it, so the same HTML is right in light and in dark.
"""

from __future__ import annotations

import base64
import functools
import html
import math
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

FRAME = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;color:inherit"
MONO = (
    "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px;color:inherit;"
    "background:none;margin:4px 0;padding:0;white-space:pre;overflow-x:auto"
)
QUIET = "opacity:.7"
CELL = (
    "padding:1px 12px 1px 0;text-align:left;vertical-align:top;border:none;"
    "background:none;color:inherit"
)
MOST_TEXT = 20_000  # characters of one object's text

escaped = html.escape


def shown(body: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    """A display that says nothing where it fails, so that the notebook shows the plain text."""

    @functools.wraps(body)
    def safe(what: Any) -> str | None:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return body(what)
        except Exception:  # what a program's own class does wrong is not for a display to tell
            return None

    return safe


def frame(*pieces: str) -> str:
    """A whole display."""
    return f'<div style="{FRAME}">{"".join(pieces)}</div>'


def heading(name: str, *facts: str) -> str:
    """The first line: what it is, and what is known of it, divided by dots."""
    told = " · ".join(escaped(fact) for fact in facts if fact)
    dot = " · " if told else ""
    return f'<div><b>{escaped(name)}</b><span style="{QUIET}">{dot}{told}</span></div>'


def text(words: str) -> str:
    """Text as it stands, in one width."""
    if len(words) > MOST_TEXT:
        words = words[:MOST_TEXT] + f"\n... {len(words) - MOST_TEXT:,} characters more"
    return f'<pre style="{MONO}">{escaped(words)}</pre>'


def folded(summary: str, body: str, is_open: bool = False) -> str:
    """Something that a click unfolds; `summary` and `body` are HTML."""
    opened = " open" if is_open else ""
    return (
        f'<details{opened}><summary style="cursor:pointer">{summary}</summary>'
        f'<div style="margin-left:18px">{body}</div></details>'
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of texts."""
    top = "".join(f'<th style="{CELL};{QUIET};font-weight:normal">{escaped(h)}</th>' for h in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{escaped(c)}</td>' for c in row) + "</tr>"
        for row in rows
    )
    return (
        '<table style="border-collapse:collapse;font-size:12px;margin:2px 0;border:none">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if count == int(count) else f"{count:,.1f} {unit}"


def counted(count: int, word: str) -> str:
    """`3 items`, `1 item`."""
    ending = "" if count == 1 else "es" if word.endswith("ch") else "s"
    return f"{count:,} {word}{ending}"


def number(value: Any) -> str:
    """A number in few characters."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.4g}"
    return f"{float(value):.4g}"


def shape_text(shape: Iterable[int]) -> str:
    """A shape for people: `(3, 224, 224)`."""
    return str(tuple(int(n) for n in shape))


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of uint8 pixels: (H, W) grey, (H, W, 3) in colour, (H, W, 4) with transparency."""
    height, width = pixels.shape[:2]
    kind = {2: 0, 3: {3: 2, 4: 6}.get(pixels.shape[-1])}[pixels.ndim]
    rows = np.ascontiguousarray(pixels, np.uint8).reshape(height, -1)
    # each row begins with the number of its filter: 0, none
    raw = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw))
        + chunk(b"IEND", b"")
    )


def picture(pixels: np.ndarray, words: str, least: int = 160) -> str:
    """An image of pixels that stands in the page itself; small ones are drawn larger."""
    height, width = pixels.shape[:2]
    times = max(1, math.floor(least / max(height, width)))
    data = base64.b64encode(png(pixels)).decode()
    return (
        f'<img alt="{escaped(words)}" title="{escaped(words)}" width="{width * times}" '
        f'height="{height * times}" style="image-rendering:pixelated;max-width:100%;'
        f'margin:4px 0;display:block" src="data:image/png;base64,{data}">'
    )
