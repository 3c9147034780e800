"""What the watch behind the recorded steps tells of the rest of a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.lines import Lines
from rushlight.explain.watch import Watch


def watched(run: Callable[[], Any]) -> dict[str, int]:
    """How many evaluations with gradients on were seen, by their line."""
    watch = Watch(Lines())
    watch.start()
    try:
        run()
    finally:
        found = watch.stop()
    texts = watch.lines.finish()
    return {texts[w.line].text: w.count for w in found if w.kind == "evaluation"}


class Output(NamedTuple):
    logits: Any


class Model(nn.Module):
    def __init__(self, wrap: Callable[[Any], Any]) -> None:
        super().__init__()
        self.layer, self.norm, self.wrap = nn.Linear(4, 2), nn.BatchNorm1d(2), wrap

    def forward(self, x: Any) -> Any:
        return self.wrap(self.norm(self.layer(x)))


@pytest.mark.parametrize("wrap", [lambda y: y, Output, lambda y: {"logits": y}, lambda y: [[y]]])
def test_evaluations_are_counted_whatever_they_give(wrap: Callable[[Any], Any]) -> None:
    model = Model(wrap).eval()

    def run() -> None:
        for _ in range(7):
            model(torch.ones(3, 4))

    assert watched(run) == {"model(torch.ones(3, 4))": 7}
    with torch.no_grad():
        assert watched(run) == {}


def test_training_in_eval_is_no_evaluation() -> None:
    model = Model(lambda y: y).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> None:
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()

    def attack() -> Any:
        x = torch.ones(3, 4, requires_grad=True)
        (g,) = torch.autograd.grad(model(x).sum(), x)
        return g

    assert watched(lambda: [step() for _ in range(30)]) == {}
    assert watched(lambda: [attack() for _ in range(30)]) == {}


def test_a_layer_in_eval_of_a_model_in_training_is_none() -> None:
    model = Model(lambda y: y)
    model.norm.eval()
    assert watched(lambda: [model(torch.ones(3, 4)) for _ in range(30)]) == {}
