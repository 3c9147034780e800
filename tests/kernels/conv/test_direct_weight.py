"""A weight's gradient from windows that are read where they lie: the bits of packed windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import reference
from rushlight.kernels.keys import forget_plans
from rushlight.kernels.runtime import jit

from .calls import operands_of_weight, plan_of_weight

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("without_amx"),
]
ONE, TWO, NONE = (1, 1), (2, 2), (0, 0)
# sizes of the images, weight, stride, padding, dilation, groups
CASES = [
    ((2, 6, 32, 32), (16, 6, 3, 3), ONE, ONE, ONE, 1),  # one vector of outputs
    ((3, 13, 20, 23), (81, 13, 3, 3), ONE, ONE, ONE, 1),  # panels of two widths, two chunks of K
    ((5, 40, 7, 5), (60, 40, 3, 3), ONE, ONE, ONE, 1),  # images that share positions
    ((2, 3, 31, 40), (33, 3, 7, 7), TWO, (3, 3), ONE, 1),
    ((2, 24, 18, 17), (40, 12, 3, 2), (2, 1), (0, 1), (1, 2), 2),
    ((1, 100, 16, 33), (14, 100, 1, 1), ONE, NONE, ONE, 1),
    ((20, 2, 9, 9), (1 + 1, 2, 3, 3), ONE, ONE, ONE, 1),  # fewer outputs than lanes, many slices
    ((3, 4, 6, 7, 8), (12, 4, 2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 1),
]


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Any:
    small = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "CONV_DIRECT_FILLED": 0.0, "CONV_DIRECT_LONG": 1}
    with limits(**small, CONV_SKIPPING_LONG=1 << 40, ZERO_PAD_LEAST=1, IM2COL_LEAST_WORK=1 << 40):
        yield
    forget_plans()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_bits_of_packed_windows(
    case: Any, dtype: Any, limits: Any, by_threads: Any, on_pointers: Any
) -> None:
    x, g, kernel, how = operands_of_weight(case, dtype)
    x[0, 0, 0, 0], g[0, -1, -1, -1] = np.inf, np.nan  # each reaches what it is a part of, no more
    plan = plan_of_weight(x, g, kernel, how)
    assert plan.way == "direct"
    found = by_threads(lambda: plan.run(x, g))
    with limits(CONV_DIRECT_FILLED=2.0):
        other = plan_of_weight(x, g, kernel, how)
        assert other.way == "implicit_gemm"
        assert other.run(x, g).tobytes() == found.tobytes()
    if all(hasattr(launch, "kernel") for launch in plan.launches):
        assert on_pointers(plan, x, g).tobytes() == found.tobytes()
    x, g, kernel, how = operands_of_weight(case, np.float64)
    wanted = reference.weight_gradient(x, g, kernel, *how)
    ours = plan_of_weight(x.astype(dtype), g.astype(dtype), kernel, how).run(
        x.astype(dtype), g.astype(dtype)
    )
    tolerance = 3e-5 if dtype == np.float32 else 1e-12
    assert np.abs(ours - wanted).max() <= tolerance * np.abs(wanted).max()


def test_a_gradient_that_is_turned_once(limits: Any, by_threads: Any) -> None:
    """The bits of turning it in each chunk."""
    x, g, kernel, how = operands_of_weight(CASES[1], np.float32)
    found = []
    for most, has_room in ((1 << 25, True), (0, False)):
        with limits(CONV_PACKED_MOST=most):
            plan = plan_of_weight(x, g, kernel, how)
            assert ("packed" in plan.workspace) is has_room
            found.append(by_threads(lambda plan=plan: plan.run(x, g)))
    assert found[0].tobytes() == found[1].tobytes()


def test_who_takes_it(limits: Any) -> None:
    """Outputs that fill vectors, and sums that are long enough."""
    outputs = jit.target().lanes + 1  # half of the lanes, or little more
    with limits(CONV_DIRECT_LONG=512, CONV_DIRECT_FILLED=0.8):
        for n, o, way in (
            (2, 16, "direct"),
            (1, 16, "implicit_gemm"),
            (2, outputs, "implicit_gemm"),
        ):
            case = operands_of_weight(((n, 4, 20, 20), (o, 4, 3, 3), ONE, ONE, ONE, 1), np.float32)
            assert plan_of_weight(*case).way == way
