"""Ctrl-C in the middle of a compiled step: parameters and optimizer are as before it or as after.

A trace function sends this process a SIGINT at the n-th instruction that Python executes in a step,
for many n; a twin without interruptions says what a whole step makes of the numbers of before.
"""

from __future__ import annotations

import copy
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler.arrays import FILE
from rushlight.compiler.interrupts import uninterrupted
from rushlight.kernels import runtime

optim = torch.optim
POINTS = 40


@contextmanager
def interrupted(at: int, folder: str = "") -> Iterator[list[int]]:
    """A SIGINT at one instruction of the package, or of a folder in it; gives how many passed."""
    seen = [0]
    inside = str(Path(torch.__file__).parent / folder)

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith((inside, FILE)):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            seen[0] += 1
            if seen[0] == at:
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield seen
    except KeyboardInterrupt:
        assert seen[0] >= at
    else:
        assert seen[0] < at or at < 0, "the interrupt was swallowed"
    finally:
        sys.settrace(before)


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    """Python's own handler, wherever the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def plain_step(net: nn.Module, optimizer: Any, x: Any) -> Any:
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "Adam": lambda groups: optim.Adam(groups, lr=0.1),
    "SGD": lambda groups: optim.SGD(groups, lr=0.1, momentum=0.9),
    "AdamW, one by one": lambda groups: optim.AdamW(groups, lr=0.1, foreach=False),
}


class ByHand:
    """Steepest descent as people write it themselves."""

    def __init__(self, groups: Any) -> None:
        self.params = [p for group in groups for p in group["params"]]

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        for p in self.params:
            p.sub_(0.1 * p.grad)

    def state_dict(self) -> dict[str, Any]:
        return {"state": {}, "param_groups": []}

    def load_state_dict(self, state: Any) -> None:
        assert state == self.state_dict()


OPTIMIZERS["by hand"] = ByHand


def made(kind: str) -> tuple[nn.Module, Any]:
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
    groups = [{"params": net[0].parameters()}, {"params": net[2].parameters(), "lr": 0.01}]
    return net, OPTIMIZERS[kind](groups)


def bits(net: nn.Module, optimizer: Any) -> Any:
    state = optimizer.state_dict()
    kept = [
        (k, name, v.numpy().tobytes() if isinstance(v, torch.Tensor) else v)
        for k, values in state["state"].items() for name, v in values.items()
    ]  # fmt: skip
    return [p.detach().numpy().tobytes() for p in net.parameters()], kept, state["param_groups"]


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_replay_is_done_or_not(kind: str, rng: Any) -> None:
    if kind == "by hand" and not runtime.available():
        pytest.skip("without machine code each parameter is a call of its own")
    net, optimizer = made(kind)
    x = torch.randn(3, 4)
    compiled = torch.compile(lambda x: plain_step(net, optimizer, x), fullgraph=True)
    for _ in range(3):
        compiled(x)
    with interrupted(-1) as seen:
        compiled(x)
    assert seen[0] > 200
    outcomes = set()
    points = {1, seen[0] - 1, *rng.integers(1, seen[0], POINTS).tolist()}
    for at in sorted(points):
        before = bits(net, optimizer)
        twin_net, twin_optimizer = made(kind)
        twin_net.load_state_dict(copy.deepcopy(net.state_dict()))
        twin_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        plain_step(twin_net, twin_optimizer, x)
        with interrupted(at):
            compiled(x)
        now = bits(net, optimizer)
        assert now in (before, bits(twin_net, twin_optimizer)), f"instruction {at} of {seen[0]}"
        outcomes.add(now == before)
    assert outcomes == {True, False}  # the first and the last instruction see to both
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    twin_net.load_state_dict(copy.deepcopy(net.state_dict()))
    twin_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert compiled(x).item() == plain_step(twin_net, twin_optimizer, x).item()
    assert bits(net, optimizer) == bits(twin_net, twin_optimizer)


def test_the_run_that_is_captured_is_done_or_not(rng: Any) -> None:
    net, optimizer = made("Adam")
    x = torch.randn(3, 4)
    plain_step(net, optimizer, x)
    with interrupted(-1, "optim") as seen:
        torch.compile(plain_step, fullgraph=True)(net, optimizer, x)
    for at in sorted(rng.integers(1, seen[0], 10).tolist()):
        before = bits(net, optimizer)
        twin_net, twin_optimizer = made("Adam")
        twin_net.load_state_dict(copy.deepcopy(net.state_dict()))
        twin_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        plain_step(twin_net, twin_optimizer, x)
        compiled = torch.compile(plain_step, fullgraph=True)
        with interrupted(at, "optim"):
            compiled(net, optimizer, x)
        assert bits(net, optimizer) in (before, bits(twin_net, twin_optimizer))
    # What was interrupted left nothing behind: the function is captured by its next call.
    twin_net.load_state_dict(copy.deepcopy(net.state_dict()))
    twin_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for _ in range(2):
        compiled(net, optimizer, x)
        plain_step(twin_net, twin_optimizer, x)
    assert bits(net, optimizer) == bits(twin_net, twin_optimizer)


def test_an_exception_before_the_step_changes_nothing() -> None:
    net, optimizer = made("Adam")

    def step(x: Any, wrong: Any) -> None:
        optimizer.zero_grad()
        (net(x) + wrong).sum().backward()
        optimizer.step()

    compiled = torch.compile(step)
    for _ in range(2):
        compiled(torch.randn(3, 4), torch.ones(2))
    before = bits(net, optimizer)
    with pytest.raises(RuntimeError, match="size of tensor"):
        compiled(torch.randn(3, 4), torch.ones(3))
    assert bits(net, optimizer) == before


def test_uninterrupted() -> None:
    seen: list[Any] = []

    def work() -> str:
        signal.raise_signal(signal.SIGINT)
        seen.append("after the signal")
        return "done"

    with pytest.raises(KeyboardInterrupt):
        uninterrupted(work)
    assert seen == ["after the signal"]
    signal.signal(signal.SIGINT, lambda *_: seen.append("a handler of one's own"))
    assert uninterrupted(work) == "done"
    assert seen[1:] == ["after the signal", "a handler of one's own"]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert uninterrupted(work) == "done"
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    thread = threading.Thread(target=lambda: seen.append(uninterrupted(lambda: 5)))
    thread.start()
    thread.join()
    assert seen[-1] == 5
