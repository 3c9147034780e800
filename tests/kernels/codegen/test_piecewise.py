"""float32 functions of sixteen polynomials: their errors, at every edge between two of them too."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen import piecewise
from rushlight.kernels.runtime import jit

from .ulps import run

native = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def near(points: Any) -> np.ndarray:
    """The float32 numbers next to some points, on both sides and of both signs."""
    x = np.asarray(points, np.float32)
    found = [x]
    for to in (-np.inf, np.inf):
        y = x
        for _ in range(3):
            y = np.nextafter(y, np.float32(to))
            found.append(y)
    every = np.concatenate(found)
    return np.concatenate([every, -every])


@native
@pytest.mark.parametrize(
    ("name", "edges"),
    [("erf", [(k + 0.5) * piecewise.ERF_STEP for k in range(16)]),
     ("tanh", [0.25, 0.375, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, piecewise.TANH_TOP])],
)  # fmt: skip
def test_values_next_to_an_edge(name: str, edges: list[float]) -> None:
    x = np.concatenate([near(edges), near([1e-30, 1e-4, 0.1, 20.0])])
    exact = np.array([getattr(math, name)(float(v)) for v in x])
    error = np.abs(run(name, x) - exact) / np.spacing(np.abs(exact).astype(np.float32))
    assert error.max() <= 2, x[np.argmax(error)]


def test_polynomials_meet_the_function() -> None:
    powers = piecewise.interpolated(math.exp, 0.0, 1.0, 0.5, 8)
    for x in np.linspace(0, 1, 50):
        value = sum(c * (x - 0.5) ** k for k, c in enumerate(powers))
        assert abs(value - math.exp(x)) < 1e-8


def test_pieces_can_begin_elsewhere() -> None:
    pieces = piecewise.tanh_pieces()
    assert len(pieces.centers) == piecewise.COUNT
    assert piecewise.rotated(piecewise.rotated(pieces, 5), -5) == pieces
    assert piecewise.rotated(pieces, 1).centers[1] == pieces.centers[0]
