"""Names of PyTorch that programs mention and that Rushlight cannot do: they exist, and say so.

A program that imports DistributedDataParallel's neighbours or asks `isinstance(model, GraphModule)`
must run as long as it does not use them. So a name in CapWords is a class, of which nothing is an
instance and of which none can be made; any other is a function. Both raise NotImplementedError when
called, naming the feature and what to do without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .errors import message

Namespace = tuple[Callable[[str], Any], Callable[[], list[str]]]


def refuse(name: str, feature: str, hint: str | None = None) -> NoReturn:
    """Raise the error of a feature that is not there."""
    raise NotImplementedError(
        message(
            f"{name} needs {feature}, which this version of Rushlight does not have",
            hint=hint,
        )
    )


def refusal(name: str, feature: str) -> str:
    """What `help` says of a name."""
    return f"""Raises: {name} needs {feature}.

    >>> {name}()
    Traceback (most recent call last):
        ...
    NotImplementedError: {name} needs {feature}, which...
    """


def function(name: str, feature: str, hint: str | None = None) -> Callable[..., NoReturn]:
    """A function that raises when it is called.

    >>> function("torch.x", "time travel", "waiting")()
    Traceback (most recent call last):
    NotImplementedError: torch.x needs time travel, which this version of Rushlight does not have
      try     waiting
    """

    def missing(*args: Any, **kw: Any) -> NoReturn:
        refuse(name, feature, hint)

    missing.__name__ = missing.__qualname__ = name.rpartition(".")[2]
    missing.__doc__ = refusal(name, feature)
    return missing


class Absent(type):
    """The class of classes that cannot be instantiated; their methods are functions that raise."""

    told: tuple[str, str, str | None]

    def __call__(cls, *args: Any, **kw: Any) -> NoReturn:
        refuse(*cls.told)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        whole, feature, hint = cls.told
        return function(f"{whole}.{name}", feature, hint)


def absent_class(name: str, feature: str, hint: str | None = None) -> Absent:
    """A class for `isinstance` and annotations, of which no instance can be made."""
    doc = refusal(name, feature)
    return Absent(name.rpartition(".")[2], (), {"told": (name, feature, hint), "__doc__": doc})


def module(where: str, names: str, feature: str, hint: str | None = None) -> Namespace:
    """`__getattr__` and `__dir__` of the module `where`, for the names listed.

    >>> ask, _ = module("rushlight.onnx", "export", "export to ONNX")
    >>> ask("export")()
    Traceback (most recent call last):
    NotImplementedError: torch.onnx.export needs export to ONNX, which this version of Rushlight ...
    """
    known = frozenset(names.split())
    made: dict[str, Any] = {}
    public = "torch" + where.removeprefix("rushlight")

    def ask(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module '{where}' has no attribute '{name}'")
        if name not in made:
            make = absent_class if name[0].isupper() else function
            made[name] = make(f"{public}.{name}", feature, hint)
        return made[name]

    return ask, lambda: sorted(known)
