"""Tensors from data: numbers, nested sequences, arrays, buffers, with PyTorch's inference of types.

Factories that need no data are in `factories.py`, which hands these names on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.steps import step
from ...device import META, refuse_pinned, usable
from ...device import _stack as defaults
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ...once import users_level, warn_once
from ...storage import StorageBase, elements_of
from ..core.composite import composite
from ..core.samples import case, static
from .arguments import finish

# -- from data -----------------------------------------------------------------------------------


TEXT = "numbers in place of text: {name: i for i, name in enumerate(names)} gives each one"


def _no_dtype(data: Any) -> RuntimeError:
    """The error of something that no number can be made of."""
    hint = None
    if data is None:
        hint = 'float("nan") where a value is missing'
    elif isinstance(data, dict):
        hint = "torch.tensor(list(x.values())), or a tensor for each of its values"
    elif hasattr(data, "__iter__"):
        hint = "torch.tensor(list(x))"
    return RuntimeError(message(f"Could not infer dtype of {type(data).__name__}", hint=hint))


def to_array(data: Any, dtype: Any) -> Any:
    """Python numbers, nested sequences, arrays and tensors as a new array, with PyTorch's
    inference.
    """
    if isinstance(data, TensorBase):
        a = data._a
        return a.astype(dtype.np) if dtype is not None else a.copy()
    if isinstance(data, (np.ndarray, np.generic)):
        a = np.asarray(data)
        d = dtype or dtypes.from_numpy(a.dtype)
        return a.astype(d.np)
    if isinstance(data, (bool, int, float, complex)):
        d = dtype or dtypes.scalar_dtype(data)
        return scalar_array(data, d)
    if isinstance(data, (str, bytes)) and not isinstance(data, bytes):
        raise TypeError(message(f"new(): invalid data type '{type(data).__name__}'", hint=TEXT))
    if hasattr(data, "__array__") and not isinstance(data, (list, tuple)):
        return to_array(np.asarray(data), dtype)
    if hasattr(data, "__dlpack__"):
        from ...interchange import from_dlpack

        return to_array(from_dlpack(data), dtype)
    no_sequence = not hasattr(data, "__len__") or not hasattr(data, "__getitem__")
    if no_sequence or isinstance(data, (dict, set)):
        raise _no_dtype(data)
    return sequence_array(data, dtype)


def scalar_array(value: Any, d: Any) -> Any:
    if isinstance(value, complex) and not d.is_complex:
        if d is not dtypes.bool:
            raise _no_complex(value, d)
        value = value != 0
    if d.category == dtypes.INT:
        if value.__class__ is int and 0 <= value < 128:  # which every type has
            return np.array(value, d.np)
        return whole([value], d).reshape(())
    return np.asarray(value, d.np)


def _no_complex(value: complex, d: Any) -> TypeError:
    """The error of a complex number for a type that has none."""
    whole = d.category == dtypes.INT
    return TypeError(
        message(
            "'complex' object cannot be interpreted as an integer"
            if whole
            else "must be real number, not complex",
            got=f"{value} for {d!r}",
            hint="the real part, z.real",
        )
    )


def whole(values: list[Any], d: Any) -> Any:
    """Numbers as an array of an integer type: floats are cut off, negative ones wrap in unsigned
    types as in C, and what does not fit is an error of PyTorch's."""
    least, most = int(np.iinfo(d.np).min), int(np.iinfo(d.np).max)
    for v in values:
        if isinstance(v, float):
            fits = float(least) <= v <= float(most)
        elif d is dtypes.uint64:
            if not 0 <= v <= most:
                what = "can't convert negative int to unsigned" if v < 0 else "int too big"
                raise OverflowError(message(what, got=v, wanted=f"0 to {most} for {d!r}"))
            continue
        elif not -(2**63) <= v < 2**63:
            raise ValueError(
                message(
                    "Overflow when unpacking long long",
                    got=v,
                    hint="dtype=torch.float64, which holds larger numbers",
                )
            )
        else:
            fits = -most - (least != 0) <= v <= most
        if not fits:
            raise RuntimeError(
                message(
                    f"value cannot be converted to type {d.name} without overflow",
                    got=v,
                    wanted=f"{least} to {most}",
                )
            )
    wide = [int(v) & 0xFFFFFFFFFFFFFFFF for v in values]
    return np.array(wide, np.uint64).astype(d.np)


