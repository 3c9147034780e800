"""`assert_close`: whether two things, or all that they hold, are equal to rounding.

What is to be compared is first paired; what cannot be paired (other lengths, other keys, other
types) is told in the words of this module alone. Then the pairs are compared, one after the other,
and the first that differ are told, in the caller's words if there are any.
"""

from __future__ import annotations

import cmath
import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import rushlight

from .. import dtypes
from ..errors import message
from ..ops.create.from_data import tensor
from ..tensor import Tensor

__all__ = ["assert_allclose", "assert_close"]

# rtol and atol of a dtype, PyTorch's; 0 and 0 of all others.
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5), dtypes.bfloat16: (1.6e-2, 1e-5), dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7), dtypes.complex32: (1e-3, 1e-5),
    dtypes.complex64: (1.3e-6, 1e-5), dtypes.complex128: (1e-7, 1e-7),
}  # fmt: skip
NUMBERS = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}
WIDENED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)  # no other type is promoted with these
COMPRESSED = {  # a layout's name, and the methods that give its indices
    "sparse_csr": ("CSR", "crow_indices", "col_indices"),
    "sparse_csc": ("CSC", "ccol_indices", "row_indices"),
    "sparse_bsr": ("BSR", "crow_indices", "col_indices"),
    "sparse_bsc": ("BSC", "ccol_indices", "row_indices"),
}


