"""index_fill: one number, or a 0-d tensor, in whole slices by a 1-d index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes, overlaps
from ...autograd.node import TensorBase
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.arguments import need_gradients, number
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import op
from ..core.samples import case, values
from ..core.shapes import on
from ..create.arguments import stored
from .index_select import at, check_type, checked, one, rows


@op(
    samples=[case((3, 4), rows, dim=0, value=2.0), case((3, 4), one, dim=1, value=-1)],
    low="keep",
    fresh=True,
    public="",
)
def index_fill(input: Any, index: Any, *, dim: int, value: Any) -> Any:
    """A copy with one number in the slices at `index`."""
    d = check_filled(input, index, dim, value)
    if d is None:
        return dense.copied(input)
    out = np.atleast_1d(dense.copied(input))
    out[at(d, index)] = filling(input, value)
    return out.reshape(input.shape)


def index_fill_over(input: Any, index: Any, *, dim: int, value: Any) -> None:
    """`index_fill` in memory that may be written to."""
    d = check_filled(input, index, dim, value)
    if d is not None:
        out = input if input.ndim else input.reshape(1)
        out[at(d, index)] = filling(input, value)


in_place_by(index_fill, index_fill_over, indices=(1,), strided=True)


def filling(input: Any, value: Any) -> Any:
    """A number, or an array of one, in the type of what it is written to."""
    if isinstance(value, (int, float, complex)):
        return stored(value, input.dtype)
    return value.astype(input.dtype)


def check_filled(input: Any, index: Any, dim: int, value: Any) -> int | None:
    """The dimension that is filled, after all checks; None where nothing is written."""
    check_type("index_fill_", index)
    check_number(input, value)
    d = checked("index_fill_", input, index, dim)
    n = input.shape[d] if input.ndim else 1
    if isinstance(value, (int, float, complex)):
        stored(value, input.dtype)  # raises for what does not fit
    if input.ndim > 1 and not input.size and n:  # nothing is written, so PyTorch does not look
        return None
    if index.size and (int(index.min()) < -n or int(index.max()) >= n):
        raise IndexError(
            f"index {int(index.max())} is out of bounds for dimension {d} with size {n}"
        )
    return d


def check_number(input: Any, value: Any) -> None:
    """Raise for a complex number in a tensor of another type."""
    if np.iscomplexobj(value) and input.dtype.kind not in "cW":
        raise RuntimeError(
            message(
                "index_fill_(): Converting complex Scalar to non-complex type is not supported",
                got=repr(value),
            )
        )


def check_fill(x: Any, index: Any, *_value: Any, dim: int, **_: Any) -> None:
    """What a fill asks of its index."""
    check_type("index_fill_", index)
    checked("index_fill_", x, index, dim)


index_fill.shape(on(check_fill))


index_fill.vjp(lambda g, _y, _x, index, *, dim: index_fill(g, index, dim=dim, value=0), None)


@op(samples=[case((3, 4), rows, (), dim=0)], fresh=True, public="", node="IndexFillBackward1")
def index_fill_tensor(input: Any, index: Any, value: Any, *, dim: int) -> Any:
    """A copy with a 0-d tensor in the slices at `index`."""
    return index_fill.fn(input, index, dim=dim, value=value)


index_fill_tensor.shape(on(check_fill))


index_fill_tensor.vjp(
    lambda g, _y, _x, index, _v, *, dim: index_fill(g, index, dim=dim, value=0),
    None,
    lambda g, _y, _x, index, _v, *, dim: g - index_fill(g, index, dim=dim, value=0),
)


def fill_parts(input: Any, dim: int, index: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        if value._a.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._a.ndim} dimension(s)."
            )
        known = value._fn is None and value._a.__class__ is not MetaArray
        if not known or hasattr(type(value), "value_is_hidden"):
            return index_fill_tensor, (index, value), {"dim": dim}
    return index_fill, (index,), {"dim": dim, "value": number(value)}


@composite(
    adapt=True,
    name="index_fill",
    samples=[case((3, 4), 1, values([0, 2]), 1.5), case((3, 4), 0, values([1]), ())],
)
def public_index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """A copy with one number in the slices along `dim` at the positions in the vector `index`.

    `value` is a number or a 0-d tensor.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.index_fill(x, 1, torch.tensor([0]), 9)
    tensor([[9, 2],
            [9, 4]])
    """
    need_gradients(input, value, "value")
    record, inputs, kw = fill_parts(input, dim, index, value)
    return record.call((input, *inputs), kw)


@composite(
    adapt=True,
    name="index_fill_",
    public="Tensor",
    samples=[case((3, 4), 1, values([0, 2]), 1.5)],
)
def index_fill_(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Writes one number into the slices along `dim` at the positions in `index`, in place.

    >>> torch.zeros(3).index_fill_(0, torch.tensor([0, 2]), 9)
    tensor([9., 0., 9.])
    """
    record, inputs, kw = fill_parts(input, dim, index, value)
    overlaps.refuse("index_fill_", input, (index,), wholly=True)
    try:
        return changes.apply_inplace(record, input, inputs, kw)
    except RuntimeError:
        from .overlapping import fill_slices_instead

        return fill_slices_instead(input, dim, index, value)
