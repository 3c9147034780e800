"""Running statistics by machine code: NumPy's bits, in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.keys import forget_plans
from rushlight.kernels.norm import reference, select

from .norms import NATIVE, draw

ODD = (np.nan, np.inf, -np.inf, -0.0, 1e-42)


def numbers(momentum: float, factor: float) -> dict[str, float]:
    return {"kept": 1.0 - momentum, "by_a": momentum, "by_b": momentum * factor}


def by_numpy(arrays: Any, how: dict[str, Any]) -> list[Any]:
    found = [a.copy() for a in arrays]
    with np.errstate(all="ignore"):
        reference.moved(*found, **how)
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 3, 8, 16, 17, 100])
@pytest.mark.parametrize("momentum", [0.1, 1 / 3, 1.0, 0.0, -2.5])
def test_the_bits_of_numpy(dtype: Any, n: int, momentum: float, on_pointers: Any) -> None:
    arrays = [draw(k, n, dtype=dtype) * 10.0**k for k in range(4)]
    arrays = [a.astype(dtype) for a in arrays]
    for k, value in enumerate(ODD):
        arrays[k % 4][(3 * k) % n] = value
    how = numbers(momentum, 17 / 16)
    best = by_numpy(arrays, how)
    found = [a.copy() for a in arrays]
    with np.errstate(all="ignore"):
        select.moved(*found, **how)
    for a, b in zip(found, best, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))
    plan = select.plan_moved(np.dtype(dtype), (n,), arrays[0].strides)
    if plan.way == "moved":
        found = [a.copy() for a in arrays]
        on_pointers(plan, *found, **how)
        for a, b in zip(found, best, strict=True):
            np.testing.assert_array_equal(a, b)


@NATIVE
def test_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code for arrays that are alike and do not share memory; NumPy for the others."""
    ways: list[str] = []

    def seen(name: str) -> Any:
        plan = getattr(select, name)

        def made(*key: Any) -> Any:
            ways.append(plan(*key).way)
            return plan(*key)

        return made

    for name in ("plan_moved", "plan_moved_numpy"):
        monkeypatch.setattr(select, name, seen(name))
    single, both = np.ones(4, np.float32), np.ones((2, 4), np.float32)
    how = numbers(0.25, 1.5)

    def way(*arrays: Any, **others: Any) -> str:
        best = by_numpy(arrays, how | others)
        apart = len({id(a) for a in arrays}) == len(arrays) and all(a.base is None for a in arrays)
        forget_plans()
        select.moved(*arrays, **how | others)
        if apart:
            for a, b in zip(arrays, best, strict=True):
                np.testing.assert_array_equal(a, b)
        return ways.pop()

    assert way(single.copy(), single.copy(), single, single) == "moved"
    assert way(both[0], both[1], single, single) == "moved"  # parts of one memory, but apart
    assert way(single, single, single.copy(), single.copy()) == "numpy"
    line = np.ones(5, np.float32)
    assert way(line[1:], line[:-1], single, single) == "numpy"
    assert way(single.copy(), single.astype(np.float64), single, single) == "numpy"
    assert way(single.copy(), single.copy(), single.reshape(2, 2), single) == "numpy"
    assert way(*[np.ones(8, np.float32)[::2].copy()[::-1] for _ in range(4)]) == "numpy"
    assert way(*[np.ones(4, np.float16) for _ in range(4)]) == "numpy"
    assert way(*[single.copy() for _ in range(4)], kept=np.float64(0.5)) == "numpy"


def test_the_same_memory_twice() -> None:
    """One after the other, as NumPy's passes over whole arrays."""
    a, how = np.full(3, 4.0), numbers(0.5, 1.0)
    select.moved(a, a, np.ones(3), np.full(3, 3.0), **how)
    assert a.tolist() == [3.0] * 3  # 4 / 4 + 1 / 2 + 3 / 2


def test_other_shapes() -> None:
    """What can be reshaped is; else an error comes before anything was changed."""
    a, b, new = np.zeros(4), np.zeros(4), np.ones((2, 2))
    select.moved(a, b, new, new, **numbers(0.5, 2.0))
    assert a.tolist() == [0.5] * 4
    assert b.tolist() == [1.0] * 4
    with pytest.raises(ValueError, match="cannot reshape"):
        select.moved(a, b, new, np.ones(3), **numbers(0.5, 2.0))
    assert a.tolist() == [0.5] * 4


def test_nothing() -> None:
    none = [np.zeros(0, np.float32) for _ in range(4)]
    select.moved(*none, **numbers(0.5, 2.0))
