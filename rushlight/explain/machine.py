"""The machine: how many operations and bytes a second it can do, measured once by a short product
and a short copy."""

from __future__ import annotations

import functools
import os
import platform
import time

import numpy as np

from .. import config
from ..kernels.copy import select as copying
from ..kernels.matmul import select
from .recording import Machine

SIDE = 512  # of the product's matrices
ELEMENTS = 2 << 20  # of the copied array: more would be seen in the memory of small programs
SECONDS = 0.08  # for each of the two


@functools.cache
def measured() -> Machine:
    """The machine that this process runs on."""
    a = np.ones((SIDE, SIDE), np.float32)
    source, into = np.ones(ELEMENTS, np.float32), np.empty(ELEMENTS, np.float32)
    product = quickest(lambda: select.product(a, a))
    copy = quickest(lambda: copying.into(into, source))
    return Machine(name(), os.cpu_count() or 1, config.get_num_threads(),
                   2 * SIDE**3 / product, 2 * source.nbytes / copy)  # fmt: skip


def quickest(fn: object) -> float:
    """Seconds of the quickest call, of those that fit in some time: of five at least, as the first
    makes machine code."""
    best, end, calls = float("inf"), time.perf_counter() + SECONDS, 0
    while True:
        calls += 1
        begun = time.perf_counter()
        fn()  # type: ignore[operator]
        done = time.perf_counter()
        best = min(best, done - begun)
        if done > end and calls > 5:
            return best


def name() -> str:
    """What the processor is called."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
