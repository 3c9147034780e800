"""The finder that answers `import torch.x` with the module `rushlight.x` itself.

It stands first in `sys.meta_path`; an import of any other name costs it one look into a dictionary,
and a name that was imported once is found in `sys.modules` without it. What a missing name says is
in `missing.py`. The classes have no base of `importlib.abc`, which takes 10 ms to import and adds
nothing.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from . import distribution, mentioned, missing, renaming

# Whole packages that Rushlight stands in for, and single modules of others.
ROOTS = {
    "torch": "rushlight",
    "torchvision": "rushlight.vision",
    "functorch": "rushlight.functorch",
}
SINGLE = {
    "safetensors": "rushlight.dropin.safetensors",
    "safetensors.torch": "rushlight.serialization.safetensors",
}
OURS = "rushlight"
SEEN = {*ROOTS, *(name.partition(".")[0] for name in SINGLE), OURS}


def target(name: str) -> str | None:
    """Rushlight's module for a name of the drop-in; None for any other.

    >>> target("torch.nn.functional"), target("torchvision"), target("torchaudio")
    ('rushlight.nn.functional', 'rushlight.vision', None)
    """
    if name in SINGLE:
        return SINGLE[name]
    root, dot, rest = name.partition(".")
    found = ROOTS.get(root)
    return None if found is None else found + dot + rest


def is_ours(module: ModuleType) -> bool:
    """Whether a module, under whatever name it was found, is one of Rushlight's."""
    return (getattr(module, "__package__", "") or "").partition(".")[0] == OURS


class Alias:
    """Loads nothing: hands out Rushlight's module under another name."""

    def __init__(self, found: ModuleType) -> None:
        self.found = found
        self.spec = found.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.found

    def exec_module(self, module: ModuleType) -> None:
        # importlib has just written the alias into the module; it keeps the name it was born with
        assert module.__spec__ is not None
        alias = module.__spec__.name
        module.__spec__ = self.spec
        keep_shadowed(alias, module)

    def get_code(self, name: str) -> Any:
        """What `python -m torch.distributed.run` runs."""
        spec: Any = self.spec
        return spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None


def keep_shadowed(alias: str, package: ModuleType) -> None:
    """Register the modules that a name of their package hides, as the function `gradcheck` hides
    `autograd.gradcheck`: whoever imports one would put it in the place of that name."""
    home = package.__name__ + "."
    for name, module in list(sys.modules.items()):
        tail = name.removeprefix(home)
        if tail != name and "." not in tail and getattr(package, tail, module) is not module:
            sys.modules.setdefault(f"{alias}.{tail}", module)


class Attached:
    """The loader of one of our own modules, which then explains the names it lacks."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self.loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        renaming.take(module)
        missing.attach(module)


class Finder:
    """Finds `torch.*` and `torchvision.*` in Rushlight."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target_module: ModuleType | None = None
    ) -> ModuleSpec | None:
        root = fullname.partition(".")[0]
        if root not in SEEN:
            return None
        if root == OURS:
            spec = PathFinder.find_spec(fullname, path)
            if spec is not None and spec.loader is not None:
                attached: Any = Attached(spec.loader)
                spec.loader = attached
            return spec
        name = target(fullname)
        if name is None:
            return None
        found = load(name) or mentioned.make(fullname)
        if found is None:
            # Only an import is told more: a program that asks importlib whether there is such a
            # module gets the usual None.
            if sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":
                raise missing.no_module(fullname)
            return None
        # `renaming` has put it there; importlib would now go by the spec of that module
        sys.modules.pop(fullname, None)
        alias: Any = Alias(found)
        spec = ModuleSpec(fullname, alias, origin=getattr(found, "__file__", None))
        if hasattr(found, "__path__"):
            spec.submodule_search_locations = list(found.__path__)
        return spec

    def find_distributions(self, context: Any = None) -> Iterable[Any]:
        """`importlib.metadata.version("torch")`, which some libraries ask instead."""
        return distribution.find(getattr(context, "name", None))


def load(name: str) -> ModuleType | None:
    """Import a module of Rushlight; None if there is none of this name."""
    found = sys.modules.get(name)
    if found is not None:
        return found
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise  # the module is there, and something that it needs is not
    parent, _, tail = name.rpartition(".")
    found = getattr(sys.modules.get(parent), tail, None)  # a namespace that is not a file
    return found if isinstance(found, ModuleType) else None


FINDER = Finder()
