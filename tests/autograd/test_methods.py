"""Methods that tell observers of their calls, and nobody else."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd import engine, methods
from rushlight.autograd.observe import Observer, observe, unobserve

PLACES = [(cls, name) for cls, name, _ in methods._places]


class Listener(Observer):
    """Writes down what it is told."""

    methods = True

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.given: list[Any] = []

    def entering(self, kind: str, what: Any, operands: Any) -> Any:
        self.told.append((kind, what if isinstance(what, str) else type(what).__name__))
        return len(self.told)

    def leaving(self, kind: str, what: Any, operands: Any, results: Any, begun: Any) -> None:
        assert begun
        self.given.append(results)


class Silent(Listener):
    computations = False


@pytest.mark.parametrize("kind", [Listener, Silent])
def test_methods_are_spans(kind: type[Listener]) -> None:
    model = nn.Sequential(nn.Linear(2, 1))
    listener = kind()
    observe(listener)
    try:
        y = model(torch.ones(1, 2)).sum()
        assert bool(y == y)
        assert [y.item(), *y.reshape(1).tolist()] == [float(y.detach())] * 2
        y.data.numpy()
        model.requires_grad_(False)
        model.requires_grad_(True)
        torch.optim.SGD(model.parameters())
    finally:
        unobserve(listener)
    assert listener.told == [
        ("module", "Sequential"), ("module", "Linear"), ("item", "bool"), ("item", "item"),
        ("item", "tolist"), ("cut", "detach"), ("item", "float"), ("item", "item"),
        ("cut", "data"), ("cut", "numpy"), *[("requires_grad", "requires_grad")] * 4,
        ("made", "SGD"),
    ]  # fmt: skip
    assert listener.given[0].shape == (1, 1)
    count = len(listener.told)
    model(torch.ones(1, 2)).tolist()
    assert len(listener.told) == count


def test_what_nobody_watches_is_what_it_always_was() -> None:
    before = [vars(cls).get(name) for cls, name in PLACES]
    outer, inner = Silent(), Listener()
    observe(outer)
    observe(inner)
    assert vars(nn.Module)["__call__"] is not before[PLACES.index((nn.Module, "__call__"))]
    unobserve(outer)
    nn.Linear(1, 1)(torch.ones(1))
    unobserve(inner)
    assert [kind for kind, _ in inner.told] == ["module"]
    assert outer.told == []
    assert [vars(cls).get(name) for cls, name in PLACES] == before
    plain = Observer()  # wants no methods
    observe(plain)
    try:
        assert [vars(cls).get(name) for cls, name in PLACES] == before
    finally:
        unobserve(plain)


def test_an_error_is_told_as_no_result() -> None:
    listener = Silent()
    observe(listener)
    try:
        with pytest.raises(RuntimeError, match="mat1"):
            nn.Linear(2, 1)(torch.ones(1, 3))
    finally:
        unobserve(listener)
    assert listener.given == [None]


def test_other_threads_are_not_told() -> None:
    listener = Silent()
    observe(listener)
    try:
        thread = threading.Thread(target=lambda: nn.Linear(2, 1)(torch.ones(1, 2)))
        thread.start()
        thread.join()
    finally:
        unobserve(listener)
    assert listener.told == []


def test_a_compiled_program_is_compiled_once_more_at_most() -> None:
    engine.twice[0] = 0  # other tests of the process may differentiate twice
    layer = nn.Linear(2, 1)

    @torch.compile
    def step(x: Any) -> Any:
        return layer(x)

    for _ in range(3):
        step(torch.ones(3, 2))
        listener = Silent()
        observe(listener)
        try:
            step(torch.ones(3, 2))
        finally:
            unobserve(listener)
    assert len(step.entries) <= 2
