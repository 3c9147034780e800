"""MetaArray: shapes, types and strides without data."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.meta import MetaArray, contiguous_strides


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (2, 0, 4), (1, 5)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, bool])
def test_what_it_says_is_what_an_array_says(shape: tuple[int, ...], dtype: type) -> None:
    a, m = np.empty(shape, dtype), MetaArray(shape, dtype)
    for name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes"):
        assert getattr(m, name) == getattr(a, name)
    if a.size:
        assert m.strides == a.strides


def test_a_size_of_zero_counts_as_one_in_strides() -> None:
    assert contiguous_strides((2, 0, 4), 4) == (16, 16, 4)


def test_stand_ins_have_the_layout_and_no_memory() -> None:
    m = MetaArray((1000, 1000, 1000), np.float32, (4, 4000, 4000000))
    stand_in = m.standin()
    assert stand_in.strides == m.strides
    assert not stand_in.flags.writeable
    assert m.zeros().strides == (0, 0, 0)


def test_numpy_refuses_it() -> None:
    with pytest.raises(TypeError):
        np.add(MetaArray((2,), np.float32), np.ones(2, np.float32))
