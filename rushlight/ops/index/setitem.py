"""`x[key] = value`: what is written where, the short ways first.

A number or an array goes to a key of numbers, slices and index tensors by one assignment of NumPy's
where nothing is recorded and nobody looks on (`put`, `put_at`). Everything else is a view and
`copy_`, or `index_put` (`getitem.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...array_memory import address
from ...autograd import changes, door, operators, overlaps, specialize
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.elementwise.where import fill_number
from ..create.arguments import number
from .getitem import as_tensor, by_tensor, index_put, split_key


def cast_to_fill(value: Any, view: Any, indices: Any) -> Any:
    """One number for a mask, in the type of what is written; RuntimeError for anything else."""
    given = [getattr(i, "_a", i) for i in indices if i is not None]
    if value._a.size == 1 and len(given) == 1 and given[0].dtype.kind == "b":
        if value._a.__class__ is np.ndarray:
            number(value._a.item(), view._a.dtype)  # raises where it does not fit
        return value.to(view.dtype)
    into, source = (dtypes.from_numpy(x._a.dtype) for x in (view, value))
    raise RuntimeError(
        message(
            "Index put requires the source and destination dtypes match, got "
            f"{type_name(into)} for the destination and {type_name(source)} for the "
            "source.",
            hint=f"value.to({into!r})",
        )
    )


def refuse_overlap(target: Any, value: Any, indices: Any) -> None:
    """Raise where a value or an index lies in what is written to; of a mask the places are found
    first."""
    places = [i for i in indices if isinstance(i, TensorBase) and i._a.dtype.kind != "b"]
    overlaps.refuse("index_put_", target, (value, *places), wholly=True)


def put(t: Any, key: Any, value: Any) -> bool:
    """The short way of `t[key] = value` for numbers and slices as the key and a value that fits,
    of tensors without history: what is written has no view made of it. False: the long way."""
    a: Any = t._a
    for k in key if key.__class__ is tuple else (key,):
        if k.__class__ is slice:
            if k.step is not None:
                return False
        elif k.__class__ is not int:
            return k.__class__ in specialize.plain and put_at(t, key, value)
    stored = storable(t, value)
    if stored is None:
        return False
    if stored.__class__ is np.ndarray:
        try:
            there = a[key]
        except IndexError:  # the long way says what is wrong
            return False
        if there.shape != stored.shape:
            return False
        # `x[i] += 1` writes itself
        near = stored.ndim and value._vc is not None and value._vc is t._vc
        if near and (there.strides != stored.strides or address(there) != address(stored)):
            return False
    try:
        a[key] = stored
    except (IndexError, OverflowError):
        return False
    changes.all_changed((t,), "copy_")
    return True


def storable(t: Any, value: Any) -> Any:
    """A value as the short ways write it, an array or a number; None where the long one has to look
    at it, or at the tensor that is written to."""
    if not changes.unhindered(t):
        return None
    a = t._a
    flags = a.flags
    if not (flags.forc and flags.writeable):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    kind = value.__class__
    if kind is float or kind is int:
        if a.dtype is door.F32 or a.dtype is door.F64:
            return value if -1e30 < value < 1e30 else None
        return value if kind is int and a.dtype.kind == "i" else None
    if kind is operators.plain_tensor or kind is operators.plain_parameter:
        v = value._a
        if v.__class__ is not np.ndarray or v.dtype is not a.dtype:
            return None
        return None if value._fn is not None and door.state.enabled else v
    return value if kind is bool and a.dtype.kind == "b" else None


def put_at(t: Any, key: Any, value: Any) -> bool:
    """The same where one tensor indexes, behind and before whole dimensions, or several the first
    dimensions: of such keys NumPy's result lies as PyTorch's."""
    a = t._a
    found: list[Any] = []
    tensors = dims = 0
    for k in key if key.__class__ is tuple else (key,):
        if k.__class__ is slice:
            if not (k.start is k.stop is k.step is None):
                return False
            dims += 1
            found.append(k)
        elif k.__class__ in specialize.plain and k._a.__class__ is np.ndarray and k._a.ndim:
            i = k._a
            mask = i.dtype.char == "?"
            if (not mask and i.dtype.char != "l") or (mask and found) or near(a, i):
                return False
            if mask and i.shape != a.shape[: i.ndim]:  # NumPy takes more
                return False
            tensors += 1
            dims += i.ndim if mask else 1
            found.append(i)
        else:
            return False
    if dims > a.ndim or (tensors > 1 and tensors < len(found)):
        return False
    stored = storable(t, value)
    if stored is None or (stored.__class__ is np.ndarray and near(a, stored)):
        return False
    first = found[0]
    try:
        if len(found) == 1 and first.dtype.char == "?" and stored.__class__ is not np.ndarray:
            fill_number(a, first, stored)
        else:
            a[tuple(found)] = stored
    except (IndexError, OverflowError, TypeError, ValueError):
        return False
    changes.all_changed((t,), "index_put_")
    return True


def near(a: Any, b: Any) -> bool:
    """Whether two arrays may share memory."""
    return (a.base is not None or b.base is not None or a is b) and np.may_share_memory(a, b)


def setitem(t: Any, key: Any, value: Any) -> None:
    """`t[key] = value`, in place."""
    if t.__class__ in specialize.plain and put(t, key, value):
        return
    if key is True:  # is `t[None] = value` in PyTorch: no index
        key = None
    if not isinstance(value, TensorBase):
        if not isinstance(value, (int, float, complex, np.generic)):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a torch.{t.type().split('.')[-1]}"
            )
        value = door.wrap(
            number(value.item() if isinstance(value, np.generic) else value, t._a.dtype)
        )
    if key is False:  # of nothing: PyTorch does not look at it
        return
    view, indices = (t, [key]) if by_tensor(t, key) else split_key(t, key)
    if not indices:
        target = value
        while target._a.ndim > view._a.ndim and target._a.shape[0] == 1:
            target = target[0]
        if target._v is not None and target._a.shape != view._a.shape:
            target = target.expand(view._a.shape)  # `x[:] = x[0]` is no overlap, as in PyTorch
        if view._a.ndim and not target._a.ndim:  # then it is a fill_ in PyTorch
            changes.refuse_made(view, "fill_", (target,))
        view.copy_(target)
        return
    tensors = tuple(as_tensor(i) for i in indices)
    changes.refuse_made(view, "index_put_", (value,))
    if value._a.dtype != view._a.dtype:
        value = cast_to_fill(value, view, indices)
    masks = len(tensors) == 1 and tensors[0]._a.dtype.kind == "b"
    if not (masks and value._a.size == 1):  # which is a masked_fill_
        refuse_overlap(view, value, indices)
    try:
        changes.apply_inplace(index_put, view, (value, *tensors), {"accumulate": False})
    except RuntimeError:
        from .overlapping import put_instead

        put_instead("index_put_", view, value, tensors)
