"""Normalisations: PyTorch's functions and checks in front of the ops of `norm.py`.

Running statistics are kept here, in place and without a gradient. Read next: `norm.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.changes import all_changed, both_changeable, changeable
from ...autograd.node import Out, TensorBase
from ...autograd.specialize import plain
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.keys import Plans
from ...kernels.meta import MetaArray
from ...kernels.norm import select as arrays
from ...kernels.runtime import few
from ..core import kinds
from ..core.composite import composite
from ..core.samples import arr, case
from ..elementwise.arithmetic import add_plain
from ..shape.convert import keeps_format
from . import norm as ops
from .pad import constant_pad_nd
from .pool_public import avg_pool2d
from .spatial import Ints, as_int, check_tensor, dtype_of, list_of

# -- batch norm ----------------------------------------------------------------------------------


@composite(
    public="nn.functional",
    samples=[case((4, 3), (3,), arr((3,), 0.5, 1)), case((4, 3, 2), None, None, (3,), (3,), True)],
)
def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalise each channel (dimension 1) over the batch and all positions.

    y = (x - mean) / sqrt(var + eps) * weight + bias

    Args:
        input: (N, C, *).
        running_mean, running_var: (C,) or None. When `training` they are updated in place,
            r = (1 - momentum) * r + momentum * new (the unbiased variance); else they are used.
        weight, bias: (C,) or None.

    Raises ValueError when training on a single value per channel, and for an `eps` that is not
    positive (negative, where the running statistics are used).

    Ioffe and Szegedy, Batch Normalization, 2015.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> mean, var = torch.zeros(1), torch.ones(1)
    >>> F.batch_norm(x, mean, var, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    >>> mean, var
    (tensor([0.2000]), tensor([1.1000]))
    """
    if eps <= 0 and (training or eps < 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(
            message(
                f"batch_norm eps must be {wanted}, but got {eps}",
                hint="eps=1e-5, which keeps the quotient finite where the variance is 0",
            )
        )
    factor = _usual_channels(input, weight, bias, running_mean, running_var, training, momentum)
    if factor is not None:
        if not training:
            return ops.batch_norm_eval.call(
                (input, weight, bias, running_mean, running_var), {"eps": float(eps)}
            )
        found = ops.batch_norm_op.call((input, weight, bias), {"eps": float(eps)})
        if running_mean is not None or running_var is not None:
            _keep_running(running_mean, running_var, found, factor, momentum)
        return found[0]
    if training:
        check_tensor("batch_norm", "input", 1, input)
        shape = tuple(input.shape)
        if not shape:
            raise IndexError(message("tuple index out of range", got="no dimensions"))
        if math.prod(shape[:1] + shape[2:]) == 1:
            raise ValueError(
                message(
                    f"Expected more than 1 value per channel when training, got input size "
                    f"torch.Size({list_of(shape)})",
                    got="one value per channel: its variance is 0 / 0",
                    hint="a batch of two or more (drop_last=True in the DataLoader), or "
                    "module.eval()",
                )
            )
        if shape[0]:
            axis(1, len(shape))
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@composite(
    public="torch",
    name="batch_norm",
    samples=[case((4, 3), (3,), (3,), (3,), arr((3,), 0.5, 1), False, 0.1, 1e-5, True)],
)
def _torch_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """`nn.functional.batch_norm` in the order of `torch.batch_norm`; `cudnn_enabled` changes
    nothing.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    check_tensor("batch_norm", "input", 1, input)
    _check_params("batch_norm", 2, weight=weight, bias=bias, running_mean=running_mean,
                  running_var=running_var)  # fmt: skip
    _check_switch("batch_norm", "training", 6, training)
    kinds.brought("batch_norm", "momentum", "float", momentum)  # None comes with weight=None
    if input.ndim == 1 and not input.shape[0]:
        return input.clone()
    if input.ndim < 2:
        raise RuntimeError(
            message(
                f"batch_norm: Expected at least 2 dimensions, but got input of size "
                f"{list_of(input.shape)}",
                wanted="(N, C) or (N, C, ...)",
            )
        )
    if not training:
        for name, t in (("running_mean", running_mean), ("running_var", running_var)):
            if t is None:
                raise RuntimeError(
                    message(
                        f"batch_norm: {name} must be defined in evaluation mode",
                        got="training=False without running statistics",
                        hint="track_running_stats=True, or training=True",
                    )
                )
    channels = input.shape[1]
    params = {
        "running_mean": running_mean,
        "running_var": running_var,
        "weight": weight,
        "bias": bias,
    }
    for name, t in params.items():
        if t is not None and math.prod(t.shape) != channels:
            raise RuntimeError(
                message(
                    f"{name} should contain {channels} elements not {math.prod(t.shape)}",
                    got=f"input {list_of(input.shape)}: its channels are dimension 1",
                    hint=f"num_features={channels} in the layer",
                )
            )
    for t in (running_mean, running_var):
        if t is not None and t.ndim != 1:
            raise RuntimeError(message(f"TensorAccessor expected 1 dims but tensor has {t.ndim}"))
    _check_types("batch_norm", input, *params.values())
    return _by_channels(
        input, weight, bias, running_mean, running_var, training, momentum, float(eps)
    )


def _usual_channels(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: Any,
) -> float | None:
    """n / (n - 1) for channels of n values, where these are channels and numbers of one float type
    that fit: then nothing else is asked. It is kept by the layouts of the arrays."""
    if momentum.__class__ is not float or training.__class__ is not bool:
        return None
    try:
        key = few.layouts(
            input._a,
            None if weight is None else weight._a,
            None if bias is None else bias._a,
            None if running_mean is None else running_mean._a,
            None if running_var is None else running_var._a,
            training,
        )
        found = _usual.get(key)
        if found is None and _fit(input, weight, bias, running_mean, running_var, training):
            found = _usual.keep(key, unbiasing(input._a))
    except AttributeError:  # no Tensor
        return None
    return found  # type: ignore[no-any-return]


_usual = Plans()


def unbiasing(a: Any) -> float:
    """n / (n - 1), where channels have n values each: what makes their variances unbiased."""
    channels = a.shape[1]
    count = a.size // channels if channels else 0
    return count / (count - 1) if count > 1 else math.nan


def _fit(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool
) -> bool:
    """Whether these are arrays of one float type, of channels and a number for each; AttributeError
    where one is no Tensor."""
    if not isinstance(input, TensorBase):
        return False
    a = input._a
    if a.ndim < 2 or a.dtype.kind != "f":
        return False
    line = a.shape[1:2]
    if training:
        if a.size <= line[0]:
            return False
    elif running_mean is None or running_var is None:
        return False
    given = [t._a for t in (weight, bias, running_mean, running_var) if t is not None]
    return all(p.dtype is a.dtype and p.shape == line for p in given)


def _by_channels(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """Batch norm of what has been checked."""
    if not training:
        given = (input, weight, bias, running_mean, running_var)
        return ops.batch_norm_eval.call(given, {"eps": eps})
    found = ops.batch_norm_op.call((input, weight, bias), {"eps": eps})
    a = input._a
    there = running_mean is not None or running_var is not None
    if there and a.size and a.__class__ is not MetaArray:
        _keep_running(running_mean, running_var, found, unbiasing(a), momentum)
    return found[0]


def _keep_running(
    running_mean: Any, running_var: Any, found: tuple[Any, ...], unbiased: float, momentum: float
) -> None:
    """The running statistics, with the moments that batch norm has `found`."""
    y, mean, var = found
    if (
        running_mean is not None
        and running_var is not None
        and momentum.__class__ is float
        and both_changeable(running_mean, running_var)
    ):
        r, s, m, v = running_mean._a, running_var._a, mean._a, var._a
        if (  # with the shapes, which are checked, all that `arrays.moved` asks
            m.__class__ is v.__class__ is np.ndarray
            and r.dtype is s.dtype is m.dtype is v.dtype
            and r.base is s.base is None
            and r is not s
        ):
            how = {"kept": 1.0 - momentum, "by_a": momentum, "by_b": momentum * unbiased}
            door.perform(track_alike, (r, s, m, v), how)
            fn = y._fn
            node = fn.node if fn.__class__ is Out else None
            all_changed((running_mean, running_var), "add_", node)
            return
    _track(running_mean, running_var, mean, var, unbiased, momentum, y._fn)


track = Step("track", arrays.moved, outputs=0, mutates=(0, 1))
track_alike = Step("track", arrays.moved_alike, outputs=0, mutates=(0, 1))


def _track(
    first: Any,
    second: Any,
    new_first: Any,
    new_second: Any,
    factor: float,
    momentum: float,
    place: Any = None,
) -> None:
    """running = (1 - momentum) * running + momentum * new, in place, for two running averages (or
    None), the second new value multiplied by `factor`; `place` is where the layer's result has its
    history."""
    if first is not None and second is not None and changeable(first) and changeable(second):
        a, b, new_a, new_b = first._a, second._a, new_first._a, new_second._a
        if a.dtype == new_a.dtype and b.dtype == new_b.dtype:
            how = {"kept": 1.0 - momentum, "by_a": momentum * 1.0, "by_b": momentum * factor}
            door.perform(track, (a, b, new_a, new_b), how)
            node = place.node if place.__class__ is Out else None
            all_changed((first, second), "add_", node)
            return
    for running, new, by in ((first, new_first, 1.0), (second, new_second, factor)):
        if running is not None:
            _track_one(running, new, momentum, by)


def _track_one(running: Any, new: Any, momentum: float, factor: float) -> None:
    """One of them, by operations on Tensors."""
    with door.grad_enabled(False):
        new = new.detach().reshape(running.shape)
        if new.dtype is not running.dtype:
            new = new.to(running.dtype)
        running.mul_(1.0 - momentum).add_(new * factor, alpha=momentum)


def counted(seen: Any) -> None:
    """seen.add_(1): one batch more."""
    # while no class is to be asked, and nobody to be told: what `changes.apply_small` does then
    kind = seen.__class__
    if kind in plain and changeable(seen) and seen._a.dtype.kind in "iu":
        door.perform(add_plain.into, (seen._a, 1), {})
        all_changed((seen,), add_plain.name + "_")
    else:
        seen.add_(1)


# -- instance norm -------------------------------------------------------------------------------


@composite(
    public="nn.functional",
    samples=[case((2, 3, 4)), case((2, 3, 4, 2), weight=arr((3,)), bias=arr((3,)))],
)
def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalise each channel of each sample over its positions.

    y = (x - mean) / sqrt(var + eps) * weight + bias

    Args:
        input: (N, C, *).
        running_mean, running_var: (C,) or None; updated in place with the mean over the batch.
        use_input_stats: False normalises by the running statistics instead.

    Ulyanov et al., Instance Normalization, 2016.

    >>> x = torch.tensor([[[1.0, 3.0], [0.0, 10.0]]])
    >>> F.instance_norm(x)
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    check_tensor("instance_norm", "input", 1, input)
    shape = tuple(input.shape)
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(
            message(
                "Expected more than 1 spatial element when training, got input size "
                f"torch.Size({list_of(shape)})",
                wanted="(N, C, ...) with two positions or more",
            )
        )
    return _instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps
    )


@composite(
    public="torch",
    name="instance_norm",
    samples=[case((2, 3, 4), None, None, None, None, True, 0.1, 1e-5, True)],
)
def _torch_instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """`nn.functional.instance_norm` in the order of `torch.instance_norm`; `cudnn_enabled` changes
    nothing.

    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000]]])
    """
    check_tensor("instance_norm", "input", 1, input)
    axis(1, input.ndim)
    return _instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps
    )


def _instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Any:
    check_tensor("instance_norm", "input", 1, input)
    _check_params("instance_norm", 2, weight=weight, bias=bias, running_mean=running_mean,
                  running_var=running_var)  # fmt: skip
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                message(
                    "instance_norm: Expected running_mean and running_var to be defined when "
                    "use_input_stats is false"
                )
            )
        return _batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
    if input.ndim < 2:
        raise RuntimeError(
            message(
                f"instance_norm: Expected at least 2 dimensions for input tensor but received "
                f"{input.ndim}"
            )
        )
    channels = input.shape[1]
    _check_channels("instance_norm", input, weight, bias)
    _check_types("instance_norm", input, weight, bias, running_mean, running_var)
    y, mean, var = ops.group_norm_op(input, weight, bias, groups=channels, eps=float(eps))
    count = math.prod(input.shape[2:])
    if mean._a.__class__ is not MetaArray and (running_mean is not None or running_var is not None):
        with door.grad_enabled(False):
            mean, var = (t.detach().reshape(-1, channels) for t in (mean, var))
            unbiased = count / (count - 1) if count > 1 else math.nan
            averages = mean.mean(0), var.mean(0)
            _track(running_mean, running_var, *averages, unbiased, momentum)
    return y


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
    if usual(input, normalized_shape, weight, bias):
        dims: Ints = (input._a.ndim - 1,)
    else:
        dims = _last_dims("layer_norm", input, normalized_shape, weight, bias)
    how = {"dims": dims, "eps": float(eps)}
    return ops.layer_norm_op.call((input, weight, bias), how)[0]


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
    _check_params("group_norm", 3, weight=weight, bias=bias)
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
    _check_channels("group_norm", input, weight, bias)
    _check_types("group_norm", input, weight, bias)
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
    dims = _last_dims("rms_norm", input, normalized_shape, weight, None)
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


# -- checks --------------------------------------------------------------------------------------


def _check_types(fn: str, input: Any, *params: Any) -> None:
    d = dtype_of(input)
    if not d.is_floating_point:
        raise NotImplementedError(
            message(
                f"\"{fn}\" not implemented for '{type_name(d)}'",
                got=f"{d!r}",
                hint="x.float()",
            )
        )
    for t in params:
        if t is not None and dtype_of(t) is not d and not (d.low and dtype_of(t) is dtypes.float32):
            raise RuntimeError(
                message(
                    f"{fn}: mixed dtype (CPU): all inputs must share same datatype. "
                    f"expected scalar type {type_name(d)} but found {type_name(dtype_of(t))}",
                    got=f"input {d!r}, parameter {dtype_of(t)!r}",
                    hint=f"module.to({d!r}), or input.to({dtype_of(t)!r})",
                )
            )


def _check_params(fn: str, first: int, **params: Any) -> None:
    """TypeError for a parameter that is neither a Tensor nor None; the first one's position."""
    for position, (name, t) in enumerate(params.items(), first):
        if t is not None:
            check_tensor(fn, name, position, t)


