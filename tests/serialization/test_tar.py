"""The tar format of PyTorch 0.1, written here by hand: no program writes it any more."""

from __future__ import annotations

import io
import struct
import tarfile
from typing import Any

import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError


def number(value: int) -> bytes:
    return b"\x80\x02\x8a\x08" + struct.pack("<q", value) + b"."


def row(*parts: bytes) -> bytes:
    return b"\x80\x02(" + b"".join(parts) + b"t."


def integer(value: int) -> bytes:
    return b"\x8a\x08" + struct.pack("<q", value)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def checkpoint(**changed: bytes) -> bytes:
    """{"w": a 2x3 tensor, "row": its second row} over one storage, and a view of that storage."""
    parts = {
        "storages": number(1)
        + row(integer(100), text("cpu"), b"ctorch\nFloatStorage\n")
        + struct.pack("<q6f", 6, 0, 1, 2, 3, 4, 5)
        + b"\x80\x02]" + row(integer(200), integer(100), integer(3), integer(3))[2:-1] + b"a.",
        "tensors": number(2)
        + row(integer(1), integer(100), b"ctorch\nFloatTensor\n")
        + struct.pack("<ii2q2qq", 2, 0, 2, 3, 3, 1, 0)
        + row(integer(2), integer(200), b"ctorch\nFloatTensor\n")
        + struct.pack("<iiqqq", 1, 0, 3, 1, 0),
        "pickle": b"\x80\x02}(" + text("w") + text("1") + b"Q" + text("row") + text("2") + b"Qu.",
    } | changed  # fmt: skip
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:", format=tarfile.PAX_FORMAT) as archive:
        for name, data in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def test_the_format_is_read(tmp_path: Any) -> None:
    (tmp_path / "old.pt").write_bytes(checkpoint())
    for file in (tmp_path / "old.pt", io.BytesIO(checkpoint())):
        back = torch.load(file)
        assert back["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert back["row"].tolist() == [3, 4, 5]
        back["w"][1, 0] = 7
        assert back["row"][0] == 7


def test_on_meta() -> None:
    back = torch.load(io.BytesIO(checkpoint()), map_location="meta")
    assert back["w"].device.type == "meta"
    assert back["row"].shape == (3,)


@pytest.mark.parametrize(
    "changed",
    [
        {"storages": number(2**40)},
        {"storages": number(1) + row(integer(1), text("cpu"), b"ctorch\nFloatTensor\n")},
        {
            "storages": number(1)
            + row(integer(1), text("cpu"), b"ctorch\nFloatStorage\n")
            + struct.pack("<q", 2**60)
        },
        {"tensors": number(1) + row(integer(1), integer(5), b"N")},
        {"tensors": number(1) + row(integer(1), integer(100), b"N") + struct.pack("<ii", 99, 0)},
        {
            "tensors": number(1)
            + row(integer(1), integer(100), b"N")
            + struct.pack("<iiqqq", 1, 0, 7, 1, 0)
        },
        {"pickle": b"\x80\x02cos\nsystem\n" + text("echo") + b"\x85R."},
        {"pickle": b"\x80\x02" + text("9") + b"Q."},
    ],
)
def test_malformed_parts(changed: dict[str, bytes]) -> None:
    for weights_only in (True, False):
        with pytest.raises(CheckpointError):
            torch.load(io.BytesIO(checkpoint(**changed)), weights_only=weights_only)


def test_cut_off() -> None:
    data = checkpoint()
    for at in range(0, data.rindex(b"Qu.") + 3, 100):
        with pytest.raises(CheckpointError):
            torch.load(io.BytesIO(data[:at]))
