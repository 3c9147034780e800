"""Automatic differentiation: the door, the tape, the engine, and what users build on them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .. import late
from .backward import backward, grad
from .grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .node import Node

if TYPE_CHECKING:
    from .anomaly import (
        detect_anomaly,
        is_anomaly_check_nan_enabled,
        is_anomaly_enabled,
        set_detect_anomaly,
    )
    from .function import Function
    from .variable import Variable

__all__ = [
    "Function",
    "GradcheckError",
    "Node",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

late.modules(__name__, "anomaly", "function", "functional", "graph", "variable")
_FROM = {
    "Function": "function",
    "Variable": "variable",
    "detect_anomaly": "anomaly",
    "is_anomaly_check_nan_enabled": "anomaly",
    "is_anomaly_enabled": "anomaly",
    "SavedTensor": "saved",
    "_force_original_view_tracking": "replay",
    "_profiler_enabled": "profiler",
    "_unsafe_preserve_version_counter": "graph",
    "is_view_replay_enabled": "replay",
    "kineto_available": "profiler",
    "set_detect_anomaly": "anomaly",
}


def __getattr__(name: str) -> Any:
    if name in _FROM:
        value = getattr(importlib.import_module(f"{__package__}.{_FROM[name]}"), name)
        globals()[name] = value
        return value
    if name in ("forward_ad", "profiler", "profiler_legacy", "profiler_util", "anomaly_mode"):
        module = f"{__name__}.{'anomaly' if name == 'anomaly_mode' else name}"
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM})
