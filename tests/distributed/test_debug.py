"""TORCH_DISTRIBUTED_DEBUG."""

from __future__ import annotations

import pytest

import rushlight.distributed as dist
from rushlight.distributed import debug


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debug, "_level", [None])
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "detail")
    assert dist.get_debug_level() is dist.DebugLevel.DETAIL
    dist.set_debug_level(dist.DebugLevel.INFO)
    assert dist.get_debug_level() is dist.DebugLevel.INFO
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "much")
    with pytest.raises(ValueError, match=r"must be OFF, INFO, or DETAIL[\s\S]*'MUCH'"):
        dist.set_debug_level_from_env()
    with pytest.raises(TypeError):
        dist.set_debug_level("INFO")  # type: ignore[arg-type]
