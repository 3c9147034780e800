"""`torch.compile`: a step as one plan, and what programs ask about it (`torch.compiler`).

In the order of a compiled call: `api` has `compile`; `replay` looks for a program whose guards
hold, and runs it (`entry`, `results`); `capture` writes one down from a real run (`instrument`,
`writer`, `seeing`, `reading`, `acting`, `known`, `guards`, `backwards`, `region`, `split`);
`program` is what it is, `arrays` and `native` run it (`lower_plans`, `earlier`, `calls`, `memory`).
`explain` and `picture` show it.

`marks` are what programs tell of functions, `stance` and `state` what holds for the process,
`settings` and `config` how programs set it.
"""

from __future__ import annotations

from typing import Any

from . import config as config
from .api import (
    compile,
    cudagraph_mark_step_begin,
    get_default_backend,
    is_compiling,
    is_dynamo_compiling,
    is_exporting,
    list_backends,
    reset,
    set_default_backend,
)
from .explain import explain
from .marks import (
    allow_in_graph,
    assume_constant_result,
    disable,
    nested_compile_region,
    substitute_in_graph,
    wrap_numpy,
)
from .stance import set_stance
from .state import note as note

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "cudagraph_mark_step_begin",
    "disable",
    "explain",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "load_cache_artifacts",
    "nested_compile_region",
    "reset",
    "save_cache_artifacts",
    "set_default_backend",
    "set_enable_guard_collectives",
    "set_stance",
    "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe",
    "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe",
    "substitute_in_graph",
    "wrap_numpy",
]


# -- names that mean nothing here ----------------------------------------------------------------


def skip_all_guards_unsafe(guard_entries: list[Any]) -> list[bool]:
    """Which guards to keep, for `options={"guard_filter_fn": ...}`: all, because none is unsafe.

    PyTorch's drop some; here the others of this family (`skip_guard_on_...`) are this function.

    >>> torch.compiler.skip_all_guards_unsafe([])
    []
    """
    return [True] * len(guard_entries)


skip_guard_on_all_nn_modules_unsafe = skip_guard_on_globals_unsafe = skip_all_guards_unsafe
skip_guard_on_inbuilt_nn_modules_unsafe = skip_all_guards_unsafe


def save_cache_artifacts() -> None:
    """None, as in PyTorch where there is nothing to save: kernels are on disk anyway.

    >>> print(torch.compiler.save_cache_artifacts())
    None
    """


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """None: nothing is loaded, because nothing needs to be.

    >>> print(torch.compiler.load_cache_artifacts(b""))
    None
    """


def set_enable_guard_collectives(enabled: bool) -> bool:
    """False, which it was before: one process decides alone.

    >>> torch.compiler.set_enable_guard_collectives(False)
    False
    """
    return False
