"""Shows that two source trees compute the same bits.

    python tools/same_bits.py OLD NEW              training programs: 50 steps, 1 and 2 threads
    python tools/same_bits.py OLD NEW --only mnist,gpt --steps 5
    python tools/same_bits.py OLD NEW --ops        samples of all records, and many larger calls
    python tools/same_bits.py OLD NEW --ops --jit 1,always,0

OLD and NEW are commits of this repository, or folders that hold `rushlight/`. Each program runs in
a process of its own for each tree, with that tree first on its path, and tells a hash of every
value: after each step of training the loss, all gradients, parameters, buffers, the optimiser's
state and the random generator's. Both sides have the same seed and the same data. What differs is
run once more, to say by how much. On a CPU with a matrix unit all runs with it and without it.

The exit status is 0 when all bits are the same, 1 when some differ, 2 when a tree cannot be had.
Values that only one of the trees has (a record that was renamed) are counted and do not fail.

Read next: `same_bits_child.py`, then `same_bits_programs.py` and `same_bits_calls.py`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pickle
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent
PROGRAMS = (
    "mnist", "mnist_adam", "gpt", "lstm", "gru", "resnet", "resnet18", "mlp", "gan", "autocast",
    "optimizers",
)  # fmt: skip
OPS = ("records", "calls")
SHOWN = 20  # differences that are told of one program


def tree(given: str, into: Path) -> Path:
    """The folder of a tree: the one that is named, or a commit's files written into a new one."""
    if (Path(given) / "rushlight").is_dir():
        return Path(given).resolve()
    archive = into / "tree.tar"
    git = ["git", "-C", str(ROOT), "archive", "--output", str(archive), given, "rushlight"]
    done = subprocess.run(git, capture_output=True, text=True)
    if done.returncode:
        print(
            f"same_bits: there is no tree to compare\n"
            f"  got     {given!r}: {done.stderr.strip().splitlines()[-1]}\n"
            f"  wanted  a commit of {ROOT}, or a folder with rushlight/ in it\n"
            f"  try     git log --oneline",
            file=sys.stderr,
        )
        raise SystemExit(2)
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    archive.unlink()
    return into


def has_matrix_unit() -> bool:
    """Whether Linux tells of one; where it does not, nothing has to be switched off."""
    try:
        words = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False
    return "amx_tile" in words


class Failed(Exception):
    """A program ended with an error."""


def run(root: Path, program: str, steps: int, environment: dict[str, str], *keep: str) -> list[str]:
    """What a program printed, run with the tree at `root`."""
    command = [sys.executable, str(TOOLS / "same_bits_child.py"), program, str(steps), *keep]
    clean = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_TEST_SEED"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=tempfile.gettempdir(),
        env={**clean, "PYTHONPATH": str(root), **environment},
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise Failed(f"{last}")
    return done.stdout.splitlines()


def hashes(lines: list[str]) -> dict[str, str]:
    """key -> hash, in the order of computation."""
    return dict(line.rsplit("\t", 1) for line in lines)  # type: ignore[arg-type]


def most(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return float(np.nanmax(np.abs(a.astype(wide) - b.astype(wide)), initial=0.0))


def distance(a: Any, b: Any, exact: Any) -> str:
    """How far two values are apart, in words; `exact`: what float64 makes of the same operands."""
    if a is None or b is None:
        return "not the same in a second run"
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype} {a.shape} became {b.dtype} {b.shape}"
    if a.dtype.kind in "USO":
        return f"{a} became {b}"
    if a.dtype.kind == "b":
        return f"{int((a != b).sum())} of {a.size} values"
    if not most(a, b):
        return "zeros of another sign, or other NaN"
    told = f"at most {most(a, b):.3g} apart, the largest value {most(a, np.zeros_like(a)):.3g}"
    if exact is None or exact.shape != a.shape or a.dtype == np.float64:
        return told
    return f"{told}; error against float64 {most(a, exact):.3g}, now {most(b, exact):.3g}"


