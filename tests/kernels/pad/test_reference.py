"""Padding by NumPy: against np.pad, cropping, and transposes."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.pad import reference

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@pytest.mark.parametrize("pad", [(1, 2), (0, 3, 2, 1), (2, 0, 1, 1, 0, 1)])
def test_constants(pad: tuple[int, ...], rng: np.random.Generator) -> None:
    x = rng.standard_normal((3, 4, 5))
    around = [(0, 0)] * (3 - len(pad) // 2) + [*zip(pad[::2], pad[1::2], strict=True)][::-1]
    wanted = np.pad(x, around, constant_values=1.5)
    np.testing.assert_array_equal(reference.constant(x, pad, 1.5), wanted)
    assert reference.padded_shape(x.shape, pad) == wanted.shape


def test_negative_margins_crop(rng: np.random.Generator) -> None:
    x = rng.standard_normal((4, 6))
    np.testing.assert_array_equal(reference.constant(x, (-1, 2), 0.0)[:, :5], x[:, 1:])
    assert reference.padded_shape((4, 6), (-1, -2, -1, 0)) == (3, 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pad", [(1, 2), (2, 1, 1, 3)])
def test_what_lies_beyond_the_edges(
    mode: str, pad: tuple[int, ...], rng: np.random.Generator
) -> None:
    x = rng.standard_normal((2, 5, 6))
    around = [(0, 0)] * (3 - len(pad) // 2) + [*zip(pad[::2], pad[1::2], strict=True)][::-1]
    np.testing.assert_array_equal(
        reference.by_sources(x, pad, mode), np.pad(x, around, mode=MODES[mode])
    )


@pytest.mark.parametrize("mode", MODES)
def test_the_transpose(mode: str, rng: np.random.Generator) -> None:
    """<pad(x), g> = <x, transpose(g)>."""
    pad = (2, 1, 1, 3)
    x = rng.standard_normal((2, 5, 6))
    y = reference.by_sources(x, pad, mode)
    g = rng.standard_normal(y.shape)
    assert (y * g).sum() == pytest.approx((x * reference.to_sources(g, pad, mode)).sum())
