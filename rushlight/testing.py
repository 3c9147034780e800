"""Tools for tests, the user's too: assert_close, make_tensor, gradcheck, and check_op for an op
record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import dtypes
from .autograd.gradcheck import gradcheck, gradgradcheck
from .errors import message
from .ops.core.record import Op
from .ops.create.from_data import tensor
from .tensor import Tensor

__all__ = [
    "assert_allclose",
    "assert_close",
    "check_op",
    "gradcheck",
    "gradgradcheck",
    "make_tensor",
]

# rtol, atol a dtype, PyTorch's
TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5), dtypes.bfloat16: (1.6e-2, 1e-5), dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7), dtypes.complex64: (1.3e-6, 1e-5), dtypes.complex128: (1e-7, 1e-7),
}  # fmt: skip


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

    Tensors, numbers, arrays, and sequences or mappings of them. Default tolerances depend on the
    dtype, as in
    PyTorch; shapes, dtypes and devices must be equal.

    >>> import rushlight as torch
    >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")

    def fail(text: str, kind: type[Exception] = AssertionError) -> None:
        raise kind(msg(text) if callable(msg) else msg if msg is not None else text)

    def compare(a: Any, b: Any, at: str) -> None:
        if isinstance(b, Mapping) and isinstance(a, Mapping):
            if a.keys() != b.keys():
                fail(f"The keys of the mappings do not match{at}: {sorted(a.keys() ^ b.keys())}")
            for k in b:
                compare(a[k], b[k], f"{at}[{k!r}]")
            return
        plain = (str, Tensor, np.ndarray)
        if isinstance(b, Sequence) and isinstance(a, Sequence) and not isinstance(b, plain):
            if len(a) != len(b):
                fail(f"The length of the sequences mismatch{at}: {len(a)} != {len(b)}")
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                compare(x, y, f"{at}[{i}]")
            return
        values(a, b, at)

    def values(a: Any, b: Any, at: str) -> None:
        if isinstance(a, Tensor) != isinstance(b, Tensor) and not (
            isinstance(a, (int, float, complex)) or isinstance(b, (int, float, complex))
        ):
            fail(
                f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.",
                TypeError,
            )
        x, y = as_tensor(a), as_tensor(b)
        if x.shape != y.shape:
            fail(f"The values for attribute 'shape' do not match: {x.shape} != {y.shape}.{at}")
        if check_device and x.device != y.device:
            fail(f"The values for attribute 'device' do not match: {x.device} != {y.device}.{at}")
        if check_dtype and isinstance(a, Tensor) and isinstance(b, Tensor) and x.dtype != y.dtype:
            fail(f"The values for attribute 'dtype' do not match: {x.dtype} != {y.dtype}.{at}")
        if check_stride and x.stride() != y.stride():
            fail(
                f"The values for attribute 'stride()' do not match: {x.stride()} != "
                f"{y.stride()}.{at}"
            )
        pairs = [TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (x, y)]
        r = max(p[0] for p in pairs) if rtol is None else rtol
        t = max(p[1] for p in pairs) if atol is None else atol
        wide = np.complex128 if x.is_complex() or y.is_complex() else np.float64
        whole = x._a.dtype.kind in "iub" and y._a.dtype.kind in "iub"
        p, q = (x._a, y._a) if whole and r == t == 0 else (x._a.astype(wide), y._a.astype(wide))
        with np.errstate(all="ignore"):
            close = np.isclose(p, q, rtol=r, atol=t, equal_nan=equal_nan)
        if close.all():
            return
        with np.errstate(all="ignore"):
            off = np.abs(p.astype(wide) - q.astype(wide))
            rel = off / np.abs(q)
        worst = np.unravel_index(
            np.nanargmax(np.where(close, -1, np.nan_to_num(off, nan=np.inf))), off.shape
        )
        if not off.shape:
            fail(
                f"Scalars are not close!{at}\n\nExpected {b} but got {a}.\nAbsolute "
                f"difference: {off} (up to {t} allowed)\nRelative difference: {rel} (up to {r} "
                f"allowed)"
            )
        fail(
            f"Tensor-likes are not {'equal' if r == t == 0 else 'close'}!{at}\n\n"
            f"Mismatched elements: {(~close).sum()} / {close.size} ({100 * (~close).mean():.1f}%)\n"
            f"Greatest absolute difference: {off[worst]} at index "
            f"{tuple(int(i) for i in worst)} (up to {t} allowed)\n"
            f"Greatest relative difference: {np.nanmax(rel)} (up to {r} allowed)"
        )

    compare(actual, expected, "")


def as_tensor(x: Any) -> Tensor:
    return x.detach() if isinstance(x, Tensor) else tensor(x)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: Any = "",
) -> None:
    """The older name of `assert_close`: compares values only, not dtypes. It warns.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     torch.testing.assert_allclose(torch.ones(2), torch.ones(2) + 1e-7)
    """
    assert_close(
        as_tensor(actual),
        as_tensor(expected),
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A random tensor in [low, high): by default -9..9 for floats, -9..9 for signed and 0..9 for
    unsigned integers.

    Args:
        shape: numbers, or one tuple.
        low, high: the bounds.
        noncontiguous: leave gaps between the elements.
        exclude_zero: put a small number in the place of zeros.

    >>> x = torch.testing.make_tensor(2, 3, dtype=torch.float32, device="cpu", low=0, high=1)
    >>> x.shape, bool((x >= 0).all())
    (torch.Size([2, 3]), True)
    """
    from .ops.random.factories import rand, randint

    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    work = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    if dtype is dtypes.bool:
        t = randint(0, 2, work).bool()
    elif dtype.category == dtypes.INT:
        lowest = 0 if not dtype.is_signed else -9
        limits = dtypes.iinfo(dtype)  # as PyTorch: what the type cannot hold is left out

        def held(value: float) -> int:
            return math.ceil(min(max(value, limits.min), limits.max))

        t = randint(
            held(lowest if low is None else low),
            held(10 if high is None else high),
            work,
            dtype=dtype,
        )
    else:
        lo, hi = (-9.0 if low is None else low), (9.0 if high is None else high)
        real = dtype.to_real()
        t = rand(work, dtype=real) * (hi - lo) + lo
        if dtype.is_complex:
            t = t + 1j * (rand(work, dtype=real) * (hi - lo) + lo)
        t = t.to(dtype)
    if noncontiguous and sizes:
        t = t[..., ::2]
    if exclude_zero:
        t = t.masked_fill(t == 0, 1)
    return t.requires_grad_(requires_grad)


def check_op(op: Op, *, atol: float = 1e-5, rtol: float = 1e-3) -> None:
    """Check an op record on its own samples: gradients to second order where it has rules.

    Raises:
        AssertionError: no samples; GradcheckError: a derivative is wrong.

    >>> from rushlight.ops.core.record import registry
    >>> torch.testing.check_op(registry["exp"])
    """
    if not op.samples:
        raise AssertionError(
            message(
                f"{op.name}: the record has no samples", hint="@op(samples=[case((3, 4), dim=1)])"
            )
        )
    rng = np.random.default_rng(0)
    for sample in op.samples:
        args, kw = sample.make(rng)
        tensors = [tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        op(*tensors, **kw)
        if op.rules is None:
            continue
        for t in tensors:
            if isinstance(t, Tensor) and t.is_floating_point():
                t.requires_grad_()
        if not any(isinstance(t, Tensor) and t.requires_grad for t in tensors):
            continue

        def call(*xs: Any, kw: Any = kw) -> Any:
            return op(*xs, **kw)

        gradcheck(call, tuple(tensors), atol=atol, rtol=rtol)
        gradgradcheck(call, tuple(tensors), atol=atol, rtol=rtol)
