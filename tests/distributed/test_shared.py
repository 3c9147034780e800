"""How much memory ranks share."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

from rushlight.distributed import shared


@pytest.mark.parametrize(
    ("free", "ranks", "size"),
    [
        (64 << 20, 2, shared.SLOT),
        (64 << 20, 4, shared.SLOT),
        (64 << 20, 8, 1 << 19),
        (8 << 20, 4, 1 << 17),
        (1 << 20, 4, 1 << 14),
        (0, 4, 0),
    ],
)
def test_a_group_takes_a_part_of_what_is_left(monkeypatch, tmp_path, free, ranks, size):
    monkeypatch.setattr(shared, "SHARED", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    assert shared.room(ranks) == size
    assert 2 * ranks * size <= free / shared.PART


def test_systems_without_that_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(shared, "SHARED", str(tmp_path / "none"))
    assert shared.room(4) == shared.SLOT
