"""Several processes: all_reduce and DistributedDataParallel, ours and PyTorch's with gloo.

    python -m benchmarks.distributed                 the table
    python -m benchmarks.distributed mnist gpt       some of its rows
    python -m benchmarks.distributed --rounds 2 --force     quick, on a machine that is at work
    python -m benchmarks.distributed --once torch all_reduce_2    one library's figures, as JSON

Each figure comes from processes of their own, of one thread each; the libraries take turns, so that
a busy moment meets both. Of all_reduce it is the median time of a call; of training, samples a
second of all ranks together, each with a batch of the size that one rank alone has. Wants as many
idle cores as there are ranks.
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
import tempfile
import time
from collections.abc import Callable
from typing import Any

from . import machine, models

LIBRARIES = ("rushlight", "torch")
SIZES = {"4 KB": 1 << 10, "1 MB": 1 << 18, "64 MB": 1 << 24}  # numbers of float32
CALLS = {"4 KB": 300, "1 MB": 60, "64 MB": 8}
STEPS = {"mnist": 150, "gpt": 30}
BATCH = {"mnist": 64, "gpt": 12}
# rows: what is measured, on how many ranks
ROWS = {
    "all_reduce_2": ("all_reduce", 2),
    "all_reduce_4": ("all_reduce", 4),
    "mnist": ("mnist", 2),
    "gpt": ("gpt", 2),
}
SPEED = "DDP, 2 ranks: samples/s against twice one rank's"
PEER = "DDP, 2 ranks: time, ours / PyTorch's"
# at most (of SPEED: at least), aim
LIMITS = {"all_reduce": (1.0, 0.6), SPEED: (0.85, 0.95), PEER: (0.8, 0.6)}


# -- in the processes that are measured ------------------------------------------------------------


def work(rank: int, library: str, what: str, ranks: int, address: str, answer: str) -> None:
    """One rank; rank 0 writes the figures to a file."""
    torch = importlib.import_module(library)
    dist = importlib.import_module(library + ".distributed")
    torch.set_num_threads(1)
    if ranks > 1:
        dist.init_process_group("gloo", init_method=address, rank=rank, world_size=ranks)
    found = reductions(torch, dist) if what == "all_reduce" else training(torch, dist, what, ranks)
    if rank == 0:
        with open(answer, "w", encoding="utf-8") as file:
            json.dump(found, file)
    if ranks > 1:
        dist.barrier()
        dist.destroy_process_group()


def reductions(torch: Any, dist: Any) -> dict[str, float]:
    """Milliseconds of an all_reduce of each size."""
    found = {}
    for name, count in SIZES.items():
        x = torch.zeros(count)
        for _ in range(3):
            dist.all_reduce(x)
        dist.barrier()
        times = []
        for _ in range(CALLS[name]):
            begin = time.perf_counter()
            dist.all_reduce(x)
            times.append(time.perf_counter() - begin)
        found[name] = statistics.median(times) * 1e3
    return found


def training(torch: Any, dist: Any, what: str, ranks: int) -> dict[str, float]:
    """Samples a second of all ranks; with one rank, of the model as it is."""
    torch.manual_seed(0)
    step, model = mnist_step(torch) if what == "mnist" else gpt_step(torch)
    if ranks > 1:
        parallel = importlib.import_module(torch.__name__ + ".nn.parallel")
        model = parallel.DistributedDataParallel(model)
    for _ in range(5):  # buckets are made anew after the first
        step(model)
    if ranks > 1:
        dist.barrier()
    times = []
    for _ in range(STEPS[what]):
        begin = time.perf_counter()
        step(model)
        times.append(time.perf_counter() - begin)
    return {"samples/s": BATCH[what] * ranks / statistics.median(times)}


def mnist_step(torch: Any) -> tuple[Callable[[Any], None], Any]:
    """The convolutional network of the MNIST example, SGD."""
    model = models.mnist(torch)
    x = torch.randn(BATCH["mnist"], 1, 28, 28)
    y = torch.randint(10, (BATCH["mnist"],))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)

    def step(model: Any) -> None:
        optimizer.zero_grad()
        torch.nn.functional.nll_loss(model(x), y).backward()
        optimizer.step()

    return step, model


def gpt_step(torch: Any) -> tuple[Callable[[Any], None], Any]:
    """A decoder of four layers, 128 wide, AdamW."""
    letters, long = 65, 64
    model = models.gpt(torch, letters, long, 128, layers=4, heads=4)
    x = torch.randint(letters, (BATCH["gpt"], long))
    y = torch.randint(letters, (BATCH["gpt"] * long,))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(model: Any) -> None:
        optimizer.zero_grad()
        logits = model(x)
        torch.nn.functional.cross_entropy(logits.view(-1, letters), y).backward()
        optimizer.step()

    return step, model


# -- the table -------------------------------------------------------------------------------------


def once(library: str, row: str, alone: bool = False) -> dict[str, float]:
    """Start the ranks of a row (or one), and return what rank 0 has measured."""
    what, ranks = ROWS[row]
    ranks = 1 if alone else ranks
    mp = importlib.import_module(library + ".multiprocessing")
    with tempfile.TemporaryDirectory() as folder:
        answer = folder + "/figures.json"
        arguments = (library, what, ranks, f"file://{folder}/meet", answer)
        mp.spawn(work, arguments, nprocs=ranks)
        with open(answer, encoding="utf-8") as file:
            return dict(json.load(file))


def started(library: str, row: str, alone: bool) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.distributed"]
    command += ["--once", library, row, *(["--alone"] if alone else [])]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measured(rows: list[str], rounds: int, have: list[str]) -> list[tuple[str, str, list[float]]]:
    """(label, which limit, a ratio for each round), and prints what they are made of."""
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(rounds):
        for row in rows:
            what, ranks = ROWS[row]
            order = have if number % 2 == 0 else have[::-1]
            figures = {library: started(library, row, False) for library in order}
            print(f"  round {number + 1}, {row}: {figures}", file=sys.stderr)
            if what != "all_reduce":
                alone = started("rushlight", row, True)
                print(f"    one rank: {alone}", file=sys.stderr)
                ratio = figures["rushlight"]["samples/s"] / (ranks * alone["samples/s"])
                found.setdefault((row, SPEED), []).append(ratio)
            if "torch" not in figures:
                continue
            ours, theirs = figures["rushlight"], figures["torch"]
            if what == "all_reduce":
                for name in SIZES:
                    label = f"all_reduce of {name}, {ranks} ranks: time, ours / gloo's"
                    found.setdefault((label, what), []).append(ours[name] / theirs[name])
            else:
                ratio = theirs["samples/s"] / ours["samples/s"]
                found.setdefault((row, PEER), []).append(ratio)
    return [(label, kind, ratios) for (label, kind), ratios in found.items()]


def main() -> int:
    shape = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument("rows", nargs="*", help=", ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--force", action="store_true", help="also where others are at work")
    parser.add_argument("--once", metavar="LIBRARY", choices=LIBRARIES)
    parser.add_argument("--alone", action="store_true", help="with --once: one rank")
    given = parser.parse_args()
    rows = given.rows or list(ROWS)
    unknown = [row for row in rows if row not in ROWS]
    if unknown:
        parser.error(f"no row {unknown[0]}; there are {', '.join(ROWS)}")
    if given.once:
        print(json.dumps(once(given.once, rows[0], given.alone)))
        return 0
    others = machine.others_now()
    if others is not None and others > machine.LIMIT and not given.force:
        print(machine.refusal(others), file=sys.stderr)
        return 2
    have = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    needed = max(ROWS[row][1] for row in rows)
    if cores is not None and cores < needed:
        print(f"{cores} cores for {needed} ranks: they wait for each other", file=sys.stderr)
    print(f"{'median of ' + str(given.rounds) + ' rounds':60}{'ratio':>8}{'limit':>8}{'aim':>6}")
    for label, kind, ratios in measured(rows, given.rounds, have):
        limit, aim = LIMITS[kind]
        text = label if kind == "all_reduce" else f"{label}: {kind}"
        print(f"{text:60}{statistics.median(ratios):8.2f}{limit:8.2f}{aim:6.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
