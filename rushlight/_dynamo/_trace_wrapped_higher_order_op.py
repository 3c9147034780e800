"""Where PyTorch keeps a mode under which a tensor may be an index while masks are made by vmap."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def TransformGetItemToIndex() -> Iterator[None]:
    """The block runs as it stands: indexing by tensors works under vmap here."""
    yield
