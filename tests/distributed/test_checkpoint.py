"""Checkpoints in folders: one process; several processes are in programs/checkpoint.py."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
import rushlight.distributed.checkpoint as dcp
from rushlight.distributed.checkpoint import (
    default_planner,
    filesystem,
    format_utils,
    metadata_file,
    quick_metadata,
)
from rushlight.distributed.checkpoint._nested_dict import flatten_state_dict, unflatten_state_dict
from rushlight.distributed.checkpoint.metadata import ChunkStorageMetadata, MetadataIndex
from rushlight.distributed.checkpoint.planner_helpers import create_read_items_for_chunk_list
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"


def state(scale: float = 1.0) -> dict[str, Any]:
    torch.manual_seed(0)
    return {
        "net": {"w": torch.randn(5, 4) * scale, "deep": {"b": torch.randn(3).bfloat16() * scale}},
        "list": [1, torch.arange(3) * int(scale)],
        "step": 7 * scale, "text": "x" * int(scale), "pair": (1, scale),
        "scalar": torch.tensor(scale), "empty": torch.zeros(0, 3),
        "turned": (torch.randn(3, 2) * scale).t(), "part": torch.arange(100.0)[10:12] * scale,
        "complex": torch.ones(2, dtype=torch.complex64) * scale, "yes": torch.tensor([scale > 0]),
        3: torch.ones(2) * scale,
    }  # fmt: skip


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return a.dtype is b.dtype and torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


def failure(call: Callable[[], Any]) -> BaseException:
    with pytest.raises(dcp.CheckpointException) as caught:
        call()
    assert "RANK 0" in str(caught.value)
    return caught.value.failures[0][0]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("single", [True, False])
def test_there_and_back(tmp_path: Path, threads: int, single: bool) -> None:
    writer = dcp.FileSystemWriter(tmp_path, single, thread_count=threads)
    saved = state()
    found = dcp.save(saved, storage_writer=writer)
    assert set(found.state_dict_metadata) >= {"net.w", "net.deep.b", "list.1", "step", "3"}
    into = state(-1.0)
    places = [into["net"]["w"], into["turned"], into["list"][1]]
    dcp.load(into, checkpoint_id=tmp_path)
    assert equal(into, saved)
    for a, b in zip(places, [into["net"]["w"], into["turned"], into["list"][1]], strict=True):
        assert a is b  # filled where they are
    assert equal(_load_state_dict_from_keys(checkpoint_id=tmp_path), {
        str(k): v for k, v in saved.items()
    })  # fmt: skip
    some = _load_state_dict_from_keys({"net.deep", "step"}, checkpoint_id=tmp_path)
    assert equal(some, {"net": {"deep": saved["net"]["deep"]}, "step": saved["step"]})


def test_objects_with_a_state(tmp_path: Path) -> None:
    net = torch.nn.Linear(3, 2)
    opt = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 3)).sum().backward()
    opt.step()
    dcp.save({"net": net, "opt": opt}, checkpoint_id=tmp_path)
    other = torch.nn.Linear(3, 2)
    again = torch.optim.Adam(other.parameters(), lr=5.0)
    other(torch.ones(1, 3)).sum().backward()
    again.step()
    weight = other.weight
    dcp.load({"net": other, "opt": again}, checkpoint_id=tmp_path)
    assert other.weight is weight
    assert torch.equal(weight, net.weight)
    assert again.param_groups[0]["lr"] == 0.001
    assert equal(again.state_dict(), opt.state_dict())


def test_tensors_on_meta_get_memory(tmp_path: Path) -> None:
    dcp.save({"a": {"w": torch.ones(2)}}, checkpoint_id=tmp_path)
    into = {"a": {"w": torch.empty(2, device="meta")}}
    dcp.load(into, checkpoint_id=tmp_path)
    assert into["a"]["w"].tolist() == [1, 1]
    error = failure(lambda: dcp.save({"w": torch.empty(2, device="meta")}, checkpoint_id=tmp_path))
    assert "'w' has no values" in str(error)


def test_the_former_checkpoint_stays_until_the_new_one_is_there(tmp_path: Path) -> None:
    dcp.save(state(), checkpoint_id=tmp_path)
    before = {n: (tmp_path / n).read_bytes() for n in os.listdir(tmp_path)}
    assert set(before) == {".metadata", "__0_0.distcp"}

    class Fails(default_planner.DefaultSavePlanner):
        def resolve_data(self, write_item: Any) -> Any:
            if write_item.index.fqn == "turned":
                raise OSError("no space left")
            return super().resolve_data(write_item)

    error = failure(lambda: dcp.save(state(2.0), checkpoint_id=tmp_path, planner=Fails()))
    assert "no space left" in str(error)
    for name, data in before.items():
        assert (tmp_path / name).read_bytes() == data
    assert len(os.listdir(tmp_path)) == 3  # the unfinished file, until the next save
    dcp.save(state(3.0), checkpoint_id=tmp_path)
    assert len(os.listdir(tmp_path)) == 2
    into = state(-1.0)
    dcp.load(into, checkpoint_id=tmp_path)
    assert equal(into, state(3.0))
    writer = dcp.FileSystemWriter(tmp_path, overwrite=False)
    assert "already exists" in str(failure(lambda: dcp.save(state(), storage_writer=writer)))


def damaged(path: Path, how: str) -> str:
    """Do damage; what the error must say."""
    data = path / "__0_0.distcp"
    content = data.read_bytes()
    if how == "missing":
        data.unlink()
        return "cannot be opened"
    if how == "short":
        data.write_bytes(content[:-2000])
        return "is truncated"
    if how == "flipped":  # in a number of a tensor
        at = content.index(torch.tensor([1.5, 2.5, 3.5]).numpy().tobytes()) + 4
        data.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        return "checksum"
    if how == "no metadata":
        (path / ".metadata").unlink()
        return "there is no checkpoint here"
    meta = (path / ".metadata").read_bytes()
    if how == "half metadata":
        (path / ".metadata").write_bytes(meta[: len(meta) // 2])
        return "corrupt checkpoint"
    if how == "elsewhere":
        (path / ".metadata").write_bytes(meta.replace(b"__0_0.distcp", b"/etc//passwd"))
        return "relative_path of a _StorageInfo is impossible"
    assert how == "hostile"
    (path / ".metadata").write_bytes(pickle.dumps(Hostile()))
    return "GLOBAL posix.system whose module posix is blocked"


class Hostile:
    def __reduce__(self) -> Any:
        return os.system, ("touch /tmp/rushlight-was-here",)


@pytest.mark.parametrize(
    "how",
    ["missing", "short", "flipped", "no metadata", "half metadata", "elsewhere", "hostile"],
)
def test_damage_is_named_and_nothing_is_changed(tmp_path: Path, how: str) -> None:
    saved = {"a": torch.ones(4), "n": 5, "w": torch.tensor([1.5, 2.5, 3.5]), "z": torch.ones(900)}
    dcp.save(saved, checkpoint_id=tmp_path)
    words = damaged(tmp_path, how)
    into = {"a": torch.zeros(4), "n": 0, "w": torch.zeros(3), "z": torch.zeros(900)}
    error = failure(lambda: dcp.load(into, checkpoint_id=tmp_path))
    assert words in str(error), error
    assert str(tmp_path) in str(error) or how == "missing"
    assert into["n"] == 0
    assert not any(t.any() for t in into.values() if isinstance(t, torch.Tensor))
    assert not os.path.exists("/tmp/rushlight-was-here")


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    dcp.save({"net": {"w": torch.ones(2, 3)}, "n": 1}, checkpoint_id=tmp_path)

    def load(into: dict[str, Any], **options: Any) -> Callable[[], None]:
        planner = dcp.DefaultLoadPlanner(**options)
        return lambda: dcp.load(into, checkpoint_id=tmp_path, planner=planner)

    assert "Missing key in checkpoint state_dict: v" in str(failure(load({"v": 1})))
    into = {"v": 1, "n": 0}
    load(into, allow_partial_load=True)()
    assert into == {"v": 1, "n": 1}
    error = failure(load({"net": {"w": torch.ones(3, 2)}}))
    assert isinstance(error, ValueError)
    assert "Size mismatch between saved torch.Size([2, 3])" in str(error)
    assert "is a tensor in the checkpoint" in str(failure(load({"net": {"w": 1}})))
    with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified"):
        dcp.save({})
    with pytest.raises(RuntimeError, match="Cannot detect which"):
        dcp.save({}, checkpoint_id="s3://bucket/x")
    for call in (
        lambda: dcp.FileSystemWriter(tmp_path, _extensions=[1]),
        lambda: dcp.FileSystemWriter(
            tmp_path, serialization_format=filesystem.SerializationFormat.SAFETENSORS
        ),
        lambda: dcp.async_save({}, checkpoint_id=tmp_path, async_checkpointer_type=2),
        lambda: dcp.HuggingFaceStorageReader(tmp_path),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_async_save_copies_before_it_returns(tmp_path: Path) -> None:
    saved = state()
    done = dcp.async_save(saved, checkpoint_id=tmp_path / "1")
    saved["net"]["w"].zero_()
    saved["step"] = 0
    second = dcp.async_save(saved, checkpoint_id=tmp_path / "2")
    assert done.done()  # one at a time
    assert done.result().version == "1.0.0"
    into = state(-1.0)
    dcp.load(into, checkpoint_id=tmp_path / "1")
    assert equal(into, state())
    second.result()
    dcp.load(into, checkpoint_id=tmp_path / "2")
    assert into["step"] == 0
    broken = dcp.async_save({"x": lambda: 0}, checkpoint_id=tmp_path / "3")
    assert isinstance(broken.exception(), dcp.CheckpointException)
    assert not (tmp_path / "3" / ".metadata").exists()


@pytest.mark.slow
def test_a_program_waits_for_its_last_save(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", "import rushlight as t, rushlight.distributed.checkpoint as c\n"
         f"c.async_save({{'w': t.ones(300000)}}, checkpoint_id={str(tmp_path)!r})"],
        cwd=ROOT, check=True, timeout=100,
    )  # fmt: skip
    into = {"w": torch.zeros(300000)}
    dcp.load(into, checkpoint_id=tmp_path)
    assert into["w"].all()


def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    """A box in the middle of a tensor of which the rest is a hole in the file."""
    dcp.save({"w": torch.zeros(1000, 1000)}, checkpoint_id=tmp_path)
    reader = dcp.FileSystemReader(tmp_path)
    metadata = reader.read_metadata()
    reader.set_up_storage_reader(metadata, True)
    md: Any = metadata.state_dict_metadata["w"]
    chunk = ChunkStorageMetadata(torch.Size((500, 3)), torch.Size((10, 20)))
    items = create_read_items_for_chunk_list("w", md, [chunk])
    target = torch.ones(10, 20)

    class Planner(dcp.DefaultLoadPlanner):
        def resolve_tensor(self, read_item: Any) -> Any:
            return target

    data = tmp_path / "__0_0.distcp"
    begin = data.read_bytes().index(bytes(1_000_000))
    with open(data, "r+b") as file:  # damage outside the box is not seen
        file.seek(begin)
        file.write(b"\xff" * 400_000)
    plan = dcp.LoadPlan(items)
    reader.verify_data(plan, Planner())
    assert target.all()
    reader.read_data(plan, Planner())
    assert not target.any()


def test_boxes_of_any_cut() -> None:
    def chunk(offsets: Any, sizes: Any) -> ChunkStorageMetadata:
        return ChunkStorageMetadata(torch.Size(offsets), torch.Size(sizes))

    saved = [chunk((r, c), (1, 3)) for r in range(12) for c in (0, 3)]
    md: Any = dcp.TensorStorageMetadata(Any, torch.Size((12, 6)), saved)  # type: ignore[arg-type]
    items = create_read_items_for_chunk_list("w", md, [chunk((4, 2), (5, 2))])
    assert len(items) == 10
    assert items[0].storage_index == MetadataIndex("w", (4, 0))
    assert (items[0].storage_offsets, items[0].dest_offsets, items[0].lengths) == (
        torch.Size((0, 2)), torch.Size((0, 0)), torch.Size((1, 1)),
    )  # fmt: skip
    md.chunks = saved[:-3]
    with pytest.raises(ValueError, match="does not hold all of 'w'"):
        create_read_items_for_chunk_list("w", md, [chunk((0, 0), (12, 6))])
    plan = [dcp.SavePlan([])]
    errors = default_planner._validate_global_plan(plan, dcp.Metadata({"w": md}))
    assert "invalid fill" in errors[0]
    md.chunks = [*saved, chunk((3, 1), (1, 1)), chunk((12, 0), (1, 1))]
    errors = default_planner._validate_global_plan(plan, dcp.Metadata({"w": md}))
    assert re.search("out of bounds.*\n.*overlapping", "\n".join(errors))


def test_quick_metadata(tmp_path: Path) -> None:
    """Written instruction by instruction, read from the index: as in the general way."""
    saved = {**state(), "many": {f"w{i}": torch.ones(i % 3, 2) for i in range(300)}, "ü\ud800": 1}
    saved["far"] = torch.zeros(1, dtype=torch.float8_e4m3fn)
    saved["p"] = torch.nn.Parameter(torch.ones(1))
    m = dcp.save(saved, checkpoint_id=tmp_path)
    places: Any = m.storage_data
    places[MetadataIndex("step")] = filesystem._StorageInfo("__0_0.distcp", 2**40, 2**33)
    assert quick_metadata.usual(m)
    pickle_ = quick_metadata.pickled(m)
    assert metadata_file.loaded(pickle_) == m
    file = quick_metadata.indexed(m, pickle_)
    assert metadata_file.loaded(file) == m  # what stands behind the pickle is not looked at
    assert quick_metadata.found(file) == m
    assert quick_metadata.found(pickle_) is None
    assert quick_metadata.found(b"x" + file) is None  # of another pickle
    assert quick_metadata.found(file[:-1]) is None
    for old, new in ((b'"__0_0.distcp"', b'"../0.distcp"'), (b"[2,2]", b"[2,-]"),
                     (b"[2,2]", b"[2,[]"), (b'"version":', b'"versiom":')):  # fmt: skip
        text = file[len(pickle_) : -40 - len(quick_metadata.MAGIC)]
        text = text.replace(old, new)
        (tmp_path / ".metadata").write_bytes(
            pickle_ + text + quick_metadata._tail(pickle_, len(text))
        )
        with pytest.raises(torch.serialization.CheckpointError, match="corrupt checkpoint"):
            metadata_file.read(tmp_path / ".metadata")
    m.planner_data = {"a": [1]}
    assert not quick_metadata.usual(m)
    assert metadata_file.loaded(metadata_file.written(m)) == m


def test_nested_dictionaries() -> None:
    x = torch.ones(1)
    nested = {"a": {"b": {}, "c": [{"d": x}, 2]}, "e": [1, 2], "f": (x,)}
    flat, paths = flatten_state_dict(nested)
    assert set(flat) == {"a.c.0.d", "a.c.1", "e", "f"}
    assert paths["a.c.0.d"] == ("a", "c", 0, "d")
    assert unflatten_state_dict(flat, paths) == {"a": {"c": [{"d": x}, 2]}, "e": [1, 2], "f": (x,)}
    with pytest.raises(ValueError, match=r"duplicated flatten key a\.b"):
        flatten_state_dict({"a": {"b": 1}, "a.b": 2})
    assert set(flatten_state_dict({"a": {"b": 1}}, old=True)[0]) == {"a"}


@pytest.mark.slow
def test_formats(tmp_path: Path) -> None:
    torch.save(state(), tmp_path / "a.pt")
    for mode, a, b in (("torch_to_dcp", "a.pt", "b"), ("dcp_to_torch", "b", "c.pt")):
        subprocess.run(
            [sys.executable, "-m", format_utils.__name__, mode, str(tmp_path / a),
             str(tmp_path / b)],
            cwd=ROOT, check=True, timeout=100,
        )  # fmt: skip
    found = torch.load(tmp_path / "c.pt")
    found[3] = found.pop("3")
    assert equal(found, state())


def test_old_names(tmp_path: Path) -> None:
    with pytest.warns(FutureWarning, match="use `save`"):
        dcp.save_state_dict({"w": torch.ones(2)}, dcp.FileSystemWriter(tmp_path))
    into = {"w": torch.zeros(2)}
    with pytest.warns(FutureWarning, match="use `load`"):
        dcp.load_state_dict(into, dcp.FileSystemReader(tmp_path))
    assert into["w"].all()


UNDER_THE_DROPIN = """
import sys, torch
import torch.distributed.checkpoint as dcp
import torch.distributed.tensor
from torch.distributed.checkpoint.filesystem import _StorageInfo
from torch.distributed.checkpoint.metadata import Metadata
from torch.distributed.checkpoint.planner_helpers import is_dtensor
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.checkpoint.state_dict import fsdp_class

