"""Every name that five or more public repositories use is called, and its result checked.

`data/breadth_names.txt` lists the names with the number of repositories that use them; `breadth/`
holds one small call for each; `data/breadth.json` holds what PyTorch returns for it. Written anew,
where PyTorch and torchvision are installed, by `python tests/breadth/record.py`;
`compare/test_breadth.py` compares with PyTorch itself.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from runpy import run_path

import pytest

import rushlight

HERE = Path(__file__).parent
TABLE = run_path(str(HERE / "breadth" / "table.py"))
CALLS, NAMES = TABLE["CALLS"], TABLE["NAMES"]
RESULTS = json.loads((HERE / "data" / "breadth.json").read_text(encoding="utf-8"))
PACKAGE = TABLE["Package"](rushlight, lambda: rushlight.vision)


def test_the_share_of_names_that_are_called() -> None:
    """At least 97 % of the names have a call here, and a result of PyTorch's to check it with."""
    called = [name for name in NAMES if name in CALLS and name in RESULTS]
    share = len(called) / len(NAMES)
    print(f"{len(called)} of {len(NAMES)} names are called: {share:.1%}")
    print("not called:", sorted(set(NAMES) - set(called)))
    assert share >= 0.97
    assert set(CALLS) <= set(NAMES), "calls of names that are not on the list"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_call(name: str) -> None:
    if name.startswith("torchvision."):
        pytest.importorskip("PIL")
    if name == "torch.utils.tensorboard.SummaryWriter":
        pytest.importorskip("tensorboardX")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some calls are meant to warn, in PyTorch too
        got = TABLE["plain"](CALLS[name](PACKAGE))
    assert TABLE["differs"](got, RESULTS[name]) is None
