"""safetensors files go both ways between this library and the package of that name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.serialization import safetensors as ours
from rushlight.serialization.header import DTYPES

torch = pytest.importorskip("torch")
package = pytest.importorskip("safetensors")
theirs = pytest.importorskip("safetensors.torch")


def raw(t: Any) -> bytes:
    lib = torch if isinstance(t, torch.Tensor) else rushlight
    return t.contiguous().reshape(-1).view(lib.uint8).numpy().tobytes()


def content(lib: Any) -> dict[str, Any]:
    tensors = {
        f"dtype {name}": lib.tensor([[0, 1, 2], [3, 5, 7]]).to(getattr(lib, dtype.name))
        for name, dtype in DTYPES.items()
    }
    tensors["scalar"] = lib.tensor(2.5)
    tensors["empty"] = lib.empty(0, 3)
    tensors["ü"] = lib.arange(5)
    return tensors


def test_the_same_bytes() -> None:
    for metadata in (None, {"format": "pt"}):
        assert ours.save(content(rushlight), metadata) == theirs.save(content(torch), metadata)


def test_both_ways(tmp_path: Path) -> None:
    for writer, reader, lib in ((ours, theirs, rushlight), (theirs, ours, torch)):
        tensors = content(lib)
        writer.save_file(tensors, tmp_path / "a.safetensors", {"k": "v"})
        back = reader.load_file(tmp_path / "a.safetensors")
        assert set(back) == set(tensors)
        for name, t in tensors.items():
            assert str(back[name].dtype) == str(t.dtype)
            assert tuple(back[name].shape) == tuple(t.shape)
            assert raw(back[name]) == raw(t)


def test_safe_open(tmp_path: Path) -> None:
    theirs.save_file({"w": torch.arange(24).reshape(4, 6)}, tmp_path / "a", {"k": "v"})
    with (
        package.safe_open(tmp_path / "a", framework="pt") as a,
        ours.safe_open(tmp_path / "a", framework="pt") as b,
    ):
        assert a.keys() == b.keys()
        assert a.metadata() == b.metadata()
        for index in (1, slice(1, 3), (slice(None), slice(2, 4))):
            assert a.get_slice("w")[index].tolist() == b.get_slice("w")[index].tolist()
        assert a.get_slice("w").get_dtype() == b.get_slice("w").get_dtype()


def test_models_with_shared_tensors(tmp_path: Path) -> None:
    def model(lib: Any) -> Any:
        made = lib.nn.Sequential(lib.nn.Linear(3, 3), lib.nn.Linear(3, 3))
        made[1].weight = made[0].weight
        return made

    for writer, reader, a, b in (
        (ours, theirs, model(rushlight), model(torch)),
        (theirs, ours, model(torch), model(rushlight)),
    ):
        writer.save_model(a, str(tmp_path / "a"))
        assert reader.load_model(b, str(tmp_path / "a")) == (set(), [])
        assert b[1].weight.tolist() == a[1].weight.tolist()
    theirs.save_model(model(torch), str(tmp_path / "b"))
    first = (tmp_path / "b").read_bytes()[:200]
    ours.save_model(model(rushlight), str(tmp_path / "b"))
    assert (tmp_path / "b").read_bytes()[:200] == first


def test_the_same_errors() -> None:
    def cases(lib: Any) -> list[Any]:
        t = lib.ones(2, 3)
        return [{"a": t, "b": t}, {"a": t.t()}, {"a": 1}, [t], {"a": t, "b": t[:1]}, {1: t}]

    for a, b in zip(cases(rushlight), cases(torch), strict=True):
        with pytest.raises(Exception, match=r".") as wanted:
            theirs.save(b)
        with pytest.raises(wanted.type):
            ours.save(a)


def network(lib: Any) -> Any:
    """ResNet-18's shapes: its convolutions, norms and last layer."""
    nn = lib.nn
    layers, width = [nn.Conv2d(3, 64, 7, bias=False), nn.BatchNorm2d(64)], 64
    for out in (64, 128, 256, 512):
        for _ in range(2):
            layers += [nn.Conv2d(width, out, 3, bias=False), nn.BatchNorm2d(out)]
            layers += [nn.Conv2d(out, out, 3, bias=False), nn.BatchNorm2d(out)]
            width = out
    return nn.Sequential(*layers, nn.Linear(512, 1000))


@pytest.mark.parametrize("form", ["zip", "old", "safetensors"])
def test_resnet_and_adam_both_ways(form: str, tmp_path: Path) -> None:
    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model = network(writer)
        adam = writer.optim.Adam(model.parameters(), lr=0.25, amsgrad=True)
        for p in model.parameters():
            p.grad = writer.full_like(p, 0.5)
        adam.step()
        fresh = network(reader)
        other = reader.optim.Adam(fresh.parameters(), lr=0.1, amsgrad=True)
        if form == "safetensors":
            a, b = (ours, theirs) if writer is rushlight else (theirs, ours)
            a.save_file(dict(model.state_dict()), tmp_path / "m")
            tensors, metadata = ours.flatten_state_dict(adam.state_dict())
            a.save_file(tensors, tmp_path / "o", metadata)
            with package.safe_open(tmp_path / "o", framework="np") as file:
                metadata = file.metadata()
            state = {
                "model": b.load_file(tmp_path / "m"),
                "adam": ours.unflatten_state_dict(b.load_file(tmp_path / "o"), metadata),
            }
        else:
            state = {"model": model.state_dict(), "adam": adam.state_dict()}
            writer.save(state, file := io.BytesIO(), _use_new_zipfile_serialization=form == "zip")
            file.seek(0)
            state = reader.load(file)
        fresh.load_state_dict(state["model"])
        other.load_state_dict(state["adam"])
        assert other.param_groups[0]["lr"] == 0.25
        for p, q in zip(model.parameters(), fresh.parameters(), strict=True):
            a, b = adam.state[p], other.state[q]
            assert set(a) == set(b)
            for key in a:
                np.testing.assert_array_equal(a[key].numpy(), b[key].numpy())
            np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())
        for name, t in model.state_dict().items():
            np.testing.assert_array_equal(t.numpy(), fresh.state_dict()[name].numpy())