net = torch.nn.Linear(2, 2)
opt = torch.optim.Adam(net.parameters())

class App(Stateful):
    def state_dict(self):
        return dict(zip(("m", "o"), get_state_dict(net, opt)))

    def load_state_dict(self, s):
        set_state_dict(net, opt, model_state_dict=s["m"], optim_state_dict=s["o"])

folder = sys.argv[1]
dcp.save({"app": App()}, checkpoint_id=folder)
w = net.weight.detach().clone()
torch.nn.init.zeros_(net.weight)
dcp.load({"app": App()}, checkpoint_id=folder)
assert torch.equal(w, net.weight)
raw = open(folder + "/.metadata", "rb").read()
assert b"torch.distributed.checkpoint.filesystem" in raw and b"rushlight" not in raw
assert is_dtensor(object.__new__(torch.distributed.tensor.DTensor))
assert fsdp_class() is FullyShardedDataParallel
print(Metadata.__module__, _StorageInfo.__module__)
"""


@pytest.mark.slow
def test_under_the_dropin(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(UNDER_THE_DROPIN)
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", str(tmp_path / "p.py"), str(tmp_path / "c")],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    wanted = "torch.distributed.checkpoint.metadata torch.distributed.checkpoint.filesystem\n"
    assert done.stdout == wanted, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)
@pytest.mark.parametrize(
    "program",
    [
        ["checkpoint.py", "2"],
        pytest.param(["checkpoint.py", "3"], marks=pytest.mark.long),
        pytest.param(["killed_save.py"], marks=pytest.mark.slow),
        pytest.param(["states.py", "2"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_ranks(program: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / program[0]), *program[1:]],
        cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.stdout == f"{' '.join(['well', *program[1:]])}\n", done.stdout + done.stderr


def test_members_of_enumerations_as_older_pythons_pickle_them() -> None:
    """Python 3.11.0 to 3.11.3 write `getattr(enumeration, "NAME")`; no other attribute is given."""
    import pickle

    from rushlight.distributed.checkpoint import metadata as md
    from rushlight.distributed.checkpoint import metadata_file

    class Asks:
        def __init__(self, owner: object, name: str) -> None:
            self.asked = (owner, name)

        def __reduce__(self) -> object:
            return getattr, self.asked

    def read(owner: object, name: str) -> object:
        data = pickle.dumps(Asks(owner, name), 2, fix_imports=False)
        return metadata_file.loaded(data.replace(b"rushlight.distributed", b"torch.distributed"))

    kind = md._MEM_FORMAT_ENCODING
    for name, member in kind.__members__.items():
        assert read(kind, name) is member
    for owner, name in ((kind, "__class__"), (md.Metadata, "__init__"), ("text", "upper")):
        with pytest.raises(torch.serialization.CheckpointError, match="asks for an attribute"):
            read(owner, name)
