"""`torch.functional`: where PyTorch keeps a few of the functions that are found under `torch`."""

from __future__ import annotations

from typing import Any

NAMES = """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod
    cdist chain_matmul einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot
    unique unique_consecutive unravel_index
"""


def __getattr__(name: str) -> Any:
    if name in NAMES.split():
        import rushlight

        return getattr(rushlight, name)
    raise AttributeError(f"module 'rushlight.functional' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(NAMES.split())
