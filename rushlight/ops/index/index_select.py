"""index_select: whole slices by a 1-d index; and what all that take such an index ask of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import axis, message
from ...kernels.embedding import along
from ...kernels.indices import asked, within
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.sparse import select as sums
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, ints
from ..core.shapes import given

# Which slices the samples take, here and in the files beside this one.
rows = arr((2,), 0, 3, "int64")
one = arr((1,), 0, 3, "int64")


def checked(name: str, input: Any, index: Any, dim: int) -> int:
    """The dimension in range, and PyTorch's checks of the index, in its order."""
    d = axis(dim, input.ndim)
    if index.ndim > 1:
        raise (IndexError if name != "index_fill_" else RuntimeError)(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim}"
        )
    check_type(name, index)
    return d


def check_type(name: str, index: Any) -> None:
    """Raise unless an index has a type that the function takes."""
    fill = name == "index_fill_"
    alone = fill or name.startswith("index_copy")  # others take int32 too
    if index.dtype != np.int64 and (alone or index.dtype != np.int32):
        raise (IndexError if fill else RuntimeError)(
            message(
                f"{name}(): Expected dtype {'' if alone else 'int32 or '}int64 for index.",
                got=str(index.dtype),
                hint="index.long()",
            )
        )


def at(d: int, index: Any) -> Any:
    return (slice(None),) * d + (index.reshape(-1),)


def inside(index: Any, n: int, name: str) -> None:
    if index.__class__ is not MetaArray and not within(index, 0, n):
        low, high = int(index.min()), int(index.max())
        raise IndexError(
            message(
                "index out of range in self",
                got=f"{name} with index {low if low < 0 else high} for {n} slices",
            )
        )


def selected_of_nothing(n: int, index: Any, ndim: int) -> None:
    """What PyTorch says of an index that is out of range for a tensor without elements."""
    if n == 0 and ndim == 1:
        raise IndexError("index out of range in self")
    if n == 0:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if index.__class__ is not MetaArray and not within(index, 0, n):
        selected_outside(n, index)


def selected_outside(n: int, index: Any) -> None:
    """RuntimeError, in the words of PyTorch where it says this instead of an IndexError."""
    worst = int(index.max()) if index.max() >= n else int(index.min())
    raise RuntimeError(
        message(
            f"INDICES element is out of DATA bounds, id={worst} axis_dim={n}",
            wanted=f"indices from 0 to {n - 1}",
        )
    )


def selected_shape(x: Any, index: Any, *, dim: int) -> MetaArray:
    """The shape of slices at the positions in `index`."""
    d = checked("index_select", x, index, dim)
    if x.ndim == 0:
        return MetaArray((), x.dtype)
    return MetaArray((*x.shape[:d], index.size, *x.shape[d + 1 :]), x.dtype)


@op(
    samples=[case((3, 4), rows, dim=0), case((3, 4), rows, dim=1)],
    low="keep",
    fresh=True,
    public="",
)
def index_select(input: Any, index: Any, *, dim: int) -> Any:
    """Slices along `dim` at the positions in `index`."""
    plain = dim == 0 and index.ndim == 1 and not asked()
    if plain and (out := few.taken(input, index)) is not None:
        return out
    d = checked("index_select", input, index, dim)
    if input.ndim == 0:
        if index.size != 1:
            raise RuntimeError(
                f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)"
            )
        inside(index, 1, "index_select")
        return input.copy()
    if input.size == 0 and index.size:
        selected_of_nothing(input.shape[d], index, input.ndim)
    if d == 1 and not within(index, 0, input.shape[1]):
        selected_outside(input.shape[1], index)
    inside(index, input.shape[d], "index_select")
    line = index.reshape(-1)
    if along.native(input, line) if asked() else along.pays(input, line, d):
        return along.take(input, line, d)
    return np.take(input, line, axis=d)


index_select.shape(selected_shape)


@op(samples=[case((2, 4), rows, shape=(3, 4), dim=0)], fresh=True, public="")
def index_spread(grad: Any, index: Any, *, shape: Any, dim: int) -> Any:
    """Zeros of `shape` with the slices of `grad` added at `index`."""
    if not shape:
        return grad.reshape(())
    return sums.slices_summed(tuple(shape), index.reshape(-1), grad, dim % len(shape))


index_spread.shape(given)


index_select.vjp(
    lambda g, _y, _x, index, *, dim, shapes: index_spread(g, index, shape=shapes[0], dim=dim), None
)
index_spread.vjp(lambda g, _y, _g, index, *, dim: index_select(g, index, dim=dim), None)


@composite(
    apart="wholly",
    adapt=True,
    name="index_select",
    entry=index_select,
    samples=[case((3, 4), 1, ints((5,), 4))],
)
def public_index_select(input: Any, dim: int, index: Any) -> Any:
    """The slices along `dim` at the positions in the vector `index`, as a new tensor.

    y[i] = input[index[i]] for dim=0. IndexError beyond the end; negative positions are not taken.

    >>> x = torch.tensor([[1, 2], [3, 4], [5, 6]])
    >>> torch.index_select(x, 0, torch.tensor([2, 0]))
    tensor([[5, 6],
            [1, 2]])
    """
    need_tensor("index_select", index, 3, "index")
    return index_select.call((input, index), {"dim": dim})
