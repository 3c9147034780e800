"""Plain Python and NumPy values of a checkpoint: what their names in a file stand for.

Every function here runs with arguments that a file chose, so each checks the types of all of them,
and none allocates more than it was given. Read next: `rebuild.py`, the same for tensors.
"""

from __future__ import annotations

import builtins
import collections
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..device import device
from ..size import Size
from .unpickler import Known, broken, hashable, refuse_crowds, shown


def names_and_values(state: Any) -> dict[str, Any]:
    """`state` if it is a dict of attributes, as the state of an object is."""
    if not isinstance(state, dict) or not all(type(key) is str for key in state):
        raise broken("the state of an object is no dict of names", f"a {type(state).__name__}")
    return state


def _fill_attributes(target: Any, state: Any) -> None:
    target.__dict__.update(names_and_values(state))


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    if isinstance(items, dict):
        return list(items.items())
    pairs = isinstance(items, list | tuple)  # list(range(10**12)) would allocate
    if not pairs or not all(isinstance(p, list | tuple) and len(p) == 2 for p in items):
        raise broken("the items of a dict are no list of pairs")
    return [(hashable(key, {}), value) for key, value in items]


def _ordered_dict(items: Any = ()) -> Any:
    return collections.OrderedDict(_pairs(items))


def _counter(items: Any = ()) -> Any:
    if not isinstance(items, dict):
        raise broken("a Counter is not made of a dict")
    return collections.Counter(items)


def _default_dict(factory: Any = None, items: Any = ()) -> Any:
    if factory not in (None, list, dict, set, int, float, str, bool, tuple):
        raise broken("a defaultdict makes what it may not", shown(factory), "a plain type")
    return collections.defaultdict(factory, _pairs(items))


def _set_of(items: Any = ()) -> Any:
    if not isinstance(items, list | tuple | set | frozenset):
        raise broken("a set is not made of a list")
    if not isinstance(items, set | frozenset):
        refuse_crowds(items)
    return {hashable(item, {}) for item in items}


def _frozen_set_of(items: Any = ()) -> Any:
    return frozenset(_set_of(items))


def _encode(text: Any, encoding: Any = "utf-8") -> bytes:
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8"):
        raise broken("bytes are spelled in an unknown way", shown(encoding))
    return text.encode(encoding)


def _bytes(numbers: Any = ()) -> bytes:
    if not isinstance(numbers, tuple | list):  # protocol 2 spells b"" so; bytes(10**12) allocates
        raise broken("bytes are not made of a list")
    return bytes(numbers)


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


def _device(*args: Any) -> device:
    if not all(type(a) in (str, int) for a in args):
        raise broken("a device is not named by text", shown(args))
    try:
        return device(*args)
    except (RuntimeError, TypeError, ValueError) as error:
        raise broken(f"its device is unknown ({str(error)[:160]})", shown(args)) from error


# NumPy values. Only numbers, booleans, times and text: never objects, never records with fields.

_PLAIN = "biufcSUmM"


def _np_dtype(code: Any, align: Any = False, copy: Any = False) -> np.dtype:
    if type(code) is not str or not re.fullmatch(rf"[<>|=]?[?{_PLAIN}][0-9]{{0,8}}", code):
        raise broken("a NumPy type is not plain", shown(code))
    return np.dtype(code, False, True)  # a copy: its state follows and must not change NumPy's own


def _np_dtype_state(dtype: Any, state: Any) -> None:
    if not isinstance(state, tuple) or len(state) < 2 or state[1] not in ("|", "=", "<", ">"):
        raise broken("the state of a NumPy type is malformed")
    own = list(np.dtype(dtype).newbyteorder(state[1]).__reduce__()[2])
    if dtype.kind in "mM" and len(state) == 9:  # the unit of a time
        _, unit = state[8]
        name, *steps = unit
        if (
            type(name) not in (bytes, str)
            or len(steps) > 4
            or any(type(n) is not int for n in steps)
        ):
            raise broken("the state of a NumPy type is malformed")
        own[8:] = [({}, unit)]
    dtype.__setstate__(tuple(own))


