"""Small files that ask for much: memory, time, or the stack of the process."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError

P = b"\x80\x02"


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def integer(value: int) -> bytes:
    return b"\x8a\x10" + value.to_bytes(16, "little", signed=True)


def name(module: str, attribute: str) -> bytes:
    return f"c{module}\n{attribute}\n".encode()


def storage(count: int, kind: str = "FloatStorage") -> bytes:
    return (
        b"("
        + text("storage")
        + name("torch", kind)
        + text("0")
        + text("cpu")
        + integer(count)
        + b"tQ"
    )


REBUILD = name("torch._utils", "_rebuild_tensor_v2")
ENDLESS = name("builtins", "range") + integer(10**12) + b"\x85R"  # legal, and never to be walked
# A pair of the same pair of ... 100 deep: 200 bytes, and 2**100 steps for who walks over it.
PAIRS = b"K\x01" + b"2\x86" * 100
HOOKS = b"\x89" + name("collections", "OrderedDict") + b")R"

BOMBS = {
    "a pair as a key": b"}" + PAIRS + b"Ns.",
    "a pair in a set": b"\x8f(" + PAIRS + b"\x90.",
    "a pair in a frozenset": b"(" + PAIRS + b"\x91.",
    "a pair as a storage": PAIRS + b"Q.",
    "a pair called": PAIRS + b")R.",
    "a pair as a dtype": name("numpy", "dtype") + PAIRS + b"\x85R.",
    "a pair as a device": name("torch", "device") + PAIRS + b"\x85R.",
    "a pair as a size": REBUILD + b"(" + storage(4) + b"K\x00" + PAIRS + PAIRS + HOOKS + b"tR.",
    "a pair as a counter": name("collections", "Counter") + PAIRS + b"\x85R.",
    "a pair as a factory": name("collections", "defaultdict") + PAIRS + b"\x85R.",
    "an endless size": REBUILD + b"(" + storage(4) + b"K\x00" + ENDLESS + ENDLESS + HOOKS + b"tR.",
    "an endless dict": name("collections", "OrderedDict") + ENDLESS + b"\x85R.",
    "an endless set": name("builtins", "set") + ENDLESS + b"\x85R.",
    "an endless bytearray": name("builtins", "bytearray") + integer(10**12) + b"\x85R.",
    "an endless Size": name("torch", "Size") + ENDLESS + b"\x85R.",
    "endless arguments": name("torch", "device") + ENDLESS + b"R.",
    "arguments of a type": name("torch._tensor", "_rebuild_from_type_v2")
    + b"(" + REBUILD + name("torch", "Tensor") + ENDLESS + b"}tR.",
    "an endless array": name("numpy.core.multiarray", "_reconstruct")
    + name("numpy", "ndarray") + b"K\x00\x85" + text("b") + b"\x87R"
    + b"(K\x01" + ENDLESS + name("numpy", "dtype") + text("f8") + b"\x85R\x89" + text("") + b"tb.",
    "an int of a million digits": b"I" + b"9" * 1_000_000 + b"\n.",
    "a size of a hundred thousand dimensions": REBUILD
    + b"(" + storage(4) + b"K\x00(" + b"K\x01" * 100_000 + b"t2" + HOOKS + b"tR.",
    "an unbelievable tensor": REBUILD
    + b"(" + storage(4) + b"K\x00" + integer(2**62) + integer(2**62) + b"\x86K\x00K\x00\x86"
    + HOOKS + b"tR.",
    "a list copied again and again": b"(" + b"K\x01" * 3_000 + b"lq\x000"
    + (name("builtins", "set") + b"h\x00\x85R0") * 1_000 + b"N.",
    "text copied again and again": text("a" * 100_000) + b"q\x000"
    + (name("_codecs", "encode") + b"h\x00" + text("latin1") + b"\x86R0") * 2_000 + b"N.",
    "a deep list in a message": b"](" * 50_000 + b"Q.",
}  # fmt: skip


def archive(pickled: bytes) -> bytes:
    with zipfile.ZipFile(file := io.BytesIO(), "w") as z:
        z.writestr("x/data.pkl", P + pickled)
        z.writestr("x/data/0", bytes(16_000))
    return file.getvalue()


# They would be bombs if conjugates were copied; they are views.
CONJUGATES = {
    "a conjugate copied again and again": storage(2_000, "ComplexFloatStorage") + b"q\x000"
    + (REBUILD + b"(h\x00K\x00" + integer(2_000) + b"\x85K\x01\x85" + HOOKS
       + b"}" + text("conj") + b"\x88stR0") * 300 + b"N.",
    "an expanded conjugate": REBUILD + b"(" + storage(1, "ComplexFloatStorage") + b"K\x00"
    + integer(2**36) + b"\x85K\x00\x85" + HOOKS + b"}" + text("conj") + b"\x88stR.",
}  # fmt: skip


@pytest.mark.parametrize("name", CONJUGATES)
def test_conjugates_of_a_file_take_no_memory(name: str) -> None:
    data = archive(CONJUGATES[name])
    tracemalloc.start()
    try:
        torch.load(io.BytesIO(data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("weights_only", [True, False])
def test_bombs_are_defused(bomb: str, weights_only: bool) -> None:
    data = archive(BOMBS[bomb])
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError) as caught:
            torch.load(io.BytesIO(data), weights_only=weights_only)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 2_000
    # Lists and calls by the thousand are larger than the bytes that describe them.
    assert peak < 80 * len(data) + 1_000_000


def test_ordinary_sharing_is_no_bomb() -> None:
    size = (1, 2, 3)
    value: dict[str, Any] = {
        "keys": {(1, (2, (3, "a"))): 1},
        "shared": [size] * 5_000,
        "words": ["the same word"] * 5_000,
        "sets": [set(range(50)) for _ in range(200)],
        "arrays": [np.arange(100)] * 50,
        "tensors": [torch.ones(4)] * 500,
        "views": [torch.zeros(64)[i:] for i in range(64)],
    }
    torch.save(value, file := io.BytesIO())
    file.seek(0)
    back = torch.load(file)
    assert back["keys"] == value["keys"]
    assert back["sets"] == value["sets"]
    assert back["shared"][0] is back["shared"][1]


def test_a_compressed_archive_is_refused_before_it_is_unpacked() -> None:
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("x/data.pkl", P + storage(10**7) + b".")
        z.writestr("x/data/0", bytes(4 * 10**7))
    file.seek(0)
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match="compressed"):
            torch.load(file)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_declared_sizes_beyond_the_file() -> None:
    with zipfile.ZipFile(file := io.BytesIO(), "w") as z:
        z.writestr("x/data.pkl", P + storage(2**30 - 1) + b".")
        z.writestr("x/data/0", bytes(16))
        info = z.getinfo("x/data/0")
        info.file_size = info.compress_size = 2**32 - 2
    file.seek(0)
    with pytest.raises(CheckpointError, match="truncated"):
        torch.load(file)
