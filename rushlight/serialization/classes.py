"""Classes and functions in files: the library's under PyTorch's names, and those of the program.

`torch_name` gives the name to write, `library_object` finds what a written name means. With
`load(..., weights_only=False)` a file may also mention what the running program itself defines
(`program_object`). Nothing is ever imported because a file mentions it.

Not here: the table of plain values and tensors (`names.py`).
"""

from __future__ import annotations

import enum
import os
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from .. import torch_names
from ..ops.core.composite import composites
from ..ops.core.record import registry
from .unpickler import Known, broken, hashable, shown
from .values import names_and_values


def torch_name(obj: Any) -> tuple[str, str] | None:
    """PyTorch's module and name of a class or function of this library; None for others."""
    module = torch_names.own(getattr(obj, "__module__", None) or "")
    name = getattr(obj, "__qualname__", "")
    if module.split(".")[0] != "rushlight" or not name:
        return None
    import rushlight

    if isinstance(obj, FunctionType):
        name = obj.__name__
        if name in ("sigmoid", "tanh"):  # the old functions of nn.functional differ from these
            return "torch", name
        for space, path in (
            (rushlight.nn.functional, "torch.nn.functional"),
            (rushlight, "torch"),
        ):
            if getattr(space, name.lstrip("_"), None) is obj:
                return path, name.lstrip("_")
    if module.count(".") < 2 and getattr(rushlight, name, None) is obj:
        return "torch", name
    return torch_names.class_path(module, name), name


def library_object(module: str, name: str) -> Any:
    """What `module.name`, as PyTorch's files spell it, is here: a class or a function, or None.

    Only classes of modules, optimisers, schedulers and data sets, and functions that compute.
    """
    if module.split(".")[0] not in ("torch", "torchvision", "rushlight") or "." in name:
        return None
    import rushlight

    if module == "torch.nn.functional":
        found = getattr(rushlight.nn.functional, name, None)
        return found if isinstance(found, FunctionType) and name[0] != "_" else None
    if module in ("torch", "torch._C._nn"):
        found = getattr(rushlight, name, None) or getattr(rushlight.nn.functional, name, None)
        computes = name in registry or name in composites
        return found if isinstance(found, FunctionType) and computes else None
    for space in _spaces(module):
        found = getattr(space, name, None)
        if isinstance(found, type) and (
            issubclass(found, library_bases())
            or torch_names.own(found.__module__).startswith("rushlight.vision.transforms.")
        ):
            return found
    return None


def _spaces(module: str) -> list[ModuleType]:
    """Our modules that may hold what PyTorch keeps in `module`; all of them loaded already."""
    import rushlight

    ours = module
    for mine, theirs in torch_names.PREFIXES:
        if f"{module}.".startswith(theirs + "."):
            ours = mine + module[len(theirs) :]
    if module.startswith("torchvision."):
        from importlib import import_module  # this package's own, under a name of ours

        import_module("rushlight.vision.transforms")
    found = [sys.modules[ours]] if ours in sys.modules else []
    if ours.startswith("rushlight.vision.transforms"):
        found.append(sys.modules["rushlight.vision.transforms"])
    elif ours.startswith("rushlight.nn"):
        found.append(rushlight.nn)
    elif ours.startswith("rushlight.optim"):
        found += [rushlight.optim, rushlight.optim.lr_scheduler]
    elif ours.startswith("rushlight.utils.data"):
        found.append(rushlight.utils.data)
    return found


@cache
def library_bases() -> tuple[type, ...]:
    """The classes whose subclasses are made of attributes only: building one runs nothing."""
    import rushlight

    data = rushlight.utils.data
    return (
        rushlight.nn.Module,
        rushlight.optim.Optimizer,
        rushlight.optim.lr_scheduler.LRScheduler,
        data.Dataset,
        data.Sampler,
        data.DataLoader,
    )


class _VariableFunctions:
    """Stands for the class whose attributes PyTorch's `torch.relu` and others are."""


