"""The engine's count of what a graph waits for: machine code and Python make one dictionary."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import engine
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    few.load()


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1, x * 2

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g + 2 * h


class Sub(torch.Tensor):
    """A leaf that is no plain tensor."""


def graphs() -> dict[str, list[Any]]:
    x, w = torch.ones(3, 3, requires_grad=True), torch.nn.Parameter(torch.ones(3, 3))
    sub = torch.ones(3).as_subclass(Sub).requires_grad_()
    a, b = Own.apply(x)
    top, _ = (x @ w).topk(2)
    deep = x
    for _ in range(3000):
        deep = deep + 1
    changed = (x * 2).clone()
    changed[0] = w[1]
    return {
        "leaf": [x],
        "shared": [(x * w + x * x).sum()],
        "twice": [x * x, x + w],
        "outputs": [top.sum() + top[0, 0], a],
        "function": [a * b],
        "subclass": [sub * x],
        "deep": [deep],
        "in place": [changed],
        "statistics": [torch.nn.functional.layer_norm(x, (3,), w[0], w[1])],
        "unused": [torch.ones(2, requires_grad=True) * torch.ones(2)],
    }


@pytest.mark.parametrize("name", sorted(graphs()))
def test_counts_are_those_of_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = [engine.edge_of(t) for t in graphs()[name]]
    assert engine.walk is not engine.walk_by_python
    native = engine.count(roots)
    monkeypatch.setattr(engine, "walk", engine.walk_by_python)
    python = engine.count(roots)
    assert list(native) == list(python)
    for one, other in zip(native.values(), python.values(), strict=True):
        assert list(one) == list(other)
        assert (one is engine.ALONE) == (other is engine.ALONE)


def test_an_error_comes_through() -> None:
    class Odd:
        @property
        def _is_node(self) -> bool:
            raise RuntimeError("not whole")

    with pytest.raises(RuntimeError, match="not whole"):
        engine.walk({}, [(Odd(),)])
    with pytest.raises(RuntimeError, match="not whole"):
        engine.walk({}, [[Odd()]])  # edges that are no tuple


def test_a_hash_that_fails_is_an_error() -> None:
    class Odd(torch.Tensor):
        def __hash__(self) -> int:
            raise RuntimeError("no hash")

    leaf = torch.ones(2).as_subclass(Odd)
    for walk in (engine.walk, engine.walk_by_python):
        with pytest.raises(RuntimeError, match="no hash"):
            walk({}, [(leaf,)])


def test_no_reference_is_lost() -> None:
    roots = [engine.edge_of(t) for t in graphs()["shared"]]
    edges = roots[0].edges
    counted = (None, edges, roots[0], engine.ALONE, 1)
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(500):
        engine.count(roots)
    for x, n in zip(counted, before, strict=True):
        assert abs(sys.getrefcount(x) - n) < 50
