"""What tensors are packed in when they come in: containers, keywords, arrays of NumPy."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from tests.compiler.twins import Twin, same

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Batch:
    x: Any
    mask: Any = None
    name: str = "b"


def unpacked(batch: Any, *more: Any, scale: Any = 1.0, **named: Any) -> Any:
    """Reads all of its kinds of arguments."""
    if isinstance(batch, dict):
        parts = [batch[k] for k in sorted(batch)]
    elif isinstance(batch, Batch):
        parts = [batch.x if batch.mask is None else batch.x * batch.mask, len(batch.name)]
    elif isinstance(batch, Pair):
        parts = [batch.left - batch.right]
    elif isinstance(batch, (list, tuple)):
        parts = [p for b in batch for p in (b if isinstance(b, (list, tuple)) else [b])]
    else:
        parts = [batch]
    total = sum(p for p in (*parts, *more) if p is not None) * scale
    for name in named:
        total = total * len(name) + named[name]
    return total


@pytest.mark.eager
def test_containers() -> None:
    def a() -> Any:
        return torch.randn(2, 3)

    def program(t: Twin) -> None:
        compiled = t.compile(unpacked)
        for _ in range(2):
            for make in (
                lambda: ({"x": a(), "y": a()},),
                lambda: ({"y": a(), "x": a()},),
                lambda: ({"x": a(), "y": 2},),
                lambda: ({"x": a()},),
                lambda: ([a(), [a(), a()], (a(),)],),
                lambda: ([a(), [a()], (a(),)],),
                lambda: ((a(), None),),
                lambda: ((a(), 1.5),),
                lambda: (Pair(a(), a()),),
                lambda: (Pair(a(), 2),),
                lambda: (Batch(a()),),
                lambda: (Batch(a(), a() > 0),),
                lambda: (Batch(a(), name="long"),),
                lambda: (a(), a(), a()),
                lambda: (a(), None, 3),
                lambda: (collections.OrderedDict(x=a(), y=a()),),
            ):
                t(compiled, *make())
                t(compiled, *make())

    same(program)


@pytest.mark.eager
def test_keywords_and_their_order() -> None:
    def program(t: Twin) -> None:
        compiled = t.compile(unpacked)
        x = torch.randn(3)
        for _ in range(2):
            t(compiled, x, first=x, second=2)
            t(compiled, x, second=2, first=x)
            t(compiled, batch=x, scale=2)
            t(compiled, x, scale=torch.tensor(2.0))
            t(compiled, x, scale=True)
            t(compiled, x, x, x, scale=0.5, ab=None if False else 1)
            t(compiled)
            t(compiled, x, batch=x)

    same(program)


@pytest.mark.eager
def test_what_is_changed_in_a_container_that_came_in() -> None:
    def function(batch: dict[str, Any], seen: list[Any]) -> Any:
        batch["y"] = batch["x"] * 2
        seen.append(batch["y"])
        batch.pop("z", None)
        return batch["y"].sum()

    def program(t: Twin) -> None:
        compiled = t.compile(function)
        for k in range(4):
            batch = {"x": torch.randn(2), **({"z": 1} if k % 2 else {})}
            t(compiled, batch, [0] * k)

    same(program)


@pytest.mark.eager
def test_arrays_and_numbers_of_numpy() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any, a: Any) -> Any:
            return x * torch.as_tensor(a) + torch.from_numpy(np.asarray(a, np.float32)).sum()

        for k in range(5):
            t(function, torch.ones(3), np.full(3, k, np.float32 if k % 2 else np.int64))
        t(function, torch.ones(3), np.float64(2))
        t(function, torch.ones(3), np.float64(3))

    same(program)


@pytest.mark.eager
def test_one_array_of_numpy_changed_between_calls() -> None:
    def program(t: Twin) -> None:
        a = np.ones(3, np.float32)
        shared = torch.from_numpy(a)

        @t.compile
        def function(x: Any) -> Any:
            return x * torch.as_tensor(a) + shared

        for _ in range(4):
            t(function, torch.ones(3))
            a += 1

    same(program)
