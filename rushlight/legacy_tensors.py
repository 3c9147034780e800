"""The classes of old: `FloatTensor(2, 3)`, `LongTensor([1, 2])` and their names.

Not here: the methods `x.new(...)` and `x.type(...)` (`tensor_storage.py`), `FloatStorage` and its
like (`legacy_storages.py`), the names of CUDA's (`cuda/legacy_types.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes, storage
from .autograd import door
from .autograd.node import TensorBase
from .device import META, usable
from .dtypes import type_name
from .errors import message
from .ops.create import arguments, from_data
from .size import Size
from .tensor import Tensor


def legacy_new(
    args: tuple[Any, ...], dtype: Any, device: Any = None, named: dict[str, Any] | None = None
) -> Any:
    """`FloatTensor(2, 3)`: sizes; `FloatTensor([..])`: data; `FloatTensor(tensor)`: the same type
    only. In place of these, one argument by its name: `size`, `data`, `other` or `storage`.
    RuntimeError for a device other than the CPU."""
    if device is not None:
        refuse_device(device)
    if named:
        args = by_name(args, named)
    if not args:
        return door.wrap(np.empty((0,), dtype.np))
    first = args[0]
    if len(args) == 1:
        if isinstance(first, Size):
            return door.wrap(arguments.blank(tuple(first), dtype, device, None))
        if isinstance(first, storage.StorageBase):
            return door.wrap(first.bytes().view(dtype.np))
        if isinstance(first, TensorBase):
            if first._a.dtype != dtype.np:
                raise TypeError(
                    f"expected {type_name(dtype)} (got "
                    f"{type_name(dtypes.from_numpy(first._a.dtype))})"
                )
            return door.wrap(first._a)
        if isinstance(first, np.ndarray):
            return door.wrap(first.astype(dtype.np))
        if not hasattr(first, "__index__"):
            if isinstance(first, float):
                raise TypeError("new(): data must be a sequence (got float)")
            return door.wrap(from_data.to_array(first, dtype))
    elif isinstance(first, (tuple, list)):
        raise TypeError(
            message(
                "new() received an invalid combination of arguments",
                got=f"({', '.join(type(a).__name__ for a in args)})",
                wanted="sizes, or one sequence",
            )
        )
    return door.wrap(arguments.blank(arguments.sizes_of(args, "new"), dtype, device, None))


def refuse_device(where: Any) -> None:
    """Raise for a device other than the CPU, which legacy constructors do not take."""
    if usable(where) is META:
        raise RuntimeError(
            message(
                "legacy constructor expects device type: cpu but device type: meta was passed",
                f"device={where!r}",
                hint='torch.empty(sizes, device="meta")',
            )
        )


def given(**named: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in named.items() if value is not None}


def by_name(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a legacy constructor that is told one by its name."""
    name, value = next(iter(named.items()))
    if len(named) == 1 and not args:
        if name == "size" and isinstance(value, (tuple, list)):
            return (Size(value),)
        if name == "data" or (name == "other" and isinstance(value, TensorBase)):
            return (value,)
        if name == "storage" and isinstance(value, storage.StorageBase):
            return (value,)
    kinds = [*(type(a).__name__ for a in args)]
    kinds += [f"{key}={type(v).__name__}" for key, v in named.items()]
    raise TypeError(
        message(
            "new() received an invalid combination of arguments",
            got=f"({', '.join(kinds)})",
            wanted="sizes or a sequence; or one of size=, data=, other= and storage=; and device=",
            hint="torch.tensor(data, dtype=..., requires_grad=...), or torch.empty(sizes)",
        )
    )


class _LegacyMeta(type):
    def __new__(mcs, name: str, bases: Any, space: Any) -> Any:
        if bases:
            raise TypeError(f"type 'torch.{bases[0].__name__}' is not an acceptable base type")
        return type.__new__(mcs, name, bases, space)

    dtype: Any

    def __instancecheck__(cls, obj: Any) -> bool:
        return isinstance(obj, TensorBase) and obj._a.dtype == cls.dtype.np

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def legacy_doc(name: str, dtype: Any) -> str:
    """What `help` says of FloatTensor and its like."""
    return f"""Legacy constructor of {dtype.name} tensors: sizes, or data.

    `isinstance(x, torch.{name})` asks for this dtype. New programs write `torch.tensor(data,
    dtype=torch.{dtype.name})` and `torch.empty(sizes, dtype=torch.{dtype.name})`.

    >>> torch.{name}([1, 0]).dtype, torch.{name}(2, 3).shape
    (torch.{dtype.name}, torch.Size([2, 3]))
    """


def legacy_class(name: str, dtype: Any) -> Any:
    """FloatTensor and its like: a constructor, and a type for isinstance."""

    def __new__(
        cls: Any,
        *args: Any,
        device: Any = None,
        size: Any = None,
        data: Any = None,
        other: Any = None,
        storage: Any = None,
    ) -> Any:
        named = given(size=size, data=data, other=other, storage=storage)
        return legacy_new(args, cls.dtype, device, named)

    return _LegacyMeta(
        name,
        (),
        {
            "__new__": __new__,
            "dtype": dtype,
            "is_cuda": False,
            "__module__": "rushlight",
            "__doc__": legacy_doc(name, dtype),
        },
    )


LEGACY = {
    name: legacy_class(name, d)
    for name, d in {
        "FloatTensor": dtypes.float32,
        "DoubleTensor": dtypes.float64,
        "HalfTensor": dtypes.float16,
        "BFloat16Tensor": dtypes.bfloat16,
        "LongTensor": dtypes.int64,
        "IntTensor": dtypes.int32,
        "ShortTensor": dtypes.int16,
        "CharTensor": dtypes.int8,
        "ByteTensor": dtypes.uint8,
        "BoolTensor": dtypes.bool,
    }.items()
}
NAME_OF = {cls.dtype: name for name, cls in LEGACY.items()}


def legacy_type(name: Any) -> Any:
    """The dtype that 'torch.FloatTensor' or the class FloatTensor stands for."""
    if isinstance(name, dtypes.dtype):
        return name
    if isinstance(name, _LegacyMeta):
        return name.dtype
    if getattr(name, "__module__", "") == "rushlight.cuda" and hasattr(name, "dtype"):
        usable("cuda")
        return name.dtype
    if isinstance(name, str):
        short = name.rpartition(".")[2]
        if "cuda" in name:
            usable("cuda")
        if short in LEGACY:
            return LEGACY[short].dtype
        if short == "Tensor":
            return dtypes.get_default_dtype()
    elif name is Tensor:
        return dtypes.get_default_dtype()
    raise ValueError(f"invalid type: '{getattr(name, '__name__', name)}'")
