"""A weight's gradient from images without margins: the bits of those with margins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import direct_tile, reference, skipping_weight
from rushlight.kernels.keys import forget_plans
from rushlight.kernels.matmul.gemm import KC

from .calls import operands_of_weight, plan_of_weight

pytestmark = [
    pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.usefixtures("without_amx"),
]
ONE, TWO, NONE = (1, 1), (2, 2), (0, 0)
# sizes of the images, weight, stride, padding, dilation, groups
CASES = [
    ((2, 6, 32, 32), (16, 6, 3, 3), ONE, ONE, ONE, 1),  # one vector of outputs, blocks of positions
    ((3, 13, 20, 23), (81, 13, 3, 3), ONE, ONE, ONE, 1),  # panels of two widths, parts of tiles
    ((5, 40, 7, 5), (60, 40, 3, 3), ONE, ONE, ONE, 1),  # images that share positions
    ((2, 3, 31, 40), (33, 3, 7, 7), TWO, (3, 3), ONE, 1),
    ((2, 24, 18, 17), (40, 12, 3, 2), (2, 1), (0, 1), (1, 2), 2),
    ((20, 2, 9, 9), (2, 2, 3, 3), ONE, ONE, ONE, 1),  # fewer outputs than lanes, many slices
    ((4, 9, 2, 3), (32, 9, 3, 3), ONE, TWO, ONE, 1),  # what sees nothing but margin, too
    ((3, 10, 300), (12, 10, 5), (1,), (4,), (2,), 1),  # one dimension
]


@pytest.fixture(autouse=True)
def _every_size(limits: Any) -> Any:
    small = {"CONV_LEAST_WORK": 1, "CONV_FEW": 1, "CONV_DIRECT_FILLED": 0.0, "CONV_DIRECT_LONG": 1}
    with limits(**small, CONV_SKIPPING_LONG=1, ZERO_PAD_LEAST=1, IM2COL_LEAST_WORK=1 << 40):
        yield
    forget_plans()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_bits_of_images_with_margins(
    case: Any, dtype: Any, limits: Any, by_threads: Any, on_pointers: Any
) -> None:
    x, g, kernel, how = operands_of_weight(case, dtype)
    x[(0,) * x.ndim] = np.inf  # it reaches what it is a part of, no more
    plan = plan_of_weight(x, g, kernel, how)
    assert plan.way == "skipping"
    found = by_threads(lambda: plan.run(x, g))
    with limits(CONV_SKIPPING_LONG=1 << 40):
        other = plan_of_weight(x, g, kernel, how)
        assert other.way == "direct"
        assert other.run(x, g).tobytes() == found.tobytes()
    if all(hasattr(launch, "kernel") for launch in plan.launches):
        assert on_pointers(plan, x, g).tobytes() == found.tobytes()
    x, g, kernel, how = operands_of_weight(case, np.float64)
    wanted = reference.weight_gradient(x, g, kernel, *how)
    narrow = [a.astype(dtype) for a in (x, g)]
    ours = plan_of_weight(*narrow, kernel, how).run(*narrow)
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


def test_a_nan_of_the_outputs_reaches_no_element_that_sees_a_margin_there() -> None:
    x, g, kernel, how = operands_of_weight(CASES[0], np.float32)
    g[0, 0, 0, 0] = np.nan
    dw = plan_of_weight(x, g, kernel, how).run(x, g)
    assert np.isnan(dw[0, :, 1:, 1:]).all()
    assert np.isfinite(dw[0, :, 0]).all()
    assert np.isfinite(dw[0, :, :, 0]).all()
    assert np.isfinite(dw[1:]).all()


@pytest.mark.parametrize("images", [1, 3])
def test_places(images: int) -> None:
    """Each position that sees the image from an element stands in its list once, in order."""
    size, kernel, stride, padding, dilation = (13, 30), (3, 2), (1, 2), (2, 1), (2, 1)
    out = reference.out_size(size, kernel, stride, padding, dilation)
    made = skipping_weight.places_of(size, kernel, stride, padding, dilation, out, images, 1000)
    p = out[0] * out[1]
    for t, begin in enumerate(made["begin"].tolist()):
        found = []
        for block in range(len(begin) - 1):
            for place in made["places"][begin[block] : begin[block + 1]].tolist():
                found.append((block * KC + (place >> 32), place & 0xFFFFFFFF))
        wanted = []
        for q in range(images * p):
            image, y, x = np.unravel_index(q, (images, *out))
            at = (y * stride[0] - padding[0] + t // kernel[1] * dilation[0],
                  x * stride[1] - padding[1] + t % kernel[1] * dilation[1])  # fmt: skip
            if 0 <= at[0] < size[0] and 0 <= at[1] < size[1]:
                wanted.append((q, int(image * 1000 + at[0] * size[1] + at[1])))
        assert found == wanted


def test_who_takes_it(limits: Any) -> None:
    """Channels and outputs that fill tiles, long sums, and something of a margin."""

    def way(*case: Any) -> str:
        return str(plan_of_weight(*operands_of_weight(case, np.float32)).way)

    height = direct_tile.shape()[1]
    with limits(CONV_DIRECT_FILLED=0.8, CONV_SKIPPING_LONG=96, CONV_DIRECT_LONG=512):
        assert way((2, height, 20, 20), (16, height, 3, 3), ONE, ONE, ONE, 1) == "skipping"
        assert way((2, height, 20, 20), (16, height, 3, 3), ONE, NONE, ONE, 1) == "direct"
        assert way((2, height // 2, 20, 20), (16, height // 2, 3, 3), ONE, ONE, ONE, 1) == "direct"
        assert way((1, height, 9, 9), (16, height, 3, 3), ONE, ONE, ONE, 1) == "implicit_gemm"
        assert way((4, height, 20, 20), (16, height, 9, 9), ONE, ONE, ONE, 1) == "direct"
        with limits(CONV_SKIPPING_PLACES=20 * 20 * 9 - 1):
            assert way((2, height, 20, 20), (16, height, 3, 3), ONE, ONE, ONE, 1) == "direct"
