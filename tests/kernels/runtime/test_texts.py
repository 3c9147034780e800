"""The code of functions that are written as text is compiled once, and read back from the disk."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from rushlight.kernels.runtime import disk, texts

from .damage import DAMAGES, damage

SOURCE = "def run(x):\n    return [x + n for n in more]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    another_process(monkeypatch)
    return tmp_path / "texts"


def another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this one has compiled."""
    monkeypatch.setattr(texts, "_codes", {})


def compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "compiled", lambda *_: pytest.fail("it was compiled again"))


def result(code: Any) -> Any:
    return FunctionType(code, {"more": (1, 2)})(3)


def test_a_process_compiles_a_text_once_and_the_next_one_reads_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = texts.code_of(SOURCE, "<a>")
    assert result(first) == [4, 5]
    compiles_nothing(monkeypatch)
    assert texts.code_of(SOURCE, "<a>") is first
    another_process(monkeypatch)
    again = texts.code_of(SOURCE, "<a>")
    assert again is not first
    assert again == first
    assert again.co_filename == "<a>"
    assert list(again.co_positions()) == list(first.co_positions())
    assert result(again) == [4, 5]
    assert [p.suffix for p in folder.iterdir()] == [".code"]


@pytest.mark.parametrize("how", [*DAMAGES, "another's"])
def test_damaged_files_are_compiled_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    texts.code_of(SOURCE, "<a>")
    (file,) = folder.iterdir()
    if how == "another's":
        texts.code_of("def run(x):\n    return x\n", "<a>")
        (other,) = (p for p in folder.iterdir() if p != file)
        file.write_bytes(other.read_bytes())
    else:
        damage(file, how)
    another_process(monkeypatch)
    assert result(texts.code_of(SOURCE, "<a>")) == [4, 5]
    assert disk.refused.pop() == str(file)
    compiles_nothing(monkeypatch)
    another_process(monkeypatch)
    assert result(texts.code_of(SOURCE, "<a>")) == [4, 5]


def test_the_name_of_a_file_depends_on_text_file_and_python(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts.code_of(SOURCE, "<a>")
    texts.code_of(SOURCE + "\n", "<a>")
    another_process(monkeypatch)
    texts.code_of(SOURCE, "<b>")
    another_process(monkeypatch)
    monkeypatch.setattr(texts, "PYTHON", "another")
    texts.code_of(SOURCE, "<a>")
    assert len(list(folder.iterdir())) == 4


def test_nowhere_to_keep_it(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE", "")
    assert result(texts.code_of(SOURCE, "<a>")) == [4, 5]
    assert not folder.exists()
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(blocked))
    another_process(monkeypatch)
    assert result(texts.code_of(SOURCE, "<a>")) == [4, 5]
    assert str(blocked) in disk.refused.pop()


def test_a_text_that_is_wrong_is_no_file(folder: Path) -> None:
    with pytest.raises(SyntaxError):
        texts.code_of("def run(x:\n", "<a>")
    assert not folder.exists()
