"""Where PyTorch keeps the random state of CUDA devices."""

from __future__ import annotations

from . import (
    get_rng_state,
    get_rng_state_all,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state_all,
)

__all__ = ["get_rng_state", "get_rng_state_all", "manual_seed", "manual_seed_all"]
__all__ += ["seed", "seed_all", "set_rng_state_all"]
