"""Which way updates parameters: kernels for what they take, once that pays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime, tuning
from rushlight.kernels.codegen import tensor_lists
from rushlight.kernels.optim import select

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def test_strided_parameters_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1)
    p = torch.zeros(6, 4).t().detach().requires_grad_()
    p.grad = torch.ones(4, 6)
    torch.optim.SGD([p], lr=0.5).step()
    assert (p == -0.5).all()


def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What the kernels answered from here on."""
    answers: list[bool] = []
    made = tensor_lists.gather

    def gather(*what: Any) -> Any:
        def call(arrays: Any, table: Any) -> int:
            total = made(*what)(arrays, table)
            answers.append(total >= 0)
            return total

        return call

    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1)
    monkeypatch.setattr(tensor_lists, "gather", gather)
    return answers


@NATIVE
def test_what_is_no_array_for_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong ones are noticed before anything has changed; what can be computed, NumPy does."""
    answers = counted(monkeypatch)
    good = [torch.zeros(3, 2, requires_grad=True) for _ in range(2)]
    for p in good:
        p.grad = torch.ones(3, 2)
    torch.optim.SGD(good, lr=1.0).step()
    assert answers == [True]
    with pytest.warns(UserWarning, match="duplicate"):
        twice = torch.optim.SGD([good[0], good[1], good[0]], lr=1.0)
    twice.step()
    assert good[0].tolist() == [[-3.0] * 2] * 3
    assert good[1].tolist() == [[-2.0] * 2] * 3
    good[1].grad._a = np.ones((2, 3), np.float32)  # as many elements in another shape
    with pytest.raises(ValueError, match="broadcast"):
        torch.optim.SGD(good[1:], lr=1.0).step()
    good[1].grad._a = np.ones((3, 2), np.float64)
    torch.optim.SGD(good[1:], lr=1.0).step()
    fixed = torch.zeros(4, requires_grad=True)
    fixed.grad = torch.ones(4)
    fixed._a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        torch.optim.SGD([fixed], lr=1.0).step()
    other = torch.zeros(4, requires_grad=True)
    other.grad = torch.ones(4)
    other._a = other._a.astype(">f4")
    torch.optim.SGD([other], lr=1.0).step()
    assert other._a.tolist() == [-1.0] * 4
    assert True not in answers[1:]


@NATIVE
def test_settings_that_change_count(monkeypatch: pytest.MonkeyPatch) -> None:
    p = torch.zeros(1500, requires_grad=True)
    p.grad = torch.ones(1500)
    optimizer = torch.optim.SGD([p], lr=1.0)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    rate = optimizer.param_groups[0]["lr"] = torch.tensor(0.25)
    optimizer.step()
    rate.fill_(0.125)
    optimizer.step()
    assert (p == -1.875).all()


@NATIVE
def test_small_ones_wait_until_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1 << 60)
    monkeypatch.setattr(tuning, "OPTIM_PATIENCE", 3)
    monkeypatch.setattr(select, "_waited", {})
    select.plan_update.cache_clear()
    p = torch.zeros(3, requires_grad=True)
    p.grad = torch.ones(3)
    optimizer = torch.optim.SGD([p], lr=1.0)
    for step in range(1, 6):
        optimizer.step()
        assert p.tolist() == [-step] * 3
        assert select.plan_update.cache_info().currsize == (step > 3)
