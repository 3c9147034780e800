"""Files go both ways between this library and PyTorch."""

from __future__ import annotations

import io
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import dtypes

torch = pytest.importorskip("torch")

ROUND_TRIP_DTYPES = [d.name for d in dtypes.ALL]


def raw(t: Any) -> bytes:
    """The elements of a tensor of either library as bytes."""
    lib = torch if isinstance(t, torch.Tensor) else rushlight
    return t.contiguous().view(lib.uint8).numpy().tobytes()


def values(lib: Any) -> dict[str, Any]:
    """The same content built with either library."""
    base = lib.arange(24, dtype=lib.float32).reshape(2, 3, 4)
    weight = lib.nn.Parameter(lib.ones(2, 3))
    noted = lib.ones(2)
    noted.note = "kept"
    return {
        "base": base,
        "row": base[1, 2],
        "t": base.transpose(0, 2),
        "step": base[:, ::2],
        "wide": lib.arange(3).expand(2, 3),
        "scalar": lib.tensor(2.5),
        "empty": lib.empty(0, 3),
        "weight": weight,
        "leaf": lib.zeros(2, requires_grad=True),
        "noted": noted,
        "plain": [1, 2.5, "text", None, True, (1, (2,)), {"k": b"\x00\xff"}, {1, 2}, 2**80],
        "ordered": OrderedDict([("b", 1), ("a", lib.tensor([1, 2]))]),
        "dtype": lib.bfloat16,
        "device": lib.device("cpu"),
        "size": lib.Size([2, 3]),
        "meta": lib.empty(2, 3, device="meta"),
    }


def check(back: dict[str, Any], other: Any) -> None:
    wanted = values(other)
    assert list(back) == list(wanted)
    for key, value in wanted.items():
        if isinstance(value, other.Tensor):
            assert tuple(back[key].shape) == tuple(value.shape)
            assert tuple(back[key].stride()) == tuple(value.stride())
            assert back[key].dtype is value.dtype
            assert back[key].requires_grad == value.requires_grad
            if key != "meta":
                assert back[key].tolist() == value.tolist()
    assert isinstance(back["weight"], other.nn.Parameter)
    assert back["noted"].note == "kept"
    assert back["plain"] == wanted["plain"]
    assert back["dtype"] is other.bfloat16
    assert back["device"] == other.device("cpu")
    assert back["size"] == (2, 3)
    back["base"][1, 2, 3] = -1
    assert back["row"][3] == -1
    assert back["t"][3, 2, 1] == -1


@pytest.mark.parametrize("new", [True, False])
def test_pytorch_reads_ours(tmp_path: Path, new: bool) -> None:
    rushlight.save(values(rushlight), tmp_path / "a.pt", _use_new_zipfile_serialization=new)
    check(torch.load(tmp_path / "a.pt", weights_only=True), torch)


@pytest.mark.parametrize("new", [True, False])
def test_we_read_pytorchs(tmp_path: Path, new: bool) -> None:
    torch.save(values(torch), tmp_path / "a.pt", _use_new_zipfile_serialization=new)
    check(rushlight.load(tmp_path / "a.pt"), rushlight)


def test_mmap_both_ways(tmp_path: Path) -> None:
    rushlight.save({"w": rushlight.arange(1000.0)}, tmp_path / "a.pt")
    assert torch.load(tmp_path / "a.pt", mmap=True)["w"].sum() == 499500
    torch.save({"w": torch.arange(1000.0)}, tmp_path / "b.pt")
    assert rushlight.load(tmp_path / "b.pt", mmap=True)["w"].sum() == 499500


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")  # PyTorch's, once
@pytest.mark.parametrize("name", ROUND_TRIP_DTYPES)
def test_every_dtype_both_ways(name: str) -> None:
    numbers = [[0, 1, 2], [3, 5, 7]]
    ours = rushlight.tensor(numbers).to(getattr(rushlight, name))
    theirs = torch.tensor(numbers).to(getattr(torch, name))
    rushlight.save(ours, file := io.BytesIO())
    file.seek(0)
    back = torch.load(file, weights_only=True)
    assert back.dtype is theirs.dtype
    assert raw(back) == raw(theirs)
    torch.save(theirs, file := io.BytesIO())
    file.seek(0)
    got = rushlight.load(file)
    assert got.dtype is ours.dtype
    assert raw(got) == raw(ours)


