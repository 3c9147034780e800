"""Optimisers of models that several processes train."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight import optim
from rushlight.distributed.optim import (
    DistributedOptimizer,
    _apply_optimizer_in_backward,
    _FunctionalSGD,
    _get_in_backward_optimizers,
    as_functional_optim,
)

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_zero_redundancy(ranks: int) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "zero.py"), str(ranks)],
        cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.stdout == f"well {ranks}\n", done.stdout + done.stderr


def test_in_backward() -> None:
    torch.manual_seed(0)
    net, plain = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    plain.load_state_dict(net.state_dict())
    _apply_optimizer_in_backward(optim.Adam, net.parameters(), {"lr": 0.1})
    _apply_optimizer_in_backward(optim.SGD, [net.bias], {"lr": 0.5})
    one, two = optim.Adam(plain.parameters(), lr=0.1), optim.SGD([plain.bias], lr=0.5)
    for _ in range(3):
        x = torch.randn(4, 3)
        net(x).sum().backward()
        assert net.weight.grad is None
        plain.zero_grad()
        plain(x).sum().backward()
        one.step()
        two.step()
    assert torch.equal(net.weight, plain.weight)
    assert torch.equal(net.bias, plain.bias)
    kinds = [type(o) for o in _get_in_backward_optimizers(net)]
    assert kinds == [optim.Adam, optim.Adam, optim.SGD]


def test_functional() -> None:
    w, v = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    opt = _FunctionalSGD([w, v], lr=0.5)
    opt.step([torch.ones(2), None])
    assert (w.tolist(), v.tolist(), w.grad) == ([0.5, 0.5], [1.0, 1.0], None)
    with pytest.raises(ValueError, match=r"Params length: 2\. Gradients length: 1"):
        opt.step([None])
    with pytest.raises(ValueError, match="empty parameter list"):
        _FunctionalSGD([], lr=1.0)
    adam = as_functional_optim(optim.Adam, lr=0.25)
    adam.step_param(v, torch.ones(2))
    assert torch.allclose(v, torch.full((2,), 0.75))
    with pytest.raises(ValueError, match="does not have a functional counterpart"):
        as_functional_optim(optim.LBFGS)


def test_remote_parameters_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="ZeroRedundancyOptimizer"):
        DistributedOptimizer(optim.SGD, [])
