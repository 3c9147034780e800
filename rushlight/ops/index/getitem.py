"""Indexing: `x[key]` for every kind of key.

As in PyTorch, integers, slices, None and `...` are applied first, as views; what remains are index
tensors (integers or masks), which one `index` or `index_put` uses together. `x[key] = value` is in
`setitem.py`; gather, scatter and their like are in `gather.py`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door, specialize, views
from ...autograd.node import TensorBase
from ...autograd.observe import look
from ...errors import message
from ...kernels import dense, places
from ...kernels.elementwise.where import fill
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...kernels.sparse import select as sums
from ..core.numerics import DependsOnData, depends_on_data, in_place_by
from ..core.record import op
from ..core.samples import arr, case
from ..core.shapes import given, same
from ..shape import views as s

rows = arr((2,), 0, 3, "int64")


def numpy_key(indices: Any) -> Any:
    return tuple(slice(None) if i is None else i for i in indices)


def run_index(a: Any, indices: Any) -> Any:
    if len(indices) == 1 and indices[0].dtype.kind == "i" and a.size:
        if (out := few.taken(a, indices[0])) is not None:
            return out
        try:
            return a[indices[0]]
        except IndexError:  # what follows says it in PyTorch's words
            pass
    check_masks(a, indices)
    if not a.size:
        found_shape(a, indices)
    try:
        if indices[0] is not None:
            if len(indices) == 1 and indices[0].dtype.kind == "b" and indices[0].shape == a.shape:
                return places.selected(a, indices[0])
            return a[numpy_key(indices)]
        # behind whole dimensions NumPy puts what it found first in memory; PyTorch lays it in order
        found = [(d, i) for d, i in enumerate(indices) if i is not None]
        if len(found) == 1 and found[0][1].dtype.kind != "b":
            return np.take(a, found[0][1], found[0][0])
        return np.ascontiguousarray(a[numpy_key(indices)])
    except IndexError as error:
        shape = found_shape(a, indices)
        if 0 in shape:
            return np.empty(shape, a.dtype)
        raise index_error(error, a, indices) from None


def found_shape(a: Any, indices: Any) -> tuple[int, ...]:
    """The shape of what is indexed; () where the index tensors do not broadcast.

    Of nothing PyTorch reads nothing, so it does not look whether an index is out of bounds, but for
    an index into a dimension without elements, which is an IndexError."""
    taken: list[Any] = []
    for i in indices:
        taken += i.nonzero() if i is not None and i.dtype.kind == "b" else (i,)
    places = [k for k, i in enumerate(taken) if i is not None]
    try:
        at_once = np.broadcast_shapes(*(taken[k].shape for k in places))
    except ValueError:
        return ()
    if 0 in [a.shape[k] for k in places] and 0 not in at_once:
        raise IndexError("index is out of bounds for dimension with size 0")
    return indexed(a, *taken).shape


def check_masks(a: Any, indices: Any) -> None:
    """PyTorch's error for a mask whose shape does not match."""
    d = 0
    for i in indices:
        if i is not None and i.dtype.kind == "b":
            for k in range(i.ndim):
                if d + k >= a.ndim or i.shape[k] != a.shape[d + k]:
                    raise IndexError(
                        message(
                            f"The shape of the mask {list(i.shape)} at index {k} does not match "
                            f"the shape of the indexed tensor {list(a.shape)} at index {d + k}"
                        )
                    )
            d += i.ndim
        else:
            d += 1


def index_error(error: IndexError, a: Any, indices: Any) -> IndexError:
    """NumPy's error, or a kernel's, in PyTorch's words."""
    text = str(error)
    if "bounds for a table" in text:  # a kernel's, which knows a line of indices alone
        try:
            np.broadcast_to(np.int8(0), a.shape)[numpy_key(indices)]
        except IndexError as said:
            return index_error(said, a, indices)
    found = re.match(r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", text)
    if found:
        i, d, n = found.groups()
        return IndexError(f"index {i} is out of bounds for dimension {d} with size {n}")
    if "broadcast" in text:
        shapes = ", ".join(str(list(i.shape)) for i in indices if i is not None)
        return IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        )
    if "non-empty take from an empty" in text:
        return IndexError("index is out of bounds for dimension with size 0")
    if "too many" in text:
        return IndexError(f"too many indices for tensor of dimension {a.ndim}")
    return error


@op(
    samples=[
        case((3, 4), rows),
        case((3, 4), None, arr((2, 2), 0, 4, "int64")),
        case((3, 4), arr((3, 4), dtype="bool")),
    ],
    public="",
    low="keep",
    fresh=True,
    data_dependent=True,
    optional=range(1, 99),
)
def index(input: Any, *indices: Any) -> Any:
    """Elements at index tensors (None for a whole dimension)."""
    return run_index(input, indices)


