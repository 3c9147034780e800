"""Putting the page together: one HTML file with its style, its script and its data inside.

The file forbids itself every request (its Content-Security-Policy), so that a page that somebody
sends can be opened without a thought. Not here: how the data is packed (`pack.py`), and which
steps of a long recording are (`trim.py`).
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from ..recording import Recording
from .pack import pack
from .trim import trimmed

HERE = Path(__file__).parent

# In the order in which they stand in the page, and in which to read them.
SCRIPTS = (
    "base.js",  # escaped HTML, units, small drawings
    "data.js",  # unpacking, and who belongs to whom
    "words.js",  # the words of the page, explained
    "shell.js",  # tabs, addresses after the #, the choice of a step, printing
    "search.js",
    "overview.js",
    "tree.js",  # the graph folded by module
    "operation.js",  # what an op shows when it is opened
    "flame.js",
    "ops.js",  # the table of ops and the limits of the machine
    "memory.js",
    "savings.js",  # what no_grad, detach and checkpoint would save
    "numbers.js",
    "program.js",
    "start.js",
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<noscript><p>This page draws itself with JavaScript, which is switched off in this browser. \
It asks nobody for anything: all of it is in this file.</p></noscript>
<div id="app" aria-busy="true"><p class="loading">Unpacking the recording…</p></div>
<script type="text/plain" id="data">{data}</script>
<script>
"use strict";
{script}</script>
</body>
</html>
"""


def html(recording: Recording) -> str:
    """The text of the page."""
    return PAGE.format(
        title=escape(f"{recording.program or 'A step'} · Rushlight"),
        style=(HERE / "style.css").read_text(encoding="utf-8"),
        data=pack(trimmed(recording)),
        script="".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    )


def write(recording: Recording, path: str | os.PathLike[str]) -> Path:
    """Write a recording's page to a file, which is replaced in one move, and return its path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(html(recording), encoding="utf-8")
    os.replace(new, path)
    return path
