"""How closely new sparse tensors are looked at."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Any

ALL, USUAL, NONE = "all", "usual", "none"


class _State(threading.local):
    wanted: bool | None = None  # nobody has asked


_state = _State()


def level(asked: bool | None) -> str:
    """ALL where a program wants checks, NONE where it wants none, by the argument of a factory or
    by `check_sparse_tensor_invariants`.

    USUAL where it has said nothing: indices outside the sizes are refused, for an ndarray would
    count negative ones from the end. PyTorch does not look at them then.
    """
    wanted = _state.wanted if asked is None else asked
    return USUAL if wanted is None else (ALL if wanted else NONE)


class check_sparse_tensor_invariants(ContextDecorator):
    """A block, or with `enable()` a program, in which new sparse tensors are looked at closely, or
    with `enable=False` not at all.

    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (3,))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    RuntimeError: size is inconsistent with indices: for dim 0, size is 3 but found index 5...
    """

    def __init__(self, enable: bool = True) -> None:
        self.wanted = enable
        self._before: list[Any] = []

    def _recreate_cm(self) -> check_sparse_tensor_invariants:
        return type(self)(self.wanted)

    @staticmethod
    def is_enabled() -> bool:
        """Whether new sparse tensors are checked."""
        return bool(_state.wanted)

    @staticmethod
    def enable() -> None:
        """Check from now on."""
        _state.wanted = True

    @staticmethod
    def disable() -> None:
        """Check no longer."""
        _state.wanted = False

    def __enter__(self) -> None:
        if self._before:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context "
                "manager instance for context nesting."
            )
        self._before.append(_state.wanted)
        _state.wanted = self.wanted

    def __exit__(self, *error: Any) -> None:
        _state.wanted = self._before.pop()
