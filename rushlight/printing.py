"""How a tensor looks as text: PyTorch's layout, number formats and options, to the character.

The formatter works on NumPy arrays; only `tensor_str`, at the end, knows a Tensor's attributes.
Not here: `Tensor.__repr__` and `Parameter.__repr__`, which call it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import dtypes
from .blocks import contextmanager
from .errors import message
from .kernels.meta import UnresolvedArray
from .torch_names import is_own


@dataclass
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = _Options()

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed; what is not given stays, except `sci_mode`.

    Args:
        precision: digits after the point (4 at first).
        threshold: more elements than this are summarised with ``...`` (1000).
        edgeitems: elements shown at each end of a summarised dimension (3).
        linewidth: characters on a line before it is broken (80).
        profile: "default", "short" or "full": a whole set, which the other arguments modify.
        sci_mode: always (True) or never (False) use ``1.0000e+00``; None decides by the values.

    Raises:
        ValueError: an unknown profile.
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(
                message("set_printoptions: unknown profile", repr(profile), ", ".join(_PROFILES))
            )
        for name, value in _PROFILES[profile].items():
            setattr(_options, name, value)
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in given.items():
        if value is not None:
            setattr(_options, name, value)
    _options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments of `set_printoptions`."""
    return asdict(_options)


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set print options within a ``with`` block.

    >>> with printoptions(precision=1):
    ...     array_str(np.array([0.25, 0.5]))
    '[0.2, 0.5]'
    """
    before = get_printoptions()
    try:
        set_printoptions(**options)
        yield
    finally:
        set_printoptions(**before)


# ---------------------------------------------------------------------------------------- numbers


@dataclass
class _Format:
    """How to write one number, and how many characters the widest of them takes."""

    write: Callable[[Any], str]
    width: int = 1

    def __call__(self, value: Any) -> str:
        return self.write(value).rjust(self.width)


def _choose(values: np.ndarray) -> _Format:
    """The format for all these numbers (real): whole, fixed point or scientific."""
    if values.dtype.kind != "f":
        return _Format(str, max([1, *(len(str(v)) for v in values.ravel().tolist())]))
    counted = values[np.isfinite(values) & (values != 0)].astype(np.float64)
    if counted.size == 0:
        return _Format(_whole)
    size = np.abs(counted)
    largest, smallest = float(size.max()), float(size.min())
    scientific = _options.sci_mode
    if scientific is None:
        scientific = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
    write: Callable[[Any], str]
    if scientific:
        write = f"{{:.{_options.precision}e}}".format
    elif bool((counted == np.ceil(counted)).all()):
        write = _whole
    else:
        write = f"{{:.{_options.precision}f}}".format
    return _Format(write, max([1, *(len(write(v)) for v in counted.tolist())]))


def _whole(value: float) -> str:
    """A float without a fraction: ``3.``, but ``inf`` and ``nan``."""
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


@dataclass
class _ComplexFormat:
    """A format for the real and one for the imaginary parts."""

    real: _Format
    imag: _Format

    @property
    def width(self) -> int:
        return self.real.width + self.imag.width + 1

    def __call__(self, value: complex) -> str:
        imag = self.imag(value.imag).lstrip() + "j"
        return self.real(value.real) + (imag if imag[0] in "+-" else "+" + imag)


# ----------------------------------------------------------------------------------------- layout


def array_str(a: np.ndarray, indent: int = 0) -> str:
    """The numbers of an array in brackets, continued lines indented.

    >>> print(array_str(np.array([[1.0, 2.5], [np.nan, -3.0]])))
    [[ 1.0000,  2.5000],
     [    nan, -3.0000]]
    """
    if a.size == 0:
        return "[]"
    summarize = a.size > _options.threshold
    shown = _plain(_edges(a) if summarize else a)
    form: Any = (
        _ComplexFormat(_choose(shown.real), _choose(shown.imag))
        if a.dtype.kind in "cW"
        else _choose(shown)
    )
    return _nested(a, indent, summarize, form)


def _plain(a: np.ndarray) -> np.ndarray:
    """Narrow types as float32 and complex64, which NumPy can print; other arrays as they are."""
    exotic = a.dtype.kind not in "biufc" or (a.dtype.itemsize == 1 and a.dtype.kind == "f")
    return a.astype(dtypes.wide(a.dtype)) if exotic else a


def _edges(a: np.ndarray) -> np.ndarray:
    """Only the elements that a summary shows: they alone decide the format."""
    k = _options.edgeitems
    if k == 0:
        return a if a.ndim == 1 else a[(slice(0),) * a.ndim]
    for dim, n in enumerate(a.shape):
        if n > 2 * k:
            a = np.take(a, [*range(k), *range(n - k, n)], axis=dim)
    return a


def _nested(a: np.ndarray, indent: int, summarize: bool, form: Any) -> str:
    if a.ndim == 0:
        return str(form(_plain(a).item()))
    k = _options.edgeitems
    cut = summarize and (len(a) > 2 * k)
    head, tail = (a[:k], a[len(a) - k :]) if cut else (a, a[:0])
    if a.ndim > 1:
        rows = [_nested(row, indent + 1, summarize, form) for row in head]
        if cut:
            rows += ["...", *(_nested(row, indent + 1, summarize, form) for row in tail)]
        return "[" + ("," + "\n" * (a.ndim - 1) + " " * (indent + 1)).join(rows) + "]"
    items = [form(v) for v in _plain(head).tolist()]
    if cut:
        items += [" ..." if k else "...", *(form(v) for v in _plain(tail).tolist())]
    # A number takes its width, a comma and a space.
    a_line = max(1, math.floor((_options.linewidth - indent) / (form.width + 2)))
    lines = [", ".join(items[i : i + a_line]) for i in range(0, len(items), a_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Append ``, suffix`` for each and a parenthesis; what is too long goes on a new line."""
    # PyTorch counts two characters too many on the last line of the text.
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


