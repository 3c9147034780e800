"""`torch.compile`, and the questions that programs ask while they run.

Not here: what a compiled callable does when it is called (`replay.py`), marks on functions
(`marks.py`), stances (`stance.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import message
from . import state
from .marks import innermost

__all__ = [
    "compile",
    "cudagraph_mark_step_begin",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_default_backend",
]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
# PyTorch's names; all of them mean this package's compiler, but for "eager": run as written.
BACKENDS = ("aot_eager", "cudagraphs", "eager", "inductor", "openxla", "tvm")


@dataclass(frozen=True)
class Options:
    """What `compile` was told; calling it compiles a function."""

    fullgraph: bool = False
    dynamic: bool | None = None
    backend: Any = None
    mode: str | None = None
    options: dict[str, Any] | None = None
    recompile_limit: int | None = None

    def __call__(self, fn: Callable[..., Any]) -> Any:
        from .replay import Compiled  # which needs modules and optimisers

        within = getattr(type(fn), "_compiled_within", None)
        if within is not None:  # a module around another one, which runs as it is
            return within(fn, self)
        return Compiled(fn, self.fullgraph, self.dynamic, self.recompile_limit)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    **others: Any,
) -> Any:
    """Return what computes the same as `model`, to the bit, and replays what it has done before.

    The first call runs `model` and writes down what it computed; later calls look whether all that
    it read is as it was, and then run the program that was written. What cannot be replayed runs as
    it is written, and a warning says once what it was and where.

    A module comes back inside a module that shares its parameters and is found as `_orig_mod`, as
    in PyTorch. Without `model` it is a decorator.

    Args:
        model: a module or a function: a whole training step, or a part of one.
        fullgraph: raise `torch._dynamo.exc.Unsupported` where something cannot be replayed.
        dynamic: checked, and changes nothing: there is a plan for each shape, whatever it says.
        backend: one of PyTorch's names, or a callable (which is not called): all mean this one.
        mode: one of PyTorch's modes; not together with `options`. All compute the same.
        disable: return `model` itself.
        recompile_limit: how many plans there may be; `torch._dynamo.config.recompile_limit` else.

    Raises RuntimeError for a mode or backend that PyTorch does not know, TypeError for a `model`
    that cannot be called.

    >>> import rushlight
    >>> double = compile(lambda x: 2 * x)
    >>> double(rushlight.ones(2)), double(rushlight.ones(2))
    (tensor([2., 2.]), tensor([2., 2.]))
    """
    unknown = set(others) - {"name", "isolate_recompiles", "shapes_spec"}
    if unknown:
        raise TypeError(f"compile() got an unexpected keyword argument '{min(unknown)}'")
    check(dynamic, backend, mode, options)
    told = Options(fullgraph, dynamic, backend, mode, options, recompile_limit)
    if model is None:
        return lambda found: compiled(found, told, disable)
    return compiled(model, told, disable)


def compiled(model: Any, told: Options, disable: bool = False) -> Any:
    """`compile` with its arguments checked."""
    if not callable(model):
        raise TypeError(
            message(
                "torch.compile: a callable function is expected",
                f"{type(model).__name__} is provided",
                "a module or a function",
            )
        )
    if disable:
        return model
    from ..nn import Module
    from ..nn.optimized import OptimizedModule  # here: `nn` is imported late

    if isinstance(model, OptimizedModule):
        model = model._orig_mod
    if isinstance(model, Module):
        return OptimizedModule(model, told)
    if isinstance(model, type):
        name = "forward" if issubclass(model, Module) else "__call__"
        found = model.__dict__.get(name)
        if found is not None:
            setattr(model, name, told(found))
        return model
    return told(innermost(model))


def check(dynamic: Any, backend: Any, mode: Any, options: Any) -> None:
    """Raise PyTorch's errors for arguments that mean nothing."""
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if dynamic is not None and not isinstance(dynamic, bool):
        raise TypeError(f"dynamic: Expected a bool or None, got {type(dynamic).__name__}")
    if isinstance(backend, str) and backend not in BACKENDS:
        from .._dynamo.exc import InvalidBackend

        raise InvalidBackend(
            message(
                f"Invalid backend: '{backend}'",
                wanted=f"one of {', '.join(BACKENDS)}, or a callable",
                hint="leaving backend out",
            )
        )


def is_compiling() -> bool:
    """Whether this thread runs code that is being captured.

    >>> torch.compiler.is_compiling()
    False
    >>> seen = []
    >>> @torch.compile
    ... def f(x):
    ...     seen.append(torch.compiler.is_compiling())
    ...     return x + 1
    >>> _ = f(torch.ones(2))
    >>> seen
    [True]
    """
    return state.capturing.active


def is_dynamo_compiling() -> bool:
    """The same as `is_compiling`.

    >>> torch.compiler.is_dynamo_compiling()
    False
    """
    return state.capturing.active


def is_exporting() -> bool:
    """False: nothing is exported.

    >>> torch.compiler.is_exporting()
    False
    """
    return False


def reset() -> None:
    """Forget all plans: every compiled callable is captured anew when it is called next.

    >>> @torch.compile
    ... def f(x):
    ...     print("captured")
    ...     return x + 1
    >>> x = torch.ones(1)
    >>> _ = f(x)
    captured
    >>> torch.compiler.reset()
    >>> _ = f(x)
    captured
    """
    state.reset()


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `compile` accepts as `backend`.

    >>> "inductor" in list_backends()
    True
    """
    return list(BACKENDS)


_default_backend: list[Any] = ["inductor"]


def set_default_backend(backend: str | Callable[..., Any] | None) -> None:
    """The backend of `compile` where none is named.

    Args:
        backend: a name of `torch.compiler.list_backends()`, a function, or None for the own one.

    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    check(None, backend, None, None)
    _default_backend[0] = "inductor" if backend is None else backend


def get_default_backend() -> Any:
    """What `set_default_backend` set; "inductor", which is what programs call the own one, before.

    >>> torch.compiler.get_default_backend()
    'inductor'
    """
    return _default_backend[0]


def cudagraph_mark_step_begin() -> None:
    """Does nothing: results of a compiled step are arrays of their own, never overwritten.

    >>> torch.compiler.cudagraph_mark_step_begin()
    """
