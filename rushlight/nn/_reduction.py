"""The old `size_average` and `reduce` arguments of losses as today's `reduction`."""

from __future__ import annotations

import warnings

from ..errors import message
from ..once import users_level
from ..tensor import Tensor


def get_enum(reduction: str) -> int:
    """0, 1, 2 for 'none', 'mean', 'sum'."""
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
            stacklevel=2,
        )
        return 1
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return ("none", "mean", "sum").index(reduction)


def legacy_get_string(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> str:
    """'mean', 'sum' or 'none'; a missing argument counts as True."""
    if isinstance(size_average, Tensor) or isinstance(reduce, Tensor):
        raise RuntimeError(
            message(
                "Boolean value of Tensor with more than one value is ambiguous",
                got="the data where the settings of a loss belong",
                hint="making the loss, then calling it: nn.MSELoss()(input, target)",
            )
        )
    together = "sum" if size_average is False else "mean"
    reduction = "none" if reduce is False else together
    if emit_warning:
        warnings.warn(
            "size_average and reduce args will be deprecated, "
            f"please use reduction='{reduction}' instead.",
            stacklevel=users_level(),
        )
    return reduction


def legacy_get_enum(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> int:
    """`legacy_get_string` as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
