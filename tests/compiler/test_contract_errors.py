"""Exceptions that leave a compiled function: class, words and line are those of eager."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, same

forms = pytest.mark.parametrize("form", FORMS)

ERRORS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "an index": (
        lambda m, x: F.embedding(x, m),
        torch.tensor([1, 2]),
        torch.tensor([1, 9]),
    ),
    "an index below": (
        lambda m, x: m[x],
        torch.tensor([1, 2]),
        torch.tensor([1, -9]),
    ),
    "a gathered place": (
        lambda m, x: m.gather(0, x),
        torch.tensor([[1, 2]]),
        torch.tensor([[1, 9]]),
    ),
    "a class": (
        lambda m, x: F.cross_entropy(m, x),
        torch.tensor([0, 1, 2, 0]),
        torch.tensor([0, 1, 9, 0]),
    ),
    "a shape": (lambda m, x: x @ m, torch.ones(2, 4), torch.ones(2, 5)),
    "a type": (lambda m, x: x @ m, torch.ones(2, 4), torch.ones(2, 4).double()),
    "a number of dims": (lambda m, x: x.mm(m), torch.ones(2, 4), torch.ones(4)),
    "no tensor": (lambda m, x: x @ m, torch.ones(2, 4), None),
    "a text": (lambda m, x: x * m, 2.0, "a"),
    "one's own": (
        lambda m, x: m * x if x < 3 else [][0],
        1,
        4,
    ),
    "by zero": (lambda m, x: m * (1 // x), 1, 0),
    "an assertion": (lambda m, x: m.sum() if x == 1 else m.nothing, 1, 2),
    "a matrix": (
        lambda m, x: torch.linalg.inv(x) * m[:2, :2],
        torch.eye(2),
        torch.zeros(2, 2),
    ),
    "multinomial": (
        lambda m, x: torch.multinomial(x, 1) + m.sum(),
        torch.ones(3),
        -torch.ones(3),
    ),
    "bernoulli": (
        lambda m, x: torch.bernoulli(x) + m.sum(),
        torch.ones(3),
        torch.full((3,), 2.0),
    ),
    "poisson": (
        lambda m, x: torch.poisson(x) + m.sum(),
        torch.ones(3),
        -torch.ones(3),
    ),
    "normal": (
        lambda m, x: torch.normal(0.0, x) + m.sum(),
        torch.ones(3),
        -torch.ones(3),
    ),
    "weights of a covariance": (
        lambda m, x: torch.cov(m, aweights=x),
        torch.ones(3),
        -torch.ones(3),
    ),
    "binary cross entropy": (
        lambda m, x: F.binary_cross_entropy(x, torch.ones(3)) + m.sum(),
        torch.full((3,), 0.5),
        torch.full((3,), 2.0),
    ),
    "an inner product": (lambda m, x: m.sum(0) @ x, torch.ones(3), torch.ones(4)),
}


@pytest.mark.eager("bernoulli", "normal", "poisson", "weights of a covariance")
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", ERRORS)
def test_an_exception_leaves(name: str, whole: bool) -> None:
    """Its class, its words and its line are eager's; parameters and state are as before."""
    function, good, bad = ERRORS[name]

    def program(t: Twin) -> None:
        weight = nn.Parameter(torch.randn(4, 3))
        optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
        t.watch(weight, optimizer)

        def step(x: Any) -> Any:
            optimizer.zero_grad()
            y = function(weight, x)
            y.sum().backward()
            optimizer.step()
            return y.detach()

        compiled = t.compile(step if whole else function)

        def call(x: Any) -> Any:
            if whole:
                return compiled(x)
            y = compiled(weight, x)
            y.sum().backward()
            return y.detach()

        for x in (good, good, bad, good, bad, bad, good):
            t(call, x)

    same(program)


@forms
def test_an_exception_in_a_hook_and_in_a_module(form: str) -> None:
    class Failing(nn.Module):
        fails = False

        def forward(self, x: Any) -> Any:
            if self.fails:
                raise ArithmeticError("it does")
            return x

    def program(t: Twin) -> None:
        failing = Failing()
        lab = Lab(t, form, nn.Sequential(nn.Linear(4, 4), failing, nn.Linear(4, 2)))
        lab(2)
        failing.fails = True
        lab(2)
        failing.fails = False
        lab(2)

        def hook(g: Any) -> Any:
            raise LookupError("in backward")

        def attempt(x: Any, y: Any) -> None:
            try:
                lab.step(x, y)
            except LookupError:
                lab.optimizer.zero_grad()  # which gradients were there already is nobody's business
                raise

        handle = lab.model[0].weight.register_hook(hook)
        for _ in range(2):
            t(attempt, *lab.batch())
        handle.remove()
        lab(2)

    same(program)


@pytest.mark.eager
def test_an_exception_after_something_was_changed() -> None:
    def program(t: Twin) -> None:
        buffer, seen = torch.zeros(3), []
        t.watch(buffer, seen)

        @t.compile
        def function(x: Any, index: Any) -> Any:
            buffer.add_(1)
            seen.append(1)
            y = F.embedding(index, x)
            buffer.mul_(2)
            return y

        for k in (0, 1, 9, 1):
            t(function, torch.ones(3, 2), torch.tensor([k]))

    same(program)


@pytest.mark.eager
def test_an_exception_with_a_cause_and_one_in_a_context() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any, n: int) -> Any:
            with torch.no_grad(), contextlib.ExitStack() as stack:
                stack.callback(print, "left")
                try:
                    y = x * (1 / n)
                except ZeroDivisionError as error:
                    raise KeyError(n) from error
            return y

        for n in (1, 1, 0, 2, 0):
            t(function, torch.ones(3), n)

    same(program)
