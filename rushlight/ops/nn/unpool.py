"""Unpooling, power-mean pooling and fractional pooling.

Read next: `pool_public.py` for the common pools.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ...kernels.pool import reference as arrays
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, values
from ..shape.convert import keeps_format
from .pool import add_plane, put_plane
from .pool_public import _window, avg_pool1d, avg_pool2d, avg_pool3d
from .spatial import Ints, as_int, check_tensor, dtype_of, ints, list_of

# -- unpooling -----------------------------------------------------------------------------------


def _max_unpool(
    d: int, input: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Any:
    fn = f"max_unpool{d}d"
    check_tensor(fn, "input", 1, input)
    check_tensor(fn, "indices", 2, indices)
    how = _window(fn, d, kernel_size, stride, padding)
    if input.ndim < d:
        raise IndexError(message("tuple index out of range", got=f"{input.ndim} dimensions"))
    if dtype_of(indices) is not dtypes.int64:
        name = dtype_of(indices).name.capitalize()
        raise RuntimeError(
            message(f"{fn}: elements in indices should be type int64 but got: {name}")
        )
    if tuple(indices.shape) != tuple(input.shape):
        raise RuntimeError(
            message(
                f"{fn}: Expected shape of indices to be same as that of the input tensor "
                f"({list_of(input.shape)}) but got indices tensor with shape: "
                f"{list_of(indices.shape)}"
            )
        )
    if input.ndim not in (d + 1, d + 2):
        raise RuntimeError(
            message(
                f"{fn}: Input to {fn} should be a {d + 1}d or {d + 2}d Tensor, "
                f"but got a tensor with {input.ndim} dimensions"
            )
        )
    size = _unpooled_size(fn, tuple(input.shape[-d:]), how, output_size)
    where = indices._a
    if where.size and not isinstance(where, MetaArray):
        low, high = int(where.min()), int(where.max())
        if low < 0 or high >= math.prod(size):
            bad = low if low < 0 else high
            raise RuntimeError(
                message(
                    f"{fn}: Found an invalid max index: {bad} (output volumes are of size "
                    f"{'x'.join(map(str, size))})",
                    hint="output_size=, the shape that the max pool had seen",
                )
            )
    return put_plane(input, indices, size=size, dims=d)


def _unpooled_size(fn: str, size: Ints, how: dict[str, Ints], output_size: Any) -> Ints:
    usual = tuple(
        (n - 1) * s + k - 2 * p
        for n, k, s, p in zip(size, how["kernel"], how["stride"], how["padding"], strict=True)
    )
    if output_size is None:
        return usual
    d = len(size)
    wanted = tuple(as_int(fn, "output_size", v) for v in output_size)
    if len(wanted) == d + 2:
        wanted = wanted[2:]
    if len(wanted) != d:
        raise ValueError(
            message(
                f"{fn}: output_size should be a sequence containing {d} or {d + 2} elements, "
                f"but it has a length of '{len(wanted)}'"
            )
        )
    for i, (n, u, s) in enumerate(zip(wanted, usual, how["stride"], strict=True)):
        if not u - s < n < u + s:
            raise ValueError(
                message(
                    f'{fn}: invalid output_size "{wanted}" (dim {i} must be between {u - s} and '
                    f"{u + s})"
                )
            )
    return wanted


_UNPOOL_DOC = """Put the maxima of a `max_pool{d}d` back where they were, and zeros elsewhere.

Args:
    input, indices: as the pool returned them with `return_indices=True`.
    kernel_size, stride, padding: the pool's.
    output_size: the size that the pool had seen, where that is ambiguous.

