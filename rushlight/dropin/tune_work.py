"""The work that `python -m rushlight tune` takes the time of, and the process that does it.

Two such processes run side by side, one with the matrix unit and one without it, and take turns:
each computes only when it is asked. A request is a line of JSON, and so is its answer.

Not here: whose turn it is, and what follows from the times (`tune.py`).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import config

Call = Callable[[], Any]


def random(*shape: int) -> Any:
    """Numbers of every size: on zeros the unit is faster than it is in earnest."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def product(m: int, k: int, n: int) -> Call:
    """A matrix by a matrix."""
    from ..kernels.matmul import select

    a, b = random(m, k), random(k, n)
    return lambda: select.product(a, b)


def linear(rows: int, k: int, n: int) -> Call:
    """A linear layer, its result and its two gradients."""
    from ..kernels.matmul import select

    x, w, g = random(rows, k), random(n, k), random(rows, n)
    pairs = ((x, w.T), (g, w), (g.T, x))
    return lambda: [select.product(a, b) for a, b in pairs]


def packed(rows: int, k: int, n: int) -> Call:
    """A step of a recurrent layer: by a matrix that stays packed."""
    from ..kernels.matmul.packed import packed

    a, c = random(rows, k), random(rows, n)
    b = packed(random(k, n), rows)
    return lambda: b.into(a, c)


def conv(way: str, images: int, channels: int, side: int) -> Call:
    """A convolution of 3 x 3 that keeps channels and size, or one of its gradients."""
    from ..kernels.conv import select

    how = ((1, 1), (1, 1), (1, 1), 1)
    x, w = random(images, channels, side, side), random(channels, channels, 3, 3)
    if way == "forward":
        return lambda: select.forward(x, w, None, *how)
    if way == "input":
        return lambda: select.input_gradient(x, w, (side, side), *how)
    return lambda: select.weight_gradient(x, x, (3, 3), *how)


# What training is made of: products and convolutions of its sizes, each way.
WORK: dict[str, tuple[str, Callable[..., Call], tuple[Any, ...]]] = {
    "product 1024 x 1024 x 1024": ("matmul", product, (1024, 1024, 1024)),
    "product 256 x 256 x 256": ("matmul", product, (256, 256, 256)),
    "linear 512 rows, 384 to 1536, both ways": ("matmul", linear, (512, 384, 1536)),
    "recurrent 32 rows, 512 to 2048": ("matmul", packed, (32, 512, 2048)),
}
for _images, _channels, _side in ((4, 64, 56), (4, 256, 14), (8, 512, 7)):
    for _way in ("forward", "input", "weight"):
        _name = f"conv 3x3, {_images} x {_channels} x {_side} x {_side}, {_way}"
        WORK[_name] = ("conv", conv, (_way, _images, _channels, _side))


def timed(call: Call, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of a call: the median of those that fit, of two at least."""
    call()  # its data come to the caches, the threads awake
    taken: list[float] = []
    end = clock() + seconds
    while len(taken) < 2 or clock() < end:
        begin = clock()
        call()
        taken.append(clock() - begin)
    return statistics.median(taken)


def ready() -> dict[str, Call]:
    """All of the work, each piece done once: then kernels are compiled."""
    calls = {name: make(*given) for name, (_, make, given) in WORK.items()}
    for call in calls.values():
        call()
    return calls


def uses() -> list[str]:
    """The groups of work that this process gives to the matrix unit."""
    from ..kernels import tuned
    from ..kernels.matmul.select import uses_amx

    return [group for group in tuned.GROUPS if uses_amx(group)]


def main() -> None:
    """Answer requests until there are no more."""
    calls = ready()
    print(json.dumps({"uses": uses(), "threads": config.get_num_threads()}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        config.set_num_threads(request["threads"])
        taken = timed(calls[request["work"]], request["seconds"])
        print(json.dumps({"seconds": taken}), flush=True)
