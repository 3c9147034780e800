"""Tensor methods about memory, and `x.new(...)` and its like.

`resize_`, `set_`, `storage()`, `data_ptr()`, `new_zeros`, `type`. Not here: `FloatTensor(2, 3)`
(`legacy_tensors.py`), deepcopy and pickle (`tensor_copies.py`), what storages are (`storage.py`).
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np

from . import dtypes, storage
from .autograd import changes, door, views
from .autograd.call_errors import too_much
from .autograd.node import TensorBase
from .config import current
from .device import no_accelerator, refuse_pinned
from .dtypes import type_name
from .errors import message
from .kernels.meta import MetaArray, SparseArray, UnresolvedArray
from .layout import channels_last, channels_last_3d, contiguous_format, preserve_format
from .legacy_tensors import NAME_OF, given, legacy_new, legacy_type
from .ops.core import described
from .ops.create import arguments, factories, from_data, sequences
from .tensor import Parameter, Tensor

# Pickles of before name them here.
from .tensor_copies import _same as _same
from .tensor_copies import rebuild_tensor as rebuild_tensor


def type_method(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Without argument the legacy type name ('torch.FloatTensor'); with one, a cast to it.

    Args:
        dtype: a dtype, a legacy name or a legacy class.
        non_blocking: accepted; there is nothing to wait for.

    >>> x = torch.tensor([1.5, 2.5])
    >>> x.type()
    'torch.FloatTensor'
    >>> x.type(torch.int64), x.type("torch.DoubleTensor").dtype
    (tensor([1, 2]), torch.float64)
    """
    if dtype is None:
        return "torch." + NAME_OF.get(self.dtype, type_name(self.dtype) + "Tensor")
    return self.to(legacy_type(dtype))


def new(
    self: Any,
    *args: Any,
    size: Any = None,
    device: Any = None,
    data: Any = None,
    other: Any = None,
    storage: Any = None,
) -> Any:
    """Legacy: a tensor of this dtype from sizes or data. `new_empty` and `new_tensor` say which.

    >>> x = torch.tensor([1, 2])
    >>> x.new([3.0, 4.0]), x.new(2, 3).shape
    (tensor([3, 4]), torch.Size([2, 3]))
    """
    named = given(size=size, data=data, other=other, storage=storage)
    return legacy_new(args, self.dtype, device, named)


