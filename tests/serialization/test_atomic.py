"""A crash while saving leaves the old file whole, and nothing beside it."""

from __future__ import annotations

import errno
import os
import random
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.serialization.atomic import replacing


class Explodes:
    def __reduce__(self) -> Any:
        raise RuntimeError("cannot be pickled")


def test_an_error_while_pickling_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"epoch": 1}, path)
    with pytest.raises(RuntimeError, match="cannot be pickled"):
        torch.save({"epoch": 2, "bad": Explodes()}, path)
    assert torch.load(path) == {"epoch": 1}
    assert os.listdir(tmp_path) == ["a.pt"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_an_error_while_writing_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a.pt"
    torch.save({"epoch": 1}, path)

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fail)
        with pytest.raises(OSError, match="disk full"):
            torch.save({"epoch": 2}, path)
    assert torch.load(path) == {"epoch": 1}
    assert os.listdir(tmp_path) == ["a.pt"]


def test_the_content_is_on_the_disk_before_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (calls.append("fsync"), fsync(fd))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append("replace"), replace(a, b))[1])
    torch.save([1], tmp_path / "a.pt")
    assert calls == ["fsync", "replace", "fsync"]  # file, name, folder


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_mode_and_links_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save(1, path)
    path.chmod(0o640)
    link = tmp_path / "link.pt"
    link.symlink_to(path)
    torch.save(2, link)
    assert link.is_symlink()
    assert torch.load(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals, locks and limits of POSIX")


@pytest.mark.slow
@POSIX
def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    """Fifty times `kill -9`: the old file or the new one loads, and little is left beside it."""
    path = tmp_path / "model.pt"
    torch.save({"n": 0, "w": torch.zeros(60_000)}, path)
    # One process forks a writer for every kill: starting Python fifty times would take a minute.
    parent = textwrap.dedent("""
        import os, random, signal, sys, time
        import rushlight as torch
        path, seed = sys.argv[1], int(sys.argv[2])
        rng = random.Random(seed)
        torch.save([1], path + ".warm"), torch.load(path + ".warm")
        last, beside = 0, 0
        for kill in range(50):
            told, tell = os.pipe()
            child = os.fork()
            if not child:
                os.close(told)
                n = last
                while True:
                    n += 1
                    torch.save({"n": n, "w": torch.full((60_000,), float(n))}, path)
                    os.write(tell, b".")
            os.close(tell)
            for _ in range(rng.randrange(3)):
                os.read(told, 1)
            end = time.perf_counter() + rng.uniform(0, 0.004)
            while time.perf_counter() < end:
                pass
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(told)
            state = torch.load(path)
            assert state["n"] >= last, (state["n"], last)
            assert (state["w"] == float(state["n"])).all(), kill
            last = state["n"]
            folder = os.path.dirname(path)
            beside = max(beside, sum(name.endswith(".tmp") for name in os.listdir(folder)))
        assert last > 0
        torch.save({"n": last + 1, "w": torch.zeros(1)}, path)
        print(beside, sum(name.endswith(".tmp") for name in os.listdir(folder)))
    """)
    seed = random.randrange(2**32)
    print("seed", seed)
    done = subprocess.run(
        [sys.executable, "-c", parent, str(path), str(seed)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    at_most, at_the_end = map(int, done.stdout.split())
    assert at_most <= 1
    assert at_the_end == 0


@POSIX
def test_leftovers_are_removed_unless_their_writer_lives(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    dead = tmp_path / ".a.pt.0123456789ab.tmp"
    other = tmp_path / ".b.pt.0123456789ab.tmp"
    for file in (dead, other):
        file.write_bytes(b"half")
    with replacing(path) as file:
        file.write(b"1")
        (mine,) = [n for n in os.listdir(tmp_path) if n.startswith(".a.pt.")]
        with replacing(path) as second:
            second.write(b"2")
        assert mine in os.listdir(tmp_path)
    assert path.read_bytes() == b"1"
    assert sorted(os.listdir(tmp_path)) == [other.name, "a.pt"]


@POSIX
def test_a_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import resource, signal, sys
        import rushlight as torch
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        torch.save({"w": torch.ones(10)}, sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        try:
            torch.save({"w": torch.ones(100_000)}, sys.argv[1])
        except OSError as error:
            print(error.errno)
        assert torch.load(sys.argv[1])["w"].sum() == 10
    """)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.pt")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == errno.EFBIG
    assert os.listdir(tmp_path) == ["a.pt"]


class Interrupts:
    def __reduce__(self) -> Any:
        raise KeyboardInterrupt


def test_an_interrupt_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pt"
    torch.save(1, path)
    with pytest.raises(KeyboardInterrupt):
        torch.save([Interrupts()], path)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            torch.save(2, path)
    assert torch.load(path) == 1
    assert os.listdir(tmp_path) == ["a.pt"]


@pytest.mark.skipif(
    sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0,
    reason="the superuser may write everything",
)
def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save(1, path)
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        torch.save(2, path)
    assert torch.load(path) == 1


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 125 + ".pt")
    torch.save(1, path)
    torch.save(2, path)
    assert torch.load(path) == 2
    assert len(os.listdir(tmp_path)) == 1


@POSIX
def test_hard_links_keep_the_old_content(tmp_path: Path) -> None:
    path, best = tmp_path / "last.pt", tmp_path / "best.pt"
    torch.save(1, path)
    os.link(path, best)
    torch.save(2, path)
    assert torch.load(best) == 1
    assert torch.load(path) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_device_is_written_to_directly() -> None:
    torch.save([1, 2], os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass
