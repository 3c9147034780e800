"""One window for a whole plane, bodies of rows: its mean, and a number spread over it.

Not here: windows (`average_pool.py`), when this is used (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.row_body import row_body


@row_body({"x": "row: data", "y": "one: the mean"})
def mean(r: Any) -> None:
    """y = the mean of a row."""
    r.set_one("y", r.mean(lambda i: r.load("x", i)))


@row_body({"x": "row: gradient of x", "g": "one: gradient of the mean"})
def spread(r: Any) -> None:
    """x = g divided by how many elements a row has, for each of them."""
    share = r.wide(r.one("g") / r.count)
    r.each(lambda i: r.store("x", i, share))
