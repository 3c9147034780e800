"""Neural style, at a small size, under Rushlight and under PyTorch."""

from __future__ import annotations

from typing import Any


def test_the_picture_takes_on_the_style(run_example: Any) -> None:
    small = ("--size", 48, "--width", 16, "--steps", 100, "--style-weight", 200)
    out, pictures = run_example("style", *small)
    assert out.splitlines()[-1].startswith("style")
    assert [p.name for p in pictures] == ["result.png", "style.png"]
