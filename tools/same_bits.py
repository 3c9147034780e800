"""Shows that two source trees compute the same bits.

    python tools/same_bits.py OLD NEW              training programs: 50 steps, 1 and 2 threads
    python tools/same_bits.py OLD NEW --only mnist,gpt --steps 5
    python tools/same_bits.py OLD NEW --ops        samples of all records, and many larger calls
    python tools/same_bits.py OLD NEW --ops --jit 1,always,0

OLD and NEW are commits of this repository, or folders that hold `rushlight/`. Each program runs in
a process of its own for each tree, with that tree first on its path, and tells a hash of every
value: after each step of training the loss, all gradients, parameters, buffers, the optimiser's
state and the random generator's. Both sides have the same seed and the same data. What differs is
run once more, to say by how much. On a CPU with a matrix unit all runs with it and without it; on
others `--amx emulate,1` computes what it would, for trees that have `matmul/amx_emulated.py`.

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
from collections.abc import Iterator
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
MOST = 4000  # differences that are looked at again
Kept = dict[str, np.ndarray]


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
    with np.errstate(invalid="ignore"):
        return float(np.nanmax(np.abs(a.astype(wide) - b.astype(wide)), initial=0.0))


def distance(a: Any, b: Any) -> str:
    """How far two values are apart, in words."""
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
    return f"at most {most(a, b):.3g} apart, the largest value {most(a, np.zeros_like(a)):.3g}"


def in_float64(key: str) -> str:
    """The key of what float64 makes of the same operands."""
    moment, name = key.rsplit(": ", 1)
    return f"{moment}, exactly: {name}"


def by_op(old: Kept, new: Kept, keys: list[str]) -> Iterator[str]:
    """A line for each op: how many values differ, the worst of them, and whether the errors against
    float64 grew (of types below float64, as shares of the largest value)."""
    ops: dict[str, list[str]] = {}
    for key in keys:
        ops.setdefault(key.split()[0], []).append(key)
    for op, own in ops.items():
        shares, errors, others = {}, [], 0
        for key in own:
            a, b = old.get(key), new.get(key)
            if a is None or b is None or a.shape != b.shape or a.dtype.kind not in "fciu":
                shares[key] = np.inf
                continue
            size = most(a, np.zeros_like(a)) or 1.0
            shares[key] = most(a, b) / size
            exact, now = (kept.get(in_float64(key)) for kept in (old, new))
            if exact is None or now is None or exact.shape != a.shape or now.shape != a.shape:
                continue
            if most(exact, now) > 1e-6 * size:
                others += 1
            elif a.dtype != np.float64:
                errors.append((most(a, exact) / size, most(b, exact) / size))
        worst = max(shares, key=lambda key: shares[key])
        told = f"{op}: {len(own)} differ; the most {worst}: "
        told += distance(old.get(worst), new.get(worst))
        if errors:
            before, after = (max(pair[i] for pair in errors) for i in range(2))
            grown = sum(e > 1.01 * d for d, e in errors)
            told += f"; error against float64 {before:.2g}, now {after:.2g}, of"
            told += f" {len(errors)} values {grown} have a larger one"
        yield told + (f"; {others} differ in float64 too: another sample?" if others else "")


def values(trees: list[Path], program: str, steps: int, environment: dict[str, str],
           keys: list[str]) -> tuple[Kept, Kept]:  # fmt: skip
    """What both trees compute: they run once more and keep it."""
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        for root in trees:
            run(root, program, steps, environment, str(Path(folder) / "kept"), *keys)
            kept.append(pickle.loads((Path(folder) / "kept").read_bytes()))
    return kept[0], kept[1]


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
    ops = program in OPS
    print(f"{name}: {len(apart)} differ ({told}){':' if ops else '; the first:'}", flush=True)
    shown = apart[: MOST if ops else 3]
    old_kept, new_kept = values(trees, program, steps, environment, shown)
    if ops:
        lines = list(by_op(old_kept, new_kept, shown))
    else:
        lines = [f"{key}: {distance(old_kept.get(key), new_kept.get(key))}" for key in shown]
    for line in lines:
        print(f"  {line}", flush=True)
    return False


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
    parser.add_argument("--amx", default=unit, help="values of RUSHLIGHT_AMX: 1, 0, emulate")
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
            told += {"0": ", without the matrix unit", "emulate": ", AMX emulated"}.get(amx, "")
            for program in given.names:
                name = f"{program:10} {told}"
                same &= compare(trees, program, given.steps, environment, name)
    print("same bits" if same else "not the same bits")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
