"""The turn of the engine by machine code: the same gradients, the same order, the same errors."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import engine, leaves
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    """With machine code while the test runs, and as it was before afterwards."""
    before = engine.step, engine.walk, leaves.first_gradient
    few.load()
    yield
    engine.step, engine.walk, leaves.first_gradient = before


def both(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]
) -> list[Any]:
    """What `make` returns with machine code and without, which must have been asked with it."""
    asked, real = [], engine.step

    def step(node: Any, *given: Any) -> Any:
        following = real(node, *given)
        asked.append(following is not node)
        return following

    with monkeypatch.context() as patch:
        patch.setattr(engine, "step", step)
        first = make()
    assert any(asked)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "step", engine.never)
        return [first, make()]


def same(found: list[Any]) -> None:
    """The same arrays, to the bit, that lie in the same way."""
    for a, b in zip(*found, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            a, b = a._a, b._a
            assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
            np.testing.assert_array_equal(a, b)


def leaf(*shape: int, dtype: Any = torch.float32) -> Any:
    g = torch.Generator().manual_seed(len(shape) + sum(shape))
    return torch.randn(*shape, generator=g, dtype=dtype).requires_grad_()


def graph_of_sums() -> Any:
    """Leaves used twice, broadcast, and of another type; two roots."""
    x, w, b = leaf(4, 3), leaf(3, 3), leaf(3, dtype=torch.float64)
    y = x @ w + b
    z = (y * y).sum() + x.sum() + (w.t() @ w).mean()
    torch.autograd.backward([z, y], [None, torch.ones_like(y)])
    return x.grad, w.grad, b.grad


def graph_of_parts() -> Any:
    """Outputs of several, some of them unused, views, and what is joined again."""
    x = leaf(6, 4)
    a, b, _, d = x.split((1, 2, 1, 2))
    s = torch.linalg.svdvals(x)
    m, i = x.sort(0)
    y = torch.cat((a, d, b)).transpose(0, 1).reshape(-1)
    (y.exp().sum() + s.sum() + m[i[0, 0]].sum() + torch.stack([a, a]).sum()).backward()
    return (x.grad,)


def graph_of_a_function() -> Any:
    """A function of one's own, which returns fewer gradients, none, or what it was given."""

    class Mine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    x, y = leaf(3), leaf(3)
    z = Mine.apply(x, y)
    (z * 2 + Mine.apply(y, z)).sum().backward()
    return x.grad, y.grad


def graph_that_is_kept() -> Any:
    x = leaf(5)
    y = (x.exp() * x).sum()
    y.backward(retain_graph=True)
    first = x.grad.clone()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    return first, x.grad


def graph_of_a_function_that_saves() -> Any:
    """What it has saved is let go with the graph."""

    class Squared(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * x * 2

    x = leaf(4)
    y = (Squared.apply(x) * 2).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    return (x.grad,)


def graph_with_hooks() -> Any:
    """On some nodes and leaves; others go the quick way."""
    x, w = leaf(3, 3), leaf(3, 3)
    y = x @ w
    y.register_hook(lambda g: g * 2)
    w.register_hook(lambda g: g + 1)
    seen: list[Any] = []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.clone()))
    y.tanh().sum().backward()
    return x.grad, w.grad, seen[0]


def graph_of_a_model() -> Any:
    torch.manual_seed(3)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(2, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.Linear(64, 5), torch.nn.LayerNorm(5),
    )  # fmt: skip
    y, target = model(torch.randn(3, 2, 6, 6)), torch.tensor([0, 1, 4])
    torch.nn.functional.cross_entropy(y, target).backward()
    return tuple(p.grad for p in model.parameters())


GRAPHS = (
    graph_of_sums, graph_of_parts, graph_of_a_function, graph_that_is_kept,
    graph_of_a_function_that_saves, graph_with_hooks, graph_of_a_model,
)  # fmt: skip


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_gradients(graph: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    same(both(monkeypatch, graph))


def test_nodes_run_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest that waits for nothing comes first."""

    def make() -> Any:
        ran: list[int] = []

        class Numbered(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, number: int, *given: Any) -> Any:
                ctx.number = number
                return sum(given)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                ran.append(ctx.number)
                return None, *[g.clone() for _ in ctx.needs_input_grad[1:]]

        f, x = Numbered.apply, leaf(2)
        a, b, c = f(0, x), f(1, x), f(2, x)
        d, e = f(3, a, c), f(4, b, a)
        f(5, e, d, x).sum().backward()
        return ran

    first, second = both(monkeypatch, make)
    assert first == second == [5, 4, 3, 2, 1, 0]


def test_errors_come_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, how: str) -> Any:
            ctx.how = how
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.how == "raises":
                raise KeyError("mine")
            return torch.ones(7), None

    def make(how: str) -> Any:
        x = leaf(3)
        with pytest.raises((KeyError, RuntimeError)) as caught:
            (Wrong.apply(x * 2, how) * 3).sum().backward()
        assert x.grad is None
        return type(caught.value), str(caught.value).partition(" at ")[0]

    for how in ("raises", "gives"):
        first, second = both(monkeypatch, lambda how=how: make(how))
        assert first == second


def test_a_gradient_lives_no_longer_than_its_turn() -> None:
    """And nothing of a graph lives on behind it, nor behind one that failed."""
    alive: list[Any] = []

    class Watch(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, fails: bool) -> Any:
            ctx.fails = fails
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.fails:
                raise ValueError("no")
            alive.append(weakref.ref(g))
            return g * 2, None

    for fails in (False, True):
        x = leaf(64, 64)
        y = Watch.apply(Watch.apply(x * 2, fails) + 1, False)
        nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        if fails:
            with pytest.raises(ValueError, match="no"):
                y.sum().backward()
        else:
            y.sum().backward()
        del y
        gc.collect()
        assert [ref() for ref in nodes] == [None, None]
    assert [ref() for ref in alive] == [None] * len(alive)


def test_anomaly_mode_looks_at_each_node() -> None:
    x = leaf(3)
    with pytest.warns(UserWarning, match="Anomaly"):
        mode = torch.autograd.detect_anomaly()
    with mode, pytest.raises(RuntimeError, match="nan"), pytest.warns(UserWarning, match="Error"):
        (x * 0).exp().sum().backward(torch.tensor(float("nan")))
