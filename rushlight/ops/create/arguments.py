"""Sizes, types and devices as factories are given them, and the tensor that comes out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import config, dtypes
from ...autograd import door
from ...autograd.call_errors import too_much
from ...autograd.node import LEAF, TensorBase
from ...autograd.steps import Step
from ...device import META, usable
from ...errors import message
from ...kernels.meta import MetaArray
from ...layout import channels_last, contiguous_format, preserve_format
from ...layout import layout as Layout
from ..core.publication import write_out


def finish(a: Any, requires_grad: bool = False, device: Any = None, out: Any = None) -> Any:
    """The new tensor of a factory: on its device, a leaf, or written to `out`."""
    if out is not None:
        written = into(out, a, device)
        if requires_grad:
            refuse_grad(written._a)
            written.requires_grad_()
        return written
    if device is not None and a.__class__ is not MetaArray and usable(device) is META:
        a = MetaArray(a.shape, a.dtype)
    t = door.wrap(a)
    if requires_grad:
        refuse_grad(a)
        t._fn = LEAF
    return t


def refuse_grad(a: Any) -> None:
    """Raise PyTorch's error about a factory of integers or bools that shall require grad."""
    if a.dtype.kind not in "fcVW":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


def into(out: Any, a: Any, device: Any) -> Any:
    """`out=` of a factory, which takes the shape of what is asked for."""
    if isinstance(out, TensorBase):
        own = "meta" if out._a.__class__ is MetaArray else "cpu"
        if device is not None and usable(device).type != own:
            raise RuntimeError(
                f"device type {usable(device).type} does not match device type of out parameter "
                f"({own})"
            )
        if out._a.size and out._a.shape != a.shape and out._a.__class__ is np.ndarray:
            out.resize_(a.shape)  # type: ignore[attr-defined]
    return write_out("factory", out, door.wrap(a))


def in_shape_of(a: Any, out: Any) -> Any:
    """A sequence of numbers in the shape of `out=`, where the count is that of its elements."""
    if isinstance(out, TensorBase) and a.size == out._a.size and a.shape != out._a.shape:
        return a.reshape(out._a.shape)
    return a


def type_of_out(out: Any, dtype: Any) -> Any:
    """The type of `out=`, which a factory computes in; RuntimeError when `dtype=` is another."""
    own = dtypes.from_numpy(out._a.dtype) if isinstance(out, TensorBase) else None
    if own is None or dtype is None:
        return own or dtype
    if dtypes.of(dtype) is not own:
        raise RuntimeError(
            message(
                f"dtype {dtypes.type_name(dtypes.of(dtype))} does not match dtype of out parameter "
                f"({dtypes.type_name(own)})",
                hint="leaving dtype= out",
            )
        )
    return own


def sizes_of(size: Any, name: str = "empty") -> tuple[int, ...]:
    """`zeros(2, 3)`, `zeros((2, 3))` and `zeros(size)` alike; errors name the function."""
    together = len(size) == 1 and isinstance(size[0], (tuple, list))
    if together:
        size = size[0]
    for n in size:
        if n.__class__ is not int or n < 0:
            break
    else:
        return tuple(size)
    out = []
    for i, n in enumerate(size):
        first = not i and n.__class__ is bool  # PyTorch lets further ones pass
        if isinstance(n, (float, str)) or first or not hasattr(n, "__index__"):
            kind = type(n).__name__
            what = "(position 1) must be tuple of ints, "
            if together:
                what += f"but found element of type {kind} at pos {i}"
            elif len(size) == 1:
                what += f"not {kind}"
            else:
                what = (
                    f"failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {kind}"'
                )
            raise TypeError(
                message(
                    f"{name}(): argument 'size' {what}",
                    wanted="whole numbers",
                    hint="int(n)" if isinstance(n, float) else None,
                )
            )
        n = n.__index__()
        if n < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {n}: {[int(x) for x in size]}"
            )
        out.append(n)
    return tuple(out)


def blank(shape: tuple[int, ...], dtype: Any, device: Any, fill: Any) -> Any:
    """An array of a dtype on a device, filled (None: whatever is there)."""
    d = dtypes.get_default_dtype() if dtype is None else dtype
    if d.__class__ is not dtypes.dtype:
        d = dtypes.of(d)
    if usable(device) is META:
        return MetaArray(shape, d.np)
    if door.state.observers:
        step = _empty if fill is None else _zeros if fill == 0 else _ones if fill == 1 else _full
        return door.perform(step, (), {"shape": shape, "dtype": d.np, "fill": fill})
    return _filled(shape, d.np, fill)


def _filled(shape: tuple[int, ...], dtype: Any, fill: Any) -> Any:
    try:
        return _made(shape, dtype, fill)
    except (MemoryError, ValueError) as error:
        names = {None: "empty", 0: "zeros", 1: "ones"}
        name = names.get(fill, "full")
        raise too_much(name, error) from None


def _made(shape: tuple[int, ...], dtype: Any, fill: Any) -> Any:
    if fill is None:
        return undefined(np.empty(shape, dtype))
    if fill == 0:
        return np.zeros(shape, dtype)
    a = np.empty(shape, dtype)
    a.fill(stored(fill, dtype))
    return a


