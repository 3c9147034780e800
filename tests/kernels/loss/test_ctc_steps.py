"""The variables of CTC by machine code, against NumPy's and against longer types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.loss import ctc, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def drawn(rng: Any, t: int, n: int, c: int, longest: int, dtype: Any) -> tuple[Any, ...]:
    """Log-probabilities, labels and lengths of samples, some of which do not fit."""
    x = rng.standard_normal((t, n, c))
    x = (x - np.log(np.exp(x).sum(-1, keepdims=True))).astype(dtype)
    lengths = rng.integers(0, longest + 1, n)
    lengths[0] = longest
    inputs = rng.integers(0, t + 1, n)
    inputs[:2] = t
    labels, skip = ctc.states([rng.integers(1, c, k) for k in lengths], 0)
    return x, labels, skip, inputs, lengths


def by_numpy(x: Any, labels: Any, skip: Any, inputs: Any, lengths: Any) -> tuple[Any, Any, Any]:
    emit = ctc.emissions(x, labels)
    with np.errstate(invalid="ignore"):
        loss, alpha = ctc.forward(emit, skip, inputs, lengths)
        grad = ctc.backward(emit, alpha, loss, labels, skip, inputs, lengths, x.shape[2])
    return loss, alpha, grad


def by_kernels(x: Any, labels: Any, skip: Any, inputs: Any, lengths: Any) -> tuple[Any, Any, Any]:
    loss, alpha = select.ctc_forward(x, labels, skip, inputs, lengths)
    return loss, alpha, select.ctc_backward(x, alpha, loss, labels, skip, inputs, lengths)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("longest", [0, 1, 3, 9])
def test_variables(longest: int, dtype: Any, rng: Any, by_threads: Any) -> None:
    eps = 200 * np.finfo(dtype).eps
    for t in (1, 2, 7, 30):
        given = drawn(rng, t, 6, 5, longest, dtype)
        found = by_threads(lambda given=given: by_kernels(*given))
        for y, wanted in zip(found, by_numpy(*given), strict=True):
            assert y.dtype == dtype
            np.testing.assert_allclose(y, wanted, rtol=eps, atol=eps)


@pytest.mark.slow
def test_errors_are_no_larger(rng: Any, not_larger: Any) -> None:
    found: list[Any] = []
    for _ in range(30):
        given = drawn(rng, 40, 4, 20, 9, np.float32)
        given[3][:] = 40
        wide = (given[0].astype(np.float64), *given[1:])
        found.append([f(*g) for f, g in
                      ((by_kernels, given), (by_numpy, given), (by_numpy, wide))])  # fmt: skip
    for part in (0, 2):
        not_larger(*(np.stack([y[way][part] for y in found]) for way in range(3)))


def test_arrays_that_lie_otherwise(rng: Any) -> None:
    x, *rest = drawn(rng, 9, 3, 5, 2, np.float32)
    wanted = by_kernels(x, *rest)
    turned = np.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
    for y, same in zip(by_kernels(turned, *rest), wanted, strict=True):
        assert y.tobytes() == same.tobytes()


def test_labels_that_are_no_classes(rng: Any) -> None:
    """A kernel would read outside its memory."""
    x, labels, *rest = drawn(rng, 9, 3, 5, 2, np.float32)
    labels[0, 1] = 5
    with pytest.raises(IndexError):
        select.ctc_forward(x, labels, *rest)


def test_plans_of_pointers(rng: Any, on_pointers: Any) -> None:
    x, labels, skip, _, lengths = drawn(rng, 9, 3, 5, 2, np.float32)
    plan = select.plan_ctc_forward(x.dtype, x.shape, x.strides, labels.shape[1])
    given = (x, labels, select.minus_infinity(skip, x.dtype), select.begins(lengths, labels, x))
    assert on_pointers(plan, *given).tobytes() == plan.run(*given).tobytes()
