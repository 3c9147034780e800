"""conv1d ... conv_transpose3d: PyTorch's signatures and checks in front of the op `convolution`.

Read next: `conv.py` for the op and its gradients.
"""

from __future__ import annotations

from typing import Any

from ...dtypes import type_name
from ...errors import message
from ..core.composite import composite
from ..core.samples import case
from ..shape.convert import laid_as
from .conv import convolution, transposed_size
from .pad import constant_pad_nd
from .spatial import Ints, check_tensor, ints, list_of, same_types

# Calls whose checks passed, by shapes, strides, types and parameters: the parameters as they were
# given and as the op has them, and whether the result lies as it comes out. Looking a call up takes
# a tenth of the time of its checks.
_checked: dict[tuple[Any, ...], tuple[Any, ...]] = {}
_MOST_CHECKED = 4096


def _is_plain(*values: Any) -> bool:
    """Whether parameters are ints, tuples of ints or words. Others may equal those of a call that
    passed, 1.0 and True equal 1, and are looked at."""
    for value in values:
        if value.__class__ is tuple:
            if any(v.__class__ is not int for v in value):
                return False
        elif value.__class__ is not int and value.__class__ is not str:
            return False
    return True


def _alike(input: Any, weight: Any, bias: Any) -> bool:
    """Whether all have one type: autocast lets others pass while it is on."""
    return input.dtype == weight.dtype and (bias is None or bias.dtype == weight.dtype)


def _keep(key: tuple[Any, ...], found: tuple[Any, ...]) -> None:
    """Remember that a call passed its checks."""
    if len(_checked) >= _MOST_CHECKED:
        _checked.clear()
    _checked[key] = found


def _in_rows(*strides: Ints) -> bool:
    """Whether no operand has channels innermost, by its strides: then `laid_as` does nothing."""
    return all([len(steps) < 4 or steps[1] > steps[-1] for steps in strides])


