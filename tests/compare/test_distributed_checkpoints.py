"""Folders of torch.distributed.checkpoint of one process: PyTorch reads ours, and we read PyTorch's
(of 1 to 4 ranks: test_gloo.py)."""

from __future__ import annotations

import importlib
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
