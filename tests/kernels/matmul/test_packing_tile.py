"""Rows that are packed while they are multiplied: the bits of packing them before."""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.matmul import gemm, packing_tile, tile

from .test_gemm import product_by

pytestmark = pytest.mark.skipif(
    not runtime.available() or not packing_tile.is_fast(),
    reason="no LLVM here, RUSHLIGHT_JIT=0, or vectors of less than 512 bits",
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_height(dtype: Any, rng: np.random.Generator) -> None:
    """Panels of 1 to MR rows, one panel of B and several, one block of K and two."""
    for m in range(1, tile.tile_rows("float") + 1):
        for k, n in ((20, 7), (300, 100)):
            a, b = (rng.standard_normal((1, k, x)).astype(dtype) for x in (m, n))
            a = a.swapaxes(1, 2)
            got = product_by(a, b, gemm.FUSED, 256)
            np.testing.assert_array_equal(got, product_by(a, b, gemm.PACKED, 256))


def test_columns_that_are_apart(rng: np.random.Generator) -> None:
    """Nothing between the columns is read into the product, nor behind the last one."""
    whole = np.full((300, 90), np.nan, np.float32)
    whole[:, 5:65] = rng.standard_normal((300, 60))
    a, b = whole[:, 5:65].T[None], rng.standard_normal((1, 300, 40)).astype(np.float32)
    got = product_by(a, b, gemm.FUSED, 256)
    np.testing.assert_array_equal(got, product_by(a, b, gemm.PACKED, 256))
    assert np.isfinite(got).all()


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect by its name in libc")
def test_only_what_is_there_is_read(rng: np.random.Generator) -> None:
    """The last column ends where the memory ends: the page behind it must not be touched."""
    page, m = mmap.PAGESIZE, 60
    k = page // 8
    room = mmap.mmap(-1, m * k * 4 + page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert not protect(begin + m * k * 4, page, 0)
    a = np.frombuffer(room, np.float32, m * k).reshape(1, k, m)
    a[:] = rng.standard_normal((1, k, m))
    b = rng.standard_normal((1, k, 33)).astype(np.float32)
    got = product_by(a.swapaxes(1, 2), b, gemm.FUSED, 256)
    np.testing.assert_array_equal(got, product_by(a.copy().swapaxes(1, 2), b, gemm.PACKED, 256))
