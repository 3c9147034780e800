"""Windows that are packed while they are multiplied: the bits of packing them before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rushlight import config
from rushlight.kernels import runtime
from rushlight.kernels.conv import implicit_gemm, select, window_tile
from rushlight.kernels.keys import forget_plans

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("without_amx"),
]
ONE, TWO = (1, 1), (2, 2)
# sizes of the images, kernel, stride, padding, dilation, groups
CASES = [
    ((2, 6, 32, 32), (20, 6, 3, 3), ONE, ONE, ONE, 1),  # lines of whole vectors
    ((2, 5, 28, 28), (17, 5, 3, 3), ONE, ONE, ONE, 1),  # parts of two lines
    ((3, 40, 14, 14), (30, 40, 3, 3), ONE, ONE, ONE, 1),  # several images and blocks of K
    ((1, 4, 11, 13), (15, 4, 1, 1), ONE, (0, 0), ONE, 1),  # a last vector without a position
    ((2, 6, 9, 7), (14, 6, 3, 3), ONE, ONE, ONE, 1),  # three lines in a vector
    ((2, 6, 31, 31), (34, 3, 3, 3), TWO, ONE, ONE, 2),  # positions that are apart
    ((2, 6, 31, 40), (30, 6, 3, 2), ONE, (0, 2), (2, 3), 1),
]


def forget() -> None:
    implicit_gemm.kernel.cache_clear()
    forget_plans()


@pytest.fixture(autouse=True)
def _every_size(limits: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    small = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "ZERO_PAD_LEAST": 1}
    with limits(**small, IM2COL_LEAST_WORK=1 << 40, CONV_SKIPPED_LEAST=1 << 40):
        yield
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_same_bits(case: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, weight, *how = case
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(s).astype(dtype) for s in (shape, weight))
    b = rng.standard_normal(weight[0]).astype(dtype)
    x[0, 0, 0, 0] = np.inf  # stays in the windows that it is in
    forget()
    meta = [(a.dtype, a.shape, a.strides) for a in (x, w)]
    key = (*meta[0], *meta[1], (b.dtype, b.strides), *how, None, config.current.matmul_precision)
    assert select.plan_forward(*key).name == "conv.implicit_gemm"
    got = select.forward(x, w, b, *how)
    monkeypatch.setattr(window_tile, "is_fast", lambda: False)
    forget()
    wanted = select.forward(x, w, b, *how)
    assert got.tobytes() == wanted.tobytes()
    assert np.isinf(got).any()
    assert np.isfinite(got[1:]).all()
    assert not np.isnan(got).any()
