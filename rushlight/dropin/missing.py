"""What a program reads that uses a name which Rushlight lacks: the name, and the nearest ones.

`import torch; torch.nn.Foo` raises AttributeError, `from torch.nn import Foo` ImportError, and
`import torch.foo` ModuleNotFoundError, as in PyTorch, so that programs which try a name and do
without it go on. Every module of Rushlight gets a `__getattr__` while the drop-in is installed;
Python calls it for names that are not there, and for no others.
"""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from .. import torch_names
from ..errors import message
from . import mentioned

SAFETENSORS = {
    "rushlight.dropin.safetensors": "safetensors",
    "torch.dropin.safetensors": "safetensors",
    "rushlight.serialization.safetensors": "safetensors.torch",
    "torch.serialization.safetensors": "safetensors.torch",
}

# What we lack as a whole, by prefix of the name that programs use.
REASONS = {
    "torch._C": "Rushlight has no compiled core: what PyTorch keeps there is Python here",
    "torch._dynamo": "torch.compile captures in its own way here: rushlight.compiler has its names",
    "torch._inductor": "torch.compile has no code generator of its own: our kernels run programs",
    "torch.xpu": "Rushlight computes on the CPU",
}


# Where a name may be that is looked for in another of these.
PLACES = ("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.optim.lr_scheduler",
          "torch.utils.data", "torch.autograd", "torch.linalg")  # fmt: skip

# What older versions of PyTorch had, and what NumPy calls otherwise.
RENAMED = {
    "torch.array": "torch.tensor",
    "torch.ndarray": "torch.Tensor",
    "torch.expand_dims": "torch.unsqueeze",
    "torch.power": "torch.pow",
    "torch.copy": "x.clone()",
    "torch.repeat": "x.repeat(...) or torch.repeat_interleave",
    "torch.gels": "torch.linalg.lstsq",
    "torch.rfft": "torch.fft.rfft",
    "torch.irfft": "torch.fft.irfft",
    "torch.ifft": "torch.fft.ifft",
    "torch.potrf": "torch.linalg.cholesky",
    "torch.gesv": "torch.linalg.solve",
    "torch._six": "str for string_classes, collections.abc for container_abcs, math for inf",
}


def shown(name: str) -> str:
    """The name that programs use for a module of ours.

    >>> shown("rushlight.nn.functional"), shown("rushlight.vision.datasets")
    ('torch.nn.functional', 'torchvision.datasets')
    """
    return SAFETENSORS.get(name) or torch_names.shown(name)


def reason(full: str) -> str | None:
    """Why there is no `full`, if it belongs to something that we lack as a whole."""
    for prefix, text in REASONS.items():
        if full == prefix or full.startswith(prefix + "."):
            return text
    return None


def text_of(what: str, full: str, names: Any) -> str:
    """The whole error: the name, why it is missing where that is known, the nearest names."""
    import difflib

    what = f"{what}: Rushlight has no {full}"
    why = reason(full)
    if why is not None:
        return f"{what}\n  because {why}"
    parent, _, name = full.rpartition(".")
    public = [n for n in names if not n.startswith("_")]
    lower = {n.lower(): n for n in public}
    near = difflib.get_close_matches(name, public, n=3, cutoff=0.75)
    near += [lower[n] for n in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.75)]
    near += [n for n in public if len(name) > 2 and n.lower().startswith(name.lower())]
    found = elsewhere(parent, name) + [f"{parent}.{n}" for n in dict.fromkeys(near)]
    hint = " or ".join(found[:3])
    return message(what, hint=hint or f"hasattr({parent}, {name!r}), to do without it")


def elsewhere(parent: str, name: str) -> list[str]:
    """Where a name is that was looked for in the wrong module, or what it is called here."""
    import importlib

    known = RENAMED.get(f"{parent}.{name}")
    if known is not None:
        return [known]
    for place in PLACES if parent in PLACES else ():
        if place != parent and name in dir(importlib.import_module("rushlight" + place[5:])):
            return [f"{place}.{name}"]
    return []


def names_of(module: ModuleType | None) -> list[str]:
    return [] if module is None else list(dir(module))


class NoAttribute(AttributeError):
    """A module of ours lacks a name; the text is made only if somebody reads it."""

    def __init__(self, module: ModuleType, name: str) -> None:
        super().__init__()
        self.module, self.missing = module, name

    def __reduce__(self) -> Any:  # to another process, as what it says
        return AttributeError, (str(self),)

    def __str__(self) -> str:
        where = shown(self.module.__name__)
        what = f"module '{where}' has no attribute '{self.missing}'"
        return text_of(what, f"{where}.{self.missing}", names_of(self.module))


# Tracebacks say AttributeError, for which people look.
NoAttribute.__module__, NoAttribute.__qualname__ = "builtins", "AttributeError"


def no_name(module: ModuleType, name: str, told: str | None) -> ImportError:
    """The error of `from module import name`."""
    where = shown(module.__name__)
    what = f"cannot import name '{name}' from '{where}'"
    text = f"{what}: {told}" if told else text_of(what, f"{where}.{name}", names_of(module))
    return ImportError(text, name=where, path=getattr(module, "__file__", None))


def no_module(name: str) -> ModuleNotFoundError:
    """The error of `import name`."""
    parent, _, _ = name.rpartition(".")
    found = sys.modules.get(parent)
    modules = [n for n in names_of(found) if isinstance(vars(found).get(n, found), ModuleType)]
    return ModuleNotFoundError(text_of(f"No module named '{name}'", name, modules), name=name)


def is_import_from(frame: FrameType) -> bool:
    """Whether a frame stands at the instruction of `from module import name`."""
    import dis

    at = frame.f_lasti
    return at >= 0 and dis.opname[frame.f_code.co_code[at]] == "IMPORT_FROM"


def part_of(module: ModuleType, name: str) -> ModuleType | None:
    """A module below `module` that nobody has imported: PyTorch's packages import theirs."""
    import importlib
    import os

    if name.startswith("__") or module.__name__ in ("torch", "rushlight"):
        return None
    for folder in getattr(module, "__path__", ()):
        place = os.path.join(folder, name)
        if os.path.exists(place + ".py") or os.path.exists(os.path.join(place, "__init__.py")):
            return importlib.import_module(f"{module.__package__}.{name}")
    return None


attached: dict[ModuleType, Any] = {}


def attach(module: ModuleType) -> None:
    """Let a module explain the names that it lacks."""
    if module in attached:
        return
    own = vars(module).get("__getattr__")
    attached[module] = own

    def __getattr__(name: str) -> Any:
        told = None
        if own is not None:
            try:
                return own(name)
            except AttributeError as error:
                # A module that gives advice itself knows better; the first one has none of its own.
                advice = module.__name__ not in ("torch", "rushlight") and "\n  try " in str(error)
                if advice:
                    told = str(error)
                    if not is_import_from(sys._getframe(1)):
                        raise
        found = mentioned.ask(module, name) or part_of(module, name)
        if found is not None:
            return found
        if is_import_from(sys._getframe(1)):
            raise no_name(module, name, told)
        raise NoAttribute(module, name)

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def attach_all() -> None:
    """Attach to the modules that are loaded; the finder attaches to later ones."""
    for name, module in list(sys.modules.items()):
        if (name == "rushlight" or name.startswith("rushlight.")) and module is not None:
            attach(module)


def detach_all() -> None:
    """Give the modules their own `__getattr__` back."""
    for module, own in attached.items():
        if own is None:
            vars(module).pop("__getattr__", None)
        else:
            module.__getattr__ = own  # type: ignore[method-assign]
    attached.clear()
