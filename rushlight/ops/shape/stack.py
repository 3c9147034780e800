"""Stacks, grids, diagonals, and copies of which a part is replaced.

Repeats and reorderings are in `reorder.py`; views in `public.py`; cat in `views.py`.
"""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, door, views
from ...autograd.node import TensorBase
from ...device import META, refuse_pinned, usable
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ..core.arguments import need_gradients, need_tensor, number
from ..core.composite import composite
from ..core.samples import case
from ..create.arguments import in_layout
from . import views as s
from .join import copy_with_gaps

builtin_sum = sum

# -- stacks --------------------------------------------------------------------------------------


def listed(tensors: Any, name: str) -> tuple[Any, ...]:
    """A sequence of tensors, checked."""
    if isinstance(tensors, TensorBase) or not hasattr(tensors, "__iter__"):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    found = tuple(tensors)
    for i, t in enumerate(found):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
    if not found:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return found


def at_least(t: Any, n: int) -> Any:
    k = t._a.ndim
    shape = tuple(t._a.shape)
    if k >= n:
        return t
    if n == 1:
        return t.reshape(1)
    if n == 2:
        return t.reshape((1, *shape) if k else (1, 1))
    return t.reshape({0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[k])


def at_least_face(n: int) -> Any:
    def fn(*tensors: Any) -> Any:
        if len(tensors) == 1:
            if isinstance(tensors[0], TensorBase):
                return at_least(tensors[0], n)
            tensors = listed(tensors[0], f"atleast_{n}d")
        return tuple(at_least(t, n) for t in (listed(tensors, fn.__name__) if tensors else ()))

    fn.__name__ = f"atleast_{n}d"
    fn.__doc__ = f"""Tensors as views with at least {n} dimension{'s' if n > 1 else ''}.

    One tensor gives a tensor; several, or a list of them, a tuple.

    >>> torch.atleast_{n}d(torch.tensor([1, 2])).shape
    torch.Size({ {1: [2], 2: [1, 2], 3: [1, 2, 1]}[n] })
    """
    return composite(fn, public="torch", samples=[case(()), case((3,)), case((2, 3), ())])


atleast_1d, atleast_2d, atleast_3d = at_least_face(1), at_least_face(2), at_least_face(3)


@composite(adapt=True, public="torch", samples=[case([(2, 3), (2, 1)])])
def hstack(tensors: Any) -> Any:
    """Tensors side by side: along the second dimension, vectors along the first.

    >>> torch.hstack((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    >>> torch.hstack((torch.tensor([[1], [2]]), torch.tensor([[3], [4]])))
    tensor([[1, 3],
            [2, 4]])
    """
    parts = [at_least(t, 1) for t in listed(tensors, "hstack")]
    return s.cat.call(tuple(parts), {"dim": 0 if parts[0]._a.ndim == 1 else 1})


@composite(adapt=True, public="torch", aliases="row_stack", samples=[case([(3,), (2, 3)])])
def vstack(tensors: Any) -> Any:
    """Tensors one below the other, along the first dimension; vectors are rows.

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 2],
            [3, 4],
            [5, 6]])
    """
    return s.cat.call(tuple(at_least(t, 2) for t in listed(tensors, "vstack")), {"dim": 0})


@composite(adapt=True, public="torch", samples=[case([(2, 3), (2, 3)])])
def dstack(tensors: Any) -> Any:
    """Tensors behind one another, along the third dimension; (n,) counts as (1, n, 1), (m, n) as
    (m, n, 1).

    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[[1, 3],
             [2, 4]]])
    """
    return s.cat.call(tuple(at_least(t, 3) for t in listed(tensors, "dstack")), {"dim": 2})


@composite(adapt=True, public="torch", samples=[case([(2,), (2, 3)])])
def column_stack(tensors: Any) -> Any:
    """Tensors side by side, along the second dimension; vectors are columns.

    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
    parts = [t.reshape(-1, 1) if t._a.ndim <= 1 else t for t in listed(tensors, "column_stack")]
    return s.cat.call(tuple(parts), {"dim": 1})


# -- grids ---------------------------------------------------------------------------------------


@composite(
    public="torch",
    samples=[case((2,), (3,), indexing="ij"), case((2,), (3,), indexing="xy")],
)
def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    """Coordinate grids of 1-d tensors: one for each, all of the same shape, as views.

    Of sizes n and m: with `indexing="ij"` the grids are (n, m), and the first varies along the
    rows; with "xy", as in plots, (m, n). PyTorch's default is "ij", with a warning.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> x
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> y
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for i, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        import warnings

        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument.",
            UserWarning,
            stacklevel=3,
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for t in tensors:
        if t._a.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: shape "
                f"{tuple(t._a.shape)}"
            )
    if any(t._a.dtype != tensors[0]._a.dtype for t in tensors):
        raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if any(t.device != tensors[0].device for t in tensors):
        raise RuntimeError("torch.meshgrid expects all tensors to have the same device")
    sizes = [t._a.size for t in tensors]
    places = list(range(len(sizes)))
    if indexing == "xy" and len(sizes) > 1:
        places[0], places[1] = 1, 0
    shape = tuple(sizes[k] for k in places)
    out = []
    for t, k in zip(tensors, places, strict=True):
        view = [1] * len(shape)
        view[k] = shape[k]
        out.append(t.reshape(view).expand(shape))
    return tuple(out)


