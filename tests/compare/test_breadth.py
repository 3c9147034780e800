"""The calls of tests/breadth under PyTorch and under Rushlight: the same results.

The recorded results that `tests/test_breadth.py` uses are checked against PyTorch as well.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from runpy import run_path

import pytest

import rushlight

torch = pytest.importorskip("torch")

HERE = Path(__file__).parent.parent
RECORD = run_path(str(HERE / "breadth" / "record.py"))
TABLE, KNOWN = RECORD["TABLE"], RECORD["KNOWN"]
RESULTS = json.loads((HERE / "data" / "breadth.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def vision():
    """PyTorch's torchvision, as far as it can be imported."""
    pytest.importorskip("PIL")
    if not RECORD["has_vision"]():
        pytest.skip("torchvision is not installed")
    return RECORD["vision"]()


@pytest.mark.parametrize("name", sorted(set(TABLE["CALLS"]) - set(KNOWN)))
def test_call(name: str, request: pytest.FixtureRequest) -> None:
    theirs = request.getfixturevalue("vision") if name.startswith("torchvision.") else None
    packages = (
        TABLE["Package"](torch, lambda: theirs),
        TABLE["Package"](rushlight, lambda: rushlight.vision),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted, got = (TABLE["plain"](TABLE["CALLS"][name](package)) for package in packages)
    assert TABLE["differs"](RESULTS[name], wanted) is None, "data/breadth.json is out of date"
    assert TABLE["differs"](got, wanted) is None
