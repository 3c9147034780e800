"""What may happen to a file of the cache on disk."""

from __future__ import annotations

from pathlib import Path

DAMAGES = ("cut", "flip", "foreign", "empty")


def damage(file: Path, how: str) -> None:
    """Spoil a file in one of these ways."""
    data = file.read_bytes()
    spoilt = {
        "cut": data[: len(data) // 2],
        "flip": data[:-10] + bytes([data[-10] ^ 1]) + data[-9:],
        "foreign": b"\x7fELF" + bytes(200),
        "empty": b"",
    }
    file.write_bytes(spoilt[how])
