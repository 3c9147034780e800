"""What CI does, shared by processes: one more than there are cores take the next group of test
files, give it to pytest, and take another.

    python .ci/share_tests.py +static default numpy always emulated

A name is a mode of the tests (below); with a plus, a function of the shell that .ci/run has
exported. What a group needs is installed beside the first ones (`Mode.needs`).

Developers' runs are shared by pytest-xdist, whose first process hears of each test by itself and
whose others all collect the same tests: of tests that take a millisecond that is a third of the
time (measured: tests/ops 35 s of a core by one pytest, 57 s by two of pytest-xdist). Here nothing
is told but how a group ended, and the groups of all modes stand in one queue, so that no core waits
at the end of each mode. Tests that wait, for a browser, for ranks that meet, for a deadline, leave
a core idle for a fifteenth of the time: so there is one process more (decision 0052).

What a group says is shown when it has ended: all of it after a failure, else its last line and what
was skipped, by reason. The last lines are the sums of the modes.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
# Where .ci/run writes how an installation has ended, and how long that is waited for, in seconds.
# Without it, in a mode that is run by hand, the tests take what is there.
INSTALLED = Path(os.environ["CI_INSTALLED"]) if "CI_INSTALLED" in os.environ else None
PATIENCE = 1200
# A group that takes longer hangs, in seconds. It is asked where each of its threads stands: pytest
# lets a process write that when it is aborted. (Its own timeout starts and ends a thread for each
# test, for which a busy machine lets the test wait: a twentieth of the time, seen by a profiler.)
LIMIT = 1800
# The README's command, by one process for each group.
PYTEST = ("-q", "-n", "0", "-p", "no:cacheprovider")


@dataclass
class Mode:
    """`groups`: patterns of files and folders in `tests/`, what takes long first; "pattern / 3"
    makes three groups of it. What an earlier group has, later ones have not: "*" is the rest."""

    groups: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  # patterns of what this mode leaves out
    needs: tuple[str, ...] = ()  # what .ci/run installs or builds meanwhile


MODES = {
    # The tests by the command of the README, and the long ones. (The comparison and the programs
    # with packages say here that they are skipped, and why.)
    "default": Mode(
        ("distributed", "kernels/*", "examples", "compiler", "test_*.py / 2", "utils", "autograd",
         "explain", "ops", "benchmarks multiprocessing", "vision", "*"),
        without=("test_site.py",),
        needs=("extras", "browser"),
    ),
    # What is looked at twice is what computes; files, sources, processes, the drop-in and tools are
    # looked at above, and the long tests are of kernels or run where there are kernels.
    "numpy": Mode(
        ("compiler", "kernels autograd", "ops", "test_*.py", "*"),
        {"RUSHLIGHT_JIT": "0"},
        ("-m", "not long"),
        ("compare", "packages", "examples", "multiprocessing", "distributed", "utils/data",
         "serialization", "dropin", "test_dropin.py", "tools", "benchmarks", "typing", "explain",
         "test_docs.py", "test_help.py", "test_signatures.py", "test_site.py", "test_layers.py",
         "test_architecture.py", "utils/test_download.py"),
    ),
    # Operations and kernels with machine code for arrays of every size, which the cache of kernels,
    # the memory and the threads do not ask for.
    "always": Mode(
        ("kernels", "ops", "nn optim autograd"), {"RUSHLIGHT_JIT": "always"}, ("-m", "not long"),
        ("kernels/runtime/test_jit.py", "kernels/runtime/test_endings.py",
         "kernels/runtime/test_allocator.py", "kernels/runtime/test_memory.py",
         "kernels/runtime/test_threads.py"),
    ),
    # Products and convolutions on a matrix unit (AMX) that vectors emulate: on a machine that has
    # none, and on one that has one, bit by bit.
    "emulated": Mode(
        ("kernels/matmul kernels/conv",), {"RUSHLIGHT_AMX": "emulate"}, ("-m", "not long")
    ),
    # Programs with packages of the field (all of them, each time), and the site.
    "packages": Mode(
        ("packages/* test_site.py / 4",),
        {"RUSHLIGHT_TEST_PACKAGES": "$CI_PACKAGES", "RUSHLIGHT_TEST_SITE": "$CI_SITE"},
        needs=("packages", "site"),
    ),
    # The comparison with PyTorch, which nothing else sees.
    "compare": Mode(
        ("compare/test_gloo.py", "compare/* / 5"),
        {"CI_SEES_TORCH": "$CI_TORCH"},
        needs=("torch",),
    ),
}  # fmt: skip
# What functions of the shell need.
FUNCTIONS_NEED = {"build_site": ("extras",)}


@dataclass
class Group:
    mode: str
    paths: list[Path]  # none of a function of the shell, of which nothing is counted
    command: list[str]
    environment: dict[str, str]
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        if not self.paths:
            return self.mode
        first, more = self.paths[0].relative_to(TESTS), len(self.paths) - 1
        return f"{self.mode}: {first}" + f" and {more} more" * bool(more)


def has_tests(path: Path) -> bool:
    if path.is_dir():
        return any(path.rglob("test_*.py"))
    return path.match("test_*.py")


def found(patterns: str) -> list[Path]:
    paths = [p for one in patterns.split() for p in sorted(TESTS.glob(one)) if has_tests(p)]
    return list(dict.fromkeys(paths))


def groups_of(name: str) -> list[Group]:
    if name.startswith("+"):
        function = f"set -euo pipefail; {name[1:]}"
        return [Group(name[1:], [], ["bash", "-c", function], {}, FUNCTIONS_NEED.get(name[1:], ()))]
    mode = MODES[name]
    left_out = [p for pattern in mode.without for p in TESTS.glob(pattern)]
    taken: set[Path] = set()
    groups = []
    for line in mode.groups:
        patterns, _, parts = line.partition(" / ")
        paths = [
            p for p in found(patterns)
            if p not in taken and p not in left_out
            and not any(other.is_relative_to(p) for other in taken)
        ]  # fmt: skip
        taken.update(paths)
        for k in range(int(parts or 1)):
            if part := paths[k :: int(parts or 1)]:
                groups.append(group(name, mode, part, left_out))
    return groups


def group(name: str, mode: Mode, paths: list[Path], left_out: list[Path]) -> Group:
    told = [str(p.relative_to(ROOT)) for p in paths]
    inside = [p for p in left_out if any(p.is_relative_to(q) for q in paths)]
    ignored = [f"--ignore={p.relative_to(ROOT)}" for p in inside]
    if name == "default":
        arguments = " ".join((*PYTEST, *ignored, *told))
        command = ["make", "--silent", "test-all", f"ARGS={arguments}"]
    else:
        command = [sys.executable, "-m", "pytest", *PYTEST, *mode.options, *ignored, *told]
    found = {k: os.path.expandvars(v) for k, v in mode.environment.items()}
    environment = {k: v for k, v in found.items() if v[:1] != "$"}  # what .ci/run has told
    return Group(name, paths, command, environment, mode.needs)


@dataclass
class Ended:
    group: Group
    status: int
    seconds: float
    lines: list[str]


def run(group: Group) -> Ended:
    started = time.monotonic()
    for name in group.needs:
        if (status := installed(name)) != "0":
            lines = [f"{name}, which it needs, is not there: {status or 'nothing was heard of it'}"]
            return Ended(group, 1, time.monotonic() - started, lines)
    # Into a file: a pipe would stay open as long as any process that has got it lives.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(
            group.command, cwd=ROOT, env={**os.environ, **group.environment},
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=said,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        running.add(process)
        late = ""
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            end(process, signal.SIGABRT)
            time.sleep(5)
            end(process)
            process.wait()
            late = f"\nended after {LIMIT} s"
        running.discard(process)
        said.seek(0)
        lines = (said.read() + late).splitlines()
    return Ended(group, process.returncode, time.monotonic() - started, lines)


running: set[subprocess.Popen[bytes]] = set()


def end(process: subprocess.Popen[bytes], how: signal.Signals = signal.SIGKILL) -> None:
    """Send what runs a group, and all that it has started, a signal that ends them."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)


