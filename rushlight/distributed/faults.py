"""An error that ends a rank is told to the others, who may wait for it, and to its launcher.

An uncaught error passes `sys.excepthook`, or the function that `multiprocessing` runs in a child;
both call `raised`. A process that is forked from a rank is no rank.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

from ..autograd import lines

_attended: list[Any] = []  # the world of this process


def attend(world: Any) -> None:
    """From now on this process's errors are told, and its end comes at its right time."""
    if _attended:
        return
    _attended.append(world)
    hook = sys.excepthook

    def told(
        kind: type[BaseException], error: BaseException, where: TracebackType | None
    ) -> None:
        raised(error)
        hook(kind, error, where)

    sys.excepthook = told
    children = sys.modules.get("multiprocessing.process")
    if children is not None and children.parent_process() is not None:
        # A forked child of multiprocessing ends without Python's own functions for the end.
        from multiprocessing import util

        util.Finalize(None, world.end, exitpriority=-100)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)


def forked() -> None:
    """In a child: it must not speak for its parent."""
    for world in _attended:
        world.ended.set()
    _attended.clear()


def raised(error: BaseException) -> None:
    """This process ends by an error: tell the others, and the launcher."""
    for world in _attended:
        if world.ended.is_set():
            continue
        if world.failure is None:
            text = f"{type(error).__name__}: {error}"
            world.give_up(f"{world.name()} raised {text[:1000]}, at {line_of(error)}")
        path = os.environ.get("TORCHELASTIC_ERROR_FILE")
        if path and not os.path.exists(path):
            from .elastic.multiprocessing.errors import get_error_handler

            get_error_handler().record_exception(error)


def line_of(error: BaseException) -> str:
    """The innermost line of the program in an error's traceback."""
    found: tuple[Any, int] = (None, 0)
    where = error.__traceback__
    while where is not None:
        names = where.tb_frame.f_globals
        package = (names.get("__package__") or names.get("__name__", "")).partition(".")[0]
        if package != __name__.partition(".")[0]:
            found = where.tb_frame.f_code, where.tb_lasti
        where = where.tb_next
    return lines.show_line(*found)
