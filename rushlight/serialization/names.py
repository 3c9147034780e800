"""The closed table: every name that a checkpoint may mention, and what it may be used for.

Names are PyTorch's, since the format is. Nothing is ever imported because a file asks for it; a
name outside the table is an error unless the user allowed it (`allowed.py`).

Not here: what the names do (`values.py`, `rebuild.py`, `classes.py`) and how a pickle is read
(`unpickler.py`). Read next: `loading.py`.
"""

from __future__ import annotations

from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from typing import Any

from ..errors import message
from . import rebuild, values
from .allowed import allowed_by_user
from .classes import library_class, maker, program_object, set_state
from .errors import CheckpointError
from .unpickler import Known

_built: dict[str, Known] = {}


class Table:
    """The names allowed in one call of `load`.

    Args:
        weights_only: False also allows the classes of the library and of the program, and simple
            classes of the standard library.
    """

    def __init__(self, weights_only: bool) -> None:
        self._weights_only = weights_only

    def __call__(self, module: str, name: str) -> Known:
        """The entry of `module.name`; CheckpointError for a name that is not allowed."""
        # Protocol 2 spells Python's own names as Python 2 did.
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        if self._weights_only and module in _BLOCKED:
            raise _blocked(module, name)
        known = _table().get(f"{module}.{name}") or rebuild.return_type(module, name)
        if known is None and (own := allowed_by_user(module, name)) is not None:
            known = _allowed(own)
        if known is None and not self._weights_only:
            from . import standard  # what it imports is seldom needed

            known = (
                standard.entry(module, name)
                or library_class(module, name)
                or program_object(module, name)
            )
        if known is None:
            raise _not_allowed(module, name, self._weights_only)
        return known

    def allows(self, module: str, name: str) -> bool:
        """Whether the table holds the name."""
        try:
            self(module, name)
        except CheckpointError:
            return False
        return True


# What runs commands and ends processes: never read with weights_only, whatever the user allowed.
_BLOCKED = ("sys", "os", "posix", "nt")


def _blocked(module: str, name: str) -> CheckpointError:
    return CheckpointError(
        message(
            "load: Weights only load failed. Trying to load unsupported GLOBAL "
            f"{module}.{name} whose module {module} is blocked.",
            got=f"a file that mentions {module}.{name}",
            wanted="tensors, plain Python values and what get_safe_globals() lists, which cannot "
            "allow this module",
            hint="asking who made the file why it should do that",
        )
    )


def _table() -> dict[str, Known]:
    if not _built:
        _built.update(values.entries())
        _built.update(rebuild.entries())
    return _built


def _allowed(thing: Any) -> Known:
    if not isinstance(thing, type):
        return Known(thing, call=thing)
    return Known(thing, call=thing, new=maker(thing), build=set_state)


def _not_allowed(module: str, name: str, weights_only: bool) -> CheckpointError:
    full = f"{module}.{name}"[:160]
    if any(part in full for part in ("_rebuild_qtensor", "_rebuild_nested")):
        return CheckpointError(
            message(
                "load: this kind of tensor is not supported",
                got=full,
                wanted="dense tensors",
                hint="saving tensor.dequantize() or tensor.to_dense() in PyTorch",
            )
        )
    kind = "Weights only load failed. " if weights_only else ""
    hint = (
        f"torch.serialization.add_safe_globals([{full}]), or the context manager safe_globals, if "
        "you trust\nthis file and what that name does (get_unsafe_globals_in_checkpoint lists all "
        "such names);\n"
    )
    if weights_only and (library_class(module, name) or program_object(module, name)):
        hint += "or load(..., weights_only=False), which allows the classes of this program;\n"
    elif not weights_only:
        hint += "or import the module that defines it first;\n"
    return CheckpointError(
        message(
            f"load: {kind}Unsupported global: GLOBAL {full} was not an allowed global by default",
            got=f"a file that mentions {full}",
            wanted="tensors, plain Python values and what get_safe_globals() lists;\n"
            "load never executes what a file names, also with weights_only=False",
            hint=f"{hint}better: saving model.state_dict() and plain values, then load_state_dict",
        )
    )
