"""Under the drop-in everything is torch by name: `torch.__name__`, `str(type(tensor))`, pickles.

Programs look at such names: they ask whether "torch" is in `str(type(x))`, whether a class's
`__module__` starts with "torch.nn", and write pickles that others read. So while the drop-in is
installed, public modules, their classes and functions are called as in PyTorch. Parts of Rushlight
that PyTorch does not have keep their names, and so does `__package__` everywhere: it says whose
code it is. Read next: `rushlight/torch_names.py`.
"""

from __future__ import annotations

import sys
import warnings
from types import FunctionType, ModuleType
from typing import Any

from .. import torch_names

# Parts that programs never see.
PRIVATE = ("rushlight.kernels", "rushlight.ops", "rushlight.dropin", "rushlight.shared_memory")
# Where functions are published whose files are private.
SPACES = ("rushlight", "rushlight.nn.functional")

# Files here that only point to the module in which our layout has the classes.
POINTERS = "torch.nn.modules."

before: list[tuple[Any, str]] = []


def is_private(name: str) -> bool:
    """Whether a module of ours is nothing that PyTorch has.

    >>> is_private("rushlight.kernels.matmul"), is_private("rushlight.nn")
    (True, False)
    """
    return ".".join(name.split(".")[:2]) in PRIVATE


def take(module: ModuleType) -> None:
    """Give a module, its classes and functions PyTorch's names."""
    spec = module.__spec__
    name = module.__name__ if spec is None else spec.name
    if not torch_names.taken or is_private(name):
        return
    here = torch_names.shown(name)
    for thing in list(vars(module).values()):
        if isinstance(thing, type):
            born = thing.__module__
            if born.startswith("rushlight"):
                top = name == SPACES[0] and born.count(".") < 2
                rename(thing, here if top else path_of(thing, born))
        elif thing.__class__ is FunctionType:
            born = thing.__module__ or ""
            if born == name or (name in SPACES and born.startswith(SPACES[0])):
                rename(thing, here)
    # `inspect` and `typing` look for a class's module in sys.modules
    sys.modules.setdefault(here, module)
    elsewhere = torch_names.PATHS.get(name)
    if elsewhere is not None and elsewhere.startswith(POINTERS):
        sys.modules.setdefault(elsewhere, module)
    if module.__name__ == name:
        before.append((module, name))
        module.__name__ = here


def path_of(cls: type, born: str) -> str:
    """PyTorch's module of a class, unless another one of this name is there."""
    path = torch_names.class_path(born, cls.__qualname__)
    where = sys.modules.get(torch_names.own(path))
    other = None if where is None else vars(where).get(cls.__qualname__, cls)
    return path if other is cls or other is None else torch_names.shown(born)


def rename(thing: Any, name: str) -> None:
    """Write a class's or a function's new module into it."""
    before.append((thing, thing.__module__))
    write(thing, name)


def write(thing: Any, name: str) -> None:
    """Python 3.13 forgets where a class begins in its file, which `inspect.getsource` asks for,
    when it is given another module."""
    first = vars(thing).get("__firstlineno__") if isinstance(thing, type) else None
    thing.__module__ = name
    if first is not None:
        thing.__firstlineno__ = first  # type: ignore[attr-defined]


def take_all() -> None:
    """Give all that is loaded its name; the finder gives later modules theirs."""
    torch_names.taken = True
    torch: Any = sys.modules["rushlight"]
    torch.torch = torch
    take(torch)  # the first of all: what stands in it is called torch.x, wherever it is written
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rushlight" and module is not None:
            take(module)
    # what rushlight/__init__.py says of warnings of NumPy's, for the names that are new
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"torch(vision)?(\.|$)")


def give_back() -> None:
    """Give everything its own name again."""
    torch_names.taken = False
    for thing, name in reversed(before):
        if isinstance(thing, ModuleType):
            thing.__name__ = name
        else:
            write(thing, name)
    before.clear()
    vars(sys.modules["rushlight"]).pop("torch", None)
