"""Gradients that leave a backward's program while it goes on; with processes, see
`tests/distributed/programs/overlap.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight import nn


class Listener:
    """A hook that wants gradients where they are there."""

    def __init__(self, ends: list[int], tell: Callable[[Any], None]) -> None:
        self.of, self.ends, self.tell = self, ends, tell

    def __call__(self, p: Any) -> None:
        self.tell(p)

    def fills(self, leaves: list[Any]) -> list[int]:
        return self.ends


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2))


def way_of(compiled: Any) -> Any:
    (entry,) = compiled._compiled.entries
    return entry.region.plans[0].ways[0,]


def test_hooks_are_called_in_the_middle_in_the_order_of_eager() -> None:
    orders: list[list[str]] = []
    grads: list[list[Any]] = []
    for compiled in (False, True):
        net = network()
        call: Any = torch.compile(net) if compiled else net
        name = {p: n for n, p in net.named_parameters()}
        orders.append([])
        for p in net.parameters():
            p.register_post_accumulate_grad_hook(
                Listener([1, 3], lambda p, found=orders[-1], name=name: found.append(name[p]))
            )
        for k in range(3):  # gradients add up
            call(torch.ones(3, 4) * k).square().sum().backward()
        grads.append([p.grad for p in net.parameters()])
    assert orders[0] == orders[1]
    assert all(map(torch.equal, *grads))
    assert way_of(call).stops == 2
    text = str(torch.compiler.explain(call)(torch.ones(3, 4)))
    assert "gradients are ready" in text


def test_other_hooks_are_called_behind_the_program() -> None:
    net = network()
    call = torch.compile(net)
    for p in net.parameters():
        p.register_post_accumulate_grad_hook(lambda p: None)
    for _ in range(2):
        call(torch.ones(3, 4)).sum().backward()
    assert way_of(call).stops == 0


def test_a_hook_that_comes_later_gets_a_plan_of_its_own() -> None:
    net = network()
    call = torch.compile(net)
    for _ in range(2):
        call(torch.ones(3, 4)).sum().backward()
    assert way_of(call).stops == 0
    handles = [p.register_post_accumulate_grad_hook(Listener([1], lambda p: None))
               for p in net.parameters()]  # fmt: skip
    for _ in range(3):
        call(torch.ones(3, 4)).sum().backward()
    entries = call._compiled.entries
    assert [e.region.plans[0].ways[0,].stops for e in entries] == [1, 0]
    assert entries[0].runs == 2
    for handle in handles:  # gone again: any of the plans is right
        handle.remove()
    net.zero_grad()
    call(torch.ones(3, 4)).sum().backward()
    assert len(call._compiled.entries) == 2


def test_errors_of_hooks_leave_the_plan_usable() -> None:
    net = network()
    call = torch.compile(net)
    failing = [False]

    def tell(p: Any) -> None:
        if failing[0]:
            raise ValueError("stop")

    for p in net.parameters():
        p.register_post_accumulate_grad_hook(Listener([1], tell))
    for k in range(4):
        failing[0] = k == 2
        net.zero_grad()
        y = call(torch.ones(3, 4)).sum()
        try:
            y.backward()
            assert k != 2
        except ValueError:
            assert k == 2
    grads = [p.grad for p in net.parameters()]
    net.zero_grad()
    net(torch.ones(3, 4)).sum().backward()
    assert all(torch.equal(p.grad, g) for p, g in zip(net.parameters(), grads, strict=True))
