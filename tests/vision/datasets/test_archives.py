"""Archives: unpacked where they should be, and nowhere else."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rushlight.vision.datasets import utils

PACKERS: dict[str, Any] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def tar(path: Path, members: dict[str, bytes | tarfile.TarInfo], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as file:  # type: ignore[call-overload]
        for name, content in members.items():
            if isinstance(content, tarfile.TarInfo):
                file.addfile(content)
                continue
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return path


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("packing", PACKERS)
def test_a_packed_file(tmp_path: Path, packing: str) -> None:
    source = tmp_path / f"numbers.csv{packing}"
    source.write_bytes(PACKERS[packing](b"1,2,3"))
    assert utils.extract_archive(str(source)) == str(tmp_path / "numbers.csv")
    assert (tmp_path / "numbers.csv").read_bytes() == b"1,2,3"
    (tmp_path / "out").mkdir()
    made = utils.extract_archive(source, tmp_path / "out", remove_finished=True)
    assert made == tmp_path / "out" / "numbers.csv"
    assert not source.exists()


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz"])
def test_tar(tmp_path: Path, ending: str) -> None:
    packing = {"tar": "", "gz": "gz", "tgz": "gz", "bz2": "bz2", "tbz2": "bz2", "xz": "xz"}
    mode = "w:" + packing[ending.rpartition(".")[2]]
    path = tar(tmp_path / f"a{ending}", {"x/y.txt": b"hello", "z": b""}, mode)
    made = utils.extract_archive(path, tmp_path / "out")
    assert made == tmp_path / "out"
    assert (tmp_path / "out" / "x" / "y.txt").read_bytes() == b"hello"
    assert (tmp_path / "out" / "z").exists()


def test_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x/y.txt", b"hello" * 100)
        file.writestr("empty/", b"")
    utils.extract_archive(tmp_path / "a.zip", tmp_path / "out")
    assert (tmp_path / "out" / "x" / "y.txt").read_bytes() == b"hello" * 100
    assert (tmp_path / "out" / "empty").is_dir()


@pytest.mark.parametrize(
    "members",
    [
        {"../evil": b"x"},
        {"a/../../evil": b"x"},
        {"/tmp/evil-absolute": b"x", "../evil": b"x"},
        {"l": link("l", "../..")},
        {"l": link("l", ".."), "l/evil": b"x"},
        {"l": link("l", "../evil", tarfile.LNKTYPE)},
        {"d": link("d", "", tarfile.CHRTYPE)},
    ],
)
def test_a_tar_that_leads_outside(tmp_path: Path, members: Any) -> None:
    path = tar(tmp_path / "a.tar", members)
    with pytest.raises(RuntimeError, match="leads outside the folder"):
        utils.extract_archive(path, tmp_path / "deep" / "out")
    assert sorted(os.listdir(tmp_path)) == ["a.tar", "deep"]
    assert os.listdir(tmp_path / "deep") == ["out"]


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "..\\evil", "C:\\evil", "l"])
def test_a_zip_that_leads_outside(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        info = zipfile.ZipInfo(name)
        if name == "l":
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "../evil")
    with pytest.raises(RuntimeError, match="leads outside the folder"):
        utils.extract_archive(tmp_path / "a.zip", tmp_path / "out")
    assert sorted(os.listdir(tmp_path)) == ["a.zip", "out"]


def test_a_zip_does_not_follow_links_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "l").symlink_to(tmp_path)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("l/evil", "x")
    with pytest.raises(RuntimeError, match="leads outside the folder"):
        utils.extract_archive(tmp_path / "a.zip", tmp_path / "out")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "name", ["a.tar", "a.tar.gz", "a.zip", "a.gz", "a.xz", "a.bz2", "a.txt.gz"]
)
@pytest.mark.parametrize("damage", ["cut", "nonsense", "empty"])
def test_broken_archives_are_named(tmp_path: Path, name: str, damage: str) -> None:
    path = tmp_path / name
    if ".tar" in name:
        tar(path, {"x": os.urandom(5000)}, "w:gz" if name.endswith("gz") else "w")
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("x", os.urandom(5000))
    else:
        path.write_bytes(PACKERS[path.suffix](os.urandom(5000)))
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:3000], "nonsense": b"nonsense", "empty": b""}[damage])
    if damage == "empty" and name in ("a.gz", "a.txt.gz", "a.bz2"):
        return  # an empty file is a packed empty file
    with pytest.raises(RuntimeError, match=r"a\.[a-z.0-9]* is corrupted"):
        utils.extract_archive(path, tmp_path)
    assert [n for n in os.listdir(tmp_path) if n not in (name, "x")] == []


@pytest.mark.parametrize("name", ["a", "a.rar", "a.csv"])
def test_unknown_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(RuntimeError, match=r"Unknown compression or archive type|no suffix"):
        utils.extract_archive(tmp_path / name)


def test_download_and_extract(tmp_path: Path) -> None:
    tar(tmp_path / "data.tgz", {"x/y": b"1"}, "w:gz")
    url = (tmp_path / "data.tgz").as_uri()
    utils.download_and_extract_archive(
        url, tmp_path / "down", tmp_path / "up", remove_finished=True
    )
    assert (tmp_path / "up" / "x" / "y").read_bytes() == b"1"
    assert os.listdir(tmp_path / "down") == []


def test_lists(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    for name in ("a.png", "b.jpg", "c.txt"):
        (tmp_path / name).touch()
    assert utils.list_dir(tmp_path) == ["folder.png"]
    assert utils.list_dir(str(tmp_path), prefix=True) == [str(tmp_path / "folder.png")]
    assert sorted(utils.list_files(tmp_path, (".png", ".jpg"))) == ["a.png", "b.jpg"]
    assert utils.list_files(str(tmp_path), ".txt", True) == [str(tmp_path / "c.txt")]


def test_arguments() -> None:
    assert utils.verify_str_arg("a") == "a"
    with pytest.raises(ValueError, match="Expected type str for argument split, but got type"):
        utils.verify_str_arg(3, "split")  # type: ignore[type-var]
    with pytest.raises(
        ValueError, match=r"Unknown value 'a' for argument x. Valid values are {'b'}"
    ):
        utils.verify_str_arg("a", "x", ["b"])
    with pytest.raises(ValueError, match="own words"):
        utils.verify_str_arg("a", "x", ["b"], "own words")
