"""Damaged files of every format: each is read, or gives the one clear error."""

from __future__ import annotations

import contextlib
import gzip
import io
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision.datasets import read_idx
from rushlight.vision.datasets.cifar import read_batch
from rushlight.vision.datasets.svhn import read_mat
from rushlight.vision.io import decode_image

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def idx() -> bytes:
    return bytes([0, 0, 8, 3]) + struct.pack(">3i", 2, 3, 4) + bytes(24)


def batch() -> bytes:
    return pickle.dumps({"data": np.zeros((2, 30), np.uint8), "labels": [1, 2]}, protocol=2)


def mat() -> bytes:
    def element(kind: int, body: bytes) -> bytes:
        return struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)

    inner = element(6, bytes(8)) + element(5, struct.pack("<2i", 3, 5)) + element(1, b"numbers")
    return b"MATLAB".ljust(124) + b"\x00\x01IM" + element(14, inner + element(2, bytes(15)))


def png16() -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + crc

    head = struct.pack(">IIBBBBB", 4, 5, 16, 2, 0, 0, 0)
    rows = b"".join(bytes([i]) + bytes(range(24)) for i in range(5))
    packed = zlib.compress(rows)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def picture(format: str) -> Callable[[], bytes]:
    def make() -> bytes:
        file = io.BytesIO()
        pixels = np.arange(300, dtype=np.uint16).astype(np.uint8).reshape(10, 10, 3)
        Image.fromarray(pixels).save(file, format)
        return file.getvalue()

    return make


def read_image(path: Path) -> Any:
    return decode_image(torch.from_numpy(np.fromfile(path, np.uint8)))


KINDS: dict[str, tuple[Callable[[], bytes], Callable[[Any], Any]]] = {
    "idx": (idx, read_idx),
    "packed idx": (lambda: gzip.compress(idx()), read_idx),
    "CIFAR": (batch, read_batch),
    "MATLAB": (mat, read_mat),
    "16-bit PNG": (png16, read_image),
    **{f: (picture(f), read_image) for f in ("PNG", "JPEG", "GIF", "WEBP")},
}


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.filterwarnings("ignore:.*:UserWarning:PIL")
@pytest.mark.parametrize("kind", KINDS)
def test_damage(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    make, read = KINDS[kind]
    whole = make()
    path = tmp_path / "file"
    path.write_bytes(whole)
    read(path)
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            place = int(rng.integers(0, len(raw))) if raw else 0
            match int(rng.integers(0, 4)):
                case 0:
                    del raw[place:]
                case 1:
                    raw[place:place] = rng.bytes(int(rng.integers(1, 8)))
                case _ if raw:
                    raw[place] = int(rng.integers(0, 256))
        path.write_bytes(raw)
        with contextlib.suppress(RuntimeError):
            read(path)
