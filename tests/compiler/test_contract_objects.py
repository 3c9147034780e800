"""Attributes of objects and classes that a compiled function reads, and arguments that are no
tensors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.nn import functional as F
from tests.compiler.twins import Twin, same


@dataclasses.dataclass
class Config:
    """What many programs keep their settings in."""

    scale: float = 2.0
    steps: int = 2
    kind: str = "relu"
    sizes: list[int] = dataclasses.field(default_factory=lambda: [4])


class Slots:
    __slots__ = ("scale", "steps")

    def __init__(self) -> None:
        self.scale, self.steps = 2.0, 2

    @property
    def kind(self) -> str:
        return "relu" if self.steps < 3 else "tanh"

    sizes = (4,)


class Dynamic:
    """Attributes that nobody has set."""

    def __init__(self) -> None:
        self.values = {"scale": 2.0, "steps": 2, "kind": "relu", "sizes": [4]}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "values":
            super().__setattr__(name, value)
        else:
            self.values[name] = value


@pytest.mark.eager("Dynamic")
@pytest.mark.parametrize("kind", [Config, Slots, Dynamic, types.SimpleNamespace])
def test_a_config_object(kind: Any) -> None:
    def program(t: Twin) -> None:
        config = kind(**vars(Config())) if kind is types.SimpleNamespace else kind()
        w = torch.randn(4, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any) -> Any:
            y = x * w * config.scale
            for _ in range(config.steps):
                y = F.relu(y) if config.kind == "relu" else torch.tanh(y)
            return (y.view(-1, *config.sizes) + getattr(config, "shift", 0)).sum()

        def call() -> Any:
            y = function(torch.ones(3, 4))
            y.backward()
            return y

        def calls() -> None:
            t(call)
            t(call)

        calls()
        config.scale = 3.0
        calls()
        config.steps = 5
        calls()
        if kind is not Slots:
            config.kind = "tanh"
            config.sizes = [2, 2]
            calls()
            config.sizes.append(1)
            calls()
            config.shift = 1.5
            calls()

    same(program)


@pytest.mark.eager
def test_a_frozen_config_replaced_an_enum_and_a_named_tuple() -> None:
    class Kind(enum.Enum):
        PLAIN = 1
        TWICE = 2

    Pair = collections.namedtuple("Pair", "a b")

    def program(t: Twin) -> None:
        kind, pair = Kind.PLAIN, Pair(1.0, torch.ones(4))

        @t.compile
        def function(x: Any) -> Any:
            match kind:
                case Kind.TWICE:
                    x = x * 2
                case _:
                    x = x + 0.5
            a, b = pair
            return x * a + b

        t(function, torch.ones(4))
        t(function, torch.ones(4))
        kind = Kind.TWICE
        t(function, torch.ones(4))
        pair = Pair(3.0, torch.zeros(4))
        t(function, torch.ones(4))
        pair = pair._replace(a=1)
        t(function, torch.ones(4))

    same(program)


def test_methods_and_properties_of_classes_replaced() -> None:
    class Base:
        factor = 2

        def scaled(self, x: Any) -> Any:
            return x * self.factor

    class Child(Base):
        @property
        def shift(self) -> float:
            return 1.0

        @staticmethod
        def root(x: Any) -> Any:
            return x.abs().sqrt()

        @classmethod
        def named(cls, x: Any) -> Any:
            return x + len(cls.__name__)

    def program(t: Twin) -> None:
        Base.factor = 2
        Base.scaled = lambda self, x: x * self.factor
        Child.shift = property(lambda self: 1.0)
        Child.__dict__.get("factor") and delattr(Child, "factor")
        thing = Child()

        @t.compile
        def function(x: Any) -> Any:
            return thing.named(thing.root(thing.scaled(x))) + thing.shift

        def calls() -> None:
            t(function, torch.ones(3))
            t(function, torch.ones(3))

        calls()
        Base.factor = 3
        calls()
        Child.factor = 4
        calls()
        Base.scaled = lambda self, x: x - self.factor
        calls()
        Child.shift = property(lambda self: 5.0)
        calls()
        thing.scaled = lambda x: x
        calls()

    same(program)


@pytest.mark.parametrize(
    "values",
    [
        (1.0, 2.0, 2.0),
        (1, True, 1.0, 1, np.float32(1), np.int64(1)),
        (0.0, -0.0, 0),
        (None, 1.0, None),
        ("relu", "tanh", "relu"),
        ((1, 2), (1.0, 2), (1, 2, 3)),
        (1e-300, float("inf"), float("nan"), float("nan")),
        (2**31, 2**62, -1),
        (torch.float32, torch.float64, torch.int64),
    ],
    ids=str,
)
def test_an_argument(values: Any) -> None:
    def function(x: Any, given: Any) -> Any:
        if given is None:
            return x
        if isinstance(given, str):
            return getattr(torch, given)(x)
        if isinstance(given, tuple):
            return x * sum(given) + len(given)
        if isinstance(given, torch.dtype):
            return x.to(given) * 2
        return (x + 1) / given, torch.full((2,), given), torch.arange(3) * given

    def program(t: Twin) -> None:
        compiled = t.compile(function)
        for given in (*values, *values):
            t(compiled, torch.linspace(-1, 1, 4), given)

    same(program)
