"""Messages between processes of a job and its book-keeper: frames of bytes, and who may send them.

A frame is a length of four bytes and that many bytes; a message is a frame of fields, each with its
length. Nothing is unpickled. Before the first message both sides prove that they know the job's
token, a random string, without sending it (HMAC-SHA256 over random numbers of both).

Read next: server.py (who answers), client.py (who asks).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from collections.abc import Sequence

LENGTH = struct.Struct(">I")
# More than any value of a store; tensors travel by MPI, not by this.
LARGEST = 1 << 30
# What somebody may send who has not yet shown that he knows the token.
LARGEST_UNKNOWN = 256
NONCE = 32
PROOF = hashlib.sha256().digest_size


def new_token() -> str:
    """A token that nobody guesses: 256 random bits in hexadecimal digits."""
    return secrets.token_hex(32)


def proof(token: str, who: bytes, theirs: bytes, ours: bytes) -> bytes:
    """What `who` (b"client" or b"server") sends to show that it knows the token."""
    return hmac.new(token.encode(), who + theirs + ours, hashlib.sha256).digest()


def packed(fields: Sequence[bytes]) -> bytes:
    """A message as a frame.

    >>> packed([b"get", b"key"]).hex(" ", 4)
    '0000 000e0000 00036765 74000000 036b6579'
    """
    body = b"".join([LENGTH.pack(len(f)) + f for f in fields])
    return LENGTH.pack(len(body)) + body


def unpacked(body: bytes) -> list[bytes]:
    """The fields of a frame's body; ValueError when the lengths in it do not add up."""
    fields, at = [], 0
    while at < len(body):
        (size,) = LENGTH.unpack_from(body, at)
        at += LENGTH.size
        if at + size > len(body):
            raise ValueError("a message whose lengths do not add up")
        fields.append(body[at : at + size])
        at += size
    return fields