def sequence_array(data: Any, dtype: Any) -> Any:
    leaves: list[Any] = []
    shape = measure(data)
    collect(data, shape, 0, leaves)
    found: Any = None
    for v in leaves:
        d = (
            dtypes.from_numpy(v._a.dtype)
            if isinstance(v, TensorBase)
            else (
                dtypes.from_numpy(v.dtype)
                if isinstance(v, (np.ndarray, np.generic))
                else dtypes.scalar_dtype(v)
            )
        )
        if d is not found:
            found = d if found is None else dtypes.promote_types(found, d)
    d = dtype or found or dtypes.get_default_dtype()
    if leaves and all(isinstance(v, np.ndarray) for v in leaves):
        return np.stack([v.astype(d.np) for v in leaves]).reshape(shape)
    numbers = []
    for v in leaves:
        if isinstance(v, np.ndarray):
            numbers += v.reshape(-1).tolist()
        elif isinstance(v, TensorBase):
            numbers.append(only_value(v, d))
        else:
            numbers.append(v.item() if isinstance(v, np.generic) else v)
    if d.category == dtypes.INT and numbers:
        if all(type(v) is int for v in numbers):
            try:
                return np.array(numbers, d.np).reshape(shape)
            except OverflowError:
                return whole(numbers, d).reshape(shape)
        for v in numbers:
            if isinstance(v, complex):
                raise _no_complex(v, d)
        return whole(numbers, d).reshape(shape)
    if d is dtypes.bool and numbers:
        return np.array([v != 0 for v in numbers], bool).reshape(shape)
    if d.category < dtypes.COMPLEX:
        for v in numbers:
            if isinstance(v, complex):
                raise _no_complex(v, d)
    with np.errstate(over="ignore"):
        return np.array(numbers, dtype=None if numbers else d.np).astype(d.np).reshape(shape)


def only_value(t: Any, d: Any) -> Any:
    """The number in a tensor that stands where a number is wanted."""
    if d.category == dtypes.INT and t._a.dtype.kind not in "iub":
        return t.__index__()  # raises
    if t._a.size != 1:
        if d.category == dtypes.INT:
            return t.__index__()
        raise ValueError(
            message(
                "only one element tensors can be converted to Python scalars",
                got=f"a tensor of shape {tuple(t._a.shape)} in a list",
                hint="torch.stack(tensors)",
            )
        )
    return t.item()


DEEPEST = 128  # levels of nested sequences


def measure(data: Any) -> tuple[int, ...]:
    """The shape that the first elements tell; a tensor among them is a number, as in PyTorch."""
    shape: list[int] = []
    while True:
        if isinstance(data, np.ndarray):
            return (*shape, *data.shape)
        if isinstance(data, (TensorBase, np.generic, bool, int, float, complex)):
            return tuple(shape)
        if not hasattr(data, "__len__"):
            return tuple(shape)
        if isinstance(data, str):
            raise ValueError(message("too many dimensions 'str'", f"{data[:40]!r}", hint=TEXT))
        n = len(data)
        shape.append(n)
        if len(shape) > DEEPEST:  # a list may hold itself
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if n == 0:
            return tuple(shape)
        try:
            data = data[0]
        except TypeError:
            kind = type(data).__name__
            raise ValueError(f"could not determine the shape of object type '{kind}'") from None


def collect(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    """The numbers of nested sequences in order; arrays of numbers in one piece."""
    if isinstance(data, np.ndarray):
        if data.shape != shape[depth:]:
            raise ValueError(
                f"expected sequence of shape {list(shape[depth:])} at dim {depth} (got shape "
                f"{list(data.shape)})"
            )
        leaves.append(data)
        return
    if depth == len(shape):
        if not isinstance(data, (bool, int, float, complex, np.generic, TensorBase)):
            if isinstance(data, (str, bytes)):
                raise TypeError(
                    message(f"new(): invalid data type '{type(data).__name__}'", hint=TEXT)
                )
            if hasattr(data, "__len__"):
                raise TypeError(
                    f"'{type(data).__name__}' object cannot be interpreted as an integer"
                )
            if hasattr(data, "__index__"):
                data = data.__index__()
            elif hasattr(data, "__float__"):
                data = float(data)
            else:
                raise _no_dtype(data)
        leaves.append(data)
        return
    if not hasattr(data, "__len__") or isinstance(data, str):
        raise TypeError(
            message("not a sequence", f"{type(data).__name__} at dim {depth}", "a sequence")
        )
    if isinstance(data, TensorBase) and not data._a.ndim:
        raise TypeError(message("not a sequence", f"a 0-d tensor at dim {depth}", "a sequence"))
    if len(data) != shape[depth]:
        raise ValueError(
            message(
                f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})",
                hint="rows of one length: nn.utils.rnn.pad_sequence([torch.tensor(row) ...])",
            )
        )
    if not shape[depth]:
        return
    for item in data:
        if item is data:
            raise TypeError("new(): self-referential lists are incompatible")
        collect(item, shape, depth + 1, leaves)