# ---------------------------------------------------------------------------------------- tensors


def tensor_str(tensor: Any, contents: Any = None) -> str:
    """The text of `repr(tensor)`: ``tensor([1., 2.], requires_grad=True)``; `contents` stands for
    the numbers."""
    kind = type(tensor)
    plain = kind.__name__ in ("Tensor", "Parameter") and is_own(kind.__module__)
    prefix = "tensor(" if plain else f"{kind.__name__}("
    a, dtype, default = tensor._a, tensor.dtype, dtypes.get_default_dtype()
    if isinstance(a, UnresolvedArray):
        a = a.resolved()
    shape, indent = tuple(a.shape), len(prefix)
    suffixes = []
    if contents is not None:
        text = contents
        shown = dtype is not default
    elif a.__class__ is not np.ndarray:
        text = "..."
        suffixes += [f"device='{tensor.device}'", f"size={shape}"]
        shown = dtype is not default
    elif a.size == 0:
        text = "[]"
        if len(shape) != 1:
            suffixes.append(f"size={shape}")
        shown = dtype is not default  # no element tells what type it is
    else:
        text = array_str(a, indent)
        if not _options.edgeitems:
            suffixes.append(f"size={shape}")
        implied = (default, default.to_complex(), dtypes.int64, dtypes.bool)
        shown = dtype not in implied
    if shown:
        suffixes.append(f"dtype={dtype!r}")
    try:
        node = tensor.grad_fn
        name = None if node is None else type(node).__name__
    except RuntimeError:  # a view whose history an in-place change has made unusable
        name = "Invalid"
    if name is not None:
        suffixes.append(f"grad_fn=<{name}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    if "_tangent" in tensor.__dict__:
        from .autograd.forward_ad import tangent_of

        tangent = tangent_of(tensor)
        if tangent is not None:
            suffixes.append(f"tangent={tangent!r}")
    text = with_suffixes(prefix + text, suffixes, indent)
    is_parameter = any(base.__name__ == "Parameter" for base in kind.__mro__)
    return f"Parameter({text})" if is_parameter and not plain else text
