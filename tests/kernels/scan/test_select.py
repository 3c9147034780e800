"""Running results in machine code against NumPy, over shapes, types, NaN and threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels import runtime, tuning
from rushlight.kernels.scan import select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
CASES = [
    ((5,), 0),
    ((100,), 0),
    ((70_001,), 0),
    ((3, 90_000), 1),
    ((7, 33), 1),
    ((33, 7), 0),
    ((90, 530), 0),
    ((2, 30, 19), 1),
    ((2, 30, 1), 1),
    ((4, 5, 16), 2),
]
UFUNCS: dict[str, Any] = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum,
    "logadd": np.logaddexp,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tuning, "SCAN_LEAST", 1)
    select.plan.cache_clear()
    yield
    select.plan.cache_clear()


def scanned(how: str, x: np.ndarray, d: int, back: bool = False, places: bool = False) -> Any:
    """(running results, places or None) by a kernel; None where NumPy computes them."""
    plan = select.plan(how, x.shape, x.strides, x.dtype, d, back, places)
    if plan.name == select.NUMPY:
        return None
    return plan.run(x) if places else (plan.run(x), None)


def special(x: np.ndarray) -> list[np.ndarray]:
    """Numbers, and the same with infinities and NaN among them, if there are such."""
    if x.dtype.kind != "f":
        return [x]
    y, z = x.copy(), x.copy()
    y.flat[y.size // 2] = np.nan
    z.flat[z.size // 3], z.flat[2] = np.inf, -np.inf
    return [x, y, z]


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("how", UFUNCS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize(("shape", "d"), CASES, ids=str)
def test_against_numpy(shape: Any, d: int, dtype: Any, how: str, back: bool) -> None:
    if how == "logadd" and dtype == np.int64:
        pytest.skip("of floats")
    for x in special((np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)):
        if how == "mul" and dtype != np.int64:  # of numbers that neither grow nor vanish
            x = np.sign(x)
        places = how in ("max", "min") and not back
        found = scanned(how, x, d, back, places)
        if found is None:
            assert (how, dtype) == ("mul", np.float64)
            continue
        assert found[0].dtype == dtype
        exact = np.flip(x, d) if back else x
        with np.errstate(all="ignore"):
            wanted = UFUNCS[how].accumulate(
                exact.astype(float) if dtype != np.int64 else exact, axis=d
            )
        wanted = np.flip(wanted, d) if back else wanted
        size = np.abs(x[np.isfinite(x)]).sum()
        eps = 1.2e-7 if dtype == np.float32 else 1e-14
        if how == "logadd" and dtype == np.float64:  # 1 ulp of the running value at each step
            eps, size = eps * 40, size * 0 + 1e15 * 40 * eps
        np.testing.assert_allclose(found[0], wanted, rtol=eps, atol=1e-15 * size)
        if places:
            line = np.arange(x.shape[d]).reshape((-1,) + (1,) * (x.ndim - d - 1))
            hit = (x == wanted) | (x != x)
            last = np.maximum.accumulate(np.where(hit, line, 0), axis=d)
            np.testing.assert_array_equal(found[1], last)


def test_other_layouts_are_copied() -> None:
    x = np.random.default_rng(1).standard_normal((40, 50)).astype(np.float32)
    for a in (x.T, x[::2, ::3], x[::-1]):
        for d in (0, 1):
            found = scanned("add", a, d)
            assert found is not None
            np.testing.assert_allclose(found[0], a.cumsum(d, dtype=float), rtol=1e-6, atol=1e-6)


def test_what_numpy_does() -> None:
    x = np.ones((4, 5))
    assert scanned("add", x.astype(np.int32), 0) is None
    assert scanned("add", x.astype(complex), 0) is None
    assert scanned("add", x[:0], 0) is None
    assert scanned("mul", x, 1) is None  # 0, 1e200, 1e200: neighbours would overflow first
    found = scanned("mul", np.array([[0.0], [1e200], [1e200]])[:, [0, 0]], 0)
    assert found is not None
    np.testing.assert_array_equal(found[0], 0)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    before = rushlight.get_num_threads()
    x = np.random.default_rng(0).standard_normal((130, 701))
    try:
        for a, d in ((x, 0), (x, 1), (x.reshape(-1), 0)):
            rushlight.set_num_threads(1)
            alone = scanned("add", a, d)
            rushlight.set_num_threads(threads)
            found = scanned("add", a, d)
            assert alone is not None
            assert found is not None
            np.testing.assert_array_equal(found[0], alone[0])
    finally:
        rushlight.set_num_threads(before)