def test_conjugated_and_negated_views() -> None:
    z = torch.tensor([1 + 2j, 3 - 1j])
    for view in (z.conj(), z.conj().imag):
        torch.save(view, file := io.BytesIO())
        file.seek(0)
        assert rushlight.load(file).tolist() == view.tolist()


def small(lib: Any) -> Any:
    return lib.nn.Sequential(
        lib.nn.Conv2d(1, 4, 3), lib.nn.BatchNorm2d(4), lib.nn.Flatten(), lib.nn.Linear(64, 3)
    )


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_training_state_both_ways(tmp_path: Path, optimizer: str) -> None:
    def trained(lib: Any) -> tuple[Any, Any]:
        lib.manual_seed(0)
        model = small(lib)
        options = {"momentum": 0.9} if optimizer == "SGD" else {}
        steps = getattr(lib.optim, optimizer)(model.parameters(), lr=0.1, **options)
        model(lib.ones(2, 1, 6, 6)).square().mean().backward()
        steps.step()
        return model, steps

    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model, steps = trained(writer)
        state = {"model": model.state_dict(), "optimizer": steps.state_dict()}
        writer.save(state, tmp_path / "c.pt")
        back = reader.load(tmp_path / "c.pt")
        fresh, fresh_steps = trained(reader)
        fresh.load_state_dict(back["model"])
        fresh_steps.load_state_dict(back["optimizer"])
        for (name, a), b in zip(
            model.state_dict().items(), fresh.state_dict().values(), strict=True
        ):
            assert a.tolist() == b.tolist(), name
        x = np.linspace(-1, 1, 72, dtype=np.float32).reshape(2, 1, 6, 6)
        y = model.eval()(writer.from_numpy(x)).tolist()
        z = fresh.eval()(reader.from_numpy(x)).tolist()
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-6)


def test_whole_modules_both_ways(tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 72, dtype=np.float32).reshape(2, 1, 6, 6)
    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model = small(writer).eval()
        writer.save(model, tmp_path / "whole.pt")
        back = reader.load(tmp_path / "whole.pt", weights_only=False)
        assert isinstance(back[3], reader.nn.Linear)
        y, z = model(writer.from_numpy(x)).tolist(), back(reader.from_numpy(x)).tolist()
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-6)


def test_the_archive_has_pytorchs_records(tmp_path: Path) -> None:
    import zipfile

    def records(lib: Any) -> dict[str, bytes]:
        lib.save({"a": lib.ones(3), "b": lib.zeros(2)}, tmp_path / "a.pt")
        with zipfile.ZipFile(tmp_path / "a.pt") as z:
            return {name: z.read(name) for name in z.namelist()}

    ours, theirs = records(rushlight), records(torch)
    assert list(ours) == list(theirs)
    own = ("a/.data/serialization_id",)
    assert {k: v for k, v in ours.items() if k not in own} == {
        k: v for k, v in theirs.items() if k not in own
    }


class Sub(torch.Tensor):
    """A subclass of PyTorch's tensors."""


class Ours(rushlight.Tensor):
    """A subclass of ours."""


def test_values_of_numpy_and_python(tmp_path: Path) -> None:
    import argparse
    import collections
    import datetime
    import pathlib

    value = {
        "array": np.arange(6.0).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "text": np.array(["ab", "c"]),
        "time": np.array(["2020-01-01"], "datetime64[s]"),
        "bool": np.bool_(True),
        "number": np.float32(2.5),
        "empty": np.empty((0, 2), np.int8),
        "dtype": np.dtype("float64"),
        "random": np.random.RandomState(0).get_state(),
        "namespace": argparse.Namespace(lr=0.1, path=pathlib.Path("/a")),
        "default": collections.defaultdict(list, a=[1]),
        "deque": collections.deque([1, 2]),
        "date": datetime.datetime(2020, 1, 2, 3, 4, 5),
        "range": range(3),
        "frozen": frozenset([1]),
    }
    for writer, reader in ((rushlight, torch), (torch, rushlight), (rushlight, rushlight)):
        for protocol in (2, 4, 5):
            writer.save(value, tmp_path / "a.pt", pickle_protocol=protocol)
            back = reader.load(tmp_path / "a.pt", weights_only=False)
            for key, wanted in value.items():
                assert type(back[key]) is type(wanted), key
                np.testing.assert_equal(back[key], wanted)
                if isinstance(wanted, np.ndarray):
                    assert back[key].dtype.newbyteorder("=") == wanted.dtype.newbyteorder("=")
                    assert back[key].flags.f_contiguous == wanted.flags.f_contiguous


