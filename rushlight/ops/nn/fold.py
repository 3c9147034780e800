"""Sliding windows: `unfold` lays them out as columns, `fold` adds columns up into images.

The two are each other's transpose, and so each other's gradient.
"""

from __future__ import annotations

import math
from typing import Any

from ...errors import axis, message
from ...kernels.conv import reference as kernel
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case
from .spatial import Ints, check_tensor, ints, list_of


def im2col_shape(
    x: Any, *, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> MetaArray:
    """The shape of the windows of every image as columns."""
    sizes = zip(x.shape[2:], kernel_size, dilation, padding, stride, strict=True)
    counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in sizes]
    columns = x.shape[1] * math.prod(kernel_size)
    return MetaArray((x.shape[0], columns, math.prod(counts)), x.dtype)


@op(
    samples=[
        case((2, 3, 4, 5), kernel_size=(2, 3), dilation=(1, 1), padding=(0, 1), stride=(2, 1))
    ],
    public="",
    low="keep",
    node="Im2ColBackward0",
)
def im2col(input: Any, *, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Any:
    """The windows of every image as columns: (N, C * prod(kernel_size), L)."""
    return kernel.unfold(input, kernel_size, dilation, padding, stride)


im2col.shape(im2col_shape)


@op(
    samples=[
        case(
            (2, 12, 6),
            output_size=(4, 4),
            kernel_size=(2, 2),
            dilation=(1, 1),
            padding=(0, 0),
            stride=(2, 1),
        )
    ],
    public="",
    fresh=True,
    node="Col2ImBackward0",
)
def col2im(
    input: Any,
    *,
    output_size: Ints,
    kernel_size: Ints,
    dilation: Ints,
    padding: Ints,
    stride: Ints,
) -> Any:
    """Columns added up into images (N, C, *output_size): the transpose of `im2col`."""
    return kernel.fold(input, output_size, kernel_size, dilation, padding, stride)


col2im.shape(
    lambda x, *, output_size, kernel_size, **_: (
        MetaArray((x.shape[0], x.shape[1] // math.prod(kernel_size), *output_size), x.dtype)
    )
)


im2col.vjp(
    lambda g, _y, _x, *, shapes, kernel_size, dilation, padding, stride: col2im(
        g,
        output_size=tuple(shapes[0][2:]),
        kernel_size=kernel_size,
        dilation=dilation,
        padding=padding,
        stride=stride,
    )
)
col2im.vjp(
    lambda g, _y, _x, *, kernel_size, dilation, padding, stride: im2col(
        g, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
    )
)


@composite(
    accepts="floating complex bool: im2col_out_cpu",
    public="nn.functional",
    samples=[case((1, 2, 4, 4), 2)],
)
def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Sliding windows of images (N, C, H, W) as columns (N, C * kh * kw, L); also unbatched.

    >>> F.unfold(torch.ones(1, 2, 4, 4), 2).shape
    torch.Size([1, 8, 9])
    """
    check_tensor("unfold", "input", 1, input)
    how = _window_args("unfold", kernel_size, dilation, padding, stride)
    axis(2, input.ndim)
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            message(
                "unfold: Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and "
                f"other non-zero dimensions for input, but got: {list_of(input.shape)}",
                hint="torch.Tensor.unfold slides along one dimension of any tensor",
            )
        )
    size = tuple(input.shape[-2:])
    blocks = kernel.out_size(
        size, how["kernel_size"], how["stride"], how["padding"], how["dilation"]
    )
    if min(blocks) < 1:
        raise RuntimeError(
            message(
                f"Given input with spatial size {size}, kernel_size={how['kernel_size']}, "
                f"dilation={how['dilation']}, padding={how['padding']}, calculated shape of the "
                f"array of sliding blocks as {blocks}, but its components must be at least one.",
                hint="more padding, or a smaller kernel",
            )
        )
    if input.ndim == 3:
        return im2col(input.unsqueeze(0), **how).squeeze(0)
    return im2col(input, **how)


@composite(accepts="floating complex bool: col2im_out_cpu",
           public="nn.functional", samples=[case((1, 8, 9), [4, 4], 2)])
def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Columns (N, C * kh * kw, L) added up into images (N, C, *output_size); also unbatched.

    Windows that overlap are summed, so `fold(unfold(x))` is x times the number of windows over it.

    >>> columns = torch.ones(1, 4, 4)  # windows of 2 x 2 at four places
    >>> F.fold(columns, output_size=(3, 3), kernel_size=2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    check_tensor("fold", "input", 1, input)
    size = ints("fold", "output_size", output_size, 2)
    how = _window_args("fold", kernel_size, dilation, padding, stride)
    if input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            message(
                "fold: Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size "
                f"and non-zero dimensions for input, but got: {list_of(input.shape)}"
            )
        )
    if input.shape[-2] % math.prod(how["kernel_size"]):
        raise RuntimeError(
            message(
                "fold: Expected size of input's dimension 1 to be divisible by the product of "
                f"kernel_size, but got input.size(1)={input.shape[-2]} and "
                f"kernel_size={how['kernel_size']}."
            )
        )
    blocks = kernel.out_size(
        size, how["kernel_size"], how["stride"], how["padding"], how["dilation"]
    )
    given = (
        f"fold: Given output_size={size}, kernel_size={how['kernel_size']}, "
        f"dilation={how['dilation']}, padding={how['padding']}, stride={how['stride']}, "
    )
    if math.prod(blocks) != input.shape[-1]:
        raise RuntimeError(
            message(
                f"{given}expected size of input's dimension 2 to match the calculated number of "
                f"sliding blocks {' * '.join(map(str, blocks))} = {math.prod(blocks)}, "
                f"but got input.size(2)={input.shape[-1]}."
            )
        )
    if min(blocks) < 1:
        raise RuntimeError(
            f"{given}calculated shape of the array of sliding blocks as {tuple(blocks)}, which is "
            "too small (non-positive)"
        )
    if input.ndim == 2:
        return col2im(input.unsqueeze(0), output_size=size, **how).squeeze(0)
    return col2im(input, output_size=size, **how)


def _window_args(
    fn: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> dict[str, Ints]:
    how = {
        "kernel_size": ints(fn, "kernel_size", kernel_size, 2),
        "dilation": ints(fn, "dilation", dilation, 2),
        "padding": ints(fn, "padding", padding, 2),
        "stride": ints(fn, "stride", stride, 2),
    }
    for name in ("kernel_size", "dilation", "stride"):
        if min(how[name]) < 1:
            raise RuntimeError(
                message(f"{fn}: {name} should be greater than zero, but got {how[name]}")
            )
    if min(how["padding"]) < 0:
        raise RuntimeError(
            message(f"{fn}: padding should be non-negative, but got {how['padding']}")
        )
    return how