@composite(public="torch", samples=[case((2,), (3,))])
def cartesian_prod(*tensors: Any) -> Any:
    """All combinations of one element of each 1-d tensor, one a row: (n1 * n2 * ..., k).

    Of one tensor: the tensor itself.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for i, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise s.stack.not_a_tensor(i, t)
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(
                message(f"Expect a 1D vector, but got shape {list(t.shape)}", wanted="vectors")
            )
    if len(tensors) == 1:
        return tensors[0]
    return s.stack.call(tuple(g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")), {"dim": 1})


@composite(adapt=True, public="torch", samples=[case((4,)), case((3,), 2, True)])
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All combinations of `r` elements of a 1-d tensor, one a row, as `itertools.combinations`.

    With `with_replacement=True` an element may stand more than once in a row.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    >>> torch.combinations(torch.tensor([1, 2]), with_replacement=True)
    tensor([[1, 1],
            [1, 2],
            [2, 2]])
    """
    if input._a.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._a.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    n = input._a.shape[0]
    count = math.comb(n + r - 1 if with_replacement and n else n, r)
    if not count or r == 0:
        return input[:0].reshape((0,) if r == 0 else (0, r))
    if count * r > sys.maxsize // 8:
        raise MemoryError(f"{count} rows of {r} indices")
    pick = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = itertools.chain.from_iterable(pick(range(n), r))
    places = np.fromiter(rows, np.int64, count * r)  # which asks for its memory before it begins
    return input[door.wrap(places.reshape(count, r))]


