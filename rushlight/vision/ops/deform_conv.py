"""Deformable convolution: every sample of the kernel is moved by an offset of its own
(https://arxiv.org/abs/1703.06211, with `mask` https://arxiv.org/abs/1811.11168).
"""

from __future__ import annotations

import math

import rushlight

from ... import nn
from ...errors import message
from ...tensor import Tensor

__all__ = ["DeformConv2d", "deform_conv2d"]

Pair = int | tuple[int, int]


def _pair(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[-1])


def _check(ok: bool, what: str, got: str, wanted: str) -> None:
    if not ok:
        raise RuntimeError(message(f"deform_conv2d: {what}", got=got, wanted=wanted))


def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    mask: Tensor | None = None,
) -> Tensor:
    """y[o, p] = bias[o] + sum over c, k of weight[o, c, k] mask[k, p] x[c, p stride + k + offset].

    Samples between pixels are bilinear; outside of the image are zeros.

    Args:
        input: (B, C, H, W).
        offset: (B, 2 G kh kw, H', W'), (y, x) of each sample of the kernel in each of G groups of
            input channels.
        weight: (O, C / groups, kh, kw).
        bias: (O,).
        stride, padding, dilation: a number, or one for each side.
        mask: (B, G kh kw, H', W'), factors of the samples.

    Returns:
        (B, O, H', W'), the size that `conv2d` gives.

    >>> x, weight = torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)
    >>> offset = torch.zeros(1, 8, 2, 2)
    >>> offset[:, :2] = -0.5  # the first sample moves up and left: at the border it fades
    >>> deform_conv2d(x, offset, weight)
    tensor([[[[3.2500, 3.5000],
              [3.5000, 4.0000]]]])
    """
    (sy, sx), (py, px), (dy, dx) = _pair(stride), _pair(padding), _pair(dilation)
    for name, given in (("input", input), ("offset", offset), ("weight", weight)):
        shape = tuple(given.shape)
        _check(len(shape) == 4, f"{name} is not of four dimensions", f"{shape}", "4-d")
    b, channels, height, width = input.shape
    out, part, kh, kw = weight.shape
    samples = kh * kw
    if offset.shape[1] < 2 * samples:
        raise RuntimeError(
            message(
                "the shape of the offset tensor at dimension 1 is not valid. It should be a "
                "multiple of 2 * weight.size[2] * weight.size[3].",
                got=f"offset.shape[1]={offset.shape[1]}, while 2 * weight.size[2] * "
                f"weight.size[3]={2 * samples}",
            )
        )
    moved, groups = offset.shape[1] // (2 * samples), channels // part
    rows = (height + 2 * py - (dy * (kh - 1) + 1)) // sy + 1
    columns = (width + 2 * px - (dx * (kw - 1) + 1)) // sx + 1
    _check(
        groups * part == channels and out % groups == 0,
        "channels and weights do not go together",
        f"input {tuple(input.shape)}, weight {tuple(weight.shape)}",
        "weight.shape[1] * groups == input.shape[1], weight.shape[0] a multiple of groups",
    )
    _check(
        rows > 0 and columns > 0,
        f"Calculated output size too small - out_h: {rows} out_w: {columns}",
        f"input {tuple(input.shape)}, weight {tuple(weight.shape)}",
        "an image at least as large as the kernel",
    )
    _check(
        channels % moved == 0, "groups of offsets", f"{moved} for {channels} channels", "a divisor"
    )
    for name, t, each in (("offset", offset, 2), ("mask", mask, 1)):
        if t is None:
            continue
        count, size = t.shape[1], f"{name} output dims: ({t.shape[2]}, {t.shape[3]})"
        wanted = each * moved * samples
        _check(count == wanted, f"{name}.shape[1] is not valid", f"{count}", f"expected: {wanted}")
        _check(t.shape[0] == b, f"invalid batch size of {name}", f"{t.shape[0]}", f"{b}")
        computed = f"computed output dims: ({rows}, {columns})"
        _check(tuple(t.shape[2:]) == (rows, columns), size, f"{tuple(t.shape)}", computed)

    kind = {"dtype": input.dtype, "device": input.device}
    # Where each sample would be without offsets: (kh kw, H', W').
    y = rushlight.arange(rows, **kind) * sy - py
    x = rushlight.arange(columns, **kind) * sx - px
    y = y[:, None] + (rushlight.arange(kh, **kind) * dy).repeat_interleave(kw)[:, None, None]
    x = x[None, :] + (rushlight.arange(kw, **kind) * dx).repeat(kh)[:, None, None]
    move = offset.reshape(b * moved, samples, 2, rows, columns)
    # grid_sample counts from -1 to 1, the outer edges of the outermost pixels.
    across = (2 * (x + move[:, :, 1]) + 1) / width - 1
    down = (2 * (y + move[:, :, 0]) + 1) / height - 1
    grid = rushlight.stack([across, down], -1).reshape(b * moved, samples * rows, columns, 2)
    found = nn.functional.grid_sample(
        input.reshape(b * moved, channels // moved, height, width), grid, align_corners=False
    )
    if mask is not None:
        factors = mask.reshape(b * moved, 1, samples * rows, columns)
        found = found * factors
    found = found.reshape(b, groups, part * samples, rows * columns)
    result = weight.reshape(groups, out // groups, part * samples) @ found
    result = result.reshape(b, out, rows, columns)
    return result if bias is None else result + bias.reshape(1, -1, 1, 1)


class DeformConv2d(nn.Module):
    """:func:`deform_conv2d` with a weight and a bias of its own, first values as in `Conv2d`.

    >>> DeformConv2d(2, 4, 3, padding=1)
    DeformConv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride)
        self.padding = _pair(padding)
        self.dilation = _pair(dilation)
        self.groups = groups
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = nn.Parameter(rushlight.empty(shape))
        self.bias = nn.Parameter(rushlight.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform numbers within 1 / sqrt(inputs of an output)."""
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(math.prod(self.weight.shape[1:]))
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        return deform_conv2d(
            input,
            offset,
            self.weight,
            self.bias,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            mask=mask,
        )

    def __repr__(self) -> str:
        more = {"padding": (0, 0), "dilation": (1, 1), "groups": 1}
        shown = [f"{name}={value}" for name in more if (value := getattr(self, name)) != more[name]]
        fixed = [f"kernel_size={self.kernel_size}", f"stride={self.stride}"]
        end = ["bias=False"] if self.bias is None else []
        parts = [str(self.in_channels), str(self.out_channels), *fixed, *shown, *end]
        return f"{type(self).__name__}({', '.join(parts)})"
