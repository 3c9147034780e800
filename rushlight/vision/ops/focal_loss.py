"""The focal loss: cross entropy that counts easy examples less (https://arxiv.org/abs/1708.02002)."""

from __future__ import annotations

from ...nn import functional as F
from ...tensor import Tensor

__all__ = ["sigmoid_focal_loss"]


def sigmoid_focal_loss(
    inputs: Tensor,
    targets: Tensor,
    alpha: float = 0.25,
    gamma: float = 2,
    reduction: str = "none",
) -> Tensor:
    """-alpha_t (1 - p_t)^gamma log p_t, for scores `inputs` and labels `targets` (0 or 1).

    Args:
        alpha: weight of the positive examples, 1 - alpha of the negative ones; -1 for none.
        gamma: how much less easy examples count.
        reduction: "none", "mean" or "sum".

    >>> sigmoid_focal_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor([0.0433])
    """
    if not 0 <= alpha <= 1 and alpha != -1:
        raise ValueError(
            f"Invalid alpha value: {alpha}. alpha must be in the range [0,1] or -1 for ignore."
        )
    p = inputs.sigmoid()
    loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    loss = loss * (1 - (p * targets + (1 - p) * (1 - targets))) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(
            f"Invalid Value for arg 'reduction': '{reduction} \n Supported reduction modes: "
            "'none', 'mean', 'sum'"
        )
    return loss.mean() if reduction == "mean" else loss.sum()
