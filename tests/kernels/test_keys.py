"""Plans by the layouts of arrays: what is found again, how many are kept, and that all can go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.keys import Plans, forget_plans
from rushlight.kernels.matmul import select
from rushlight.kernels.runtime import few

PLAN: Any = object()


def test_a_plan_is_found_by_its_key() -> None:
    asked: list[Any] = []

    @Plans
    def plans(*operands: Any) -> Any:
        asked.append(operands)
        return PLAN if operands else None

    assert plans.make(b"a", 1, 2) is PLAN
    assert asked == [(1, 2)]
    assert plans.get(b"a") is PLAN
    assert plans.get(b"b") is None
    assert plans.make(None, 1) is PLAN  # there is no key: as without machine code
    assert plans.get(None) is None
    assert plans.make(b"c") is None  # and no plan: it is asked again
    assert b"c" not in plans


def test_sizes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MOST_KEYS", 10)
    plans = Plans(lambda: PLAN)
    for i in range(25):
        plans.make(bytes([i]))
        assert len(plans) <= 10
        assert plans.get(bytes([i])) is PLAN


@pytest.mark.skipif(not runtime.available(), reason="no machine code here")
def test_calls_that_are_alike_have_one_plan(limits: Any) -> None:
    few.load()
    with limits(MATMUL_LEAST_WORK=1):
        a, b = np.ones((4, 5), np.float32), np.ones((5, 6), np.float32)
        for left, right in ((a, b), (a + 1, b + 1), (a, np.ones((6, 5), np.float32).T), (a, b)):
            np.testing.assert_array_equal(select.product(left, right), np.matmul(left, right))
        assert len(select.plans_product) == 2
        forget_plans()
        assert not select.plans_product
        assert select.plan.cache_info().currsize == 0
