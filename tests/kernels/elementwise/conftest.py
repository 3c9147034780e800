from __future__ import annotations

import pytest

from rushlight.kernels import tuning


@pytest.fixture
def every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels for small arrays too."""
    monkeypatch.setattr(tuning, "ELEMENTWISE_LEAST", 1)
    monkeypatch.setattr(tuning, "ELEMENTWISE_FUNCTION_LEAST", 1)
    monkeypatch.setattr(tuning, "ELEMENTWISE_ARITHMETIC_LEAST", 1)