def test_subclasses_of_tensors() -> None:
    for lib, cls in ((torch, Sub), (rushlight, Ours)):
        t = lib.ones(2).as_subclass(cls)
        t.note = "kept"
        lib.save(t, file := io.BytesIO())
        other = rushlight if lib is torch else torch
        with lib.serialization.safe_globals([cls]):
            file.seek(0)
            back = lib.load(file)
        assert type(back) is cls
        assert back.note == "kept"
        file.seek(0)
        pair = (Ours if lib is torch else Sub, f"{cls.__module__}.{cls.__name__}")
        with other.serialization.safe_globals([pair]):
            back = other.load(file)
        assert type(back) is pair[0]
        assert back.tolist() == [1, 1]


def test_whole_modules_in_the_old_format(tmp_path: Path) -> None:
    """PyTorch stores the source of each class beside it; nobody looks at it."""
    x = np.linspace(-1, 1, 72, dtype=np.float32).reshape(2, 1, 6, 6)
    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model = small(writer).eval()
        writer.save(model, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
        back = reader.load(tmp_path / "old.pt", weights_only=False)
        y, z = model(writer.from_numpy(x)).tolist(), back(reader.from_numpy(x)).tolist()
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-6)


def test_files_without_checksums(tmp_path: Path) -> None:
    before = torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(False)
    try:
        torch.save({"w": torch.arange(5)}, tmp_path / "a.pt")
    finally:
        torch.serialization.set_crc32_options(before)
    assert rushlight.load(tmp_path / "a.pt")["w"].tolist() == [0, 1, 2, 3, 4]


def test_damaged_files_of_pytorch() -> None:
    rng = np.random.default_rng()
    torch.save(values(torch), file := io.BytesIO())
    original = file.getvalue()
    for _ in range(150):
        data = bytearray(original)
        for at in rng.integers(len(data), size=rng.integers(1, 6)):
            data[at] ^= 1 << rng.integers(8)
        if rng.random() < 0.2:
            del data[rng.integers(len(data)) :]
        try:
            back = rushlight.load(io.BytesIO(bytes(data)))
        except rushlight.serialization.CheckpointError:
            continue
        check(back, rushlight)


def test_map_location_forms() -> None:
    """The same calls work in both libraries, and the same ones do not."""
    torch.save({"w": torch.ones(2)}, file := io.BytesIO())
    forms: list[Any] = [
        lambda lib: None,
        lambda lib: "cpu",
        lambda lib: "meta",
        lambda lib: lib.device("cpu"),
        lambda lib: lib.device("meta"),
        lambda lib: {"cpu": "cpu"},
        lambda lib: {"cpu": "meta"},
        lambda lib: {"cuda:0": "cpu"},
        lambda lib: lambda storage, location: storage,
        lambda lib: lambda storage, location: None,
        lambda lib: "cuda:0",
        lambda lib: {"cpu": "cuda:0"},
        lambda lib: "nonsense",
        lambda lib: 3.5,
    ]
    for form in forms:
        found = []
        for lib in (torch, rushlight):
            file.seek(0)
            try:
                w = lib.load(file, map_location=form(lib))["w"]
                found.append((str(w.device), None if w.device.type == "meta" else w.tolist()))
            except (RuntimeError, TypeError) as error:
                found.append(type(error) if type(error) is TypeError else RuntimeError)
        assert found[0] == found[1], form(torch)


def test_hostile_files_are_refused_by_the_same_classes(tmp_path: Path) -> None:
    import pickle

    class Payload:
        def __reduce__(self) -> Any:
            return (print, ("executed",))

    torch.save(Payload(), tmp_path / "bad.pt")
    for lib in (torch, rushlight):
        with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
            lib.load(tmp_path / "bad.pt")
