"""map_location in all its forms, registered devices, byte orders, mapping, skipping, checksums."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError, places


def saved(value: Any) -> io.BytesIO:
    torch.save(value, file := io.BytesIO())
    file.seek(0)
    return file


def elsewhere(value: Any, place: bytes = b"cuda:0") -> io.BytesIO:
    """A file whose storages say that they were on another device."""
    file = saved(value)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(new := io.BytesIO(), "w") as archive:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("data.pkl"):
                length = bytes([len(place)])
                data = data.replace(b"X\x03\x00\x00\x00cpu", b"X" + length + b"\0\0\0" + place)
            archive.writestr(name, data)
    new.seek(0)
    return new


def test_devices_that_are_not_here() -> None:
    value = {"w": torch.ones(2), "x": torch.zeros(3)}
    with pytest.raises(CheckpointError, match=r"torch.cuda.is_available\(\) is False"):
        torch.load(elsewhere(value))
    with pytest.raises(CheckpointError, match="Attempting to deserialize"):
        torch.load(elsewhere(value, b"quantum"))
    with pytest.raises(RuntimeError, match="map_location='cpu'"):
        torch.load(elsewhere(value), map_location={"cuda:1": "cpu"})
    for good in (
        "cpu",
        torch.device("cpu"),
        {"cuda:0": "cpu"},
        {"cuda:0": torch.device("cpu")},
        lambda storage, location: storage,
        lambda storage, location: storage if location.startswith("cuda") else None,
    ):
        assert torch.load(elsewhere(value), map_location=good)["w"].tolist() == [1, 1]
    for meta in ("meta", torch.device("meta"), {"cuda:0": "meta"}):
        assert torch.load(elsewhere(value), map_location=meta)["w"].device.type == "meta"


def test_functions_may_give_other_storages() -> None:
    def copied(storage: Any, location: str) -> Any:
        return torch.UntypedStorage(np.full(storage.nbytes(), 0, np.uint8))

    assert torch.load(saved(torch.ones(2)), map_location=copied).tolist() == [0, 0]
    with pytest.raises(TypeError, match="returned no storage"):
        torch.load(saved(torch.ones(2)), map_location=lambda storage, location: 5)
    with pytest.raises(ValueError, match="too small"):
        torch.load(
            saved(torch.ones(2)), map_location=lambda storage, location: torch.UntypedStorage(4)
        )


def test_errors_of_the_function_come_out_unchanged() -> None:
    def fails(storage: Any, location: str) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        torch.load(saved(torch.ones(2)), map_location=fails)


def test_registered_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_packages", list(places._packages))
    storage = torch.ones(2).untyped_storage()
    assert torch.serialization.location_tag(storage) == "cpu"
    with pytest.raises(RuntimeError, match="don't know how to restore"):
        torch.serialization.default_restore_location(storage, "quantum")
    torch.serialization.register_package(
        30, lambda s: None, lambda s, where: s if where.startswith("quantum") else None
    )
    assert torch.serialization.default_restore_location(storage, "quantum") is storage
    assert torch.load(elsewhere(torch.ones(2), b"quantum:3")).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="cuda"):
        torch.serialization.validate_cuda_device("cuda:0")


def without_order(value: Any, swap: int) -> io.BytesIO:
    with zipfile.ZipFile(saved(value)) as old, zipfile.ZipFile(new := io.BytesIO(), "w") as archive:
        for name in old.namelist():
            data = old.read(name)
            if "/data/" in name:
                data = np.frombuffer(data, np.uint8).reshape(-1, swap)[:, ::-1].tobytes()
            if not name.endswith("byteorder"):
                archive.writestr(name, data)
    new.seek(0)
    return new


def test_byte_orders() -> None:
    options = torch.serialization
    assert options.get_default_load_endianness() is None
    value = torch.tensor([1, 256])
    assert torch.load(without_order(value, 1)).tolist() == [1, 256]
    options.set_default_load_endianness(options.LoadEndianness.BIG)
    try:
        assert torch.load(without_order(value, 8)).tolist() == [1, 256]
        options.set_default_load_endianness(options.LoadEndianness.NATIVE)
        assert torch.load(without_order(value, 1)).tolist() == [1, 256]
    finally:
        options.set_default_load_endianness(None)
    with pytest.raises(TypeError, match="Invalid argument type"):
        options.set_default_load_endianness("big")


@pytest.mark.skipif(sys.platform == "win32", reason="mapping options of POSIX")
def test_shared_mapping(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save(torch.zeros(3), path)
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True)[1] = 5
    assert torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    torch.serialization.set_crc32_options(False)
    try:
        assert torch.load(path).tolist() == [0, 5, 0]
    finally:
        torch.serialization.set_crc32_options(True)
    with pytest.raises(CheckpointError, match="checksum"):
        torch.load(path)
    with pytest.raises(ValueError, match="MAP_PRIVATE"):
        torch.serialization.set_default_mmap_options(77)


def test_mapping_needs_the_zip_format(tmp_path: Path) -> None:
    path = tmp_path / "old.pt"
    torch.save(torch.zeros(3), path, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used"):
        torch.load(path, mmap=True)


def test_mapped_tensors_are_saved_alone(tmp_path: Path) -> None:
    torch.save([torch.zeros(10_000), torch.ones(2)], tmp_path / "a.pt")
    small = torch.load(tmp_path / "a.pt", mmap=True)[1]
    torch.save(small, tmp_path / "b.pt")
    assert (tmp_path / "b.pt").stat().st_size < 5_000
    assert torch.load(tmp_path / "b.pt").tolist() == [1, 1]


def test_skipping_data() -> None:
    with torch.serialization.skip_data():
        file = saved({"w": torch.ones(3), "n": 1})
        assert torch.load(saved(torch.ones(2))).tolist() == [0, 0]
    assert torch.load(file)["w"].tolist() == [0, 0, 0]
    assert torch.load(saved(torch.ones(2))).tolist() == [1, 1]


def test_settings_of_utils_serialization(tmp_path: Path) -> None:
    from rushlight.utils.serialization import config

    torch.save(torch.ones(2), tmp_path / "a.pt")
    config.load.mmap = True
    try:
        assert isinstance(torch.load(tmp_path / "a.pt")._a.base.base.obj, mmap.mmap)
    finally:
        config.load.mmap = False
    config.save.storage_alignment = 4096
    try:
        torch.save(torch.ones(2), tmp_path / "b.pt")
    finally:
        config.save.storage_alignment = 64
    data = (tmp_path / "b.pt").read_bytes()
    assert data.index(np.ones(2, np.float32).tobytes()) % 4096 == 0


def test_streams_and_texts(tmp_path: Path) -> None:
    torch.save(1, tmp_path / "a.pt")
    with (
        open(tmp_path / "a.pt", encoding="latin-1") as file,
        pytest.raises(TypeError, match="binary mode"),
    ):
        torch.load(file)
    read, write = os.pipe()
    os.close(write)
    with os.fdopen(read, "rb") as pipe, pytest.raises(OSError, match="seekable"):
        torch.load(pipe)
    with open(tmp_path / "a.pt", "rb") as file:
        assert torch.load(file) == 1


class Minimal:
    """A file object with nothing but what it needs."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


