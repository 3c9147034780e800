"""save and load among ourselves: what goes in comes out, sharing and all."""

from __future__ import annotations

import collections
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import dtypes
from rushlight.serialization import CheckpointError


def through_file(value: Any, **options: Any) -> Any:
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=repr)
def test_every_dtype(dtype: Any) -> None:
    t = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    back = through_file(t)
    assert back.dtype is dtype
    assert back.shape == (2, 3)
    assert back.view(torch.uint8).tolist() == t.view(torch.uint8).tolist()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 4)])
def test_scalar_and_empty_shapes(shape: tuple[int, ...]) -> None:
    t = torch.ones(shape)
    back = through_file(t)
    assert back.shape == shape
    assert back.tolist() == t.tolist()


def test_strides_offset_and_sharing_survive() -> None:
    base = torch.arange(24.0).reshape(2, 3, 4)
    saved = {"base": base, "t": base.transpose(0, 2), "row": base[1, 2], "step": base[:, ::2]}
    back = through_file(saved)
    for key, t in saved.items():
        assert back[key].tolist() == t.tolist()
        assert back[key].stride() == t.stride()
        assert back[key].storage_offset() == t.storage_offset()
    back["base"][1, 2, 3] = -1
    assert back["row"][3] == -1
    assert back["t"][3, 2, 1] == -1


def test_expanded_and_overlapping_views() -> None:
    t = torch.arange(3.0).expand(4, 3)
    back = through_file(t)
    assert back.stride() == (0, 1)
    assert back.tolist() == t.tolist()


def test_shared_storage_is_written_once(tmp_path: Path) -> None:
    base = torch.zeros(10_000)
    torch.save([base, base[10:], base.view(100, 100)], tmp_path / "a.pt")
    assert (tmp_path / "a.pt").stat().st_size < 45_000
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        assert [n for n in archive.namelist() if "/data/" in n] == ["a/data/0"]


def test_the_same_tensor_twice_is_one_object() -> None:
    t = torch.ones(2)
    a, b = through_file([t, t])
    assert a is b


def test_foreign_memory(rng: np.random.Generator) -> None:
    whole = rng.standard_normal((4, 6))
    for array in (whole[1:, ::2], whole.T, whole[:, 3], np.asfortranarray(whole)):
        t = torch.from_numpy(array)
        assert through_file(t).tolist() == array.tolist()


def test_one_storage_seen_as_two_dtypes_is_refused() -> None:
    t = torch.zeros(4)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        through_file([t, t.view(torch.int32)])


def test_requires_grad_parameters_and_attributes() -> None:
    leaf = torch.ones(2, requires_grad=True)
    leaf.note = "kept"
    weight = torch.nn.Parameter(torch.zeros(3), requires_grad=False)
    back = through_file({"leaf": leaf, "weight": weight, "non_leaf": leaf * 2})
    assert back["leaf"].requires_grad
    assert back["leaf"].is_leaf
    assert back["leaf"].note == "kept"
    assert isinstance(back["weight"], torch.nn.Parameter)
    assert not back["weight"].requires_grad
    assert back["non_leaf"].is_leaf


def test_nested_plain_values() -> None:
    value = {
        "numbers": [1, -(2**70), 2.5, float("inf"), 1 + 2j, True, None],
        "text": "über",
        "bytes": b"\x00\xff",
        "no bytes": b"",
        "array": bytearray(b"abc"),
        "tuple": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "sets": {1, 2},
        "frozen": frozenset({"a"}),
        "ordered": collections.OrderedDict(b=1, a=2),
        "counter": collections.Counter("aab"),
        "default": collections.defaultdict(list, k=[1]),
        "size": torch.Size([2, 3]),
        "dtype": torch.bfloat16,
        "device": torch.device("cpu"),
        "range": range(1, 9, 2),
        "slice": slice(None, 3),
        (1, "key"): -1,
        "long list": list(range(3000)),
    }
    back = through_file(value)
    assert back == value
    assert [type(v) for v in back.values()] == [type(v) for v in value.values()]
    assert back["dtype"] is torch.bfloat16


def test_recursive_lists() -> None:
    value: list[Any] = [1]
    value.append(value)
    back = through_file(value)
    assert back[1] is back


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickle_protocols(protocol: int, tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2), "b": {1}}, tmp_path / "p.pt", pickle_protocol=protocol)
    back = torch.load(tmp_path / "p.pt")
    assert back["a"].tolist() == [1, 1]
    assert back["b"] == {1}