@composite(public="torch", samples=[case((2, 3), (1, 2))])
def block_diag(*tensors: Any) -> Any:
    """A matrix with the given matrices along its diagonal and zeros elsewhere.

    Vectors count as rows, numbers as 1 x 1 matrices.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    parts = []
    for i, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}"
            )
        if t._a.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has "
                f"{t._a.ndim} dimensions"
            )
        parts.append(at_least(t, 2))
    if not parts:
        return door.wrap(np.empty((1, 0), np.float32))
    width = builtin_sum(p._a.shape[1] for p in parts)
    rows, left = [], 0
    for p in parts:
        h, w = p._a.shape
        row = [p.new_zeros(h, left), p, p.new_zeros(h, width - left - w)]
        rows.append(s.cat.call(tuple(row), {"dim": 1}))
        left += w
    return s.cat.call(tuple(rows), {"dim": 0})


# -- diagonals -----------------------------------------------------------------------------------


@composite(adapt=True, samples=[case((2, 3)), case((2, 3), 1, 0, 2)])
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices of zeros that have the last dimension of `input` on a diagonal.

    `input` (*, n), the result (*, k, k) with k = n + |offset|. A positive `offset` is above the
    main diagonal; `dim1` and `dim2` say where the matrices' dimensions stand.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.diag_embed(x)
    tensor([[[1, 0],
             [0, 2]],
    <BLANKLINE>
            [[3, 0],
             [0, 4]]])
    >>> torch.diag_embed(x, offset=1).shape
    torch.Size([2, 3, 3])
    """
    n = input._a.ndim + 1
    a, b = axis(dim1, n), axis(dim2, n)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    k = input._a.shape[-1] + abs(offset)
    lead = list(input._a.shape[:-1])
    shape = []
    for i in range(n):
        shape.append(k if i in (a, b) else lead.pop(0))
    return door.apply(
        s.diagonal_backward,
        (input,),
        {"shape": tuple(shape), "offset": offset, "dim1": a, "dim2": b},
    )


@composite(adapt=True, samples=[case((2, 2)), case((3,), 1)])
def diagflat(input: Any, offset: int = 0) -> Any:
    """A square matrix with all elements of `input` on a diagonal (`offset` above the main one).

    >>> torch.diagflat(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    return diag_embed(input.reshape(-1), offset)


def indices_of(triangle: Any) -> Any:
    def fn(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        layout: Any = None,
        requires_grad: bool = False,
    ) -> Any:
        for place, (argument, n) in enumerate((("row", row), ("col", col), ("offset", offset)), 1):
            if n.__class__ is bool or not hasattr(n, "__index__"):
                raise TypeError(
                    f"{fn.__name__}(): argument '{argument}' (position {place}) must be int, not "
                    f"{type(n).__name__}"
                )
        if pin_memory:
            refuse_pinned(fn.__name__, pin_memory, device)
        if requires_grad:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        if dtype is not None and dtypes.of(dtype) not in (dtypes.int64, dtypes.int32):
            of = type_name(dtypes.of(dtype))
            raise NotImplementedError(
                message(f"\"{fn.__name__}\" not implemented for '{of}'", wanted="int64 or int32")
            )
        if row < 0 or col < 0:
            raise RuntimeError(
                f"{'row' if row < 0 else 'col'} must be non-negative, got {min(row, col)}"
            )
        if layout is not None:
            in_layout(triangle.__name__, layout, ())
        kind = np.int64 if dtype is None else dtypes.of(dtype).np
        got = np.stack(triangle(row, offset, col)).astype(kind)
        if usable(device) is META:
            return door.wrap(MetaArray(got.shape, got.dtype))
        return door.wrap(got)

    fn.__name__ = triangle.__name__.replace("_indices_from", "")
    lower = triangle is np.tril_indices
    side, rows = ("below", [[0, 1, 1], [0, 0, 1]]) if lower else ("above", [[0, 0, 1], [0, 1, 1]])
    fn.__doc__ = f"""The places on and {side} a diagonal of a matrix: (2, n), rows and columns.

    Of a `row` x `col` matrix, row by row; a positive `offset` is a diagonal above the main one.
    int64 unless `dtype` is int32.

    >>> torch.{fn.__name__}(2, 2)
    tensor([{rows[0]},
            {rows[1]}])
    """
    return fn


tril_indices = composite(
    indices_of(np.tril_indices),
    public="torch",
    name="tril_indices",
    samples=[case(3, 4), case(3, 3, -1)],
)
triu_indices = composite(
    indices_of(np.triu_indices),
    public="torch",
    name="triu_indices",
    samples=[case(3, 4), case(3, 3, 1)],
)


@composite(
    public="Tensor",
    name="fill_diagonal_",
    samples=[case((3, 4), 1.5), case((7, 3), 2.0, True)],
)
def fill_diagonal_(input: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Writes one number on the main diagonal, in place.

    For more than two dimensions all sizes must be equal. `wrap`: in a tall matrix the diagonal
    begins again below, one row further down.

    >>> torch.zeros(3, 3).fill_diagonal_(1)
    tensor([[1., 0., 0.],
            [0., 1., 0.],
            [0., 0., 1.]])
    """
    a = input._a
    if a.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    changes.check_inplace(input, "fill_diagonal_")
    value = number(fill_value)
    n = min(a.shape)
    input[tuple(door.wrap(np.arange(n)) for _ in range(a.ndim))] = value
    if wrap and a.ndim == 2 and a.shape[0] > a.shape[1] + 1:
        rows = np.arange(n + 1, a.shape[0])
        rows = rows[(rows % (n + 1)) < n]
        input[door.wrap(rows), door.wrap(rows % (n + 1))] = value
    return input


