"""SparseAdam: named, and refused with the way out."""

from __future__ import annotations

from typing import Any

from rushlight.errors import message
from rushlight.optim.optimizer import Optimizer, ParamsT

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """PyTorch's Adam for sparse gradients, which do not exist here; the constructor raises."""

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        raise NotImplementedError(
            message(
                "SparseAdam: sparse gradients are not supported",
                got="an optimizer for gradients in sparse layout",
                wanted="dense gradients, the only ones that backward produces here",
                hint="optim.Adam with the same settings, and Embedding without sparse=True",
            )
        )
