"""The rows of the benchmarks do the same work on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight
from benchmarks.work import ROWS

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", list(ROWS))
def test_same_work(name: str) -> None:
    results = []
    for library in (rushlight, torch):
        library.manual_seed(0)
        row = ROWS[name]
        call = row.make(library, **row.tiny)
        call()
        results.append(call())
    ours, theirs = results
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_allclose(
            ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-4, atol=1e-5
        )
