"""Layer, group and RMS norm and their kin: PyTorch's functions and checks in front of `norm.py`.

Not here: batch and instance norm (`batch_norm.py`). Read next: `norm.py`.
"""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...errors import axis, message
from ...kernels.keys import Plans
from ...kernels.runtime import few
from ..core.composite import composite
from ..core.samples import case
from ..shape.convert import keeps_format
from . import norm as ops
from .norm_checks import check_channels, check_params, check_types, last_dims, usual
from .pad import constant_pad_nd
from .pool_public import avg_pool2d
from .spatial import Ints, as_int, check_tensor, dtype_of, list_of

# -- layer, group and RMS norm -------------------------------------------------------------------


@composite(
    public="nn.functional",
    samples=[case((2, 3, 4), [4]), case((2, 3, 4), [3, 4], (3, 4), (3, 4))],
)
def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Normalise over the last dimensions, those of `normalized_shape`.

    y = (x - mean) / sqrt(var + eps) * weight + bias, weight and bias of shape `normalized_shape`.

    Raises RuntimeError when the input does not end in `normalized_shape`.

    Ba, Kiros and Hinton, Layer Normalization, 2016.

    >>> x = torch.tensor([[1.0, 3.0], [0.0, 10.0]])
    >>> F.layer_norm(x, (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    key = None
    try:
        w, b = None if weight is None else weight._a, None if bias is None else bias._a
        key = few.layouts(input._a, normalized_shape, w, b)
    except AttributeError:  # no Tensor: what is asked there says so
        pass
    dims = (
        _usual.get(key)
        or _usual.make(key, input, normalized_shape, weight, bias)
        or last_dims("layer_norm", input, normalized_shape, weight, bias)
    )
    how = {"dims": dims, "eps": float(eps)}
    return ops.layer_norm_op.first((input, weight, bias), how)


@Plans
def _usual(input: Any, normalized_shape: Any, weight: Any, bias: Any) -> Ints | None:
    fit = usual(input, normalized_shape, weight, bias)
    return (input._a.ndim - 1,) if fit else None


@composite(public="torch", name="layer_norm", samples=[case((2, 3, 4), [4])])
def _torch_layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    """`nn.functional.layer_norm`, with PyTorch's `cudnn_enable`, which changes nothing.

    >>> x = torch.tensor([[1.0, 3.0], [0.0, 10.0]])
    >>> torch.layer_norm(x, (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    return layer_norm(input, normalized_shape, weight, bias, eps)


@composite(public="nn.functional", samples=[case((2, 4, 3), 2), case((2, 4, 3), 2, (4,), (4,))])
def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Normalise `num_groups` groups of channels of each sample.

    Args:
        input: (N, C, *), C divisible by `num_groups`.
        weight, bias: (C,) or None.
        eps: added to the variance.

    Wu and He, Group Normalization, 2018.

    >>> x = torch.tensor([[[1.0], [3.0], [0.0], [10.0]]])
    >>> F.group_norm(x, num_groups=2).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
    """
    check_tensor("group_norm", "input", 1, input)
    check_params("group_norm", 3, weight=weight, bias=bias)
    shape = tuple(input.shape)
    if len(shape) < 2:
        raise RuntimeError(
            message(
                f"group_norm: Expected at least 2 dimensions for input tensor but received "
                f"{len(shape)}",
                wanted="(N, C, ...)",
            )
        )
    groups = as_int("group_norm", "num_groups", num_groups)
    if groups <= 0 or shape[1] % groups:
        raise RuntimeError(
            message(
                "Expected number of channels in input to be divisible by num_groups, but got input "
                f"of shape {list_of(shape)} and num_groups={groups}"
            )
        )
    if shape[0] * (shape[1] // groups) * math.prod(shape[2:]) == 1:
        raise ValueError(
            message(
                f"Expected more than 1 value per channel when training, got input size "
                f"{[shape[0] * shape[1] // groups, groups, *shape[2:]]}"
            )
        )
    check_channels("group_norm", input, weight, bias)
    check_types("group_norm", input, weight, bias)
    return ops.group_norm_op(input, weight, bias, groups=groups, eps=float(eps))[0]


@composite(public="torch", name="group_norm", samples=[case((2, 4, 3), 2)])
def _torch_group_norm(
    input: Any,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    """`nn.functional.group_norm`, with PyTorch's `cudnn_enabled`, which changes nothing.

    >>> x = torch.tensor([[[1.0], [3.0], [0.0], [10.0]]])
    >>> torch.group_norm(x, 2).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
    """
    check_tensor("group_norm", "input", 1, input)
    axis(1, input.ndim)
    return group_norm(input, num_groups, weight, bias, eps)


@composite(public="torch nn.functional", samples=[case((2, 3, 4), [4]), case((2, 3, 4), [4], (4,))])
def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Any:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions, those of `normalized_shape`.

    `eps` is the machine epsilon of the type when None. Zhang and Sennrich, 2019.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.rms_norm(x, (2,))
    tensor([[0.8485, 1.1314]])
    """
    dims = last_dims("rms_norm", input, normalized_shape, weight, None)
    dtype = dtype_of(input)
    if eps is None:
        eps = dtypes.finfo(dtypes.float32 if dtype.low else dtype).eps
    if weight is not None and dtype_of(weight) is not dtype:  # it promotes nothing but the product
        wide = input.float() if dtype.low else input
        wide = rms_norm(wide.contiguous(), normalized_shape, None, eps)
        return (wide * weight).to(dtype)
    if dtype.is_complex:
        input = input.contiguous()
        root = (input * input).mean(dims, keepdim=True).add(eps).rsqrt()
        return input * root if weight is None else input * root * weight
    return ops.rms_norm_op(input, weight, dims=dims, eps=float(eps))[0]


# -- others --------------------------------------------------------------------------------------


@composite(loose="alpha beta k", accepts="floating long: avg_pool2d",
           public="nn.functional", samples=[case((2, 4, 3), 3)])
@keeps_format
def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """x / (k + alpha * mean of x ** 2 over `size` neighbouring channels) ** beta.

    Krizhevsky et al., 2012.

    >>> x = torch.ones(1, 3, 1)
    >>> F.local_response_norm(x, size=3, alpha=1.0, beta=1.0)
    tensor([[[0.6000],
             [0.5000],
             [0.6000]]])
    """
    check_tensor("local_response_norm", "input", 1, input)
    if input.ndim < 3:
        raise ValueError(
            message(
                f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)",
                wanted="(N, C, ...)",
            )
        )
    shape = tuple(input.shape)
    if 0 in shape:
        return input
    square = (input * input).reshape(shape[0], 1, shape[1], -1)
    square = constant_pad_nd(square, pad=(0, 0, size // 2, (size - 1) // 2), value=0)
    mean = avg_pool2d(square, (size, 1), stride=1).reshape(shape)
    return input / (mean * alpha + k) ** beta


@composite(loose="p", public="nn.functional", samples=[case((3, 4)), case((3, 4), 1.0, 0)])
@keeps_format
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """x / max(norm(x), eps): vectors of length 1, by the p-norm over `dim` (one, or several).

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> F.normalize(x)
    tensor([[0.6000, 0.8000]])
    >>> F.normalize(x, p=1)
    tensor([[0.4286, 0.5714]])
    """
    check_tensor("normalize", "input", 1, input)
    if p == 2 and out is None:
        found = ops.units(input, dim, eps, True)
        if found is not None:
            return found
    length = input.norm(p, dim, keepdim=True).clamp_min(eps)
    if out is None:
        return input / length
    from ..elementwise.arithmetic_public import div

    return div(input, length, out=out)
