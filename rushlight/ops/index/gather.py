"""Elements picked and placed along one dimension by index tensors: gather, scatter, index_select,
index_add, take.

Indexing with brackets is in `getitem.py`; masks and flat positions (masked_fill, take, put,
nonzero) are in `masks.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes, overlaps
from ...autograd.node import TensorBase
from ...errors import axis, message
from ...kernels.embedding import gather as elements
from ...kernels.indices import asked, within
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.sparse import select as sums
from ..core.accepted import Accepted
from ..core.arguments import need_tensor, number
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, error, ints, values
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
    if not asked() and (out := few.gathered(input, index, dim)) is not None:
        return out
    d = check_along("gather", input, index, dim)
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


def add_along(out: Any, index: Any, source: Any, d: int) -> None:
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
        sums.scatter_add(out, index, part, d)


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
    if not asked() and (out := few.placed(input, index, dim, src)) is not None:
        return out
    d = check_along("scatter", input, index, dim, src)
    out = input.copy()
    if index.size:
        put_along(out, index, cut(src, index), d)
    return out


scatter.shape(on(lambda x, index, src, *, dim: check_along("scatter", x, index, dim, src)))


def put_along(out: Any, index: Any, value: Any, d: int) -> None:
    if out.ndim == 0:
        out[...] = np.asarray(value).reshape(-1)[-1]
    elif index.ndim == 0:
        out[int(index)] = np.asarray(value).reshape(())
    else:
        out[sums.grid(index, d)] = value


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
    if not asked():
        try:
            out = few.placed(input, index, dim, stored(value, input.dtype))
        except RuntimeError:  # a number that does not fit; what follows looks at the indices first
            out = None
        if out is not None:
            return out
    d = check_along("scatter", input, index, dim)
    out = input.copy()
    if index.size:
        put_along(out, index, stored(value, out.dtype), d)
    return out


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
    if not asked() and (out := few.added(input, index, dim, src)) is not None:
        return out
    d = check_along("scatter_add", input, index, dim, src)
    out = input.copy()
    if index.size:
        add_along(out, index, cut(src, index), d)
    return out


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


SCATTER_OLD = {"add": "sum", "multiply": "prod"}


def scatter_parts(
    input: Any, dim: int, index: Any, src: Any, value: Any, reduce: Any
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """(op, further inputs, parameters) for any form of scatter."""
    need_tensor("scatter", index, 3, "index")
    if src is None:
        src = value
    if src is None:
        raise TypeError('scatter() missing 1 required positional arguments: "src"')
    if reduce is not None:
        if reduce not in SCATTER_OLD:
            raise RuntimeError("reduce argument must be either add or multiply.")
        if not isinstance(src, TensorBase) or src is value:
            src = input.new_full(index.shape, number(src))
        return (
            scatter_reduce,
            (index, src),
            {"dim": dim, "reduce": SCATTER_OLD[reduce], "include_self": True},
        )
    if isinstance(src, TensorBase) and src is not value:
        return scatter, (index, src), {"dim": dim}
    if isinstance(src, (list, tuple)):
        raise TypeError(
            message(
                "scatter() received an invalid combination of arguments",
                got=f"src: {type(src).__name__}",
                wanted="a tensor, or one number",
            )
        )
    return scatter_value, (index,), {"dim": dim, "value": number(src)}


@composite(
    adapt=True,
    name="scatter",
    samples=[
        case((3, 4), 1, values([[0], [2], [1]]), (3, 1)),
        case((3, 4), 1, ints((3, 2), 4), value=2.0),
        case((3, 4), 0, ints((2, 4), 3), (2, 4), reduce="add"),
    ],
)
def public_scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Any:
    """A copy of `input` with the elements of `src` (or one number) at their indices along `dim`.

    For dim=0 and two dimensions y[index[i, j], j] = src[i, j]; the opposite of `gather`. Where two
    elements go to one place the last one stays, and gradients are then not true. `reduce` "add" or
    "multiply" combines them with what is there; `scatter_reduce` can do more.

    >>> x = torch.zeros(2, 3)
    >>> torch.scatter(x, 1, torch.tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    record, inputs, kw = scatter_parts(input, dim, index, src, value, reduce)
    return record.call((input, *inputs), kw)


@composite(
    adapt=True,
    name="scatter_",
    public="Tensor",
    samples=[
        case((3, 4), 1, values([[0], [2], [1]]), (3, 1)),
        case((3, 4), 1, ints((3, 2), 4), value=2.0),
    ],
)
def scatter_(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Any:
    """Writes the elements of `src` (or one number) at their indices along `dim`, in place.

    One-hot rows from classes, for example:

    >>> classes = torch.tensor([[2], [0]])
    >>> torch.zeros(2, 3).scatter_(1, classes, 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    record, inputs, kw = scatter_parts(input, dim, index, src, value, reduce)
    overlaps.refuse("scatter_", input, inputs, wholly=True)
    return changes.apply_inplace(record, input, inputs, kw)


REDUCE = ("sum", "prod", "mean", "amax", "amin")


def check_reduce(name: str, reduce: str) -> None:
    if reduce not in REDUCE:
        raise RuntimeError(
            message(
                f"{name}(): reduce argument must be either sum, prod, mean, amax or amin, got "
                f"{reduce}."
            )
        )


def reduce_at(
    out: Any, index: Any, source: Any, d: int, reduce: str, include_self: bool
) -> None:  # fmt: skip
    """Combine `source` into `out` at an index along d, in place: one index an element, or, of one
    dimension, a slice. Types below float32 are rounded after each step, as PyTorch's slices."""
    low = out.dtype.kind == "V" or out.dtype == np.float16
    line = index if index.ndim < out.ndim else whole_slices(out, index, d)
    count: Any = None
    if reduce == "mean" or not include_self:
        count = counted(out, index, line, d)
    if not include_self:
        start = {"sum": 0, "prod": 1, "mean": 0}.get(reduce)
        if start is None:
            info = limits(out.dtype)
            start = info[0] if reduce == "amax" else info[1]
        np.copyto(out, np.asarray(start).astype(out.dtype), where=count > 0)
    if low:
        ufuncs = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
        key = sums.grid(index, d) if line is None else (slice(None),) * d + (line,)
        ufuncs.get(reduce, np.add).at(out, key, source)
    elif reduce in ("sum", "mean"):
        if line is not None:
            sums.add_slices(out, line, source, d)
        else:
            sums.scatter_add(out, index, source, d)
    else:
        ufunc = {"prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[reduce]
        slices = line is not None and source.shape[:d] + source.shape[d + 1 :] == (
            out.shape[:d] + out.shape[d + 1 :]
        )
        if slices and source.shape[d] == line.size and reduce != "prod":
            sums.reduce_slices(out, line, source, d, reduce[1:])
        else:
            key = sums.grid(index, d) if line is None else (slice(None),) * d + (line,)
            ufunc.at(out, key, source)
    if reduce == "mean":
        n = count + 1 if include_self else np.maximum(count, 1)
        if low:
            out[...] = out.astype(np.float32) / n.astype(out.dtype).astype(np.float32)
        else:
            out[...] = out / n if out.dtype.kind in "fc" else np.floor_divide(out, n)


def counted(out: Any, index: Any, line: Any, d: int) -> Any:
    """How many values each place of an array gets; of slices, in a shape that broadcasts."""
    if line is not None:
        count = np.bincount(line, minlength=out.shape[d])
        return count.reshape((1,) * d + (-1,) + (1,) * (out.ndim - d - 1))
    count = np.zeros(out.shape, np.int64)
    sums.scatter_add(count, index, np.ones(index.shape, np.int64), d)
    return count


def limits(dtype: Any) -> tuple[Any, Any]:
    """(lowest, highest) value of a type."""
    if dtype.kind == "b":
        return False, True
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return -np.inf, np.inf


@op(
    samples=[case((3, 4), along, (2, 4), dim=0, reduce=r) for r in REDUCE]
    + [case((3, 4), along, (2, 4), dim=0, reduce=r, include_self=False) for r in REDUCE],
    public="",
    fresh=True,
    unmixed=unmixed,
)
def scatter_reduce(
    input: Any, index: Any, src: Any, *, dim: int, reduce: str, include_self: bool = True
) -> Any:
    """A copy of `input` into which `src` is reduced at the indices along `dim`."""
    d = check_shapes("scatter_reduce", input, index, dim, src)
    check_reduce("scatter_reduce", reduce)
    order = reduce in ("amax", "amin")
    if input.dtype.kind == ("c" if order else "b") and (order or reduce == "mean"):
        kernel = f"scatter_gather_tensor_cpu_reduce_{reduce}"
        Accepted(f"floating integral {'bool' if order else 'complex'}: {kernel}").check_array(
            input.dtype
        )
    check_range(index, input.shape[d] if input.ndim else 1, d)
    out = np.atleast_1d(input.copy())
    if index.size:
        index1 = np.atleast_1d(index)
        reduce_at(out, index1, np.atleast_1d(cut(src, index)), d, reduce, include_self)
    return out.reshape(input.shape)


scatter_reduce.shape(
    on(lambda x, i, src, *, dim, **_: check_along("scatter_reduce", x, i, dim, src))
)


@scatter_reduce.joint
def _(
    g: Any,
    y: Any,
    x: Any,
    index: Any,
    src: Any,
    *,
    dim: int,
    reduce: str,
    include_self: bool,
    needs: Any,
    shapes: Any,
) -> Any:
    def spread(v: Any) -> Any:
        return gather(v, index, dim=dim)

    def back(v: Any) -> Any:
        return scatter_zeros(v, index, shape=shapes[0], dim=dim)

    used = corner_of(src, index)
    to_self, to_src = reduce_rule(g, y, x, used, reduce, include_self, spread, back)
    return (to_self if needs[0] else None, None, padded(to_src, shapes[2]) if needs[2] else None)


def corner_of(a: Any, index: Any) -> Any:
    return (
        a if a.ndim == 0 or a.shape == index.shape else a[tuple(slice(0, k) for k in index.shape)]
    )


def ones_in(x: Any) -> Any:
    return x * 0 + 1


def reduce_rule(
    g: Any, y: Any, x: Any, src: Any, reduce: str, include_self: bool, spread: Any, back: Any
) -> tuple[Any, Any]:
    """Gradients of x and src when src was reduced into x: `spread` gathers, `back` adds up at the
    indices.
    """
    from ..elementwise import formulas as m

    count = back(ones_in(src))
    if reduce == "sum":
        to_self, to_src = g, spread(g)
    elif reduce == "mean":
        n = count + 1 if include_self else m.where(count == 0, count * 0 + 1, count)
        to_self, to_src = g / n, spread(g / n)
    elif reduce == "prod":
        to_self, to_src = prod_rule(g, x, src, include_self, spread, back)
    else:
        hit_self = m.where(x == y, ones_in(x), x * 0)
        hit_src = m.where(src == spread(y), ones_in(src), src * 0)
        n = back(hit_src) + (hit_self if include_self else 0)
        share = g / m.where(n == 0, n * 0 + 1, n)
        to_self, to_src = share * hit_self, spread(share) * hit_src
    if not include_self:
        to_self = m.where(count == 0, g, to_self * 0)
    return to_self, to_src


def prod_rule(
    g: Any, x: Any, src: Any, include_self: bool, spread: Any, back: Any
) -> tuple[Any, Any]:
    """The product of all others: through logarithm-free products that leave zeros out."""
    from ..elementwise import formulas as m

    zero_src = m.where(src == 0, ones_in(src), src * 0)
    zeros = back(zero_src)
    base = x if include_self else ones_in(x)
    safe_src = m.where(src == 0, ones_in(src), src)
    rest = back_prod(safe_src, x, spread, back)  # product of the non-zero sources at each place
    self_zero = m.where(base == 0, ones_in(x), x * 0)
    # a single zero among the others makes the product 0, but not its derivative: it stays as a
    # factor
    lone = back(src * zero_src)
    others = m.where(zeros == 0, rest, m.where(zeros == 1, lone * rest, rest * 0))
    to_self = g * others.conj()
    safe_base = m.where(base == 0, ones_in(base), base)
    whole = rest * safe_base
    among = spread(zeros + self_zero) - zero_src
    lone = spread(lone + base * self_zero) - src * zero_src
    full = spread(whole) / safe_src
    others = m.where(among == 0, full, m.where(among == 1, lone * full, src * 0))
    return to_self, spread(g) * others.conj()


def back_prod(src: Any, x: Any, spread: Any, back: Any) -> Any:
    """Products of the sources at each place: exp of the sum of log|s|, with the sign; of complex
    ones exp of the sum of log s, whose imaginary part may be any multiple of 2 pi.
    """
    from ..elementwise import formulas as m
    from ..elementwise.signs import is_complex

    if is_complex(src):
        return m.exp(back(m.log(src)))
    negative = m.where(src < 0, ones_in(src), src * 0)
    size = m.exp(back(m.log(m.abs(src))))
    odd = back(negative) % 2
    return m.where(odd == 1, -size, size)


@composite(
    adapt=True,
    name="scatter_reduce",
    samples=[
        case((3, 4), 1, ints((3, 2), 4), (3, 2), "sum"),
        case((3, 4), 1, ints((3, 2), 4), (3, 2), "amax", include_self=False),
    ],
)
def public_scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """The elements of `src` reduced into a copy of `input` at their indices along `dim`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin". With `include_self=False` the old value
    does not count at places to which something goes.

    >>> x = torch.tensor([10.0, 20.0])
    >>> index, src = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
    >>> torch.scatter_reduce(x, 0, index, src, "sum")
    tensor([13., 23.])
    >>> torch.scatter_reduce(x, 0, index, src, "amax", include_self=False)
    tensor([2., 3.])
    """
    return scatter_reduce.call(
        (input, index, src), {"dim": dim, "reduce": reduce, "include_self": include_self}
    )


@composite(
    adapt=True,
    name="scatter_reduce_",
    public="Tensor",
    samples=[case((3, 4), 1, ints((3, 2), 4), (3, 2), "mean")],
)
def scatter_reduce_(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Reduces the elements of `src` into the tensor at their indices along `dim`, in place.

    >>> index, src = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
    >>> torch.zeros(2).scatter_reduce_(0, index, src, "mean", include_self=False)
    tensor([1.5000, 3.0000])
    """
    kw = {"dim": dim, "reduce": reduce, "include_self": include_self}
    overlaps.refuse("scatter_reduce_", input, (index, src), wholly=True)
    return changes.apply_inplace(scatter_reduce, input, (index, src), kw)
