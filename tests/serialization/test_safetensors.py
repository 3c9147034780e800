"""safetensors: what goes in comes out, hostile headers do not come in, states of optimisers too."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError
from rushlight.serialization import safetensors as st
from rushlight.serialization.header import DTYPES


def file_of(header: Any, data: bytes = b"") -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + data


def row(begin: int, end: int, shape: Any = None, dtype: Any = "U8") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape or [end - begin], "data_offsets": [begin, end]}


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(name: str, tmp_path: Path) -> None:
    t = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(DTYPES[name])
    st.save_file({"t": t}, tmp_path / "a.safetensors")
    back = st.load_file(tmp_path / "a.safetensors")["t"]
    assert back.dtype is t.dtype
    assert back.shape == (2, 3)
    assert back.view(torch.uint8).tolist() == t.view(torch.uint8).tolist()
    assert (
        st.load(st.save({"t": t}))["t"].view(torch.uint8).tolist()
        == back.view(torch.uint8).tolist()
    )


def test_shapes_order_and_metadata(tmp_path: Path) -> None:
    tensors = {
        "scalar": torch.tensor(2.5),
        "empty": torch.empty(0, 3),
        "bytes": torch.tensor([True, False, True]),
        "größe": torch.arange(3),
    }
    path = tmp_path / "a.safetensors"
    st.save_file(tensors, path, {"format": "pt", "note": "ü"})
    back = st.load_file(path)
    assert {k: v.tolist() for k, v in back.items()} == {k: v.tolist() for k, v in tensors.items()}
    with st.safe_open(path) as file:
        assert file.metadata() == {"format": "pt", "note": "ü"}
        assert file.keys() == sorted(tensors)
        assert file.offset_keys() == ["größe", "empty", "scalar", "bytes"]
    assert st.load(st.save({})) == {}


def test_tensors_have_memory_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    st.save_file({"a": torch.zeros(4), "b": torch.zeros(4)}, path)
    back = st.load_file(path)
    back["a"][:] = 1
    assert back["b"].sum() == 0
    assert back["a"].untyped_storage().nbytes() == 16
    assert st.load_file(path)["a"].sum() == 0


def test_reading_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    whole = torch.arange(24).reshape(4, 6)
    st.save_file({"w": whole, "e": torch.empty(0, 2)}, path)
    with st.safe_open(path, framework="pt") as file:
        part = file.get_slice("w")
        assert part.get_shape() == [4, 6]
        assert part.get_dtype() == "I64"
        for index in (
            1,
            slice(1, 3),
            (slice(None), slice(2, 4)),
            ...,
            (0, 0),
            slice(None, None, 2),
        ):
            assert part[index].tolist() == whole[index].tolist()
        assert file.get_slice("e")[:].shape == (0, 2)
        assert file.get_tensor("w").tolist() == whole.tolist()
        assert set(file.get_tensors()) == {"w", "e"}
        with pytest.raises(CheckpointError, match="does not contain tensor"):
            file.get_tensor("x")
    with pytest.raises(ValueError, match="closed"):
        file.get_tensor("w")
    with st.safe_open(path, framework="np") as file:
        assert isinstance(file.get_tensor("w"), np.ndarray)
        assert isinstance(file.get_slice("w")[0], np.ndarray)
    assert st.load_file(path, device="meta")["w"].device.type == "meta"
    with pytest.raises(CheckpointError, match="framework"):
        st.safe_open(path, framework="jax")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    t = torch.ones(2, 3)
    for tensors, metadata, error, match in (
        ({"a": t.t()}, None, ValueError, "non contiguous"),
        ({"a": t, "b": t}, None, RuntimeError, "share memory"),
        ({"a": t, "b": t[:1]}, None, RuntimeError, "share memory"),
        ({"a": 1}, None, ValueError, "expected torch.Tensor"),
        ([t], None, ValueError, "Expected a dict"),
        ({1: t}, None, TypeError, "no text"),
        ({"a": t}, {"a": 1}, TypeError, "metadata"),
        ({"a": t.to(torch.complex128)}, None, ValueError, "complex128"),
        ({"a": t.to("meta")}, None, ValueError, "meta"),
    ):
        with pytest.raises(error, match=match):
            st.save_file(tensors, tmp_path / "a.safetensors", metadata)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    st.save_file({"a": t[:1], "b": t[1:]}, tmp_path / "a.safetensors")  # apart in one storage


BAD: dict[str, tuple[Any, bytes, str]] = {
    "no table": ([], b"", "JSON"),
    "no text": (b"\xff\xfe{}", b"", "JSON"),
    "no JSON": (b"{'a': 1}", b"", "JSON"),
    "deep": (b'{"a":' * 100_000, b"", "JSON"),
    "a huge number": (b'{"a":' + b"9" * 10_000 + b"}", b"", "JSON"),
    "a name twice": (
        b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},'
        b'"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}',
        b"ab",
        "twice",
    ),
    "overlap": ({"a": row(0, 2), "b": row(1, 3)}, b"abc", "overlaps"),
    "the same": ({"a": row(0, 2), "b": row(0, 2)}, b"ab", "overlaps"),
    "hole": ({"a": row(0, 1), "b": row(2, 3)}, b"abc", "gap"),
    "rest": ({"a": row(0, 1)}, b"abc", "do not fill"),
    "short": ({"a": row(0, 9)}, b"abc", "do not fill"),
    "backwards": ({"a": row(3, 0)}, b"abc", "ends before"),
    "negative": ({"a": {"dtype": "U8", "shape": [1], "data_offsets": [-1, 0]}}, b"a", "no place"),
    "fractions": ({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1.0]}}, b"a", "no place"),
    "booleans": ({"a": row(0, 1, [True])}, b"a", "impossible shape"),
    "no row": ({"a": 5}, b"", "no place"),
    "unknown dtype": ({"a": row(0, 1, dtype="F99")}, b"a", "unknown dtype"),
    "a list as dtype": ({"a": row(0, 1, dtype=["U8"])}, b"a", "unknown dtype"),
    "too large": ({"a": row(0, 1, [2**40, 2**40])}, b"a", "impossible shape"),
    "too large with a zero": ({"a": row(0, 0, [2**40, 2**40, 0])}, b"", "impossible shape"),
    "wrong length": ({"a": row(0, 4, [3])}, b"abcd", "wrong length"),
    "many dimensions": ({"a": row(0, 1, [1] * 65)}, b"a", "impossible shape"),
    "negative shape": ({"a": row(0, 1, [-1])}, b"a", "impossible shape"),
    "metadata": ({"__metadata__": {"a": 1}}, b"", "metadata"),
}


@pytest.mark.parametrize("case", BAD)
def test_hostile_headers(case: str, tmp_path: Path) -> None:
    header, data, match = BAD[case]
    path = tmp_path / "a.safetensors"
    path.write_bytes(file_of(header, data))
    with pytest.raises(CheckpointError, match=match):
        st.load_file(path)
    with pytest.raises(CheckpointError, match=match):
        st.load(path.read_bytes())


@pytest.mark.parametrize(
    "data", [b"", b"abc", bytes(8), b"\xff" * 8, b"\xff\xff\xff\x7f" + bytes(9)]
)
def test_headers_longer_than_the_file(data: bytes) -> None:
    with pytest.raises(CheckpointError, match="not a whole safetensors file"):
        st.load(data)


def test_damaged_files() -> None:
    original = st.save({f"t{i}": torch.arange(50 * i) for i in range(20)}, {"a": "b"})
    tracemalloc.start()
    for _ in range(300):
        data = bytearray(original)
        for _ in range(random.randrange(1, 5)):
            data[random.randrange(min(len(data), 3000))] = random.randrange(256)
        if random.random() < 0.3:
            del data[random.randrange(len(data)) :]
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            back = st.load(bytes(data))
        except CheckpointError:
            back = {}
        assert tracemalloc.get_traced_memory()[1] - before < 2 * len(data) + 200_000
        assert len(back) in (0, 20)
    tracemalloc.stop()


def tied() -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    model[1].weight = model[0].weight
    return model


def test_models_with_shared_tensors(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    model, other = tied(), tied()
    st.save_model(model, path)
    with st.safe_open(path) as file:
        assert file.keys() == ["0.bias", "0.weight", "1.bias"]
        assert file.metadata() == {"1.weight": "0.weight"}
    assert st.load_model(other, path) == (set(), [])
    assert other[1].weight.tolist() == model[0].weight.tolist()
    small = torch.nn.Sequential(torch.nn.Linear(3, 3))
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\)"):
        st.load_model(small, path)
    assert st.load_model(small, path, strict=False) == (set(), ["1.bias"])
    assert small[0].weight.tolist() == model[0].weight.tolist()


def test_contiguous_copies_of_a_model(tmp_path: Path) -> None:
    model = torch.nn.Linear(3, 2)
    model.weight.data = torch.ones(3, 2).t()
    st.save_model(model, tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match="force_contiguous"):
        st.save_model(model, tmp_path / "a.safetensors", force_contiguous=False)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_the_state_of_an_optimiser(name: str, tmp_path: Path) -> None:
    def trained() -> tuple[Any, Any]:
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 2)
        options = {"momentum": 0.9} if name == "SGD" else {}
        steps = getattr(torch.optim, name)(
            [{"params": [model.weight]}, {"params": [model.bias], "lr": 0.5}], lr=0.1, **options
        )
        model(torch.ones(1, 3)).sum().backward()
        steps.step()
        return model, steps

    _, steps = trained()
    path = tmp_path / "o.safetensors"
    st.save_file(*_with_path(st.flatten_state_dict(steps.state_dict()), path))
    with st.safe_open(path) as file:
        state = st.unflatten_state_dict(file.get_tensors(), file.metadata())
    model, fresh = trained()
    fresh.load_state_dict(state)
    again, wanted = trained()
    for model_, optimizer in ((model, fresh), (again, wanted)):
        optimizer.zero_grad()
        model_(torch.ones(1, 3)).sum().backward()
        optimizer.step()
    assert model.weight.tolist() == again.weight.tolist()
    assert fresh.param_groups[1]["lr"] == 0.5


def _with_path(parts: tuple[Any, Any], path: Path) -> tuple[Any, Path, Any]:
    return parts[0], path, parts[1]


def test_any_nested_state() -> None:
    t = torch.ones(2, 3)
    state = {
        0: t, "0": t.t(), "same": t, "a.b": {"c": (1, 2.5, None, True, "x", float("inf"))},
        "list": [{"k": torch.zeros(1)}], "ordered": OrderedDict(z=1, a=2),
    }  # fmt: skip
    tensors, metadata = st.flatten_state_dict(state)
    back = st.unflatten_state_dict(st.load(st.save(tensors, metadata)), metadata)
    assert list(back) == list(state)
    assert back["0"].tolist() == t.t().tolist()
    assert back["same"] is back[0]
    assert back["a.b"] == state["a.b"]
    assert back["ordered"] == state["ordered"]
    assert type(back["ordered"]) is OrderedDict
    for bad in ({"f": print}, {(1, 2): 3}):
        with pytest.raises(TypeError, match="flatten_state_dict"):
            st.flatten_state_dict(bad)
    for text in ("{", '{"tensor": "x"}', '{"list": 5}', '{"odd": []}', "[" * 100_000, "{}"):
        with pytest.raises(CheckpointError):
            st.unflatten_state_dict({}, {"structure": text})
    with pytest.raises(CheckpointError, match="no structure"):
        st.unflatten_state_dict({}, None)


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    path = tmp_path / "a.safetensors"
    st.save_file({"a": torch.zeros(3)}, path)

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="disk full"):
            st.save_file({"a": torch.ones(3)}, path)
    assert st.load_file(path)["a"].sum() == 0
    assert len(os.listdir(tmp_path)) == 1
    assert io.BytesIO(path.read_bytes()).read(8) != b""
