"""Malformed, truncated and hostile files: one clear error, nothing executed, nothing allocated."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import random
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError


def archive(pickled: bytes, records: dict[str, bytes] | None = None) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("x/data.pkl", pickled)
        z.writestr("x/version", "3\n")
        for name, data in (records or {}).items():
            z.writestr(f"x/{name}", data)
    file.seek(0)
    return file


def refused(pickled: bytes, records: dict[str, bytes] | None = None, match: str = "") -> None:
    for weights_only in (True, False):
        with pytest.raises(CheckpointError, match=match or "corrupt checkpoint"):
            torch.load(archive(pickled, records), weights_only=weights_only)


class Executes:
    def __init__(self, function: Any, *args: Any) -> None:
        self.call = (function, args)

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    "payload",
    [
        Executes(os.system, "echo executed >&2; exit 1"),
        Executes(eval, "1/0"),
        Executes(getattr, [], "append"),
        Executes(print, "executed"),
        Executes(open, "executed.txt", "w"),
    ],
)
@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_nothing_is_called(payload: Any, protocol: int, capfd: pytest.CaptureFixture[str]) -> None:
    refused(
        pickle.dumps({"w": payload}, protocol),
        match=r"Unsupported global|is blocked|asks for an attribute",
    )
    assert "executed" not in "".join(capfd.readouterr())


def test_the_error_is_of_both_classes() -> None:
    for kind in (RuntimeError, pickle.UnpicklingError):
        with pytest.raises(kind, match="Weights only load failed"):
            torch.load(archive(pickle.dumps(Executes(print))))


@pytest.mark.parametrize(
    "code",
    [
        b"",  # empty
        b"\x80\x02",  # no STOP
        b"\x80\x02.",  # nothing on the stack
        b"\x80\x09N.",  # protocol 9
        b"\x80\x02(N.",  # an open mark
        b"\x80\x02NN.",  # two results
        b"\x80\x02t.",  # a tuple without a mark
        b"\x80\x02h\x05.",  # an unknown memo
        b"\x80\x02\x86.",  # a pair from an empty stack
        b"\x80\x02X\xff\xff\xff\x7fab.",  # a string of 2 GB
        b"\x80\x02\x8d" + b"\xff" * 8 + b".",  # a string of 2**64 bytes
        b"\x80\x02\x8b\xff\xff\xff\x7f.",  # an int of 2 GB
        b"\x80\x02\x96" + struct.pack("<Q", 2**40) + b".",  # a bytearray of 1 TB
        b"\x80\x02\x8b\xff\xff\xff\xff.",  # an int of -1 bytes
        b"\x80\x02}K\x01.",  # something below the top
        b"\x80\x02NK\x01a.",  # append to None
        b"\x80\x02N(K\x01e.",  # extend None
        b"\x80\x02}(K\x01u.",  # a key without a value
        b"\x80\x02}]K\x01s.",  # a list as a key
        b"\x80\x02NK\x01K\x02s.",  # an item of None
        b"\x80\x02K\x01)R.",  # call of an int
        b"\x80\x02K\x01}b.",  # state of an int
        b"\x80\x02ctorch\nfloat32\n)R.",  # call of what is data only
        b"\x80\x02ctorch\nFloatStorage\n)R.",
        b"\x80\x02ctorch\nTensor\n)R.",
        b"\x80\x02ctorch\nTensor\n)\x81.",
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",  # missing arguments
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(NK\x00))\x89NtR.",  # no storage
        b"\x80\x02cbuiltins\nbytearray\n\x8a\x06\x00\x00\x00\x00\x00\x10\x85R.",  # 2**44 zeros
        b"\x80\x02ctorch\nSize\nK\x05\x85R.",
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00zip\x86R.",
        b"\x80\x02cnumpy\ndtype\nX\x01\x00\x00\x00O\x85R.",  # objects
        b"\x80\x02ccollections\nOrderedDict\n)RX\x01\x00\x00\x00ab.",  # a state that is text
        b"\x80\x02ccollections\ndefaultdict\nctorch\ndevice\n\x85R.",
        b"\x80\x02K\x01Q.",  # a persistent id that is a number
        b"\x80\x02X\x01\x00\x00\x00a\x85Q.",
        b"\x80\x02Pname\n.",  # a textual persistent id: not an instruction here
        b"\x80\x02\x82\x01.",  # the extension registry
        b"\x80\x02(cos\nsystem\n",
        b"\x80\x02i__main__\nX\n.",  # INST
    ],
)
def test_malformed_pickles(code: bytes) -> None:
    refused(code, match="load: ")


@pytest.mark.slow
def test_deep_tuples_as_keys_do_not_end_the_process() -> None:
    deep = b"\x85" * 200_000
    refused(b"\x80\x02}K\x01" + deep + b"Ns.", match="nested too deeply")
    refused(b"\x80\x02\x8f(K\x01" + deep + b"\x90.", match="nested too deeply")
    nested = torch.load(archive(b"\x80\x02K\x01" + deep + b"."))
    assert isinstance(nested, tuple)


def storage_id(
    key: str = "0", numel: int = 4, kind: str = "FloatStorage", place: str = "cpu"
) -> bytes:
    def text(value: str) -> bytes:
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    number = b"\x8a\x08" + struct.pack("<q", numel)
    return (
        b"("
        + text("storage")
        + f"ctorch\n{kind}\n".encode()
        + text(key)
        + text(place)
        + number
        + b"tQ"
    )


def tensor(offset: int, size: tuple[int, ...], stride: tuple[int, ...], storage: bytes) -> bytes:
    def ints(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(b"\x8a\x08" + struct.pack("<q", v) for v in values) + b"t"

    args = storage + b"\x8a\x08" + struct.pack("<q", offset) + ints(size) + ints(stride)
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + args + b"\x89}tR."


DATA = {"data/0": struct.pack("<4f", 1, 2, 3, 4)}


def test_the_hand_made_tensor_is_read() -> None:
    assert torch.load(archive(tensor(1, (3,), (1,), storage_id()), DATA)).tolist() == [2, 3, 4]


def test_integers_require_no_gradient() -> None:
    code = tensor(0, (2,), (1,), storage_id(kind="IntStorage")).replace(b"\x89}tR.", b"\x88}tR.")
    refused(code, DATA)


@pytest.mark.parametrize(
    ("offset", "size", "stride"),
    [
        (0, (5,), (1,)),
        (2, (3,), (1,)),
        (0, (2, 3), (1, 2)),
        (-1, (2,), (1,)),
        (0, (2,), (-1,)),
        (0, (-2,), (1,)),
        (4, (1,), (1,)),
        (0, (2,), (2**61,)),
        (2**62, (1,), (1,)),
        (0, (2**40, 2**40), (0, 0)),
        (0, (1,) * 70, (1,) * 70),
        (0, (2, 2), (1,)),
    ],
)
def test_tensors_that_leave_their_storage(
    offset: int, size: tuple[int, ...], stride: tuple[int, ...]
) -> None:
    refused(tensor(offset, size, stride, storage_id()), DATA)


@pytest.mark.parametrize(
    "storage",
    [
        storage_id(numel=5),
        storage_id(numel=2**60),
        storage_id(numel=-1),
        storage_id(key="7"),
        storage_id(key="../../etc/passwd"),
        storage_id(kind="DoubleStorage"),
        storage_id(kind="float32"),
    ],
)
def test_storages_that_are_not_there(storage: bytes) -> None:
    refused(tensor(0, (1,), (1,), storage), DATA)


def test_a_storage_on_missing_hardware() -> None:
    file = archive(tensor(0, (4,), (1,), storage_id(place="cuda:0")), DATA)
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        torch.load(file)
    file.seek(0)
    assert torch.load(file, map_location="cpu").tolist() == [1, 2, 3, 4]
    file.seek(0)
    assert torch.load(file, map_location={"cuda:0": "cpu"}).tolist() == [1, 2, 3, 4]


def test_archives_that_are_not_whole(tmp_path: Path) -> None:
    torch.save({"w": torch.arange(100.0)}, tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    for cut in [*range(0, 60), *range(60, len(data), 97)]:
        with pytest.raises(CheckpointError):
            torch.load(io.BytesIO(data[:cut]))


def test_random_damage_is_noticed_or_harmless(tmp_path: Path) -> None:
    torch.save({"w": torch.arange(20.0), "n": [1, "a", None]}, tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    for _ in range(400):
        broken = bytearray(data)
        for _ in range(random.randrange(1, 4)):
            broken[random.randrange(len(broken))] = random.randrange(256)
        with contextlib.suppress(RuntimeError):  # also the error about missing hardware
            torch.load(io.BytesIO(bytes(broken)))


def test_random_pickles_raise_one_error() -> None:
    torch.save({"w": torch.arange(3.0), "n": [1, "a", None]}, file := io.BytesIO())
    with zipfile.ZipFile(file) as z:
        pickled = z.read("archive/data.pkl")
        data = {"data/0": z.read("archive/data/0")}
    for _ in range(1500):
        broken = bytearray(pickled)
        for _ in range(random.randrange(1, 5)):
            broken[random.randrange(len(broken))] = random.randrange(256)
        with contextlib.suppress(RuntimeError):
            torch.load(archive(bytes(broken), data), weights_only=random.random() < 0.5)


def test_a_wrong_checksum() -> None:
    file = archive(tensor(0, (4,), (1,), storage_id()), DATA)
    data = file.getvalue().replace(DATA["data/0"], struct.pack("<4f", 1, 2, 3, 5))
    with pytest.raises(CheckpointError, match="checksum"):
        torch.load(io.BytesIO(data))


def test_overlapping_records_do_not_multiply_the_file() -> None:
    """One record of 10 kB under 500 names would be read 500 times."""
    file = io.BytesIO()
    body = bytes(10_000)
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("x/data/0", body)
        info = z.getinfo("x/data/0")
        for i in range(1, 500):
            twin = zipfile.ZipInfo(f"x/data/{i}")
            twin.file_size = twin.compress_size = len(body)
            twin.CRC, twin.header_offset = zlib.crc32(body), info.header_offset
            z.filelist.append(twin)
            z.NameToInfo[twin.filename] = twin
        one = [tensor(0, (2500,), (1,), storage_id(str(i), 2500))[2:-1] for i in range(500)]
        z.writestr("x/data.pkl", b"\x80\x02(" + b"".join(one) + b"l.")
    file.seek(0)
    with pytest.raises(CheckpointError, match=r"overlap|another name"):
        torch.load(file)


def test_compressed_and_foreign_archives() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("x/data.pkl", b"\x80\x02N." + bytes(10_000))
    with pytest.raises(CheckpointError, match="compressed"):
        torch.load(io.BytesIO(file.getvalue()))
    with zipfile.ZipFile(file := io.BytesIO(), "w") as z:
        z.writestr("word/document.xml", "")
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        torch.load(io.BytesIO(file.getvalue()))
    with zipfile.ZipFile(file := io.BytesIO(), "w") as z:
        z.writestr("x/data.pkl", b"\x80\x02N.")
        z.writestr("x/constants.pkl", b"")
    with pytest.raises(CheckpointError, match="TorchScript"):
        torch.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "empty"),
        (b"hello, world", "not a checkpoint"),
        (b"\x80\x02K\x01.", "magic number"),
        (bytes(257) + b"ustar" + bytes(10), "tar archive is"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "Ran out of input"),
    ],
)
def test_files_that_are_no_checkpoints(data: bytes, match: str) -> None:
    with pytest.raises(CheckpointError, match=match):
        torch.load(io.BytesIO(data))


def test_legacy_storages_larger_than_the_file() -> None:
    head = b"".join(pickle.dumps(v, 2) for v in (0x1950A86A20F9469CFC6C, 1001, {}))
    saved_id = storage_id(numel=2**50)[:-2] + b"NtQ"
    body = tensor(0, (1,), (1,), saved_id)
    with pytest.raises(CheckpointError, match="larger than the file"):
        torch.load(io.BytesIO(head + body))
