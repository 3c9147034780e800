"""`nn.functional`: layers as functions. Their names come from the op records (`ops/`).

Not here: what they compute. Read next: `ops/elementwise/activation.py`, `ops/nn/conv_public.py`,
`ops/nn/loss.py`.
"""

from __future__ import annotations

from typing import Any

from ..publish import namespaces

globals().update(namespaces["nn.functional"])


def __getattr__(name: str) -> Any:
    if name == "grad":
        from . import grad

        return grad
    raise AttributeError(
        f"module 'rushlight.nn.functional' has no attribute '{name}'"
        + ("" if name.startswith("_") else "\n  wanted  a function that Rushlight has")
    )
