"""The kernels of running results, called by pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.scan import scan, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.mark.parametrize(
    ("shape", "d"), [((70_001,), 0), ((7, 33), 1), ((33, 7), 0), ((2, 30, 19), 1)]
)
@pytest.mark.parametrize("how", ["add", "max"])
def test_pointers_give_the_bits_of_arrays(
    limits: Any, on_pointers: Any, how: str, shape: Any, d: int
) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    places = how == "max"
    with limits(SCAN_LEAST=1):
        plan = select.plan(how, x.shape, x.strides, x.dtype, d, False, places)
    got, wanted = on_pointers(plan, x), plan.run(x)
    pairs = zip(got, wanted, strict=True) if places else [(got, wanted)]
    for a, b in pairs:
        np.testing.assert_array_equal(a, b)


def test_a_kernel_names_its_arguments() -> None:
    text = scan.kernel("along", "max", "float", True, False).interface.documentation()
    assert "y = running max of x along lines" in text
    assert "at: array or None. places of extremes, int64, dense" in text
