"""Stochastic depth: residual branches left out at random (https://arxiv.org/abs/1603.09382)."""

from __future__ import annotations

import rushlight

from ...nn import Module
from ...tensor import Tensor

__all__ = ["StochasticDepth", "stochastic_depth"]


def stochastic_depth(input: Tensor, p: float, mode: str, training: bool = True) -> Tensor:
    """Zero `input` (mode "batch") or some of its rows (mode "row") with probability `p`.

    What stays is divided by 1 - p.

    >>> stochastic_depth(torch.ones(2), 0.5, "row", training=False)
    tensor([1., 1.])
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    survival = 1.0 - p
    rows = input.shape[0] if mode == "row" else 1
    size = [rows] + [1] * (input.ndim - 1)
    noise = rushlight.empty(size, dtype=input.dtype, device=input.device).bernoulli_(survival)
    if survival > 0.0:
        noise.div_(survival)
    return input * noise


class StochasticDepth(Module):
    """:func:`stochastic_depth` as a layer."""

    def __init__(self, p: float, mode: str) -> None:
        super().__init__()
        self.p = p
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        return stochastic_depth(input, self.p, self.mode, self.training)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p}, mode={self.mode})"
