"""What stands where an ndarray would: MetaArray, the shape, type and strides of an array without
its data (the 'meta' device); OuterArray, the same of a tensor whose class computes for it
(`__torch_dispatch__`); UnresolvedArray, an array whose elements are still to be conjugated or
negated; and the base of sparse arrays (`sparse/arrays.py`)."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from .strided import as_strided


class SparseArray:
    """An array of which only some elements are stored; the classes are in `sparse/arrays.py`, which
    is executed when a program makes a first one."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy's functions refuse it, and its own operators are asked


class MetaArray:
    """Stands where an ndarray would; answers every question that needs no data."""

    __slots__ = ("dtype", "shape", "strides")
    base = None
    flags = None
    __array_ufunc__ = None  # NumPy's functions refuse it (comparisons would compare objects)

    def __init__(
        self, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.strides = (
            contiguous_strides(self.shape, self.dtype.itemsize) if strides is None else strides
        )

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def astype(self, dtype: Any) -> MetaArray:
        return MetaArray(self.shape, dtype)

    def copy(self, order: str = "C") -> MetaArray:
        return MetaArray(self.shape, self.dtype)

    def standin(self) -> Any:
        """A real ndarray of this shape and these strides over one element: never to be read for
        its values."""
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        one = np.ones(1, self.dtype)
        return as_strided(one, self.shape, self.strides, False)

    def zeros(self) -> Any:
        """A real ndarray of ones with zero strides: may be read, takes no memory."""
        return np.broadcast_to(np.ones((), self.dtype), self.shape)


class NeedsNumbers(RuntimeError):
    """A computation asks an OuterArray for what only an array with data has."""


class Flags:
    """The flags of an OuterArray."""

    __slots__ = ("c_contiguous", "writeable")
    carray = False

    def __init__(self, a: Any) -> None:
        expected = contiguous_strides(a.shape, a.itemsize)
        steps = zip(a.shape, a.strides, expected, strict=True)
        self.c_contiguous = all(n == 1 or s == t for n, s, t in steps) or not a.size
        self.writeable = True


class OuterArray:
    """Shape, type and strides of a tensor whose class computes for it (`__torch_dispatch__`).

    Whatever else is asked raises NeedsNumbers: the operation is then one for the class.

    Attributes:
        offset: elements between the start of the storage and the first one.
        device: where the tensor says that it is; None for the CPU.
        memory: the storage that views of each other share, made when somebody asks.
        inner: the array under a tensor that was made around one, else None.
    """

    __slots__ = ("device", "dtype", "inner", "memory", "offset", "shape", "strides")

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: Any,
        strides: tuple[int, ...] | None = None,
        offset: int = 0,
        device: Any = None,
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        if strides is None:
            strides = contiguous_strides(self.shape, self.dtype.itemsize)
        self.strides = strides
        self.offset = offset
        self.device = device
        self.memory: MetaArray | None = None
        self.inner: Any = None

    @property
    def flags(self) -> Flags:
        """What strides say; that it is writable is for the class to refuse."""
        return Flags(self)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse_numbers(self)

    @property
    def __array_interface__(self) -> NoReturn:
        refuse_numbers(self)

    def meta(self) -> MetaArray:
        """The same without an owner."""
        return MetaArray(self.shape, self.dtype, self.strides)

    def standin(self) -> Any:
        """`MetaArray.standin`: an array of these strides that is never to be read."""
        return self.meta().standin()

    def storage(self) -> MetaArray:
        """The bytes under this tensor and its views, without data."""
        if self.memory is None:
            spans = zip(self.shape, self.strides, strict=True)
            last = sum((n - 1) * s for n, s in spans) + self.itemsize if self.size else 0
            self.memory = MetaArray((last + self.offset * self.itemsize,), np.uint8)
        return self.memory


def refuse_numbers(*args: Any, **kw: Any) -> NoReturn:
    """Raise NeedsNumbers."""
    raise NeedsNumbers(
        "the numbers of a tensor are wanted whose class computes for it\n"
        "  got     an instance of a class with __torch_dispatch__\n"
        "  try     the tensor that it holds, or another operation"
    )


for _name in ("array", "array_ufunc", "array_function", "len", "iter", "getitem", "setitem",
              "float", "int", "bool", "neg", "abs", "invert"):  # fmt: skip
    setattr(OuterArray, f"__{_name}__", refuse_numbers)
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"):
    for _side in ("", "r", "i"):
        setattr(OuterArray, f"__{_side}{_name}__", refuse_numbers)
for _name in ("lt", "le", "gt", "ge"):
    setattr(OuterArray, f"__{_name}__", refuse_numbers)


class UnresolvedArray:
    """An array whose elements are read as their conjugates, or with the other sign: what PyTorch's
    conjugate bit and negative bit say of a tensor. `raw` is the memory as it is.

    No computation takes one: NumPy's functions refuse it, and the door computes what it stands for
    (`resolved`) before an operation runs. Views are views of `raw`, read in the same way.
    """

    __slots__ = ("conj", "neg", "raw")
    __array_ufunc__ = None
    device = None  # the CPU, as an OuterArray says it
    made = False  # whether there has been one: who keeps values looks for them only then

    def __init__(self, raw: Any, conj: bool, neg: bool) -> None:
        self.raw, self.conj, self.neg = raw, conj, neg
        UnresolvedArray.made = True

    dtype = property(lambda self: self.raw.dtype)
    shape = property(lambda self: self.raw.shape)
    strides = property(lambda self: self.raw.strides)
    ndim = property(lambda self: self.raw.ndim)
    size = property(lambda self: self.raw.size)
    itemsize = property(lambda self: self.raw.itemsize)
    nbytes = property(lambda self: self.raw.nbytes)
    flags = property(lambda self: self.raw.flags)
    base = property(lambda self: self.raw)

    __hash__ = object.__hash__  # arrays that are compared by `is`

    def __len__(self) -> int:
        return len(self.raw)

    def over(self, raw: Any) -> Any:
        """Another array, read as this one is."""
        return read_as(raw, self.conj, self.neg)

    def standin(self) -> Any:
        """An array of this shape and these strides, not to be read for its values."""
        return self.raw

    def turned(self, values: Any) -> Any:
        """What the memory has to hold for these values to be read: the same both ways."""
        return turned(values, self.conj, self.neg)

    def resolved(self) -> Any:
        """The elements, in memory of their own."""
        return self.turned(self.raw)

    def __getattr__(self, name: str) -> Any:
        """What an array has besides: of the elements as they are read, not to be written to."""
        if name.startswith("__"):
            raise AttributeError(name)  # NumPy asks for its protocols
        a = self.resolved()
        a.flags.writeable = False
        return getattr(a, name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        a = self.resolved()
        return a if dtype is None else a.astype(dtype)

    def __getitem__(self, key: Any) -> Any:
        part = self.raw[key]
        return self.over(part) if part.__class__ is np.ndarray else self.turned(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.raw[key] = self.turned(np.asarray(value, self.raw.dtype))

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        return self.resolved().astype(dtype)

    def copy(self, order: str = "C") -> Any:
        a = self.resolved()  # in the order of `raw`, as "K" asks
        return a if order == "K" else np.asarray(a, order=order)  # type: ignore[call-overload]

    def item(self, *at: Any) -> Any:
        return self.resolved().item(*at)

    def tolist(self) -> Any:
        return self.resolved().tolist()


def _operator(name: str) -> Any:
    def computed(self: Any, *others: Any) -> Any:
        return getattr(self.resolved(), name)(*others)

    return computed


# Without these, `==` would compare objects.
for _name in (
    *("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"),
    *(
        f"{side}{name}"
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                     "or", "xor", "lshift", "rshift")
        for side in ("", "r")
    ),
):  # fmt: skip
    setattr(UnresolvedArray, f"__{_name}__", _operator(f"__{_name}__"))


def read_as(raw: Any, conj: bool, neg: bool) -> Any:
    """An array of which the conjugates, or the negatives, are read; itself where neither is."""
    conj = conj and raw.dtype.kind in "cW"
    return UnresolvedArray(raw, conj, neg) if conj or neg else raw


def turned(a: Any, conj: bool, neg: bool) -> Any:
    """The conjugates, or the negatives, of the elements of an array."""
    if conj:
        a = np.conjugate(a)
    return np.asarray(np.negative(a) if neg else a)


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Row-major strides in bytes; a size-0 dimension counts as 1, as in PyTorch."""
    strides = []
    step = itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def inserted_strides(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Strides as PyTorch counts them: NumPy has 0 for a new dimension of one element, PyTorch what
    lies behind it."""
    found = list(steps)
    for i in range(len(shape) - 1, -1, -1):
        if found[i] == 0 and shape[i] == 1:
            found[i] = shape[i + 1] * found[i + 1] if i + 1 < len(shape) else 1
    return tuple(found)
