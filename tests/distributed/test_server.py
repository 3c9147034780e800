"""The thread of a store's server, in this process."""

from __future__ import annotations

import socket
from typing import Any

from rushlight.distributed.server import Server


class Slow:
    """A socket whose owner is kept from sending while the server's thread turns."""

    def __init__(self, server: Server) -> None:
        self.server, self.real = server, server.wake

    def send(self, data: bytes) -> int:
        with socket.create_connection(self.server.address):  # the thread has something to do
            self.server.thread.join(0.3)
        return self.real.send(data)

    def close(self) -> None:
        self.real.close()


def test_closing_does_not_race_with_the_thread() -> None:
    """The thread, woken by somebody else, closed the socket that it was to be woken by."""
    server = Server("127.0.0.1", 0, "token")
    slow: Any = Slow(server)
    server.wake = slow
    server.close()
    assert not server.thread.is_alive()
    server.close()  # nothing is left to be done
