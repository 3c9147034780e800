"""An optimiser's step in one pass of machine code gives the bits of NumPy's passes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import fused, optim_arrays

pytestmark = pytest.mark.skipif(not fused.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_same_bits(
    name: str, settings: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optim_arrays, "LEAST", 1)
    optimizer, ours = run(name, settings, dtype, (37, 11))
    assert all(optimizer._xp._kernels.values()), "no kernel was made"
    assert copy.deepcopy(optimizer).state_dict().keys() == optimizer.state_dict().keys()
    monkeypatch.setattr(optim_arrays, "LEAST", 1 << 60)
    _, numpys = run(name, settings, dtype, (37, 11))
    np.testing.assert_array_equal(ours, numpys)


def test_strided_parameters_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optim_arrays, "LEAST", 1)
    p = torch.zeros(6, 4).t().detach().requires_grad_()
    p.grad = torch.ones(4, 6)
    torch.optim.SGD([p], lr=0.5).step()
    assert (p == -0.5).all()
