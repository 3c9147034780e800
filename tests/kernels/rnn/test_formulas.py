"""The cells of recurrent layers: their gradients against differences, and that readers agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.rnn import formulas
from rushlight.kernels.rnn.reference import Numpy
from rushlight.ops.nn.rnn import Recorded

H = 1e-6


def directional(fn: Any, inputs: list[np.ndarray], direction: list[np.ndarray]) -> float:
    """The derivative of a function of arrays along a direction."""
    ahead = fn(*(x + H * d for x, d in zip(inputs, direction, strict=True)))
    behind = fn(*(x - H * d for x, d in zip(inputs, direction, strict=True)))
    return (ahead - behind) / (2 * H)


def test_gradient_of_lstm(rng: np.random.Generator) -> None:
    i, f, g, o, c, to_h, to_c = rng.standard_normal((7, 4, 5))
    activated = formulas.lstm(Numpy, i, f, g, o, c)

    def total(*inputs: np.ndarray) -> float:
        *_gates, cell, h = formulas.lstm(Numpy, *inputs)
        return float((h * to_h).sum() + (cell * to_c).sum())

    found = formulas.lstm_gradient(Numpy, *activated[:5], c, to_h, to_c)
    direction = [rng.standard_normal(c.shape) for _ in range(5)]
    expected = directional(total, [i, f, g, o, c], direction)
    got = sum(float((a * b).sum()) for a, b in zip(found, direction, strict=True))
    assert got == pytest.approx(expected, rel=1e-6)


def test_gradient_of_gru(rng: np.random.Generator) -> None:
    r, z, n, pr, pz, pn, h, to_h = rng.standard_normal((8, 4, 5))
    *gates, _ = formulas.gru(Numpy, r, z, n, pr, pz, pn, h)

    def total(*inputs: np.ndarray) -> float:
        return float((formulas.gru(Numpy, *inputs)[-1] * to_h).sum())

    dr, dz, dinner, dn, dh = formulas.gru_gradient(Numpy, *gates, pn, h, to_h)
    found = [dr, dz, dn, dr, dz, dinner, dh]
    direction = [rng.standard_normal(h.shape) for _ in range(7)]
    expected = directional(total, [r, z, n, pr, pz, pn, h], direction)
    got = sum(float((a * b).sum()) for a, b in zip(found, direction, strict=True))
    assert got == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["tanh", "relu"])
def test_gradient_of_elman(name: str, rng: np.random.Generator) -> None:
    x, to_h = rng.standard_normal((2, 4, 5))
    cell, gradient = getattr(formulas, name), getattr(formulas, f"{name}_gradient")
    direction = [rng.standard_normal(x.shape)]
    expected = directional(lambda x: float((cell(Numpy, x) * to_h).sum()), [x], direction)
    got = float((gradient(Numpy, cell(Numpy, x), to_h) * direction[0]).sum())
    assert got == pytest.approx(expected, rel=1e-6)


def test_tensors_and_arrays_read_the_same(rng: np.random.Generator) -> None:
    arrays = rng.standard_normal((5, 3, 4))
    wanted = formulas.lstm(Numpy, *arrays)
    got = formulas.lstm(Recorded, *(rushlight.from_numpy(a) for a in arrays))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-12)
