"""The closed table: every name that a checkpoint may mention, and what it may be used for.

Names are PyTorch's, since the format is. Nothing is ever imported because a file asks for it; a
name outside the table is an error unless the user allowed it (`add_safe_globals`).

Not here: how a pickle is read (`unpickler.py`). Read next: `loading.py`.
"""

from __future__ import annotations

import collections
import contextlib
import math
import re
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import dtypes
from ..device import device
from ..errors import message
from ..kernels.meta import MetaArray
from ..size import Size
from .blocks import STORAGE_NAMES, Block, StorageKind, view
from .errors import CheckpointError
from .unpickler import Known, broken, hashable

SafeGlobal = Any  # a class or function, or a pair of one and the name it goes by in files

_user: dict[str, Any] = {}


def add_safe_globals(safe_globals: list[SafeGlobal]) -> None:
    """Allow `load` to use these classes and functions, from now on.

    A class listed here may be called and its `__setstate__` run with whatever a file holds, so list
    only those that are harmless with any argument.

    Args:
        safe_globals: classes or functions, or pairs `(object, "module.name in the file")`.

    >>> import argparse
    >>> add_safe_globals([argparse.Namespace])
    >>> argparse.Namespace in get_safe_globals()
    True
    >>> clear_safe_globals()
    """
    for item in safe_globals:
        if isinstance(item, tuple):
            if len(item) != 2 or not isinstance(item[1], str):
                raise ValueError(f"Expected a pair (object, 'full.name'), got {item!r}")
            _user[item[1]] = item[0]
        elif callable(item):
            _user[full_name(item)] = item
        else:
            raise TypeError(f"add_safe_globals takes classes and functions, got {item!r}")


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` has allowed."""
    return list(_user.values())


def clear_safe_globals() -> None:
    """Take back everything that `add_safe_globals` has allowed."""
    _user.clear()


class safe_globals(contextlib.ContextDecorator):
    """`with safe_globals([Class]): load(...)`: allow names inside the block only."""

    def __init__(self, safe_globals: list[SafeGlobal]) -> None:
        self._added = safe_globals

    def __enter__(self) -> None:
        self._before = dict(_user)
        add_safe_globals(self._added)

    def __exit__(self, *_: object) -> None:
        _user.clear()
        _user.update(self._before)


def full_name(thing: Any) -> str:
    """`module.qualified.name` of a class or function."""
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", type(thing).__name__)
    return f"{thing.__module__}.{name}"


class Table:
    """The names allowed in one call of `load`.

    Args:
        weights_only: False also allows the classes of `nn` and `optim` (a module saved whole).
    """

    def __init__(self, weights_only: bool) -> None:
        self._weights_only = weights_only

    def __call__(self, module: str, name: str) -> Known:
        """The entry of `module.name`; CheckpointError for a name that is not allowed."""
        # Protocol 2 spells Python's own names as Python 2 did.
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        full = f"{module}.{name}"
        if full in _user:
            return _allowed_by_user(_user[full])
        if module == "rushlight" or module.startswith("rushlight."):
            module = "torch" + module[len("rushlight") :]
            full = f"{module}.{name}"
        known = _table().get(full)
        if known is None and not self._weights_only:
            known = _library_class(module, name)
        if known is None:
            raise _not_allowed(full, self._weights_only)
        return known

    def allows(self, module: str, name: str) -> bool:
        """Whether the table holds the name."""
        try:
            self(module, name)
        except CheckpointError:
            return False
        return True


def _not_allowed(full: str, weights_only: bool) -> CheckpointError:
    if any(part in full for part in ("_rebuild_qtensor", "_rebuild_sparse", "_rebuild_nested")):
        return CheckpointError(
            message(
                "load: this kind of tensor is not supported",
                got=full,
                wanted="dense tensors",
                hint="saving tensor.dequantize() or tensor.to_dense() in PyTorch",
            )
        )
    short = full.rsplit(".", 1)[-1]
    kind = "Weights only load failed. " if weights_only else ""
    hint = (
        f"rushlight.serialization.add_safe_globals([{short}]) if you wrote {short} "
        "and trust this file;\n"
        "better: saving model.state_dict() and plain values, then load_state_dict"
    )
    if weights_only and full.startswith(("torch.nn.", "torch.optim.")):
        hint = f"load(..., weights_only=False), which allows the library's own modules;\n{hint}"
    return CheckpointError(
        message(
            f"load: {kind}Unsupported global: GLOBAL {full} was not an allowed global by default",
            got=f"a file that mentions {full}",
            wanted="tensors, plain Python values and the classes in get_safe_globals();\n"
            "load never executes what a file names, also with weights_only=False",
            hint=hint,
        )
    )


def _allowed_by_user(thing: Any) -> Known:
    if not isinstance(thing, type):
        return Known(thing, call=thing)
    return Known(thing, call=thing, new=_maker(thing), build=_set_state)


def _library_class(module: str, name: str) -> Known | None:
    """A class (or, as data, a function) of `nn` or `optim`, under any of PyTorch's paths to it."""
    from .. import nn, optim

    short = name.rsplit(".", 1)[-1]
    if module == "torch.nn.functional" or module.startswith("torch.nn.functional."):
        found = getattr(nn.functional, short, None)
        return Known(found) if callable(found) else None
    for prefix, space, base in (
        ("torch.nn", nn, nn.Module),
        ("torch.optim", optim, getattr(optim, "Optimizer", nn.Module)),
    ):
        if module == prefix or module.startswith(prefix + "."):
            found = getattr(space, short, None)
            if isinstance(found, type) and issubclass(found, base):
                return Known(found, new=_maker(found), build=_set_state)
    return None


def _maker(cls: type) -> Callable[..., Any]:
    return lambda *args, **keywords: cls.__new__(cls, *args, **keywords)


def _set_state(target: Any, state: Any) -> None:
    own = getattr(target, "__setstate__", None)
    if own is not None:
        own(state)
        return
    fields, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    target.__dict__.update(_names_and_values(fields or {}))
    for key, value in _names_and_values(slots or {}).items():
        setattr(target, key, value)


def _names_and_values(state: Any) -> dict[str, Any]:
    if not isinstance(state, dict) or not all(type(key) is str for key in state):
        raise broken("the state of an object is no dict of names", f"a {type(state).__name__}")
    return state


# Plain Python values


def _fill_attributes(target: Any, state: Any) -> None:
    target.__dict__.update(_names_and_values(state))


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    if isinstance(items, dict):
        return list(items.items())
    if type(items) is not list or not all(
        isinstance(p, list | tuple) and len(p) == 2 for p in items
    ):
        raise broken("the items of a dict are no list of pairs")
    return [(hashable(key, {}), value) for key, value in items]


def _ordered_dict(items: Any = ()) -> Any:
    return collections.OrderedDict(_pairs(list(items)))


def _counter(items: Any = ()) -> Any:
    if not isinstance(items, dict):
        raise broken("a Counter is not made of a dict")
    return collections.Counter(items)


def _default_dict(factory: Any = None, items: Any = ()) -> Any:
    if factory not in (None, list, dict, set, int, float, str, bool, tuple):
        raise broken("a defaultdict makes what it may not", f"{factory!r}"[:80], "a plain type")
    return collections.defaultdict(factory, _pairs(list(items)))


def _set_of(items: Any = ()) -> Any:
    if not isinstance(items, list | tuple | set | frozenset):
        raise broken("a set is not made of a list")
    return {hashable(item, {}) for item in items}


def _encode(text: Any, encoding: Any = "utf-8") -> bytes:
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8"):
        raise broken("bytes are spelled in an unknown way", f"encoding {encoding!r}"[:80])
    return text.encode(encoding)


def _bytearray(text: Any = b"", encoding: Any = None) -> bytearray:
    if type(text) is str:
        return bytearray(_encode(text, encoding))
    if not isinstance(text, bytes | bytearray):  # bytearray(10**12) would allocate
        raise broken("a bytearray is not made of bytes")
    return bytearray(text)


def _numbers(make: Callable[..., Any], kinds: tuple[type, ...]) -> Callable[..., Any]:
    def of_numbers(*args: Any) -> Any:
        if not all(type(a) in kinds for a in args):
            raise broken(f"a {make.__name__} is not made of numbers")
        return make(*args)

    return of_numbers


def _size(items: Any = ()) -> Size:
    if not isinstance(items, list | tuple) or not all(type(i) is int for i in items):
        raise broken("a Size is not made of ints")
    return Size(items)


# NumPy values, which older checkpoints hold. Only numbers, booleans and text: never objects.


def _np_dtype(code: Any, align: Any = False, copy: Any = False) -> np.dtype:
    if type(code) is not str or not re.fullmatch(r"[<>|=]?[?biufcSU][0-9]{0,8}", code):
        raise broken("a NumPy type is not plain", f"{code!r}"[:80])
    return np.dtype(code)


def _np_dtype_state(dtype: Any, state: Any) -> None:
    if not isinstance(state, tuple) or len(state) < 2 or state[1] not in ("|", "=", "<", ">"):
        raise broken("the state of a NumPy type is malformed")
    if not np.dtype(dtype).newbyteorder(state[1]).isnative:
        raise broken("a NumPy array has the other byte order")


def _np_scalar(dtype: Any, raw: Any) -> Any:
    if not isinstance(dtype, np.dtype) or type(raw) is str:
        raw = raw.encode("latin-1") if type(raw) is str else raw
    if not isinstance(dtype, np.dtype) or len(raw) != dtype.itemsize:
        raise broken("a NumPy number is malformed")
    return np.frombuffer(raw, dtype)[0]


def _np_empty(cls: Any, shape: Any, code: Any) -> np.ndarray:
    if cls is not np.ndarray or shape != (0,):
        raise broken("a NumPy array is malformed")
    return np.empty((0,), np.int8)


def _np_array_state(target: Any, state: Any) -> None:
    _version, shape, dtype, fortran, raw = state
    raw = raw.encode("latin-1") if type(raw) is str else raw
    plain = isinstance(dtype, np.dtype) and dtype.kind in "biufcSU" and isinstance(raw, bytes)
    if not plain or not all(type(n) is int and n >= 0 for n in shape):
        raise broken("a NumPy array is malformed")
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise broken("a NumPy array has the wrong length", f"{len(raw)} bytes for {tuple(shape)}")
    target.__setstate__((1, tuple(shape), dtype, bool(fortran), raw))


# Tensors. The names of the functions are those that PyTorch's files call.


def _tensor(
    block: Any, dtype: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, metadata: Any
) -> Any:
    from ..tensor import Tensor

    if not isinstance(block, Block) or not isinstance(dtype, dtypes.dtype):
        raise broken("a tensor has no storage")
    if block.memory is None:
        return _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad)
    array = view(block, dtype, offset, size, stride)
    if metadata:
        if metadata.get("conj"):
            array = np.conj(array)
        if metadata.get("neg"):
            array = np.negative(array)
    made = Tensor._wrap(array)
    return made.requires_grad_() if requires_grad is True else made


def _rebuild_tensor(block: Any, offset: Any, size: Any, stride: Any) -> Any:
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
    from ..tensor import Tensor

    size, stride = tuple(size), tuple(stride)
    fine = isinstance(dtype, dtypes.dtype) and len(size) == len(stride)
    if not fine or not all(type(n) is int and n >= 0 for n in (*size, *stride)):
        raise broken("a tensor has an impossible shape", f"size {size}, stride {stride}"[:200])
    made: Any = Tensor._wrap(MetaArray(size, dtype.np, tuple(s * dtype.itemsize for s in stride)))
    return made.requires_grad_() if requires_grad is True else made


def _rebuild_parameter(data: Any, requires_grad: Any, _hooks: Any = None) -> Any:
    from ..nn import Parameter
    from ..tensor import Tensor

    if not isinstance(data, Tensor):
        raise broken("a parameter has no tensor")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, hooks: Any, state: Any) -> Any:
    return _with_attributes(_rebuild_parameter(data, requires_grad, hooks), state)


def _rebuild_from_type_v2(function: Any, cls: Any, args: Any, state: Any) -> Any:
    if function not in _REBUILD.values() or function is _rebuild_from_type_v2:
        raise broken("a tensor is rebuilt by what is no rebuild function")
    made = function(*args)
    if isinstance(cls, type) and not isinstance(made, cls):
        made = made.as_subclass(cls)
    return _with_attributes(made, state)


def _with_attributes(tensor: Any, state: Any) -> Any:
    fields = state[0] if isinstance(state, tuple) and state else state
    tensor.__dict__.update(_names_and_values(fields or {}))
    return tensor


_REBUILD: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": _rebuild_tensor_v3,
    "torch._utils._rebuild_meta_tensor_no_storage": _rebuild_meta_tensor_no_storage,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
}
_built: dict[str, Known] = {}


def _table() -> dict[str, Known]:
    if not _built:
        _built.update(_entries())
    return _built


def _entries() -> Iterator[tuple[str, Known]]:
    from ..nn import Parameter
    from ..tensor import Tensor

    for full, function in _REBUILD.items():
        yield full, Known(function, call=function)
    for name, dtype in STORAGE_NAMES.items():
        kind = Known(StorageKind(dtype))
        for module in ("torch", "torch.storage", "torch.cuda"):
            yield f"{module}.{name}", kind
    for d in dtypes.ALL:
        yield f"torch.{d.name}", Known(d)
    yield "torch.Tensor", Known(Tensor)
    yield "torch._tensor.Tensor", Known(Tensor)
    yield "torch.nn.parameter.Parameter", Known(Parameter)
    yield "torch.nn.Parameter", Known(Parameter)
    yield "torch.device", Known(device, call=_numbers(device, (str, int)))
    yield "torch.Size", Known(Size, call=_size)
    ordered = collections.OrderedDict
    yield (
        "collections.OrderedDict",
        Known(ordered, call=_ordered_dict, new=_ordered_dict, build=_fill_attributes),
    )
    yield "collections.Counter", Known(collections.Counter, call=_counter)
    yield "collections.defaultdict", Known(collections.defaultdict, call=_default_dict)
    yield "_codecs.encode", Known(_encode, call=_encode)
    for plain in (list, dict, int, float, str, bool, tuple):
        yield f"builtins.{plain.__name__}", Known(plain)
    yield "builtins.set", Known(set, call=_set_of)
    yield "builtins.frozenset", Known(frozenset, call=lambda items=(): frozenset(_set_of(items)))
    yield "builtins.bytearray", Known(bytearray, call=_bytearray)
    yield "builtins.complex", Known(complex, call=_numbers(complex, (int, float)))
    ends = (int, type(None))
    yield "builtins.range", Known(range, call=_numbers(range, ends))
    yield "builtins.slice", Known(slice, call=_numbers(slice, ends))
    for core in ("numpy.core", "numpy._core"):
        yield f"{core}.multiarray.scalar", Known(_np_scalar, call=_np_scalar)
        yield f"{core}.multiarray._reconstruct", Known(_np_empty, call=_np_empty)
    yield "numpy.ndarray", Known(np.ndarray, build=_np_array_state)
    yield "numpy.dtype", Known(np.dtype, call=_np_dtype, build=_np_dtype_state)