def distances(trees: list[Path], program: str, steps: int, environment: dict[str, str],
              keys: list[str]) -> list[str]:  # fmt: skip
    """How far values are apart: both trees run once more and keep them."""
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for root in trees:
            run(root, program, steps, environment, str(Path(folder) / "kept"), *keys)
            kept.append(pickle.loads((Path(folder) / "kept").read_bytes()))
    exactly = [": ".join([f"{m}, exactly", n]) for m, n in (k.rsplit(": ", 1) for k in keys)]
    old, new = kept
    pairs = zip(keys, exactly, strict=True)
    return [distance(old.get(k), new.get(k), old.get(e)) for k, e in pairs]


def compare(
    trees: list[Path], program: str, steps: int, environment: dict[str, str], name: str
) -> bool:
    """Run one program with both trees and say what was found; True when all bits are the same."""
    begin = time.perf_counter()
    try:
        old, new = (hashes(run(root, program, steps, environment)) for root in trees)
    except Failed as error:
        print(f"{name}: failed: {error}", flush=True)
        return False
    both = [key for key in old if key in new]
    apart = [key for key in both if old[key] != new[key]]
    single = len(old) + len(new) - 2 * len(both)
    told = f"{len(both)} values, {time.perf_counter() - begin:.0f} s"
    told += f"; {single} that only one tree has" if single else ""
    if not both:
        print(f"{name}: nothing to compare: {told}", flush=True)
        return False
    if not apart:
        what = "same bits" if program in OPS else f"same bits over {steps_of(both)} steps"
        print(f"{name}: {what} ({told})", flush=True)
        return True
    print(f"{name}: {len(apart)} differ ({told}); the first of them:", flush=True)
    shown = first_of_each(apart) if program in OPS else apart[:3]
    for key, far in zip(shown, distances(trees, program, steps, environment, shown), strict=True):
        print(f"  {key}: {far}", flush=True)
    return False


def first_of_each(keys: list[str]) -> list[str]:
    """Some of the keys, of as many ops as there are."""
    rank: Counter[str] = Counter()
    order = []
    for key in keys:
        rank[key.split()[0]] += 1
        order.append(rank[key.split()[0]])
    ranked = sorted(zip(order, keys, strict=True), key=lambda pair: pair[0])
    return [key for _, key in ranked[:SHOWN]]


def steps_of(keys: list[str]) -> int:
    return len({key.split(":")[0] for key in keys if key.startswith("step ")})


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--only", help=f"some of {','.join((*PROGRAMS, *OPS))}")
    parser.add_argument("--ops", action="store_true", help="records and calls, not the programs")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--jit", default="1", help="values of RUSHLIGHT_JIT: 1, always, 0")
    unit = "1,0" if has_matrix_unit() else "1"
    parser.add_argument("--amx", default=unit, help="values of RUSHLIGHT_AMX: 1, 0")
    given = parser.parse_args()
    given.names = given.only.split(",") if given.only else OPS if given.ops else PROGRAMS
    unknown = set(given.names) - {*PROGRAMS, *OPS}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; see --only")
    return given


def main() -> int:
    given = options()
    same = True
    with tempfile.TemporaryDirectory() as folder:
        trees = []
        for i, named in enumerate((given.old, given.new)):
            into = Path(folder) / str(i)
            into.mkdir()
            trees.append(tree(named, into))
        settings = (given.amx.split(","), given.jit.split(","), given.threads.split(","))
        for amx, jit, threads in itertools.product(*settings):
            environment = {
                "RUSHLIGHT_AMX": amx,
                "RUSHLIGHT_JIT": jit,
                "RUSHLIGHT_NUM_THREADS": threads,
                "OMP_NUM_THREADS": threads,
                "OPENBLAS_NUM_THREADS": threads,
            }
            told = f"{threads} thread{'s' if threads != '1' else ''}"
            told += "" if jit == "1" else f", RUSHLIGHT_JIT={jit}"
            told += ", without the matrix unit" if amx == "0" else ""
            for program in given.names:
                name = f"{program:10} {told}"
                same &= compare(trees, program, given.steps, environment, name)
    print("same bits" if same else "not the same bits")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
