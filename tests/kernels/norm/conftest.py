"""Both roads of a normalisation."""

from __future__ import annotations

from typing import Any

import pytest

from rushlight.kernels import rows as row_plans
from rushlight.kernels.norm import select

from .norms import NATIVE

ROADS = ["numpy", pytest.param("native", marks=NATIVE)]


@pytest.fixture(params=ROADS)
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, limits: Any) -> Any:
    """Everything by NumPy, in small blocks; or everything by kernels, which is seen to."""
    for module in (select, row_plans):
        made = module.Plan

        def seen(name: str, *args: Any, made: Any = made, **kw: Any) -> Any:
            assert name.endswith("numpy") == (request.param == "numpy")
            return made(name, *args, **kw)

        monkeypatch.setattr(module, "Plan", seen)
    least = 1 << 60 if request.param == "numpy" else 1
    with limits(NORM_REFERENCE_BLOCK=40, NORM_LEAST=least, UNIT_LEAST=least):
        yield str(request.param)
