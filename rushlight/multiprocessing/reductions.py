"""Tensors and storages through the queues and pipes of `multiprocessing`: as shared memory.

Sending a tensor moves its storage to shared memory (`sharing.py`); what is sent is a part of a
block and how the tensor lies on it. On the other side views of one storage are views of one
storage again. Read next: `rushlight/shared_memory/handles.py`.
"""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from ..array_memory import address
from ..dtypes import dtype, from_numpy
from ..kernels.meta import MetaArray
from ..nn.parameter import Parameter
from ..shared_memory import handles
from ..shared_memory.blocks import Part, part_of
from ..storage import StorageBase, TypedStorage, UntypedStorage
from ..tensor import Tensor
from ..tensor_copies import Values
from ..utils.hooks import warn_if_has_hooks
from .sharing import share_storage, share_tensors

__all__ = [
    "init_reductions",
    "rebuild_storage",
    "rebuild_tensor",
    "reduce_storage",
    "reduce_tensor",
]


def reduce_tensor(tensor: Tensor) -> Any:
    """How a tensor is sent: its part of a block, and how it lies there.

    Hooks, attributes and the gradient stay behind, as in PyTorch.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.  If you just want to transfer the data, "
            "call detach() on the tensor before serializing (e.g., putting it on the queue)."
        )
    warn_if_has_hooks(tensor)
    share_tensors([tensor])
    return rebuild_tensor, (type(tensor), _lay(tensor._a), tensor.requires_grad)


def rebuild_tensor(cls: Any, layout: Any, requires_grad: bool) -> Tensor:
    """The tensor that `reduce_tensor` described."""
    t = Tensor._wrap(_laid(*layout))
    if cls is not Tensor:
        return cls(t, requires_grad)  # type: ignore[no-any-return]
    return t.requires_grad_() if requires_grad else t


def reduce_storage(storage: StorageBase) -> Any:
    """How a storage is sent."""
    if storage.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    share_storage(storage)
    return rebuild_storage, (type(storage), _lay(storage._root), getattr(storage, "dtype", None))


def rebuild_storage(cls: Any, layout: Any, kind: dtype | None) -> StorageBase:
    """The storage that `reduce_storage` described."""
    a = _laid(*layout)
    return cls(a) if kind is None else cls(a, kind)  # type: ignore[no-any-return]


def _lay(a: Any) -> tuple[Any, ...]:
    """(part of a block or None, dtype, shape, strides, offset in bytes) of an array."""
    kind = from_numpy(a.dtype)
    if a.__class__ is MetaArray or a.size == 0:
        return ("meta" if a.__class__ is MetaArray else None), kind, a.shape, a.strides, 0
    part: Any = part_of(a)
    return part, kind, a.shape, a.strides, address(a) - part.block.address - part.offset


def _laid(part: Part | str | None, kind: Any, shape: Any, strides: Any, offset: int) -> Any:
    if part == "meta":
        return MetaArray(shape, kind.np, strides)
    if not isinstance(part, Part):
        return np.empty(shape, kind.np)
    return np.ndarray(shape, kind.np, part.array(), offset, strides)


def _reduce_values(values: Values) -> Any:
    """The memory of an instance of a Tensor subclass, which else is pickled as usual."""
    share_tensors([values.tensor])
    return _laid, _lay(values.tensor._a)


def init_reductions() -> None:
    """Teach `multiprocessing` to send tensors (done when this module is imported)."""
    for cls in (Tensor, Parameter):
        ForkingPickler.register(cls, reduce_tensor)
    for storage in (UntypedStorage, TypedStorage):
        ForkingPickler.register(storage, reduce_storage)
    ForkingPickler.register(Values, _reduce_values)


init_reductions()
_ = handles  # it teaches multiprocessing to send parts of blocks
