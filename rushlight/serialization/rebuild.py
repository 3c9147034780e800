"""Tensors of a checkpoint: the functions that its names `torch._utils._rebuild_...` stand for.

Every one runs with arguments that a file chose: shapes are checked against the storage before an
array is made. Not here: storages (`blocks.py`). Read next: `names.py`, the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import dtypes, layout, tensor_dispatch
from ..blocks import contextmanager
from ..device import device
from ..kernels.meta import MetaArray, OuterArray, read_as
from ..random import Generator
from ..tensor import Parameter, Tensor
from .blocks import STORAGE_NAMES, Block, StorageKind, shape_and_stride, view
from .unpickler import Known, broken, shown
from .values import names_and_values


def _tensor(
    block: Any, dtype: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, metadata: Any
) -> Any:
    if not isinstance(block, Block) or not isinstance(dtype, dtypes.dtype):
        raise broken("a tensor has no storage")
    if requires_grad is True and dtype.category < dtypes.FLOAT:
        raise broken(f"a tensor of {dtype!r} that requires a gradient")
    if block.memory is None:
        return _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad)
    array = view(block, dtype, offset, size, stride)
    if isinstance(metadata, dict):
        array = read_as(array, metadata.get("conj") is True, metadata.get("neg") is True)
    made = Tensor._wrap(array)
    return made.requires_grad_() if requires_grad is True else made


def rebuild_tensor(block: Any, offset: Any, size: Any, stride: Any) -> Any:
    """A tensor of the element type of its storage."""
    return _tensor(block, block.kind.dtype, offset, size, stride, False, None)


def _rebuild_tensor_v2(
    block: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    _hooks: Any = None,
    metadata: Any = None,
) -> Any:
    if not isinstance(block, Block):
        raise broken("a tensor has no storage")
    return _tensor(block, block.kind.dtype, offset, size, stride, requires_grad, metadata)


def _rebuild_tensor_v3(
    block: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    _hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    return _tensor(block, dtype, offset, size, stride, requires_grad, metadata)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    size, stride = shape_and_stride(0, size, stride)
    if not isinstance(dtype, dtypes.dtype):
        raise broken("a tensor has no dtype", shown(dtype))
    made: Any = Tensor._wrap(MetaArray(size, dtype.np, tuple(s * dtype.itemsize for s in stride)))
    return made.requires_grad_() if requires_grad is True else made


def _rebuild_parameter(data: Any, requires_grad: Any, _hooks: Any = None) -> Any:
    if not isinstance(data, Tensor):
        raise broken("a parameter has no tensor")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, hooks: Any, state: Any) -> Any:
    return _with_attributes(_rebuild_parameter(data, requires_grad, hooks), state)


def _rebuild_from_type_v2(function: Any, cls: Any, args: Any, state: Any) -> Any:
    if function not in _REBUILD.values() or function is _rebuild_from_type_v2:
        raise broken("a tensor is rebuilt by what is no rebuild function", shown(function))
    if type(args) is not tuple:  # *range(10**12) would allocate
        raise broken("a tensor is rebuilt from what is no tuple", shown(args))
    made = function(*args)
    if isinstance(cls, type) and not isinstance(made, cls):
        if not issubclass(cls, type(made)):
            raise broken("a tensor is to become what is no tensor", shown(cls))
        made = made.as_subclass(cls)
    return _with_attributes(made, state)


def _rebuild_wrapper_subclass(
    cls: Any,
    dtype: Any,
    size: Any,
    stride: Any,
    offset: Any,
    kind: Any,
    place: Any,
    requires_grad: Any,
) -> Any:
    size, stride = shape_and_stride(0, size, stride)
    given = isinstance(dtype, dtypes.dtype) and type(offset) is int and offset >= 0
    if not given or kind is not layout.strided or not isinstance(place, device):
        raise broken("a tensor whose class computes for it is malformed", shown(kind))
    try:
        return tensor_dispatch.wrapper(
            cls,
            size,
            stride,
            offset,
            dtype=dtype,
            device="meta" if place.type == "meta" else None,
            requires_grad=requires_grad is True,
        )
    except TypeError as error:
        raise broken(f"a tensor is to become what does not compute ({error})"[:200]) from None


def _with_attributes(tensor: Any, state: Any) -> Any:
    """The tensor with what an instance of its class holds."""
    if type(tensor).__setstate__ is not Tensor.__setstate__:
        tensor.__setstate__(state)
        return tensor
    fields, slots = (*state, None, None)[:2] if isinstance(state, tuple) else (state, None)
    if tensor._a.__class__ is OuterArray and names_and_values(fields or {}).get("_is_param"):
        kind: Any = type(tensor)
        kind = tensor_dispatch.both(kind, Parameter)
        tensor = tensor_dispatch.made(kind, tensor._a, tensor.requires_grad)
    tensor.__dict__.update(names_and_values(fields or {}))
    for name, value in names_and_values(slots or {}).items():
        setattr(tensor, name, value)
    return tensor


class _Waiting(threading.local):
    tensors: tuple[Any, ...] = ()  # sparse tensors whose indices have not been looked at


_waiting = _Waiting()


@contextmanager
def sparse_checked() -> Iterator[None]:
    """A block that reads a file: the indices of its sparse tensors are looked at when it ends, for
    older files have their numbers behind the tensors."""
    before, _waiting.tensors = _waiting.tensors, ()
    try:
        yield
        found = _waiting.tensors
    finally:
        _waiting.tensors = before
    if found:
        from ..sparse import create

        for t in found:
            try:
                create.verify(t)
            except (RuntimeError, IndexError) as error:
                raise broken(f"a sparse tensor is malformed ({error})"[:300]) from None


def _rebuild_sparse_tensor(kind: Any, parts: Any) -> Any:
    from ..sparse import create

    if not isinstance(kind, layout.layout) or type(parts) is not tuple:
        raise broken("a sparse tensor is malformed", shown(kind))
    n = 2 if kind is layout.sparse_coo else 3
    plain = all(type(t) is Tensor and t._a.__class__ is np.ndarray for t in parts[:n])
    if not n < len(parts) <= n + 2 or not plain or not isinstance(parts[n], tuple | list):
        raise broken("a sparse tensor is malformed", f"{len(parts)} parts")
    size, _ = shape_and_stride(0, parts[n], (1,) * len(parts[n]))
    try:
        made = create.assembled(kind, parts[:n], size, parts[n + 1 :] == (True,))
    except (RuntimeError, NotImplementedError) as error:
        raise broken(f"a sparse tensor is malformed ({error})"[:300]) from None
    _waiting.tensors = (*_waiting.tensors, made)
    return made


_REBUILD: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": _rebuild_tensor_v3,
    "torch._utils._rebuild_meta_tensor_no_storage": _rebuild_meta_tensor_no_storage,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter_with_state,
    "torch._utils._rebuild_sparse_tensor": _rebuild_sparse_tensor,
    "torch._utils._rebuild_wrapper_subclass": _rebuild_wrapper_subclass,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
}


def _uninitialized(cls: Any) -> Callable[..., Any]:
    def make(requires_grad: Any = False, *rest: Any) -> Any:
        if rest or type(requires_grad) is not bool:
            raise broken("a parameter without a shape is malformed")
        return cls(requires_grad)

    return make


def _layout(name: Any) -> Any:
    found = getattr(layout, name.removeprefix("torch."), None) if type(name) is str else None
    if not isinstance(found, layout.layout):
        raise broken("a memory layout is unknown", shown(name))
    return found


def return_type(module: str, name: str) -> Known | None:
    """The named tuples of `max`, `sort` and so on; their fields are known from the operations."""
    if module != "torch.return_types":
        return None
    from .. import return_types

    found = getattr(return_types, name, None)
    if not (isinstance(found, type) and issubclass(found, tuple)):
        return None

    def make(values: Any, _state: Any = None) -> Any:
        if type(values) is not tuple:
            raise broken("a named tuple is not made of a tuple")
        return found(values)

    return Known(found, call=make)


def _generator(where: Any = None) -> Any:
    return Generator()


def _generator_state(target: Any, state: Any) -> None:
    _seed, offset, numbers = state
    if offset is not None:
        raise broken("a random generator is of another device")
    try:
        target.set_state(numbers)
    except (TypeError, RuntimeError) as error:
        raise broken(f"a random generator's state is malformed ({error})"[:200]) from error


def entries() -> Iterator[tuple[str, Known]]:
    """The rows of the table for tensors and what belongs to them."""
    from ..nn import parameter

    for full, function in _REBUILD.items():
        yield full, Known(function, call=function)
    for name, dtype in STORAGE_NAMES.items():
        kind = Known(StorageKind(dtype))
        for module in ("torch", "torch.storage", "torch.cuda"):
            yield f"{module}.{name}", kind
    for d in dtypes.ALL:
        yield f"torch.{d.name}", Known(d)
    for name in STORAGE_NAMES:  # types of tensors, as PyTorch 0.1 names them
        for module in ("torch", "torch.cuda"):
            yield f"{module}.{name.replace('Storage', 'Tensor')}", Known(Tensor)
    yield "torch.Tensor", Known(Tensor)
    yield "torch._tensor.Tensor", Known(Tensor)
    yield "torch.nn.parameter.Parameter", Known(parameter.Parameter)
    yield "torch.nn.Parameter", Known(parameter.Parameter)
    for cls in (parameter.UninitializedParameter, parameter.UninitializedBuffer):
        yield f"torch.nn.parameter.{cls.__name__}", Known(cls, call=_uninitialized(cls))
    yield "torch._C.Generator", Known(Generator, call=_generator, build=_generator_state)
    yield "torch.serialization._get_layout", Known(_layout, call=_layout)
