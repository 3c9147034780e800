"""Batch norm and instance norm: PyTorch's functions and checks in front of the ops of `norm.py`.

Running statistics are kept here, in place and without a gradient. Read next: `norm.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd import changes, door
from ...autograd.changes import all_changed, both_changeable, changeable
from ...autograd.node import Out, TensorBase
from ...autograd.specialize import plain
from ...autograd.steps import Step
from ...errors import axis, message
from ...kernels.keys import Plans
from ...kernels.meta import MetaArray
from ...kernels.norm import select as arrays
from ...kernels.runtime import few
from ..core import kinds
from ..core.composite import composite
from ..core.samples import arr, case
from ..elementwise.arithmetic import add_plain
from . import norm as ops
from .norm_checks import check_channels, check_params, check_switch, check_types
from .spatial import check_tensor, list_of

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
    factor = None
    if momentum.__class__ is float and training.__class__ is bool:
        try:
            known = few.layouts(
                input._a,
                None if weight is None else weight._a,
                None if bias is None else bias._a,
                None if running_mean is None else running_mean._a,
                None if running_var is None else running_var._a,
                training,
            )
            factor = _usual.get(known) or _usual.make(
                known, input, weight, bias, running_mean, running_var, training
            )
        except AttributeError:  # no Tensor: what comes below says so
            factor = None
    if factor is not None:
        if not training:
            return ops.batch_norm_eval.call(
                (input, weight, bias, running_mean, running_var), {"eps": float(eps)}
            )
        y, found = ops.batch_norm_op.first_and_others((input, weight, bias), {"eps": float(eps)})
        if running_mean is not None or running_var is not None:
            _keep_running(running_mean, running_var, y, found, factor, momentum)
        return y
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
    check_params("batch_norm", 2, weight=weight, bias=bias, running_mean=running_mean,
                  running_var=running_var)  # fmt: skip
    check_switch("batch_norm", "training", 6, training)
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
    check_types("batch_norm", input, *params.values())
    return _by_channels(
        input, weight, bias, running_mean, running_var, training, momentum, float(eps)
    )


@Plans
def _usual(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool
) -> float | None:
    """n / (n - 1) for channels of n values, where these are channels and numbers of one float type
    that fit: then nothing else is asked."""
    fit = _fit(input, weight, bias, running_mean, running_var, training)
    return unbiasing(input._a) if fit else None


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
    y, found = ops.batch_norm_op.first_and_others((input, weight, bias), {"eps": eps})
    a = input._a
    there = running_mean is not None or running_var is not None
    if there and a.size and a.__class__ is not MetaArray:
        _keep_running(running_mean, running_var, y, found, unbiasing(a), momentum)
    return y


def _keep_running(
    running_mean: Any, running_var: Any, y: Any, found: tuple[Any, ...], unbiased: float,
    momentum: float,
) -> None:  # fmt: skip
    """The running statistics, with the moments that batch norm has `found` beside its result y, as
    arrays or as tensors."""
    _, mean, var = found
    if momentum.__class__ is float and (
        changes.both_free(running_mean, running_var) or both_changeable(running_mean, running_var)
    ):
        r, s = running_mean._a, running_var._a
        m, v = (mean, var) if mean.__class__ is ndarray else (mean._a, var._a)
        if (  # with the shapes, which are checked, all that `arrays.moved` asks
            m.__class__ is v.__class__ is ndarray
            and r.dtype is s.dtype is m.dtype is v.dtype
            and r.base is s.base is None
            and r is not s
        ):
            how = {"kept": 1.0 - momentum, "by_a": momentum, "by_b": momentum * unbiased}
            door.perform(track_alike, (r, s, m, v), how)
            by = node_of(y._fn)
            both = running_mean, running_var
            # (`all_changed` begins so, too: to call it takes as long as this)
            if by is None or not changes.noted(both, "add_", by.code, by.lasti):
                all_changed(both, "add_", by)
            return
    if mean.__class__ is ndarray:
        mean, var = door.wrap(mean), door.wrap(var)
    _track(running_mean, running_var, mean, var, unbiased, momentum, y._fn)


def node_of(place: Any) -> Any:
    """The node at a place of a history; None where there is none."""
    return place.node if place.__class__ is Out else place


ndarray = np.ndarray
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
            all_changed((first, second), "add_", node_of(place))
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
    # while no class is to be asked, and nobody to be told: what `in_place.change` does then
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
    check_params("instance_norm", 2, weight=weight, bias=bias, running_mean=running_mean,
                  running_var=running_var)  # fmt: skip
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                message(
                    "instance_norm: Expected running_mean and running_var to be defined when "
                    "use_input_stats is false"
                )
            )
        y = _batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
        return y.contiguous()
    if input.ndim < 2:
        raise RuntimeError(
            message(
                f"instance_norm: Expected at least 2 dimensions for input tensor but received "
                f"{input.ndim}"
            )
        )
    channels = input.shape[1]
    check_channels("instance_norm", input, weight, bias)
    check_types("instance_norm", input, weight, bias, running_mean, running_var)
    y, mean, var = ops.group_norm_op(input, weight, bias, groups=channels, eps=float(eps))
    count = math.prod(input.shape[2:])
    if mean._a.__class__ is not MetaArray and (running_mean is not None or running_var is not None):
        with door.grad_enabled(False):
            mean, var = (t.detach().reshape(-1, channels) for t in (mean, var))
            unbiased = count / (count - 1) if count > 1 else math.nan
            averages = mean.mean(0), var.mean(0)
            _track(running_mean, running_var, *averages, unbiased, momentum)
    return y.contiguous()  # in rows also of images with their channels innermost