def indexed(x: Any, *indices: Any) -> MetaArray:
    """The shape of elements at index tensors; that of elements under a mask is not known."""
    if any(i is not None and i.dtype.kind == "b" for i in indices):
        raise DependsOnData(depends_on_data("index"))
    places = [k for k, i in enumerate(indices) if i is not None]
    if not places:
        return MetaArray(x.shape, x.dtype)
    found = np.broadcast_shapes(*(indices[k].shape for k in places))
    kept = [n for k, n in enumerate(x.shape) if k not in places]
    together = places == list(range(places[0], places[-1] + 1))
    at = places[0] if together else 0
    return MetaArray((*kept[:at], *found, *kept[at:]), x.dtype)


index.shape(indexed)


index.joint(
    lambda g, _y, _x, *indices, shapes: (
        index_backward(g, *indices, shape=shapes[0]),
        *[None] * len(indices),
    )
)


@op(samples=[case((2, 4), rows, shape=(3, 4))], public="", fresh=True)
def index_backward(grad: Any, *indices: Any, shape: Any) -> Any:
    """Zeros of `shape` with `grad` added at the indices (repeated indices add up)."""
    if not grad.size:
        return np.zeros(shape, grad.dtype)
    d, line = along_one(indices)
    if line is not None:
        slices = grad.reshape(*grad.shape[:d], line.size, *shape[d + 1 :])
        return sums.slices_summed(tuple(shape), line, slices, d)
    out = np.zeros(shape, grad.dtype)
    key = numpy_key(indices)
    if all(i is None or i.dtype.kind == "b" for i in indices):
        out[key] = grad
    else:
        np.add.at(out, key, grad)
    return out


def along_one(indices: Any) -> tuple[int, Any]:
    """(the dimension, the indices in one line) where one tensor of integers indexes; else None."""
    places = [k for k, i in enumerate(indices) if i is not None]
    if len(places) != 1 or indices[places[0]].dtype.kind == "b":
        return 0, None
    return places[0], indices[places[0]].reshape(-1)


index_backward.shape(given)


index_backward.joint(lambda g, _y, _grad, *indices: (index(g, *indices), *[None] * len(indices)))


@op(
    samples=[case((3, 4), (2, 4), arr((2,), 0, 1, "int64"), accumulate=True)],
    public="",
    low="keep",
    fresh=True,
    optional=range(2, 99),
)
def index_put(input: Any, value: Any, *indices: Any, accumulate: bool = False) -> Any:
    """A copy with `value` at the indices (added there when `accumulate`)."""
    return put_into(dense.copied(input), value, indices, accumulate)


def index_put_over(input: Any, value: Any, *indices: Any, accumulate: bool = False) -> None:
    """`index_put` in memory that may be written to."""
    put_into(input, value, indices, accumulate)


in_place_by(index_put, index_put_over, indices=range(2, 99), strided=True)


def put_into(out: Any, value: Any, indices: tuple[Any, ...], accumulate: bool) -> Any:
    """Write (or add) `value` at the indices of an array; nothing is written when it raises."""
    key = numpy_key(indices)
    check_masks(out, indices)
    value = value.astype(out.dtype, copy=False)
    if value.size == 1 and not accumulate and len(indices) == 1:
        mask = indices[0]
        if mask is not None and mask.dtype.kind == "b":
            over = mask.reshape(mask.shape + (1,) * (out.ndim - mask.ndim))
            fill(out, over, value.reshape(()))
            return out
    try:
        d, line = along_one(indices) if accumulate else (0, None)
        if line is not None and indices[d].ndim == 1:
            sums.add_slices(out, line, value, d)
        elif accumulate:
            np.add.at(out, key, value)
        else:
            out[key] = value
    except IndexError as error:
        found = found_shape(out, indices)
        if 0 not in found:
            raise index_error(error, out, indices) from None
        put_into(np.empty(found, out.dtype), value, (None,), accumulate)  # looks at its shape
    except (TypeError, ValueError):
        target = found_shape(out, indices)
        more = value.ndim - len(target)
        if more > 0 and value.shape[:more] == (1,) * more:  # which NumPy drops but under masks
            value = value.reshape(value.shape[more:])
            return put_into(out, value, indices, accumulate)
        raise RuntimeError(
            message(
                f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast "
                f"to indexing result of shape {list(target)}"
            )
        ) from None
    return out


index_put.shape(same)


@index_put.joint
def _(
    g: Any, _y: Any, _input: Any, _value: Any, *indices: Any, accumulate: bool, needs: Any
) -> Any:
    kept = g if accumulate else erased(g, indices)
    return (
        kept if needs[0] else None,
        index(g, *indices) if needs[1] else None,
        *[None] * len(indices),
    )


