"""What decides whether lists of tensors are treated as one."""

from __future__ import annotations

from typing import Any

from ..dtypes import dtype
from ..dtypes import float32 as float32

Indices = list[int]
TensorListList = list[list[Any]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Devices on which an optimiser takes lists by itself: none but the CPU's own kernels, which
    are not asked for by this name."""
    return []


def _get_fused_kernels_supported_devices() -> list[str]:
    """Devices with kernels for a whole update."""
    return ["cpu"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Any, with_indices: bool = False
) -> dict[tuple[Any, dtype], tuple[Any, Any]]:
    """Lists side by side, split by the device and the type of what stands first.

    Returns {(device, dtype): (lists, indices)}, as PyTorch does.
    """
    first = tensorlistlist[0]
    groups: dict[Any, list[int]] = {}
    for i, t in enumerate(first):
        groups.setdefault((t.device, t.dtype), []).append(i)
    return {
        key: (
            [[column[i] for i in rows] if column else [] for column in tensorlistlist],
            rows if with_indices else None,
        )
        for key, rows in groups.items()
    }


def _device_has_foreach_support(device: Any) -> bool:
    return device.type == "cpu"


def _has_foreach_support(tensors: Any, device: Any) -> bool:
    return all(t is None or type(t).__name__ in ("Tensor", "Parameter") for t in tensors)
