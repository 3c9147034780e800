"""Where PyTorch keeps a mode under which a tensor may be an index while masks are made by vmap."""

from __future__ import annotations

from collections.abc import Iterator

from ..blocks import contextmanager


@contextmanager
def TransformGetItemToIndex() -> Iterator[None]:
    """The block runs as it stands: indexing by tensors works under vmap here."""
    yield
