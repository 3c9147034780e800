"""Distances between vectors. Read next: `loss.py`."""

from __future__ import annotations

from ...tensor import Tensor
from .. import functional as F
from ..module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """(Σ |x₁ - x₂ + eps|ᵖ)^(1/p) over the last dimension.

    >>> round(nn.PairwiseDistance()(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]])).item(), 4)
    5.0
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """x₁·x₂ / max(‖x₁‖·‖x₂‖, eps) along `dim`.

    >>> round(nn.CosineSimilarity()(torch.ones(1, 2), torch.ones(1, 2) * 3).item(), 5)
    1.0
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
