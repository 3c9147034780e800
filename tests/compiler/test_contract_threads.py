"""A compiled step in several threads, inside another one, inside itself, and under transforms."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import checkpoint
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


def in_a_thread(fn: Callable[[], Any]) -> Any:
    """What `fn` returns or raises, in a thread of its own."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(fn())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


@forms
def test_another_thread(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, network(0.5))
        lab(2)
        for _ in range(3):
            x, y = lab.batch()
            t(lambda x=x, y=y: in_a_thread(lambda: lab.step(x, y)))
        lab(2)
        with torch.no_grad():  # of this thread alone
            x, y = lab.batch()
            t(lambda: in_a_thread(lambda: lab.step(x, y)))

    same(program)


@pytest.mark.parametrize("form", ["module", "function"])
def test_two_threads_at_once(form: str) -> None:
    def program(t: Twin) -> None:
        shared = network().requires_grad_(False)
        compiled = t.compile(
            shared if form == "module" else lambda x: shared(x).relu() * 2 + x.sum()
        )
        inputs = [torch.randn(3, 4) for _ in range(2)]
        results: list[list[Any]] = [[], []]
        barrier = threading.Barrier(2)

        def run(k: int) -> None:
            barrier.wait()
            for n in range(40):
                results[k].append(compiled(inputs[k][: 1 + n % 3]))

        threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.see(results)

    same(program)


def test_two_threads_train_at_once() -> None:
    def program(t: Twin) -> None:
        labs = [Lab(t), Lab(t)]
        batches = [[lab.batch() for _ in range(30)] for lab in labs]
        barrier = threading.Barrier(2)

        def run(k: int) -> None:
            barrier.wait()
            for batch in batches[k]:
                labs[k].step(*batch)

        threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.see()

    same(program)


def test_one_step_of_two_threads() -> None:
    """A lock keeps the order; each thread makes every other step of one function."""

    def program(t: Twin) -> None:
        lab = Lab(t)
        batches = [lab.batch() for _ in range(12)]
        turn, ready = [0], threading.Condition()

        def run(k: int) -> None:
            for n in range(k, 12, 2):
                with ready:
                    ready.wait_for(lambda n=n: turn[0] == n)
                    lab.step(*batches[n])
                    turn[0] += 1
                    ready.notify_all()

        threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        t.see()

    same(program)


# -- nested calls --------------------------------------------------------------------------------


def test_nested_compile() -> None:
    def program(t: Twin) -> None:
        model = network()
        inner = t.compile(model)
        scale = 2.0

        @t.compile
        def middle(x: Any) -> Any:
            return inner(x) * scale

        @t.compile
        def outer(x: Any) -> Any:
            loss = middle(x).square().mean()
            loss.backward()
            return loss

        t.watch(model)
        for k in range(6):
            if k == 3:
                scale = 3.0
            t(outer, torch.randn(3, 4))
            t(middle, torch.randn(3, 4))
            t(inner, torch.randn(3, 4))

    same(program)


def test_recursion() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def power(x: Any, n: int) -> Any:
            return x if n == 1 else x * power(x, n - 1)

        def sums(tree: Any) -> Any:
            return tree.sum() if isinstance(tree, torch.Tensor) else sum(sums(v) for v in tree)

        compiled = t.compile(sums)
        for n in (1, 2, 4, 4, 3):
            t(power, torch.full((2,), 1.5), n)
            t(compiled, [torch.ones(n), [torch.ones(2), (torch.ones(1),) * n]])

    same(program)


@pytest.mark.eager
def test_checkpointing() -> None:
    def program(t: Twin) -> None:
        model = network(0.5)
        t.watch(model)

        @t.compile
        def step(x: Any) -> Any:
            loss = checkpoint(model, x, use_reentrant=False).square().mean()
            loss.backward()
            return loss

        compiled = t.compile(model)

        def outside(x: Any, reentrant: bool) -> Any:
            y = checkpoint(compiled, x.requires_grad_(), use_reentrant=reentrant).square().mean()
            y.backward()
            return y

        for k in range(4):
            t(step, torch.randn(3, 4))
            t(outside, torch.randn(3, 4), k % 2 == 0)

    same(program)


@pytest.mark.eager
def test_functional_transforms_of_a_compiled_function() -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 2)
        compiled = t.compile(lambda x: torch.tanh(x @ w).square().sum())
        x = torch.randn(4)
        for _ in range(3):
            t(compiled, x)
            t(torch.func.grad(compiled), x)
            t(torch.func.vmap(compiled), torch.randn(3, 4))
            t(torch.func.jvp, compiled, (x,), (torch.ones(4),))
            t(torch.func.hessian(compiled), x)
            t(torch.autograd.functional.jacobian, compiled, x)

    same(program)


@pytest.mark.eager
def test_functional_transforms_inside() -> None:
    def program(t: Twin) -> None:
        model = network()
        t.watch(model)

        @t.compile
        def function(x: Any) -> Any:
            g = torch.func.grad(lambda v: model(v).sum())(x[0])
            many = torch.func.vmap(lambda v: model(v).square().sum())(x)
            other = {k: v * 2 for k, v in model.named_parameters()}
            return g, many, torch.func.functional_call(model, other, (x,))

        for n in (3, 3, 3, 2):
            t(function, torch.randn(n, 4))

    same(program)
