"""Automatic differentiation: the door, the tape, the engine, and what users build on them."""

from __future__ import annotations

from .engine import backward, grad
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .node import Node

__all__ = [
    "Node",
    "backward",
    "enable_grad",
    "grad",
    "inference_mode",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]
