"""Backward through what is compiled: from outside and inside, twice, in parts, with hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import Twin, network, same

PLACES = ("module", "function")
places = pytest.mark.parametrize("place", PLACES)


def attempt(loss: Any, ys: Any, model: Any) -> None:
    """The loss and its backward. What a backward that fails has left in gradients is nobody's
    business."""
    try:
        loss(ys, model)
    except RuntimeError:
        model.zero_grad()
        raise


def compiled_forward(t: Twin, place: str, model: Any) -> Any:
    """The model's forward pass, compiled as a module or as a function."""

    def forward(x: Any) -> Any:
        return model(x)

    return t.compile(model if place == "module" else forward)


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 2), nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        h = torch.tanh(self.body(x))
        return self.left(h), self.right(h), h


LOSSES: dict[str, Callable[[Any, Any], None]] = {
    "the first": lambda ys, m: ys[0].sum().backward(),
    "the second": lambda ys, m: ys[1].sum().backward(),
    "the hidden": lambda ys, m: ys[2].square().sum().backward(),
    "all": lambda ys, m: sum(y.square().sum() for y in ys).backward(),
    "one after the other": lambda ys, m: (
        ys[0].sum().backward(retain_graph=True),
        ys[1].sum().backward(),
    ),
    "one after the other, not kept": lambda ys, m: (
        ys[0].sum().backward(),
        ys[1].sum().backward(),
    ),
    "twice": lambda ys, m: (
        ys[0].sum().backward(retain_graph=True),
        ys[0].sum().backward(),
    ),
    "twice, not kept": lambda ys, m: (ys[0].sum().backward(), ys[0].sum().backward()),
    "of given gradients": lambda ys, m: torch.autograd.backward(
        ys[:2], [torch.full_like(ys[0], 2), torch.full_like(ys[1], 3)]
    ),
    "a weight inside and outside": lambda ys, m: (
        ys[0].sum() + m.body.weight.square().sum()
    ).backward(),
    "gradients of weights": lambda ys, m: setattr(
        m, "found", torch.autograd.grad(ys[0].sum(), [m.body.weight, m.left.bias])
    ),
    "gradients of what is not used": lambda ys, m: setattr(
        m, "found", torch.autograd.grad(ys[0].sum(), m.right.bias, allow_unused=True)
    ),
    "gradients of what is not used, unsaid": lambda ys, m: torch.autograd.grad(
        ys[0].sum(), m.right.bias
    ),
    "gradients of a result": lambda ys, m: setattr(
        m, "found", torch.autograd.grad((ys[0].sum() + ys[2].sum()), ys[2], allow_unused=True)
    ),
    "twice differentiated": lambda ys, m: (
        torch.autograd.grad(ys[0].square().sum(), m.body.weight, create_graph=True)[0]
        .square()
        .sum()
        .backward()
    ),
    "a graph of the gradient": lambda ys, m: ys[0].square().sum().backward(create_graph=True),
    "some inputs alone": lambda ys, m: ys[0].sum().backward(inputs=[m.body.weight]),
    "nothing": lambda ys, m: None,
    "of no scalar": lambda ys, m: ys[0].backward(),
}


@pytest.mark.eager
@places
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_loss_made_outside(name: str, place: str) -> None:
    def program(t: Twin) -> None:
        model = TwoHeads()
        forward = compiled_forward(t, place, model)
        t.watch(model)

        def call() -> None:
            attempt(LOSSES[name], forward(torch.randn(3, 4)), model)

        for _ in range(3):
            t(call)
            for p in model.parameters():  # a gradient with a graph refers to its parameter
                p.grad = None if p.grad is None else p.grad.detach()

    same(program)


@pytest.mark.eager(
    "a graph of the gradient", "gradients of a result", "gradients of weights",
    "gradients of what is not used", "nothing", "some inputs alone",
)  # fmt: skip
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_loss_made_inside(name: str) -> None:
    def program(t: Twin) -> None:
        model = TwoHeads()
        t.watch(model)
        loss = LOSSES[name]

        @t.compile
        def step(x: Any) -> Any:
            ys = model(x)
            attempt(loss, ys, model)
            return ys

        for _ in range(3):
            t(step, torch.randn(3, 4))
            for p in model.parameters():
                p.grad = None if p.grad is None else p.grad.detach()

    same(program)


@pytest.mark.eager
@places
def test_one_loss_after_another_kind(place: str) -> None:
    """Every loss in turn, over and over, on one compiled model."""

    def program(t: Twin) -> None:
        model = TwoHeads()
        forward = compiled_forward(t, place, model)
        t.watch(model)

        def call(loss: Any) -> None:
            attempt(loss, forward(torch.randn(3, 4)), model)

        for _ in range(2):
            for name, loss in LOSSES.items():
                if "graph" not in name:
                    t(call, loss)

    same(program)


@places
def test_several_forwards_before_a_backward(place: str) -> None:
    def program(t: Twin) -> None:
        model = network(0.5)
        forward = compiled_forward(t, place, model)
        t.watch(model)

        def call(order: Any) -> None:
            losses = [forward(torch.randn(3, 4)).square().mean() for _ in range(3)]
            for k in order:
                losses[k].backward()

        for order in ((0, 1, 2), (2, 1, 0), (1,), (0, 2), (1, 0, 2)):
            t(call, order)

    same(program)


@places
def test_the_output_goes_in_again(place: str) -> None:
    def program(t: Twin) -> None:
        model = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
        forward = compiled_forward(t, place, model)
        t.watch(model)

        def call(times: int) -> Any:
            x = torch.randn(3, 4, requires_grad=True)
            y = x
            for _ in range(times):
                y = forward(y)
            y.sum().backward()
            return x.grad

        for times in (1, 2, 2, 3, 1):
            t(call, times)

    same(program)


@pytest.mark.eager
def test_a_penalty_on_gradients() -> None:
    def program(t: Twin) -> None:
        judge = network()
        optimizer = torch.optim.Adam(judge.parameters())
        t.watch(judge, optimizer)

        @t.compile
        def step(x: Any) -> Any:
            x.requires_grad_()
            y = judge(x).sum()
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            loss = y + ((g.norm(dim=1) - 1) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        forward = t.compile(judge)

        def outside(x: Any) -> Any:
            x.requires_grad_()
            (g,) = torch.autograd.grad(forward(x).sum(), x, create_graph=True)
            g.square().sum().backward()

        for _ in range(3):
            t(step, torch.randn(3, 4))
            t(outside, torch.randn(3, 4))

    same(program)


def test_backward_of_a_freed_graph_says_where() -> None:
    def program(t: Twin) -> None:
        model = network()
        t.watch(model)

        @t.compile
        def step(x: Any, again: bool) -> Any:
            loss = model(x).sum()
            loss.backward()
            if again:
                loss.backward()
            return loss

        for again in (False, False, True, False):
            loss = t(step, torch.randn(3, 4), again)
            if loss is not None:
                t(lambda loss=loss: loss.backward())

    same(program)


@places
def test_hooks_on_results_and_on_inputs(place: str) -> None:
    def program(t: Twin) -> None:
        model = network()
        forward = compiled_forward(t, place, model)
        seen: list[Any] = []
        t.watch(model, seen)

        def call(hooked: bool) -> None:
            x = torch.randn(3, 4, requires_grad=True)
            h = x * 2
            if hooked:
                h.register_hook(lambda g: (seen.append(g.clone()), g * 3)[1])
            h.retain_grad()
            y = forward(h)
            y.retain_grad()
            if hooked:
                y.register_hook(lambda g: g * 2)
            y.sum().backward()
            seen.extend([x.grad, h.grad, y.grad])

        for hooked in (False, False, True, True, False):
            t(call, hooked)

    same(program)


@pytest.mark.eager
def test_hooks_registered_inside() -> None:
    def program(t: Twin) -> None:
        model = network()
        seen: list[Any] = []
        t.watch(model, seen)

        @t.compile
        def step(x: Any) -> Any:
            h = model[0](x)
            h.register_hook(lambda g: seen.append(float(g.sum())))
            h.retain_grad()
            model[2](h.relu()).sum().backward()
            return h.grad

        for _ in range(3):
            t(step, torch.randn(3, 4))

    same(program)


# -- functions of one's own ----------------------------------------------------------------------


class Straight(torch.autograd.Function):
    """Signs, with the gradient of the identity."""

    scale = 1.0
    calls: list[str] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, x: Any, factor: Any) -> Any:
        Straight.calls.append("forward")
        ctx.save_for_backward(x)
        ctx.factor = factor
        return torch.sign(x) * factor * Straight.scale

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        Straight.calls.append("backward")
        (x,) = ctx.saved_tensors
        return g * (x.abs() < 1) * ctx.factor, None


