"""The older spellings, `cuda.amp` and `cpu.amp`: the same classes with the device filled in."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

from rushlight import dtypes
from rushlight.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from rushlight.amp.grad_scaler import GradScaler


def _deprecated(device: str, name: str) -> None:
    warnings.warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. "
        f"Please use `torch.amp.{name}('{device}', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


def _names(device: str, default: dtypes.dtype) -> SimpleNamespace:
    class OldAutocast(autocast):
        def __init__(
            self,
            enabled: bool = True,
            dtype: dtypes.dtype = default,
            cache_enabled: bool = True,
        ) -> None:
            _deprecated(device, "autocast")
            super().__init__(device, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    class OldGradScaler(GradScaler):
        def __init__(
            self,
            init_scale: float = 65536.0,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            enabled: bool = True,
        ) -> None:
            _deprecated(device, "GradScaler")
            super().__init__(
                device, init_scale, growth_factor, backoff_factor, growth_interval, enabled
            )

    def old_custom_fwd(fwd: Any = None, *, cast_inputs: dtypes.dtype | None = None) -> Any:
        _deprecated(device, "custom_fwd")
        return custom_fwd(fwd, device_type=device, cast_inputs=cast_inputs)

    def old_custom_bwd(bwd: Any) -> Any:
        _deprecated(device, "custom_bwd")
        return custom_bwd(bwd, device_type=device)

    OldAutocast.__name__ = OldAutocast.__qualname__ = "autocast"
    OldGradScaler.__name__ = OldGradScaler.__qualname__ = "GradScaler"
    return SimpleNamespace(
        autocast=OldAutocast,
        GradScaler=OldGradScaler,
        custom_fwd=old_custom_fwd,
        custom_bwd=old_custom_bwd,
    )


cuda = _names("cuda", dtypes.float16)
cpu = _names("cpu", dtypes.bfloat16)
