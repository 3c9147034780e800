"""Tables of Fourier transforms, and NumPy's way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rushlight.kernels.fft import reference


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 40, 999, 1024])
def test_roots_are_as_near_as_float64_gets(n: int) -> None:
    k = np.arange(-3, 2 * n)
    angle = np.arctan(np.longdouble(1)) * 8 * (k % n) / n
    for back in (False, True):
        z = reference.roots(n, k, back)
        assert abs(z.real - np.cos(angle)).max() < 1.2e-16
        assert abs(z.imag - (1 if back else -1) * np.sin(angle)).max() < 1.2e-16
    if n % 8 == 0:
        assert set(reference.roots(n, np.arange(0, n, n // 4), False)) == {1, -1j, -1, 1j}


def test_radices_multiply_to_the_size() -> None:
    for n in range(2, 300):
        found = reference.radices(n)
        rest = n
        for p in (2, 3, 5, 7, 11, 13):
            while rest % p == 0:
                rest //= p
        assert (found is None) == (rest > 1)
        if found:
            assert math.prod(found) == n
            assert set(found) <= {2, 3, 4, 5, 7, 8, 11, 13}
    assert reference.radices(1024) == [4, 4, 8, 8]


def test_a_long_transform_is_two_short_ones() -> None:
    assert reference.rounds(1024) == (32, 32)
    assert reference.rounds(65536) == (256, 256)
    assert reference.rounds(1 << 17) is None
    assert reference.rounds(7 * 1024) == (64, 112)
    assert reference.rounds(17 * 1024) is None
    assert reference.rounds(64) is None  # its halves would be single passes


def test_the_table_of_passes() -> None:
    found, steps, factors = reference.pass_tables(40, False, np.float64)
    assert found == [5, 8]
    assert steps.tolist() == [[5, 8, 1, 0], [8, 1, 5, 64]]
    first = factors[:64].reshape(8, 4, 2) @ [1, 1j]
    wanted = np.exp(-2j * np.pi / 40 * np.outer(np.arange(8), np.arange(1, 5)))
    np.testing.assert_allclose(first, wanted, atol=1e-15)


def test_numpys_ways_lie_as_pytorchs() -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 6))
    y = reference.r2c(x, dims=(0,), scale=0.5)
    np.testing.assert_allclose(y, np.fft.rfft(x, axis=0) / 2)
    assert y.strides == (16, 6 * 2 * 16, 2 * 16)
    z = reference.c2c(x + 0j, dims=(1, 0), forward=False, scale=2.0)
    np.testing.assert_allclose(z, np.fft.ifftn(x, axes=(1, 0), norm="forward") * 2)
    assert z.strides == (4 * 16, 16, 12 * 16)
    back = reference.c2r(np.fft.rfftn(x), dims=(0, 1, 2), n=6, scale=1 / x.size)
    np.testing.assert_allclose(back, x)
