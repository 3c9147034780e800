"""Everything of torch.distributed with 1, 2, 3 and 4 ranks, beside PyTorch's with gloo.

One start of each library goes through all parts of `gloo/` (`gloo/main.py`), with all numbers of
ranks; what each rank has noted is compared: bit for bit, or to the rounding that the part states.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None,
    reason="mpi4py is not installed (pip install 'rushlight[distributed]')",
)

PROGRAM = Path(__file__).parent / "gloo" / "main.py"
ROOT = Path(__file__).parents[2]
STARTS = {"torch": [], "rushlight": ["-m", "rushlight"]}
PARTS = {
    "stores": 100, "collectives": 1000, "gradients": 10, "data parallel": 50, "zero": 20,
    "sharded": 50, "tensors": 500, "saved": 5, "loaded": 32,
}  # fmt: skip


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what both libraries have noted. Workers of pytest-xdist share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "gloo"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            run(folder)
            (folder / "done").touch()
    return folder


def run(folder: Path) -> None:
    """Both libraries side by side, once more if a process of PyTorch has died.

    Seen of many runs: an error of an earlier call that a barrier raised again, and segmentation
    faults in a thread of gloo. What was said then is kept in "... at first.log", and printed.
    """
    if side_by_side(folder) != ["torch"]:
        return
    for which in STARTS:
        said = (folder / f"{which}.log").read_text()
        print(f"PyTorch ended before its end; {which}:\n{said[-2000:]}")
        (folder / f"{which}.log").rename(folder / f"{which} at first.log")
        shutil.rmtree(folder / which)
    side_by_side(folder)


def side_by_side(folder: Path) -> list[str]:
    """Which have not ended well (the one that was left is ended, and does not count). Each reads
    the other's checkpoints at the end."""
    started = {}
    for which, how in STARTS.items():
        (folder / which).mkdir()
        with (folder / f"{which}.log").open("w") as log:
            started[which] = subprocess.Popen(
                [sys.executable, "-W", "ignore", *how, str(PROGRAM), str(folder / which)],
                cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
    end = time.monotonic() + 500
    try:
        while any(p.poll() is None for p in started.values()) and time.monotonic() < end:
            if any(p.poll() for p in started.values()):
                break  # one has failed: the other would wait for it
            time.sleep(0.1)
    finally:
        for process in started.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return [k for k, p in started.items() if p.returncode not in (0, -signal.SIGKILL)]


def noted(folder: Path, which: str, ranks: int, rank: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in sorted((folder / which / str(ranks)).glob(f"{rank} *.pickle")):
        found.update(pickle.loads(file.read_bytes()))
    return found


def differ(a: Any, b: Any, rtol: float, atol: float) -> str:
    """What is not the same in what PyTorch and Rushlight have noted; "" when nothing is."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{a.dtype} {a.shape}, {b.dtype} {b.shape}"
        if not np.allclose(b, a, rtol=rtol, atol=atol, equal_nan=True):
            return f"by {np.abs(a - b).max()}: {a.ravel()[:4]}, {b.ravel()[:4]}"
        return ""
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return f"keys {list(a)}, {list(b)}"
        return next((f"{k}: {d}" for k in a if (d := differ(a[k], b[k], rtol, atol))), "")
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        each = (differ(x, y, rtol, atol) for x, y in zip(a, b, strict=True))
        return next((d for d in each if d), "")
    if isinstance(a, float) and isinstance(b, float):
        return "" if np.isclose(b, a, rtol=rtol, atol=atol, equal_nan=True) else f"{a}, {b}"
    return "" if type(a) is type(b) and a == b else f"{a}, {b}"


# What is otherwise on purpose: part, first words of what is noted, and why.
MEANT = [
    *(("stores", f"{name} {call}", why) for name in ("file", "prefix of a file")
      for call, why in {
        "delete_key again": "PyTorch's FileStore says True where there was nothing to delete",
        "has_extended_api": "PyTorch's FileStore has the calls, and says that it has not",
        "wait for nothing": "a DistStoreError, as of the other stores; PyTorch: its RuntimeError",
        "get nothing": "likewise",
        "num_keys": "PyTorch's FileStore counts the key in which it counts its users",
      }.items()),
    *(("tensors", f"backwards {what}", "a mesh's groups are in its order, as its coordinates are")
      for what in ("group 0", "local rank")),
    ("sharded", "not written by one", "discarded, as is said; PyTorch's one rank has nothing else"),
    ("sharded", "sharded of one", "DTensors, as of several; PyTorch's one rank has whole tensors"),
    *(("tensors", name, "made whole first; PyTorch says that one shall do so oneself")
      for name in ("view uneven S(0)", "flatten uneven S(0)")),
    *(("tensors", f"{name}: {what}", why) for what in ("placements", "local") for name, why in {
        **dict.fromkeys(("flatten S(1)", "flatten uneven S(1)"),
                        "joined dimensions of which a later one is cut are whole here; PyTorch has "
                        "parts of parts"),
        "embedding rows": "rows that another rank has are zeros here; PyTorch's are wrong, masked",
      }.items()),
]  # fmt: skip


def meant(part: str, name: str) -> bool:
    return any(part == p and name.startswith(start) for p, start, _ in MEANT)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("part", PARTS)
def test_same_as_gloo(started: Path, part: str, ranks: int) -> None:
    found = []
    for rank in range(ranks):
        sides = [noted(started, which, ranks, rank) for which in STARTS]
        for which, side in zip(STARTS, sides, strict=True):
            assert part in side, (started / f"{which}.log").read_text()[-4000:]
        theirs, ours = (side[part] for side in sides)
        for a, b in zip(theirs, ours, strict=False):
            assert a[0] == b[0], f"rank {rank}: PyTorch {a}, Rushlight {b}"
        assert len(ours) == len(theirs)
        assert len(theirs) >= PARTS[part]
        call = ""
        for (name, a, (rtol, atol)), (_, b, _) in zip(theirs, ours, strict=True):
            call = name if name != "then" else call
            said = "" if meant(part, call) else differ(a, b, rtol, atol)
            if said:
                found.append(f"rank {rank}, {call}: PyTorch's and ours {said}")
    assert not found, "\n".join([f"{len(found)} differ", *found[:40]])