class Mismatch(Exception):
    """What is wrong with a pair, and where it stands."""

    def __init__(
        self, text: str, at: tuple[Any, ...] = (), kind: type[Exception] = AssertionError
    ) -> None:
        super().__init__(text)
        self.text, self.at, self.kind = text, at, kind

    def told(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """The error, in the caller's words."""
        if isinstance(msg, str):
            return self.kind(msg)
        place = "".join(f"[{key!r}]" for key in self.at)
        text = self.text + (f"\n\nThe failure occurred for item {place}" if place else "")
        return self.kind(msg(text) if callable(msg) else text)


@dataclass(frozen=True)
class How:
    """What is asked of pairs: the arguments of `assert_close`."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, a: Any, b: Any, at: tuple[Any, ...]) -> tuple[float, float]:
        """rtol and atol of two dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        if self.rtol is not None or self.atol is not None:
            missing = "rtol" if self.rtol is None else "atol"
            raise Mismatch(
                "Both 'rtol' and 'atol' must be either specified or omitted, "
                f"but got no {missing}.",
                at,
                ValueError,
            )
        pairs = TOLERANCES.get(a, (0.0, 0.0)), TOLERANCES.get(b, (0.0, 0.0))
        return max(p[0] for p in pairs), max(p[1] for p in pairs)


# -- pairs ---------------------------------------------------------------------------------------

Pair = Callable[[], None]  # compares; raises Mismatch


def pairs(a: Any, b: Any, how: How, at: tuple[Any, ...] = ()) -> Iterator[Pair]:
    """What is to be compared, from the outside in; Mismatch where there are no pairs."""
    texts = isinstance(a, str) or isinstance(b, str)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not texts:
        if len(a) != len(b):
            raise Mismatch(f"The length of the sequences mismatch: {len(a)} != {len(b)}", at)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from pairs(x, y, how, (*at, i))
    elif isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in _keys(a, b, at):
            yield from pairs(a[key], b[key], how, (*at, key))
    else:
        yield _pair(a, b, how, at)


def _keys(a: Mapping[Any, Any], b: Mapping[Any, Any], at: tuple[Any, ...]) -> Any:
    ours, theirs = set(a), set(b)
    if ours != theirs:
        raise Mismatch(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {_sorted(theirs - ours)}\n"
            f"Additional keys in the actual mapping: {_sorted(ours - theirs)}",
            at,
        )
    return _sorted(ours)


def _sorted(keys: set[Any]) -> list[Any]:
    with contextlib.suppress(TypeError):  # keys of several types have no order
        return sorted(keys)
    return list(keys)


def _pair(a: Any, b: Any, how: How, at: tuple[Any, ...]) -> Pair:
    if a is None or b is None:
        return lambda: _none(a, b, at)
    bools = bool, np.bool_
    if isinstance(a, bools) and isinstance(b, bools):
        return lambda: _bools(bool(a), bool(b))
    numbers = int, float, complex, np.number
    if isinstance(a, numbers) and isinstance(b, numbers):
        x, y = (n.item() if isinstance(n, np.number) else n for n in (a, b))
        tolerances = how.tolerances(NUMBERS.get(type(x)), NUMBERS.get(type(y)), at)
        return lambda: _numbers(x, y, how, tolerances, at)
    related = isinstance(a, type(b)) or isinstance(b, type(a))
    if related and (how.allow_subclasses or type(a) is type(b)):
        x, y = _tensor(a), _tensor(b)
        if x is not None and y is not None:
            tolerances = how.tolerances(x.dtype, y.dtype, at)
            return lambda: _tensors(x, y, how, tolerances, at)
    raise Mismatch(
        f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.",
        at,
        TypeError,
    )


def _tensor(x: Any) -> Tensor | None:
    """What `as_tensor` makes of it; None where it makes nothing of it."""
    if isinstance(x, Tensor):
        return x
    with contextlib.suppress(Exception):
        return rushlight.as_tensor(x)
    return None


def _none(a: Any, b: Any, at: tuple[Any, ...]) -> None:
    if not (a is None and b is None):
        raise Mismatch(f"None mismatch: {a} is not {b}", at)


def _bools(a: bool, b: bool) -> None:
    if a is not b:
        raise Mismatch(f"Booleans mismatch: {a} is not {b}")  # PyTorch does not say where either


def _numbers(
    a: Any, b: Any, how: How, tolerances: tuple[float, float], at: tuple[Any, ...]
) -> None:
    if how.check_dtype and type(a) is not type(b):
        raise Mismatch(f"The (d)types do not match: {type(a)} != {type(b)}.", at)
    if a == b or (how.equal_nan and cmath.isnan(a) and cmath.isnan(b)):
        return
    rtol, atol = tolerances
    off = abs(a - b)
    if cmath.isfinite(off) and off <= atol + rtol * abs(b):
        return
    raise Mismatch(_numbers_differ("Scalars", a, b, tolerances), at)


# -- tensors -------------------------------------------------------------------------------------


def _tensors(
    a: Tensor, b: Tensor, how: How, tolerances: tuple[float, float], at: tuple[Any, ...]
) -> None:
    _attributes(a, b, how, at)
    if "meta" in (a.device.type, b.device.type):
        return
    with rushlight.no_grad():
        a, b = _alike(a, b)
        try:
            for name, x, y, limits in _parts(a, b, tolerances):
                _values(x, y, how.equal_nan, limits, name)
        except Mismatch as error:
            raise Mismatch(error.text, at) from None


def _attributes(a: Tensor, b: Tensor, how: How, at: tuple[Any, ...]) -> None:
    def asked(name: str, x: Any, y: Any) -> None:
        if x != y:
            raise Mismatch(f"The values for attribute '{name}' do not match: {x} != {y}.", at)

    asked("shape", a.shape, b.shape)
    if how.check_layout:
        asked("layout", a.layout, b.layout)
    if how.check_stride and a.layout == b.layout == rushlight.strided:
        asked("stride()", a.stride(), b.stride())
    if how.check_device:
        asked("device", a.device, b.device)
    if how.check_dtype:
        asked("dtype", a.dtype, b.dtype)


def _alike(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both of one dtype and of one layout."""
    if a.dtype != b.dtype:
        held = [dtypes.int64 if x.dtype in WIDENED else x.dtype for x in (a, b)]
        dtype = rushlight.promote_types(*held)
        a, b = a.to(dtype), b.to(dtype)
    if a.layout != b.layout:
        a, b = (x if x.layout == rushlight.strided else x.to_dense() for x in (a, b))
    return a, b


Part = tuple[str, Tensor, Tensor, tuple[float, float]]


def _parts(a: Tensor, b: Tensor, tolerances: tuple[float, float]) -> Iterator[Part]:
    """The arrays that the tensors consist of, with their names: indices must be equal."""
    layout = str(a.layout).rpartition(".")[2]
    exact = (0.0, 0.0)
    if layout == "sparse_coo":
        _counts("sparse dimensions in sparse COO", a.sparse_dim(), b.sparse_dim())
        _counts("specified values in sparse COO", a._nnz(), b._nnz())
        yield "Sparse COO indices", a._indices(), b._indices(), exact
        yield "Sparse COO values", a._values(), b._values(), tolerances
    elif layout in COMPRESSED:
        name, *indices = COMPRESSED[layout]
        _counts(f"specified values in sparse {name}", a._nnz(), b._nnz())
        for method in indices:  # of int32 or int64
            x, y = (getattr(t, method)().to(dtypes.int64) for t in (a, b))
            yield f"Sparse {name} {method}", x, y, exact
        yield f"Sparse {name} values", a.values(), b.values(), tolerances
    else:
        yield "Tensor-likes", a, b, tolerances


def _counts(what: str, a: int, b: int) -> None:
    if a != b:
        raise Mismatch(f"The number of {what} tensors does not match: {a} != {b}")


def _values(
    a: Tensor, b: Tensor, equal_nan: bool, tolerances: tuple[float, float], name: str
) -> None:
    rtol, atol = tolerances
    bits = a.is_floating_point() and a.element_size() == 1  # float8: there are but 256 numbers
    if bits and tolerances != (0, 0):
        raise Mismatch(
            f"Rtol={rtol} and atol={atol} are not supported for bitwise comparison of low "
            "dimensional floats. Please use rtol=0.0 and atol=0.0."
        )
    close = rushlight.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if rushlight.all(close):
        return
    if not a.dim():
        name = "Scalars" if name == "Tensor-likes" else name
        raise Mismatch(_numbers_differ(name, a.item(), b.item(), tolerances))
    count = close.numel()
    wrong = count - int(close.sum())
    shares = f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"
    if bits:
        first = tuple((~close).nonzero()[0].tolist())
        where = f"The first mismatched element is at index {first}."
        raise Mismatch(f"{name} are not 'equal'!\n\n{shares}\n{where}")
    x, y, same = a.flatten(), b.flatten(), close.flatten()
    if not (x.is_floating_point() or x.is_complex()):
        x, y = x.to(dtypes.int64), y.to(dtypes.int64)
    off = (x - y).abs().masked_fill(same, 0)
    share = (off / y.abs()).masked_fill(same, 0)
    lines = [_heading(name, tolerances), shares]
    for which, differences, limit in (("absolute", off, atol), ("relative", share, rtol)):
        value, at = differences.max(0)
        index = tuple(int(i) for i in np.unravel_index(int(at), tuple(close.shape)))
        found = f"Greatest {which} difference: {value.item()} at index {index}"
        lines.append(found + _allowed(limit, tolerances))
    raise Mismatch("\n".join(lines))


# -- words ---------------------------------------------------------------------------------------


def _heading(name: str, tolerances: tuple[float, float]) -> str:
    return f"{name} are not {'close' if any(tolerances) else 'equal'}!\n"


def _allowed(limit: float, tolerances: tuple[float, float]) -> str:
    return f" (up to {limit} allowed)" if any(tolerances) else ""


def _numbers_differ(name: str, a: Any, b: Any, tolerances: tuple[float, float]) -> str:
    rtol, atol = tolerances
    off = abs(a - b)
    share = float("inf") if b == 0 else off / abs(b)
    return "\n".join(
        [
            _heading(name, tolerances),
            f"Expected {b} but got {a}.",
            f"Absolute difference: {off}{_allowed(atol, tolerances)}",
            f"Relative difference: {share}{_allowed(rtol, tolerances)}",
        ]
    )


# -- what is public ------------------------------------------------------------------------------


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless |actual - expected| <= atol + rtol |expected| everywhere.

    Compared are tensors with tensors, arrays with arrays, numbers with numbers, None with None, and
    sequences and mappings of them.

    Args:
        allow_subclasses: False: both must be of one class.
        rtol, atol: both or none. By default 1.3e-6 and 1e-5 for float32, 1e-7 and 1e-7 for float64,
            1e-3 and 1e-5 for float16, 1.6e-2 and 1e-5 for bfloat16 (of two types the larger ones),
            0 and 0 for integers and bools.
        equal_nan: NaN is equal to NaN.
        check_device, check_dtype, check_layout, check_stride: whether these must be equal. Where
            types or layouts need not be, both are converted to what holds both.
        msg: said in place of what differs, or a function of it.

    Raises:
        AssertionError: they differ, in shape, type or values, or in length or keys.
        TypeError: they cannot be compared, a tensor with a number for one.
        ValueError: only one of rtol and atol is given.

    >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    >>> torch.testing.assert_close([1, {"loss": 0.5}], [1, {"loss": 0.6}])
    Traceback (most recent call last):
      ...
    AssertionError: Scalars are not close!
    <BLANKLINE>
    Expected 0.6 but got 0.5.
    Absolute difference: 0.09999999999999998 (up to 1e-07 allowed)
    Relative difference: 0.16666666666666663 (up to 1e-07 allowed)
    <BLANKLINE>
    The failure occurred for item [1]['loss']
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    how = How(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout,
        check_stride,
    )  # fmt: skip
    actual, expected = _local(actual, expected)
    try:
        found = list(pairs(actual, expected, how))
    except Mismatch as error:
        raise error.told() from None
    for compare in found:
        try:
            compare()
        except Mismatch as error:
            raise error.told(msg) from None


def _local(a: Any, b: Any) -> tuple[Any, Any]:
    """Of tensors that are spread over processes, what lies on this one."""
    spread = sys.modules.get("rushlight.distributed.tensor")
    if spread is None:  # then nobody has made one
        return a, b
    ours, theirs = isinstance(a, spread.DTensor), isinstance(b, spread.DTensor)
    if ours != theirs:
        raise TypeError(
            message(
                "Comparing a DTensor to a non-DTensor is ambiguous. Call .full_tensor() to compare "
                "the full logical tensor or .to_local() to compare the local shard."
            )
        )
    if not ours:
        return a, b
    for name, what in (("placements", "placements"), ("device_mesh", "device meshes")):
        x, y = getattr(a, name), getattr(b, name)
        if x != y:
            raise AssertionError(f"DTensor {what} do not match: {x} != {y}")
    return a.to_local(), b.to_local()


OLDER = {
    dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8),
}  # fmt: skip


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older form of `assert_close`: it compares no dtypes, NaN is equal to NaN, and default
    tolerances are wider: 1e-4 and 1e-5 for float32. It warns that it is old.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.testing.assert_allclose(torch.ones(2), torch.ones(2) + 1e-5)
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    x = actual if isinstance(actual, Tensor) else tensor(actual)
    y = expected if isinstance(expected, Tensor) else tensor(expected, dtype=x.dtype)
    if rtol is None and atol is None:
        limits = [OLDER.get(t.dtype, (0.0, 0.0)) for t in (x, y)]
        rtol, atol = max(p[0] for p in limits), max(p[1] for p in limits)
    assert_close(
        x, y, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )
