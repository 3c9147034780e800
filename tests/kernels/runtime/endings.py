"""Forks, new processes, threads, signals and exits while kernels run: no hang, no crash.

    python -m tests.kernels.runtime.endings --rounds 200

Each program below runs in a process of its own, which must end as it says. `test_endings.py` runs
some rounds of each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIMIT = 180  # seconds: a process that takes longer hangs

BEGIN = """
import atexit, os, signal, sys, threading, time
import numpy as np
import rushlight as torch

delay = int(sys.argv[1]) % 23 * 2e-4  # at another moment in each round
torch.set_num_threads(3)
x = torch.linspace(-3, 3, 300_000)
a = torch.ones(200, 200)
wanted = float(x.exp().sum())

def right():
    assert float(x.exp().sum()) == wanted and float((a @ a)[7, 9]) == 200

def busy():
    while True:
        right()

def background(number=2, daemon=True, target=busy):
    for _ in range(number):
        threading.Thread(target=target, daemon=daemon).start()
    time.sleep(delay)

right()
"""

# name: the program, and its exit code
PROGRAMS: dict[str, tuple[str, int]] = {
    "daemon threads at exit": ("background(); right()", 0),
    "sys.exit in another thread": (
        """
def leave():
    right()
    sys.exit(5)  # ends that thread alone
background(1); background(2, False, leave); right()
""",
        0,
    ),
    "a thread goes on after the main one": (
        """
def some():
    for _ in range(20): right()
background(2, False, some)
""",
        0,
    ),
    "os._exit in another thread": (
        """
background(1); background(1, True, lambda: os._exit(7)); busy()
""",
        7,
    ),
    "kernels at exit": (
        "atexit.register(right); background(1)\natexit.register(lambda: (right(), right()))",
        0,
    ),
    "an exception ends the program": ("background(); sys.exit(3)", 3),
    "Ctrl-C in a kernel": (
        """
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
for _ in range(5):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-3 + delay)
        busy()
    except KeyboardInterrupt:
        right()
""",
        0,
    ),
    "Ctrl-C ends the program": (
        """
background(1)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 1e-3 + delay)
try:
    busy()
except KeyboardInterrupt:
    sys.exit(9)
""",
        9,
    ),
    "a handler that computes": (
        """
count = 0
def handler(*_):
    global count
    count += 1
    right()
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 2e-3, 2e-3 + delay)
while count < 10: right()
signal.setitimer(signal.ITIMER_REAL, 0)
""",
        0,
    ),
    "a signal kills it": (
        "background(); os.kill(os.getpid(), signal.SIGTERM); busy()", -15,
    ),
    "forks among threads": (
        """
import warnings; warnings.simplefilter("ignore")
background()
for _ in range(4):
    child = os.fork()
    if child == 0:
        right(); torch.set_num_threads(2); right()
        grandchild = os.fork()
        if grandchild == 0:
            right(); os._exit(0)
        os._exit(os.waitpid(grandchild, 0)[1] != 0)
    right()
    assert os.waitpid(child, 0)[1] == 0
""",
        0,
    ),
    "a forked child that exits as Python does": (
        """
import warnings; warnings.simplefilter("ignore")
background(1)
child = os.fork()
if child == 0:
    background(1); right(); sys.exit(4)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
""",
        0,
    ),
    "processes begun anew": (
        """
import subprocess
background(1)
code = "import rushlight as t; x = t.ones(300_000); assert float((x + x).sum()) == 600_000"
subprocess.run([sys.executable, "-c", code], check=True)
right()
""",
        0,
    ),
    "threads at once, and their number changes": (
        """
def several():
    for _ in range(15): right()
crowd = [threading.Thread(target=several) for _ in range(5)]
for t in crowd: t.start()
for n in (1, 4, 2, 8, 3): torch.set_num_threads(n); right()
for t in crowd: t.join()
""",
        0,
    ),
}  # fmt: skip
if not hasattr(os, "fork"):  # Windows has neither forks nor these signals
    PROGRAMS = {k: v for k, v in PROGRAMS.items() if "fork" not in k and "signal" not in v[0]}


def run(name: str, number: int) -> str:
    """What went wrong in a round; empty if nothing did."""
    program, code = PROGRAMS[name]
    command = [sys.executable, "-c", BEGIN + program, str(number)]
    try:
        ended = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{name}, round {number}: hangs"
    if ended.returncode != code or "Fatal" in ended.stderr:
        return f"{name}, round {number}: ended by {ended.returncode}\n{ended.stderr[-1500:]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--only", help="programs whose name has this in it")
    options = parser.parse_args()
    wrong = 0
    for name in PROGRAMS:
        if options.only and options.only not in name:
            continue
        begin = time.perf_counter()
        found = [text for i in range(options.rounds) if (text := run(name, i))]
        wrong += len(found)
        took = time.perf_counter() - begin
        print(
            f"{name:45}{options.rounds - len(found)} of {options.rounds}  {took:.0f} s", flush=True
        )
        print(*found[:2], sep="\n", end="\n" if found else "", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
