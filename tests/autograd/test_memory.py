"""Graphs die when their tensors die: without the garbage collector, and at any length."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.kernels.conv import gradients as conv_gradients
from rushlight.kernels.conv import select as conv_select
from rushlight.kernels.keys import Plans


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """Only reference counts free objects in these tests."""
    gc.collect()
    gc.freeze()  # in a process that has run thousands of tests each collection takes half a second
    gc.disable()
    yield
    gc.enable()


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x, y)
        ctx.extra = "kept"
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, _ = ctx.saved_tensors
        return 2 * x * g


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


def in_place_on_views(x: Any) -> Any:
    a = x * 1
    a[0].mul_(3)
    v = a[1:]
    v.exp_()
    return (a.sum() + v.sum()).reshape(1)


def hooked(x: Any) -> Any:
    h = x * 2
    h.register_hook(lambda g: g * 1)
    h.retain_grad()
    h.grad_fn.register_hook(lambda gi, go: None)
    return h.exp()


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: (x * x + x.exp()).tanh() / 3,
    "saved outputs": lambda x: x.exp().sigmoid().tanh().sqrt(),
    "reductions": lambda x: x.sum() * x.mean() + x.max() + x.var() + x.norm() + x.logsumexp(0),
    "several outputs": lambda x: x.sort()[0] + x.unbind(0)[0] + x.max(0)[0] + torch.cat(x.chunk(2)),
    "views": lambda x: x.view(2, 2).t()[0].unsqueeze(0).expand(3, 2).reshape(-1),
    "in place": lambda x: (x * 1).mul_(2).add_(x).exp_(),
    "in place on views": in_place_on_views,
    "indexing": lambda x: x[[0, 1]] + x[x > 1].sum(),
    "linear": lambda x: torch.nn.functional.linear(x.reshape(1, 4), torch.ones(2, 4)).softmax(1),
    "function": lambda x: Square.apply(x),
    "in-place function": lambda x: Doubled.apply(x * 1) + 1,
    "hooks": hooked,
    "saved hooks": lambda x: with_saved_hooks(x),
    "detach": lambda x: (x * x).detach() * x,
}


def with_saved_hooks(x: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return x.exp() * x


def alive(root: Any) -> list[Any]:
    """Weak references to every node under a tensor."""
    found: dict[Any, None] = {}
    todo = [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in found or type(node).__name__ == "AccumulateGrad":
            continue
        found[node] = None
        todo += [n for n, _ in node.next_functions]
    return [weakref.ref(n) for n in found]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("how", ["dropped", "backward", "retained", "create_graph", "grad"])
def test_no_cycles(name: str, how: str) -> None:
    x = leaf(1.0, 2.0, 0.5, 3.0)
    y = PROGRAMS[name](x)
    tensor = weakref.ref(y)
    loss = y.sum()
    if how == "backward":
        loss.backward()
    elif how == "retained":
        loss.backward(retain_graph=True)
    elif how == "create_graph":
        (g,) = torch.autograd.grad(loss, x, create_graph=True)
        (g.sum() if g.requires_grad else loss).backward()
        del g
    elif how == "grad":
        torch.autograd.grad(loss, [x, y])
    nodes = alive(loss)
    assert nodes
    del y, loss
    assert tensor() is None
    assert [n() for n in nodes if n() is not None] == []


def test_an_error_in_backward_does_not_keep_the_graph() -> None:
    x = leaf(1.0, 2.0)
    h = x * 2

    def bad(_: Any) -> None:
        raise KeyError("mine")

    h.register_hook(bad)
    y = h.exp().sum()
    ref = weakref.ref(h)
    with pytest.raises(KeyError):
        y.backward()
    del h, y
    assert ref() is None


def test_activations_are_freed_by_backward_though_the_loss_is_kept() -> None:
    """Losses that are added up with their graphs hold nodes, not activations."""
    w = torch.ones(50, 50, requires_grad=True)
    total = []
    refs = []
    for _ in range(3):
        h = (w * 2).exp()
        refs.append(weakref.ref(h))
        loss = (h * h).sum()
        loss.backward()
        total.append(loss)
        del h
    assert all(r() is None for r in refs)
    assert len(total) == 3


def test_a_module_and_its_step_leave_nothing_behind() -> None:
    net = nn.Sequential(
        nn.Linear(4, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 2)
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    refs = []
    for _ in range(2):
        out = net(torch.randn(3, 4))
        loss = nn.functional.cross_entropy(out, torch.tensor([0, 1, 0]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        refs += [weakref.ref(out), weakref.ref(loss), weakref.ref(loss.grad_fn)]
        del out, loss
    assert [r() for r in refs if r() is not None] == []


def test_checkpoint_leaves_nothing_behind() -> None:
    from rushlight.utils.checkpoint import checkpoint

    x = leaf(1.0, 2.0)
    for mode in (True, False):
        y = checkpoint(lambda t: t.exp() * t, x, use_reentrant=mode)
        ref = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert ref() is None, mode


def test_a_view_does_not_keep_itself() -> None:
    base = torch.zeros(4)
    v = base[1:]
    ref, root = weakref.ref(v), weakref.ref(base)
    del v
    assert ref() is None
    del base
    assert root() is None


@pytest.mark.slow
def test_long_chains_run_backward_and_are_deleted_without_recursion() -> None:
    n = 100_000
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(n):
        y = y + x
    y.backward()
    assert x.grad.item() == n + 1
    del y  # a recursive deletion would overflow the C stack

    y = x
    for _ in range(n):
        y = y.mul(1.0)
    ref = weakref.ref(y.grad_fn)
    del y  # never ran backward: saved values and all
    assert ref() is None


@pytest.mark.slow
def test_long_chain_of_in_place_changes() -> None:
    n = 20_000
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = x * 1
    for _ in range(n):
        a[0].add_(1)
    a.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    del a


def test_long_chain_with_create_graph() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5_000):
        y = y * 1.0
    (g,) = torch.autograd.grad(y * y, x, create_graph=True)
    g.backward()
    assert x.grad.item() == 2.0


@pytest.mark.slow
def test_deep_graph_of_functions() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = Square.apply(y)
    y.backward()
    assert x.grad.item() == float("inf")
    del y


def test_many_kept_graphs_are_noticed() -> None:
    """Losses that are added up with their histories: the line of their backward is named."""
    w = leaf(1.0, 2.0)
    total: Any = 0

    def train() -> None:
        nonlocal total
        for _ in range(2500):
            loss = (w * w).sum()
            loss.backward()  # this backward
            total = total + loss

    with pytest.warns(UserWarning, match=r"graphs are still alive(.|\n)*# this backward") as seen:
        train()
    assert len(seen) == 1  # once a line
    assert "loss.item()" in str(seen[0].message)
    del total


def test_dropped_graphs_are_not_noticed() -> None:
    w = leaf(1.0, 2.0)
    total = 0.0
    for _ in range(1200):
        loss = (w * w).sum()
        loss.backward()
        total += loss.item()
    assert total == 1200 * 5.0


@pytest.mark.parametrize("kept", [False, True])
def test_a_gradient_given_another_shape_is_taken_unless_somebody_has_its_array(
    monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """A kernel makes a matrix, and answers with a view of it in the weight's shape."""
    known: list[Any] = []
    address: list[int] = []

    def conv_weight(*_: Any) -> Any:
        a = np.ones((2, 9))
        address.append(a.ctypes.data)
        if kept:
            known.append(a)
        return a.reshape(2, 1, 3, 3)

    alone = Plans(lambda *_: None)  # there is no plan of all of them
    monkeypatch.setattr(conv_gradients, "plans_together", alone)
    monkeypatch.setattr(conv_select, "weight_gradient", conv_weight)
    w = torch.ones(2, 1, 3, 3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.conv2d(torch.ones(1, 1, 5, 5, dtype=torch.float64), w).sum().backward()
    assert (w.grad.data_ptr() == address[0]) is not kept
    if kept:
        known[0][...] = 7
    assert (w.grad == 1).all()
