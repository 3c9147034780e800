"""Graph surgery by hand: walk next_functions, call nodes, reach AccumulateGrad.variable."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def toy_backward(root: Any) -> dict[Any, Any]:
    """Gradients of the leaves under `root`, from public pieces of the graph alone."""
    waiting: dict[Any, int] = defaultdict(int)
    todo, seen = [root.grad_fn], {root.grad_fn}
    while todo:
        for node, _ in todo.pop().next_functions:
            if node is None:
                continue
            waiting[node] += 1
            if node not in seen:
                seen.add(node)
                todo.append(node)
    incoming: dict[Any, dict[int, Any]] = defaultdict(dict)
    incoming[root.grad_fn][0] = torch.ones_like(root)
    leaves: dict[Any, Any] = {}
    ready = [root.grad_fn]
    while ready:
        node = ready.pop()
        grads = incoming.pop(node)
        if hasattr(node, "variable"):
            leaves[node.variable] = grads[0]
            continue
        outputs = max(grads) + 1
        got = node(*[grads.get(i) for i in range(outputs)])
        got = got if isinstance(got, tuple) else (got,)
        assert len(got) == len(node.next_functions)
        for g, (child, number) in zip(got, node.next_functions, strict=True):
            if child is None:
                continue
            if g is not None:
                slot = incoming[child]
                slot[number] = g if number not in slot else slot[number] + g
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return leaves


class TwoBranches(nn.Module):
    """An MLP whose trunk feeds two branches that meet again."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Linear(5, 8)
        self.left = nn.Linear(8, 4)
        self.right = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 4))

    def forward(self, x: Any) -> Any:
        h = torch.relu(self.trunk(x))
        return self.left(h).sigmoid() * self.right(h) + h[:, :4]


def test_a_toy_engine_gets_the_gradients_of_backward() -> None:
    net = TwoBranches()
    x = torch.randn(3, 5, requires_grad=True)
    loss = (net(x) ** 2).mean()
    mine = toy_backward(loss)
    for p in [x, *net.parameters()]:
        assert p.grad is None  # the toy engine touched nothing
    loss.backward()
    assert set(mine) == {x, *net.parameters()}
    for p in [x, *net.parameters()]:
        np.testing.assert_allclose(mine[p].detach().numpy(), p.grad.numpy(), rtol=1e-5, atol=1e-7)


def test_the_toy_engine_on_nodes_with_several_outputs() -> None:
    x = torch.randn(4, 3, requires_grad=True)
    a, b = x.chunk(2)
    values, _ = (a * b.exp()).max(1)
    loss = values.sum() + b.sum()
    mine = toy_backward(loss)
    loss.backward()
    np.testing.assert_allclose(mine[x].detach().numpy(), x.grad.numpy(), rtol=1e-5)


def test_calling_accumulate_grad_adds_to_grad() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 2).grad_fn.next_functions[0][0]
    assert type(node).__name__ == "AccumulateGrad"
    assert node.variable is x
    assert node.next_functions == ()
    node(torch.tensor([3.0, 4.0]))
    node(torch.tensor([3.0, 4.0]))
    assert x.grad.tolist() == [6.0, 8.0]


def test_accumulate_grad_is_one_object_while_it_is_held() -> None:
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    held = y.grad_fn.next_functions[0][0]
    assert (x + 1).grad_fn.next_functions[0][0] is held


def test_a_node_is_callable_twice_and_by_hand_differentiable() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    g = y.grad_fn(torch.ones(2))
    again = y.grad_fn(torch.ones(2))
    assert g.tolist() == again.tolist() == y.tolist()
    assert g.requires_grad
    (second,) = torch.autograd.grad(g.sum(), x)
    assert second.tolist() == pytest.approx(y.tolist())


def test_node_classes_are_named_as_in_pytorch() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    names = [
        y.grad_fn.name() for y in (x * 2, x + 1, x.exp(), x.sum(), x.mean(), x.t(), x[0], x.relu())
    ]
    assert names == [
        "MulBackward0",
        "AddBackward0",
        "ExpBackward0",
        "SumBackward0",
        "MeanBackward0",
        "TBackward0",
        "SelectBackward0",
        "ReluBackward0",
    ]
    assert repr((x * 2).grad_fn).startswith("<MulBackward0 object at 0x")


def test_metadata_stays_with_the_node() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad_fn.metadata["layer"] = "first"
    assert (y + 1).grad_fn.next_functions[0][0].metadata == {"layer": "first"}


def test_operands_that_have_no_derivative_are_no_edges() -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    made = [x**2, 2**x, x.clamp(0, 1), x[[0, 1]], x.gather(0, torch.zeros(1, 3).long())]
    made += [torch.where(x > 0, x, x * 2), x.masked_fill(x > 3, 0.0)]
    assert [len(y.grad_fn.next_functions) for y in made] == [1, 1, 1, 1, 1, 2, 1]
    assert made[0].grad_fn(torch.ones(2, 3)).tolist() == (2 * x).tolist()
    assert len((x + 1).grad_fn.next_functions) == 2  # as in PyTorch, a number is an edge here
    seen = []
    made[0].grad_fn.register_hook(lambda ins, outs: seen.append((len(ins), len(outs))))
    made[0].sum().backward()
    assert seen == [(1, 1)]
