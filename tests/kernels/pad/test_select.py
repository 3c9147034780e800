"""Which kernel pads, by metadata alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.pad import reference, select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def plan_of(x: Any, pad: tuple[int, ...], value: Any = 0) -> Any:
    return select.plan(x.dtype, x.shape, x.strides, pad, value)


def test_what_numpy_does(rng: np.random.Generator, limits: Any) -> None:
    """Views, other types, four dimensions."""
    x = rng.standard_normal((20, 30))
    four = x.reshape(5, 4, 5, 6)
    with limits(ZERO_PAD_LEAST=1):
        for y, pad in ((x.T, (1, 2)), (x.astype(np.float16), (1, 2)), (four, (1,) * 8)):
            made = plan_of(y, pad, 2)
            assert made.name == "pad.numpy"
            np.testing.assert_array_equal(made.run(y), reference.constant(y, pad, 2))


@NATIVE
def test_the_limit(limits: Any) -> None:
    """By the elements of the array, not those of its margin."""
    x = np.empty((4, 8), np.float32)
    for least, way in ((32, "zero_pad"), (33, "numpy")):
        with limits(ZERO_PAD_LEAST=least):
            assert plan_of(x, (1, 1)).way == way
            assert plan_of(x, (1, 1)) is plan_of(x, (1, 1))
    with limits(ZERO_PAD_LEAST=1):
        assert plan_of(x, (-8, 0)).way == "numpy"  # nothing is left
        assert plan_of(x, (0, 1 << 29)).way == "numpy"  # places are numbers of 32 bits


def test_a_plan_is_made_of_metadata() -> None:
    made = plan_of(MetaArray((10**6, 3, 40, 40), np.float32), (1, 2, 3, 4), 7.5)
    assert made.outputs["y"].shape == (10**6, 3, 47, 43)
    assert made.bytes == 4 * 10**6 * 3 * (40 * 40 + 47 * 43)


@pytest.mark.parametrize("least", [1, 1 << 60])
def test_values_are_told_apart_by_their_types(limits: Any, least: int) -> None:
    """1 and 1.0 and True are equal, and so would be the keys; -0.0 is written as 0."""
    x = np.ones((2, 3), np.float32)
    with limits(ZERO_PAD_LEAST=least):
        assert plan_of(x, (1, 1), 1) is not plan_of(x, (1, 1), 1.0)
        for value in (1, 1.0, True, -0.0):
            y = select.constant(x, (1, 0), value)
            assert y[:, 0].tolist() == [float(value)] * 2
            assert not np.signbit(y).any()


def test_nothing_to_do_is_no_copy() -> None:
    x = np.ones((2, 3))
    assert select.around(x, (0,)) is x
    assert select.around(x, (0, 0)) is x
    assert select.both_sides((1, 2, 3)) == (3, 3, 2, 2, 1, 1)
    wanted = np.pad(x, ((1, 1), (2, 2)), constant_values=4.0)
    np.testing.assert_array_equal(select.around(x, (1, 2), 4.0), wanted)
