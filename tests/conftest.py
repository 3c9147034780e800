"""What all tests share: a printed seed, and a visible word when PyTorch is missing.

The seed of a run is in pytest's header; RUSHLIGHT_TEST_SEED repeats it. Comparison tests live in
`tests/compare/` and take PyTorch by `pytest.importorskip("torch")`.
"""

from __future__ import annotations

import importlib.util
import os
import random
import zlib

import numpy as np
import pytest

SEED = int(os.environ.get("RUSHLIGHT_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)
HAS_TORCH = importlib.util.find_spec("torch") is not None


def pytest_report_header() -> list[str]:
    found = "installed" if HAS_TORCH else "NOT INSTALLED: the comparison tests will be skipped"
    return [f"seed: RUSHLIGHT_TEST_SEED={SEED}", f"PyTorch (the yardstick): {found}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not HAS_TORCH:
        terminalreporter.write_line(
            "PyTorch is not installed, so nothing was compared with it. To compare: "
            "pip install -e '.[compare]'",
            yellow=True,
        )


@pytest.fixture(autouse=True)
def _seeded(request: pytest.FixtureRequest) -> None:
    """Each test draws its own numbers from the run's seed, whichever tests run before it."""
    import rushlight

    seed = SEED ^ zlib.crc32(request.node.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)
    rushlight.manual_seed(seed)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A NumPy generator of the test's own, from the run's seed."""
    return np.random.default_rng(SEED ^ zlib.crc32(request.node.nodeid.encode()))
