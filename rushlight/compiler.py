"""What programs ask about a compiler: nothing is compiled, every step runs as it is written."""

from __future__ import annotations

__all__ = ["is_compiling", "is_dynamo_compiling", "is_exporting"]


def is_compiling() -> bool:
    """False: no step is being captured."""
    return False


is_dynamo_compiling = is_exporting = is_compiling
