"""What holds for a while, and ends also when Ctrl-C comes in the middle.

Python raises KeyboardInterrupt (and whatever a handler of signals raises) where a function begins,
after a call of something written in C, and where a loop goes back; between two stores it does not.
So state that is changed for a while is changed by stores alone, right before a `try`, and set back
to what it was; what takes more is written so that it can be done again from its beginning.

One place cannot be helped: a class written in Python does not know of an interrupt that comes just
as its `__exit__` begins.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any


class _Block(contextlib._GeneratorContextManager):  # type: ignore[type-arg]
    """Ends its generator when entering fails. Python's own leaves that to the generator's death,
    which is put off for as long as somebody keeps the traceback, as notebooks do."""

    def __enter__(self) -> Any:
        generator = self.gen
        try:
            return next(generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None
        except BaseException:
            generator.close()  # type: ignore[attr-defined]
            raise


def contextmanager(fn: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    """`contextlib.contextmanager`, for blocks that change state.

    >>> from rushlight.blocks import contextmanager
    >>> @contextmanager
    ... def told():
    ...     print("before")
    ...     yield
    ...     print("behind")
    >>> with told():
    ...     print("within")
    before
    within
    behind
    """

    @functools.wraps(fn)
    def made(*args: Any, **kw: Any) -> Any:
        return _Block(fn, args, kw)  # type: ignore[arg-type]

    return made


class Presence:
    """Who is there, in all threads; what is done when the first comes and when the last has gone.

    Coming twice is coming once, and so is going. So whoever is interrupted in `go` calls it again.
    `fits` are called with whether anybody is there. Each must give the same when it is called
    again after it was interrupted.

    >>> from rushlight.blocks import Presence
    >>> seen = []
    >>> someone = Presence(seen.append)
    >>> someone.come("a"), someone.come("b"), someone.come("b"), someone.go("a"), someone.go("b")
    (None, None, None, None, None)
    >>> seen
    [True, False]
    """

    __slots__ = ("fits", "lock", "settled", "there")

    def __init__(self, *fits: Callable[[bool], Any]) -> None:
        self.fits = [*fits]
        self.there: dict[Hashable, bool] = {}
        self.settled: bool | None = False  # what all of `fits` were told last; None: not all
        self.lock = threading.Lock()

    def come(self, who: Hashable) -> None:
        """Somebody is there, unless this is interrupted."""
        try:
            with self.lock:
                self.there[who] = True
                self._settle()
        except BaseException:
            self.go(who)
            raise

    def go(self, who: Hashable) -> None:
        """Somebody is there no longer."""
        with self.lock:
            self.there.pop(who, None)
            self._settle()

    def again(self) -> None:
        """Do what is done, whoever was told what."""
        with self.lock:
            self.settled = None
            self._settle()

    def _settle(self) -> None:
        anybody = bool(self.there)
        if self.settled is not anybody:
            self.settled = None
            for fit in self.fits:
                fit(anybody)
            self.settled = anybody
