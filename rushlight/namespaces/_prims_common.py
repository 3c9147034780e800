"""What of PyTorch's reference implementations' helpers compares tensors."""

from __future__ import annotations

from typing import Any

from ._subclasses.fake_tensor import MetadataMismatchError

__all__ = ["compare_tensor_meta"]


def compare_tensor_meta(
    a: Any,
    b: Any,
    check_sizes: bool = True,
    check_strides: bool = False,
    *,
    check_conj: bool = True,
) -> None:
    """MetadataMismatchError for tensors of different shapes, types, devices, and with
    `check_strides` of different strides where a dimension has several elements."""
    if check_sizes and a.shape != b.shape:
        raise MetadataMismatchError(f"Shapes {a.shape} and {b.shape} are not equal!")
    if a.dtype != b.dtype:
        raise MetadataMismatchError(f"Dtypes {a.dtype} and {b.dtype} are not equal!")
    if a.device != b.device:
        raise MetadataMismatchError(f"Devices {a.device} and {b.device} are not equal!")
    if check_strides:
        for i, (n, s, t) in enumerate(zip(a.shape, a.stride(), b.stride(), strict=True)):
            if n > 1 and s != t and a.numel():
                raise MetadataMismatchError(
                    f"Stride mismatch! Strides are {a.stride()} and {b.stride()} "
                    f"(mismatched at {i})!"
                )
    if check_conj and a.is_conj() != b.is_conj():
        raise MetadataMismatchError(
            f"Conj mismatch! is_conj is set to {a.is_conj()} and {b.is_conj()}"
        )
