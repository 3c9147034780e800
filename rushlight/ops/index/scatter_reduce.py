"""Values combined where they meet at an index: scatter_reduce, by sum, product, mean, extreme.

The product's derivative leaves zeros out and puts them back. Read first: `gather.py`, whose indices
these are; `along_dim.py` does the same to whole slices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes, overlaps
from ...errors import message
from ...kernels.sparse import select as sums
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import op
from ..core.samples import case, ints
from ..core.shapes import on
from .gather import (
    along,
    check_along,
    check_range,
    check_shapes,
    cut,
    gather,
    padded,
    scatter_zeros,
    unmixed,
    whole_slices,
)

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
    d = check_reduced(input, index, src, dim, reduce)
    out = np.atleast_1d(input.copy())
    if index.size:
        index1 = np.atleast_1d(index)
        reduce_at(out, index1, np.atleast_1d(cut(src, index)), d, reduce, include_self)
    return out.reshape(input.shape)


def scatter_reduce_over(
    input: Any, index: Any, src: Any, *, dim: int, reduce: str, include_self: bool = True
) -> None:
    """`scatter_reduce` in memory that may be written to."""
    d = check_reduced(input, index, src, dim, reduce)
    if index.size:
        out = input if input.ndim else input.reshape(1)
        index1 = np.atleast_1d(index)
        reduce_at(out, index1, np.atleast_1d(cut(src, index)), d, reduce, include_self)


in_place_by(scatter_reduce, scatter_reduce_over, indices=(1,))


def check_reduced(input: Any, index: Any, src: Any, dim: int, reduce: str) -> int:
    """The dimension, after all checks of operands and parameters."""
    d = check_shapes("scatter_reduce", input, index, dim, src)
    check_reduce("scatter_reduce", reduce)
    order = reduce in ("amax", "amin")
    if input.dtype.kind == ("c" if order else "b") and (order or reduce == "mean"):
        kernel = f"scatter_gather_tensor_cpu_reduce_{reduce}"
        Accepted(f"floating integral {'bool' if order else 'complex'}: {kernel}").check_array(
            input.dtype
        )
    check_range(index, input.shape[d] if input.ndim else 1, d)
    return d


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


def marks(where: Any, x: Any) -> Any:
    """1 where it is true, else 0, in x's type."""
    from ..elementwise import formulas as m

    return m.where(where, *m.one_and_zero(x))


def reduce_rule(
    g: Any, y: Any, x: Any, src: Any, reduce: str, include_self: bool, spread: Any, back: Any
) -> tuple[Any, Any]:
    """Gradients of x and src when src was reduced into x: `spread` gathers, `back` adds up at the
    indices.
    """
    from ..elementwise import formulas as m

    count = back(m.ones_in(src))
    one, zero = m.one_and_zero(x)
    if reduce == "sum":
        to_self, to_src = g, spread(g)
    elif reduce == "mean":
        n = count + 1 if include_self else m.where(count == 0, one, count)
        to_self, to_src = g / n, spread(g / n)
    elif reduce == "prod":
        to_self, to_src = prod_rule(g, x, src, include_self, spread, back)
    else:
        hit_self = marks(x == y, x)
        hit_src = marks(src == spread(y), src)
        n = back(hit_src) + (hit_self if include_self else 0)
        share = g / m.where(n == 0, one, n)
        to_self, to_src = share * hit_self, spread(share) * hit_src
    if not include_self:
        to_self = m.where(count == 0, g, zero)
    return to_self, to_src


def prod_rule(
    g: Any, x: Any, src: Any, include_self: bool, spread: Any, back: Any
) -> tuple[Any, Any]:
    """The product of all others: through logarithm-free products that leave zeros out."""
    from ..elementwise import formulas as m

    one, zero = m.one_and_zero(x)
    zero_src = marks(src == 0, src)
    zeros = back(zero_src)
    # of what does not count: 1, which has a derivative by x, 0, as in PyTorch
    base = x if include_self else m.where(x * 0 == 1, x, one)
    safe_src = m.where(src == 0, one, src)
    rest = back_prod(safe_src, x, spread, back)  # product of the non-zero sources at each place
    self_zero = marks(base == 0, x)
    # a single zero among the others makes the product 0, but not its derivative: it stays as a
    # factor
    lone = back(src * zero_src)
    others = m.where(zeros == 0, rest, m.where(zeros == 1, lone * rest, zero))
    to_self = g * others.conj()
    safe_base = m.where(base == 0, one, base)
    whole = rest * safe_base
    among = spread(zeros + self_zero) - zero_src
    lone = spread(lone + base * self_zero) - src * zero_src
    full = spread(whole) / safe_src
    others = m.where(among == 0, full, m.where(among == 1, lone * full, zero))
    return to_self, spread(g) * others.conj()


def back_prod(src: Any, x: Any, spread: Any, back: Any) -> Any:
    """Products of the sources at each place: exp of the sum of log|s|, with the sign; of complex
    ones exp of the sum of log s, whose imaginary part may be any multiple of 2 pi.
    """
    from ..elementwise import formulas as m
    from ..elementwise.signs import is_complex

    if is_complex(src):
        return m.exp(back(m.log(src)))
    negative = marks(src < 0, src)
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
