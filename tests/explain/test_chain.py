"""Parameters that got no gradient: what cut the chain, and its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.recording import NONE


class Net(nn.Module):
    """Two layers with something between them."""

    def __init__(self, between: Callable[[Any], Any]) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 1)
        self.between = between

    def forward(self, x: Any) -> Any:
        return self.last(self.between(self.first(x)))


def through_numpy(h: Any) -> Any:
    values = h.detach().numpy() * 2
    return torch.from_numpy(values)


def without_grad(h: Any) -> Any:
    with torch.no_grad():
        return h * 2


def as_number(h: Any) -> Any:
    return torch.full((3, 4), h.mean().item())


def as_integers(h: Any) -> Any:
    return h.long().float()


CUTS: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda h: h.detach(), "detach() cut it off", "h.detach()"),
    (lambda h: h.data * 2, ".data cut it off", "h.data"),
    (through_numpy, "NumPy", "h.detach().numpy()"),
    (without_grad, "under no_grad", "return h * 2"),
    (as_number, "item() made a Python number", "h.mean().item()"),
    (as_integers, "gives int64", "h.long()"),
    (lambda h: (h > 0).float(), "gives bool", "(h > 0)"),
]


@pytest.mark.parametrize(("between", "why", "text"), CUTS, ids=[c[1] for c in CUTS])
def test_a_cut_is_named_with_its_line(
    between: Callable[[Any], Any], why: str, text: str
) -> None:
    found = torch.explain.record(Net(between), torch.ones(3, 4))
    assert [u.name for u in found.unreached] == ["first.weight", "first.bias"]
    for u in found.unreached:
        assert why in u.why
        assert text in found.lines[u.line].text


def test_frozen_and_unused() -> None:
    def run() -> None:
        model = Net(torch.relu)
        model.spare = nn.Linear(2, 2, bias=False)
        model.first.bias.requires_grad_(False)
        model(torch.ones(3, 4)).sum().backward()

    found = torch.explain.record_step(run)
    whys = {u.name: (u.why, u.line) for u in found.unreached}
    assert set(whys) == {"first.bias", "spare.weight"}
    assert "frozen" in whys["first.bias"][0]
    assert "first.bias.requires_grad_(False)" in found.lines[whys["first.bias"][1]].text
    assert "no operation takes it" in whys["spare.weight"][0]
    assert whys["spare.weight"][1] == NONE


def test_a_result_that_goes_nowhere() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            self.b(x).relu()
            return self.a(x)

    found = torch.explain.record(Two(), torch.ones(1, 2))
    assert {u.name for u in found.unreached} == {"b.weight", "b.bias"}
    assert all("does not go into the loss" in u.why for u in found.unreached)
    assert "self.b(x).relu()" in found.lines[found.unreached[0].line].text


def test_nothing_is_missed_without_a_backward() -> None:
    def run() -> None:
        with torch.no_grad():
            Net(torch.relu)(torch.ones(1, 4))

    assert torch.explain.record_step(run).unreached == []


def test_a_chain_that_holds() -> None:
    rows = np.ones((3, 4), np.float32)
    assert torch.explain.record(Net(torch.relu), torch.from_numpy(rows)).unreached == []


def test_a_model_whose_optimizer_waits_is_not_missed() -> None:
    """As the generator of a WGAN, which is stepped once in five steps of the critic."""
    generator, critic = nn.Linear(2, 4), nn.Linear(4, 1)

    def run() -> None:
        first = torch.optim.SGD(critic.parameters(), lr=0.1)
        torch.optim.SGD(generator.parameters(), lr=0.1)
        with torch.no_grad():
            fake = generator(torch.ones(3, 2))
        critic(fake).sum().backward()
        first.step()

    assert torch.explain.record_step(run).unreached == []


def test_a_function_of_the_users_is_part_of_the_chain() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class Holding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.shift = (nn.Parameter(torch.ones(2)) for _ in range(2))

        def forward(self, x: Any) -> Any:
            return Twice.apply(self.scale) * x + Twice.apply(self.shift).detach()

    found = torch.explain.record(Holding(), torch.ones(2))
    assert [(u.name, u.why) for u in found.unreached] == [("shift", "detach() cut it off")]
    node = next(e for e in found.events if e.name == "TwiceBackward")
    assert found.events[node.of].name == "Twice"
