"""Files that can be made again: where they are kept, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rushlight.kernels.runtime import disk


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {"RUSHLIGHT_CACHE": "/c"}, "/c"),
        ("linux", {"RUSHLIGHT_CACHE": "", "XDG_CACHE_HOME": "/x"}, None),
        ("linux", {"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/rushlight"),
        ("linux", {"HOME": "/h"}, "/h/.cache/rushlight"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/rushlight"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/rushlight"),
        ("win32", {}, None),
    ],
)
def test_places(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], place: str | None
) -> None:
    for name in ("RUSHLIGHT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert disk.base() == (place and Path(place))
    assert disk.folder("texts") == (place and Path(place) / "texts")


def test_the_file_of_another_kernel_is_refused(tmp_path: Path) -> None:
    """Its code would be called with arguments that are not its own."""
    path, other = tmp_path / "a-1.o", tmp_path / "b-2.o"
    disk.write(path, b"code")
    assert disk.read(path) == b"code"
    path.replace(other)
    assert disk.read(other) is None
    assert disk.refused.pop() == str(other)
    assert disk.read(path) is None  # there is none, which is no fault


def test_clearing_leaves_what_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    assert disk.clear("kernels") == 0
    for kind, name in [("kernels", "silu-1.o"), ("texts", "0a1b.code")]:
        disk.write(tmp_path / kind / name, b"code")
        (tmp_path / kind / f".{name}.77.1").write_bytes(b"half-written")
        (tmp_path / kind / "somebody's notes.txt").write_bytes(b"")
        assert len(disk.kept_files(kind)) == 2
        assert disk.clear(kind) == 2
        assert [p.name for p in (tmp_path / kind).iterdir()] == ["somebody's notes.txt"]