@pytest.mark.eager
@pytest.mark.parametrize("inside", [True, False])
def test_a_function_with_a_derivative_of_ones_own(inside: bool) -> None:
    def program(t: Twin) -> None:
        Straight.scale = 1.0
        Straight.calls.clear()
        model = network()
        t.watch(model, Straight.calls)
        factor = 2.0

        def step(x: Any) -> Any:
            y = Straight.apply(model(x), factor).sum()
            if inside:
                y.backward()
            return y

        compiled = t.compile(step)

        def call(x: Any) -> Any:
            y = compiled(x)
            if not inside:
                y.backward()
            return y

        for k in range(6):
            if k == 3:
                Straight.scale = 3.0
            if k == 4:
                factor = 0.5
            t(call, torch.randn(3, 4))

    same(program)


@pytest.mark.eager
def test_an_operator_of_ones_own() -> None:
    calls: list[int] = []

    @torch.library.custom_op("rushlighttests::twice_and", mutates_args=())
    def twice_and(x: torch.Tensor, n: int) -> torch.Tensor:
        calls.append(n)
        return x * 2 + n

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.n = inputs[1]

    twice_and.register_autograd(lambda ctx, g: (g * 2, None), setup_context=keep)

    def program(t: Twin) -> None:
        calls.clear()
        w = torch.ones(3, requires_grad=True)
        t.watch(w, calls)

        @t.compile
        def step(x: Any, n: int) -> Any:
            loss = twice_and(x * w, n).sum()
            loss.backward()
            return loss

        for n in (1, 1, 2, 1):
            t(step, torch.randn(3), n)

    same(program)


