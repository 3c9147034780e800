"""A port for a job that a program starts itself."""

from __future__ import annotations

import socket

__all__ = ["get_free_port", "get_socket_with_port"]


def get_free_port() -> int:
    """A port of this machine that nobody uses now.

    >>> 0 < get_free_port() < 65536
    True
    """
    with get_socket_with_port() as sock:
        return int(sock.getsockname()[1])


def get_socket_with_port() -> socket.socket:
    """A socket that has such a port, of this machine alone, and listens to nobody yet."""
    sock = socket.socket(socket.AF_INET)
    sock.bind(("localhost", 0))
    return sock
