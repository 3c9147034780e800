"""Elements moved between channels and positions: pixel_shuffle, its inverse, channel_shuffle."""

from __future__ import annotations

from typing import Any

from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case, error
from ..core.shapes import same
from ..shape.convert import in_format_of
from .spatial import list_of


def shuffled(shape: Any, r: int) -> tuple[int, ...]:
    """The shape after `pixel_shuffle`."""
    _check("pixel_shuffle", "upscale_factor", shape, r)
    *lead, c, h, w = shape
    if c % (r * r):
        raise RuntimeError(
            message(
                "pixel_shuffle expects its input's 'channel' dimension to be divisible by the "
                f"square of upscale_factor, but input.size(-3)={c} is not divisible by {r * r}",
                got=f"input {list_of(shape)}, upscale_factor={r}",
            )
        )
    return (*lead, c // (r * r), h * r, w * r)


def unshuffled(shape: Any, r: int) -> tuple[int, ...]:
    """The shape after `pixel_unshuffle`."""
    _check("pixel_unshuffle", "downscale_factor", shape, r)
    *lead, c, h, w = shape
    for name, at, size in (("height", -2, h), ("width", -1, w)):
        if size % r:
            raise RuntimeError(
                message(
                    f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                    f"input.size({at})={size} is not divisible by {r}",
                    got=f"input {list_of(shape)}",
                )
            )
    return (*lead, c * r * r, h // r, w // r)


@op(
    samples=[case((2, 8, 2, 3), upscale_factor=2), case((9, 1, 2), upscale_factor=3)],
    errors=[
        error(
            RuntimeError,
            "divisible by the square of upscale_factor",
            (1, 5, 2, 2),
            upscale_factor=2,
        )
    ],
    public="",
    low="keep",
    fresh=True,
)
def pixel_shuffle(input: Any, *, upscale_factor: int) -> Any:
    """Channels to positions: (*, C r ** 2, H, W) to (*, C, H r, W r).

    y[c, h r + i, w r + j] = x[c r ** 2 + i r + j, h, w]. RuntimeError if the channels are no
    multiple of r ** 2. Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.

    >>> x = torch.arange(4.0).reshape(1, 4, 1, 1)
    >>> F.pixel_shuffle(x, 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
    r = upscale_factor
    shape = shuffled(input.shape, r)
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    x = x.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return dense.in_order(x).reshape(shape)


pixel_shuffle.shape(
    lambda x, *, upscale_factor: MetaArray(shuffled(x.shape, upscale_factor), x.dtype)
)


@op(
    samples=[case((2, 2, 4, 6), downscale_factor=2)],
    errors=[error(RuntimeError, "height to be divisible", (1, 1, 3, 2), downscale_factor=2)],
    public="",
    low="keep",
    fresh=True,
)
def pixel_unshuffle(input: Any, *, downscale_factor: int) -> Any:
    """Positions to channels: (*, C, H r, W r) to (*, C r ** 2, H, W); the opposite of
    `pixel_shuffle`.

    RuntimeError if height or width are no multiple of r.

    >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
    >>> F.pixel_unshuffle(x, 2).flatten()
    tensor([0., 1., 2., 3.])
    """
    r = downscale_factor
    shape = unshuffled(input.shape, r)
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    x = x.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return dense.in_order(x).reshape(shape)


pixel_unshuffle.shape(
    lambda x, *, downscale_factor: MetaArray(unshuffled(x.shape, downscale_factor), x.dtype)
)


@op(
    samples=[case((2, 6, 2), groups=2), case((1, 6, 2, 2), groups=3)],
    errors=[error(RuntimeError, "must be divisible by groups", (1, 5, 3), groups=2)],
    public="",
    low="keep",
    fresh=True,
)
def channel_shuffle(input: Any, *, groups: int) -> Any:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    `input` (N, C, *), C a multiple of `groups`. Zhang et al., ShuffleNet, 2018.

    >>> x = torch.arange(6).reshape(1, 6, 1)
    >>> F.channel_shuffle(x, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
    if input.ndim < 3:
        raise RuntimeError(
            message(
                f"channel_shuffle expects input with > 2 dims, but got input with sizes "
                f"{list_of(input.shape)}"
            )
        )
    n, c = input.shape[:2]
    if groups <= 0:
        raise RuntimeError(
            message(
                f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
            )
        )
    if c % groups:
        raise RuntimeError(
            message(
                f"Number of channels must be divisible by groups. Got {c} channels and {groups} "
                "groups."
            )
        )
    x = input.reshape(n, groups, c // groups, *input.shape[2:]).swapaxes(1, 2)
    return dense.in_order(x).reshape(input.shape)


channel_shuffle.shape(same)


pixel_shuffle.vjp(
    lambda g, _y, _x, *, upscale_factor: pixel_unshuffle(g, downscale_factor=upscale_factor)
)
pixel_unshuffle.vjp(
    lambda g, _y, _x, *, downscale_factor: pixel_shuffle(g, upscale_factor=downscale_factor)
)
channel_shuffle.vjp(
    lambda g, _y, _x, *, groups, shapes: channel_shuffle(
        g, groups=shapes[0][1] // groups if shapes[0][1] else groups
    )
)


def _check(fn: str, name: str, shape: Any, factor: int) -> None:
    if len(shape) < 3:
        raise RuntimeError(
            message(
                f"{fn} expects input to have at least 3 dimensions, but got input with "
                f"{len(shape)} dimension(s)",
                wanted="(*, C, H, W)",
            )
        )
    if factor <= 0:
        raise RuntimeError(message(f"{fn} expects a positive {name}, but got {factor}"))


# -- public: the same, in the memory format of the input -------------------------------------------


def public(record: Any, sizes: Any, number: int, aliases: str = "") -> None:
    parameter = next(iter(record.defaults))

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        inputs, kw = record.bind((input, *args), kw)
        return in_format_of(record.call(inputs, kw), input)

    fn.__name__ = fn.__qualname__ = record.name
    fn.__doc__ = record.__doc__
    samples = [case(sizes, number), case(sizes, **{parameter: number})]
    composite(fn, public="torch nn.functional", aliases=aliases, samples=samples)


public(pixel_shuffle, (2, 8, 2, 3), 2)
public(pixel_unshuffle, (2, 2, 4, 6), 2)
public(channel_shuffle, (2, 6, 2), 2, "native_channel_shuffle")
