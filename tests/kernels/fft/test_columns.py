"""Transforms along dims that are not the innermost one: sizes, tails, threads, pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.fft import columns

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [("c2c", (3, 60, 36)), ("c2c", (512, 5)), ("r2c", (16, 20, 8)), ("c2r", (2, 1024, 9))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kind", "shape"), CASES)
def test_pointers_give_the_bits_of_arrays(
    call: Any, alike: Any, kind: str, shape: Any, dtype: Any
) -> None:
    made = call(kind, shape, (len(shape) - 2, len(shape) - 1), dtype)
    names = [launch.kernel.interface.name for launch in made.plan.launches]
    assert "fft_columns" in names
    alike(made)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("inner", [4, 6, 16, 18, 40])
@pytest.mark.parametrize("n", [4, 6, 30, 256, 300, 1024])
def test_sizes_and_tails(call: Any, n: int, inner: int, dtype: Any) -> None:
    for forward in (True, False):
        call("c2c", (3, n, inner), (1, 2), dtype, forward, 0.5).check()
        call("c2c", (3, n, inner), (0, 2), dtype, forward, 0.5).check()
    call("r2c", (3, n, inner), (1, 2), dtype, scale=0.5).check()
    call("c2r", (3, n, inner), (1, 2), dtype, scale=0.5).check()


def test_a_kernel_names_its_arguments() -> None:
    text = columns.kernel("float", (4, 8), False).interface.documentation()
    assert "y = scale * the transform of x along its middle dim" in text