def undefined(a: Any) -> Any:
    """Memory that nobody has filled; under deterministic algorithms NaN, or the largest number."""
    settings = config.current
    if settings.deterministic and settings.fill_uninitialized_memory:
        kind = a.dtype.kind
        if kind in "iu":
            a.fill(np.iinfo(a.dtype).max)
        else:
            a.fill(True if kind == "b" else np.nan)
    return a


_empty, _zeros, _ones, _full = (
    Step(name, _filled, shown="aten::" + name) for name in ("empty", "zeros", "ones", "full")
)


def in_layout(
    name: str, layout: Any, shape: Any, dtype: Any = None, requires_grad: bool = False
) -> Any:
    """A factory's tensor in a sparse layout, or the error of one that makes dense tensors alone.
    None where the layout is the dense one."""
    if layout is None or repr(layout) == "torch.strided":
        return None
    from ...sparse import create

    if layout.__class__ is not Layout:
        raise TypeError(
            message(
                f"{name}(): argument 'layout' must be torch.layout, not {type(layout).__name__}",
                got=repr(layout),
            )
        )
    kind = None if dtype is None else dtypes.of(dtype)
    return create.filled(name, shape, kind, layout, requires_grad)


def into_layout(made: Any, out: Any) -> Any:
    """`out=` of a factory that is asked for a sparse layout."""
    if made.layout is out.layout:
        return write_out("factory", out, made)
    asked, own = (str(t.layout).removeprefix("torch.").capitalize() for t in (made, out))
    raise RuntimeError(
        message(
            f"layout {asked} does not match layout of out parameter ({own})",
            hint="leaving layout= out, or out=",
        )
    )


def order_of(memory_format: Any, ndim: int) -> str:
    """A memory format as an order of memory: "K", "C" or "channels_last"."""
    if memory_format is None or memory_format is preserve_format:
        return "K"
    if memory_format is contiguous_format:
        return "C"
    rank = 4 if memory_format is channels_last else 5
    if ndim != rank:
        raise RuntimeError(
            message(
                f"required rank {rank} tensor to use {str(memory_format)[6:]} format",
                got=f"{ndim} dimensions",
            )
        )
    return "channels_last"


def ordered(shape: tuple[int, ...], dtype: Any, order: str) -> Any:
    """Uninitialised memory in row-major order, or with the channels innermost."""
    if order != "channels_last":
        return np.empty(shape, dtype)
    return np.moveaxis(np.empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)


def channels_last_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The steps of an array with its channels innermost in memory."""
    strides, step = [0] * len(shape), itemsize
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        strides[d] = step
        step *= max(shape[d], 1)
    return tuple(strides)


def given_size(name: str, size: tuple[Any, ...], kw: dict[str, Any]) -> tuple[int, ...]:
    """The sizes of a factory call, positional or as `size=`; any other keyword is a TypeError."""
    if not size and "size" in kw:
        size = (kw.pop("size"),)
    if kw:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(kw))}'")
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return sizes_of(size, name)


C_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "int64_t",
    "int32": "int",
    "int16": "int16_t",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "bool": "bool",
}


def fits_plainly(value: Any, dtype: Any) -> bool:
    """Whether a number fits float32 or float64, without looking up what the type holds."""
    kind = value.__class__
    return (kind is float or kind is int) and (dtype is door.F32 or dtype is door.F64) and (
        (0 if kind is int else -1e30) <= value <= 127
    )  # fmt: skip


def stored(value: Any, dtype: Any) -> Any:
    """A number as a 0-d array of a type; RuntimeError when it does not fit (uint8 takes -1 as 255,
    as in C).
    """
    if fits_plainly(value, dtype):
        return np.asarray(value, dtype)
    kind = dtype.kind
    fits = True
    if isinstance(value, complex) and kind not in "cbW":
        fits, value = value.imag == 0, value.real
    if kind in "iu" and isinstance(value, (int, float)):
        if math.isfinite(value):
            info = np.iinfo(dtype)
            if isinstance(value, float):  # without the wrapping that whole numbers have
                fits = fits and float(info.min) <= value <= float(info.max)
                value = int(value)
            else:
                fits = fits and (-info.max if kind == "u" else info.min) <= value <= info.max
            value = np.uint64(value & (2**64 - 1))
        else:
            fits = False
    elif kind == "f" and isinstance(value, (int, float)) and math.isfinite(value):
        known = dtype.char in "efd"  # float8_e5m2 calls itself a float and is not NumPy's
        most = np.finfo(dtype).max if known else dtypes.finfo(dtypes.from_numpy(dtype)).max
        fits = fits and abs(value) <= most
    if not fits:
        name = dtypes.from_numpy(dtype).name
        raise RuntimeError(
            message(
                f"value cannot be converted to type {C_NAMES.get(name, name)} without overflow",
                got=repr(value),
            )
        )
    return np.asarray(value).astype(dtype)


_stored = Step("stored", stored)


def number(value: Any, dtype: Any) -> Any:
    """`stored`, and observers see it."""
    if door.state.observers:
        return door.perform(_stored, (), {"value": value, "dtype": dtype})
    return stored(value, dtype)