def _check_switch(fn: str, name: str, position: int, value: Any) -> None:
    if value.__class__ is not bool:
        raise TypeError(
            message(
                f"{fn}(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}",
                hint=f"{name}=bool(x)",
            )
        )


def _check_channels(fn: str, input: Any, weight: Any, bias: Any) -> None:
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (input.shape[1],):
            raise RuntimeError(
                message(
                    f"{fn}: Expected {name} to be a vector of size equal to the number of channels "
                    f"in input, but got {name} of shape {list_of(t.shape)} and input of shape "
                    f"{list_of(input.shape)}"
                )
            )


def usual(input: Any, normalized_shape: Any, weight: Any, bias: Any) -> bool:
    """Whether these are rows and lines of one float type that fit: then nothing else is asked."""
    if not isinstance(input, TensorBase) or normalized_shape.__class__ is not tuple:
        return False
    a = input._a
    last = a.shape[-1:]
    if not last or last != normalized_shape or a.dtype.kind != "f":
        return False
    dtype = a.dtype
    for p in (weight, bias):
        if p is not None:
            if not isinstance(p, TensorBase):
                return False
            b = p._a
            if b.shape != last or b.dtype is not dtype:
                return False
    return True


def _last_dims(fn: str, input: Any, normalized_shape: Any, weight: Any, bias: Any) -> Ints:
    """The dimensions of `normalized_shape`, with everything checked against it."""
    if usual(input, normalized_shape, weight, bias):
        return (input._a.ndim - 1,)
    check_tensor(fn, "input", 1, input)
    _check_params(fn, 3, weight=weight, bias=bias)
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError(
            message(
                f"{fn}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
                f"{type(normalized_shape).__name__}",
                hint=f"[{normalized_shape}]",
            )
        )
    shape = tuple(as_int(fn, "normalized_shape", n) for n in normalized_shape)
    if not shape:
        raise RuntimeError(
            message(
                "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
                "one element, but got normalized_shape = []"
            )
        )
    if fn == "rms_norm" and input.ndim < len(shape):
        raise ValueError(
            message(
                f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}"
            )
        )
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != shape:
            raise RuntimeError(
                message(
                    f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                    f"shape {list_of(t.shape)} and normalized_shape = {list_of(shape)}"
                )
            )
    if tuple(input.shape[-len(shape) :]) != shape or input.ndim < len(shape):
        raise RuntimeError(
            message(
                f"{fn}: Given normalized_shape={list_of(shape)}, expected input with shape "
                f"[*, {', '.join(map(str, shape))}], but got input of size{list_of(input.shape)}",
                wanted="an input whose last dimensions are normalized_shape",
                hint=f"normalized_shape={list_of(input.shape[-len(shape) :])}, or permute() "
                "the channels to the end",
            )
        )
    if fn != "rms_norm" or not dtype_of(input).is_complex:
        _check_types(fn, input, *(() if fn == "rms_norm" else (weight, bias)))
    return tuple(range(input.ndim - len(shape), input.ndim))
