"""The numbers of a convolution, and the convolution that the gradient of its input is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.conv import reference, tables
from rushlight.kernels.conv.problem import Conv, two
from rushlight.kernels.meta import MetaArray


def conv_of(
    x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int,
    dtypes: Any = (np.float32, np.float32),
) -> Conv:  # fmt: skip
    out = reference.out_size(x[2:], w[2:], stride, padding, dilation)
    metas = MetaArray(x, dtypes[0]), MetaArray(w, dtypes[1])
    return Conv.of(*metas, out, stride, padding, dilation, groups, "highest")


def test_numbers() -> None:
    """Channels are those of a group; each output is a product over k = channels * taps."""
    c = conv_of((5, 6, 9, 7), (8, 3, 3, 2), (2, 1), (1, 0), (1, 2), 2)
    assert (c.n, c.groups, c.c, c.o) == (5, 2, 3, 4)
    assert c.out == (5, 5)
    assert (c.p, c.taps, c.k) == (25, 6, 18)
    assert c.padded == (11, 7)
    assert c.work == 5 * 8 * 18 * 25
    assert c.planar == ((3, 2), (2, 1), (1, 0), (1, 2))
    line = conv_of((5, 6, 9), (8, 6, 3), (2,), (1,), (1,), 1)
    assert line.planar == ((1, 3), (1, 2), (0, 1), (1, 1))
    assert line.grid is tables.grid((9,), (3,), (2,), (1,), (1,), (5,))
    assert two((3,)) == (1, 3)
    assert two((3,), 0) == (0, 3)
    assert two((3, 4)) == (3, 4)


@pytest.mark.parametrize(("dtypes", "element"), [
    (("f4", "f4"), "float"), (("f8", "f8"), "double"), (("f4", "f8"), None), (("f2", "f2"), None),
    (("i8", "i8"), None),
])  # fmt: skip
def test_what_kernels_call_the_type(dtypes: Any, element: str | None) -> None:
    """Nothing where operands differ, no kernel has the type, or there is no machine code."""
    c = conv_of((1, 1, 4), (1, 1, 2), (1,), (0,), (1,), 1, dtypes)
    assert c.element == (element if runtime.available() else None)


@pytest.mark.parametrize(("x", "w", "groups", "depthwise"), [
    ((1, 4, 6, 6), (4, 1, 3, 3), 4, True), ((1, 4, 6, 6), (8, 1, 3, 3), 4, True),
    ((1, 4, 6, 6), (4, 4, 3, 3), 1, False), ((1, 4, 6, 6), (4, 2, 3, 3), 2, False),
])  # fmt: skip
def test_kernels_of_one_channel(x: Any, w: Any, groups: int, depthwise: bool) -> None:
    assert conv_of(x, w, (1, 1), (0, 0), (1, 1), groups).is_depthwise == depthwise


def test_one_window_that_is_the_image() -> None:
    def whole(size: Any, kernel: Any, padding: Any, dilation: Any) -> bool:
        return conv_of((2, 3, *size), (4, 3, *kernel), (1, 1), padding, dilation, 1).is_whole

    assert whole((4, 5), (4, 5), (0, 0), (1, 1))
    assert not whole((4, 5), (4, 4), (0, 0), (1, 1))  # two windows
    assert not whole((4, 5), (4, 7), (0, 1), (1, 1))  # margins
    assert not whole((4, 5), (4, 3), (0, 0), (1, 2))  # gaps


@pytest.mark.parametrize(("padding", "dilation"), [((1, 1), (1, 1)), ((2, 0), (2, 1))])
def test_the_flipped_convolution_is_the_gradient_of_the_input(
    padding: Any, dilation: Any, rng: np.random.Generator
) -> None:
    """Of the output's gradient, with the kernel turned round and channels exchanged."""
    one = (1, 1)
    x, w = (2, 4, 7, 8), (6, 2, 3, 2)
    c = conv_of(x, w, one, padding, dilation, 2)
    f = c.flipped()
    assert f.is_flipped
    assert not c.is_flipped
    assert (f.c, f.o, f.size, f.out) == (c.o, c.c, c.out, c.size)
    assert f.work == c.n * c.groups * c.o * c.c * c.taps * 7 * 8
    g = rng.integers(-4, 5, (2, 6, *c.out)).astype(np.float64)
    weight = rng.integers(-4, 5, w).astype(np.float64)
    turned = reference.flipped(weight, 2)
    got = reference.forward(g, turned, None, f.stride, f.padding, f.dilation, f.groups)
    wanted = reference.input_gradient_by_columns(
        g, weight, size=(7, 8), stride=one, padding=padding, dilation=dilation, groups=2
    )
    np.testing.assert_array_equal(got, wanted)


def test_it_is_a_key() -> None:
    """Problems of the same numbers are equal, so what depends on them can be kept."""
    a, b = (conv_of((1, 4, 6, 6), (4, 4, 3, 3), (1, 1), (0, 0), (1, 1), 1) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != a.flipped()
    with pytest.raises(AttributeError):
        a.n = 2  # type: ignore[misc]