def erased(g: Any, indices: Any) -> Any:
    """The gradient with zeros at the indices."""
    zero = np.zeros((), g.dtype) if isinstance(g, np.ndarray) else g.new_zeros(())
    return index_put(g, zero, *indices)


# -- keys ----------------------------------------------------------------------------------------


def split_key(t: Any, key: Any) -> tuple[Any, list[Any]]:
    """Apply the view parts of a key; returns the view and the index tensors that remain."""
    if key.__class__ is not tuple:
        key = tuple(key) if means_tuple(key) else (key,)
    taken = 0
    for k in key:
        taken += 1 if k.__class__ is int or k.__class__ is slice else consumed(k)
    if taken > t._a.ndim:
        raise IndexError(f"too many indices for tensor of dimension {t._a.ndim}")
    dim = 0
    tensors: list[Any] = []
    picked = 0  # dimensions that are gone, which errors count
    for k in key:
        kind = k.__class__
        if kind is int:
            t = pick(t, dim, k, picked)
            picked += 1
        elif kind is slice:
            start, stop, step = k.start, k.stop, k.step
            if start is not None or stop is not None or step is not None:
                start, stop, step = bound(start), bound(stop), bound(step)
                if step is not None and step <= 0:
                    hint = f"x.flip({dim})" if step < 0 else None
                    raise ValueError(message("step must be greater than zero", hint=hint))
                t = door.apply(
                    s.slice_, (t,), {"dim": dim, "start": start, "end": stop, "step": step or 1}
                )
            dim += 1
        elif k is Ellipsis:
            skip = t._a.ndim - dim - remaining(key, k)
            dim += skip
        elif k is None:
            t = door.apply(s.unsqueeze, (t,), {"dim": dim})
            dim += 1
        else:
            i = as_index(k)
            if i.ndim == 0 and isinstance(k, TensorBase):
                look("an index")
            if i.ndim == 0 and i.dtype.kind in "iu" and not any([hides(k) for hides in hiding]):
                t = pick(t, dim, int(i), picked)
                picked += 1
                continue
            if i.ndim == 0 and i.dtype.kind == "b":  # a new dimension of size 1 or 0
                t = door.apply(s.unsqueeze, (t,), {"dim": dim})
                i = i.copy().reshape(1)  # later changes of the mask do not count, as in PyTorch
            tensors += [None] * (dim - len(tensors))
            tensors.append(
                k if isinstance(k, TensorBase) and i is k._a else i
            )  # its changes are noticed
            dim += i.ndim if i.dtype.kind == "b" else 1
            if i.dtype.kind == "b":
                tensors += [_SKIP] * (i.ndim - 1)
    return t, [i for i in tensors if i is not _SKIP]


# vmap puts a function here: whether an index of no dimensions has another number in each slice, so
# that it is a tensor like any other, and not a number that picks a view.
hiding: list[Any] = []
_SKIP = object()
SEQUENCES = (list, tuple, range, str, np.ndarray)


def means_tuple(key: Any) -> bool:
    """Whether a list stands for a tuple of indices, NumPy's old rule that PyTorch keeps: one that
    is short and has sequences, tensors, slices, None or `...` in it."""
    if not isinstance(key, (list, range)) or len(key) >= 32:
        return False
    for k in key:
        if k is None or k is Ellipsis or isinstance(k, (TensorBase, slice, *SEQUENCES)):
            return True
    return False


def consumed(k: Any) -> int:
    """How many dimensions a part of a key takes."""
    if k is None or k is Ellipsis or k.__class__ is bool:
        return 0
    if isinstance(k, TensorBase):
        return k._a.ndim if k._a.dtype.kind == "b" or k._a.dtype == np.uint8 else 1
    if isinstance(k, np.ndarray) and k.dtype.kind == "b":
        return k.ndim
    if isinstance(k, list) and k and isinstance(k[0], (bool, list)):
        return as_index(k).ndim if as_index(k).dtype.kind == "b" else 1
    return 1


def remaining(key: Any, ellipsis: Any) -> int:
    """Dimensions taken by what stands after the ellipsis; one more counts as whole slices."""
    place = next(i for i, k in enumerate(key) if k is ellipsis)
    return sum(consumed(k) for k in key[place + 1 :])


def pick(t: Any, dim: int, i: int, before: int = 0) -> Any:
    n = t._a.shape[dim] if dim < t._a.ndim else None
    if n is None:
        if t._a.ndim == 0:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {t._a.ndim}")
    if not -n <= i < n:
        at = dim + before
        raise IndexError(f"index {i} is out of bounds for dimension {at} with size {n}")
    return door.apply(s.select, (t,), {"dim": dim, "index": i})


