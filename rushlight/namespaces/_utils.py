"""`torch._utils`: small helpers that libraries use though PyTorch calls them private."""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight import dtypes, unsupported
from rushlight.serialization.rebuild import (
    _rebuild_parameter as _rebuild_parameter,
)
from rushlight.serialization.rebuild import (
    _rebuild_parameter_with_state as _rebuild_parameter_with_state,
)


def _element_size(dtype: Any) -> int:
    """Bytes that an element of this type takes."""
    if not isinstance(dtype, dtypes.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _flatten_dense_tensors(tensors: Any) -> Any:
    """One line of all elements, tensor after tensor."""
    import rushlight

    given = list(tensors)
    if len(given) == 1:
        return given[0].contiguous().view(-1)
    return rushlight.cat([t.contiguous().view(-1) for t in given], dim=0)


def _unflatten_dense_tensors(flat: Any, tensors: Any) -> tuple[Any, ...]:
    """The line cut into views of the shapes of `tensors`."""
    found, at = [], 0
    for t in tensors:
        n = t.numel()
        found.append(flat.narrow(0, at, n).view_as(t))
        at += n
    return tuple(found)


def _take_tensors(tensors: Iterable[Any], size_limit: int) -> Iterator[list[Any]]:
    """Groups of tensors of one type, each of at most `size_limit` bytes where that can be."""
    groups: dict[str, tuple[list[Any], int]] = defaultdict(lambda: ([], 0))
    for t in tensors:
        size = t.numel() * t.element_size()
        held, total = groups[t.type()]
        if held and total + size > size_limit:
            yield held
            held, total = [], 0
        groups[t.type()] = ([*held, t], total + size)
    for held, _ in groups.values():
        if held:
            yield held


def _reorder_tensors_as(tensors: Iterable[Any], ordered_tensors: Iterable[Any]) -> tuple[Any, ...]:
    """The tensors in the order of types of `ordered_tensors`."""
    by_type: dict[str, list[Any]] = defaultdict(list)
    for t in tensors:
        by_type[t.type()].append(t)
    waiting = {kind: iter(found) for kind, found in by_type.items()}
    return tuple(next(waiting[t.type()]) for t in ordered_tensors)


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Any:
    """A tensor over a typed storage."""
    import rushlight

    made = rushlight.empty(0, dtype=storage.dtype)
    return made.set_(storage.untyped(), storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any = None,
    metadata: Any = None,
) -> Any:
    """A tensor over a typed storage, with its place on the tape."""
    return _rebuild_tensor(storage, storage_offset, size, stride).requires_grad_(requires_grad)


class KeyErrorMessage(str):
    """A message that prints as it stands, where KeyError would quote it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception with its traceback as text, to be raised in another thread or process."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, tb = exc_info or sys.exc_info()
        self.exc_type: Any = kind
        self.where = where
        self.exc_msg = "".join(traceback.format_exception(kind, value, tb))

    def reraise(self) -> None:
        """Raise the exception here."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        try:
            error = self.exc_type(text)
        except Exception:
            raise RuntimeError(text) from None
        raise error


def _import_dotted_name(name: str) -> Any:
    """What a dotted name such as `torch.nn.Linear` means."""
    first, *rest = name.split(".")
    found: Any = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _get_available_device_type() -> None:
    """None: there is no accelerator."""


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device; -1 for the CPU where it is allowed."""
    from rushlight.device import device as Device

    if isinstance(device, int):
        return device
    found = Device(device) if isinstance(device, str) else device
    if isinstance(found, Device):
        if found.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        return -1 if found.type == "cpu" else (found.index or 0)
    if optional and device is None:
        return 0
    raise ValueError(
        f"Expected a torch.device with a specified index or an integer, but got:{device}"
    )


def _get_device_module(device_type: str) -> Any:
    """`torch.cpu` and its like."""
    import rushlight

    module = getattr(rushlight, device_type, None)
    if module is None:
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module.")
    return module


def _get_all_device_indices() -> list[int]:
    """No accelerator, no number."""
    return []


def is_compiling() -> bool:
    """Whether a compiled call is being captured."""
    from rushlight.compiler import is_compiling

    return is_compiling()


def classproperty(fn: Any) -> Any:
    """A property of the class itself."""

    class ClassProperty:
        """Calls `fn` with the class."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            return fn(owner)

    return ClassProperty()


class CallbackRegistry:
    """Callbacks that are called one after another."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.callback_list: list[Any] = []

    def add_callback(self, cb: Any) -> None:
        """Call `cb` too."""
        self.callback_list.append(cb)

    def fire_callbacks(self, *args: Any, **kw: Any) -> None:
        """Call all of them."""
        for cb in self.callback_list:
            cb(*args, **kw)


def render_call(fn: Any, args: Any, kwargs: Any) -> str:
    """A call as text."""
    name = getattr(fn, "__name__", str(fn))
    parts = [repr(a) for a in args] + [f"{k}={v!r}" for k, v in kwargs.items()]
    return f"torch.{name}({', '.join(parts)})"


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """A sparse tensor of (indices, values, size, is_coalesced), or of (compressed indices, plain
    indices, values, size)."""
    from rushlight.sparse import create

    n = 2 if layout.name == "sparse_coo" else 3
    made = create.assembled(layout, data[:n], tuple(data[n]), data[n + 1 :] == (True,))
    create.verify(made)
    return made


__getattr__, __dir__ = unsupported.module(
    __name__,
    "_rebuild_qtensor _rebuild_nested_tensor _rebuild_wrapper_subclass "
    "_rebuild_device_tensor_from_numpy _rebuild_xla_tensor",
    "tensors of that kind",
)
