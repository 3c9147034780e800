"""Which names a checkpoint mentions, found by running its pickle over inert objects.

Not here: what the names are allowed to do (`names.py`).
"""

from __future__ import annotations

import os
from typing import Any

from .archive import Reader
from .loading import FileLike
from .names import Table
from .unpickler import Known, Unpickler


class _Inert:
    """Stands for everything that a file would build; a key of its own in dicts."""


class _Scanner(Unpickler):
    """The interpreter with objects that do nothing."""

    def __init__(self, data: bytes) -> None:
        self.mentioned: set[tuple[str, str]] = set()
        super().__init__(data, self._note, lambda saved_id: _Inert())

    def _note(self, module: str, name: str) -> Known:
        self.mentioned.add((module, name))
        return Known(_Inert())

    def _reduce(self) -> None:
        del self._stack[-2:]
        self._push(_Inert())

    def _new(self, args: Any, keywords: Any) -> None:
        self._stack.pop()
        self._push(_Inert())

    def _build(self) -> None:
        self._stack.pop()

    def _extend(self, items: list[Any]) -> None:
        """Nothing is put together."""

    def _set_items(self, items: list[Any]) -> None:
        """Nothing is put together."""

    def _add_items(self) -> None:
        self._since_mark()

    def _frozenset(self) -> None:
        self._since_mark()
        self._push(_Inert())


def get_unsafe_globals_in_checkpoint(f: FileLike) -> list[str]:
    """The names in a checkpoint that `load` does not allow, sorted; nothing is built.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.nn.ReLU(), file)
    >>> get_unsafe_globals_in_checkpoint(file)
    ['torch.nn.modules.activation.ReLU']
    """
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            data = Reader(file).read("data.pkl")
    else:
        data = Reader(f).read("data.pkl")
    scanner = _Scanner(data)
    scanner.load()
    table = Table(weights_only=True)
    names = {f"{m}.{n}" for m, n in scanner.mentioned if not table.allows(m, n)}
    return sorted(names)
