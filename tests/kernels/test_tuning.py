"""Limits: in one place, each with a word on what it counts."""

from __future__ import annotations

import re
from pathlib import Path

from rushlight.kernels import tuning

ROOT = Path(tuning.__file__).parent


def test_every_limit_is_used() -> None:
    texts = "\n".join(
        p.read_text(encoding="utf-8") for p in ROOT.rglob("*.py") if p.name != "tuning.py"
    )
    limits = [n for n in vars(tuning) if re.fullmatch(r"[A-Z][A-Z_0-9]+", n) and n != "ALWAYS"]
    unused = [n for n in limits if n not in texts]  # ALWAYS is none: `least` reads it
    assert not unused


def test_every_limit_says_what_it_counts() -> None:
    """Behind it, or in a comment above it and its neighbours."""
    bare, above = [], False
    for line in Path(tuning.__file__).read_text(encoding="utf-8").splitlines():
        if line.startswith("# --") or not line:
            above = False
        elif line.startswith("#"):
            above = True
        elif re.match(r"[A-Z][A-Z_0-9, ]+ = ", line) and "#" not in line and not above:
            bare.append(line)
    assert bare == ['ALWAYS = os.environ.get("RUSHLIGHT_JIT") == "always"']


def test_sizes_for_tests() -> None:
    assert tuning.least(4096) == (1 if tuning.ALWAYS else 4096)
    assert tuning.least(0.45, 0.0) == (0.0 if tuning.ALWAYS else 0.45)


def test_ops_know_nothing_of_sizes() -> None:
    asking = [
        path.name
        for folder in ("ops", "autograd", "nn", "optim")
        for path in (ROOT.parent / folder).rglob("*.py")
        if re.search(r"\btuning\b|_LEAST\b", path.read_text(encoding="utf-8"))
    ]
    assert not asking
