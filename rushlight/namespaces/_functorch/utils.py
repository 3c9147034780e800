"""`torch._functorch.utils`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def enable_single_level_autograd_function() -> Iterator[None]:
    """Nothing to enable: a Function has one level here."""
    yield
