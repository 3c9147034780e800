"""Padding: `pad` and its modes. Constants and negative padding in any dimension.

Every mode is linear, so each has its transpose as its gradient. Read next:
`kernels/pad/select.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.pad import reference as kernel
from ...kernels.pad import select
from ..core.composite import composite
from ..core.record import Op, op, register
from ..core.samples import case, error
from ..create.arguments import stored
from ..shape.convert import keeps_format
from .spatial import Ints, as_int, check_tensor, list_of


@functools.lru_cache(maxsize=4096)
def check_pad(shape: Ints, pad: Ints) -> None:
    """RuntimeError for what cannot be padded so; kept is only that it can."""
    if len(pad) % 2 or len(pad) > 2 * len(shape):
        raise RuntimeError(
            message(
                "constant_pad_nd: Length of pad must be even, a multiple of 2, and no more than "
                f"twice the number of dimensions of the input, but the pad has length {len(pad)}",
                got=f"pad={tuple(pad)}, input {tuple(shape)}",
                wanted="(left, right) for the last dimension, then for the one before, ...",
            )
        )
    sizes = kernel.padded_shape(shape, pad)
    kept = kernel.padded_shape(shape, tuple(min(p, 0) for p in pad))  # of which PyTorch pads
    if min(sizes, default=0) < 0 or min(kept, default=0) < 0:
        raise RuntimeError(
            message(
                f"The input size {list_of(shape)}, plus negative padding {list_of(pad)}, "
                "resulted in a negative output size, which is invalid. "
                "narrow(): length must be non-negative.",
                got=f"pad={tuple(pad)}",
                wanted="padding that leaves every size >= 0",
            )
        )


@op(
    samples=[
        case((3, 4), pad=(1, 2), value=0.5),
        case((2, 3, 4), pad=(-1, 2, 0, 1), value=0.0),
        case((3,), pad=(0, 0), value=1.0),
    ],
    errors=[error(RuntimeError, "multiple of 2", (3, 4), pad=(1,))],
    public="torch",
    low="keep",
    fresh=True,
)
def constant_pad_nd(input: Any, *, pad: Ints, value: Any = 0) -> Any:
    """`input` in a frame of `value`; `pad` holds (left, right) from the last dimension on.

    Negative numbers crop. `nn.functional.pad` has other modes as well.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.constant_pad_nd(x, (1, 0, 0, 1), 9)
    tensor([[9, 1, 2],
            [9, 9, 9]])
    """
    check_pad(input.shape, tuple(pad))
    if isinstance(value, complex):
        stored(value, input.dtype)  # raises for types that have no such number
    return select.constant(input, pad, value)


constant_pad_nd.planned(
    lambda x, *, pad, value=0: select.plan(x.dtype, x.shape, x.strides, pad, value)
)
constant_pad_nd.vjp(
    lambda g, _y, _x, *, pad: constant_pad_nd(g, pad=tuple(-p for p in pad), value=0)
)
constant_pad_nd.shape(lambda x, pad, value=0: MetaArray(kernel.padded_shape(x.shape, pad), x.dtype))


@op(
    samples=[
        case((3, 6), pad=(1, 2), mode="reflect"),
        case((3, 6), pad=(1, 2), mode="circular"),
        case((2, 5, 4), pad=(1, 0, 2, -1), mode="replicate"),
    ],
    public="",
    low="keep",
    fresh=True,
)
def pad_transpose(input: Any, *, pad: Ints, mode: str) -> Any:
    """Each position of a padded array added to the position that it showed."""
    return select.to_sources(input, tuple(pad), mode)


pad_transpose.shape(
    lambda x, *, pad, mode: MetaArray(kernel.padded_shape(x.shape, tuple(-p for p in pad)), x.dtype)
)


def _by_mode(mode: str, name: str, d: int, node: str) -> Op:
    """The op of one padding mode and number of dimensions (PyTorch names their nodes apart)."""

    def forward(input: Any, *, pad: Ints) -> Any:
        if input.dtype.kind == "b" and mode != "circular":
            raise NotImplementedError(
                message(f"\"{name}\" not implemented for 'Bool'", hint="input.float()")
            )
        return select.by_sources(input, tuple(pad), mode)

    forward.__name__ = name
    forward.__doc__ = f"The last {d} dimensions of `input`, continued by {mode} padding."
    record = register(
        Op(
            forward,
            "op",
            samples=[case((2, 2, *(4, 3, 4)[-d:]), pad=(1, 2, 0, 1, 2, 1)[: 2 * d])],
            public="",
            low="keep",
            node=node,
            autocast="float32" if mode == "replicate" or (mode == "reflect" and d < 3) else None,
        )
    )
    record.vjp(lambda g, _y, _x, *, pad: pad_transpose(g, pad=pad, mode=mode))
    record.planned(
        lambda x, *, pad: select.plan_shown(x.dtype, x.shape, x.strides, tuple(pad), mode)
    )
    record.shape(lambda x, pad: MetaArray(kernel.padded_shape(x.shape, pad), x.dtype))
    return record


_NODES = {"reflect": "ReflectionPad{}DBackward0", "replicate": "ReplicationPad{}DBackward0"}
_MODES = {
    (mode, d): _by_mode(
        mode, f"{name}{d}d", d, _NODES.get(mode, "CircularPad{}DBackward0").format(d)
    )
    for mode, name in (
        ("reflect", "reflection_pad"),
        ("replicate", "replication_pad"),
        ("circular", "circular_pad"),
    )
    for d in (1, 2, 3)
}


@pad_transpose.vjp
def _(g: Any, _y: Any, _x: Any, *, pad: Ints, mode: str) -> Any:
    return _MODES[mode, len(pad) // 2](g, pad=pad)


@composite(
    public="nn.functional",
    samples=[case((2, 3, 4), pad=(1, 1)), case((2, 3, 4), pad=(1, 1), mode="reflect")],
)
@keeps_format
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Pad the last dimensions of `input`.

    Args:
        pad: (left, right) of the last dimension, then of the one before, and so on. Negative
            numbers crop.
        mode: "constant" (any number of dimensions), "reflect" (mirrored, the edge not repeated),
            "replicate" (the edge repeated) or "circular" (wrapped around).
        value: of the frame, for "constant".

    >>> F.pad(torch.tensor([1., 2., 3.]), (1, 2))
    tensor([0., 1., 2., 3., 0., 0.])
    """
    check_tensor("pad", "input", 1, input)
    sizes = tuple(
        as_int("pad", "pad", p) for p in (pad if isinstance(pad, (tuple, list)) else (pad,))
    )
    ndim = len(input.shape)
    if len(sizes) % 2:
        raise RuntimeError(
            message("Padding length must be divisible by 2", got=f"pad={sizes}", wanted="pairs")
        )
    if len(sizes) > 2 * ndim:
        raise RuntimeError(
            message(
                "Padding length should be less than or equal to two times the input dimension but "
                f"got padding length {len(sizes)} and input of dimension {ndim}",
                got=f"pad={sizes}, input {list_of(input.shape)}",
            )
        )
    if mode == "constant":
        return constant_pad_nd(input, pad=sizes, value=0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(
            message(f'Padding mode "{mode}" doesn\'t take in value argument', got=f"value={value}")
        )
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(
            message(
                f"Unrecognised padding mode {mode}",
                wanted="'constant', 'reflect', 'replicate' or 'circular'",
            )
        )
    d = len(sizes) // 2
    if d not in (1, 2, 3) or ndim not in (d + 1, d + 2):
        raise NotImplementedError(
            message(
                f"Padding size {len(sizes)} is not supported for {ndim}D input tensor.",
                got=f"pad={sizes}, input {list_of(input.shape)}, mode={mode!r}",
                wanted="2 numbers for 2D or 3D input, 4 for 3D or 4D, 6 for 4D or 5D",
                hint="unsqueeze(0) for a missing batch or channel dimension",
            )
        )
    if mode != "circular" and 0 in input.shape[ndim - d - 1 :]:
        raise RuntimeError(
            message(
                f"Expected {d + 1}D or {d + 2}D (batch mode) tensor with possibly 0 batch size and "
                f"other non-zero dimensions for input, but got: {list_of(input.shape)}"
            )
        )
    _check_edges(tuple(input.shape), sizes, mode)
    return _MODES[mode, d](input, pad=sizes)


@functools.lru_cache(maxsize=4096)
def _check_edges(shape: Ints, pad: Ints, mode: str) -> None:
    """Whether there is enough to mirror or wrap."""
    for i in range(len(pad) // 2):
        dim = len(shape) - 1 - i
        n, left, right = shape[dim], pad[2 * i], pad[2 * i + 1]
        if mode == "circular" and max(left, right) > n:
            raise RuntimeError(
                message(
                    "Padding value causes wrapping around more than once.",
                    got=f"padding ({left}, {right}) at dimension {dim} of input {list_of(shape)}",
                    wanted=f"at most {n}",
                )
            )
        if mode == "reflect" and max(left, right) >= n:
            raise RuntimeError(
                message(
                    "Argument #4: Padding size should be less than the corresponding input "
                    f"dimension, but got: padding ({left}, {right}) at dimension {dim} of input "
                    f"{list_of(shape)}",
                    wanted=f"at most {n - 1}",
                    hint="mode='replicate' or 'circular'",
                )
            )
        if n + left + right < 1:
            raise RuntimeError(
                message(
                    f"input (size {n} at dimension {dim}) is too small. Calculated output size "
                    f"{n + left + right}",
                    got=f"padding ({left}, {right})",
                )
            )
