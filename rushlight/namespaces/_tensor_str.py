"""Where PyTorch keeps the printing of tensors."""

from __future__ import annotations

from typing import Any

from rushlight.printing import _options as PRINT_OPTS
from rushlight.printing import set_printoptions, tensor_str

__all__ = ["PRINT_OPTS", "set_printoptions"]


def _str(self: Any, *, tensor_contents: str | None = None) -> str:
    """`repr(tensor)`."""
    return tensor_str(self)


def _tensor_str(self: Any, indent: int = 0) -> str:
    """The numbers of a tensor without the word around them."""
    from rushlight.printing import array_str

    return array_str(self.detach()._a, indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """A text with what is said behind the numbers."""
    from rushlight.printing import with_suffixes

    return with_suffixes(tensor_str, suffixes, indent)