def test_numpy_values() -> None:
    value = {
        "array": np.arange(6, dtype=np.float32).reshape(2, 3),
        "number": np.float64(2.5),
        "text": np.array(["ab", "c"]),
        "dtype": np.dtype("int16"),
    }
    back = through_file(value)
    assert back["array"].tolist() == value["array"].tolist()
    assert back["array"].dtype == np.float32
    assert back["number"] == 2.5
    assert isinstance(back["number"], np.float64)
    assert back["text"].tolist() == ["ab", "c"]
    assert back["dtype"] == np.int16


def test_module_and_optimizer_state(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    torch.save({"m": model.state_dict(), "o": optimizer.state_dict()}, tmp_path / "c.pt")
    state = torch.load(tmp_path / "c.pt")
    again = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    again.load_state_dict(state["m"])
    other = torch.optim.SGD(again.parameters(), lr=0.5)
    other.load_state_dict(state["o"])
    for p, q in zip(model.parameters(), again.parameters(), strict=True):
        assert p.tolist() == q.tolist()
    assert other.param_groups[0]["lr"] == 0.1
    assert len(other.state) == 4


def test_a_whole_module_needs_weights_only_false(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    torch.save(model, tmp_path / "whole.pt")
    with pytest.raises(CheckpointError, match="weights_only=False"):
        torch.load(tmp_path / "whole.pt")
    back = torch.load(tmp_path / "whole.pt", weights_only=False)
    x = torch.ones(1, 3)
    assert back(x).tolist() == model(x).tolist()


class Own:
    def __init__(self, value: int) -> None:
        self.value = value


def test_own_classes_must_be_allowed() -> None:
    with pytest.raises(CheckpointError, match="add_safe_globals"):
        through_file(Own(3))
    assert through_file(Own(3), weights_only=False).value == 3
    with torch.serialization.safe_globals([Own]):
        assert through_file(Own(3)).value == 3
    assert torch.serialization.get_safe_globals() == []
    torch.serialization.add_safe_globals([(Own, f"{Own.__module__}.Own")])
    try:
        assert through_file(Own(4)).value == 4
    finally:
        torch.serialization.clear_safe_globals()


def test_unsafe_names_can_be_listed_without_loading(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(1), "b": Own(1)}, tmp_path / "own.pt")
    names = torch.serialization.get_unsafe_globals_in_checkpoint(tmp_path / "own.pt")
    assert names == [f"{Own.__module__}.Own"]


def test_meta_tensors() -> None:
    back = through_file(torch.empty(2, 3, device="meta"))
    assert back.device.type == "meta"
    assert back.shape == (2, 3)


@pytest.mark.parametrize(
    "location", ["cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage]
)
def test_map_location_forms(location: Any) -> None:
    assert through_file(torch.ones(2), map_location=location).tolist() == [1, 1]


def test_map_location_meta() -> None:
    back = through_file({"w": torch.ones(2, 3).t()}, map_location="meta")["w"]
    assert back.device.type == "meta"
    assert back.shape == (3, 2)
    assert back.stride() == (1, 3)


def test_map_location_function_sees_storage_and_place() -> None:
    seen = []

    def place(storage: Any, location: str) -> Any:
        seen.append((storage.nbytes(), location))

    through_file([torch.ones(2), torch.ones(3)], map_location=place)
    assert seen == [(8, "cpu"), (12, "cpu")]


def test_map_location_of_missing_hardware() -> None:
    with pytest.raises(RuntimeError, match="not available"):
        through_file(torch.ones(1), map_location="cuda")
    with pytest.raises(TypeError, match="map_location"):
        through_file(torch.ones(1), map_location=3)


def test_mmap(tmp_path: Path) -> None:
    torch.save({"a": torch.arange(1000), "e": torch.empty(0)}, tmp_path / "big.pt")
    back = torch.load(tmp_path / "big.pt", mmap=True)
    assert back["a"].sum() == 499500
    back["a"][0] = 7  # copy on write: the file keeps its content
    assert torch.load(tmp_path / "big.pt")["a"][0] == 0
    with pytest.raises(ValueError, match="mmap"):
        torch.load(io.BytesIO(), mmap=True)


def test_legacy_format(tmp_path: Path) -> None:
    base = torch.arange(6.0)
    value = {"a": base, "b": base[2:], "n": 3}
    path = tmp_path / "old.pt"
    torch.save(value, path, _use_new_zipfile_serialization=False)
    assert not zipfile.is_zipfile(path)
    back = torch.load(path)
    assert back["b"].tolist() == [2, 3, 4, 5]
    back["a"][2] = -1
    assert back["b"][0] == -1
    for cut in (10, 60, 150, os.path.getsize(path) - 3):
        with pytest.raises(CheckpointError):
            torch.load(io.BytesIO(path.read_bytes()[:cut]))


def test_file_objects_at_an_offset() -> None:
    file = io.BytesIO(b"header")
    file.seek(6)
    torch.save(torch.ones(2), file)
    file.seek(6)
    assert torch.load(file).tolist() == [1, 1]


def test_streams_that_cannot_seek() -> None:
    class Stream(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, b: Any) -> int:
            self.data += b
            return len(b)

    stream = Stream()
    torch.save(torch.arange(5), stream)
    assert torch.load(io.BytesIO(bytes(stream.data))).tolist() == [0, 1, 2, 3, 4]


def test_records_are_aligned_and_the_bytes_repeatable(tmp_path: Path) -> None:
    value = {"a": torch.ones(3), "b": torch.zeros(100), "c": torch.ones(1)}
    torch.save(value, tmp_path / "a.pt")
    data = (tmp_path / "a.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        for info in archive.infolist():
            if "/data/" not in info.filename:
                continue
            header = data[info.header_offset : info.header_offset + 30]
            name, extra = int.from_bytes(header[26:28], "little"), header[28:30]
            begin = info.header_offset + 30 + name + int.from_bytes(extra, "little")
            assert begin % 64 == 0
    torch.save(value, tmp_path / "a.pt")
    assert (tmp_path / "a.pt").read_bytes() == data


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="write"):
        torch.save(1, 3)
    with pytest.raises(AttributeError, match="seek"):
        torch.load(3)
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "missing.pt")
    with pytest.raises(FileNotFoundError, match="Parent directory"):
        torch.save(1, tmp_path / "no" / "folder.pt")
    with pytest.raises(TypeError, match="unexpected"):
        torch.load(io.BytesIO(b"PK"), nonsense=1)
    with pytest.raises(RuntimeError, match="pickle_module"):
        torch.load(io.BytesIO(b"PK"), pickle_module=os)


def test_a_compressed_file(tmp_path):
    import gzip

    for new in (True, False):
        held = io.BytesIO()
        torch.save({"x": torch.arange(5)}, held, _use_new_zipfile_serialization=new)
        (tmp_path / "t.gz").write_bytes(gzip.compress(held.getvalue()))
        with gzip.open(tmp_path / "t.gz", "rb") as f:
            assert torch.load(f)["x"].tolist() == [0, 1, 2, 3, 4]


def test_a_file_that_is_open_has_all_that_was_saved(tmp_path):
    with open(tmp_path / "t.pt", "wb") as f:
        torch.save(torch.arange(5), f)
        assert torch.load(str(tmp_path / "t.pt")).tolist() == [0, 1, 2, 3, 4]


def test_texts_of_python_2_as_bytes(tmp_path):
    name = str(tmp_path / "t.pt")
    torch.save(["a", torch.arange(3)], name, _use_new_zipfile_serialization=False)
    text, numbers = torch.load(name, encoding="bytes")
    assert numbers.tolist() == [0, 1, 2]
    assert text in ("a", b"a")


def test_archives_of_records(tmp_path):
    from rushlight import serialization

    for target in (str(tmp_path / "r.zip"), io.BytesIO()):
        with serialization._open_zipfile_writer(target) as archive:
            archive.write_record("a/b", b"1234", 3)
        if hasattr(target, "seek"):
            target.seek(0)
            assert serialization._is_zipfile(target)
            assert target.tell() == 0
        with serialization._open_zipfile_reader(target) as archive:
            assert archive.get_record("a/b") == b"123"
            assert archive.get_all_records() == ["a/b"]
            assert archive.has_record("a/b")
            with pytest.raises(RuntimeError, match="failed locating file c"):
                archive.get_record("c")
    assert not serialization._is_zipfile(io.BytesIO(b"PK\5\6"))
    assert torch.PyTorchFileReader is serialization.zipfiles.PyTorchFileReader


def test_a_storage_that_looks_at_a_part_of_another():
    """The old format's windows, as PyTorch 0.3 wrote them."""
    whole = torch.arange(4, dtype=torch.uint8).untyped_storage()
    from rushlight.array_memory import alone
    from rushlight.serialization.blocks import Block, StorageKind

    part = Block(alone(whole.bytes()[1:3]), StorageKind(torch.uint8))
    assert part.tolist() == [1, 2]
    assert part.data_ptr() == whole.data_ptr() + 1
