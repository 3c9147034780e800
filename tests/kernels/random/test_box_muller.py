"""Normal numbers from pairs of uniform ones."""

from __future__ import annotations

import numpy as np

from rushlight.kernels.random.box_muller import box_muller_16


def test_against_the_formula_in_float64(rng: np.random.Generator) -> None:
    """Of 16 uniform numbers the first 8 are radii, the others angles."""
    u = rng.random((200, 16), dtype=np.float32)
    got = box_muller_16(u.reshape(-1).copy(), 0.0, 1.0).reshape(200, 16)
    radius = np.sqrt(-2 * np.log1p(-u[:, :8].astype(np.float64)))
    angle = 2 * np.pi * u[:, 8:].astype(np.float64)
    wanted = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], 1)
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)


def test_mean_and_deviation(rng: np.random.Generator) -> None:
    u = rng.random(160_000, dtype=np.float32)
    x = box_muller_16(u, 3.0, 0.5)
    assert abs(x.mean() - 3) < 0.01
    assert abs(x.std() - 0.5) < 0.01
