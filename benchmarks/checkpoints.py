"""Saving and loading a ResNet-18's state: time and memory, ours and PyTorch's, alternating.

    python -m benchmarks.checkpoints             the table
    python -m benchmarks.checkpoints --folder /dev/shm     where the files lie (memory: no disk)
    python -m benchmarks.checkpoints --once rushlight PATH  one process's figures (for the table)

Every round runs each library in a process of its own; the best of the rounds counts. Memory is how
far the process grew at most while it loaded. Files are in the cache of the system, so loading
measures copying and checking, not the disk; saving brings our file to the disk (fsync), which
PyTorch does not do. Figures are worth something only when nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 5
REPEATS = 5


def state(torch: Any) -> dict[str, Any]:
    """Tensors in the number and the sizes of ResNet-18's: 122 of them, 46.8 MB."""
    made, width = {"conv1.weight": (64, 3, 7, 7), "fc.weight": (1000, 512), "fc.bias": (1000,)}, 64
    norms = {"bn1": 64}
    for stage, out in enumerate((64, 128, 256, 512), 1):
        for block in range(2):
            name = f"layer{stage}.{block}"
            made[f"{name}.conv1.weight"] = (out, width, 3, 3)
            made[f"{name}.conv2.weight"] = (out, out, 3, 3)
            norms |= {f"{name}.bn1": out, f"{name}.bn2": out}
            if width != out:
                made[f"{name}.downsample.0.weight"] = (out, width, 1, 1)
                norms[f"{name}.downsample.1"] = out
            width = out
    for name, size in norms.items():
        for field in ("weight", "bias", "running_mean", "running_var"):
            made[f"{name}.{field}"] = (size,)
    tensors = {name: torch.rand(*shape) for name, shape in made.items()}
    return tensors | {f"{name}.num_batches_tracked": torch.tensor(1) for name in norms}


def best(call: Callable[[], Any]) -> float:
    """Milliseconds of the fastest of some calls."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def figures(library: str, folder: str) -> dict[str, float]:
    """What one process measures."""
    torch = importlib.import_module(library)
    torch.manual_seed(0)
    tensors = state(torch)
    path, plain = os.path.join(folder, "state.pt"), os.path.join(folder, "state.safetensors")
    if library == "rushlight":
        safetensors = importlib.import_module("rushlight.serialization.safetensors")
    else:
        safetensors = importlib.import_module("safetensors.torch")
    found = {"save": best(lambda: torch.save(tensors, path))}
    found["save, safetensors"] = best(lambda: safetensors.save_file(tensors, plain))
    found["save without fsync"] = found["save"]
    if library == "rushlight":
        fsync, os.fsync = os.fsync, lambda descriptor: None
        found["save without fsync"] = best(lambda: torch.save(tensors, path))
        os.fsync = fsync
    size = os.path.getsize(path)
    tensors.clear()
    torch.load(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kept = [torch.load(path) for _ in range(2)]  # the second cannot use what the first freed
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    found["memory of two loads, in files"] = grown / size
    del kept
    found["load"] = best(lambda: torch.load(path))
    found["load, mmap"] = best(lambda: torch.load(path, mmap=True))
    found["load, mmap, every byte read"] = best(
        lambda: [t.sum() for t in torch.load(path, mmap=True).values()]
    )
    found["load, safetensors"] = best(lambda: safetensors.load_file(plain))
    found["load, safetensors, every byte read"] = best(
        lambda: [t.sum() for t in safetensors.load_file(plain).values()]
    )
    if library == "rushlight":
        torch.serialization.set_crc32_options(False)
        found["load, checksums off"] = best(lambda: torch.load(path))
    else:
        found["load, checksums off"] = found["load"]
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--once", nargs=2, metavar=("LIBRARY", "FOLDER"))
    parser.add_argument("--folder", help="where the files lie; a temporary folder by default")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(figures(*options.once)))
        return
    rows: dict[str, dict[str, float]] = {"rushlight": {}, "torch": {}}
    for _ in range(ROUNDS):
        for library, row in rows.items():
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                done = subprocess.run(
                    [sys.executable, "-m", "benchmarks.checkpoints", "--once", library, folder],
                    check=True,
                    capture_output=True,
                    text=True,
                )
            for name, value in json.loads(done.stdout).items():
                row[name] = min(value, row.get(name, value))
    print(f"{'':36}{'rushlight':>11}{'PyTorch':>11}{'ratio':>8}")
    for name, ours in rows["rushlight"].items():
        theirs = rows["torch"][name]
        ratio = f"{ours / theirs:.2f}" if theirs else ""
        unit = "" if "memory" in name else " ms"
        print(f"{name:36}{ours:>8.2f}{unit:3}{theirs:>8.2f}{unit:3}{ratio:>8}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
