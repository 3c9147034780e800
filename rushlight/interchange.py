"""DLPack: tensors over other libraries' memory, and theirs over ours.

What NumPy does with a Tensor is said by three attributes of the class, PyTorch's: `__array__` (its
functions take a Tensor as the array of its values), `__array_wrap__` (its ufuncs give one back) and
`__array_priority__` (`array + tensor` is the tensor's to answer, and it refuses:
autograd/operators.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .autograd import door
from .autograd.node import TensorBase
from .ops.create import from_data

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
        a = np.asarray(_Writable(a))  # NumPy takes old-style capsules for read-only, wrongly
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