def new_tensor(
    self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """A tensor with a copy of `data`, of this tensor's dtype unless another is given.

    Args:
        data: numbers, nested lists, an array or a tensor.
        requires_grad: whether the new leaf gets a gradient.

    >>> x = torch.zeros(2, dtype=torch.float64)
    >>> x.new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    a = from_data.to_array(data, dtypes.of(dtype or self.dtype))
    return arguments.finish(a, requires_grad, device)


def new_filled(name: str, fill: Any) -> Any:
    def make(
        self: Any,
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        layout: Any = None,
        pin_memory: bool = False,
        **kw: Any,
    ) -> Any:
        if pin_memory:
            refuse_pinned(name, pin_memory, device or self.device)
        shape = arguments.given_size(name, size, kw)
        if layout is None and isinstance(self._a, SparseArray):
            layout = self.layout
        if layout is not None:
            made = arguments.in_layout(name, layout, shape, dtype or self.dtype, requires_grad)
            if made is not None:
                return made
        return arguments.finish(
            arguments.blank(shape, dtype or self.dtype, device or self.device, fill), requires_grad
        )

    make.__name__ = name
    shown = (
        "new_empty(2, 3).shape\n    torch.Size([2, 3])"
        if fill is None
        else f"{name}(2)\n    tensor([{fill}., {fill}.], dtype=torch.float64)"
    )
    make.__doc__ = f"""`torch.{name[4:]}` with this tensor's dtype and device.

    Args:
        size: the shape of the result, as numbers or a tuple.
        dtype, device: other ones.

    >>> x = torch.tensor([1.5], dtype=torch.float64)
    >>> x.{shown}
    """
    return make


def new_full(
    self: Any,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Any:
    """`torch.full` with this tensor's dtype and device.

    Args:
        size: the shape of the result.
        fill_value: cast to the dtype.

    >>> torch.zeros(1, dtype=torch.int64).new_full((2, 2), 7.9)
    tensor([[7, 7],
            [7, 7]])
    """
    if pin_memory:
        refuse_pinned("new_full", pin_memory, device or self.device)
    shape = arguments.sizes_of((tuple(size) if not isinstance(size, int) else (size,),))
    return arguments.finish(
        arguments.blank(
            shape, dtype or self.dtype, device or self.device, sequences.number(fill_value)
        ),
        requires_grad,
    )


def new_empty_strided(
    self: Any,
    size: Any,
    stride: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Any:
    """`torch.empty_strided` with this tensor's dtype: sizes and strides given, values arbitrary.

    >>> torch.zeros(1, dtype=torch.int8).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    if pin_memory:
        refuse_pinned("new_empty_strided", pin_memory, device or self.device)
    return factories.empty_strided(
        size, stride, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad
    )


def data_ptr(self: Any) -> int:
    """Address of the first element (0 for meta and empty tensors), where it may be written to.

    >>> x = torch.zeros(4)
    >>> x[1:].data_ptr() - x.data_ptr()  # bytes
    4
    """
    if storage.locked:
        storage.unlocked(self._a)
    return 0 if self._a.__class__ is MetaArray or self._a.size == 0 else storage.address(self._a)


def storage_offset(self: Any) -> int:
    """Elements between the start of the storage and the first element.

    >>> x = torch.arange(6)
    >>> x[2:].storage_offset()
    2
    """
    return storage.storage_offset(self._a)


def untyped_storage(self: Any) -> Any:
    """The bytes under this tensor, shared with its views.

    >>> x = torch.zeros(4)
    >>> x[:2].untyped_storage().nbytes()
    16
    """
    return storage.handle(self._a)


def typed_storage(self: Any) -> Any:
    """The elements under this tensor, shared with its views. New programs use `untyped_storage`.

    >>> torch.tensor([1, 2, 3])[1:].storage().tolist()
    [1, 2, 3]
    """
    return storage.TypedStorage(storage.raw(self._a), self.dtype)


def is_set_to(self: Any, tensor: Any) -> bool:
    """Whether both have the same memory, sizes and strides.

    >>> x = torch.zeros(2, 3)
    >>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.T)
    (True, False)
    """
    a, b = self._a, tensor._a
    same = a.shape == b.shape and a.strides == b.strides and data_ptr(self) == data_ptr(tensor)
    return same and (bool(a.size) or storage.root(a) is storage.root(b))


def resize_(self: Any, *sizes: Any, memory_format: Any = None) -> Any:
    """Change the shape in place; memory is kept where it suffices, new elements are undefined.

    Args:
        sizes: the new shape; its elements are those of the storage in order.
        memory_format: how they lie; contiguous unless given.

    Raises:
        RuntimeError: the tensor requires grad.

    >>> x = torch.arange(6).reshape(2, 3)
    >>> x.resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    shape = arguments.sizes_of(sizes)
    if self._x is not None:
        changes.check_inference(self, "resize_")
    if self._fn is not None and not door.is_inference(self):
        raise RuntimeError("cannot resize variables that require grad")
    a = self._a
    if a.shape == shape and memory_format is None:
        return self
    if a.__class__ is UnresolvedArray:
        self._a = a.raw
        try:
            return resize_(self, shape, memory_format=memory_format)
        finally:
            self._a = a.over(self._a)
    n, own = math.prod(shape), False
    check_size(shape, n, a.itemsize)
    if a.__class__ is MetaArray:
        self._a = MetaArray(shape, a.dtype)
    elif n <= storage.nbytes(a) // a.itemsize - storage.storage_offset(a) and a.size:
        strides = tuple(s // a.itemsize for s in MetaArray(shape, a.dtype).strides)
        self._a = storage.strided_view(a, shape, strides, None)
    else:
        if storage.is_shared(a):
            raise RuntimeError(
                message(
                    "Trying to resize storage that is not resizable",
                    f"shared memory of {storage.nbytes(a)} bytes",
                    f"room for {n} elements of {a.itemsize} bytes",
                    "make the tensor of its final size before it is shared",
                )
            )
        try:
            fresh = arguments.undefined(np.empty(shape, a.dtype))
        except MemoryError as error:
            raise too_much("resize_", error) from None
        old = (
            storage.strided_view(
                a, (storage.nbytes(a) // a.itemsize - storage.storage_offset(a),), (1,), None
            )
            if a.size
            else a.reshape(-1)
        )
        fresh.reshape(-1)[: old.size] = old
        self._a, own = fresh, True
    order = arguments.order_of(memory_format, len(shape))
    if order == "channels_last":
        like = arguments.ordered(shape, np.bool_, order)  # of elements of one byte
        at = storage.storage_offset(self._a) if a.__class__ is not MetaArray else 0
        if a.__class__ is MetaArray:
            self._a = MetaArray(shape, a.dtype, tuple(s * a.itemsize for s in like.strides))
        else:
            self._a = storage.strided_view(self._a, shape, like.strides, at)
    views.resized(self, own)
    views.cell(self).bump("resize_")
    return self


def check_size(shape: tuple[int, ...], n: int, itemsize: int) -> None:
    """RuntimeError for a shape whose bytes or strides no machine can count."""
    if n * itemsize > sys.maxsize:
        raise RuntimeError(
            message(
                f"Storage size calculation overflowed with sizes={list(shape)}"
                if n <= sys.maxsize
                else "numel: integer multiplication overflow",
                got=f"{n:g} elements of {itemsize} bytes",
            )
        )
    if math.prod(max(k, 1) for k in shape[1:]) * itemsize > sys.maxsize:
        raise RuntimeError(message("Stride calculation overflowed", got=f"sizes {list(shape)}"))


def resize_as_(self: Any, the_template: Any, *, memory_format: Any = None) -> Any:
    """`resize_` to the shape of another tensor, and with `preserve_format` to its format.

    >>> x = torch.arange(6)
    >>> x.resize_as_(torch.zeros(3, 2))
    tensor([[0, 1],
            [2, 3],
            [4, 5]])
    """
    if memory_format is preserve_format:
        own = {4: channels_last, 5: channels_last_3d}.get(the_template._a.ndim, contiguous_format)
        memory_format = own if the_template.is_contiguous(memory_format=own) else contiguous_format
    return resize_(self, tuple(the_template._a.shape), memory_format=memory_format)


def resize(self: Any, *sizes: Any) -> Any:
    """Deprecated non-in-place resize: only to the same number of elements. Use `view` or `reshape`.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    warnings.warn("non-inplace resize is deprecated", UserWarning, stacklevel=2)
    return self.reshape(*sizes)


def storage_type(self: Any) -> Any:
    """The legacy class of this tensor's storage, such as torch.FloatStorage.

    >>> torch.zeros(1).storage_type()
    <class 'torch.FloatStorage'>
    """
    from .legacy_storages import CLASSES

    return CLASSES[storage._dtype_to_storage_type_map()[self.dtype]]


def set_(
    self: Any, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Any:
    """Make this tensor look at other memory: a tensor's or a storage's. How it reads it, by its
    conjugate and negative bits, does not change.

    Args:
        source: a tensor, whose sizes and strides are taken over, or a storage; None: no elements.
        storage_offset, size, stride: of a storage: which part, read how.

    >>> x = torch.zeros(1)
    >>> x.set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    if self._x is not None:
        changes.check_inference(self, "set_")
    before = self._a
    if source is None:
        self._a = np.empty((0,), self._a.dtype)
    elif isinstance(source, TensorBase):
        if source.dtype is not self.dtype:  # type: ignore[attr-defined]
            named = [type_name(t.dtype).lower() for t in (source, self)]  # type: ignore[attr-defined]
            raise RuntimeError(
                message(
                    f"set_: Could not set tensor of type {named[0]} to a tensor of type {named[1]}",
                    hint=f"source.to({self.dtype!r})",
                )
            )
        self._a = storage.raw(source._a)
    else:
        memory = storage.elements_of(source, self.dtype)
        if size is None:
            self._a = memory[storage_offset:]
        else:
            shape = arguments.sizes_of((tuple(size),))
            steps = stride or tuple(
                s // self._a.itemsize for s in MetaArray(shape, self._a.dtype).strides
            )
            self._a = storage.strided_view(memory, shape, tuple(steps), storage_offset)
    if before.__class__ is UnresolvedArray:
        self._a = before.over(self._a)
    views.cell(self).bump("set_")
    return self


def share_memory_(self: Any) -> Any:
    """Move the storage, and all tensors on it, to memory that other processes can see.

    Send the tensor to them through `multiprocessing` (or fork): both sides see writes.

    >>> x = torch.zeros(2).share_memory_()
    >>> x.is_shared()
    True
    """
    from .multiprocessing.sharing import share_tensors

    share_tensors([self])
    return self


def is_shared(self: Any) -> bool:
    """Whether the storage is in shared memory.

    >>> torch.zeros(2).is_shared()
    False
    """
    return storage.is_shared(self._a)


def pin_memory(self: Any, device: Any = None) -> Any:
    """Raises: memory is pinned for an accelerator, and there is none. A DataLoader with
    `pin_memory=True` leaves it out with a warning.

    >>> x = torch.zeros(2)
    >>> x.pin_memory() if torch.cuda.is_available() else x
    tensor([0., 0.])
    """
    if current.cuda_as_cpu:
        return self
    raise no_accelerator()


def is_pinned(self: Any, device: Any = None) -> bool:
    """False: memory is pinned for an accelerator, and there is none.

    >>> torch.zeros(2).is_pinned()
    False
    """
    return False


METHODS: dict[str, Any] = {
    "type": type_method,
    "new": new,
    "new_tensor": new_tensor,
    "new_zeros": new_filled("new_zeros", 0),
    "new_ones": new_filled("new_ones", 1),
    "new_empty": new_filled("new_empty", None),
    "new_full": new_full,
    "new_empty_strided": new_empty_strided,
    "data_ptr": data_ptr,
    "storage_offset": storage_offset,
    "untyped_storage": untyped_storage,
    "storage": typed_storage,
    "storage_type": storage_type,
    "_typed_storage": typed_storage,
    "is_set_to": is_set_to,
    "resize_": resize_,
    "resize_as_": resize_as_,
    "resize": resize,
    "set_": set_,
    "share_memory_": share_memory_,
    "is_shared": is_shared,
    "pin_memory": pin_memory,
    "is_pinned": is_pinned,
}
for _name, _fn in METHODS.items():
    setattr(Tensor, _name, _fn)
for _name in ("empty", "empty_strided", "full", "ones", "zeros"):
    _key = f"Tensor.new_{_name}"
    METHODS[f"new_{_name}"].__signature__ = described.later(described.of_text, _key)
METHODS["resize_"].__signature__ = described.later(described.of_text, "Tensor.resize_")
_ = Parameter
