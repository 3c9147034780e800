"""`native_batch_norm`, `native_layer_norm`, `native_group_norm`: the norms, and their moments with
them, as PyTorch's own code asks for them. Loaded when used; the norms are in `batch_norm.py`
and `norm_public.py`.
"""

from __future__ import annotations

import math
from typing import Any

from . import batch_norm, norm_checks
from . import norm as ops

Three = tuple[Any, Any, Any]


def native_layer_norm(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Three:
    """(y, mean, rstd) of `nn.functional.layer_norm`."""
    dims = norm_checks.last_dims("native_layer_norm", input, normalized_shape, weight, bias)
    y, mean, rstd = ops.layer_norm_op(input, weight, bias, dims=dims, eps=float(eps))
    shape = (*input.shape[: dims[0]], *(1,) * len(dims))
    return y, *(moment(v, input, weight).reshape(shape) for v in (mean, rstd))


def moment(v: Any, input: Any, weight: Any) -> Any:
    """Moments have the type of the input, or that of wider parameters."""
    return v.to((input if weight is None else weight).dtype)


def native_group_norm(
    input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> Three:
    """(y, mean, rstd) of `nn.functional.group_norm` of N samples of C channels of HxW values."""
    if input.numel() != N * C * HxW:
        raise RuntimeError(f"Expected input to have {N * C * HxW} elements, got {input.numel()}")
    norm_checks.check_channels("group_norm", input, weight, bias)
    y, mean, var = ops.group_norm_op(
        input.reshape(N, C, HxW), weight, bias, groups=group, eps=float(eps)
    )
    rstd = (var + eps).rsqrt()
    parts = (moment(v, input, weight).reshape(N, group) for v in (mean, rstd))
    return y.reshape(input.shape), *parts


def native_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Three:
    """(y, mean, rstd) of `nn.functional.batch_norm`; no moments when not training."""
    if not training:
        given = (input, weight, bias, running_mean, running_var)
        y = batch_norm._batch_norm(*given, False, momentum, eps)
        return y, input.new_empty(0), input.new_empty(0)
    y, mean, var = ops.batch_norm_op.call((input, weight, bias), {"eps": float(eps)})
    if running_mean is not None or running_var is not None:
        count = input.numel() // max(1, input.shape[1])
        unbiased = count / (count - 1) if count > 1 else math.nan
        batch_norm._track(running_mean, running_var, mean, var, unbiased, momentum)
    return y, *(moment(v, input, weight) for v in (mean, (var + eps).rsqrt()))