def test_gradients_of_gradients_by_a_step_inside() -> None:
    """A few inner steps by `grad`, then a backward through them (MAML)."""

    def program(t: Twin) -> None:
        w = torch.randn(4, 2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        t.watch(w, optimizer)

        @t.compile
        def step(x: Any, y: Any, inner: int) -> Any:
            fast = w
            for _ in range(inner):
                loss = F.mse_loss(x @ fast, y)
                (g,) = torch.autograd.grad(loss, fast, create_graph=True)
                fast = fast - 0.1 * g
            outer = F.mse_loss(x @ fast, y)
            optimizer.zero_grad()
            outer.backward()
            optimizer.step()
            return outer

        for inner in (1, 1, 2, 2, 1):
            t(step, torch.randn(3, 4), torch.randn(3, 2), inner)

    same(program)


@pytest.mark.eager
def test_a_backward_inside_of_a_graph_from_outside() -> None:
    def program(t: Twin) -> None:
        w, v = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
        t.watch(w, v)

        @t.compile
        def end(y: Any, scale: float) -> Any:
            loss = y.sum() * scale
            loss.backward()
            return loss

        @t.compile
        def slope(y: Any, x: Any) -> Any:
            return torch.autograd.grad(y.sum(), x)[0] * 2

        @t.compile
        def again(loss: Any) -> None:
            loss.backward()

        for k in range(6):
            t(end, w.sum() if k % 2 else w * (k + 1), 2.0)
            t(end, (w * v).exp(), 2.0)
            t(slope, w * (k + 1), w)
            t(slope, w.detach().requires_grad_() * 1 + w, w)
            t(again, (w * (k + 2)).sum())
            t(again, (w if k % 2 else v).sum())

    same(program)


@pytest.mark.eager
@pytest.mark.parametrize("rows", [1, 3])
def test_inputs_of_which_one_has_the_other_in_its_history(rows: int) -> None:
    def program(t: Twin) -> None:
        layer = nn.Linear(4, 4)
        t.watch(layer)

        @t.compile
        def end(total: Any, h: Any) -> Any:
            return total * 2 + h.sum()

        @t.compile
        def inside(total: Any, h: Any) -> Any:
            loss = total * 2 + h.sum()
            loss.backward()
            return loss

        def call(function: Any, order: bool) -> Any:
            h = layer(torch.randn(rows, 4))
            total = h.square().sum()
            loss = function(total, h) if order else function(h, total)
            if function is end:
                loss.sum().backward()
            return loss

        for order in (True, True, False, False, True):
            t(call, end, order)
        for _ in range(3):
            t(call, inside, True)

    same(program)


@pytest.mark.eager
@places
def test_gradients_of_several_results_meet(place: str) -> None:
    """They are added up in eager's order, to the bit."""

    class Meeting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            h = self.fc(x) + x
            mean = x + h.mean()
            hard = F.hardtanh(h)
            return h, hard * h.sigmoid(), self.fc(mean), self.fc(h * 3)

    def program(t: Twin) -> None:
        model = Meeting()
        forward = compiled_forward(t, place, model)
        t.watch(model)

        def call(which: Any) -> None:
            ys = forward(torch.randn(3, 4))
            sum(ys[k].square().sum() * (k + 0.3) for k in which).backward()

        for which in ((0, 1, 2, 3), (0, 1, 2, 3), (3, 0), (0, 1, 2), (2, 1), (0,), (1, 2, 3)):
            t(call, which)

    same(program)


HOOKS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "of the tensor": lambda p, seen: p.register_hook(lambda g: (seen.append(g.sum()), g * 3)[1]),
    "behind the gradient": lambda p, seen: p.register_post_accumulate_grad_hook(
        lambda p: (seen.append(p.grad.sum()), p.grad.mul_(2))
    ),
    "of the accumulator": lambda p, seen: (
        (node := p.view_as(p).grad_fn.next_functions[0][0]),
        node.register_hook(lambda *_: seen.append(p.grad.sum())),
    ),
    "that ends the backward": lambda p, seen: p.register_hook(lambda g: 1 / 0),
}


@places
@pytest.mark.parametrize("kind", HOOKS)
def test_hooks_of_parameters(place: str, kind: str) -> None:
    """The engine calls them behind the compiled forward: DistributedDataParallel stands on it."""
    torch._dynamo.reset()
    entries = []

    def program(t: Twin) -> None:
        model, seen = network(), []
        kept = [HOOKS[kind](p, seen) for p in model.parameters()]
        forward = compiled_forward(t, place, model)
        t.watch(model, seen)

        def call() -> None:
            forward(torch.randn(3, 4)).square().mean().backward()

        for _ in range(4):
            t(call)
        if t.compiled:
            entries.append(forward)
        del kept

    same(program)
    (compiled,) = entries
    compiled = compiled._compiled if place == "module" else compiled
    assert compiled.entries[0].runs > 0, "it was not compiled"


@pytest.mark.eager
def test_a_step_whose_parameters_have_hooks_runs_eagerly() -> None:
    def program(t: Twin) -> None:
        model, seen = network(), []
        opt = torch.optim.SGD(model.parameters(), 0.1)

        def step(x: Any) -> Any:
            opt.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            opt.step()
            return loss.detach()

        fast = t.compile(step)
        t.watch(model, seen)
        for k in range(6):
            if k == 2:
                handle = model[0].weight.register_hook(lambda g: (seen.append(g.sum()), g * 3)[1])
            if k == 4:
                handle.remove()
            t(fast, torch.randn(3, 4))

    same(program)
