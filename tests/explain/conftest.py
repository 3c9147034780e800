"""What tests of recordings share."""

from __future__ import annotations

import pytest

from rushlight.autograd import engine


@pytest.fixture(autouse=True)
def _nobody_has_differentiated_twice() -> None:
    engine.twice[0] = 0  # a program that did is compiled in another way
