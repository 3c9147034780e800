"""What is built on the collectives: uneven inputs, communication hooks, averaging of models."""

from __future__ import annotations

from .join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
