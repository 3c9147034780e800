"""The variational autoencoder, at a small size, under Rushlight and under PyTorch."""

from __future__ import annotations

from typing import Any


def test_it_learns(run_example: Any) -> None:
    out, pictures = run_example("vae", "--epochs", 20)
    assert "nats a picture" in out.splitlines()[-1]
    assert [p.name for p in pictures] == ["between.png", "reconstructions.png", "samples.png"]
    assert all(p.read_bytes()[:4] == b"\x89PNG" for p in pictures)
