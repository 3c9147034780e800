"""When hooks are called: of tensors, of nodes and of leaves, by `backward` and by `grad`."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import _C


def test_a_leafs_hooks_run_around_the_accumulation() -> None:
    x = torch.rand(3, requires_grad=True)

    def after(_gi: Any, go: Any) -> None:
        x.grad = go[0] * 10

    node = x.view_as(x).grad_fn.next_functions[0][0]
    x.register_hook(lambda g: g - 2.0)
    node.register_prehook(lambda gs: (gs[0] / 5.0,))
    x.register_post_accumulate_grad_hook(lambda t: (t.grad.add_(0.5), None)[1])
    node.register_hook(after)
    x.sum().backward()
    assert x.grad.tolist() == pytest.approx([3.0, 3.0, 3.0])


def test_a_hook_that_keeps_what_it_returns_keeps_its_values() -> None:
    kept = []
    x = torch.ones(2, requires_grad=True)

    def hook(g: Any) -> Any:
        kept.append(g * 2)
        return kept[-1]

    x.register_hook(hook)
    x.sum().backward()
    x.grad.add_(1)
    assert kept[0].tolist() == [2.0, 2.0]


def test_grad_runs_hooks_of_leaves_but_not_of_their_nodes() -> None:
    log: list[str] = []
    a = torch.tensor(1.0, requires_grad=True)
    b = a.clone()
    a.register_hook(lambda g: log.append("tensor"))
    node = b.grad_fn.next_functions[0][0]
    node.register_prehook(lambda gs: log.append("before"))
    torch.autograd.grad(b, a, retain_graph=True)
    assert log == ["tensor"]
    b.backward(inputs=[a])
    assert log == ["tensor", "tensor", "before"]


def test_hooks_of_leaves_that_are_not_asked_for_do_not_run() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a.register_hook(lambda g: pytest.fail("not asked for"))
    (a + b).sum().backward(inputs=[b])
    assert a.grad is None
    assert b.grad.tolist() == [1.0, 1.0]


def test_a_node_that_backward_is_asked_for_runs_with_its_hooks() -> None:
    log: list[str] = []
    a = torch.tensor(1.0, requires_grad=True)
    b = a.clone()
    b.grad_fn.register_prehook(lambda gs: (log.append("before"), (gs[0] * 2,))[1])
    b.register_hook(lambda g: (log.append("tensor"), g * 3)[1])
    b.sum().backward(inputs=(b,))
    assert log == ["tensor", "before"]
    assert b.grad.item() == 3.0
    assert b.retains_grad
    assert a.grad is None


def test_a_hook_of_one_part_hears_of_backwards_of_another() -> None:
    got = []
    x = torch.ones(3, requires_grad=True)
    parts = x.unbind()
    parts[0].register_hook(got.append)
    parts[0].backward()
    parts[1].backward()
    assert got[0].item() == 1.0
    assert got[1] is None


def test_a_node_wants_a_gradient_for_each_output() -> None:
    y = torch.ones(1, requires_grad=True) ** 2
    with pytest.raises(TypeError, match="expected 1 arguments, got 2 instead"):
        y.grad_fn(torch.ones(1), torch.ones(1))
    with pytest.raises(TypeError, match="expected 1 arguments, got 0 instead"):
        y.grad_fn()


def test_the_order_of_a_backward_and_its_node() -> None:
    found: dict[str, Any] = {}

    def hook(_g: Any) -> None:
        found["order"] = [n.name() for n in _C._current_graph_task_execution_order()]
        found["node"] = _C._current_autograd_node().name()
        found["runs"] = [_C._will_engine_execute_node(n) for n in (y.grad_fn, z.grad_fn)]

    x = torch.tensor(1.0, requires_grad=True)
    y = x.sin()
    z = y.cos()
    out = y * x
    out.register_hook(hook)
    with torch.autograd.set_multithreading_enabled(False):
        assert not torch.autograd.is_multithreading_enabled()
        out.backward(retain_graph=True)
    leaf = "torch::autograd::AccumulateGrad"
    assert found["order"] == ["MulBackward0", "SinBackward0", leaf]
    assert found["node"] == "MulBackward0"
    assert found["runs"] == [True, False]
    assert _C._current_autograd_node() is None
    with pytest.raises(RuntimeError, match="multithreading disabled"):
        out.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="only be called during the backward pass"):
        _C._current_graph_task_execution_order()
    with pytest.raises(RuntimeError, match="expects an grad_fn"):
        _C._will_engine_execute_node(out)


def test_hooks_of_results_off_the_way_to_what_is_asked_for_do_not_run() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    u = x * 2
    u.register_hook(lambda g: pytest.fail("not asked for"))
    u.retain_grad()
    out = (u + y).sum()
    torch.autograd.grad(out, y, retain_graph=True)
    out.backward(inputs=[y])
    assert u.grad is None
    assert y.grad.tolist() == [1.0, 1.0]
