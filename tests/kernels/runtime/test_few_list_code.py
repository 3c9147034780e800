"""Arrays of Python's numbers by machine code: what `np.array` makes of them, or nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code here")
FLOATS = [0.1, -0.0, 1e300, -math.inf, 1e-46, 16777217.0, 3.4028235677973366e38]
WHOLE = [0, -1, 2**53 + 1, 16777217, -(2**63), 2**63 - 1]


@pytest.fixture(autouse=True)
def loaded() -> None:
    few.load()


def test_numbers_are_numpys() -> None:
    for data in (FLOATS, (1.0,), [FLOATS, FLOATS[::-1]], [(1.0,), [2.0]], ((0.5, 2.0),)):
        with np.errstate(over="ignore"):
            want = np.array(data).astype(np.float32)
        for kind in (None, True):
            got = few.numbers(data, kind)
            assert (got.shape, got.dtype, got.tobytes()) == (want.shape, want.dtype, want.tobytes())
        assert few.numbers(data, False) is None
    for data in (WHOLE, [WHOLE, WHOLE], [[1], (2,)], (3,)):
        want = np.array(data)
        for kind in (None, False, True):
            made = want.astype(np.float32) if kind else want
            got = few.numbers(data, kind)
            assert (got.shape, got.dtype, got.tobytes()) == (made.shape, made.dtype, made.tobytes())
    assert math.isnan(few.numbers([math.nan], None)[0])


def test_the_rest_is_refused() -> None:
    itself: list[Any] = [1.0]
    itself.append(itself)
    deep: list[Any] = []
    deep.append(deep)
    for data in (
        [], [[]], [1, 2.0], [1.0, 2], [True], [1, True], [[1, 2], [3]], [[1], 2], [1, [2]], [2**63],
        [-(2**63) - 1], ["a"], [None], [1j], [np.float32(1)], [np.array(1)], [[[1.0]]], range(3),
        {1: 2}, 1.0, None, [1.0] * 4097, [[1] * 100] * 41, itself, deep, [[1.0], {}], "text",
    ):  # fmt: skip
        assert few.numbers(data, None) is None


def test_tensors_are_those_of_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    datas: list[Any] = [[1.5, 2.0], [[1, 2], [3, 4]], [1, 2.5], [True], [[1.0], [2]], FLOATS, WHOLE]
    datas += [[2**63], [[1, 2], [3]], [], ["a"], [torch.tensor(1.0)]]

    def outcomes() -> list[Any]:
        found: list[Any] = []
        for data in datas:
            for kw in ({}, {"dtype": torch.float32}, {"dtype": torch.int64}, {"dtype": float},
                       {"requires_grad": True}, {"device": "cpu"}, {"device": "meta"},
                       {"dtype": torch.float16}, {"dtype": 3}):  # fmt: skip
                try:
                    y = torch.tensor(data, **kw)
                except Exception as error:
                    found.append((type(error), str(error)))
                else:
                    numbers = None if y.is_meta else y.detach().numpy().tobytes()
                    found.append((y.shape, y.dtype, y.requires_grad, y.device, numbers))
        return found

    ours = outcomes()
    with torch.device("meta"):
        assert torch.tensor([1.0]).is_meta
    monkeypatch.setattr(few, "numbers", lambda *_: None)
    assert ours == outcomes()
