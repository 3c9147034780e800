"""Queues that can be made without a context, and a wrapper of connections."""

from __future__ import annotations

import io
import multiprocessing
import multiprocessing.queues
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any

from . import reductions

__all__ = ["ConnectionWrapper", "Queue", "SimpleQueue"]


class ConnectionWrapper:
    """A connection whose objects are pickled by ForkingPickler: tensors go as shared memory."""

    def __init__(self, conn: Any) -> None:
        self.conn = conn

    def send(self, obj: Any) -> None:
        """Send one object."""
        buffer = io.BytesIO()
        ForkingPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(obj)
        self.send_bytes(buffer.getvalue())

    def recv(self) -> Any:
        """Receive one object."""
        return pickle.loads(self.recv_bytes())

    def __getattr__(self, name: str) -> Any:
        if "conn" in self.__dict__:
            return getattr(self.conn, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'conn'")


class Queue(multiprocessing.queues.Queue):  # type: ignore[type-arg]
    """`multiprocessing.queues.Queue` of the present context unless another is given."""

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        super().__init__(maxsize, ctx=ctx or multiprocessing.get_context())


class SimpleQueue(multiprocessing.queues.SimpleQueue):  # type: ignore[type-arg]
    """`multiprocessing.queues.SimpleQueue` of the present context unless another is given."""

    def __init__(self, *, ctx: Any = None) -> None:
        super().__init__(ctx=ctx or multiprocessing.get_context())


_ = reductions  # they make tensors travel
