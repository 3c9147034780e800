"""Elements of a product of dense matrices, by machine code."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import rows as row_types
from rushlight.kernels import runtime
from rushlight.kernels.sparse import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("width", [1, 3, 16, 33, 64, 200])
def test_elements(rng: Any, width: int, dtype: Any, limits: Any) -> None:
    if not row_types.has_kernels(np.dtype(dtype)):
        pytest.skip("this CPU does not convert float16")
    a, b = (rng.standard_normal((n, width)).astype(dtype) for n in (7, 9))
    rows, cols = rng.integers(0, 7, 50), rng.integers(0, 9, 50).astype(np.int32)
    terms = (a.astype(np.float64)[rows], b.astype(np.float64)[cols])
    exact, size = (terms[0] * terms[1]).sum(1), abs(terms[0] * terms[1]).sum(1)
    with limits(CSR_LEAST=1):
        for left, right in ((a, b), (np.asfortranarray(a), b[::-1][::-1])):
            y = select.sddmm(left, right, rows, cols)
            assert y.dtype == dtype
            eps = {2: 2.0**-8, 4: 2.0**-24, 8: 2.0**-53}[y.itemsize]
            limit = (eps + width * (2.0**-24 if y.itemsize < 8 else eps)) * size + 1e-7 * (
                y.itemsize == 2
            )
            assert (abs(y.astype(np.float64) - exact) <= limit).all()