>>> x = torch.arange({n}.0).reshape(1, 1, {side})
>>> y, indices = F.max_pool{d}d(x, 2, return_indices=True)
>>> F.max_unpool{d}d(y, indices, 2).flatten()
{back}
"""


@composite(autocast="float32", accepts="floating: max_unpool2d",
           public="nn.functional", samples=[case((1, 1, 3), values([[[1, 2, 5]]]), 2)])
def max_unpool1d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size)


@composite(
    autocast="float32",
    accepts="floating: max_unpool2d",
    public="nn.functional",
    samples=[case((1, 1, 2, 2), values([[[[0, 3], [8, 15]]]]), 2)],
)
@keeps_format
def max_unpool2d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size)


@composite(
    autocast="float32",
    accepts="floating: max_unpool3d",
    public="nn.functional",
    samples=[case((1, 1, 1, 1, 2), values([[[[[5, 2]]]]]), 2)],
)
def max_unpool3d(
    input: Any,
    indices: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Any:
    return _max_unpool(3, input, indices, kernel_size, stride, padding, output_size)


for _d, _fn in enumerate((max_unpool1d, max_unpool2d, max_unpool3d), 1):
    _last = 2**_d - 1
    _fn.__doc__ = _UNPOOL_DOC.format(
        d=_d,
        n=_last + 1,
        side=", ".join(["2"] * _d),
        back=f"tensor([{'0., ' * _last}{_last}.])",
    )

# -- power means ---------------------------------------------------------------------------------


def _lp_pool(
    pool: Any, d: int, input: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    kernel = ints(f"lp_pool{d}d", "kernel_size", kernel_size, d)
    mean = pool(input.pow(norm_type), kernel, stride, 0, ceil_mode)
    return (mean.sign() * mean.abs().relu() * math.prod(kernel)).pow(1.0 / norm_type)


@composite(public="nn.functional", samples=[case(arr((2, 3, 6), 0.5, 2), 2.0, 2)])
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(sum of x ** p) ** (1 / p) over each window of the last dimension, p = `norm_type`.

    `input` (N, C, L) or (C, L); `stride` is the kernel's size by default; `ceil_mode`: also windows
    that hang over the edge. p = 1 gives the sum.

    >>> x = torch.tensor([[[3.0, 4.0, 6.0, 8.0]]])
    >>> F.lp_pool1d(x, 2, kernel_size=2)
    tensor([[[ 5., 10.]]])
    """
    return _lp_pool(avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


@composite(public="nn.functional", samples=[case(arr((2, 3, 6, 4), 0.5, 2), 2.0, 2)])
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(sum of x ** p) ** (1 / p) over each window of the last two dimensions, p = `norm_type`.

    `input` (N, C, H, W) or (C, H, W); `stride` is the kernel's size by default;
    `ceil_mode`: also windows that hang over the edge.

    >>> x = torch.tensor([[[[1.0, 1.0], [1.0, 1.0]]]])
    >>> F.lp_pool2d(x, 2, kernel_size=2)
    tensor([[[[2.]]]])
    """
    return _lp_pool(avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


@composite(public="nn.functional", samples=[case(arr((1, 2, 4, 4, 4), 0.5, 2), 2.0, 2)])
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(sum of x ** p) ** (1 / p) over each window of the last three dimensions, p = `norm_type`.

    `input` (N, C, D, H, W) or (C, D, H, W); `stride` is the kernel's size by default;
    `ceil_mode`: also windows that hang over the edge.

    >>> x = torch.ones(1, 1, 1, 2, 2)
    >>> F.lp_pool3d(x, 2, kernel_size=(1, 2, 2))
    tensor([[[[[2.]]]]])
    """
    return _lp_pool(avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)


# -- fractional pooling --------------------------------------------------------------------------


@op(
    samples=[
        case((1, 2, 6, 7), np.array([[[0.23, 0.71], [0.41, 0.13]]]), kernel=(2, 2), out=(3, 4))
    ],
    public="",
    outputs=2,
    differentiable=(0,),
    fresh=True,
    node="FractionalMaxPool2DBackward0",
)
def fractional_max(input: Any, samples: Any, *, kernel: Ints, out: Ints) -> Any:
    """Maxima of windows at pseudo-random distances (Graham, 2014), and their flat indices.

    input (N, C, *S), samples (N, C, d) in [0, 1): where the windows of each plane start.
    """
    return arrays.fractional_max(input, samples, kernel, out)


def _fractional_shape(x: Any, samples: Any, *, kernel: Ints, out: Ints) -> Any:
    shape = (*x.shape[: x.ndim - len(out)], *out)
    return MetaArray(shape, x.dtype), MetaArray(shape, np.int64)


fractional_max.shape(_fractional_shape)


@fractional_max.joint
def _(g: Any, y: Any, _x: Any, samples: Any, *, out: Ints, shapes: Any) -> Any:
    size = tuple(shapes[0][len(shapes[0]) - len(out) :])
    return add_plane(g[0], y[1], size=size, dims=len(out)), samples * 0.0


def _fractional(
    d: int,
    input: Any,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    return_indices: bool,
    samples: Any,
) -> Any:
    fn = f"fractional_max_pool{d}d"
    check_tensor(fn, "input", 1, input)
    if output_size is None and output_ratio is None:
        raise ValueError(
            message(f"{fn} requires specifying either an output_size or an output_ratio")
        )
    if isinstance(kernel_size, (tuple, list)) and len(kernel_size) != d:
        many = "tuple of Ints" if d == 2 else "tuple of three Ints"
        raise RuntimeError(
            message(
                f"{fn}: kernel_size must either be a single Int or {many}",
                got=f"kernel_size={list(kernel_size)}",
            )
        )
    kernel = ints(fn, "kernel_size", kernel_size, d)
    if d == 2:
        axis(-3, input.ndim)
    if 0 in input.shape[max(input.ndim - d - 1, 0) :]:
        raise RuntimeError(
            message(
                f"{fn}: Expected input to have non-zero size for non-batch dimensions, but got "
                f"{list_of(input.shape)}"
            )
        )
    if input.ndim not in (d + 1, d + 2):
        raise RuntimeError(
            message(f"{fn}: Expected {d + 1}D or {d + 2}D tensor, but got: {list_of(input.shape)}")
        )
    size = tuple(input.shape[-d:])
    many = "tuple of Ints" if d == 2 else "tuple of three Ints"
    if isinstance(output_size, (tuple, list)) and len(output_size) != d:
        raise RuntimeError(
            message(
                f"{fn}: output_size must either be a single Int or {many}",
                got=f"output_size={list(output_size)}",
            )
        )
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * d
        if len(ratios) != d:
            raise ValueError(
                message(
                    f"{fn} requires output_ratio to either be a single Int or tuple of Ints.",
                    got=f"output_ratio={tuple(ratios)}",
                )
            )
        out = tuple(int(n * r) for n, r in zip(size, ratios, strict=True))
    else:
        out = ints(fn, "output_size", output_size, d)
    for n, k, o, side in zip(size, kernel, out, ("time", "height", "width")[-d:], strict=True):
        if o + k - 1 > n or o < 0:
            raise RuntimeError(
                message(
                    f"{fn}{'_out' if d == 3 else ''}(): pool {side} {k} too large relative to "
                    f"input {side} {n}",
                    got=f"output size {o}",
                    wanted="output + kernel - 1 <= input",
                )
            )
    if 0 in out:
        nothing = input.new_empty((*input.shape[:-d], *out))
        return (nothing, nothing.long()) if return_indices else nothing
    x = input if input.ndim == d + 2 else input.unsqueeze(0)
    if samples is None:
        from ..random.factories import rand

        samples = rand(x.shape[0], x.shape[1], d, dtype=x.dtype)
    elif samples.ndim != 3 or samples.shape[0] < x.shape[0] or samples.shape[1:] != (x.shape[1], d):
        raise RuntimeError(
            message(
                f"{fn}: Expect _random_samples to have 3 dimensions that fit the input",
                list_of(samples.shape),
                f"(at least {x.shape[0]}, {x.shape[1]}, {d})",
            )
        )
    else:
        samples = samples[: x.shape[0]]  # as in PyTorch, those of a larger batch do
    y, indices = fractional_max(x, samples, kernel=kernel, out=out)
    if input.ndim == d + 1:
        y, indices = y.squeeze(0), indices.squeeze(0)
    return (y, indices) if return_indices else y


@composite(
    public="nn.functional",
    random=True,
    samples=[
        case((1, 2, 6, 6), 2, output_size=[3, 3]),
        case((1, 2, 6, 6), 2, output_ratio=[0.5, 0.5]),
    ],
)
def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: one number, or one a dimension, of each window.
        output_size, output_ratio: the result's size, or its ratio to the input's; one of the two.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Graham, Fractional Max-Pooling, 2014, arXiv:1412.6071.

    >>> x = torch.arange(25.0).reshape(1, 1, 5, 5)
    >>> F.fractional_max_pool2d(x, kernel_size=2, output_size=3).shape
    torch.Size([1, 1, 3, 3])
    """
    return _fractional(
        2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


@composite(
    public="nn.functional",
    random=True,
    samples=[case((1, 2, 4, 4, 4), 2, output_size=[2, 2, 2])],
)
def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Maxima of windows at pseudo-random distances, as many as `output_size` or a ratio says.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        kernel_size: one number, or one a dimension, of each window.
        output_size, output_ratio: the result's size, or its ratio to the input's; one of the two.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Graham, Fractional Max-Pooling, 2014, arXiv:1412.6071.

    >>> x = torch.zeros(1, 1, 5, 5, 5)
    >>> F.fractional_max_pool3d(x, kernel_size=2, output_ratio=0.5).shape
    torch.Size([1, 1, 2, 2, 2])
    """
    return _fractional(
        3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
