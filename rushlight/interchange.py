"""NumPy and DLPack: what NumPy functions do with a Tensor, and tensors from other libraries'
arrays.

NumPy's ufuncs take a Tensor as the array of its values and give a Tensor back; its other functions
run as they are on a Tensor, as on any object that can be made an array. Tensors that require grad
must be detached first.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import storage
from .autograd import door
from .autograd.node import TensorBase
from .ops.create import from_data

OPERATORS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
}
COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


def plain(x: Any) -> Any:
    """The array of a Tensor (which must not require grad); anything else as it is."""
    return x.numpy() if isinstance(x, TensorBase) else x  # type: ignore[attr-defined]


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """`np.sin(t)`, `np.add(array, t)`: computed by NumPy, the result as a Tensor."""
    out = kw.get("out")
    if method == "__call__" and not kw and len(inputs) == 2 and ufunc in OPERATORS:
        first = inputs[0]
        # np.float32(2) * t is t's own operator; of np.float32(2) < t NumPy hands on an array.
        if isinstance(first, np.generic) or (
            ufunc in COMPARISONS and isinstance(first, np.ndarray) and first.ndim == 0
        ):
            return OPERATORS[ufunc](first.item(), inputs[1])
        if ufunc in COMPARISONS and any(isinstance(x, np.ndarray) for x in inputs):
            # There is no gradient that NumPy could lose.
            arrays = [x.detach() if isinstance(x, TensorBase) else x for x in inputs]  # type: ignore[attr-defined]
            return door.wrap(ufunc(*[plain(x) for x in arrays]))
    arrays = [plain(x) for x in inputs]
    if out is not None:
        for t in out:
            if isinstance(t, TensorBase):
                storage.unlocked(t._a)
        kw["out"] = tuple(plain(x) for x in out)
    result = getattr(ufunc, method)(*arrays, **kw)
    if out is not None:
        for t in out:
            if isinstance(t, TensorBase):
                t._bump(f"np.{ufunc.__name__}")  # type: ignore[attr-defined]
        return out[0] if len(out) == 1 else out
    if isinstance(result, tuple):
        return tuple(tensor_of(r) for r in result)
    return tensor_of(result)


def tensor_of(result: Any) -> Any:
    """A Tensor over NumPy's result; NumPy's bool becomes uint8 there, as PyTorch keeps it."""
    if result is None:
        return None
    a = np.asarray(result)
    return from_data.from_numpy(a.astype(np.uint8) if a.dtype == bool else a)


def array_function(fn: Any, args: Any, kw: dict[str, Any]) -> Any:
    """`np.concatenate([t, t])`, `np.mean(t)`: NumPy's own code, as for any array-like."""
    return fn._implementation(*args, **kw)


# -- DLPack --------------------------------------------------------------------------------------


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of another library's array (any object with `__dlpack__`).

    >>> import numpy as np
    >>> import rushlight as torch
    >>> torch.from_dlpack(np.arange(3))
    tensor([0, 1, 2])
    """
    if isinstance(ext_tensor, TensorBase):
        t = ext_tensor.detach()  # type: ignore[attr-defined]
        return t.clone() if copy else t
    if not hasattr(ext_tensor, "__dlpack__"):
        ext_tensor = Capsule(ext_tensor)
    a = np.from_dlpack(ext_tensor)
    if copy:
        a = a.copy()
    elif not a.flags.writeable and getattr(getattr(ext_tensor, "flags", None), "writeable", True):
        a = np.asarray(
            _Writable(a)
        )  # NumPy marks old-style capsules read-only; their memory is not
    return from_data.from_numpy(a) if a.flags.writeable else door.wrap(a)


class _Writable:
    """The memory of an array as a writable one, keeping its owner alive."""

    def __init__(self, a: Any) -> None:
        self.owner = a
        self.__array_interface__ = {
            **a.__array_interface__,
            "data": (a.__array_interface__["data"][0], False),
        }


class Capsule:
    """A bare DLPack capsule (of `to_dlpack`) as an object that NumPy can read."""

    def __init__(self, capsule: Any) -> None:
        if type(capsule).__name__ != "PyCapsule":
            raise TypeError(
                f"from_dlpack: expected an object with __dlpack__, got {type(capsule).__name__}"
            )
        self.capsule = capsule

    def __dlpack__(self, **_kw: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def to_dlpack(tensor: Any) -> Any:
    """A DLPack capsule of a tensor's memory."""
    return tensor.__dlpack__()
