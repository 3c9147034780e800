"""Reordering and repeating: flip, roll, rot90, repeat, tile, repeat_interleave.

view and its like are in `public.py`, stacks and grids in `stack.py`; the records of views in
`views.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import door
from ...autograd.node import TensorBase
from ...errors import axes, axis, message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...kernels.sparse import select as sums
from ..core.accepted import Accepted
from ..core.arguments import named, need_tensor, sizes
from ..core.composite import composite
from ..core.numerics import DependsOnData, depends_on_data
from ..core.record import op
from ..core.samples import arr, case, error, values
from ..core.shapes import given, on

# -- reordering ----------------------------------------------------------------------------------


def check_repeats(input: Any, repeats: Any) -> None:
    """PyTorch's errors for numbers of copies."""
    if len(repeats) < input.ndim:
        raise RuntimeError(
            message(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions "
                "of tensor",
                got=f"repeats {repeats} for shape {tuple(input.shape)}",
            )
        )
    if any(r < 0 for r in repeats):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(repeats)}: {list(repeats)}"
        )


def repeated(x: Any, *, repeats: Any) -> MetaArray:
    """The shape of copies side by side."""
    check_repeats(x, repeats)
    own = (1,) * (len(repeats) - x.ndim) + tuple(x.shape)
    return MetaArray(tuple(n * r for n, r in zip(own, repeats, strict=True)), x.dtype)


@op(
    samples=[case((3, 4), dims=(0,)), case((2, 3, 4), dims=(0, -1))],
    low="keep",
    fresh=True,
    public="",
    errors=[
        error(IndexError, "Dimension out of range", (3, 4), dims=(2,)),
        error(RuntimeError, "multiple times", (3, 4), dims=(0, 0)),
    ],
)
def flip(input: Any, *, dims: Any) -> Any:
    """A copy with the order along `dims` reversed."""
    if input.ndim == 0:
        axes(dims, 0)
        return input.copy()
    made, turned = dense.empty_like(input), [slice(None)] * input.ndim
    for d in axes(dims, input.ndim):
        turned[d] = slice(None, None, -1)
    dense.copy_into(made, input[tuple(turned)])
    return made


flip.shape(on(lambda x, *, dims: axes(dims, x.ndim)))


flip.vjp(lambda g, _y, _x, *, dims: flip(g, dims=dims))


@composite(adapt=True, public="torch", name="flip", samples=[case((2, 3), [0, 1])])
def flip_function(input: Any, dims: Any) -> Any:
    """A copy with the order along the dimensions `dims` reversed (a copy, where NumPy gives a
    view).

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.flip(x, (0,))
    tensor([[3, 4],
            [1, 2]])
    >>> torch.flip(x, (0, 1))
    tensor([[4, 3],
            [2, 1]])
    """
    if not isinstance(dims, (list, tuple)):
        raise TypeError(
            f"flip(): argument 'dims' (position 2) must be tuple of ints, not {type(dims).__name__}"
        )
    return flip.call((input,), {"dims": sizes((dims,), "flip", "dims")})


@composite(public="Tensor", name="flip", samples=[case((2, 3), 0, 1), case((2, 3), [1])])
def flip_method(input: Any, *dims: Any, **kw: Any) -> Any:
    """A copy with the order along the dimensions `dims` reversed.

    >>> torch.tensor([1, 2, 3]).flip(0)
    tensor([3, 2, 1])
    """
    if not dims and not kw:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    if isinstance(kw.get("dims"), int):
        raise TypeError("flip(): argument 'dims' must be tuple of ints, not int")
    return flip.call((input,), {"dims": sizes(named(dims, kw, "dims"), "flip", "dims")})


@composite(adapt=True, samples=[case((2, 3))])
def fliplr(input: Any) -> Any:
    """A copy with the columns in reverse order: `flip` along the second dimension.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.fliplr(x)
    tensor([[2, 1],
            [4, 3]])
    """
    if input._a.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip.call((input,), {"dims": (1,)})


@composite(adapt=True, samples=[case((2, 3))])
def flipud(input: Any) -> Any:
    """A copy with the rows in reverse order: `flip` along the first dimension.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.flipud(x)
    tensor([[3, 4],
            [1, 2]])
    """
    if input._a.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip.call((input,), {"dims": (0,)})


