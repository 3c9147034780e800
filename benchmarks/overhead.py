"""Overhead of small operations: microseconds a call, ours and PyTorch's, in alternating processes.

    python -m benchmarks.overhead            the table
    python -m benchmarks.overhead --once rushlight    one process's figures (used by the table)

Figures are worth something only when nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 5


def cases(torch: Any) -> dict[str, Callable[[], Any]]:
    """The measured calls, on whichever package is given."""
    a, b = torch.ones(4, 4), torch.ones(4, 4)
    w = torch.ones(4, 4, requires_grad=True)
    linear = torch.nn.Linear(8, 8) if hasattr(torch, "nn") else None
    x8 = torch.ones(1, 8)

    def chain() -> None:
        y = w
        for _ in range(10):
            y = y * b
            y = y + b
        y.sum().backward()
        w.grad = None

    def chain_of_parameters() -> None:
        y = a
        for _ in range(10):
            y = y * w
            y = y + w
        y.sum().backward()
        w.grad = None

    table: dict[str, Callable[[], Any]] = {
        "a + b": lambda: a + b,
        "a + b, with gradient": lambda: a + w,
        "a * 2.0": lambda: a * 2.0,
        "a.exp()": lambda: a.exp(),
        "a.sum()": lambda: a.sum(),
        "a[0]": lambda: a[0],
        "a.view(16)": lambda: a.view(16),
        "a.reshape(2, 8)": lambda: a.reshape(2, 8),
        "cat((a, b))": lambda: torch.cat((a, b)),
        "rand(1)": lambda: torch.rand(1),
        "a @ b": lambda: a @ b,
        "chain of 20, forward and backward": chain,
        "chain of 20, each with a parameter": chain_of_parameters,
    }
    if linear is not None:
        table["Linear(8, 8)"] = lambda: linear(x8)
    return table


def once(package: str) -> dict[str, float]:
    """Microseconds a call: the best of several repeats."""
    torch = importlib.import_module(package)
    out = {}
    for name, fn in cases(torch).items():
        number = 200 if "chain" in name else 5000
        best = float("inf")
        for _ in range(7):
            start = time.perf_counter()
            for _ in range(number):
                fn()
            best = min(best, (time.perf_counter() - start) / number)
        out[name] = best * 1e6
    return out


def plain_environment() -> dict[str, str]:
    """This environment, with two threads and with compiled files kept, as on a user's machine."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OMP_NUM_THREADS": "2"}


def child(package: str) -> dict[str, float]:
    got = subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead", "--once", package],
        capture_output=True,
        text=True,
        check=True,
        env=plain_environment(),
    )
    return dict(json.loads(got.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(once(options.once)))
        return
    from .small import SMALL  # here: it has these cases among its rows

    limits = {case: at_most for case, at_most, _aim in SMALL.values()}
    ours: dict[str, list[float]] = {}
    theirs: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        for package, table in (("rushlight", ours), ("torch", theirs)):
            for name, us in child(package).items():
                table.setdefault(name, []).append(us)
    print(
        f"{'work':<36}{'rushlight':>12}{'PyTorch':>12}{'ratio':>8}{'limit':>8}   (µs, median "
        f"of {options.rounds})"
    )
    for name in ours:
        mine, peer = (
            sorted(ours[name])[len(ours[name]) // 2],
            sorted(theirs[name])[len(theirs[name]) // 2],
        )
        limit = limits.get(name)
        print(f"{name:<36}{mine:>12.2f}{peer:>12.2f}{mine / peer:>8.2f}{limit if limit else '':>8}")
    print()
    for package in ("rushlight", "torch"):
        code = (
            f"import time,resource; s=time.perf_counter(); import {package}; "
            f"t=time.perf_counter()-s; "
            f"print(f'import {package}: {{t:.3f}} s, "
            f"{{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024:.0f}} MB resident')"
        )
        for _ in range(2):  # the first run warms the file cache
            line = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env=plain_environment(),
            ).stdout.strip()
        print(line)


if __name__ == "__main__":
    main()
