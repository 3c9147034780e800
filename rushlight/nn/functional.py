"""`nn.functional`: layers as functions. Their names come from the op records (`ops/`).

Not here: what they compute. Read next: `ops/elementwise/activation.py`, `ops/nn/conv_public.py`,
`ops/nn/loss.py`.
"""

from __future__ import annotations

from typing import Any

from ..publish import namespaces

globals().update(namespaces["nn.functional"])


# The numbers that PyTorch's operators take for these words.
GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}
# What PyTorch's file imports, and programs take from it.
OVERRIDES = (
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
)


def __getattr__(name: str) -> Any:
    if name == "grad":
        from . import grad

        return grad
    if name in OVERRIDES:
        from importlib import import_module

        return getattr(import_module(f"{__package__.partition('.')[0]}.overrides"), name)
    raise AttributeError(
        f"module 'rushlight.nn.functional' has no attribute '{name}'"
        + ("" if name.startswith("_") else "\n  wanted  a function that Rushlight has")
    )
