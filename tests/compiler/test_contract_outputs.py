"""What comes out of a compiled step: views, inputs, things kept from inside, and their versions."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)
Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Output:
    loss: Any
    logits: Any = None


RESULTS: dict[str, Callable[[Any, Any], Any]] = {
    "the input": lambda x, w: x,
    "the input twice": lambda x, w: (x, x),
    "a view of the input": lambda x, w: x.view(-1),
    "a row of the input": lambda x, w: x[0],
    "a turned input": lambda x, w: x.t(),
    "parts of the input": lambda x, w: x.split(1),
    "the input and a view": lambda x, w: (x, x[1:], x * 2),
    "a detached input": lambda x, w: x.detach(),
    "an alias": lambda x, w: torch.Tensor.view_as(x, x),
    "the weight": lambda x, w: w,
    "a view of the weight": lambda x, w: w[0],
    "a detached weight": lambda x, w: w.detach(),
    "a new tensor": lambda x, w: x @ w,
    "one twice": lambda x, w: [x @ w] * 2,
    "a view of a new one": lambda x, w: (x @ w).t(),
    "a new one and a view of it": lambda x, w: (lambda y: (y, y[0], y.view(-1)))(x @ w),
    "parts of a new one": lambda x, w: (x @ w).chunk(2, 1),
    "unbound": lambda x, w: (x @ w).unbind(0),
    "expanded": lambda x, w: (x @ w).sum(0).expand(3, 2),
    "detached": lambda x, w: ((x @ w).detach(), x @ w),
    "changed in place": lambda x, w: (x @ w).add_(1).mul_(2),
    "changed by a view": lambda x, w: (lambda y: (y[0].mul_(0), y)[1])(x @ w),
    "filled": lambda x, w: torch.zeros(3, 2).copy_(x @ w),
    "numbers": lambda x, w: (x.shape, x.dim(), x.dtype, 3, 1.5, "a", None, True),
    "a size": lambda x, w: x.shape[0] * 2,
    "nothing": lambda x, w: None,
    "a dictionary": lambda x, w: {"y": x @ w, "n": 1, "deep": [x.sum(), (w.sum(),)]},
    "a named tuple": lambda x, w: Pair(x @ w, [x.sum()]),
    "of a named kind": lambda x, w: (x @ w).max(1),
    "an object": lambda x, w: Output((x @ w).sum(), x @ w),
    "an ordered dictionary": lambda x, w: collections.OrderedDict(b=x @ w, a=1),
    "a constant": lambda x, w: torch.ones(2, 2),
    "whole numbers": lambda x, w: ((x @ w).argmax(1), (x > 0), x.long()),
    "a scalar": lambda x, w: (x @ w).sum(),
    "complex numbers": lambda x, w: torch.fft.fft(x) + 1j,
    "of low precision": lambda x, w: (x @ w).bfloat16(),
    "not contiguous": lambda x, w: (x @ w).t() * 2,
    "one that was detached from": lambda x, w: (lambda y: (y.detach().mul_(2), y)[1])(x @ w),
    "a parameter of its own": lambda x, w: nn.Parameter(x @ w.detach()),
    "a leaf of its own": lambda x, w: (x @ w).detach().requires_grad_(),
    "the gradient": lambda x, w: torch.autograd.grad((x @ w).sum(), w),
    "a half used graph": lambda x, w: (lambda y: (y.sum(), y.square().mean()))(x @ w),
    "a set": lambda x, w: {1, 2},
    "a range": lambda x, w: range(len(x)),
}


@pytest.mark.eager
@pytest.mark.parametrize("name", RESULTS)
def test_a_result(name: str) -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 2, requires_grad=True)
        compiled = t.compile(RESULTS[name])
        kept: list[Any] = []
        t.watch(w, kept)
        x = torch.randn(3, 4)
        for k in range(5):
            y = t(compiled, x if k < 3 else torch.randn(3, 4), w)
            kept.append(y)
            first = y[0] if isinstance(y, (tuple, list)) and y else y
            if isinstance(first, torch.Tensor) and not first.is_complex():
                if first.requires_grad and not first.is_leaf:
                    first.float().sum().backward()
                elif not first.requires_grad and first.is_floating_point() and k % 2:
                    try:
                        first.add_(1)  # what was kept of earlier calls stays
                    except RuntimeError as error:
                        kept.append(str(error))
            t.see()

    same(program)


@pytest.mark.eager
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_of_an_input_with_gradients(name: str) -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 2)
        compiled = t.compile(RESULTS[name])
        for k in range(4):
            x = torch.randn(3, 4, requires_grad=True)
            given = x if k % 2 else x * 2
            y = t(compiled, given, w)
            first = y[0] if isinstance(y, (tuple, list)) and y else y
            if isinstance(first, torch.Tensor) and first.requires_grad and not first.is_complex():
                first.float().sum().backward()
            t.see(x, y)

    same(program)


@forms
def test_results_are_kept_and_changed(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        losses: list[Any] = []
        t.watch(losses)
        for k in range(6):
            loss = lab(1)
            losses.append(loss)
            if k == 3:
                with torch.no_grad():
                    loss.mul_(2)
        assert len({float(v) for v in losses}) == 6

    same(program)


@pytest.mark.eager
def test_tensors_kept_from_inside() -> None:
    class Holder:
        last: Any = None

    def program(t: Twin) -> None:
        w = torch.randn(4, 2, requires_grad=True)
        kept: list[Any] = []
        table: dict[str, Any] = {}
        Holder.last, holder = None, Holder()
        t.watch(w, kept, table)

        @t.compile
        def function(x: Any) -> Any:
            y = x @ w
            kept.append(y.detach())
            table["y"] = y
            holder.last = y * 2
            Holder.last = y.sum()
            return y.relu()

        for _ in range(4):
            y = t(function, torch.randn(3, 4))
            (y.sum() + holder.last.sum() + table["y"].sum() + Holder.last).backward()
            t.see(holder.last, Holder.last, table)

    same(program)


@pytest.mark.eager
def test_a_closure_is_returned() -> None:
    def program(t: Twin) -> None:
        w = torch.randn(2, requires_grad=True)

        @t.compile
        def function(x: Any) -> Any:
            y = x * w

            def later(z: Any) -> Any:
                return y + z

            return later

        for k in range(4):
            later = t(function, torch.full((2,), float(k)))
            t(later, torch.ones(2))

    same(program)


@pytest.mark.eager
def test_a_generator_and_an_iterator() -> None:
    def program(t: Twin) -> None:
        scale = 2.0

        @t.compile
        def many(x: Any) -> Any:
            for k in range(3):
                yield x * k * scale

        def inner(x: Any) -> Any:
            got = yield x
            yield x * (got or 2)

        @t.compile
        def used(x: Any) -> Any:
            steps = inner(x)
            first = next(steps)
            second = steps.send(3)
            return sum(y for y in many(x)) + first + second + sum(inner(x))

        for k in range(5):
            if k == 3:
                scale = 4.0
            t(lambda: list(many(torch.ones(2))))
            t(used, torch.ones(2))

    same(program)


@pytest.mark.eager
def test_an_iterator_from_outside_is_used_up() -> None:
    def program(t: Twin) -> None:
        numbers = iter(range(5))
        batches = (torch.full((2,), float(k)) for k in range(4))

        @t.compile
        def function(x: Any) -> Any:
            return x * next(numbers) + next(batches)

        for _ in range(6):  # a StopIteration at last
            t(function, torch.ones(2))

    same(program)


# -- versions ------------------------------------------------------------------------------------


@pytest.mark.eager
def test_versions_of_what_is_changed_inside() -> None:
    def program(t: Twin) -> None:
        buffer, w = torch.zeros(4), torch.ones(4, requires_grad=True)
        view = buffer[:2]
        t.watch(buffer, view, w)

        @t.compile
        def function(x: Any) -> Any:
            buffer.add_(x)
            buffer.mul_(2)[0] = 1
            y = x.clone().add_(1).mul_(w)
            with torch.no_grad():
                w.mul_(0.5)
            return y, x.zero_()

        for _ in range(4):
            t(function, torch.randn(4))

    same(program)


@pytest.mark.parametrize("when", ["before backward", "after backward"])
@pytest.mark.parametrize("what", ["weight", "input", "output"])
def test_a_saved_value_changed_outside(what: str, when: str) -> None:
    """The error of eager, or none where nothing that was kept has changed."""

    def program(t: Twin) -> None:
        layer = nn.Sequential(nn.Linear(4, 4), nn.Sigmoid())
        compiled = t.compile(layer)
        t.watch(layer)

        def call(change: bool) -> None:
            x = torch.randn(3, 4, requires_grad=True)
            given = x * 1
            y = compiled(given)
            thing = {"weight": layer[0].weight, "input": given, "output": y}[what]
            if when == "after backward":
                y.sum().backward()
            if change:
                with torch.no_grad():
                    thing.mul_(2)
            if when == "before backward":
                y.sum().backward()

        for change in (False, False, True, True, False):
            t(call, change)

    same(program)


def test_a_saved_value_changed_inside() -> None:
    def program(t: Twin) -> None:
        w = torch.ones(4, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any, change: bool) -> Any:
            y = (x * w).exp()
            if change:
                y.detach().add_(1)
            loss = y.sum()
            loss.backward()
            return loss

        for change in (False, False, True, True, False):
            t(function, torch.randn(4), change)

    same(program)


def test_a_parameter_changed_between_forward_and_backward() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        compiled = t.compile(model)
        t.watch(model)

        def call(early: bool) -> None:
            first = compiled(torch.randn(3, 4)).square().mean()
            second = compiled(torch.randn(3, 4)).square().mean()
            first.backward()
            if early:
                optimizer.step()
            second.backward()  # its saved weights have changed
            optimizer.step()

        for early in (False, False, True, False):
            t(call, early)

    same(program)


@pytest.mark.eager
def test_views_that_are_changed_in_place() -> None:
    def program(t: Twin) -> None:
        w = torch.ones(4, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any) -> Any:
            y = x * w
            row = y[1]
            row.mul_(3)
            y[:, 0] = 5
            y.t()[2:].add_(1)
            return y, row

        for _ in range(3):
            y, row = t(function, torch.randn(3, 4))
            (y.sum() + row.sum()).backward()
            t.see()

    same(program)


def test_outputs_changed_in_place_before_their_backward() -> None:
    def program(t: Twin) -> None:
        layer = nn.Linear(4, 4)
        compiled = t.compile(layer)
        t.watch(layer)

        def call() -> Any:
            y = compiled(torch.randn(3, 4))
            y.mul_(2)
            y[0] = 0
            y.sum().backward()
            return y

        for _ in range(4):
            t(call)

    same(program)


def test_the_memory_of_results_is_theirs() -> None:
    """Results of many calls, all alive, and some of them given back."""

    def program(t: Twin) -> None:
        compiled = t.compile(lambda x: (F.relu(x) + 1, x.sum(1), (x * 2).t()))
        kept = [t(compiled, torch.full((3, 4), float(k))) for k in range(6)]
        del kept[::2]
        kept += [t(compiled, torch.full((3, 4), float(k))) for k in range(6)]
        t.see(kept)
        t(compiled, kept[0][0])
        t(compiled, kept[0][2].t())

    same(program)


def test_lines_of_errors_in_calls_of_several_lines() -> None:
    def nothing(*args: Any) -> Any:
        raise ValueError("no")

    def chain(x: Any, which: int) -> Any:
        if which == 0:
            return (
                x.relu()
                .view(-1)
                .view(7)
            )  # fmt: skip
        if which == 1:
            return nothing(
                x,
                x,
            )  # fmt: skip
        if which == 2:
            return torch.cat(
                (x,
                 x.nothing),
            )  # fmt: skip
        if which == 3:
            return [
                x,
                x[
                    9
                ],
            ]  # fmt: skip
        return (
            x
            + torch.ones(
                11
            )
        )  # fmt: skip

    def wrong(x: Any) -> Any:
        def inner(a: Any) -> Any:
            return a

        return inner(x, x)

    def program(t: Twin) -> None:
        compiled, also = t.compile(chain), t.compile(wrong)
        for _ in range(2):
            for which in range(5):
                t(compiled, torch.ones(3), which)
            t(also, torch.ones(3))

    same(program)


@pytest.mark.eager
def test_a_view_of_a_saved_value_is_changed() -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 4, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any) -> Any:
            h = torch.tanh(x.t() @ w)
            return h.sum(1), h.detach(), h.t()

        def call(x: Any, which: int) -> None:
            given = x.view(4, 4)
            ys = function(given)
            thing = [torch.zeros(1), given, x[:1], ys[1], ys[2], ys[0]][which]
            with torch.no_grad():
                thing.mul_(2)
            ys[0].sum().backward()

        for which in (0, 0, 0, 1, 2, 3, 4, 5, 0, 1):
            t(call, torch.randn(16), which)

    same(program)


def test_a_result_that_comes_of_one_of_two_that_belong_together() -> None:
    """b and d meet at a, c comes of b and is made before d: c's backward is the first."""

    def program(t: Twin) -> None:
        torch.manual_seed(0)
        w = nn.Parameter(torch.randn(3, 3))

        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.w = w

            def forward(self, x: Any) -> Any:
                a = x @ self.w
                b = a * 2
                c = b.exp()
                d = a.sin()
                return b, c, d

        model = t.compile(Model())
        t.watch(w)
        for _ in range(3):
            b, c, d = t(model, torch.randn(2, 3))
            t((b.sum() + c.sum() + d.sum()).backward)

    same(program)
