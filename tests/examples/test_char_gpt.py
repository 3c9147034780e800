"""The character GPT, at a small size: it learns, and a resumed run equals a whole one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SONNETS = Path(__file__).parents[2] / "examples" / "sonnets.txt"
SMALL = ("--width", 64, "--layers", 2, "--context", 16, "--batch-size", 24, "--lr", 5e-3)


def test_it_learns(run_example: Any, tmp_path: Path) -> None:
    out, _ = run_example("char_gpt", "--steps", 120, "--length", 60, *SMALL)
    assert out.splitlines()[-1].startswith("nats a letter: learned")
    sample = (tmp_path / "sample.txt").read_text(encoding="utf-8")
    assert len(sample) == 61
    assert sample.strip() in out
    assert set(sample) <= set(SONNETS.read_text(encoding="utf-8"))


def test_a_file_and_a_resumed_run(run_example: Any, tmp_path: Path) -> None:
    data = tmp_path / "data.txt"
    data.write_text("the cat sat on the mat, and the rat ran.\n" * 60, encoding="utf-8")
    options = ("--data", data, "--steps", 40, "--prompt", "the ", "--log-interval", 5)
    whole, _ = run_example("char_gpt", *options, *SMALL)
    parts, _ = run_example("char_gpt", *options, *SMALL, "--max-steps", 25)
    assert "sample" not in parts
    resumed, _ = run_example("char_gpt", *options, *SMALL, "--resume")
    assert resumed.splitlines()[1].startswith("step 30")
    # dropout and the places in the text go on as if the run had never stopped
    assert [*parts.splitlines(), *resumed.splitlines()[1:]] == whole.splitlines()
    assert "\nthe " in whole
