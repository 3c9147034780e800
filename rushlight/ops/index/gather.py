"""Elements picked and placed along one dimension by index tensors: gather, scatter, scatter_add.

Whole slices are in `index_select.py` and `along_dim.py` (index_add). Indexing with brackets is in
`getitem.py`; masks and flat positions (masked_fill, take, put, nonzero) are in `masks.py`;
`scatter_reduce.py` has what combines values that meet at a place, `scatter_public.py` PyTorch's
forms of scatter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes, overlaps
from ...errors import axis, message
from ...kernels import dense
from ...kernels.embedding import gather as elements
from ...kernels.embedding import select as lookups
from ...kernels.indices import asked, within
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.sparse import select as sums
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import op
from ..core.samples import arr, case, error, ints
from ..core.shapes import given, on
from ..create.arguments import stored

along = arr((2, 4), 0, 3, "int64")
some = arr((2,), 0, 3, "int64")

# -- along a dimension ---------------------------------------------------------------------------


def check_along(name: str, x: Any, index: Any, dim: int, source: Any = None) -> int:
    """The dimension in range, after PyTorch's checks of an index for gather and scatter."""
    d = check_shapes(name, x, index, dim, source)
    check_range(index, x.shape[d] if x.ndim else 1, d)
    return d


def check_shapes(name: str, x: Any, index: Any, dim: int, source: Any = None) -> int:
    """`check_along`, but of the indices themselves: dimension, types and shapes, in this order."""
    d = axis(dim, x.ndim)
    if index.size and index.dtype not in (np.dtype(np.int64), np.dtype(np.int32)):
        raise RuntimeError(
            message(
                f"{name}(): Expected dtype int64 for index",
                got=str(index.dtype),
                hint="index.long()",
            )
        )
    if source is not None:
        same_type("scatter", x, source)
    if not index.size:
        return d
    shape = x.shape
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError(
            message(
                "Index tensor must have the same number of dimensions as "
                f"{'input' if name == 'gather' else 'self'} tensor",
                got=f"index {tuple(index.shape)} for a tensor of shape {tuple(shape)}",
                hint="index.unsqueeze(-1), or index_select for whole rows",
            )
        )
    larger = [i for i, k in enumerate(index.shape) if i != d and k > shape[i]]
    reach: Any = () if source is None else source.shape or (1,)
    if not larger and source is not None:
        for i, k in enumerate(index.shape or (1,)):
            if k > reach[axis(i, len(reach))]:  # PyTorch asks for it before it counts dimensions
                larger.append(i)
                break
    if source is not None and len(reach) != max(index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if larger:
        beyond = f" apart from dimension {d}"
        if name == "gather":
            text = (
                f"Size does not match at dimension {larger[0]} expected index {list(index.shape)} "
                f"to be no larger than self {list(shape)}{beyond}"
            )
        else:
            text = f"Expected index {list(index.shape)} to be no larger than self {list(shape)}"
            text += beyond
            if source is not None:
                text += f" and to be no larger size than src {list(source.shape)}"
        raise RuntimeError(message(text))
    return d


def check_range(index: Any, n: int, d: int, name: str = "") -> None:
    """RuntimeError unless all indices are within 0..n-1."""
    if index.__class__ is not MetaArray and not within(index, 0, n):
        low, high = int(index.min()), int(index.max())
        bad = low if low < 0 else high
        raise RuntimeError(f"{name}index {bad} is out of bounds for dimension {d} with size {n}")


@op(
    samples=[case((3, 4), along, dim=0), case((3, 4), arr((3, 2), 0, 4, "int64"), dim=1)],
    public="",
    low="keep",
    fresh=True,
    errors=[
        error(RuntimeError, "same number of dimensions", (3, 4), arr((2,), 0, 3, "int64"), dim=0)
    ],
)
def gather(input: Any, index: Any, *, dim: int) -> Any:
    """out[i][j] = input[index[i][j]][j] for dim 0: one element of `input` for each index."""
    key, many, seen = None, lookups.are_many(index), not asked()
    if many and seen:
        key = few.layouts(input, index, dim)
        if (made := lookups.plans_elements.get(key)) is not None:  # such a call was checked before
            out, flag = made.run(input, index)
            if not flag[0]:
                return out
    elif seen and (out := few.gathered(input, index, dim)) is not None:
        return out
    d = check_shapes("gather", input, index, dim)
    kernel = many and input.ndim and lookups.by_kernel(input, index, d)
    if kernel and whole_slices(input, index, d) is None:
        if not seen:
            check_range(index, input.shape[d], d)
            return lookups.elements(input, index, d, known=True)
        out, flag = lookups.plans_elements.make(key, input, index, dim).run(input, index)
        if not flag[0]:
            return out
    check_range(index, input.shape[d] if input.ndim else 1, d)
    if input.ndim == 0 or index.ndim == 0:
        return np.broadcast_to(
            input.reshape(-1)[index.reshape(-1)].reshape(index.shape), index.shape
        ).copy()
    if index.size == 0:
        return np.empty(index.shape, input.dtype)
    line = whole_slices(input, index, d)
    if line is not None:
        return np.take(input, line, axis=d)
    return elements.gather(input, index, d)


gather.vjp(
    lambda g, _y, _x, index, *, dim, shapes: scatter_zeros(g, index, shape=shapes[0], dim=dim),
    None,
)
gather.shape(lambda x, index, dim: MetaArray(index.shape, x.dtype))


@op(samples=[case((2, 4), along, shape=(3, 4), dim=0)], public="", fresh=True)
def scatter_zeros(grad: Any, index: Any, *, shape: Any, dim: int) -> Any:
    """Zeros of `shape` with each element of `grad` added at its index along `dim`."""
    out = np.zeros(shape, grad.dtype)
    add_along(out, index, grad, axis(dim, len(shape)))
    return out


scatter_zeros.shape(given)


def add_along(out: Any, index: Any, source: Any, d: int, known: bool = False) -> None:
    """Add elements at their indices; `known`: these are in range."""
    if index.size == 0:
        return
    if out.ndim == 0:
        line = np.asarray(source).reshape(-1)
        np.add.at(out.reshape(1), np.zeros(line.size, np.int64), line)
        return
    if index.ndim == 0:
        index, source = index.reshape(1), source.reshape(1)
    part = source[tuple(slice(0, k) for k in index.shape)]
    line = whole_slices(out, index, d)
    if line is not None:
        sums.add_slices(out, line, part, d)
    else:
        sums.scatter_add(out, index, part, d, known)


def whole_slices(out: Any, index: Any, d: int) -> Any:
    """The indices of slices, where an index was expanded to whole ones; else None."""
    for k, (n, stride) in enumerate(zip(index.shape, index.strides, strict=True)):
        if k != d and (n != out.shape[k] or (n > 1 and stride)):
            return None
    return index[(0,) * d + (slice(None),) + (0,) * (index.ndim - d - 1)]


scatter_zeros.vjp(lambda g, _y, _g, index, *, dim: gather(g, index, dim=dim), None)


@composite(
    apart="wholly",
    adapt=True,
    name="gather",
    entry=gather,
    samples=[case((3, 4), 1, ints((3, 2), 4))],
)
def public_gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Elements of `input` picked along `dim`, one for each element of `index`.

    For dim=1 and two dimensions y[i, j] = input[i, index[i, j]]. `index` is int64 (or int32), with
    as many dimensions as `input` and nowhere longer, but along `dim`; y has its shape. RuntimeError
    for indices out of range; negative ones are. `sparse_grad` makes the gradient sparse.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.gather(x, 1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
    need_tensor("gather", index, 3, "index")
    return gather.call((input, index), {"dim": dim})


# -- scatter -------------------------------------------------------------------------------------


def cut(a: Any, index: Any) -> Any:
    """The part of a source that an index covers."""
    if a.ndim == 0 or index.ndim == 0:
        return a.reshape(index.shape) if a.size == 1 else a.reshape(-1)[0]
    return a[tuple(slice(0, k) for k in index.shape)]


@op(
    samples=[case((3, 4), arr((1, 4), 0, 3, "int64"), (2, 4), dim=0)],
    public="",
    low="keep",
    fresh=True,
    errors=[
        error(
            RuntimeError, "no larger than self", (3, 4), arr((4, 5), 0, 3, "int64"), (4, 5), dim=0
        )
    ],
)
def scatter(input: Any, index: Any, src: Any, *, dim: int) -> Any:
    """A copy of `input` with each element of `src` at its index along `dim`."""
    if lookups.is_few(input) and (out := few.placed(input, index, dim, src)) is not None:
        return out
    d = check_along("scatter", input, index, dim, src)
    out = dense.in_order(input)
    if index.size:
        put_along(out, index, cut(src, index), d)
    return out


def scatter_over(input: Any, index: Any, src: Any, *, dim: int) -> None:
    """`scatter` in memory that may be written to."""
    if lookups.is_few(input) and (out := few.placed(input, index, dim, src)) is not None:
        input[...] = out
        return
    d = check_along("scatter", input, index, dim, src)
    if index.size:
        put_along(input, index, cut(src, index), d)


in_place_by(scatter, scatter_over, indices=(1,))
scatter.shape(on(lambda x, index, src, *, dim: check_along("scatter", x, index, dim, src)))


def put_along(out: Any, index: Any, value: Any, d: int) -> None:
    """Write elements, or one number, at their indices, which are in range."""
    if out.ndim == 0:
        out[...] = np.asarray(value).reshape(-1)[-1]
    elif index.ndim == 0:
        out[int(index)] = np.asarray(value).reshape(())
    else:
        sums.scatter(out, index, np.asarray(value), d, known=True)


def same_type(name: str, a: Any, b: Any) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            message(
                f"{name}(): Expected self.dtype to be equal to src.dtype",
                got=f"{a.dtype} and {b.dtype}",
                hint="src.to(x.dtype)",
            )
        )


scatter.vjp(
    lambda g, _y, _x, index, _s, *, dim: scatter_value(g, index, dim=dim, value=0),
    None,
    lambda g, _y, _x, index, _s, *, dim, shapes: padded(gather(g, index, dim=dim), shapes[2]),
)


def unmixed(input: Any, index: Any, src: Any, *, dim: int, **_: Any) -> None:
    """`check_shapes`, of operands that narrow types have not been taken from yet."""
    check_shapes("scatter", input, index, dim, src)


def padded(g: Any, shape: Any) -> Any:
    """A gradient of the used corner of a source, zeros beyond."""
    return g if tuple(g.shape) == tuple(shape) else corner(g, shape=tuple(shape))


@op(samples=[case((2, 3), shape=(3, 4))], public="", low="keep", fresh=True)
def corner(input: Any, *, shape: Any) -> Any:
    """Zeros of `shape` with `input` in the first corner."""
    out = np.zeros(shape, input.dtype)
    out[tuple(slice(0, n) for n in input.shape)] = input
    return out


corner.shape(given)


corner.vjp(lambda g, _y, _x, *, shapes: g[tuple(slice(0, n) for n in shapes[0])])


@op(
    samples=[case((3, 4), arr((1, 4), 0, 3, "int64"), dim=0, value=2.0)],
    public="",
    node="ScatterBackward0",
    low="keep",
    fresh=True,
)
def scatter_value(input: Any, index: Any, *, dim: int, value: Any) -> Any:
    """A copy of `input` with one number at the indices along `dim`."""
    if lookups.is_few(input):
        try:
            out = few.placed(input, index, dim, stored(value, input.dtype))
        except RuntimeError:  # a number that does not fit; what follows looks at the indices first
            out = None
        if out is not None:
            return out
    d = check_along("scatter", input, index, dim)
    out = dense.in_order(input)
    if index.size:
        put_along(out, index, stored(value, out.dtype), d)
    return out


def scatter_value_over(input: Any, index: Any, *, dim: int, value: Any) -> None:
    """`scatter_value` in memory that may be written to."""
    d = check_along("scatter", input, index, dim)
    if index.size:
        put_along(input, index, stored(value, input.dtype), d)


in_place_by(scatter_value, scatter_value_over, indices=(1,))


scatter_value.shape(on(lambda x, i, *, dim, **_: check_along("scatter", x, i, dim)))


scatter_value.vjp(lambda g, _y, _x, index, *, dim: scatter_value(g, index, dim=dim, value=0), None)


@op(
    samples=[
        case((3, 4), along, (2, 4), dim=0),
        case((3, 4), arr((3, 2), 0, 4, "int64"), (3, 5), dim=1),
    ],
    public="",
    fresh=True,
    unmixed=unmixed,
)
def scatter_add(input: Any, index: Any, src: Any, *, dim: int) -> Any:
    """A copy of `input` with each element of `src` added at its index along `dim`."""
    if lookups.is_few(input) and (out := few.added(input, index, dim, src)) is not None:
        return out
    d = check_along("scatter_add", input, index, dim, src)
    out = dense.in_order(input)
    add_along(out, index, cut(src, index), d, known=True)
    return out


def scatter_add_over(input: Any, index: Any, src: Any, *, dim: int) -> None:
    """`scatter_add` in memory that may be written to."""
    if lookups.is_few(input) and (out := few.added(input, index, dim, src)) is not None:
        input[...] = out
        return
    d = check_along("scatter_add", input, index, dim, src)
    add_along(input, index, cut(src, index), d, known=True)


in_place_by(scatter_add, scatter_add_over, indices=(1,))


scatter_add.shape(on(lambda x, i, src, *, dim: check_along("scatter_add", x, i, dim, src)))


scatter_add.vjp(
    lambda g, _y, _x, _i, _s: g,
    None,
    lambda g, _y, _x, index, _s, *, dim, shapes: padded(gather(g, index, dim=dim), shapes[2]),
)


@composite(adapt=True, name="scatter_add", samples=[case((3, 4), 1, ints((3, 2), 4), (3, 2))])
def public_scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy of `input` with each element of `src` added at its index along `dim`.

    For dim=0 and two dimensions y[index[i, j], j] += src[i, j]. `index` is nowhere longer than
    `src`, nor than `input` but along `dim`; `src` has the input's dtype.

    >>> x = torch.zeros(3)
    >>> torch.scatter_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 5.])
    """
    return scatter_add.call((input, index, src), {"dim": dim})


@composite(
    adapt=True,
    name="scatter_add_",
    public="Tensor",
    samples=[case((3, 4), 1, ints((3, 2), 4), (3, 2))],
)
def scatter_add_(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Adds each element of `src` at its index along `dim`, in place.

    >>> torch.zeros(3).scatter_add_(0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 5.])
    """
    overlaps.refuse("scatter_add_", input, (index, src), wholly=True)
    return changes.apply_inplace(scatter_add, input, (index, src), {"dim": dim})
