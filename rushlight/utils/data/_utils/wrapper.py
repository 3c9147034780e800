"""An exception that travels from a worker to the parent, with its traceback as text."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NoReturn


class KeyErrorMessage(str):
    """Text that KeyError prints as it is: KeyError shows the repr of its argument."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """The exception being handled, to be raised again elsewhere.

    Args:
        exc_info: as `sys.exc_info()` gives it, which is the default.
        where: said in the message, for example "in DataLoader worker process 0".
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        # The exception itself is not kept: its traceback would keep every frame alive.
        kind, *_ = info = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: Any = kind
        self.exc_msg = "".join(traceback.format_exception(*info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same class, with the original traceback in its message."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:  # a class that wants other arguments
            raise RuntimeError(text) from None
        try:
            raise error
        finally:
            del error  # it holds this frame, and with it the iterator and its workers
