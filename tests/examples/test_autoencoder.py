"""The autoencoder with PixelShuffle, at a small size, under Rushlight and under PyTorch."""

from __future__ import annotations

from typing import Any


def test_it_learns(run_example: Any) -> None:
    out, pictures = run_example("autoencoder", "--epochs", 5)
    assert "test error" in out.splitlines()[-1]
    assert [p.name for p in pictures] == ["reconstructions.png"]
    assert all(p.read_bytes()[:4] == b"\x89PNG" for p in pictures)
