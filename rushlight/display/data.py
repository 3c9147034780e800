"""Data sets and loaders in a notebook: how much there is, and the first item.

A loader is not started, and a stream is not read. A data set's first item is asked for, with the
generators of random numbers put back afterwards, so that looking changes nothing that follows.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor
from ..torch_names import is_own
from . import parts, tensors

MOST_PARTS = 8  # of an item
MOST_WORDS = 300


@parts.shown
def dataset(d: Any) -> str | None:
    """The display of a data set."""
    own = type(d).__repr__
    said = parts.text(repr(d)) if own is not object.__repr__ and not is_own(own.__module__) else ""
    return parts.frame(*described(d), said)


def described(d: Any) -> list[str]:
    """The heading, and the first item where there is one."""
    if not hasattr(type(d), "__len__"):
        kind = "a stream" if hasattr(type(d), "__iter__") else "no length"
        return [parts.heading(type(d).__name__, kind)]
    count = len(d)
    pieces = [parts.heading(type(d).__name__, parts.counted(count, "item"))]
    if count and not hasattr(type(d), "__iter__"):
        pieces.append(parts.folded("the first item", item(first(d)), True))
    return pieces


def first(d: Any) -> Any:
    """`d[0]`, with the generators as before."""
    ours, pythons, numpys = get_rng_state(), random.getstate(), np.random.get_state()
    try:
        return d[0]
    except Exception as error:  # the program's own code: what it says is what there is to show
        return Failed(f"{type(error).__name__}: {error}")
    finally:
        set_rng_state(ours)
        random.setstate(pythons)
        np.random.set_state(numpys)


class Failed(str):
    """Why there is no first item."""


def item(value: Any) -> str:
    """An item as HTML: tensors as they are shown alone, tuples and dictionaries part by part."""
    if isinstance(value, Failed):
        return parts.text(f"asking for it raises {value}")
    if isinstance(value, Tensor) and value.ndim:
        return tensors.body(value)
    named = isinstance(value, dict)
    if named or isinstance(value, (tuple, list)):
        pairs = list(value.items() if named else enumerate(value))
        rows = [
            f'<div style="display:flex;gap:8px"><span style="{parts.QUIET}">{parts.escaped(str(k))}'
            f"</span><div>{item(v)}</div></div>"
            for k, v in pairs[:MOST_PARTS]
        ]
        more = len(pairs) - MOST_PARTS
        return "".join(rows) + (parts.text(f"... {more} more") if more > 0 else "")
    words = repr(value)
    return parts.text(words if len(words) <= MOST_WORDS else words[:MOST_WORDS] + "...")


@parts.shown
def loader(given: Any) -> str | None:
    """The display of a loader: how it batches, and its data set. Nothing is loaded."""
    facts = []
    d, size = given.dataset, given.batch_size
    if hasattr(type(d), "__len__"):
        facts.append(parts.counted(len(given), "batch"))
    facts.append(f"batch_size {size}" if size is not None else "no batches of its own")
    if given.sampler is not None:
        facts.append(f"order by {type(given.sampler).__name__}")
    workers = given.num_workers
    facts.append(parts.counted(workers, "worker") if workers else "read in this process")
    if given.drop_last:
        facts.append("the last short batch is dropped")
    inner = f'<div style="margin-left:18px">{"".join(described(d))}</div>'
    return parts.frame(parts.heading(type(given).__name__, *facts), inner)
