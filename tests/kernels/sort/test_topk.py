"""The k largest of each row, by the kernel: the places of a stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.sort import reference, select, topk

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
SHAPES = [
    ((7, 100), 5), ((3, 1000), 200), ((50, 64), 16), ((2, 3, 300), 7), ((1, 5000), 500),
    ((4, 33), 1), ((1, 17), 3), ((5, 20), 20), ((3, 1), 1), ((1, 1100), topk.MOST),
]  # fmt: skip


def kinds(rng: np.random.Generator, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    x = rng.standard_normal(shape).astype(np.float32)
    some = rng.random(shape) < 0.2
    return {
        "numbers": x,
        "many equal": np.round(x),
        "NaN": np.where(some, np.float32(np.nan), x),
        "nothing but NaN": np.full(shape, np.nan, np.float32),
        "negative NaN": np.where(some, np.copysign(np.float32(np.nan), np.float32(-1)), x),
        "zeros": np.where(some, np.float32(0), np.float32(-0.0)),
        "infinite": np.where(some, np.float32(np.inf), np.where(x < 0, np.float32(-np.inf), x)),
        "rising": np.sort(x, axis=-1),
        "falling": -np.sort(x, axis=-1),
    }


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize(("shape", "k"), SHAPES)
def test_places_are_those_of_a_stable_sort(
    rng: np.random.Generator, shape: tuple[int, ...], k: int, largest: bool
) -> None:
    for name, x in kinds(rng, shape).items():
        got = select.plan_topk(shape, k, largest).run(x)
        wanted = reference.argsort(x, x.ndim - 1, largest)[..., :k]
        np.testing.assert_array_equal(got, wanted, err_msg=name)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_any_dimension_and_strides(rng: np.random.Generator, dim: int) -> None:
    x = rng.standard_normal((20, 80, 60)).astype(np.float32)[:, ::2, ::-1]
    for k in (1, 4):
        assert select.topk_by_kernel(x, k, dim)
        got = select.topk(x, k, dim, True, True)
        wanted = reference.argsort(x, dim, True).take(np.arange(k), axis=dim)
        np.testing.assert_array_equal(got, wanted)
        last = reference.argsort(x, dim, False).take([k - 1], axis=dim)
        np.testing.assert_array_equal(select.kth(x, k, dim), last)


def test_the_plan_says_what_is_done() -> None:
    plan = select.plan_topk((4, 1000), 7, True)
    assert plan.way == "kernel"
    assert (plan.outputs["places"].shape, plan.flops) == ((4, 7), 4000)
    assert "k=7" in plan.describe()


@pytest.mark.skipif(tuning.ALWAYS, reason="few go to the kernel too")
def test_what_is_left_to_numpy(rng: np.random.Generator) -> None:
    x = rng.standard_normal((8, 1024)).astype(np.float32)
    assert select.topk_by_kernel(x, 100, 1)
    assert not select.topk_by_kernel(x, 400, 1)  # many of a row
    assert not select.topk_by_kernel(x, 0, 1)
    assert not select.topk_by_kernel(x.astype(np.float64), 5, 1)
    assert not select.topk_by_kernel(x[:, :10], 3, 1)
    assert not select.topk_by_kernel(x[:0], 3, 1)
