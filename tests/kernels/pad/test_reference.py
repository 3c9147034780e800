"""Padding by NumPy: against np.pad, cropping, and transposes."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import tuning
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
def test_long_dims_have_the_bits_of_short_ones(
    mode: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rng.standard_normal((3, 9, 8)).astype(np.float32)
    for pad in [(6, 7), (0, 5, 7, 0), (-2, 3), (4, -3, -8, 2)]:
        found = []
        for limit, few in ((1, 0), (1 << 20, 1 << 20)):
            monkeypatch.setattr(tuning, "PAD_EDGES_LONG", limit)
            monkeypatch.setattr(reference, "FEW", few)
            y = reference.by_sources(x, pad, mode)
            found.append((y, reference.to_sources(y, pad, mode)))
        for a, b in zip(*found, strict=True):
            assert a.tobytes() == b.tobytes()
            assert a.strides == b.strides


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_more_is_cut_off_than_there_is(mode: str, rng: np.random.Generator) -> None:
    """What is left lies beyond the edge, and has a transpose all the same."""
    x = rng.standard_normal((2, 3))
    for pad in [(-4, 5), (5, -4)]:
        y = reference.by_sources(x, pad, mode)
        g = rng.standard_normal(y.shape)
        assert (y * g).sum() == pytest.approx((x * reference.to_sources(g, pad, mode)).sum())


@pytest.mark.parametrize("mode", MODES)
def test_the_transpose(mode: str, rng: np.random.Generator) -> None:
    """<pad(x), g> = <x, transpose(g)>."""
    pad = (2, 1, 1, 3)
    x = rng.standard_normal((2, 5, 6))
    y = reference.by_sources(x, pad, mode)
    g = rng.standard_normal(y.shape)
    assert (y * g).sum() == pytest.approx((x * reference.to_sources(g, pad, mode)).sum())
