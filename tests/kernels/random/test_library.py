"""Functions of the C library: those that Python's `math` calls."""

from __future__ import annotations

import ctypes
import math

import numpy as np

from rushlight.kernels.random import library


def test_they_give_what_python_gives(rng: np.random.Generator) -> None:
    found = library.symbols(("cos", "log", "log1p", "pow", "sin"))
    x = rng.uniform(0.0, 3.0, 200).tolist()
    for name in ("cos", "log", "log1p", "sin"):
        call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(found[name])
        assert [call(v) for v in x] == [getattr(math, name)(v) for v in x]
    power = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(found["pow"])
    assert [power(v, 0.7) for v in x] == [v**0.7 for v in x]
