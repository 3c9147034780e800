"""One of the processes that want a kernel at the same moment makes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rushlight.kernels.codegen import ir
from rushlight.kernels.runtime import jit, turns

pytestmark = pytest.mark.skipif(turns.fcntl is None, reason="no locks of a file's bytes here")

HOLDER = """
import sys
from pathlib import Path
from rushlight.kernels.runtime import disk, turns
path = Path(sys.argv[1])
with turns.turn(path) as another_had_it:
    print("held", another_had_it, flush=True)
    if sys.stdin.readline() == "write\\n":
        disk.write(path, b"its code")
"""
KEY = ("kernel", 1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(jit, "fingerprint", lambda: b"")  # which asks for LLVM
    monkeypatch.setattr(jit, "made", lambda build: b"our code")
    return tmp_path / "kernels"


def build() -> ir.Module:
    raise AssertionError("`made` is another function here")


@contextmanager
def held(path: Path) -> Iterator[Any]:
    """Another process that has its turn at `path`, until it is told to write it, or ends."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held False\n"
        yield holder
        holder.kill()


def test_what_another_process_makes_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(folder / jit.file_name(KEY)) as holder:
        naps = []

        def nap(seconds: float) -> None:
            if not naps:
                holder.communicate("write\n")
            naps.append(seconds)

        monkeypatch.setattr(turns.time, "sleep", nap)
        read = jit.counts.read
        assert jit.code_of(KEY, build) == b"its code"
        assert naps
        assert jit.counts.read == read + 1


@pytest.mark.slow
def test_a_process_that_ends_without_making_it_holds_nobody_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(folder / jit.file_name(KEY)) as holder:
        monkeypatch.setattr(turns.time, "sleep", lambda _: holder.kill())
        assert jit.code_of(KEY, build) == b"our code"
    assert jit.code_of(KEY, build) == b"our code"
    assert [p.name for p in folder.glob("*.o")] == [jit.file_name(KEY)]


@pytest.mark.slow
def test_a_stopped_process_is_not_waited_for_for_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    with held(folder / jit.file_name(KEY)):
        assert jit.code_of(KEY, build) == b"our code"


@pytest.mark.slow
def test_other_kernels_are_made_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns.time, "sleep", lambda _: pytest.fail("it waited"))
    with held(folder / "another.o"):
        assert jit.code_of(KEY, build) == b"our code"


@pytest.mark.parametrize("fault", ["no locks", "not a folder", "no module"])
def test_without_locks_each_process_makes_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def refuse(*args: Any) -> None:
        raise OSError(37, "No locks available")

    if fault == "no locks":
        monkeypatch.setattr(turns.fcntl, "lockf", refuse)
    elif fault == "no module":
        monkeypatch.setattr(turns, "fcntl", None)
    else:
        folder.write_bytes(b"")
    refused = len(jit.counts.refused)
    assert jit.code_of(KEY, build) == b"our code"
    assert len(jit.counts.refused) == refused + (fault == "not a folder")
    del jit.counts.refused[refused:]
