"""The choice of an attention implementation; there is one here, so every choice means it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from ...backends import attention
from ...blocks import contextmanager

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(Enum):
    """Names of implementations of `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """A block in which attention uses one of `backends`: kept, told by `torch.backends.cuda`, and
    of no effect, for there is one implementation here.

    >>> from rushlight.nn.attention import SDPBackend, sdpa_kernel
    >>> q = torch.ones(1, 1, 2, 4)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     F.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 1, 2, 4])
    """
    given = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(given, list) or not all(isinstance(b, SDPBackend) for b in given):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    with attention.only({attention.KINDS[b.value] for b in given if 0 <= b.value < 4}):
        yield