def installed(name: str) -> str:
    """How an installation has ended: the exit status that .ci/run writes then."""
    if INSTALLED is None:
        return "0"
    file = INSTALLED / name
    for _ in range(PATIENCE):
        if file.exists() and (status := file.read_text().strip()):
            return status
        time.sleep(1)
    return ""


class Sums:
    """What has come out."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.seconds = Counter[str]()
        self.failed: list[str] = []

    def add(self, ended: Ended) -> None:
        group, lines = ended.group, ended.lines
        counts = counted(lines) if group.paths else Counter()
        # A group of files of which nothing was counted has not run.
        failed = ended.status != 0 or bool(group.paths and not counts)
        told = lines if failed or not group.paths else skipped(lines)
        print(f"\n-- {group.name} ({ended.seconds:.0f} s)", *told, sep="\n")
        if failed:
            print(f"-- {group.name}: ended with {ended.status}")
            self.failed.append(group.name)
        sys.stdout.flush()
        if group.paths:
            self.seconds[group.mode] += round(ended.seconds)
            self.counts[group.mode] = self.counts.get(group.mode, Counter()) + counts

    def tell(self, seconds: float) -> None:
        print()
        for mode, counts in self.counts.items():
            print(f"{mode}: {listed(counts)} in {self.seconds[mode]} s of a core")
        for name in self.failed:
            print(f"FAILED {name}")
        print(f"{listed(sum(self.counts.values(), Counter()))} in {seconds:.2f}s")


def counted(lines: list[str]) -> Counter[str]:
    """The numbers of pytest's last line."""
    last = lines[-1].partition(" in ")[0] if lines else ""
    return Counter({what: int(n) for n, what in re.findall(r"(\d+) ([a-z]+)", last)})


def listed(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {what}" for what, n in counts.items())


def skipped(lines: list[str]) -> list[str]:
    return [line for line in lines[:-1] if re.match("SKIPPED|XFAIL|XPASS", line)] + lines[-1:]


def main(modes: list[str]) -> int:
    groups = [group for mode in modes for group in groups_of(mode)]
    started, sums = time.monotonic(), Sums()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1) + 1) as pool:
        try:
            for ended in as_completed([pool.submit(run, group) for group in groups]):
                sums.add(ended.result())
        except BaseException:  # Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                end(process)
            raise
    sums.tell(time.monotonic() - started)
    return 1 if sums.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
