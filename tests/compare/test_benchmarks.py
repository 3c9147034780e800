"""The rows of the benchmarks do the same work on both sides."""

from __future__ import annotations

from typing import Any

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
    ours, theirs = map(tensors, results)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        digit = 2.0**-7 if str(a.dtype) == "torch.bfloat16" else 1e-4  # rounded once by both
        a, b = (x.detach().float().numpy() for x in (a, b))
        np.testing.assert_allclose(a, b, rtol=digit, atol=1e-5)


def tensors(result: Any) -> list[Any]:
    """The tensors of a result, in lists and tuples too."""
    if isinstance(result, (list, tuple)):
        return [t for part in result for t in tensors(part)]
    return [result] if hasattr(result, "detach") else []
