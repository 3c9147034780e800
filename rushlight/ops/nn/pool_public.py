"""Pooling: PyTorch's functions and checks in front of the ops of `pool.py`.

Read next: `pool.py` for the ops and their gradients, `unpool.py` for unpooling, power means
and fractional pooling.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import axis, message
from ...kernels.dense import channels_innermost
from ...kernels.meta import MetaArray
from ...kernels.pool import reference as arrays
from ...layout import channels_last_3d
from ..core.composite import composite
from ..core.samples import case
from ..shape.convert import keeps_format, laid_as
from . import pool
from .spatial import Ints, check_tensor, ints, list_of

_PUBLIC = "torch nn.functional"
_NUMBERS = ("", "a single int, or a tuple of one int", "two ints", "three ints")

# -- maxima --------------------------------------------------------------------------------------


def _window(
    fn: str, d: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any = 1
) -> dict[str, Ints]:
    """The window's parameters as tuples; a missing stride is the kernel size."""

    def numbers(name: str, value: Any) -> Ints:
        words = f"{fn}: {name} must either be a single int, or a tuple of {_NUMBERS[d]}"
        return ints(fn, name, value, d, words)

    kernel = numbers("kernel_size", kernel_size)
    empty = stride is None or (isinstance(stride, (tuple, list)) and not stride)
    how = {
        "kernel": kernel,
        "stride": kernel if empty else numbers("stride", stride),
        "padding": numbers("padding", padding),
        "dilation": numbers("dilation", dilation),
    }
    for name, words in (
        ("kernel", "kernel size should be greater than zero"),
        ("stride", "stride should not be zero: it should be greater than zero"),
        ("dilation", "dilation should be greater than zero"),
    ):
        if min(how[name]) < 1:
            raise RuntimeError(message(f"{fn}: {words}, but got {how[name]}"))
    for p, k, dl in zip(how["padding"], kernel, how["dilation"], strict=True):
        if p < 0:
            raise RuntimeError(message(f"{fn}: pad must be non-negative, but got pad={p}"))
        if p > ((k - 1) * dl + 1) // 2:
            raise RuntimeError(
                message(
                    f"{fn}: pad should be at most half of effective kernel size, but got pad={p}, "
                    f"kernel_size={k} and dilation={dl}",
                    hint="torch.nn.functional.pad for more padding",
                )
            )
    return how


def _pooled_size(fn: str, d: int, shape: Ints, how: dict[str, Ints], ceil_mode: bool) -> Ints:
    """Check the input's shape; where it has a batch, that may be empty."""
    if d > 1 and len(shape) not in (d + 1, d + 2) and fn.startswith("max_pool"):
        raise RuntimeError(
            message(
                f"{fn}: non-empty {d + 1}D or {d + 2}D (batch mode) tensor expected for input",
                got=f"input {list_of(shape)}",
                hint="unsqueeze() for a missing dimension",
            )
        )
    if fn == "avg_pool2d":
        axis(-3, len(shape))
    if len(shape) not in (d + 1, d + 2) or 0 in shape[len(shape) - d - 1 :]:
        raise RuntimeError(
            message(
                f"{fn}: Expected {d + 1}D or {d + 2}D (batch mode) tensor with optional 0 dim "
                f"batch size for input, but got:{list_of(shape)}",
                wanted=("(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)")[d - 1],
                hint="a non-empty tensor; unsqueeze() a missing dimension",
            )
        )
    size = shape[len(shape) - d :]
    out = arrays.pool_size(
        size, how["kernel"], how["stride"], how["padding"], how["dilation"], ceil_mode
    )
    if min(out) < 1:
        given, got = ("x".join(map(str, (shape[-d - 1], *s))) for s in (size, out))
        raise RuntimeError(
            message(
                f"{fn}: Given input size: ({given}). Calculated output size: ({got}). "
                "Output size is too small. Invalid computed output size",
                got=f"input {list_of(shape)}, kernel_size={how['kernel']}",
                wanted="an input at least as large as the window",
                hint="fewer or smaller pools, or larger images",
            )
        )
    return out


