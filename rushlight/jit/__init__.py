"""`torch.jit`: nothing is compiled to another language; programs that script run as written.

`script` returns what it is given, `trace` runs it once and returns it, and a note says so once. The
marks for the script compiler (`ignore`, `export`, `Final`, ...) are harmless. TorchScript files
hold code for PyTorch: `load` and `save` raise and say what to do. Read next: `marks.py`.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from .. import unsupported
from ..blocks import contextmanager
from ..compiler import note
from ..errors import message
from ..futures import Future
from ..nn import Module
from ..tensor import Tensor
from .marks import (
    Attribute,
    Final,
    annotate,
    export,
    ignore,
    interface,
    is_scripting,
    is_tracing,
    isinstance,
    script_if_tracing,
    script_method,
    unused,
)
from .marks import (
    _overload as _overload,
)
from .marks import (
    _overload_method as _overload_method,
)

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TopLevelTracedModule",
    "TracedModule",
    "TracerWarning",
    "TracingCheckError",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "fuser",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "run_frozen_optimizations",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

FEATURE = "TorchScript, a language with an interpreter of its own"
HINT = (
    "torch.save(model.state_dict(), path), and load_state_dict into a model made by its class;\n"
    "a TorchScript file: model = torch.jit.load(path) in PyTorch, then save model.state_dict()"
)
NOTE = "changes nothing: Rushlight runs functions and modules as they are written, in Python"


class Error(RuntimeError):
    """An error inside a script; none is ever raised here.

    >>> issubclass(torch.jit.Error, Exception)
    True
    """


class TracingCheckError(Exception):
    """A trace that differs from the function; none is ever raised here.

    >>> issubclass(torch.jit.TracingCheckError, Exception)
    True
    """


class ScriptWarning(Warning):
    """A warning of the script compiler; none is ever given here.

    >>> import warnings
    >>> warnings.filterwarnings("ignore", category=torch.jit.ScriptWarning)
    """


class TracerWarning(Warning):
    """A warning of the tracer; none is ever given here.

    >>> import warnings
    >>> warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)
    """

    @staticmethod
    def ignore_lib_warnings() -> None:
        """There are none to ignore."""


class ScriptModule(Module):
    """A module whose methods would be compiled: a Module like any other here.

    `script` does not make them: it returns the module that it is given, which is a ScriptModule
    only if its class derives from this one.

    >>> class Double(torch.jit.ScriptModule):
    ...     @torch.jit.script_method
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double()(torch.ones(2))
    tensor([2., 2.])
    """

    def save(self, f: Any, **kw: Any) -> NoReturn:
        """Raises: TorchScript files are not written."""
        save(self, f)


class RecursiveScriptModule(ScriptModule):
    """What PyTorch's `script` returns; here for `isinstance`.

    >>> isinstance(nn.Linear(2, 2), torch.jit.RecursiveScriptModule)
    False
    """


class TracedModule(ScriptModule):
    """What PyTorch's `trace` returned once; here for `isinstance`.

    >>> isinstance(nn.Linear(2, 2), torch.jit.TracedModule)
    False
    """


class TopLevelTracedModule(TracedModule):
    """What PyTorch's `trace` returns; here for `isinstance`.

    >>> isinstance(nn.Linear(2, 2), torch.jit.TopLevelTracedModule)
    False
    """


ScriptFunction = unsupported.absent_class("torch.jit.ScriptFunction", FEATURE, HINT)
CompilationUnit = unsupported.absent_class("torch.jit.CompilationUnit", FEATURE, HINT)


def script(
    obj: Any,
    optimize: Any = None,
    _frames_up: int = 0,
    _rcb: Any = None,
    example_inputs: Any = None,
) -> Any:
    """Return `obj`, a function, class or module, as it is: it goes on running in Python.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     script(len) is len
    True
    """
    if not callable(obj) and not hasattr(obj, "__dict__"):
        raise TypeError(
            message(
                "torch.jit.script: this cannot be compiled",
                type(obj).__name__,
                "a function, a class or a module",
            )
        )
    lazy = getattr(obj, "has_uninitialized_params", None)
    if lazy is not None and lazy():
        raise RuntimeError(
            f"{type(obj).__name__!r} has uninitialized parameters. Did you forget to run a forward "
            "pass?"
        )
    note("script", f"torch.jit.script {NOTE}")
    return obj


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    _store_inputs: bool = True,
) -> Any:
    """Run `func` once on the example inputs, check what comes out, and return `func` as it is.

    Unlike PyTorch's trace, the result is not fixed to the path that the example took. A warning
    says so.

    Args:
        func: a function or a module.
        example_inputs: a tensor, or a tuple of arguments.
        example_kwarg_inputs: arguments by name, instead.

    Raises:
        RuntimeError: there are no examples, or the result holds anything but tensors.

    >>> import warnings
    >>> def signed(x):
    ...     return x if x.sum() > 0 else -x
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     traced = torch.jit.trace(signed, torch.ones(2))
    >>> traced(torch.tensor([-1.0, -2.0]))  # the other path
    tensor([1., 2.])
    """
    if example_kwarg_inputs is not None:
        if not builtins.isinstance(example_kwarg_inputs, Mapping):
            raise RuntimeError("example_kwarg_inputs should be a dict")
        out = func(**example_kwarg_inputs)
    elif example_inputs is None:
        raise RuntimeError(
            message(
                "torch.jit.trace: example_inputs are missing",
                wanted="example_inputs or example_kwarg_inputs: a tensor, or a tuple of arguments",
            )
        )
    else:
        given = (
            (example_inputs,)
            if builtins.isinstance(example_inputs, (Tensor, dict))
            else tuple(example_inputs)
        )
        out = func(*given)
    _check_output(out, strict)
    note("trace", f"torch.jit.trace {NOTE}; the example was run once")
    return func


def _check_output(out: Any, strict: bool) -> None:
    if builtins.isinstance(out, Tensor):
        return
    if builtins.isinstance(out, (tuple, list)) and (out or not strict):
        for part in out:
            _check_output(part, strict)
        return
    if builtins.isinstance(out, dict) and not strict:
        for part in out.values():
            _check_output(part, strict)
        return
    hint = "strict=False, which lets dictionaries pass" if builtins.isinstance(out, dict) else None
    raise RuntimeError(
        message(
            "Tracer cannot infer type of the output",
            type(out).__name__,
            "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from "
            "traced functions",
            hint,
        )
    )


def trace_module(
    mod: Module,
    inputs: Mapping[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    **private: Any,
) -> Module:
    """Run methods of a module on examples, and return the module as it is. It warns, as `trace`
    does.

    Args:
        inputs: method name -> example inputs.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     layer = torch.jit.trace_module(nn.Linear(2, 3), {"forward": torch.ones(1, 2)})
    >>> layer(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    """
    if not builtins.isinstance(inputs, Mapping):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


def load(
    f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False
) -> NoReturn:
    """Raises: a TorchScript file holds code for an interpreter that is not here.

    ValueError if the file does not exist, as in PyTorch.

    Weights are read by `torch.load`; a TorchScript file that PyTorch opens can be stored by it as
    `torch.save(model.state_dict(), ...)` first.

    >>> torch.jit.load("nowhere.pt")
    Traceback (most recent call last):
        ...
    ValueError: The provided filename nowhere.pt does not exist...
    """
    if builtins.isinstance(f, (str, os.PathLike)):
        if not os.path.exists(f):
            raise ValueError(f"The provided filename {os.fspath(f)} does not exist")
        if os.path.isdir(f):
            raise ValueError(f"The provided filename {os.fspath(f)} is a directory")
    unsupported.refuse("torch.jit.load", FEATURE, HINT)


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Raises: TorchScript files are not written. `torch.save(model.state_dict(), path)` keeps
    weights.

    >>> try:
    ...     torch.jit.save(nn.Linear(2, 2), "layer.pt")
    ... except RuntimeError:
    ...     print("not written")
    not written
    """
    unsupported.refuse("torch.jit.save", FEATURE, HINT)


def freeze(
    mod: Any,
    preserved_attrs: Any = None,
    optimize_numerics: bool = True,
    preserve_parameters: bool = False,
) -> Any:
    """Return the module, which must be in eval mode, as it is.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     layer = torch.jit.freeze(torch.jit.script(nn.Linear(2, 2).eval()))
    >>> layer(torch.ones(1, 2)).shape
    torch.Size([1, 2])
    """
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. "
            "Please call .eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """Return the module, which must be in eval mode, as it is.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     layer = torch.jit.optimize_for_inference(torch.jit.script(nn.Linear(2, 2).eval()))
    >>> layer(torch.ones(1, 2)).shape
    torch.Size([1, 2])
    """
    return mod


def run_frozen_optimizations(
    mod: Any, optimize_numerics: bool = True, preserved_attrs: Any = None
) -> None:
    """Nothing is optimized.

    >>> torch.jit.run_frozen_optimizations(nn.Linear(2, 2))
    """


def fork(func: Callable[..., Any], *args: Any, **kw: Any) -> Future[Any]:
    """Call `func` at once; a Future of what it returns (or raises).

    >>> wait(fork(max, 2, 3))
    3
    """
    out: Future[Any] = Future()
    try:
        out.set_result(func(*args, **kw))
    except Exception as error:
        out.set_exception(error)
    return out


def wait(future: Future[Any]) -> Any:
    """The value of a Future that `fork` made; what the function raised is raised here.

    >>> torch.jit.wait(torch.jit.fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    return future.wait()


_fork, _wait = fork, wait


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """The block runs as it stands.

    >>> with torch.jit.optimized_execution(False):
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """
    yield


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """The block runs as it stands. `torch.compile` fuses operations here.

    >>> with torch.jit.fuser("fuser1"):
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """
    yield


@contextmanager
def strict_fusion() -> Iterator[None]:
    """The block runs as it stands.

    >>> with torch.jit.strict_fusion():
    ...     print(torch.ones(2))
    tensor([1., 1.])
    """
    yield


def set_fusion_strategy(strategy: Any) -> Any:
    """Returned as it is: nothing is fused.

    >>> before = torch.jit.set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)])
    """
    return strategy


def enable_onednn_fusion(enabled: bool) -> None:
    """Accepted: nothing is fused.

    >>> torch.jit.enable_onednn_fusion(False)
    >>> torch.jit.onednn_fusion_enabled()
    False
    """


def onednn_fusion_enabled() -> bool:
    """False: nothing is fused.

    >>> torch.jit.onednn_fusion_enabled()
    False
    """
    return False
