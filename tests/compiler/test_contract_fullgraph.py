"""`fullgraph=True`: what cannot be replayed is an error, with PyTorch's class."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

SEEN: list[Any] = []


def prints(x: Any) -> Any:
    print(x.shape)
    return x * 2


def steers_by_item(x: Any) -> Any:
    return x * 2 if x.sum().item() > 0 else x


def steers_by_truth(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return x


def asks_the_time(x: Any) -> Any:
    return x * time.time()


def draws_a_number_of_python(x: Any) -> Any:
    return x * random.random()


def takes_an_array(x: Any) -> Any:
    return torch.from_numpy(x.numpy() * 2)


def appends(x: Any) -> Any:
    SEEN.append(1)
    return x * 2


def asks_for_a_graph_break(x: Any) -> Any:
    torch._dynamo.graph_break()
    return x * 2


@torch.compiler.disable
def disabled(x: Any) -> Any:
    return x * 2


def calls_what_is_disabled(x: Any) -> Any:
    return disabled(x) + 1


UNSUPPORTED = [
    prints, steers_by_item, steers_by_truth, asks_the_time, draws_a_number_of_python,
    takes_an_array, appends, asks_for_a_graph_break, calls_what_is_disabled,
]  # fmt: skip


@pytest.mark.eager
@pytest.mark.parametrize("function", UNSUPPORTED)
def test_what_cannot_be_replayed_is_an_error(function: Callable[[Any], Any]) -> None:
    compiled = torch.compile(function, fullgraph=True)
    for _ in range(2):
        with pytest.raises(torch._dynamo.exc.Unsupported, match=r"."):
            compiled(torch.ones(3))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.scale = nn.Linear(3, 3), 2.0

    def forward(self, x: Any) -> Any:
        for _ in range(2):
            x = F.dropout(torch.relu(self.layer(x)), 0.5, self.training) * self.scale
        return x


def whole(x: Any, n: int = 2) -> Any:
    parts = [x * k for k in range(n)]
    return torch.stack(parts).sum(0) if x.dim() == 1 else parts[0]


@pytest.mark.filterwarnings("error")
def test_what_can_be_replayed_is_none() -> None:
    net, optimizer = Net(), None
    optimizer = torch.optim.Adam(net.parameters())

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    for function in (whole, step, net):
        compiled = torch.compile(function, fullgraph=True)
        for k in (3, 3, 3):
            compiled(torch.ones(k))
    net.scale = 3.0
    torch.compile(net, fullgraph=True)(torch.ones(2, 3))


def test_an_error_of_the_function_is_its_own() -> None:
    compiled = torch.compile(lambda x: x @ torch.ones(4, 2), fullgraph=True)
    compiled(torch.ones(3, 4))
    with pytest.raises(RuntimeError, match="cannot be multiplied") as told:
        compiled(torch.ones(3, 5))
    assert not isinstance(told.value, torch._dynamo.exc.Unsupported)