def _max_pool(
    d: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    if not isinstance(input, TensorBase):
        check_tensor(f"max_pool{d}d", "input", 1, input)
    given = (kernel_size, stride, padding, dilation)
    kinds = (kernel_size.__class__, stride.__class__, padding.__class__, dilation.__class__)
    usual = kinds in _WHOLE or all(map(_whole, given))
    known = _known_windows if usual else _known_windows.__wrapped__
    how = known(d, input._a.shape, *given, bool(ceil_mode))
    record = pool.max_pool_with_indices if return_indices else pool.max_pool[d]
    return record.call((input,), dict(how))


# Kinds of the four parameters of a window that are None or whole numbers.
_WHOLE = frozenset(itertools.product((int, type(None)), repeat=4))


def _whole(value: Any) -> bool:
    """Whether a parameter is None, a whole number, or a tuple of them: nothing to look at twice."""
    kind = value.__class__
    if kind is tuple:
        return all([v.__class__ is int for v in value])
    return kind is int or value is None


@functools.lru_cache(maxsize=4096)
def _known_windows(
    d: int, shape: Ints, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> dict[str, Ints]:
    """The parameters of a maximum pool as the records take them, checked once for each shape."""
    fn = f"max_pool{d}d"
    how = _window(fn, d, kernel_size, stride, padding, dilation)
    return how | {"out": _pooled_size(fn, d, shape, how, ceil_mode)}


_MAX_DOC = """The maximum of each window over the last {d} dimension(s).

Args:
    input: (N, C, {dims}), or without N.
    kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
        size when not given. Padding never wins.
    ceil_mode: also windows that hang over the edge.
    return_indices: also the position of each maximum in the flattened plane (int64).

Raises RuntimeError when the window does not fit.

>>> x = torch.arange({n}.0).reshape({shape})
>>> F.max_pool{d}d(x, 2).flatten()
{largest}
"""


@composite(loose="return_indices", accepts="floating: max_pool1d_impl",
           public=_PUBLIC, samples=[case((2, 3, 6), 2)])
def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite(loose="return_indices", accepts="floating integral: max_pool2d",
           public=_PUBLIC, samples=[case((2, 3, 6, 4), 2)])
def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    y = _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    return laid_as(y, input)


@composite(autocast="float32", loose="return_indices", accepts="floating integral: max_pool3d",
           public=_PUBLIC, samples=[case((2, 3, 4, 4, 4), 2)])
def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    given = (kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    if isinstance(input, TensorBase) and input._a.ndim == 4 and alone_innermost(input._a):
        made = _max_pool(3, input.unsqueeze(0), *given)  # type: ignore[attr-defined]
        several = made if return_indices else (made,)
        laid = [y.contiguous(memory_format=channels_last_3d).squeeze(0) for y in several]
        return tuple(laid) if return_indices else laid[0]
    return laid_as(_max_pool(3, input, *given), input)


def alone_innermost(a: Any) -> bool:
    """Whether the channels of one volume, (C, D, H, W), are innermost in memory."""
    if a.__class__ is not np.ndarray or a.strides[0] >= a.strides[-1]:
        return False
    return channels_innermost(MetaArray((1, *a.shape), a.dtype, (sys.maxsize, *a.strides)))


def _with_indices(d: int, fn: Any) -> Any:
    """max_pool<d>d_with_indices: the same with the indices always."""

    def both(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = True,
    ) -> Any:
        return _max_pool(d, input, kernel_size, stride, padding, dilation, ceil_mode, True)

    side = ", ".join(["4"] * d)
    both.__name__ = both.__qualname__ = f"max_pool{d}d_with_indices"
    both.__doc__ = f"""`max_pool{d}d` with `return_indices=True`: (maxima, where they stood).

    >>> y, indices = F.max_pool{d}d_with_indices(torch.arange({4**d}.0).reshape(1, 1, {side}), 4)
    >>> y.flatten(), indices.flatten()
    (tensor([{4**d - 1}.]), tensor([{4**d - 1}]))
    """
    public = _PUBLIC if d == 1 else "nn.functional"
    return composite(
        both,
        public=public,
        loose="return_indices",
        accepts=f"floating integral: max_pool{max(d, 2)}d",
        samples=[case((2, *(4, 4, 4)[:d]), 2)],
    )


max_pool1d_with_indices = _with_indices(1, max_pool1d)
max_pool2d_with_indices = _with_indices(2, max_pool2d)
max_pool3d_with_indices = _with_indices(3, max_pool3d)

# -- means ---------------------------------------------------------------------------------------


def _avg_pool(
    d: int,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None = None,
) -> Any:
    if not isinstance(input, TensorBase):
        check_tensor(f"avg_pool{d}d", "input", 1, input)
    kinds = (kernel_size.__class__, stride.__class__, padding.__class__, divisor.__class__)
    usual = kinds in _WHOLE or all(map(_whole, (kernel_size, stride, padding, divisor)))
    known = _known_means if usual else _known_means.__wrapped__
    given = (kernel_size, stride, padding, bool(ceil_mode), bool(count_include_pad), divisor)
    return pool.avg_pool[d].call((input,), dict(known(d, input._a.shape, *given)))


@functools.lru_cache(maxsize=4096)
def _known_means(
    d: int,
    shape: Ints,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> dict[str, Any]:
    """The parameters of a mean over windows as the records take them, checked once for each
    shape."""
    fn = f"avg_pool{d}d"
    how = _window(fn, d, kernel_size, stride, padding)
    if divisor == 0:
        raise RuntimeError(message(f"{fn}: divisor must be not zero", got="divisor_override=0"))
    out = _pooled_size(fn, d, shape, how, ceil_mode)
    del how["dilation"]
    return how | {"out": out, "count_include_pad": count_include_pad, "divisor": divisor}


_AVG_DOC = """The mean of each window over the last {d} dimension(s).

Args:
    input: (N, C, {dims}), or without N.
    kernel_size, stride, padding: one number, or one a dimension; the stride is the kernel size when
        not given.
    ceil_mode: also windows that hang over the edge.
    count_include_pad: whether zeros of the padding count as elements.
    divisor_override: divide by this instead of by the number of elements (2-d and 3-d).

Raises RuntimeError when the window does not fit.

>>> x = torch.arange({n}.0).reshape({shape})
>>> F.avg_pool{d}d(x, 2).flatten()
{means}
"""


@composite(accepts="floating long: avg_pool2d",
           public=_PUBLIC, samples=[case((2, 3, 6), 2)])
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@composite(accepts="floating long: avg_pool2d",
           public="nn.functional", samples=[case((2, 3, 6, 4), 2)])
@keeps_format
def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    return _avg_pool(
        2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@composite(accepts="floating long: avg_pool3d_out_frame",
           public="nn.functional", samples=[case((2, 3, 4, 4, 4), 2)])
def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    return _avg_pool(
        3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


# -- adaptive ------------------------------------------------------------------------------------


def _adaptive_size(fn: str, d: int, input: Any, output_size: Any) -> Ints:
    check_tensor(fn, "input", 1, input)
    shape = tuple(input.shape)
    if d > 1 and isinstance(output_size, (list, tuple)) and len(shape) <= len(output_size):
        raise ValueError(
            message(
                f"Input dimension should be at least {len(output_size) + 1}",
                got=f"input {list_of(shape)}, output_size={output_size}",
            )
        )
    if len(shape) not in (d + 1, d + 2):
        raise RuntimeError(
            message(
                f"{fn}(): Expected {d + 1}D or {d + 2}D tensor, but got: {list_of(shape)}. "
                f"Expected {d + 1} to {d + 2} dimensions, but got {len(shape)}-dimensional tensor",
                wanted=("(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)")[d - 1],
            )
        )
    if input._a.dtype.kind in "iub":
        name = f"{fn[:-2]}{max(d, 2)}d" + ("_cpu" if d == 3 else "")
        kind = type_name(dtypes.from_numpy(input._a.dtype))
        raise NotImplementedError(
            message(f"\"{name}\" not implemented for '{kind}'", hint="input.float()")
        )
    for i in range(1, len(shape)):
        if shape[i] == 0:
            raise RuntimeError(
                message(
                    f"{fn}(): Expected input to have non-zero size for non-batch dimensions, but "
                    f"input has sizes {list_of(shape)} with dimension {i} being empty"
                )
            )
    size = shape[len(shape) - d :]
    if isinstance(output_size, (tuple, list)):
        if len(output_size) not in (1, d) or (d > 1 and len(output_size) != d):
            n = len(output_size)
            wrong = f"{fn}() argument 'output_size' should contain one int (got {n})"
            if d > 1:
                wrong = f"{fn}(): internal error: output_size.size() must be {d}"
                wrong = wrong if "max" in fn else f"{fn}: output_size must be {d}"
            raise RuntimeError(message(wrong, got=f"output_size={output_size}"))
        wanted = [n if o is None else o for o, n in zip(output_size, size, strict=True)]
    else:
        wanted = list(size) if output_size is None else [output_size] * d
    out = ints(fn, "output_size", wanted, d)
    if min(out) < 0:
        raise RuntimeError(
            message(
                f"{fn}: elements of output_size must be greater than or equal to 0 "
                f"but received {list_of(out)}"
            )
        )
    if math.prod((*shape[: len(shape) - d], *out)) > sys.maxsize // input._a.itemsize:
        raise RuntimeError(
            message(f"{fn}: Storage size calculation overflowed with output_size={list_of(out)}")
        )
    return out


def _adaptive_avg(d: int, input: Any, output_size: Any) -> Any:
    if d > 1 and output_size.__class__ is int and output_size == 1 and input.ndim < d + 1:
        return input.mean(tuple(range(-d, 0)), keepdim=True)  # all PyTorch does for one window
    out = _adaptive_size(f"adaptive_avg_pool{d}d", d, input, output_size)
    return pool.adaptive_avg[d](input, out=out)


def _adaptive_max(d: int, input: Any, output_size: Any, return_indices: bool) -> Any:
    out = _adaptive_size(f"adaptive_max_pool{d}d", d, input, output_size)
    both = pool.adaptive_max(input, out=out)
    return both if return_indices else both[0]


_INDICES_DOC = """
    return_indices: also the position of each maximum in the flattened plane (int64)."""
_ADAPTIVE_DOC = """{What} over the last {d} dimension(s), in as many windows as `output_size` says.

Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

Args:
    input: (N, C, {dims}), or without N.
    output_size: one number, or one a dimension; None keeps a size.{indices}

>>> x = torch.arange({n}.0).reshape({shape})
>>> F.adaptive_{which}_pool{d}d(x, 1).flatten()
{all}
"""


@composite(accepts="floating: adaptive_avg_pool2d",
           public=_PUBLIC, samples=[case((2, 3, 6), 4)])
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    return _adaptive_avg(1, input, output_size)


@composite(accepts="floating: adaptive_avg_pool2d",
           public="nn.functional", samples=[case((2, 3, 6, 4), [1, 3])])
@keeps_format
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    return _adaptive_avg(2, input, output_size)


@composite(autocast="float32", accepts="floating: adaptive_avg_pool3d_cpu",
           public="nn.functional", samples=[case((2, 3, 4, 4, 4), 2)])
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    return _adaptive_avg(3, input, output_size)


@composite(accepts="floating: adaptive_max_pool2d",
           public="nn.functional", samples=[case((2, 3, 6), 4)])
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_max(1, input, output_size, return_indices)


@composite(accepts="floating: adaptive_max_pool2d",
           public="nn.functional", samples=[case((2, 3, 6, 4), [1, 3])])
@keeps_format
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_max(2, input, output_size, return_indices)


@composite(autocast="float32", accepts="floating: adaptive_max_pool3d_cpu",
           public="nn.functional", samples=[case((2, 3, 4, 4, 4), 2)])
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    return _adaptive_max(3, input, output_size, return_indices)


def _adaptive_with_indices(d: int) -> Any:
    """adaptive_max_pool<d>d_with_indices: the same with the indices always."""

    def both(input: Any, output_size: Any, return_indices: bool = True) -> Any:
        return _adaptive_max(d, input, output_size, True)

    both.__name__ = both.__qualname__ = f"adaptive_max_pool{d}d_with_indices"
    both.__doc__ = f"""`adaptive_max_pool{d}d` with `return_indices=True`: (maxima, their places).

    >>> x = torch.arange({4**d}.0).reshape(1, 1, {", ".join(["4"] * d)})
    >>> y, indices = F.adaptive_max_pool{d}d_with_indices(x, 1)
    >>> y.flatten(), indices.flatten()
    (tensor([{4**d - 1}.]), tensor([{4**d - 1}]))
    """
    return composite(
        both,
        public="nn.functional",
        accepts=f"floating: adaptive_max_pool{max(d, 2)}d",
        samples=[case((2, *(4, 4, 4)[:d]), 2)],
    )


adaptive_max_pool1d_with_indices = _adaptive_with_indices(1)
adaptive_max_pool2d_with_indices = _adaptive_with_indices(2)
adaptive_max_pool3d_with_indices = _adaptive_with_indices(3)


@composite(public="torch", name="adaptive_max_pool1d", accepts="floating: adaptive_max_pool2d",
           samples=[case((2, 3, 6), 4)])
def _adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """Adaptive maxima and their indices: `torch.adaptive_max_pool1d` returns both.

    >>> torch.adaptive_max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
    return _adaptive_max(1, input, output_size, True)


def _document() -> None:
    for d, fns in enumerate(
        (
            (max_pool1d, avg_pool1d, adaptive_avg_pool1d, adaptive_max_pool1d),
            (max_pool2d, avg_pool2d, adaptive_avg_pool2d, adaptive_max_pool2d),
            (max_pool3d, avg_pool3d, adaptive_avg_pool3d, adaptive_max_pool3d),
        ),
        1,
    ):
        for fn, doc, what in zip(
            fns,
            (_MAX_DOC, _AVG_DOC, _ADAPTIVE_DOC, _ADAPTIVE_DOC),
            ("", "", "Means", "Maxima"),
            strict=True,
        ):
            fn.__doc__ = doc.format(
                d=d,
                dims=("L", "H, W", "D, H, W")[d - 1],
                What=what,
                which="avg" if what == "Means" else "max",
                indices="" if what == "Means" else _INDICES_DOC,
                n=2 ** (d + 1),
                shape=", ".join(map(str, (1, 1, *(2,) * (d - 1), 4))),
                largest=("tensor([1., 3.])", "tensor([5., 7.])", "tensor([13., 15.])")[d - 1],
                means=(
                    "tensor([0.5000, 2.5000])", "tensor([2.5000, 4.5000])",
                    "tensor([6.5000, 8.5000])",
                )[d - 1],
                all=f"tensor([{2**d - 0.5:.4f}])" if what == "Means"
                else f"tensor([{2 ** (d + 1) - 1}.])",
            )  # fmt: skip


_document()