def _np_raw(raw: Any) -> bytes | bytearray:
    if type(raw) is str:  # as protocol 2 and Python 2 spell bytes
        return raw.encode("latin-1")
    if not isinstance(raw, bytes | bytearray):
        raise broken("a NumPy value is not made of bytes")
    return raw


def _np_plain(dtype: Any) -> np.dtype:
    if not isinstance(dtype, np.dtype) or dtype.kind not in _PLAIN or dtype.itemsize == 0:
        raise broken("a NumPy type is not plain", shown(dtype))
    return dtype


def _np_scalar(dtype: Any, raw: Any) -> Any:
    dtype, raw = _np_plain(dtype), _np_raw(raw)
    if len(raw) != dtype.itemsize:
        raise broken("a NumPy number is malformed")
    return np.frombuffer(raw, dtype)[0]


def _np_empty(cls: Any, shape: Any, code: Any) -> np.ndarray:
    if cls is not np.ndarray or shape != (0,):
        raise broken("a NumPy array is malformed")
    return np.empty((0,), np.int8)


def _np_array_state(target: Any, state: Any) -> None:
    _version, shape, dtype, fortran, raw = state
    dtype, raw = _np_plain(dtype), bytes(_np_raw(raw))
    _check_length(shape, dtype, raw)
    target.__setstate__((1, tuple(shape), dtype, bool(fortran), raw))


def _np_from_buffer(raw: Any, dtype: Any, shape: Any, order: Any, axes: Any = None) -> np.ndarray:
    dtype, raw = _np_plain(dtype), _np_raw(raw)
    _check_length(shape, dtype, raw)
    if order not in ("C", "F") or axes is not None:
        raise broken("a NumPy array is malformed")
    return np.frombuffer(raw, dtype).reshape(shape, order=order).copy(order="K")


def _check_length(shape: Any, dtype: np.dtype, raw: Any) -> None:
    if not isinstance(shape, tuple) or len(shape) > 64:
        raise broken("a NumPy array is malformed")
    if not all(type(n) is int and 0 <= n < 2**62 for n in shape):
        raise broken("a NumPy array is malformed", shown(shape))
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise broken("a NumPy array has the wrong length", f"{len(raw)} bytes for {shown(shape)}")


def entries() -> Iterator[tuple[str, Known]]:
    """The rows of the table for plain values."""
    yield "torch.device", Known(device, call=_device)
    yield "torch.Size", Known(Size, call=_size, copies=True)
    ordered = collections.OrderedDict
    yield (
        "collections.OrderedDict",
        Known(ordered, call=_ordered_dict, new=_ordered_dict, build=_fill_attributes, copies=True),
    )
    yield "collections.Counter", Known(collections.Counter, call=_counter, copies=True)
    yield "collections.defaultdict", Known(collections.defaultdict, call=_default_dict, copies=True)
    yield "_codecs.encode", Known(_encode, call=_encode, copies=True)
    for plain in (list, dict, int, float, str, bool, tuple):
        yield f"builtins.{plain.__name__}", Known(plain)
    for constant in ("Ellipsis", "NotImplemented"):
        yield f"builtins.{constant}", Known(getattr(builtins, constant))
    yield "builtins.set", Known(set, call=_set_of, copies=True)
    yield "builtins.frozenset", Known(frozenset, call=_frozen_set_of, copies=True)
    yield "builtins.bytes", Known(bytes, call=_bytes, copies=True)
    yield "builtins.bytearray", Known(bytearray, call=_bytearray, copies=True)
    yield "builtins.complex", Known(complex, call=_numbers(complex, (int, float)))
    ends = (int, type(None))
    yield "builtins.range", Known(range, call=_numbers(range, ends))
    yield "builtins.slice", Known(slice, call=_numbers(slice, ends))
    for core in ("numpy.core", "numpy._core"):
        yield f"{core}.multiarray.scalar", Known(_np_scalar, call=_np_scalar, copies=True)
        yield f"{core}.multiarray._reconstruct", Known(_np_empty, call=_np_empty)
        yield (
            f"{core}.numeric._frombuffer",
            Known(_np_from_buffer, call=_np_from_buffer, copies=True),
        )
    yield "numpy.ndarray", Known(np.ndarray, build=_np_array_state, copies=True)
    yield "numpy.dtype", Known(np.dtype, call=_np_dtype, build=_np_dtype_state)
