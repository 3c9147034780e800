"""One element of an array for each index along a dimension, by NumPy.

Of few indices the places in memory are computed: where each index's line begins is kept by the
shapes, and `take` is told of one array of numbers. `np.take_along_axis` makes an index for each
dimension first, which takes longer than what it does (8 x 4: 3.6 µs, 1.3 here).

Not here: whole slices (`along.py`), what indices are allowed (`kernels/indices.py`).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import dense, tuning
from ..sparse.select import grid


def gather(a: np.ndarray, index: np.ndarray, d: int) -> np.ndarray:
    """a[..., index[..., j, ...], ...], in rows. Both have as many dims, one at least, and `index`
    is nowhere longer but along d; its numbers are in range."""
    if index.size <= tuning.GATHER_FEW and a.flags.c_contiguous:
        begins, step = lines(index.shape, a.shape, d)
        return a.take(index + begins if step == 1 else index * step + begins)
    if all(i == d or k == n for i, (k, n) in enumerate(zip(index.shape, a.shape, strict=True))):
        return dense.in_rows(np.take_along_axis(a, index, d))
    return dense.in_rows(a[grid(index, d)])


@functools.lru_cache(maxsize=64)
def lines(shape: tuple[int, ...], whole: tuple[int, ...], d: int) -> tuple[np.ndarray, int]:
    """Where in an array in rows, of the shape `whole`, the line along dimension d begins to which
    each element of an index belongs; and the step along it."""
    steps = [math.prod(whole[i + 1 :]) for i in range(len(whole))]
    begins = np.zeros((1,) * len(shape), np.int64)
    for i, n in enumerate(shape):
        if i != d:
            begins = begins + (np.arange(n) * steps[i]).reshape((n,) + (1,) * (len(shape) - i - 1))
    return begins, steps[d]
