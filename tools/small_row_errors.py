"""Compares the rounding errors of two source trees where arrays are small, against float64.

    python tools/small_row_errors.py OLD NEW                 operations, each output and gradient
    python tools/small_row_errors.py OLD NEW --only softmax,layer_norm --draws 5000
    python tools/small_row_errors.py OLD NEW --programs      gradients of training programs' steps

OLD and NEW are commits of this repository, or folders that hold `rushlight/`, as `same_bits.py` has
it. Each tree runs in a process of its own, with the same operands: float32 numbers, drawn some
thousand times. Both are compared with what NEW makes of them in float64. A line is one output of
one call: the errors of either tree as roots of the mean square over all draws, their ratio (below 1
where NEW is closer), its standard error, and the ratio of the largest errors. A line that is above
1 by half a percent and by three standard errors is marked, and makes the exit status 1.

With `--programs` an operation is the first steps of a program of `same_bits_programs.py`, its
initial values and data drawn for each seed: the loss, and the gradients of all parameters together.
A ReLU that falls on its other side moves gradients by more than roundings do: draws in which either
tree is ten times as far from float64 as usual are left out and counted.

Not here: how trees are had (`same_bits.py`), which calls there are (`small_row_calls.py`).
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from same_bits import TOOLS, tree

DRAWS = 2000
SEEDS = 100
NOISE = 3.0  # standard errors of a ratio that are not told from chance
LESS = 0.005  # and the least that counts
FAR = 10.0  # times the usual error that tell another sign from roundings


class Errors:
    """The squares of errors, draw by draw.

    Attributes:
        squares: for each draw, the sum over the elements of an output.
        largest: the largest error of all draws.
    """

    def __init__(self, found: np.ndarray, exact: np.ndarray) -> None:
        apart = np.abs(found.astype(np.float64) - exact).reshape(len(exact), -1)
        self.squares, self.largest = (apart**2).sum(1), float(apart.max(initial=0.0))
        self.size = apart.size

    @property
    def root(self) -> float:
        """The root of the mean square."""
        return float(np.sqrt(self.squares.sum() / self.size))


def ratio(new: Errors, old: Errors) -> tuple[float, float]:
    """How many times larger the errors of `new` are, and the standard error of that.

    Both trees have the same operands, so a draw that is hard for one is hard for the other; what is
    uncertain is how their shares of the sums differ.
    """
    a, b = (e.squares / (e.squares.sum() or 1.0) for e in (new, old))
    found = new.root / old.root if old.root else (1.0 if not new.root else float("inf"))
    return found, 0.5 * found * float(np.sqrt(((a - b) ** 2).sum()))


def run(root: Path, environment: dict[str, str], *given: str) -> dict[str, np.ndarray]:
    """{output: its values in all draws} of a child with the tree at `root`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kept"
        command = [sys.executable, str(TOOLS / "small_row_calls.py"), str(file), *given]
        env = {**environment, "PYTHONPATH": str(root)}
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            raise SystemExit(2)
        return pickle.loads(file.read_bytes())  # type: ignore[no-any-return]


def usual(old: Errors, new: Errors) -> np.ndarray:
    """The draws of a program in which neither tree is far from float64: in the others a ReLU or a
    maximum fell on its other side."""
    squares = np.maximum(old.squares, new.squares)
    return squares <= FAR**2 * np.median(squares)


def told(
    name: str, trees: list[Path], environment: dict[str, str], draws: int, programs: bool
) -> bool:
    """Print the lines of one operation or program; True when no error has grown."""
    fine = True
    old, new = (run(root, environment, name, str(draws), "float32") for root in trees)
    exact = run(trees[1], environment, name, str(draws), "float64")
    for key in exact:
        before, now = (Errors(a[key], exact[key]) for a in (old, new))
        less = ""
        if programs:
            kept = usual(before, now)
            before, now = (Errors(a[key][kept], exact[key][kept]) for a in (old, new))
            less = f"  {(~kept).sum()} draws left out" if not kept.all() else ""
        found, error = ratio(now, before)
        most = now.largest / before.largest if before.largest else 1.0
        grown = found > 1 + max(LESS, NOISE * error)
        fine &= not grown
        same = "  same bits" if np.array_equal(old[key], new[key]) else ""
        print(f"{key:58} {before.root:8.3g} {now.root:8.3g}   {found:6.3f} ± {error:.3f}"
              f"   {most:5.2f}{same}{less}{'  LARGER' if grown else ''}", flush=True)  # fmt: skip
    return fine


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--only", help="some of the operations or programs, with commas")
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--draws", type=int, help=f"{DRAWS}; of programs {SEEDS}")
    return parser.parse_args()


def main() -> int:
    given = options()
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RUSHLIGHT_NUM_THREADS"), "1")
    environment = {k: v for k, v in os.environ.items() if k != "RUSHLIGHT_JIT"} | one
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        trees = []
        for i, named in enumerate((given.old, given.new)):
            into = Path(folder) / str(i)
            into.mkdir()
            trees.append(tree(named, into))
        listed = [sys.executable, str(TOOLS / "small_row_calls.py"), "--list"]
        done = subprocess.run(listed, capture_output=True, text=True, check=True,
                              env={**environment, "PYTHONPATH": str(trees[1])})  # fmt: skip
        names = done.stdout.splitlines()[given.programs].split()
        names = given.only.split(",") if given.only else names
        draws = given.draws or (SEEDS if given.programs else DRAWS)
        print(f"{'output':58} {'old':>8} {'new':>8}   {'ratio':>6}            largest")
        for name in names:
            fine &= told(name, trees, environment, draws, given.programs)
    print("no error is larger" if fine else "some errors are larger")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
