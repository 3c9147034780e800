"""Folders of torch.distributed.checkpoint: PyTorch reads ours, and we read PyTorch's."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight
import rushlight.distributed.checkpoint as ours
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys

torch: Any = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PyTorch's own, of its compiler
    theirs: Any = importlib.import_module("torch.distributed.checkpoint")

TYPES = ["float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64"]


def state(lib: Any) -> dict[str, Any]:
    lib.manual_seed(0)
    net = lib.nn.Linear(3, 2)
    opt = lib.optim.Adam(net.parameters(), lr=0.01)
    net(lib.ones(1, 3)).sum().backward()
    opt.step()
    return {
        "net": net.state_dict(), "opt": opt.state_dict(), "step": 3, "name": "run",
        "mixed": [1, lib.arange(4), {"deep": lib.ones(2, 0)}], "pair": (1, 2.5, None),
        "types": {t: lib.tensor([0, 1, 2]).to(getattr(lib, t)) for t in TYPES},
        "scalar": lib.tensor(2.5), "turned": lib.arange(6).reshape(2, 3).t(),
        "view": lib.arange(100)[20:30], "size": lib.Size((2, 3)), "dtype": lib.float16,
    }  # fmt: skip


def equal(a: Any, b: Any) -> bool:
    """Whether values of the two libraries are the same."""
    if isinstance(a, (torch.Tensor, rushlight.Tensor)):
        same = str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape)
        return same and a.tolist() == b.tolist()
    if isinstance(a, dict):
        return {str(k) for k in a} == {str(k) for k in b} and all(
            equal(v, {str(q): w for q, w in b.items()}[str(k)]) for k, v in a.items()
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    return str(a) == str(b)


@pytest.mark.filterwarnings("ignore")
def test_pytorch_reads_ours(tmp_path: Path) -> None:
    saved = state(rushlight)
    ours.save(saved, checkpoint_id=tmp_path)
    loader = importlib.import_module("torch.distributed.checkpoint.state_dict_loader")
    found = loader._load_state_dict_from_keys(checkpoint_id=tmp_path)
    assert equal(saved, found)
    into = state(torch)
    into["net"]["weight"].zero_()
    into["step"] = 0
    theirs.load(into, checkpoint_id=tmp_path)
    assert equal(saved, into)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("threads", [1, 2])
def test_we_read_pytorchs(tmp_path: Path, threads: int) -> None:
    saved = state(torch)
    writer = theirs.FileSystemWriter(tmp_path, thread_count=threads)
    theirs.save(saved, storage_writer=writer)
    assert equal(saved, _load_state_dict_from_keys(checkpoint_id=tmp_path))
    into = state(rushlight)
    into["net"]["weight"].zero_()
    into["step"] = 0
    ours.load(into, checkpoint_id=tmp_path)
    assert equal(saved, into)


@pytest.mark.filterwarnings("ignore")
def test_pytorchs_shards_of_two_ranks(tmp_path: Path) -> None:
    """DTensors that PyTorch wrote from two processes."""
    script = tmp_path / "save.py"
    script.write_text(textwrap.dedent(f"""
        import sys, torch, torch.distributed as dist, torch.distributed.checkpoint as dcp
        import torch.multiprocessing as mp
        from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

        def run(rank):
            dist.init_process_group("gloo", init_method="file://{tmp_path}/meet", rank=rank,
                                    world_size=2)
            mesh = init_device_mesh("cpu", (2,))
            w = torch.arange(35.0).reshape(7, 5)
            state = {{str(p): distribute_tensor(w, mesh, [p])
                     for p in (Shard(0), Shard(1), Replicate())}}
            dcp.save({{"w": state, "n": 4}}, checkpoint_id="{tmp_path}/two")
            dist.destroy_process_group()

        if __name__ == "__main__":
            mp.spawn(run, nprocs=2)
    """))
    subprocess.run([sys.executable, str(script)], check=True, timeout=200, capture_output=True)
    found = _load_state_dict_from_keys(checkpoint_id=tmp_path / "two")
    assert found["n"] == 4
    assert len(found["w"]) == 3
    for value in found["w"].values():
        assert rushlight.equal(value, rushlight.arange(35.0).reshape(7, 5))
