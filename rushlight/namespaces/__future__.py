"""`torch.__future__`: how conversions of modules treat their parameters."""

from __future__ import annotations

from rushlight.nn import _conversion


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to` and the like assign new Parameters instead of changing the old ones."""
    _conversion.overwrite[0] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """What `set_overwrite_module_params_on_conversion` set; False unless it was called."""
    return _conversion.overwrite[0]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether `Module.to`, `load_state_dict` and the like use `utils.swap_tensors` on parameters.

    In `load_state_dict` what `param.module_load(value)` returns is swapped in.
    """
    _conversion.swap[0] = value


def get_swap_module_params_on_conversion() -> bool:
    """What `set_swap_module_params_on_conversion` set; False unless it was called."""
    return _conversion.swap[0]