@op(
    samples=[
        case((3, 4), shifts=(1,), dims=(0,)),
        case((3, 4), shifts=(-1, 2), dims=(0, 1)),
        case((3, 4), shifts=(5,), dims=None),
    ],
    low="keep",
    fresh=True,
    public="",
)
def roll(input: Any, *, shifts: Any, dims: Any = None) -> Any:
    """A copy shifted along `dims`; what leaves at one end comes in at the other."""
    if dims is None or input.ndim == 0:
        if not input.ndim:
            return input.copy()
        flat = dense.rolled(dense.rows(input).reshape(-1), {0: builtin_sum(shifts)})
        return flat.reshape(input.shape)
    if not input.size:  # PyTorch does not look at the dimensions then
        return input.copy()
    by: dict[int, int] = {}
    for d, shift in zip((axis(d, input.ndim) for d in dims), shifts, strict=True):
        by[d] = by.get(d, 0) + shift
    return dense.rolled(input, by)


roll.shape(on(lambda x, *, shifts, dims=None: [axis(d, x.ndim) for d in dims or () if x.size]))


builtin_sum = sum
roll.vjp(lambda g, _y, _x, *, shifts, dims: roll(g, shifts=tuple(-k for k in shifts), dims=dims))


@composite(adapt=True, name="roll", samples=[case((2, 3), 1), case((2, 3), [1, -1], [0, 1])])
def public_roll(input: Any, shifts: Any, dims: Any = ()) -> Any:
    """A copy shifted by `shifts` positions; what leaves at one end comes in at the other.

    `dims`: along which dimensions, one shift for each; without it the flattened tensor is shifted,
    in its shape.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.roll(x, 1)
    tensor([[4, 1],
            [2, 3]])
    >>> torch.roll(x, 1, 0)
    tensor([[3, 4],
            [1, 2]])
    """
    if input._a.ndim == 0 and dims is not None and dims != ():
        raise IndexError(
            f"Dimension specified as {dims if isinstance(dims, int) else dims[0]} but tensor has "
            "no dimensions"
        )
    shift = (shifts,) if isinstance(shifts, int) else tuple(int(k) for k in shifts)
    over = (dims,) if isinstance(dims, int) else tuple(dims or ())
    if not over and len(shift) == 1:
        return roll.call((input,), {"shifts": shift, "dims": None})
    if not shift:
        raise RuntimeError("`shifts` required")
    if len(shift) != len(over):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shift)}, dims:{len(over)}"
        )
    return roll.call((input,), {"shifts": shift, "dims": over})


@composite(adapt=True, samples=[case((2, 3)), case((2, 3), 2, [0, 1])])
def rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    """A copy turned by `k` quarters of a circle in the plane of two dimensions, from the first of
    them towards the second.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.rot90(x)
    tensor([[2, 4],
            [1, 3]])
    >>> torch.rot90(x, 2)
    tensor([[4, 3],
            [2, 1]])
    """
    if not hasattr(k, "__index__"):
        raise TypeError(
            f"rot90(): argument 'k' (position 2) must be int, not {type(k).__name__}"
        )
    n = input._a.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    a, b = axis(dims[0], n), axis(dims[1], n)
    if a == b:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return flip.call((input,), {"dims": (a, b)})
    if k == 1:
        return flip.call((input,), {"dims": (b,)}).transpose(a, b)
    return flip.call((input,), {"dims": (a,)}).transpose(a, b)


# -- repeating -----------------------------------------------------------------------------------


@op(
    samples=[
        case((3, 4), repeats=(2, 1)),
        case((3,), repeats=(2, 3)),
        case((2, 3), repeats=(2, 1, 2)),
    ],
    low="keep",
    fresh=True,
    public="",
    errors=[error(RuntimeError, "Number of dimensions of repeat dims", (3, 4), repeats=(2,))],
)
def repeat(input: Any, *, repeats: Any) -> Any:
    """Copies side by side along each dimension."""
    check_repeats(input, repeats)
    shape = (1,) * (len(repeats) - input.ndim) + input.shape
    many = np.empty([k for pair in zip(repeats, shape, strict=True) for k in pair], input.dtype)
    apart = input.reshape([k for n in shape for k in (1, n)])
    dense.copy_into(many, np.broadcast_to(apart, many.shape))
    return many.reshape([n * r for n, r in zip(shape, repeats, strict=True)])


repeat.shape(repeated)


