"""The kernel of extremes with places, called by pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.argreduce import select
from rushlight.kernels.plan import Plan

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize("how", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_that_is_one_block(limits: Any, on_pointers: Any, dtype: Any, how: str) -> None:
    """What the native launch leaves is the result."""
    x = np.random.default_rng(0).standard_normal((200, 40)).astype(dtype)
    x[3, 5] = np.nan
    with limits(ARGREDUCE_LEAST=1):
        made = select.plan(how, x.shape, x.strides, x.dtype, 0)
    outputs = {k: made.outputs[k] for k in ("parts", "parts_at")}
    parts, at = on_pointers(Plan("test", ("x",), outputs, made.launches[:1]), x)
    np.testing.assert_array_equal(parts[0, 0], getattr(x, how)(0))
    np.testing.assert_array_equal(at[0, 0], getattr(x, "arg" + how)(0))
