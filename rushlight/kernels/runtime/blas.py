"""NumPy's BLAS beside our own threads.

OpenBLAS has threads of its own. After a product that they shared they look for the next one for
some 25 ms, each on a core that our workers then miss: an Adam step of a small network took 1.4
times as long. So products of a middle size, which our kernels leave to NumPy, run on one thread of
BLAS, by a setting that lasts for the call. All else has all threads: factorizations, products of
other types, other people's use of NumPy. Without our kernels nothing is set at all.

Small products, which BLAS never shares, do not come this way: setting costs half a microsecond.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from ... import config
from .. import runtime
from ..tuning import BLAS_LARGE, BLAS_SHARED, BLAS_SHARED_BY_VECTOR

Array = np.ndarray[Any, Any]


class _OneThread:
    """`with one_thread:` BLAS has one thread, for whoever uses it meanwhile. The first to come
    in sets it, the last to go puts it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = 1
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            blas = config.blas_threads()
            if self._inside == 1 and blas is not None:
                self._before = blas[0]()
                if self._before > 1:
                    blas[1](1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._put_back()

    def _put_back(self) -> None:
        blas = config.blas_threads()
        if self._before > 1 and blas is not None:
            blas[1](self._before)
        self._before = 1

    def _forget(self) -> None:
        """The threads that were inside are not in a forked child."""
        self._lock = threading.Lock()
        if self._inside:
            self._inside = 0
            self._put_back()


one_thread = _OneThread()


def dot(a: Array, b: Array) -> Array:
    """np.dot, which copies strided operands for BLAS by itself, of one or two dims."""
    work = a.size * (b.shape[-1] if b.ndim > 1 else 1)
    if work >= BLAS_SHARED_BY_VECTOR:
        narrow = a.ndim < 2 or b.ndim < 2 or a.shape[0] == 1 or b.shape[1] == 1
        shared = narrow or work >= BLAS_SHARED
        if shared and work < BLAS_LARGE and a.dtype.kind == "f" and runtime.available():
            with one_thread:
                return np.dot(a, b)
    return np.dot(a, b)
