"""deepcopy and pickle of tensors: values, gradient flags, attributes, slots of subclasses.

Not here: files (`serialization/`), the pickler between processes (`multiprocessing/reductions.py`).
"""

from __future__ import annotations

import copyreg
import ctypes
import functools
import warnings
from typing import Any

import numpy as np

from . import dtypes, storage
from .autograd.node import LEAF, Extras, TensorBase
from .kernels.meta import MetaArray, UnresolvedArray, read_as
from .tensor import Tensor


def copied(self: Any, memo: dict[int, Any]) -> Any:
    """deepcopy of a leaf: memory that tensors share stays shared among the copies."""
    import copy

    a = self._a
    if a.__class__ is MetaArray:
        fresh: Any = MetaArray(a.shape, a.dtype, a.strides)
    elif a.__class__ is UnresolvedArray:
        fresh = a.resolved()  # in memory of its own, as PyTorch copies it
    elif a.base is None:
        fresh = memo.get(id(a))
        if fresh is None:
            fresh = memo[id(a)] = a.copy(order="K")
            memo.setdefault(id(memo), []).append(a)
    else:
        root = storage.root(a)
        moved = memo.get(id(root))
        if moved is None:
            moved = memo[id(root)] = root.copy(order="K")
            memo.setdefault(id(memo), []).append(root)
        if moved.flags.c_contiguous and root.flags.c_contiguous:
            at = storage.address(a) - storage.address(root)
            fresh = (
                np.ndarray(a.shape, a.dtype, moved.reshape(-1).view(np.uint8), at, a.strides)
                if a.size
                else a.copy()
            )
        else:
            fresh = a.copy(order="K")
    t: Any = object.__new__(type(self))
    t._a, t._fn, t._vc, t._v, t._x = fresh, LEAF if self._fn is LEAF else None, None, None, None
    memo[id(self)] = t
    if self._x.__class__ is Extras and self._x.grad is not None:
        t._extras().grad = copy.deepcopy(self._x.grad, memo)
    if self.__dict__:
        t.__dict__.update(copy.deepcopy(self.__dict__, memo))
    for name in own_slots(self):
        if hasattr(self, name):
            setattr(t, name, copy.deepcopy(getattr(self, name), memo))
    return t


def own_slots(t: Any) -> tuple[str, ...]:
    """The names in `__slots__` that a tensor's class adds."""
    kind: Any = type(t)
    return _slots_of(kind)


@functools.cache
def _slots_of(cls: Any) -> tuple[str, ...]:
    return tuple(n for n in copyreg._slotnames(cls) if n not in TensorBase.__slots__)  # type: ignore[attr-defined]


def state_of(self: Any) -> Any:
    """What an instance holds beside its values, as pickles have it: what its class says
    (`__getstate__`), else its attributes, or (attributes, slots)."""
    told = getattr(type(self), "__getstate__", None)
    if told is not None and told is not getattr(object, "__getstate__", None):
        return told(self)
    slots = {n: getattr(self, n) for n in own_slots(self) if hasattr(self, n)}
    return (dict(self.__dict__), slots) if slots else dict(self.__dict__)


def set_state(self: Any, state: Any) -> None:
    """Take back what `state_of` gave."""
    if type(self).__setstate__ is not Tensor.__setstate__:
        self.__setstate__(state)
        return
    fields, slots = state if isinstance(state, tuple) else (state, None)
    self.__dict__.update(fields or {})
    for name, value in (slots or {}).items():
        setattr(self, name, value)


class Values:
    """The values of an instance of a subclass, on their way through a pickler: copied by most, and
    shared by the pickler of `multiprocessing`, which knows this class."""

    def __init__(self, tensor: Any, data: Any) -> None:
        self.tensor, self.data = tensor, data

    def __reduce__(self) -> Any:
        return _same, (self.data,)


def _same(data: Any) -> Any:
    return data


def reduce_tensor(self: Any) -> Any:
    """Pickle: values, flags, attributes and the gradient flag (not the gradient, as PyTorch)."""
    if self._fn is not None and self._fn is not LEAF:
        warn = "cannot pickle a non-leaf tensor's history; its values are saved"
        warnings.warn(warn, UserWarning, stacklevel=4)
    a = storage.raw(self._a)
    if a.__class__ is MetaArray:
        data: Any = (a.shape, dtypes.from_numpy(a.dtype), a.strides)
    elif a.dtype.kind == "V" or not a.flags.c_contiguous:
        data = spread(a)
    else:
        data = np.ascontiguousarray(a).view(a.dtype).reshape(a.shape)
    if type(self) is not Tensor and a.__class__ is not MetaArray:
        data = Values(self, data)
    bits = (self.is_conj(), self.is_neg()) if a is not self._a else ()
    return (rebuild_tensor, (type(self), data, self._fn is LEAF, state_of(self), *bits))


def spread(a: Any) -> tuple[Any, ...]:
    """(bytes, shape, type, strides) of an array: all that lies between its first element and its
    last, as PyTorch pickles the storage, so that strides stay what they are."""
    if not a.size:
        return (b"", a.shape, dtypes.from_numpy(a.dtype), a.strides)
    span = a.itemsize + sum((n - 1) * s for n, s in zip(a.shape, a.strides, strict=True))
    memory = ctypes.string_at(a.ctypes.data, span)
    return (memory, a.shape, dtypes.from_numpy(a.dtype), a.strides)


def rebuild_tensor(
    cls: Any,
    data: Any,
    requires_grad: bool,
    state: Any,
    conj: bool = False,
    neg: bool = False,
) -> Any:
    """The tensor that `reduce_tensor` described."""
    if isinstance(data, tuple):
        a: Any = (
            MetaArray(data[0], data[1].np, data[2])
            if not isinstance(data[0], bytes)
            else from_bytes(*data)
        )
    else:
        a = data
    a = read_as(a, conj, neg)
    t: Any = object.__new__(cls)
    t._a, t._fn, t._vc, t._v, t._x = a, LEAF if requires_grad else None, None, None, None
    set_state(t, state)
    return t


def from_bytes(data: bytes, shape: Any, dtype: Any, strides: Any = None) -> Any:
    """An array of what `spread` gave, in memory of its own."""
    return np.ndarray(shape, dtype.np, bytearray(data), 0, strides)
