"""Which way updates parameters: kernels for what they take, once that pays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime, tuning
from rushlight.kernels.codegen import tensor_lists
from rushlight.kernels.optim import formulas, select

SETTINGS = {"lr": 0.3, "momentum": 0, "dampening": 0, "weight_decay": 0.1, "nesterov": False,
            "maximize": False}  # fmt: skip
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


# -- the choice ------------------------------------------------------------------------------------


def fresh(monkeypatch: pytest.MonkeyPatch, least: int, patience: int) -> None:
    monkeypatch.setattr(tuning, "OPTIM_LEAST", least)
    monkeypatch.setattr(tuning, "OPTIM_PATIENCE", patience)
    monkeypatch.setattr(select, "_waited", {})


@NATIVE
def test_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the largest parameter, not by all together; or when many small updates came."""
    small, large = np.empty(9), np.empty(10)
    fresh(monkeypatch, 10, 3)
    assert select.worth(formulas.sgd, [small, large])
    assert [select.worth(formulas.sgd, [small] * 9) for _ in range(5)] == [False] * 3 + [True] * 2
    assert not select.worth(formulas.adam, [small])  # counted for each formula by itself


def test_without_machine_code_nothing_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(monkeypatch, 1, 0)
    monkeypatch.setattr(select.runtime, "available", lambda: False)
    assert not select.worth(formulas.sgd, [np.empty(10**6)])


def test_numbers_and_flags_are_parted() -> None:
    """Flags are part of the key, for they decide which instructions there are; numbers are not."""
    flags, taken, values = select.parted({"lr": 0.1, "nesterov": True, "one": 1, "damps": False})
    assert flags == (("nesterov", True), ("damps", False))
    assert taken == ("lr", "one")
    assert values == [0.1, 1]


def test_a_plan_is_made_of_metadata_and_kept() -> None:
    flags, taken = (("maximize", False),), ("lr",)
    made = select.plan_numpy(formulas.sgd, flags, taken, (None,))
    assert select.plan_numpy(formulas.sgd, flags, taken, (None,)) is made
    assert select.plan_numpy(formulas.sgd, flags, taken, ("average",)) is not made
    assert made.mutates == ("arrays",)
    assert made.name == "optim.numpy"


@NATIVE
def test_a_kernels_plan_counts_what_it_moves() -> None:
    """Parameters, gradients and two states of 1000 elements; all but the gradient are written."""
    key = (("maximize", False), ("decays", False)), ("beta1",), ("m", "v"), 3
    made = select.plan_update(formulas.adamax, np.dtype("f4"), *key, 1000)
    assert select.plan_update(formulas.adamax, np.dtype("f4"), *key, 1000) is made
    assert made.name == "optim.adamax"
    assert made.bytes == 4 * 1000 * 7
    assert made.flops == select.OPERATIONS * 1000
    assert not select.plan_update(formulas.adamax, np.dtype("f4"), *key, 0).launches


@pytest.mark.parametrize("least", [1, 1 << 60])
def test_numbers_are_rounded_to_the_working_type(
    least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that become infinite there, without a warning."""
    fresh(monkeypatch, least, 1 << 60)
    for dtype, wide in ((np.float32, np.float32), (np.float64, np.float64), (np.float16, "f4")):
        p, g = np.zeros(40, dtype), np.ones(40, dtype)
        numbers = {"maximize": False, "decays": False, "minus_lr": -0.1}
        select.update(formulas.sgd, [p, g], numbers, (None,))
        assert (p == np.array(-0.1, wide).astype(dtype)).all()
    p, g = np.zeros(40, np.float32), np.ones(40, np.float32)
    select.update(formulas.sgd, [p, g], {**numbers, "minus_lr": 1e300}, (None,))
    assert (p == np.inf).all()


@NATIVE
def test_kept_numbers_know_how_a_list_was_updated(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """The way is taken again where arrays are as many elements and lie alike, and only there."""
    answers = counted(monkeypatch)
    numbers = formulas.sgd_numbers(SimpleNamespace(**SETTINGS), False)
    kept = select.Kept(numbers)
    lists = [
        [(3, 4), (5,)], [(3, 4), (5,)], [(4, 3), (5,)], [(70, 9), (5,)], [(3, 4), (5,)],
        [(3, 4), (2, 9)], [(6, 4), (5,)],
    ]  # fmt: skip
    for k, shapes in enumerate(lists):
        arrays = [a for s in shapes for a in (rng.standard_normal(s).astype(np.float32),) * 2]
        arrays = [a.copy() if j % 2 else a for j, a in enumerate(arrays)]
        if k == len(lists) - 1:  # as many elements, for NumPy
            arrays[0], arrays[1] = arrays[0][::2], arrays[1][::2].copy()
        twin = [a.copy() for a in arrays]
        select.update(formulas.sgd, arrays, kept, ())
        select.update(formulas.sgd, twin, numbers, ())
        for a, b in zip(arrays, twin, strict=True):
            assert a.tobytes() == b.tobytes()
    assert answers.count(False) == 2  # the last one's known way and its own; its twin is dense
    assert len(kept.ways) == 1
    with pytest.raises(ValueError, match="broadcast"):  # nothing was changed by the known way
        select.update(formulas.sgd, [np.ones((3, 4), np.float32), np.ones((4, 3), np.float32),
                                     *[np.ones(5, np.float32)] * 2], kept, ())  # fmt: skip
