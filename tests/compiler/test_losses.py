"""Losses over classes in a compiled step: no line of theirs is called from Python, the bits are
eager's, and targets that are no class, or do not count, mean what they mean in eager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.kernels import runtime
from rushlight.nn import functional as F

jit = pytest.mark.skipif(not runtime.available(), reason="needs machine code")
W = torch.linspace(0.5, 1.5, 10)
Loss = Callable[[Any, Any], Any]
LOSSES: dict[str, Loss] = {
    "cross_entropy": F.cross_entropy,
    "its sum": lambda z, y: F.cross_entropy(z, y, reduction="sum") / 32,
    "each": lambda z, y: F.cross_entropy(z, y, reduction="none").mean(),
    "weighted": lambda z, y: F.cross_entropy(z, y, W),
    "smooth": lambda z, y: F.cross_entropy(z, y, label_smoothing=0.1),
    "of pixels": lambda z, y: F.cross_entropy(z.reshape(2, 10, 4, 4), y.reshape(2, 4, 4)),
    "nll": lambda z, y: F.nll_loss(F.log_softmax(z, 1), y),
    "nll, sum": lambda z, y: F.nll_loss(F.log_softmax(z, 1), y, reduction="sum") / 32,
    "nll, each": lambda z, y: F.nll_loss(F.log_softmax(z, 1), y, reduction="none").mean(),
    "nll, weighted": lambda z, y: F.nll_loss(F.log_softmax(z, 1), y, W),
    "nll of pixels": lambda z, y: F.nll_loss(
        F.log_softmax(z.reshape(2, 10, 4, 4), 1), y.reshape(2, 4, 4), W
    ),
}


class Digits:
    """A small classifier and its training."""

    def __init__(self, loss: Loss, compiled: bool) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 10))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.loss = loss
        self.step = torch.compile(self.train) if compiled else self.train

    def train(self, x: Any, y: Any) -> Any:
        self.optimizer.zero_grad()
        loss = self.loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def state(self) -> list[bytes]:
        found = [p.detach().numpy().tobytes() for p in self.model.parameters()]
        grads = [p.grad for p in self.model.parameters()]
        return found + [b"" if g is None else g.numpy().tobytes() for g in grads]


def batch(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = torch.tensor(rng.standard_normal((32, 20)).astype(np.float32))
    return x, torch.tensor(rng.integers(0, 10, 32))


def after(one: Digits, x: Any, y: Any) -> Any:
    """What a step gives or raises, and what is there then."""
    try:
        found = one.step(x, y).detach().numpy().tobytes()
    except IndexError as e:
        found = str(e)
    return found, one.state()


@jit
@pytest.mark.parametrize("name", LOSSES)
def test_a_step_calls_no_loss_from_python(name: str) -> None:
    eager, compiled = Digits(LOSSES[name], False), Digits(LOSSES[name], True)
    for k in range(50):
        assert after(compiled, *batch(k)) == after(eager, *batch(k))
    told = torch.compiler.explain(compiled.step)(*batch(50))
    assert told.parts
    found = [e.name for part in told.parts for e in part.entries if e.kind == "python"]
    assert not [n for n in found if "entropy" in n or "nll" in n or "Nll" in n]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("bad", [-100, 10, -1])
def test_targets_that_are_no_class_in_a_later_step(name: str, bad: int) -> None:
    """Ignored ones are ignored then, others give eager's error; and steps go on."""
    eager, compiled = Digits(LOSSES[name], False), Digits(LOSSES[name], True)
    for k in range(8):
        x, y = batch(k)
        if k in (3, 6):
            y[5] = bad
        wanted = after(eager, x, y)
        assert after(compiled, x, y) == wanted
        assert isinstance(wanted[0], str) == (k in (3, 6) and bad != -100)


@pytest.mark.parametrize("bad", [-100, 10])
def test_targets_that_are_no_class_in_the_first_step(bad: int) -> None:
    for loss in (F.cross_entropy, LOSSES["nll"]):
        eager, compiled = Digits(loss, False), Digits(loss, True)
        for k in range(5):
            x, y = batch(k)
            if k == 0:
                y[5] = bad
            assert after(compiled, x, y) == after(eager, x, y)


def test_a_class_that_does_not_count() -> None:
    def loss(z: Any, y: Any) -> Any:
        return F.cross_entropy(z, y, ignore_index=3)

    eager, compiled = Digits(loss, False), Digits(loss, True)
    for k in range(5):
        assert after(compiled, *batch(k)) == after(eager, *batch(k))


def test_the_error_is_at_the_line_of_the_user() -> None:
    one = Digits(F.cross_entropy, True)
    for k in range(3):
        one.step(*batch(k))
    x, y = batch(3)
    y[0] = 77
    with pytest.raises(IndexError, match=r"Target 77 is out of bounds") as caught:
        one.step(x, y)
    lines = [str(entry.path) + ":" + str(entry.name) for entry in caught.traceback]
    assert any("test_losses.py" in line for line in lines)