def bound(b: Any) -> Any:
    try:
        return None if b is None else b.__index__()
    except AttributeError:
        raise TypeError(
            "slice indices must be integers or None or have an __index__ method"
        ) from None


def as_index(k: Any) -> Any:
    """An index tensor as an array of int64 or bool."""
    if isinstance(k, TensorBase):
        a = k._a
        if a.dtype == np.uint8:
            import warnings

            from ...once import users_level

            warnings.warn(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
                "instead.",
                UserWarning,
                stacklevel=users_level(),
            )
            return a.astype(bool)
        if a.dtype.kind not in "iub":
            raise IndexError(
                message(
                    "tensors used as indices must be long, int, byte or bool tensors",
                    got=str(dtypes.from_numpy(a.dtype)),
                    hint="index.long(), or a comparison such as x > 0 for a mask",
                )
            )
        return a
    if hasattr(k, "__index__") and not isinstance(k, (bool, np.ndarray)):
        return np.asarray(k.__index__())
    if isinstance(k, (list, tuple, range)):
        k = [x.tolist() if isinstance(x, TensorBase) else x for x in k]  # type: ignore[attr-defined]
        a = np.asarray(k)
        if a.size == 0 or a.dtype.kind == "f":
            a = a.astype(np.int64)
    else:
        a = np.asarray(k)
    if a.dtype.kind not in "iub":
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {type(k).__name__})"
        )
    return a


def as_tensor(i: Any) -> Any:
    return i if i is None or isinstance(i, TensorBase) else door.wrap(i)


def getitem(t: Any, key: Any) -> Any:
    """`t[key]`."""
    kind = key.__class__
    if kind is int:
        return pick(t, 0, key)
    if kind is tuple or key is None or key is Ellipsis:
        made = view_at(t, key if kind is tuple else (key,))
        if made is not None:
            return made
    elif by_tensor(t, key):
        return door.apply(index, (t, key), {})
    view, indices = split_key(t, key)
    if indices:
        return door.apply(index, (view, *[as_tensor(i) for i in indices]), {})
    if view is t:  # x[...] and x[:] are new views too
        return (
            door.apply(s.slice_, (t,), {"dim": 0, "start": None, "end": None, "step": 1})
            if t._a.ndim
            else door.apply(s.view_as_shape, (t,), {"shape": ()})
        )
    return view


def by_tensor(t: Any, key: Any) -> bool:
    """Whether a key is a plain tensor, of integers or a mask, that needs no view of `t`."""
    if key.__class__ not in specialize.plain:
        return False
    i = key._a
    if i.__class__ is not np.ndarray or not i.ndim or i.dtype.char not in "l?":
        return False
    return t._a.ndim >= (i.ndim if i.dtype.char == "?" else 1)  # type: ignore[no-any-return]


def view_at(t: Any, key: tuple[Any, ...]) -> Any:
    """`t[key]` for a plain tensor and a key of ints, slices, None and `...`, found by NumPy at
    once; None for others, and for what is wrong: `split_key` says it."""
    if t.__class__ not in specialize.plain or t._a.__class__ is not np.ndarray:
        return None
    if t._v is not None and t._v.seen != t._vc.count:  # with a history to be derived first
        return None
    a = t._a
    chain: list[Any] = []
    dim, open_at = 0, None
    for i, k in enumerate(key):
        kind = k.__class__
        if kind is int:
            chain.append((s.select, {"dim": dim, "index": k}, None))
        elif kind is slice:
            start, end, step = k.start, k.stop, k.step
            if not (
                (start is None or start.__class__ is int)
                and (end is None or end.__class__ is int)
                and (step is None or (step.__class__ is int and step > 0))
            ):
                return None
            if not (start is end is step is None):
                kw = {"dim": dim, "start": start, "end": end, "step": step or 1}
                chain.append((s.slice_, kw, None))
            dim += 1
        elif k is None:
            chain.append((s.unsqueeze, {"dim": dim}, None))
            dim += 1
        elif k is Ellipsis and open_at is None:
            open_at = i
            dim += a.ndim - len([k for k in key if k.__class__ is int or k.__class__ is slice])
        else:
            return None
    if not chain:
        return None
    try:
        out = a[key] if open_at is not None else a[(*key, ...)]
    except IndexError:
        return None
    if t._fn is not None:
        for part, kw, _ in chain:
            t = door.apply(part, (t,), kw)
        return t
    y = door.wrap(out)
    views.attach_chain(tuple(chain), t, y)
    y._x = None if t._x is None else door.cut_of(t._x)
    return y
