"""Waiting for several connections and processes at once, again and again.

`multiprocessing.connection.wait` registers everything anew at each call; `Waiter` does it once.
"""

from __future__ import annotations

import math
import select
from collections.abc import Sequence
from multiprocessing import connection
from typing import Any


class Waiter:
    """Waits until one of its things (connections, sentinels) can be read or has ended."""

    def __init__(self, things: Sequence[Any] = ()) -> None:
        self._things: dict[int, Any] = {}
        self._poll = select.poll() if hasattr(select, "poll") else None
        for thing in things:
            self.add(thing)

    def add(self, thing: Any) -> None:
        """Wait for this too."""
        fd = thing if isinstance(thing, int) else thing.fileno()
        self._things[fd] = thing
        if self._poll is not None:
            self._poll.register(fd, select.POLLIN)

    def remove(self, thing: Any) -> None:
        """Wait for this no more. To be called before it is closed."""
        for fd, known in list(self._things.items()):
            if known is thing:
                del self._things[fd]
                if self._poll is not None:
                    self._poll.unregister(fd)

    def wait(self, timeout: float | None) -> list[Any]:
        """What is ready; an empty list after `timeout` seconds."""
        if self._poll is None:
            return list(connection.wait(list(self._things.values()), timeout))
        milliseconds = None if timeout is None else math.ceil(timeout * 1000)
        return [self._things[fd] for fd, _ in self._poll.poll(milliseconds)]
