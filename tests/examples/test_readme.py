"""Every example is in the list of the README, and every one has a test."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SHARED = {"pictures"}  # what the others import


@pytest.mark.parametrize("name", sorted({p.stem for p in EXAMPLES.glob("*.py")} - SHARED))
def test_an_example_is_listed_and_tested(name: str) -> None:
    assert f"`{name}.py`" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert Path(__file__).with_name(f"test_{name}.py").is_file()
