"""The public names, which the tests of help and signatures go through."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from typing import Any

import rushlight

# Namespaces below `rushlight`; "" is itself, "Tensor" the class.
SPACES = (
    "amp", "autograd", "autograd.functional", "backends", "compiler", "cuda", "distributed",
    "distributions", "fft", "func", "fx", "hub", "jit", "library", "linalg", "masked", "mps",
    "nested", "nn", "nn.functional", "nn.init", "nn.parallel", "nn.utils",
    "nn.utils.parametrize", "nn.utils.prune", "nn.utils.rnn", "optim", "optim.lr_scheduler",
    "overrides", "profiler", "random", "serialization", "signal.windows", "sparse", "special",
    "testing", "utils.checkpoint", "utils.data", "vision",
)  # fmt: skip


def namespace(space: str) -> Any:
    """The module or class of a namespace."""
    if space == "Tensor":
        return rushlight.Tensor
    return importlib.import_module(f"rushlight.{space}") if space else rushlight


def names(space: str) -> list[str]:
    """The public names of a namespace."""
    home = namespace(space)
    stated = None if space == "Tensor" else getattr(home, "__all__", None)
    return sorted(stated or [n for n in dir(home) if not n.startswith("_")])


def callables() -> Iterator[tuple[str, Any]]:
    """(name, object) of every public function, method and class, without those of `typing`."""
    for space in ("", "Tensor", *SPACES):
        home = namespace(space)
        for name in names(space):
            value = getattr(home, name, None)
            if inspect.ismodule(value) or not callable(value) or borrowed(value):
                continue
            yield f"{space}.{name}".lstrip("."), value


def borrowed(value: Any) -> bool:
    """Whether an object is Python's own, such as `typing.Any`, which stands in a module because
    that uses it."""
    home = getattr(value, "__module__", None) or ""
    return value is typing.Any or home.partition(".")[0] in sys.stdlib_module_names
