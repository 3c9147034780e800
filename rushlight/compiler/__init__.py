"""`torch.compile` and what programs ask about it: every step runs as it is written.

`compile` checks its arguments as PyTorch does and returns something that computes the same: the
function itself, or a module around the module, because programs rely on its shape (`_orig_mod`, and
the prefix `_orig_mod.` in its state). A note says once that nothing was compiled.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import message

if TYPE_CHECKING:
    from ..nn import Module

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_default_backend",
    "set_stance",
    "wrap_numpy",
]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
# PyTorch's names; all of them mean "run it as it is written" here.
BACKENDS = ("aot_eager", "cudagraphs", "eager", "inductor", "openxla", "tvm")
STANCES = (
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
)

_told: set[str] = set()


def note(what: str, text: str) -> None:
    """Say something about `what`, the first time that it is used in this process."""
    if what not in _told:
        _told.add(what)
        warnings.warn(text, UserWarning, stacklevel=3)


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **others: Any,
) -> Any:
    """Return what computes the same as `model`: nothing is compiled in this version.

    A function comes back as it is. A module comes back inside a module that shares its parameters
    and is found as `_orig_mod`, as in PyTorch. Without `model` it is a decorator.

    Args:
        model: a module or a function.
        fullgraph, dynamic: accepted.
        backend: one of PyTorch's names, or a callable (which is not called).
        mode: one of PyTorch's modes; not together with `options`.
        disable: return `model` itself.

    Raises RuntimeError for a mode or backend that PyTorch does not know, TypeError for a `model`
    that cannot be called.
    """
    unknown = set(others) - {"name", "recompile_limit", "isolate_recompiles", "shapes_spec"}
    if unknown:
        raise TypeError(f"compile() got an unexpected keyword argument '{min(unknown)}'")
    _check(dynamic, backend, mode, options)
    if model is None:
        return lambda found: compile(
            found,
            fullgraph=fullgraph,
            dynamic=dynamic,
            backend=backend,
            mode=mode,
            options=options,
            disable=disable,
        )
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

    if isinstance(model, Module):
        return _wrapped(model, fullgraph)
    from .replay import Compiled

    return model if isinstance(model, Compiled) else Compiled(model, fullgraph)


def _check(dynamic: Any, backend: Any, mode: Any, options: Any) -> None:
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if dynamic is not None and not isinstance(dynamic, bool):
        raise TypeError(f"dynamic: Expected a bool or None, got {type(dynamic).__name__}")
    if isinstance(backend, str) and backend not in BACKENDS:
        raise RuntimeError(
            message(
                f"Invalid backend: '{backend}'",
                wanted=f"one of {', '.join(BACKENDS)}, or a callable",
                hint="leaving backend out",
            )
        )


_class: type | None = None


def _wrapped(module: Module, fullgraph: bool = False) -> Module:
    """`module` inside an OptimizedModule (the class is made here: `nn` is imported late)."""
    global _class
    if _class is None:
        from ..nn.optimized import OptimizedModule

        _class = OptimizedModule
    found: Any = _class(module)
    found.__dict__["_compiled"] = {"fullgraph": fullgraph}
    return found  # type: ignore[no-any-return]


def is_compiling() -> bool:
    """False: no step is being captured."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset() -> None:
    """Nothing is kept that could be forgotten."""


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Returns `fn`; a decorator without it.

    >>> disable(len) is len, disable()(len) is len
    (True, True)
    """
    return (lambda found: found) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """Returns `fn`."""
    return fn


assume_constant_result = wrap_numpy = allow_in_graph


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `compile` accepts as `backend`.

    >>> "inductor" in list_backends()
    True
    """
    return list(BACKENDS)


_default_backend: list[Any] = ["inductor"]


def set_default_backend(backend: str | Callable[..., Any] | None) -> None:
    """Kept and returned."""
    _check(None, backend, None, None)
    _default_backend[0] = "inductor" if backend is None else backend


def get_default_backend() -> Any:
    """What `set_default_backend` set."""
    return _default_backend[0]


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def set_stance(
    stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
) -> contextlib.AbstractContextManager[None]:
    """Accepted; also a context and a decorator."""
    if stance not in STANCES:
        raise RuntimeError(f"invalid torch.compile stance '{stance}': one of {', '.join(STANCES)}")

    @contextlib.contextmanager
    def nothing() -> Iterator[None]:
        yield

    return nothing()