def _torch_function(space: Any, name: Any) -> Any:
    found = library_object("torch", name) if type(name) is str else None
    if space is not _VariableFunctions or found is None:
        raise broken("it asks for an attribute", f"{shown(space)}, {shown(name)}")
    return found


_FUNCTIONS = {  # functions of `torch` are pickled as getattr(class, name)
    "torch._C._VariableFunctionsClass": Known(_VariableFunctions),
    "builtins.getattr": Known(_torch_function, call=_torch_function),
}


def library_class(module: str, name: str) -> Known | None:
    """The entry of a class or function of the library, for `weights_only=False`."""
    if (known := _FUNCTIONS.get(f"{module}.{name}")) is not None:
        return known
    found = library_object(module, name)
    if isinstance(found, type):
        return Known(found, new=maker(found), build=set_state)
    return None if found is None else Known(found)


def program_object(module: str, name: str) -> Known | None:
    """The entry of a class or function that the program has loaded, for `weights_only=False`.

    Classes of the program itself, subclasses of the library's wherever they are, and functions of
    the program as values. A class is made by `__new__` and given its attributes (`__setstate__`
    where it has one); no other code of it runs, and functions are not called.
    """
    found: Any = sys.modules.get(module)
    if not isinstance(found, ModuleType):
        return None
    own = _is_program(module, found)
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, ModuleType | type) else None
    if getattr(found, "__module__", None) != module or found.__qualname__ != name:
        return None  # reached through another module's import: not the program's own
    if isinstance(found, FunctionType):
        return Known(found) if own else None
    if not isinstance(found, type) or not (own or issubclass(found, library_bases())):
        return None
    if issubclass(found, enum.Enum):
        return Known(found, call=_member(found))
    return Known(found, new=maker(found), build=set_state)


def _is_program(name: str, module: ModuleType) -> bool:
    """Whether a module is the user's own: neither Python's nor installed nor this package's."""
    if name in ("__main__", "__mp_main__"):
        return True
    file = getattr(module, "__file__", None)
    if file is None or torch_names.is_own(name) or name.split(".")[0] in sys.stdlib_module_names:
        return False
    return not os.path.realpath(file).startswith(_installed())


@cache
def _installed() -> tuple[str, ...]:
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(os.path.realpath(sysconfig.get_path(kind)) + os.sep for kind in kinds)


def _member(cls: Any) -> Callable[..., Any]:
    return lambda value: cls(hashable(value, {}))


def maker(cls: type) -> Callable[..., Any]:
    """Makes an object as NEWOBJ does: by `__new__`, without `__init__`."""
    return lambda *args, **keywords: cls.__new__(cls, *args, **keywords)


def set_state(target: Any, state: Any) -> None:
    """Give an object its attributes as BUILD does."""
    from ..nn import Module

    own = getattr(target, "__setstate__", None)
    if isinstance(target, Module):  # what PyTorch keeps and we derive
        cls, fields = type(target), names_and_values(state)
        state = {k: v for k, v in fields.items() if type(getattr(cls, k, None)) is not property}
    if own is not None:
        own(state)
        return
    fields, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if fields:
        if not hasattr(target, "__dict__"):
            raise broken("an object without attributes is given some", type(target).__name__)
        target.__dict__.update(names_and_values(fields))
    for key, value in names_and_values(slots or {}).items():
        setattr(target, key, value)


def pytorch_state(module: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a module of this library, with those that only PyTorch's class keeps."""
    from .. import nn

    if isinstance(module, nn.RNNBase):
        names = list(module._flat_weights_names)
        flat = [getattr(module, name) for name in names]
        return {**state, "_flat_weights_names": names, "_flat_weights": flat}
    if isinstance(module, nn.TransformerEncoderLayer):
        kinds = {"relu": 1, "gelu": 2}
        kind = kinds.get(getattr(module.activation, "__name__", ""), 0)
        return {**state, "activation_relu_or_gelu": kind}
    return state
