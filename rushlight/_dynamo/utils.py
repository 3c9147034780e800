"""What programs read of a capture: `counters`, by group and reason."""

from __future__ import annotations

from ..compiler.state import counters

__all__ = ["counters"]
