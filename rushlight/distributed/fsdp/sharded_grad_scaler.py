"""ShardedGradScaler: a GradScaler whose ranks agree on whether gradients overflowed."""

from __future__ import annotations

from typing import Any

import rushlight.distributed as dist
from rushlight.amp.grad_scaler import GradScaler

__all__ = ["ShardedGradScaler"]


class ShardedGradScaler(GradScaler):
    """`GradScaler` for sharded gradients: a rank sees only its part of them, so all ranks skip a
    step when one has met a number that is not finite.

    Args:
        device: where the scale lies; "cuda" without such a device disables it, with a warning.
        init_scale, growth_factor, backoff_factor, growth_interval, enabled: as of `GradScaler`.
        process_group: the ranks that must agree; None: all.

    Gradients in float16 are unscaled as well.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        backoff_factor: float = 0.5,
        growth_factor: float = 2.0,
        growth_interval: int = 2000,
        enabled: bool = True,
        process_group: Any = None,
    ) -> None:
        super().__init__(
            device, init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
        if self._enabled:
            self.process_group = process_group

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Any, found_inf: Any, allow_fp16: bool
    ) -> dict[Any, Any]:
        found = super()._unscale_grads_(optimizer, inv_scale, found_inf, True)
        # A rank without gradients takes part too: its shards are empty, those of others are not.
        device = next(iter(found), None)
        flag = found[device] if found else found_inf
        dist.all_reduce(flag, dist.ReduceOp.MAX, self.process_group)
        return found or {"cpu": flag}