def _conv(
    n: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Any:
    key = None
    try:
        x, w = input._a, weight._a
        b = None if bias is None else (bias._a.shape, bias._a.dtype)
        key = (n, x.shape, x.strides, w.shape, w.strides, x.dtype, w.dtype, b, stride, padding,
               dilation, groups)  # fmt: skip
        known = _checked.get(key)
    except (AttributeError, TypeError):  # not Tensors, or lists: the checks see to it
        known = None
    if known is not None:
        like, how, rows = known
        same = like[0] is stride and like[1] is padding and like[2] is dilation
        if same or _is_plain(stride, padding, dilation):
            y = convolution.call((input, weight, bias), how.copy())
            return y if rows else laid_as(y, input, weight)
    y = _new_conv(key, n, input, weight, bias, (stride, padding, dilation), groups)
    return laid_as(y, input, weight)


def _new_conv(
    key: Any, n: int, input: Any, weight: Any, bias: Any, given: tuple[Any, ...], groups: int
) -> Any:
    """A convolution whose checks have not passed before; they are remembered by `key`."""
    fn, (stride, padding, dilation) = f"conv{n}d", given
    _check_operands(fn, n, input, weight, bias)
    stride = ints(fn, "stride", stride, n)
    dilation = ints(fn, "dilation", dilation, n)
    kernel_size = tuple(weight.shape[2:])
    batched = input.ndim == n + 2
    x = input if batched else input.unsqueeze(0)
    _check_positive(fn, stride=stride, dilation=dilation, groups=(groups,))
    if isinstance(padding, str):
        x, padding = _named_padding(fn, x, padding, kernel_size, stride, dilation)
    else:
        padding = ints(fn, "padding", padding, n)
    if min(padding) < 0:
        raise RuntimeError(message(f"{fn}: negative padding is not supported", got=str(padding)))
    if bias is not None and bias.shape != weight.shape[:1]:  # PyTorch looks at its type first
        same_types(fn, convolution, input=input, bias=bias)
    _check_channels(fn, x.shape, weight.shape, bias, groups)
    sizes = tuple(s + 2 * p for s, p in zip(x.shape[2:], padding, strict=True))
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel_size, dilation, strict=True))
    if any(r > s for r, s in zip(reach, sizes, strict=True)):
        raise RuntimeError(
            message(
                f"{fn}: Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). "
                f"Kernel size: ({' x '.join(map(str, reach))}). "
                "Kernel size can't be greater than actual input size",
                got=f"input {list_of(input.shape)}, padding={padding}, dilation={dilation}",
                wanted="an input at least as large as the (dilated) kernel",
                hint="padding='same', a smaller kernel, or fewer pooling layers before this one",
            )
        )
    _check_sizes(fn, x.shape, kernel_size)
    nothing = not x.shape[0] and weight._a.size and x._a.dtype.kind != "c"
    if nothing:
        same_types(fn, convolution, input=input, bias=bias)
    if nothing and input.dtype != weight.dtype:
        size = [(s - r) // d + 1 for s, r, d in zip(sizes, reach, stride, strict=True)]
        return _of_no_batch(x, weight, bias, tuple(size))
    if not nothing:
        _check_types(fn, n, input, weight, bias, dilation)
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if not x.shape[1]:  # as in PyTorch, no channels make no outputs
        weight, bias = weight[:0], None if bias is None else bias[:0]
    elif key is not None and x is input and _alike(input, weight, bias) and _is_plain(*given):
        _keep(key, (given, how, _in_rows(key[2], key[4])))
    y = convolution(x, weight, bias, **how)
    return y if batched else y.squeeze(0)


def _conv_transpose(
    n: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    key = None
    try:
        x, w = input._a, weight._a
        b = None if bias is None else (bias._a.shape, bias._a.dtype)
        key = (-n, x.shape, x.strides, w.shape, w.strides, x.dtype, w.dtype, b, stride, padding,
               output_padding, dilation, groups)  # fmt: skip
        known = _checked.get(key)
    except (AttributeError, TypeError):
        known = None
    if known is not None:
        like, how, rows = known
        same = like[0] is stride and like[1] is padding and like[2] is output_padding
        if (same and like[3] is dilation) or _is_plain(stride, padding, output_padding, dilation):
            y = convolution.call((input, weight, bias), how.copy())
            return y if rows else laid_as(y, input, weight)
    given = (stride, padding, output_padding, dilation)
    y = _new_conv_transpose(key, n, input, weight, bias, given, groups)
    return laid_as(y, input, weight)


def _new_conv_transpose(
    key: Any, n: int, input: Any, weight: Any, bias: Any, given: tuple[Any, ...], groups: int
) -> Any:
    """A transposed convolution whose checks have not passed before; see `_new_conv`."""
    fn, (stride, padding, output_padding, dilation) = f"conv_transpose{n}d", given
    _check_operands(fn, n, input, weight, bias)
    stride = ints(fn, "stride", stride, n)
    padding = ints(fn, "padding", padding, n)
    more = ints(fn, "output_padding", output_padding, n)
    dilation = ints(fn, "dilation", dilation, n)
    batched = input.ndim == n + 2
    x = input if batched else input.unsqueeze(0)
    _check_positive(fn, stride=stride, dilation=dilation, groups=(groups,))
    if min(padding) < 0 or min(more) < 0:
        name = "padding" if min(padding) < 0 else "output_padding"
        raise RuntimeError(message(f"{fn}: negative {name} is not supported"))
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise RuntimeError(
            message(
                f"{fn}: output padding must be smaller than either stride or dilation",
                got=f"output_padding={more}, stride={stride}, dilation={dilation}",
            )
        )
    _check_groups(fn, weight.shape, groups)
    channels = weight.shape[0]
    if x.shape[1] != channels:
        raise RuntimeError(
            message(
                f"{fn}: Given transposed=1, weight of size {list_of(weight.shape)}, expected input"
                f"{list_of(x.shape)} to have {channels} channels, but got {x.shape[1]} channels "
                "instead",
                wanted="weight (in_channels, out_channels / groups, *kernel)",
            )
        )
    _check_bias(fn, weight.shape, bias, weight.shape[1] * groups, "transposed=1")
    _check_sizes(fn, x.shape, weight.shape[2:])
    size = transposed_size(x.shape[2:], weight.shape[2:], stride, padding, dilation, more)
    if min(size) < 1:
        raise RuntimeError(
            message(
                f"{fn}: Given input size per channel: {list_of(x.shape[2:])}. Calculated output "
                f"size per channel: {list_of(size)}. Output size is too small",
                got=f"padding={padding}, kernel {list_of(weight.shape[2:])}",
                hint="less padding",
            )
        )
    same_types(fn, convolution, input=input, weight=weight, bias=bias)
    how = {"stride": stride, "padding": padding, "dilation": dilation, "transposed": True,
           "output_padding": more, "groups": groups}  # fmt: skip
    if key is not None and batched and _alike(input, weight, bias) and _is_plain(*given):
        _keep(key, (given, how, _in_rows(key[2], key[4])))
    y = convolution(x, weight, bias, **how)
    return y if batched else y.squeeze(0)


_DOC = """Convolve (cross-correlate) `input` with `weight` in {n} dimension(s).

y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

Args:
    input: (N, C, {dims}), or (C, {dims}) without a batch.
    weight: (O, C / groups, {kernel}).
    bias: (O,) or None.
    stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
        (as many outputs as inputs; stride 1 only).
    groups: channels are split in so many groups that do not see each other.

Raises RuntimeError when sizes, channels or types do not fit.

>>> x, w = torch.ones({x}), torch.ones({w})
>>> tuple(F.conv{n}d(x, w, padding=1).shape)
{y}
"""
_DOC_TRANSPOSED = """The transpose of convolution in {n} dimension(s), also called deconvolution.

An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

Args:
    input: (N, C, {dims}), or (C, {dims}) without a batch.
    weight: (C, O / groups, {kernel}).
    bias: (O,) or None.
    output_padding: added on one side of the output, whose size the stride leaves ambiguous.

Raises RuntimeError when sizes, channels or types do not fit.

>>> x, w = torch.ones({x}), torch.ones({back})
>>> tuple(F.conv_transpose{n}d(x, w, stride=2).shape)
{large}
"""


def _document(fn: Any, n: int, template: str) -> None:
    fn.__doc__ = template.format(
        n=n,
        dims=("L", "H, W", "D, H, W")[n - 1],
        kernel=("k", "kh, kw", "kd, kh, kw")[n - 1],
        x=", ".join(map(str, (2, 3, 5, 5, 5)[: n + 2])),
        w=", ".join(map(str, (4, 3, 3, 3, 3)[: n + 2])),
        y=(2, 4, 5, 5, 5)[: n + 2],
        back=", ".join(map(str, (3, 4, 2, 2, 2)[: n + 2])),
        large=(2, 4, 10, 10, 10)[: n + 2],
    )


_PUBLIC = "torch nn.functional"


@composite(public=_PUBLIC, samples=[case((2, 3, 5), (2, 3, 3))])
def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


@composite(public=_PUBLIC, samples=[case((2, 3, 5, 5), (2, 3, 3, 3), (2,))])
def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


@composite(public=_PUBLIC, samples=[case((2, 3, 4, 4, 4), (2, 3, 2, 2, 2))])
def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


@composite(
    accepts="floating complex long: slow_conv_transpose2d_out_cpu",
    public=_PUBLIC,
    samples=[case((2, 3, 5), (3, 2, 3))],
)
def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    return _conv_transpose(
        1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(
    accepts="floating complex long: slow_conv_transpose2d_out_cpu",
    public=_PUBLIC,
    samples=[case((2, 3, 5, 5), (3, 2, 3, 3), (2,))],
)
def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    return _conv_transpose(
        2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@composite(
    accepts="floating complex long: slow_conv_transpose3d_out_cpu",
    public=_PUBLIC,
    samples=[case((2, 3, 3, 3, 3), (3, 2, 2, 2, 2))],
)
def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    return _conv_transpose(
        3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


for _n, (_plain, _transposed) in enumerate(
    ((conv1d, conv_transpose1d), (conv2d, conv_transpose2d), (conv3d, conv_transpose3d)), 1
):
    _document(_plain, _n, _DOC)
    _document(_transposed, _n, _DOC_TRANSPOSED)


@composite(public=_PUBLIC, samples=[case((5, 2, 3), (2, 3, 4), (4,))])
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """1-d convolution with time first: `input` (T, B, C), `weight` (k, C, O), `bias` (O,): (T', B,
    O).

    `pad` zeros are added at both ends: T' = T + 2 * pad - k + 1.

    >>> x, w = torch.ones(5, 1, 2), torch.ones(3, 2, 1)
    >>> torch.conv_tbc(x, w, torch.zeros(1), 1).flatten()
    tensor([4., 6., 6., 6., 4.])
    """
    check_tensor("conv_tbc", "input", 1, input)
    check_tensor("conv_tbc", "weight", 2, weight)
    if input.ndim != 3 or weight.ndim != 3:
        raise RuntimeError(
            message(
                "conv_tbc: Input must have 3 dims: time, batch, in_channel",
                got=f"input {list_of(input.shape)}, weight {list_of(weight.shape)}",
            )
        )
    check_tensor("conv_tbc", "bias", 3, bias)
    bias = bias.to(input.dtype)  # in PyTorch the result's memory is filled with it first
    y = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return y.permute(2, 0, 1).contiguous()


# -- checks --------------------------------------------------------------------------------------


def _check_operands(fn: str, n: int, input: Any, weight: Any, bias: Any) -> None:
    check_tensor(fn, "input", 1, input)
    check_tensor(fn, "weight", 2, weight)
    if bias is not None:
        check_tensor(fn, "bias", 3, bias)
    if weight.ndim != n + 2:
        raise RuntimeError(
            message(
                f"{fn}: Expected {n + 2}-dimensional weight, but got {weight.ndim}-dimensional "
                f"weight of size {list_of(weight.shape)}",
                wanted=f"(out_channels, in_channels / groups, and {n} kernel size(s))",
            )
        )
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            message(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {fn}, "
                f"but got input of size: {list_of(input.shape)}",
                wanted=("(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)")[n - 1],
                hint="unsqueeze() the missing dimension, or reshape()",
            )
        )


def _check_types(fn: str, n: int, input: Any, weight: Any, bias: Any, dilation: Ints) -> None:
    """One type, of those that PyTorch has kernels for: it looks for the kernel first."""
    kind = input._a.dtype
    if kind.kind == "b" or (max(dilation) > 1 and kind.kind in "iu" and kind.itemsize < 8):
        kernel = "compute_columns3d" if n == 3 else "slow_conv2d_cpu"
        words = "slow_conv_dilated<>" if max(dilation) > 1 else kernel
        raise NotImplementedError(
            message(
                f"{fn}: \"{words}\" not implemented for '{type_name(input.dtype)}'",
                hint="x.float()",
            )
        )
    same_types(fn, convolution, input=input, weight=weight, bias=bias)


def _of_no_batch(x: Any, weight: Any, bias: Any, size: Ints) -> Any:
    """What PyTorch makes of no inputs, which may be of another type than the weight."""
    y = x * weight.reshape(-1)[0]
    if bias is not None:
        y += bias[0]
    return y.reshape((0, weight.shape[0], *size))


def _check_positive(fn: str, **values: Ints) -> None:
    for name, value in values.items():
        if min(value) < 1:
            raise RuntimeError(
                message(f"{fn}: non-positive {name} is not supported", got=str(value))
            )


def _check_groups(fn: str, w: Ints, groups: int) -> None:
    if w[0] < groups or w[0] % groups:
        wanted = f"at least {groups}" if w[0] < groups else f"divisible by {groups}"
        raise RuntimeError(
            message(
                f"{fn}: Given groups={groups}, expected weight to be {wanted} at dimension 0, "
                f"but got weight of size {list_of(w)} instead"
            )
        )


def _check_sizes(fn: str, x: Ints, kernel: Ints) -> None:
    """Only the batch and the channels may be empty."""
    if 0 in kernel:
        raise RuntimeError(
            message(f"{fn}: kernel size should be greater than zero", got=list_of(kernel))
        )
    if 0 in x[2:] and x[0] and x[1]:
        raise RuntimeError(
            message(
                f"{fn}: Only zero batch or zero channel inputs are supported, but got input "
                f"shape: {list_of(x)}"
            )
        )


def _check_channels(fn: str, x: Ints, w: Ints, bias: Any, groups: int) -> None:
    _check_groups(fn, w, groups)
    if x[1] != w[1] * groups:
        raise RuntimeError(
            message(
                f"{fn}: Given groups={groups}, weight of size {list_of(w)}, expected input"
                f"{list_of(x)} to have {w[1] * groups} channels, but got {x[1]} channels instead",
                wanted="channels in dimension 1 of the input",
                hint="x.permute(0, 3, 1, 2) when channels come last, or in_channels="
                f"{x[1]} in the layer",
            )
        )
    _check_bias(fn, w, bias, w[0], f"groups={groups}")


def _check_bias(fn: str, w: Ints, bias: Any, channels: int, given: str) -> None:
    if bias is not None and tuple(bias.shape) != (channels,):
        raise RuntimeError(
            message(
                f"{fn}: Given {given}, weight of size {list_of(w)}, expected bias to be "
                f"1-dimensional with {channels} elements, but got bias of size "
                f"{list_of(bias.shape)} instead"
            )
        )


def _named_padding(
    fn: str, x: Any, padding: str, kernel_size: Ints, stride: Ints, dilation: Ints
) -> tuple[Any, Ints]:
    """padding="valid" or "same": the input, padded on one side where that is odd, and the rest."""
    if padding == "valid":
        return x, (0,) * len(kernel_size)
    if padding != "same":
        raise RuntimeError(
            message(f"{fn}: Invalid padding string: '{padding}'", wanted="'valid' or 'same'")
        )
    if max(stride) > 1:
        raise RuntimeError(
            message(
                f"{fn}: padding='same' is not supported for strided convolutions",
                got=f"stride={stride}",
                hint="give the padding as numbers",
            )
        )
    total = tuple(d * (k - 1) for k, d in zip(kernel_size, dilation, strict=True))
    if any(t % 2 for t in total):
        right = tuple(v for t in reversed(total) for v in (0, t % 2))
        x = constant_pad_nd(x, pad=right, value=0)
    return x, tuple(t // 2 for t in total)
