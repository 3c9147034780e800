"""An optimiser's step in one pass of machine code gives the bits of NumPy's passes."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime, tuning
from rushlight.kernels.codegen import tensor_lists
from rushlight.kernels.optim import formulas, select

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ADAM = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1, "maximize": False,
        "decoupled_weight_decay": True}  # fmt: skip
CASES = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {}),
    ("RMSprop", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Adagrad", {}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("ASGD", {}),
    ("Rprop", {}),
]


def run(name: str, settings: dict[str, Any], dtype: Any, shape: tuple[int, ...]) -> Any:
    torch.manual_seed(0)
    p = torch.randn(shape, dtype=dtype, requires_grad=True)
    optimizer = getattr(torch.optim, name)([p], **settings)
    for step in range(5):
        p.grad = torch.randn(shape, dtype=dtype)
        if step == 2:
            p.grad[0, :3] = torch.tensor([0.0, float("inf"), float("nan")])
        optimizer.step()
    return optimizer, p.detach().numpy()


def by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernels, however many steps there are."""
    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1 << 60)
    monkeypatch.setattr(tuning, "OPTIM_PATIENCE", 1 << 60)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_same_bits(
    name: str, settings: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1)
    select.plan_update.cache_clear()
    optimizer, ours = run(name, settings, dtype, (37, 11))
    assert select.plan_update.cache_info().currsize, "no kernel was made"
    assert copy.deepcopy(optimizer).state_dict().keys() == optimizer.state_dict().keys()
    by_numpy(monkeypatch)
    _, numpys = run(name, settings, dtype, (37, 11))
    np.testing.assert_array_equal(ours, numpys)


def many(name: str, settings: dict[str, Any], threads: int = 1) -> list[np.ndarray]:
    """Three steps over parameters of many sizes and both types, some of them odd."""
    torch.manual_seed(1)
    shapes = [(5,), (), (0, 3), (16,), (33, 7), (40000,), (1,), (3, 0), (300, 300), (2, 3, 4)]
    params = [torch.randn(s, requires_grad=True) for s in shapes]
    params += [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]
    params.append(torch.randn(6, 8).t().detach().requires_grad_())  # all of it in F order
    params.append(torch.randn(9, 4).t().detach().requires_grad_())  # its gradient is not
    params.append(torch.randn(20, 2)[:, 0].detach().requires_grad_())
    optimizer = getattr(torch.optim, name)(params, **settings)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for step in range(3):
            for i, p in enumerate(params):
                p.grad = torch.randn(p.shape, dtype=p.dtype)
                if i == len(params) - 3:
                    p.grad = torch.randn(6, 8).t()
                if (i + step) % 5 == 0:
                    p.grad = None  # so the numbers of steps differ
            optimizer.step()
    finally:
        torch.set_num_threads(before)
    return [p.detach().numpy().copy() for p in params]


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_many_parameters_in_one_call(
    name: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_numpy(monkeypatch)
    wanted = many(name, settings)
    monkeypatch.setattr(tuning, "OPTIM_LEAST", 1)
    for threads in (1, 2, 3, 8):
        for ours, numpys in zip(many(name, settings, threads), wanted, strict=True):
            np.testing.assert_array_equal(ours, numpys)


def test_the_same_bits_by_pointers(rng: np.random.Generator, on_pointers: Any) -> None:
    numbers = formulas.adam_numbers(SimpleNamespace(**ADAM), np.float32(4))[0]
    flags, taken, values = select.parted(numbers)
    shapes = [(3, 5), (), (40000,), (0, 2)]
    ours = [np.asarray(rng.random(s), np.float32) for s in shapes for _ in range(4)]
    theirs, numpys = ([a.copy() for a in ours] for _ in range(2))
    names = ("exp_avg", "exp_avg_sq")
    given = np.array(values, np.float32)
    tables = [np.empty(tensor_lists.room(4, 4), np.int64) for _ in range(2)]
    for table, arrays in zip(tables, (ours, theirs), strict=True):
        total = tensor_lists.gather("float", 4, (True, False, True, True))(arrays, table)
    plan = select.plan_update(formulas.adam, ours[0].dtype, flags, taken, names, 4, total)
    plan.run(tables[0], given)
    on_pointers(plan, tables[1], given)
    select.plan_numpy(formulas.adam, flags, taken, names).run(numpys, given)
    for a, b, c in zip(ours, theirs, numpys, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    assert "p: the parameter; g: its gradient" in plan.launches[0].kernel.interface.documentation()  # type: ignore[union-attr]
    assert plan.bytes == 7 * 4 * total
