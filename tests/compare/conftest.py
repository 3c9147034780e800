"""`same_log`: run one program with both libraries and compare what it logs, line by line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight

NAMES = {"rushlight.nn.containers": "torch.nn.modules.container", "rushlight": "torch"}


def plain(value: Any) -> Any:
    """Tensors as arrays, errors as class and first line of text, anything unknown as its repr."""
    if hasattr(value, "detach"):
        return tuple(value.shape), value.detach().numpy().astype(float)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Exception):
        value = f"{type(value).__name__}: {value}".split("\n")[0]
    elif not isinstance(value, (str, int, float, bool, type(None))):
        value = repr(value)
    if isinstance(value, str):
        for mine, theirs in NAMES.items():
            value = value.replace(mine, theirs)
    return value


def run(library: Any, fn: Any) -> list[Any]:
    lines: list[Any] = []
    library.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fn(library, lambda *values: lines.append([plain(v) for v in values]))
    return [*lines, ["warnings", *(w.category.__name__ for w in caught)]]


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, np.ndarray):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), (a, b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for k in a:
            assert_same(a[k], b[k])
    else:
        assert a == b


@pytest.fixture
def same_log() -> Callable[[Any], None]:
    """Call it with a program ``fn(library, log)``."""
    torch = pytest.importorskip("torch")

    def check(fn: Any) -> None:
        mine, theirs = run(rushlight, fn), run(torch, fn)
        for a, b in zip(mine, theirs, strict=False):
            assert_same(a, b)
        assert len(mine) == len(theirs)

    return check