@repeat.vjp
def _(g: Any, _y: Any, _x: Any, *, repeats: Any, shapes: Any) -> Any:
    from ..reduce.sums import sum

    shape = (1,) * (len(repeats) - len(shapes[0])) + tuple(shapes[0])
    if 0 in g.shape:
        return (
            g.reshape((-1,))[:0].reshape(shapes[0])
            if 0 in shapes[0]
            else sum(g, dim=None) + zeros(g, shapes[0])
        )
    split = tuple(n for r, k in zip(repeats, shape, strict=True) for n in (r, k))
    return (
        sum(g.reshape(split), dim=tuple(range(0, 2 * len(shape), 2)) or None).reshape(shapes[0])
        if shape
        else g
    )


def zeros(like: Any, shape: Any) -> Any:
    return np.zeros(shape, like.dtype) if isinstance(like, np.ndarray) else like.new_zeros(shape)


@composite(public="Tensor", name="repeat", samples=[case((2, 3), 2, 1), case((3,), [2, 2])])
def repeat_method(input: Any, *repeats: Any, **kw: Any) -> Any:
    """Copies side by side: `repeats[i]` of them along dimension i.

    More numbers than dimensions add dimensions in front. The memory is multiplied; `expand` gives a
    view instead.

    >>> x = torch.tensor([[1, 2]])
    >>> x.repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    if not repeats and not kw:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    return repeat.call(
        (input,), {"repeats": sizes(named(repeats, kw, "repeats"), "repeat", "repeats")}
    )


def tiled(input: Any, dims: tuple[int, ...]) -> Any:
    missing = input._a.ndim - len(dims)
    return repeat.call((input,), {"repeats": (1,) * missing + dims if missing > 0 else dims})


@composite(adapt=True, public="torch", samples=[case((2, 3), [2]), case((3,), [2, 2])])
def tile(input: Any, dims: Any) -> Any:
    """Copies side by side, `dims[i]` along dimension i; missing leading numbers are 1, as NumPy's.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.tile(x, (2,))
    tensor([[1, 2, 1, 2]])
    >>> torch.tile(x, (2, 1))
    tensor([[1, 2],
            [1, 2]])
    """
    return tiled(input, sizes((dims,), "tile", "dims"))


@composite(public="Tensor", name="tile", samples=[case((2, 3), 2), case((3,), [2, 2])])
def tile_method(input: Any, *dims: Any, **kw: Any) -> Any:
    """Copies side by side, `dims[i]` along dimension i; missing leading numbers are 1, as NumPy's.

    >>> torch.tensor([1, 2]).tile(2)
    tensor([1, 2, 1, 2])
    """
    if not dims and not kw:
        raise TypeError('tile() missing 1 required positional arguments: "dims"')
    return tiled(input, sizes(named(dims, kw, "dims"), "tile", "dims"))


COUNTS = Accepted("int long: repeat_interleave_cpu")


@op(
    samples=[
        case((3, 4), arr((3,), 0, 3, "int64"), dim=0),
        case((3, 4), arr((1,), 2, 3, "int64"), dim=1),
    ],
    low="keep",
    fresh=True,
    public="",
    node="RepeatInterleaveBackward0",
    data_dependent=True,
)
def interleave(input: Any, repeats: Any, *, dim: int, output_size: int | None = None) -> Any:
    """Each position along `dim` as often as `repeats` says."""
    if repeats.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    d = axis(dim, input.ndim)
    if repeats.size not in (1, input.shape[d]):
        raise RuntimeError(
            message(
                "repeats must have the same size as input along dim",
                f"repeats.size(0) = {repeats.size}, input.size({d}) = {input.shape[d]}",
            )
        )
    COUNTS.check_array(repeats.dtype)
    if repeats.size and int(repeats.min()) < 0:
        raise RuntimeError("repeats can not be negative")
    return np.repeat(input, repeats.reshape(-1), axis=d)


def interleaved(x: Any, repeats: Any, *, dim: int, output_size: int | None = None) -> MetaArray:
    """The shape of repeated positions, if their number is known."""
    d = axis(dim, x.ndim)
    if output_size is None:
        if repeats.__class__ is MetaArray:
            raise DependsOnData(depends_on_data("repeat_interleave"))
        output_size = int(repeats.sum()) * (x.shape[d] if repeats.size == 1 else 1)
    return MetaArray((*x.shape[:d], output_size, *x.shape[d + 1 :]), x.dtype)


interleave.shape(interleaved)


@op(
    samples=[case((6, 4), arr((1,), 2, 3, "int64"), shape=(3, 4), dim=0)],
    fresh=True,
    public="",
)
def interleave_sum(grad: Any, repeats: Any, *, shape: Any, dim: int) -> Any:
    """Sums of the runs that `interleave` made."""
    d = dim % len(shape)
    owner = np.repeat(
        np.arange(shape[d]),
        repeats.reshape(-1) if repeats.size != 1 else int(repeats.reshape(-1)[0]),
    )
    return sums.slices_summed(tuple(shape), owner, grad, d)


interleave_sum.shape(given)


interleave.vjp(
    lambda g, _y, _x, repeats, *, dim, shapes: interleave_sum(g, repeats, shape=shapes[0], dim=dim),
    None,
)
interleave_sum.vjp(lambda g, _y, _g, repeats, *, dim: interleave(g, repeats, dim=dim), None)


def check_counts(n: Any) -> None:
    """Raise PyTorch's errors unless these are counts of repetitions."""
    COUNTS.check_array(n.dtype)
    if n.ndim != 1:
        raise RuntimeError(
            message("repeat_interleave only accept 1D vector as repeat", f"{n.ndim} dimensions")
        )
    if n.size and n.min() < 0:
        raise RuntimeError("repeats can not be negative")


