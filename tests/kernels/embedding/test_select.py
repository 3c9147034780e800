"""Which way reads and adds up rows of a table, by metadata alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.embedding import select
from rushlight.kernels.meta import MetaArray

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


SIZES = pytest.mark.parametrize("least", [1, 1 << 60])


@pytest.fixture
def _least(least: int, limits: Any) -> Iterator[None]:
    with limits(EMBEDDING_LEAST=least, EMBEDDING_SUM_LEAST=least):
        yield


def plans_of(table: Any, index: Any) -> tuple[Any, Any]:
    """The lookup, and its transpose with as many rows."""
    rows = MetaArray((index.size, table.shape[-1]), table.dtype)
    at = select.layout(MetaArray((index.size,), index.dtype))
    return (
        select.plan_take(select.layout(table), select.layout(index)),
        select.plan_sum_rows(select.layout(rows), at, table.shape[0]),
    )


@SIZES
@pytest.mark.usefixtures("_least")
def test_empty_and_other_types() -> None:
    table = np.arange(12.0).reshape(4, 3)
    none = np.zeros((0, 2), np.int64)
    assert select.take(table, none).shape == (0, 2, 3)
    assert select.sum_rows(np.zeros((0, 3)), none.reshape(-1), 4).shape == (4, 3)
    ints = table.astype(np.int64)
    np.testing.assert_array_equal(select.take(ints, np.array([1, 1])), ints[[1, 1]])
    np.testing.assert_array_equal(select.sum_rows(ints, np.array([1, 1, 0, 3]), 4)[1], [3, 5, 7])
    assert plans_of(ints, np.arange(4))[1].way == "numpy_sum"


@NATIVE
@pytest.mark.parametrize("least", [1])
@pytest.mark.usefixtures("_least")
def test_indices_outside_write_nothing() -> None:
    rows = np.ones((3, 40), np.float32)
    np.testing.assert_array_equal(select.sum_rows(rows, np.array([-1, 3, 0]), 4)[:, 0],
                                  [1, 0, 0, 2])  # fmt: skip
    for bad in (4, -5):
        with pytest.raises(IndexError, match="out of bounds"):
            select.sum_rows(rows, np.array([0, bad, 1]), 4)


@NATIVE
def test_the_limit(limits: Any) -> None:
    """By what is copied: the elements of the rows that come out, or of the table if it has more."""
    table, index = np.empty((4, 8)), np.zeros(6, np.int64)
    for least, ways in ((48, ("take", "place")), (49, ("numpy", "numpy_sum"))):
        with limits(EMBEDDING_LEAST=least, EMBEDDING_SUM_LEAST=least):
            found = plans_of(table, index)
            assert tuple(p.way for p in found) == ways
            assert plans_of(table, index)[0] is found[0]  # kept
    with limits(EMBEDDING_LEAST=1, EMBEDDING_SUM_LEAST=1):
        table = np.arange(12.0).reshape(4, 3)
        assert plans_of(table, np.arange(4))[1].way == "place"
        wide = select.plan_sum_rows(
            *(select.layout(MetaArray(s, t)) for s, t in (((2, 3), "f4"), ((2,), "i8"))), 1000
        )
        assert wide.way == "place"


def test_a_plan_is_made_of_metadata() -> None:
    """Of tables that are not there, in any layout."""
    table = MetaArray((10**7, 300), np.float32)
    index = MetaArray((50, 4), np.int32)
    take, place = plans_of(table, index)
    assert take.outputs["y"].shape == (50, 4, 300)
    assert place.outputs["y"].shape == (10**7, 300)
    assert place.flops == 200 * 300
    gradient = MetaArray((50, 4, 300), np.float32)
    assert select.plan_gradient(gradient, index, n=10**7).name == place.name
    assert select.plan_embedding(table, index) is take
