"""Parts along a dimension: narrow, split, chunk, tensor_split and their relatives.

The records of views are in `views.py`; view and its like in `public.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door, specialize
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import axis
from ...layout import contiguous_format
from ..core.arguments import whole
from ..core.composite import composite
from ..core.samples import case
from . import views as s

# -- parts ---------------------------------------------------------------------------------------


@composite(adapt=True, samples=[case((3, 4), 1, 1, 2)])
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """A view of `length` positions of `dim`, from `start` on: x[start : start + length].

    `start` may be negative, or a 0-d tensor of integers. RuntimeError if it reaches beyond the end.

    >>> x = torch.arange(5)
    >>> torch.narrow(x, 0, 1, 3)
    tensor([1, 2, 3])
    """
    if input._a.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, TensorBase):
        if start._a.ndim or start._a.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = start.item()  # type: ignore[attr-defined]
    d = axis(dim, input._a.ndim)
    n = input._a.shape[d]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -n <= start <= n:
        raise IndexError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
        )
    first = start + n if start < 0 else start
    if first > n - length:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return door.apply(
        s.slice_, (input,), {"dim": d, "start": first, "end": first + length, "step": 1}
    )


@composite(adapt=True, samples=[case((3, 4), 1, 1, 2)])
def narrow_copy(input: Any, dim: int, start: Any, length: int) -> Any:
    """`narrow` as a copy: `length` positions of `dim` from `start` on, with memory of their own.

    >>> x = torch.arange(5)
    >>> torch.narrow_copy(x, 0, 1, 3)
    tensor([1, 2, 3])
    """
    return narrow(input, dim, start, length).clone(memory_format=contiguous_format)


@composite(
    adapt=True,
    public="Tensor",
    name="split",
    samples=[case((5, 2), 2), case((5, 2), [1, 4])],
)
def split_method(input: Any, split_size: Any, dim: int = 0) -> Any:
    """Views along `dim` of `split_size` positions each (the last may be smaller), as a tuple.

    A list gives the size of each part; the sizes must add up to the dimension's.

    >>> x = torch.arange(5)
    >>> x.split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> x.split([1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if isinstance(split_size, (tuple, list)):
        split_size = tuple(int(n) for n in split_size)
    elif split_size.__class__ is not int:
        split_size = whole(split_size, "split", "split_size")
    if input._a.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    return door.apply(s.split, (input,), {"split_size": split_size, "dim": dim})


@composite(
    adapt=True,
    public="torch",
    name="split",
    samples=[case((5, 2), 2), case((2, 5), [1, 4], 1)],
)
def split_function(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views along `dim` of so many positions each (the last may be smaller), as a tuple.

    A list as `split_size_or_sections` gives the size of each part; the sizes must add up to the
    dimension's.

    >>> x = torch.arange(5)
    >>> torch.split(x, 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.split(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    return split_method(tensor, split_size_or_sections, dim)


@composite(adapt=True, samples=[case((5, 2), [1, 4])])
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Views of the given sizes along `dim`, as a tuple; the sizes must add up to the dimension's.

    >>> x = torch.arange(5)
    >>> torch.split_with_sizes(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    return split_method(input, tuple(split_sizes), dim)


@composite(adapt=True, samples=[case((5, 2), 2)])
def unsafe_split(input: Any, split_size: int, dim: int = 0) -> Any:
    """`split`, of which the parts may be changed in place: autograd does not take them for views.

    >>> x = torch.arange(5)
    >>> torch.unsafe_split(x, 3)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    return parted(split_method(input, split_size, dim))


@composite(adapt=True, samples=[case((5, 2), [1, 4])])
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    """`split_with_sizes`, of which the parts may be changed in place.

    >>> x = torch.arange(5)
    >>> torch.unsafe_split_with_sizes(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    return parted(split_with_sizes(input, split_sizes, dim))


@composite(adapt=True, samples=[case((5, 2), 3), case((2, 4), 2, 1)])
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """`chunk`, of which the parts may be changed in place: autograd does not take them for views.

    >>> x = torch.arange(5)
    >>> torch.unsafe_chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    return parted(chunk(input, chunks, dim))


def parted(outs: Any) -> Any:
    """Parts of a tensor, each with versions of its own."""
    for y in outs:
        y._v = y._vc = None
    return outs


@composite(adapt=True, samples=[case((5, 2), 3), case((2, 4), 2, 1)])
def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """At most `chunks` views of equal size along `dim`, as a tuple; the last may be smaller.

    Each has ceil(n / chunks) positions, so there may be fewer than `chunks`; `tensor_split` gives
    exactly as many as asked for.

    >>> x = torch.arange(5)
    >>> torch.chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    >>> len(torch.chunk(x, 4))
    3
    """
    if input._a.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._a.shape[axis(dim, input._a.ndim)]
    size = (n + chunks - 1) // chunks
    if size == 0:
        return split_method(input, [0] * chunks, dim)
    if input.__class__ in specialize.plain:
        return door.apply(s.split, (input,), {"split_size": size, "dim": dim})
    return split_method(input, size, dim)  # which observers and other classes are told of


WHERE = {
    "sections": "indices_or_sections",
    "indices": "indices_or_sections",
    "tensor_indices_or_sections": "indices_or_sections",
}


@composite(words=WHERE, samples=[case((5, 2), 3), case((5, 2), [1, 3])])
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """Views along `dim`: n nearly equal parts, or cut before each of the given indices.

    The first n % parts are one longer. Indices are a list or a 1-d int64 tensor; a part between
    equal indices is empty.

    >>> x = torch.arange(7)
    >>> torch.tensor_split(x, 3)
    (tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6]))
    >>> torch.tensor_split(x, (1, 5))
    (tensor([0]), tensor([1, 2, 3, 4]), tensor([5, 6]))
    """
    if input._a.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    d = axis(dim, input._a.ndim)
    n = input._a.shape[d]
    where = indices_or_sections
    if isinstance(where, TensorBase):
        told = "tensor_split expected tensor_indices_or_sections to"
        if where._a.dtype != np.int64:
            kind = type_name(dtypes.from_numpy(where._a.dtype))
            raise RuntimeError(f"{told} have dtype of long, but got {kind}")
        if where._a.ndim > 1:
            raise RuntimeError(
                f"{told} be a zero-dimensional or one-dimensional tensor, but got a tensor with "
                f"{where._a.ndim} dims"
            )
        where = where.tolist()  # type: ignore[attr-defined]
    if isinstance(where, (tuple, list)):
        cuts = [0, *[int(i) for i in where], n]
    else:
        k = int(where)
        if k <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {k}")
        small, more = divmod(n, k)
        cuts = [0]
        for i in range(k):
            cuts.append(cuts[-1] + small + (i < more))
    return tuple(
        door.apply(
            s.slice_, (input,), {"dim": d, "start": a, "end": None if last else b, "step": 1}
        )
        for a, b, last in [(cuts[i], cuts[i + 1], i == len(cuts) - 2) for i in range(len(cuts) - 1)]
    )


def directional(name: str, need: int, choose: Any) -> Any:
    def fn(input: Any, indices_or_sections: Any, *more: int) -> Any:
        n = input._a.ndim
        if more:  # x.hsplit(1, 3)
            indices_or_sections = (indices_or_sections, *more)
        if n < need:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {need} dimension, but got a tensor "
                f"with {n} dimensions!"
            )
        d = choose(n)
        if isinstance(indices_or_sections, str):
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got (Tensor, str)"
            )
        if isinstance(indices_or_sections, int) and (
            indices_or_sections == 0 or input._a.shape[d] % indices_or_sections
        ):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {d}, but the size of the "
                f"dimension {input._a.shape[d]} is "
                f"not divisible by the split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, d)

    fn.__name__ = name
    sizes = ["4"] * 3
    sizes[choose(3)] = "2"
    which = f"dimension {choose(3)}" + (", of vectors along dimension 0" if need == 1 else "")
    fn.__doc__ = f"""Views along {which}: in n equal parts, or cut before each given index.

    `tensor_split` of tensors with at least {need} dimension{"s" if need > 1 else ""}, but n must
    divide the size.

    >>> x = torch.zeros(4, 4, 4)
    >>> [part.shape for part in torch.{name}(x, 2)]
    [torch.Size([{", ".join(sizes)}]), torch.Size([{", ".join(sizes)}])]
    """
    shape = (4, 4, 4)[: max(need, 2)]
    return composite(fn, words=WHERE, samples=[case(shape, 2), case(shape, [1, 3])])


hsplit = directional("hsplit", 1, lambda n: 0 if n == 1 else 1)
vsplit = directional("vsplit", 2, lambda n: 0)
dsplit = directional("dsplit", 3, lambda n: 2)