def repeated_places(repeats: Any, output_size: int | None) -> Any:
    """Each place of `repeats` as often as it says."""
    need_tensor("repeat_interleave", repeats, 1, "repeats")
    n = repeats._a
    if n.__class__ is MetaArray:
        raise DependsOnData(depends_on_data("repeat_interleave"))
    check_counts(n)
    if output_size is not None and int(n.sum()) != output_size:
        raise RuntimeError("allocated size does not match required size")
    return door.wrap(np.repeat(np.arange(n.size, dtype=n.dtype), n))


@composite(
    adapt=True,
    public="torch",
    samples=[
        case((3, 2), 2),
        case((3, 2), 2, 0),
        case((3, 2), values([1, 0, 2]), 0, output_size=3),
    ],
)
def repeat_interleave(
    input: Any = None, repeats: Any = None, dim: int | None = None, *,
    output_size: int | None = None,
) -> Any:  # fmt: skip
    """Each element (or each slice along `dim`) as often as `repeats` says, next to each other.

    `repeats` is a number or a 1-d tensor with one for each position. Without `dim` the tensor is
    flattened. `output_size`, if known, saves adding them up. With `repeats` alone: its own places,
    each as often as it says.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.repeat_interleave(x, 2)
    tensor([1, 1, 2, 2, 3, 3, 4, 4])
    >>> torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])
    """
    if dim is None and (input is None or repeats is None):
        return repeated_places(input if repeats is None else repeats, output_size)
    return each_repeated(input, repeats, dim, output_size=output_size)


@composite(public="Tensor", name="repeat_interleave", samples=[case((3, 2), 2)])
def each_repeated(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Each element (or each slice along `dim`) as often as `repeats` says, next to each other.

    `repeats` is a number or a 1-d tensor with one for each position. Without `dim` the tensor is
    flattened. `output_size`, if known, saves adding the repeats up.

    >>> torch.tensor([1, 2]).repeat_interleave(2)
    tensor([1, 1, 2, 2])
    """
    need_tensor("repeat_interleave", input)
    if not isinstance(repeats, TensorBase):
        if repeats.__class__ is bool or not hasattr(repeats, "__index__"):
            raise TypeError(
                message(
                    "repeat_interleave() received an invalid combination of arguments",
                    got=f"repeats: {type(repeats).__name__}",
                    wanted="a whole number or a tensor of them",
                )
            )
        given = input._a
        if output_size is None and given.__class__ is not np.ndarray:
            # of a tensor without numbers, which one number tells where a tensor of it would not
            n = given.size if dim is None or not given.ndim else given.shape[axis(dim, given.ndim)]
            output_size = n * int(repeats)
        repeats = door.wrap(np.asarray(repeats, np.int64).reshape(-1))
    if dim is not None and not input._a.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    x = input.reshape(-1) if dim is None else input
    kw = {"dim": 0 if dim is None else dim, "output_size": output_size}
    out = interleave.call((x, repeats), kw)
    if output_size is not None and out._a.shape[0 if dim is None else dim] != output_size:
        raise RuntimeError("allocated size does not match required size")
    return out
