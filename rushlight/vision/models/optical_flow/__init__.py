"""Networks that say where every pixel of an image has gone in the next, with torchvision's names,
parameters and first values.
"""

from .raft import (
    RAFT,
    Raft_Large_Weights,
    Raft_Small_Weights,
    raft_large,
    raft_small,
)

__all__ = [
    "RAFT",
    "Raft_Large_Weights",
    "Raft_Small_Weights",
    "raft_large",
    "raft_small",
]
