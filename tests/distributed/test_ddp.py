"""DistributedDataParallel and what is built beside it, each program in its processes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)

PROGRAMS = Path(__file__).parent / "programs"

processes = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)


def program(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / name), *arguments],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@processes
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_data_parallel(ranks: int) -> None:
    assert program("ddp.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.slow
@processes
@pytest.mark.parametrize("ranks", [1, 3])
def test_gradients_of_collectives(ranks: int) -> None:
    assert program("gradients.py", str(ranks)) == f"well {ranks}\n"


@processes
@pytest.mark.parametrize("ranks", [2, 3])
def test_gradients_are_reduced_while_the_plan_goes_on(ranks: int) -> None:
    assert program("overlap.py", str(ranks)) == f"well {ranks}\n"


def test_checkpoint_wrapper() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Tanh(), nn.Linear(4, 2)))
    plain = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Tanh(), nn.Linear(4, 2)))
    plain.load_state_dict(net.state_dict())
    apply_activation_checkpointing(net, check_fn=lambda m: isinstance(m, nn.Linear))
    assert isinstance(net[0], CheckpointWrapper)
    assert isinstance(net[1][1], CheckpointWrapper)
    assert net[1][1].out_features == 2
    assert list(net.state_dict()) == list(plain.state_dict())
    assert [n for n, _ in net[0].named_parameters()] == ["weight", "bias"]
    plain.load_state_dict(net.state_dict())
    net.load_state_dict(plain.state_dict())
    x = torch.randn(5, 3)
    for model in (net, plain):
        model(x).sum().backward()
    for p, q in zip(net.parameters(), plain.parameters(), strict=True):
        assert torch.equal(p.grad, q.grad)
    calls = []

    class Named(nn.Module):
        def forward(self, x: torch.Tensor, *, scale: float) -> torch.Tensor:
            calls.append(scale)
            return x.pow(2) * scale

    for wrapped in (
        checkpoint_wrapper(Named()),
        checkpoint_wrapper(Named(), CheckpointImpl.REENTRANT),
        offload_wrapper(Named()),
    ):
        y = torch.ones(2, requires_grad=True)
        wrapped(y, scale=3.0).sum().backward()
        assert torch.equal(y.grad, torch.full((2,), 6.0))  # type: ignore[arg-type]
    assert calls == [3.0, 3.0, 3.0, 3.0, 3.0]  # two of them twice
    with pytest.raises(ValueError, match="to be callable or be a pre-defined wrap policy"):
        apply_activation_checkpointing(net, auto_wrap_policy=3)