@step(shown="aten::lift_fresh")
def lift_fresh(*, data: Any, dtype: Any) -> Any:
    """An array of Python's numbers, nested sequences or another array's values."""
    return to_array(data, dtype)


KINDS = {dtypes.float32: True, dtypes.int64: False}


def few_numbers(data: list[Any], dtype: Any) -> Any:
    """An array of few floats or ints, by one native call; None where more must be looked at."""
    if defaults or door.state.observers:
        return None
    if dtype is None:
        kind = None if dtypes.get_default_dtype() is dtypes.float32 else False
    elif dtype.__class__ is dtypes.dtype and dtype in KINDS:
        kind = KINDS[dtype]
    else:
        return None
    return few.numbers(data, kind)


@composite(
    public="torch",
    dispatch=False,
    samples=[case([1.5, 2.0]), case([[1, 2], [3, 4]]), case(3, dtype=dtypes.float64)],
)
def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A new tensor with a copy of `data`: numbers, nested sequences, arrays.

    The dtype follows the data: bool, int64, the default float type (float32) for Python's floats,
    an array's own. The copy has no history, even of a tensor: `x.detach().clone()` says that
    better. ValueError if the sequences differ in length.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([1, 2.5])
    tensor([1.0000, 2.5000])
    >>> torch.tensor(True)
    tensor(True)
    """
    if data.__class__ is list and device is None and not pin_memory:
        made = few_numbers(data, dtype)
        if made is not None:
            return finish(made, requires_grad)
    if pin_memory:
        refuse_pinned("tensor", pin_memory, device)
    if isinstance(data, TensorBase):
        import warnings

        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than "
            "torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    elif isinstance(data, StorageBase):
        kind = dtypes.of(dtype) if dtype is not None else dtypes.get_default_dtype()
        data = elements_of(data, kind)
    kw = {"data": data, "dtype": dtypes.of(dtype) if dtype is not None else None}
    a = door.perform(lift_fresh, (), kw)
    if (device is not None or defaults) and usable(device) is META:
        a = MetaArray(a.shape, a.dtype)
    return finish(a, requires_grad)


@composite(public="torch", dispatch=False, samples=[case((2, 3)), case([1, 2])])
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """`data` as a tensor: itself, over an array's memory, or new, of numbers and sequences.

    Memory is shared unless another dtype or device is asked for; a tensor keeps its history.

    >>> a = np.array([1, 2])
    >>> x = torch.as_tensor(a)
    >>> x[0] = 9
    >>> a
    array([9, 2])
    """
    t: Any
    if isinstance(data, TensorBase):
        t = data
    elif isinstance(data, np.ndarray):
        t = from_numpy(data)
    else:
        t = tensor(data, dtype=dtype, device=device)
    if device is None and defaults:
        device = usable(None)
    if dtype is not None or device is not None:
        t = t.to(device=device, dtype=dtype)
    return t


@composite(public="torch", dispatch=False, samples=[case((2, 3)), case([1, 2])])
def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Any:
    """`obj` as a tensor: numbers, or the memory of a tensor, an array, a capsule or a buffer.

    With `copy=True` the memory is never shared, with `copy=False` always, or ValueError is raised;
    by default where it can be. `requires_grad` makes the result a leaf that gets a gradient. A
    buffer holds numbers of `dtype`, or of the default one.

    >>> a = np.array([1.0, 2.0], dtype=np.float32)
    >>> x = torch.asarray(a, copy=True)
    >>> x[0] = 9
    >>> x, a
    (tensor([9., 2.]), array([1., 2.], dtype=float32))
    """
    if device is None and defaults:
        device = usable(None)
    if isinstance(obj, (TensorBase, np.ndarray)):
        t = obj if isinstance(obj, TensorBase) else from_numpy(obj)
    elif isinstance(obj, np.generic):
        if copy is False:
            raise RuntimeError(
                "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
            )
        t, copy = tensor(obj), None
    elif type(obj).__name__ == "PyCapsule":
        from ...interchange import from_dlpack

        t = from_dlpack(obj)
    elif is_buffer(obj):
        t = frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())
    elif copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    else:
        t, copy = tensor(obj, dtype=dtype, device=device), None
    if copy is False and device is not None and usable(device) is not t.device:
        raise ValueError(f"can't alias tensor from device '{t.device}' to '{device}'.")
    if copy is False and dtype is not None and dtypes.of(dtype) is not t.dtype:
        raise ValueError(
            f"can't alias tensor with dtype '{type_name(t.dtype)}' into dtype "
            f"'{type_name(dtypes.of(dtype))}'."
        )
    if dtype is not None or device is not None:
        moved = t.to(device=device, dtype=dtype)
        t, copy = moved, copy if moved is t else None
    if copy:
        t = t.clone()
    return t.detach()._require_grad() if requires_grad and not t.requires_grad else t


def is_buffer(obj: Any) -> bool:
    """Whether an object shows its memory, as bytes and memory views do."""
    try:
        memoryview(obj)
    except (TypeError, ValueError):
        return False
    return True


@composite(public="torch", dispatch=False, samples=[case(static(np.arange(6.0).reshape(2, 3)))])
def from_numpy(ndarray: Any) -> Any:
    """A tensor over the same memory as a NumPy array: who writes into one changes the other.

    TypeError for types that no tensor has (strings, objects, another byte order), ValueError for
    negative strides; an array that is not writeable gives a warning, and writing into the tensor
    raises.

    >>> a = np.arange(3)
    >>> x = torch.from_numpy(a)
    >>> a[0] = 5
    >>> x
    tensor([5, 1, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        hint = "torch.tensor(x), or torch.as_tensor(x), which takes anything"
        what = f"expected np.ndarray (got {type(ndarray).__name__})"
        raise TypeError(message(what, hint=None if isinstance(ndarray, TensorBase) else hint))
    dtypes.from_numpy(ndarray.dtype)
    if any(s < 0 for s in ndarray.strides):
        raise ValueError(
            message(
                "At least one stride in the given numpy array is negative, and tensors with "
                "negative strides are not currently supported.",
                hint="a copy: torch.from_numpy(array.copy())",
            )
        )
    if not ndarray.dtype.isnative:
        raise ValueError(
            message(
                "given numpy array has byte order different from the native byte order. Conversion "
                "between byte orders is currently not supported.",
                got=f"an array of type {ndarray.dtype.str}",
                hint='array.astype(array.dtype.newbyteorder("="))',
            )
        )
    if not ndarray.flags.writeable:
        import warnings

        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable "
            "tensors: writing to this "
            "tensor raises an error. You may want to copy the array before converting it to a "
            "tensor.",
            UserWarning,
            stacklevel=2,
        )
    d = dtypes.from_numpy(ndarray.dtype)
    if ndarray.__class__ is np.ndarray and ndarray.base is None and ndarray.dtype is d.np:
        return door.wrap(ndarray)
    try:
        # its own root: the storage starts where the array does
        a = np.asarray(memoryview(ndarray))  # type: ignore[arg-type]
    except (ValueError, BufferError):
        a = np.asarray(ndarray)
    return door.wrap(a if a.dtype is d.np else a.view(d.np))


@composite(
    public="torch",
    dispatch=False,
    samples=[case(static(bytearray(16)), dtype=dtypes.float32)],
)
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Any:
    """A 1-d tensor over the memory of an object with Python's buffer protocol (bytes, bytearray,
    mmap).

    `count` numbers of `dtype` (all by default), beginning `offset` bytes after the start.
    ValueError if they do not fit.

    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.uint8, count=2, offset=1)
    tensor([0, 2], dtype=torch.uint8)
    """
    if not is_buffer(buffer):
        raise ValueError("object does not implement Python buffer protocol.")
    kind = dtypes.of(dtype).np
    length, width = memoryview(buffer).nbytes, kind.itemsize
    if not memoryview(buffer).c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    wrong = None
    if length == 0 or count == 0:
        wrong = f"both buffer length ({length}) and count ({count}) must not be 0"
    elif not 0 <= offset < length:
        wrong = (
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    elif count < 0 and (length - offset) % width:
        wrong = (
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a "
            f"multiple of element size ({width})"
        )
    elif count > 0 and offset + count * width > length:
        wrong = (
            f"requested buffer length ({count} * {width} bytes) after offset ({offset} bytes) must "
            f"not be greater than actual buffer length ({length} bytes)"
        )
    if wrong is not None:
        raise ValueError(message(wrong, wanted=f"whole numbers of {dtype}"))
    count = (length - offset) // width if count < 0 else count
    if memoryview(buffer).readonly:
        warn_once(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors: "
            "writing to this tensor raises an error. You may want to copy the buffer (bytearray) "
            "before converting it to a tensor.",
            users_level(),
        )
    return finish(np.frombuffer(buffer, kind, count, offset), requires_grad)
