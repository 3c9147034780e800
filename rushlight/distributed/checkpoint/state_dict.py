"""State dictionaries of spread modules: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT

__getattr__, __dir__ = unsupported.module(
    __name__,
    "StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict "
    "set_model_state_dict set_optimizer_state_dict set_state_dict",
    FEATURE,
    HINT,
)