@pytest.mark.parametrize("new", [True, False])
def test_the_least_of_file_objects(new: bool) -> None:
    torch.save({"w": torch.arange(9)}, file := io.BytesIO(), _use_new_zipfile_serialization=new)
    assert torch.load(Minimal(file.getvalue()))["w"].sum() == 36


def test_files_in_files() -> None:
    file = io.BytesIO(b"header" * 3)
    file.seek(18)
    torch.save({"w": torch.ones(3)}, file, _use_new_zipfile_serialization=False)
    file.seek(18)
    assert torch.load(file)["w"].tolist() == [1, 1, 1]


def test_the_one_error() -> None:
    for kind in (RuntimeError, pickle.UnpicklingError, CheckpointError):
        with pytest.raises(kind):
            torch.load(io.BytesIO(b"PK\x03\x04 and no more"))


def test_files_without_checksums(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.serialization.set_crc32_options(False)
    try:
        torch.save({"w": torch.arange(5)}, path)
    finally:
        torch.serialization.set_crc32_options(True)
    with zipfile.ZipFile(path) as archive:
        assert not any(info.CRC for info in archive.infolist())
    for mapped in (False, True):
        assert torch.load(path, mmap=mapped)["w"].tolist() == [0, 1, 2, 3, 4]
    torch.save({"w": torch.arange(5)}, path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None


def test_an_archive_behind_other_content() -> None:
    """Its places count from its own beginning, as PyTorch's reader wants it."""
    alone, behind = io.BytesIO(), io.BytesIO()
    torch.save(torch.arange(3), alone)
    behind.write(b"header")
    torch.save(torch.arange(3), behind)
    assert behind.getvalue() == b"header" + alone.getvalue()
    behind.seek(6)
    assert torch.load(behind).tolist() == [0, 1, 2]


class OnlyWritten:
    """A file object that may be written to, and nothing else."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: Any) -> int:
        self.data += data
        return len(data)

    def tell(self) -> int:
        raise AssertionError("nobody asks where a stream stands")


def test_save_only_writes() -> None:
    stream = OnlyWritten()
    torch.save(torch.arange(3), stream)  # type: ignore[arg-type]
    assert torch.load(io.BytesIO(bytes(stream.data))).tolist() == [0, 1, 2]


def test_large_archives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into the first format's fields stands in those of zip64."""
    from rushlight.serialization import archive

    monkeypatch.setattr(archive, "_LIMIT", 100)
    monkeypatch.setattr(archive, "_MANY", 2)
    file = io.BytesIO()
    writer = archive.Writer(file, "a")
    contents = {"data.pkl": b"x" * 3, "\u00e9": b"y" * 150, "data/0": b"z" * 99}
    for name, data in contents.items():
        writer.write(name, data)
    writer.close()
    with zipfile.ZipFile(file) as read:
        assert {n: read.read(n) for n in read.namelist()} == {
            f"a/{name}": data for name, data in contents.items()
        }
    reader = archive.Reader(file)
    assert all(reader.read(name) == data for name, data in contents.items())


def test_the_environment_says_what_may_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pt"
    torch.save(torch.nn.Linear(2, 3), path)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    for asked in (None, True, False):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(path, weights_only=asked)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "yes")
    with pytest.raises(RuntimeError, match="Only one of"):
        torch.load(path)
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert isinstance(torch.load(path), torch.nn.Linear)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(path, weights_only=True)


def test_modules_that_run_commands_are_blocked() -> None:
    for allowed in ([], [os.execv]):
        with (
            torch.serialization.safe_globals(allowed),
            pytest.raises(
                pickle.UnpicklingError, match=r"unsupported GLOBAL posix.execv whose .* is blocked"
            ),
        ):
            torch.load(saved(os.execv))


def test_space_for_tensors_without_data() -> None:
    from rushlight._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        model = torch.nn.Linear(3, 2)
        wide = torch.empty(4, dtype=torch.complex32)
        state = {**model.state_dict(), "wide": wide, "again": wide.view(2, 2)}
    file = io.BytesIO()
    with torch.serialization.skip_data(materialize_fake_tensors=True):
        torch.save(state, file)
    file.seek(0)
    found = torch.load(file)
    assert found["weight"].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found["wide"].dtype is torch.complex32
    assert found["again"].shape == (2, 2)
    assert found["again"].data_ptr() == found["wide"].data_ptr()
    with pytest.raises(AttributeError, match="materialize_fake_tensors=True"):
        torch.save(wide, io.BytesIO())
