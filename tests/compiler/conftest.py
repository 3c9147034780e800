"""Tests of the compiler import `tests.compiler.twins`: the root must be on the path."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "eager(*cases): compiled functions may run eagerly")


@pytest.fixture(autouse=True)
def _no_eager(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test fails where a compiled function could not be written down and ran eagerly, for then it
    compares eager with eager. Those that are about such functions are marked `eager`, or
    `eager("one case", "another")`."""
    from rushlight.compiler.replay import Compiled

    mark = request.node.get_closest_marker("eager")
    if mark is not None:
        case = request.node.callspec.id if mark.args else ""
        if not mark.args or not {case, *case.split("-")}.isdisjoint(mark.args):
            yield
            return
    found: list[str] = []
    failed = Compiled.failed

    def noted(self: Compiled, unknown: Exception) -> None:
        found.append(str(unknown))
        failed(self, unknown)  # type: ignore[arg-type]

    monkeypatch.setattr(Compiled, "failed", noted)
    yield
    if found:
        pytest.fail("ran eagerly: " + "; ".join(sorted(set(found))))


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
