"""A crash while saving leaves the old file whole, and nothing beside it."""

from __future__ import annotations

import os
import stat
import sys
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


@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
def test_a_device_is_written_to_directly() -> None:
    torch.save([1, 2], os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass
