"""What is said to somebody whose module is not written as one: the errors of `module.py`.

They are made when an error is certain, so nothing here costs a program that is right. The first
lines are PyTorch's words.
"""

from __future__ import annotations

from typing import Any

from ..errors import message
from ..tensor import Tensor

BEGUN = "super().__init__() as the first line of {}.__init__"


def typename(value: Any) -> str:
    """A type as PyTorch's messages name it: 'torch.FloatTensor', 'int', 'mypkg.Thing'."""
    if type(value) is Tensor:
        return str(value.type())
    kind = type(value)
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return prefix + kind.__qualname__


def not_a_module(value: Any) -> TypeError:
    """The error of a child that is no module; a class of modules is not one either."""
    got = wanted = hint = None
    what = typename(value)
    if isinstance(value, type):
        what = f"{value.__module__}.{value.__qualname__}"
        got = f"the class {value.__name__}"
        wanted = "a module made of it"
        hint = f"{value.__name__}(...)"
    elif isinstance(value, (list, tuple)):
        got = f"a {type(value).__name__} of {len(value)}"
        hint = "a star before it: nn.Sequential(*layers); nn.ModuleList(layers) takes it as it is"
    elif isinstance(value, Tensor):
        hint = "nn.Parameter(tensor) or register_buffer(name, tensor); nn.ParameterList for several"
    elif callable(value):
        got = f"the function {getattr(value, '__name__', value)}"
        hint = _module_of(value)
    return TypeError(message(f"{what} is not a Module subclass", got, wanted, hint))


def _module_of(function: Any) -> str:
    """The layer that a function of torch.nn.functional has, or how to write one."""
    from . import modules

    name = str(getattr(function, "__name__", "")).replace("_", "")
    for layer in vars(modules):
        if layer.lower() == name.lower():
            return f"nn.{layer}()"
    return "a class derived from nn.Module whose forward calls it"


def no_forward(module: Any) -> NotImplementedError:
    """The error of a module that is called and has no `forward`."""
    import difflib

    kind = type(module)
    what = f'Module [{kind.__name__}] is missing the required "forward" function'
    containers = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
    if kind.__name__ in containers and kind.__module__.startswith(("rushlight.", "torch.")):
        hint = "for layer in layers: x = layer(x); or nn.Sequential(*layers), which can be called"
        return NotImplementedError(message(what, hint=hint))
    base = next(k for k in kind.__mro__ if "forward" in vars(k))  # Module, which lacks one
    own = set(dir(kind)).difference(dir(base))
    near = difflib.get_close_matches("forward", own, 1, 0.75)
    if near:
        got, hint = f"a method {near[0]}", f"the name forward in place of {near[0]}"
    else:
        got = None
        hint = f"def forward(self, x): in class {kind.__name__}, indented as its __init__ is"
    return NotImplementedError(message(what, got, hint=hint))


def not_begun(module: Any, what: str) -> AttributeError:
    """The error of something that is registered before `Module.__init__` has run."""
    hint = BEGUN.format(type(module).__name__)
    return AttributeError(message(f"cannot assign {what} before Module.__init__() call", hint=hint))


def no_attribute(module: Any, name: str) -> str:
    """The text about an attribute that a module has not."""
    kind = type(module).__name__
    text = f"'{kind}' object has no attribute '{name}'"
    state = module.__dict__
    if "_modules" not in state:
        if name.startswith("_") and not name.startswith("__"):
            wanted = "Module.__init__() to have run"
            return message(text, wanted=wanted, hint=BEGUN.format(kind))
        return text
    inner = state["_modules"].get("module") or state["_modules"].get("_orig_mod")
    if inner is not None and hasattr(inner, name):
        where = "module" if "module" in state["_modules"] else "_orig_mod"
        got = f"a {kind} around a {type(inner).__name__}, which has it"
        return message(text, got, hint=f"{where}.{name} of it")
    if name == "save":  # of TorchScript's modules, which torch.jit.script gives in PyTorch
        return message(
            text,
            wanted="a module compiled by TorchScript, which Rushlight does not have: "
            "torch.jit.script returns the module as it is",
            hint="torch.save(module.state_dict(), path)",
        )
    return text


def not_a_parameter(name: str, value: Any) -> TypeError:
    """The error of a value that is set where a parameter is."""
    hint = None
    if isinstance(value, Tensor):
        hint = f"nn.Parameter(tensor); or, with torch.no_grad(): module.{name}.copy_(tensor)"
    what = f"cannot assign '{typename(value)}' as parameter '{name}'"
    return TypeError(message(f"{what} (torch.nn.Parameter or None expected)", hint=hint))


def not_registered(kind: str, name: str, value: Any, wanted: str) -> TypeError:
    """The error of a value that is registered as a parameter or a buffer and is none."""
    hint = None
    if isinstance(value, Tensor):
        hint = "nn.Parameter(tensor)"
    elif isinstance(value, (list, tuple, int, float)) or typename(value) == "numpy.ndarray":
        hint = "torch.tensor(value)" if kind == "buffer" else "nn.Parameter(torch.tensor(value))"
    what = f"cannot assign '{typename(value)}' object to {kind} '{name}'"
    return TypeError(message(f"{what} ({wanted} or None required)", hint=hint))
