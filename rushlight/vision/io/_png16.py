"""PNG images of 16 bits a channel in colour or with alpha, which Pillow cuts down to 8.

Everything else about images is left to Pillow (`image.py`).
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by colour type
_BAND = 256  # rows that are worked on at once
_MAX_BYTES = 1 << 31


def header(raw: bytes) -> tuple[int, int, int, int, int] | None:
    """Width, height, bits, colour type and interlacing of a PNG; None for what is no PNG."""
    if raw[:8] != _SIGNATURE or raw[12:16] != b"IHDR" or len(raw) < 29:
        return None
    width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", raw[16:29])
    return width, height, bits, colour, interlaced


def decode(raw: bytes) -> np.ndarray:
    """The pixels of a 16-bit PNG: uint16 of shape (H, W, C).

    Raises:
        ValueError: the file is broken, or interlaced.
    """
    found = header(raw)
    if found is None or found[2] != 16 or found[3] not in _CHANNELS:
        raise ValueError("it is no 16-bit PNG")
    width, height, _, colour, interlaced = found
    if interlaced:
        raise ValueError("it is interlaced, which is not read with 16 bits")
    channels = _CHANNELS[colour]
    size = height * (1 + width * channels * 2)
    if not 0 < size < _MAX_BYTES:
        raise ValueError(f"its size is {width} x {height}")
    try:
        plain = zlib.decompressobj().decompress(b"".join(_data(raw)), size)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(plain) != size:
        raise ValueError("image file is truncated")
    rows = np.frombuffer(plain, np.uint8).reshape(height, -1)
    if rows[:, 0].max() > 4:
        raise ValueError(f"it uses the unknown filter {rows[:, 0].max()}")
    pixels = np.empty((height, width, channels * 2), np.uint8)
    above = np.zeros(pixels.shape[1:], np.uint8)
    for top in range(0, height, _BAND):
        band = rows[top : top + _BAND]
        filtered = band[:, 1:].reshape(len(band), width, -1)
        pixels[top : top + _BAND] = _unfilter(band[:, 0], filtered, above)
        above = pixels[top + len(band) - 1]
    return pixels.view(">u2").astype(np.uint16)


def _data(raw: bytes) -> list[bytes]:
    """The contents of the IDAT chunks."""
    place, pieces = 8, []
    while place + 12 <= len(raw):
        size = int.from_bytes(raw[place : place + 4], "big")
        kind, body = raw[place + 4 : place + 8], raw[place + 8 : place + 8 + size]
        if len(body) != size:
            break
        if kind == b"IDAT":
            pieces.append(body)
        place += 12 + size
    return pieces


def _unfilter(kinds: np.ndarray, filtered: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Undo PNG's filters, which tell each byte from those to the left, above and above left.

    Pixels of one diagonal do not need each other, so a whole diagonal is done at once. The table
    is slanted: `slant[j + r + 1, r]` is pixel j of row r, and row 0 is the one above.
    """
    rows, width, size = filtered.shape
    slant = np.zeros((width + rows + 1, rows + 1, size), np.int16)
    slant[1 : width + 1, 0] = above
    for r in range(1, rows + 1):
        slant[r + 1 : r + 1 + width, r] = filtered[r - 1]
    kind = np.concatenate([[0], kinds])[:, None]
    for d in range(2, width + rows + 1):
        low, high = max(1, d - width), min(rows, d - 1) + 1
        a, b, c = (
            slant[d - 1, low:high],
            slant[d - 1, low - 1 : high - 1],
            slant[d - 2, low - 1 : high - 1],
        )
        k = kind[low:high]
        guess = np.select([k == 1, k == 2, k == 3, k == 4], [a, b, (a + b) >> 1, _paeth(a, b, c)])
        slant[d, low:high] = slant[d, low:high] + guess & 255
    out = np.empty(filtered.shape, np.uint8)
    for r in range(1, rows + 1):
        out[r - 1] = slant[r + 1 : r + 1 + width, r]
    return out


def _paeth(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Which of left, above and above left is nearest to left + above - above left."""
    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return np.where((pa <= pb) & (pa <= pc), a, np.where(pb <= pc, b, c))
