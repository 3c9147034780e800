"""The pooling ops and the transposes that are their gradients; public functions are in
`pool_public.py`.

A maximum's gradient goes where the maximum was. The plain ops look that up only in backward
(`max_tap`, the position in the window); the ones that return PyTorch's flat indices use those.
All work on the last dimensions of an array, batched or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.pool import reference
from ...kernels.pool import select as arrays
from ..core.record import Op, op, register
from ..core.samples import arr, case
from ..core.shapes import sized
from .spatial import Ints

_K22: dict[str, Any] = {
    "kernel": (2, 2),
    "stride": (2, 2),
    "padding": (0, 0),
    "dilation": (1, 1),
}
_K32: dict[str, Any] = {
    "kernel": (3, 2),
    "stride": (1, 2),
    "padding": (1, 0),
    "dilation": (1, 1),
}

# -- elements named by an index ------------------------------------------------------------------


@op(
    samples=[case((2, 3, 4, 5), arr((2, 3, 2), 0, 20, "int64"), dims=(2, 1))], public="", fresh=True
)
def take_plane(input: Any, indices: Any, *, dims: Ints) -> Any:
    """Elements of the flattened last dims[0] dimensions, at indices with dims[1] dimensions."""
    return reference.take_plane(input, indices, dims[0])


take_plane.shape(
    lambda x, i, *, dims: MetaArray(
        (*x.shape[: x.ndim - dims[0]], *i.shape[i.ndim - dims[1] :]), x.dtype
    )
)


@op(
    samples=[case((2, 3, 2), arr((2, 3, 2), 0, 20, "int64"), size=(4, 5), dims=1)],
    public="",
    fresh=True,
)
def add_plane(input: Any, indices: Any, *, size: Ints, dims: int) -> Any:
    """The transpose of `take_plane`: elements added at `indices` of planes of zeros."""
    return reference.put_plane(input, indices, size, dims, add=True)


add_plane.shape(lambda x, i, *, size, dims: MetaArray((*x.shape[: x.ndim - dims], *size), x.dtype))


@op(
    samples=[case((1, 2, 3), np.array([[[0, 5, 3], [7, 2, 1]]]), size=(2, 4), dims=1)],
    public="",
    fresh=True,
    node="MaxUnpool2DBackward0",
)
def put_plane(input: Any, indices: Any, *, size: Ints, dims: int) -> Any:
    """Elements put at `indices` of planes of zeros; of equal indices the last one stays."""
    return reference.put_plane(input, indices, size, dims, add=False)


put_plane.shape(lambda x, i, *, size, dims: MetaArray((*x.shape[: x.ndim - dims], *size), x.dtype))


def _taken(g: Any, _y: Any, _x: Any, indices: Any, *, size: Ints, dims: int) -> Any:
    return take_plane(g, indices, dims=(len(size), dims))


take_plane.vjp(
    lambda g, _y, _x, indices, *, shapes, dims: add_plane(
        g, indices, size=tuple(shapes[0][len(shapes[0]) - dims[0] :]), dims=dims[1]
    ),
    None,
)
add_plane.vjp(_taken, None)
put_plane.vjp(_taken, None)

# -- elements named by their position in a window ------------------------------------------------


@op(samples=[case((2, 4, 4), (2, 2, 2), **_K22)], public="", fresh=True)
def max_tap(
    input: Any, maxima: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Any:
    """Which element of its window each maximum is: whole numbers, without a gradient."""
    return arrays.max_tap(input, maxima, kernel, stride, padding, dilation)


max_tap.shape(lambda x, maxima, **_: MetaArray(maxima.shape, np.uint8))


@op(
    samples=[
        case((2, 2, 2), arr((2, 2, 2), 0, 4, "uint8"), size=(4, 5), **_K22),
        case((2, 5, 2), arr((2, 5, 2), 0, 6, "uint8"), size=(5, 4), **_K32),
    ],
    public="",
    fresh=True,
)
def put_taps(
    input: Any,
    taps: Any,
    *,
    size: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
) -> Any:
    """Each element added to the one of its window that `taps` names."""
    return arrays.put_taps(input, taps, size, kernel, stride, padding, dilation)


put_taps.shape(sized)


@op(
    samples=[
        case((2, 4, 5), arr((2, 2, 2), 0, 4, "uint8"), **_K22),
        case((2, 5, 4), arr((2, 5, 2), 2, 4, "uint8"), **_K32),
    ],
    public="",
    fresh=True,
)
def take_taps(
    input: Any, taps: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Any:
    """From each window the element that `taps` names: the transpose of `put_taps`."""
    return reference.take_taps(input, taps, kernel, stride, padding, dilation)


take_taps.shape(lambda x, taps, **_: MetaArray(taps.shape, x.dtype))


def _how(kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> dict[str, Ints]:
    return {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}


put_taps.vjp(
    lambda g, _y, _x, taps, *, kernel, stride, padding, dilation: take_taps(
        g, taps, **_how(kernel, stride, padding, dilation)
    ),
    None,
)
take_taps.vjp(
    lambda g, _y, _x, taps, *, shapes, kernel, stride, padding, dilation: put_taps(
        g,
        taps,
        size=tuple(shapes[0][len(shapes[0]) - len(kernel) :]),
        **_how(kernel, stride, padding, dilation),
    ),
    None,
)

# -- maxima --------------------------------------------------------------------------------------


@op(
    samples=[
        case((2, 2, 2), (2, 2, 2), (2, 4, 5), **_K22),
        case((2, 5, 2), (2, 5, 2), (2, 5, 4), **_K32),
    ],
    differentiable=(0,),
    public="",
    fresh=True,
)
def max_pool_input(
    input: Any, maxima: Any, x: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Any:
    """The gradient of a maximum pool: each element added to the one of its window in x that is the
    maximum. In one pass what `put_taps` does with the taps of `max_tap`."""
    return arrays.max_pool_input(input, maxima, x, kernel, stride, padding, dilation)


max_pool_input.shape(lambda g, _y, x, **_: MetaArray(x.shape, g.dtype))
max_pool_input.planned(
    lambda g, y, x, *, kernel, stride, padding, dilation: arrays.plan_max_pool_input(
        x.dtype, x.shape, x.strides, g.shape, g.strides, kernel, stride, padding, dilation
    )
)
max_pool_input.vjp(
    lambda g, _y, _input, maxima, x, *, kernel, stride, padding, dilation: take_taps(
        g,
        max_tap(x, maxima, **_how(kernel, stride, padding, dilation)),
        **_how(kernel, stride, padding, dilation),
    ),
    # Which element is the largest does not change by a little: zeros, as PyTorch has for x.
    lambda _g, _y, _input, maxima, _x, **_how: _zeros_of(maxima),
    lambda _g, _y, _input, _maxima, x, **_how: _zeros_of(x),
)


def _zeros_of(x: Any) -> Any:
    return x.new_zeros(x.shape) if isinstance(x, TensorBase) else np.zeros_like(x)


def _max_pool_rule(
    g: Any, y: Any, x: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> Any:
    if g.__class__ is np.ndarray:
        return arrays.max_pool_input(g, y, x, kernel, stride, padding, dilation)
    return max_pool_input(g, y, x, **_how(kernel, stride, padding, dilation))


def _pooled(x: Any, out: Ints) -> MetaArray:
    return MetaArray((*x.shape[: x.ndim - len(out)], *out), x.dtype)


def _max_pool_op(d: int) -> Op:
    """The plain maximum over d dimensions (PyTorch names the nodes apart)."""

    def forward(
        input: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
    ) -> Any:
        return arrays.max_pool(input, kernel, stride, padding, dilation, out)

    forward.__name__ = f"max_pool_{d}d"
    forward.__doc__ = f"The maximum of each window over the last {d} dimensions."
    samples = [
        case((2, 2, *(3, 5, 4)[-d:]), out=(3, 2, 2)[-d:], **{k: v[:1] * d for k, v in _K22.items()})
    ]
    samples[0].kw["padding"] = (1, 0, 0)[-d:]
    samples[0].kw["out"] = (2,) * d
    node = f"MaxPool{d}DWithIndicesBackward0"
    record = register(
        Op(forward, "op", samples=samples, public="", fresh=True, node=node, copies=True)
    )
    record.vjp(_max_pool_rule)
    record.planned(
        lambda x, *, kernel, stride, padding, dilation, out: arrays.plan_max_pool(
            x.dtype, x.shape, x.strides, kernel, stride, padding, dilation, out
        )
    )
    record.shape(lambda x, *, out, **_kw: _pooled(x, out))
    return record


max_pool = {d: _max_pool_op(d) for d in (1, 2, 3)}


@op(
    samples=[case((2, 4, 6), out=(2, 3), **_K22), case((2, 4, 4), out=(4, 2), **_K32)],
    public="",
    outputs=2,
    differentiable=(0,),
    fresh=True,
    node="MaxPool2DWithIndicesBackward0",
)
def max_pool_with_indices(
    input: Any, *, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints
) -> Any:
    """The maximum of each window and its index in the flattened plane."""
    how = (kernel, stride, padding, dilation)
    y = arrays.max_pool(input, *how, out)
    size = input.shape[input.ndim - len(kernel) :]
    return y, reference.flat_indices(arrays.max_tap(input, y, *how), size, *how)


@op(
    samples=[case((2, 4, 6), out=(2, 3)), case((2, 5, 7), out=(2, 3))],
    public="",
    outputs=2,
    differentiable=(0,),
    fresh=True,
    node="AdaptiveMaxPool2DBackward0",
)
def adaptive_max(input: Any, *, out: Ints) -> Any:
    """Maxima of windows that divide the plane into `out` parts, and their flat indices."""
    return arrays.adaptive_max(input, out)


def _indexed_rule(g: Any, y: Any, _x: Any, *, out: Ints, shapes: Any) -> Any:
    size = tuple(shapes[0][len(shapes[0]) - len(out) :])
    return add_plane(g[0], y[1], size=size, dims=len(out))


def _adaptive_rule(g: Any, y: Any, x: Any, *, out: Ints, shapes: Any) -> Any:
    filled(f"adaptive_max_pool{max(len(out), 2)}d", g[0])
    return _indexed_rule(g, y, x, out=out, shapes=shapes)


def filled(name: str, g: Any) -> None:
    """RuntimeError when a gradient of adaptive windows has no elements, as PyTorch has it."""
    for i, n in enumerate(g.shape[1:], 1):
        if n == 0:
            raise RuntimeError(
                message(
                    f"{name}_backward(): Expected grad_output to have non-zero size for non-batch "
                    f"dimensions, but grad_output has sizes {list(g.shape)} with dimension {i} "
                    "being empty",
                    hint="an output_size of at least 1",
                )
            )


def _indexed_shape(x: Any, *, out: Ints, **_kw: Any) -> Any:
    y = _pooled(x, out)
    return y, MetaArray(y.shape, np.int64)


max_pool_with_indices.vjp(_indexed_rule)
adaptive_max.vjp(_adaptive_rule)
for _op in (max_pool_with_indices, adaptive_max):
    _op.shape(_indexed_shape)

# -- means ---------------------------------------------------------------------------------------


@op(
    samples=[
        case(
            (2, 3, 2),
            size=(5, 4),
            kernel=(3, 2),
            stride=(2, 2),
            padding=(1, 0),
            count_include_pad=False,
            divisor=None,
        ),
        case(
            (2, 3),
            size=(4,),
            kernel=(2,),
            stride=(1,),
            padding=(0,),
            count_include_pad=True,
            divisor=3,
        ),
    ],
    public="",
    fresh=True,
)
def avg_pool_transpose(
    input: Any,
    *,
    size: Ints,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    """The transpose of the mean pool: each element shared out over its window."""
    return arrays.avg_pool_input(input, size, kernel, stride, padding, count_include_pad, divisor)


avg_pool_transpose.shape(sized)


def _avg_pool_op(d: int) -> Op:
    def forward(
        input: Any,
        *,
        kernel: Ints,
        stride: Ints,
        padding: Ints,
        out: Ints,
        count_include_pad: bool,
        divisor: int | None,
    ) -> Any:
        return arrays.avg_pool(input, kernel, stride, padding, out, count_include_pad, divisor)

    forward.__name__ = f"avg_pool_{d}d"
    forward.__doc__ = f"The mean of each window over the last {d} dimensions."
    how = {"kernel": (2,) * d, "stride": (2,) * d, "padding": (1,) * d, "divisor": None}
    samples = [
        case((2, *(4, 4, 6)[-d:]), out=(3, 3, 4)[-d:], count_include_pad=include, **how)
        for include in (True, False)
    ]
    node = f"AvgPool{d}DBackward0"
    about = {"samples": samples, "public": "", "fresh": True, "node": node}
    if d == 3:  # as in PyTorch
        about["autocast"] = "float32"
    record = register(Op(forward, "op", **about))
    record.vjp(
        lambda g, _y, _x, *, shapes, kernel, stride, padding, count_include_pad, divisor: (
            avg_pool_transpose(
                g,
                size=tuple(shapes[0][len(shapes[0]) - d :]),
                kernel=kernel,
                stride=stride,
                padding=padding,
                count_include_pad=count_include_pad,
                divisor=divisor,
            )
        )
    )
    record.shape(lambda x, *, out, **_kw: _pooled(x, out))
    record.planned(
        lambda x, *, kernel, stride, padding, out, count_include_pad, divisor: arrays.plan_avg_pool(
            x.dtype, x.shape, x.strides, kernel, stride, padding, out, count_include_pad, divisor
        )
    )
    return record


avg_pool = {d: _avg_pool_op(d) for d in (1, 2, 3)}


@avg_pool_transpose.vjp
def _(
    g: Any,
    _y: Any,
    _x: Any,
    *,
    shapes: Any,
    kernel: Ints,
    stride: Ints,
    padding: Ints,
    count_include_pad: bool,
    divisor: int | None,
) -> Any:
    return avg_pool[len(kernel)](
        g,
        kernel=kernel,
        stride=stride,
        padding=padding,
        out=tuple(shapes[0][len(shapes[0]) - len(kernel) :]),
        count_include_pad=count_include_pad,
        divisor=divisor,
    )


@op(samples=[case((2, 2, 3), size=(4, 6)), case((2, 2, 3), size=(5, 7))], public="", fresh=True)
def adaptive_avg_transpose(input: Any, *, size: Ints) -> Any:
    """The transpose of the adaptive mean: each element shared out over its window."""
    return arrays.adaptive_avg_input(input, size)


adaptive_avg_transpose.shape(sized)


def _adaptive_avg_op(d: int) -> Op:
    def forward(input: Any, *, out: Ints) -> Any:
        return arrays.adaptive_avg(input, out)

    forward.__name__ = f"adaptive_avg_{d}d"
    forward.__doc__ = f"Means of windows that divide the last {d} dimensions into `out` parts."
    samples = [case((2, *(4, 6, 5)[-d:]), out=out[-d:]) for out in ((2, 3, 5), (3, 4, 2))]
    node = f"AdaptiveAvgPool{d}DBackward0"
    record = register(Op(forward, "op", samples=samples, public="", fresh=True, node=node))

    def rule(g: Any, _y: Any, _x: Any, *, shapes: Any) -> Any:
        filled(f"adaptive_avg_pool{max(d, 2)}d", g)
        return adaptive_avg_transpose(g, size=tuple(shapes[0][len(shapes[0]) - d :]))

    record.vjp(rule)
    record.shape(lambda x, *, out: _pooled(x, out))
    record.planned(lambda x, *, out: arrays.plan_adaptive_avg(x.dtype, x.shape, x.strides, out))
    return record


adaptive_avg = {d: _adaptive_avg_op(d) for d in (1, 2, 3)}
adaptive_avg_transpose.vjp(
    lambda g, _y, _x, *, shapes, size: adaptive_avg[len(size)](
        g, out=tuple(shapes[0][len(shapes[0]) - len(size) :])
    )
)
