"""Tests of the compiler import `tests.compiler.twins`: the root must be on the path."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


@pytest.fixture(autouse=True)
def _settings_as_before() -> Iterator[None]:
    """What a test sets for the whole process, and has not put back because it failed."""
    import rushlight as torch
    from rushlight.autograd import engine

    engine.twice[0] = 0  # a program that differentiates twice is compiled in another way
    yield
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(False)
    torch._dynamo.reset()
