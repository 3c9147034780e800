"""Tensors between processes: milliseconds there and back, ours and PyTorch's.

    python -m benchmarks.shared_tensors            the table
    python -m benchmarks.shared_tensors --once rushlight    one library's figures

A forked process echoes what a `SimpleQueue` brings. Figures are worth something only when nothing
else runs on the machine.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

LIBRARIES = ("rushlight", "torch")
ROUNDS = 5


def echo(queue: Any, answers: Any) -> None:
    while (got := queue.get()) is not None:
        answers.put(got)


def there_and_back(mp: Any, times: int, make: Callable[[], Any]) -> float:
    """Milliseconds of one exchange."""
    context = mp.get_context("fork")
    queue, answers = context.SimpleQueue(), context.SimpleQueue()
    process = context.Process(target=echo, args=(queue, answers))
    process.start()
    queue.put(make())
    answers.get()
    start = time.perf_counter()
    for _ in range(times):
        queue.put(make())
        answers.get()
    spent = time.perf_counter() - start
    queue.put(None)
    process.join()
    return spent / times * 1e3


def figures(name: str) -> dict[str, float]:
    torch = importlib.import_module(name)
    mp = importlib.import_module(name + ".multiprocessing")
    shared = torch.zeros(10).share_memory_()
    layers = [torch.nn.Linear(64, 64) for _ in range(80)]
    start = time.perf_counter()
    model = torch.nn.Sequential(*layers).share_memory()
    sharing = (time.perf_counter() - start) * 1e3
    cases: dict[str, tuple[int, Callable[[], Any]]] = {
        "a fresh tensor of 40 bytes": (300, lambda: torch.zeros(10)),
        "a fresh tensor of 1 MB": (200, lambda: torch.ones(1 << 18)),
        "a fresh tensor of 64 MB": (10, lambda: torch.ones(1 << 24)),
        "a shared tensor": (300, lambda: shared),
        "20 fresh tensors": (50, lambda: [torch.zeros(10) for _ in range(20)]),
        "a shared model of 160 parameters": (5, lambda: model),
    }
    found = {case: there_and_back(mp, times, make) for case, (times, make) in cases.items()}
    return {**found, "sharing that model": sharing}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--once", choices=LIBRARIES)
    args = parser.parse_args()
    if args.once:
        print(json.dumps(figures(args.once)))
        return
    have = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in have}
    for _ in range(ROUNDS):  # in turns, so that a busy moment meets both
        for name in have:
            command = [sys.executable, "-m", "benchmarks.shared_tensors", "--once", name]
            env = {**os.environ, "OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
            rounds[name].append(json.loads(done.stdout))
    print(f"{'ms, median of ' + str(ROUNDS):36}" + "".join(f"{name:>12}" for name in have))
    for case in rounds[have[0]][0]:
        middle = [statistics.median(r[case] for r in rounds[name]) for name in have]
        print(f"{case:36}" + "".join(f"{ms:12.3f}" for ms in middle))


if __name__ == "__main__":
    main()