# -- a changed part of a copy --------------------------------------------------------------------


def copied(t: Any) -> Any:
    """A copy that lies in its memory as the tensor does in its own, with the same gaps."""
    a = t._a
    if a.__class__ is not np.ndarray or a.flags.c_contiguous or views.overlaps_itself(a):
        return t.clone()
    return door.apply(copy_with_gaps, (t,), {})


def scattered(input: Any, src: Any, part: Any, name: str) -> Any:
    need_tensor(f"{name}_scatter", src, 2, "src")
    need_gradients(input, src, "src")
    out = copied(input)
    view = part(out)
    if tuple(view._a.shape) != tuple(src._a.shape):
        raise RuntimeError(
            message(
                f"expected src to have a size equal to the {name} of self. src size = "
                f"{list(src._a.shape)}, {name} size = {list(view._a.shape)}"
            )
        )
    view.copy_(src)
    return out


@composite(adapt=True, samples=[case((3, 4), (4,), 0, 1)])
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """A copy of `input` with `src` at position `index` of `dim`, which `src` does not have.

    >>> x = torch.zeros(2, 3)
    >>> torch.select_scatter(x, torch.tensor([1.0, 2.0]), 1, 0)
    tensor([[1., 0., 0.],
            [2., 0., 0.]])
    """
    return scattered(input, src, lambda t: t.select(dim, index), "slice")


@composite(adapt=True, samples=[case((4, 3), (2, 3), 0, 1, 4, 2)])
def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    """A copy of `input` with `src` at the positions start, start + step, ... before end of `dim`.

    >>> x = torch.zeros(4)
    >>> torch.slice_scatter(x, torch.tensor([1.0, 2.0]), 0, 1, 4, 2)
    tensor([0., 1., 0., 2.])
    """
    kw = {"dim": dim, "start": start, "end": end, "step": step}
    return scattered(input, src, lambda t: door.apply(s.slice_, (t,), kw), "slice")


@composite(adapt=True, samples=[case((3, 3), (3,)), case((3, 4), (3,), 1)])
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy of `input` with `src` on a diagonal; parameters as of `diagonal`.

    >>> x = torch.zeros(2, 2)
    >>> torch.diagonal_scatter(x, torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return scattered(input, src, lambda t: t.diagonal(offset, dim1, dim2), "slice")


@composite(adapt=True, layout=True, samples=[case((3, 4), (2, 2), [2, 2], [1, 4])])
def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None
) -> Any:
    """A copy of `input` with `src` at the places that `as_strided` with these arguments would see.

    >>> x = torch.zeros(2, 3)
    >>> torch.as_strided_scatter(x, torch.tensor([1.0, 2.0]), (2,), (4,))
    tensor([[1., 0., 0.],
            [0., 2., 0.]])
    """
    return scattered(input, src, lambda t: t.as_strided(size, stride, storage_offset), "slice")
