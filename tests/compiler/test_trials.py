"""What trials of kernels against NumPy found is kept on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.compiler import small, trials
from rushlight.compiler.calls import Lying, Place
from rushlight.compiler.spy import Event, Refused
from rushlight.kernels import runtime

pytestmark = pytest.mark.skipif(not runtime.available(), reason="there is no machine code")
F32 = np.dtype(np.float32)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(trials, "_known", {})
    return tmp_path / "kernels"


def event(what: Any, n: int) -> Event:
    arrays = [Lying(Place("operand", k), (n,), (4,), F32) for k in range(what.nin)]
    return Event("ufunc", what, tuple(arrays), Lying(Place("temp", 0), (n,), (4,), F32))


def test_a_second_process_asks_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    agrees = small.agrees
    monkeypatch.setattr(small, "agrees", lambda *a: seen.append(1) or agrees(*a))
    small.found(event(np.add, 37))
    assert seen
    assert len(list(folder.glob("trial-*.o"))) == 1
    seen.clear()
    for known in (trials._known, {}):
        monkeypatch.setattr(trials, "_known", known)
        small.found(event(np.add, 37))
        assert not seen
    small.found(event(np.add, 38))  # another size is another question
    assert seen


def test_what_had_other_bits_is_kept_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "agrees", lambda *a: False)
    with pytest.raises(Refused, match="NumPy: add"):
        small.found(event(np.add, 5))
    monkeypatch.undo()
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(folder.parent))
    monkeypatch.setattr(trials, "_known", {})
    with pytest.raises(Refused, match="NumPy: add"):
        small.found(event(np.add, 5))


def test_a_damaged_file_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.found(event(np.multiply, 5))
    (path,) = folder.glob("trial-*.o")
    path.write_bytes(b"other")
    monkeypatch.setattr(trials, "_known", {})
    small.found(event(np.multiply, 5))
    monkeypatch.setattr(trials, "_known", {})
    assert trials.kept(repr(0)) is None
    assert path.read_bytes() != b"other"


def test_nothing_is_kept_where_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE", "")
    assert trials.file_of("x") is None
    small.found(event(np.subtract, 5))


def test_what_results_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    before = trials.surroundings()
    trials.surroundings.cache_clear()
    assert trials.surroundings() == before
    now = os.environ.get("OPENBLAS_CORETYPE")  # which some machines set
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen" if now == "Haswell" else "Haswell")
    trials.surroundings.cache_clear()
    assert trials.surroundings() != before
    trials.surroundings.cache_clear()
