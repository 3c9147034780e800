"""Numbers in order, as arrays: what arange, range, linspace, logspace and eye compute, and what
their bounds must be.

Not here: the functions themselves (`factories.py`).
"""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.steps import Step, step
from ...device import META, usable
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from .arguments import stored


def count_up(bounds: tuple[Any, ...], dtype: Any) -> Any:
    """`arange` of ints as int64, upwards; None where more must be looked at."""
    for v in bounds:
        if v.__class__ is not int or not -NEAR < v < NEAR:
            return None
    n = len(bounds)
    end: int = bounds[0] if n == 1 else bounds[1]
    start: int = 0 if n == 1 else bounds[0]
    step: int = 1
    if n > 2:
        step = bounds[2]
    if end < start or step < 1 or door.state.observers or usable(None) is META:
        return None
    if dtype is not None and dtype is not dtypes.int64:
        return None
    return door.wrap(np.arange(start, end, step, dtype=np.int64))


NEAR = 1 << 40  # numbers that are far from the ends of int64


def check_steps(start: Any, end: Any, step: Any) -> None:
    """RuntimeError unless steps from `start` lead to `end`."""
    if any(isinstance(v, complex) for v in (start, end, step)):
        raise RuntimeError(
            message("value cannot be converted to type double without overflow", got="complex")
        )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if not pymath.isfinite(start) or not pymath.isfinite(end):
        raise RuntimeError(f"unsupported range: {start} -> {end}")


def check_count(name: str, steps: Any) -> None:
    """TypeError unless `steps` is a whole number."""
    if not hasattr(steps, "__index__"):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (int, int, "
            f"{type(steps).__name__})"
        )


def check_ends(name: str, start: Any, end: Any) -> None:
    """RuntimeError for an end that is a tensor with dimensions."""
    for what, t in (("start", start), ("end", end)):
        if isinstance(t, TensorBase) and t._a.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {what} with "
                f"{t._a.ndim} dimension(s)."
            )


@step(shown="aten::arange")
def arange(*, start: Any, n: int, by: Any, kind: Any, dtype: Any) -> Any:
    """n numbers from `start` on, computed in the type `kind`."""
    return (start + np.arange(n, dtype=kind) * by).astype(dtype)


def number(v: Any) -> Any:
    if isinstance(v, TensorBase):
        return v.item()  # type: ignore[attr-defined]
    return v.item() if isinstance(v, np.generic) else v


range_ = Step("range", arange.fn, shown="aten::range")


def type_of_ends(name: str, start: Any, end: Any, dtype: Any) -> Any:
    """The type of numbers between two: the one given, or the default one, complex if they are."""
    usual = dtypes.get_default_dtype()
    if isinstance(start, complex) or isinstance(end, complex):
        usual = dtypes.complex128 if usual is dtypes.float64 else dtypes.complex64
        if dtype is not None and not dtypes.of(dtype).is_complex:
            part = "double" if usual is dtypes.complex128 else "float"
            raise RuntimeError(
                message(
                    f"torch.{name}(): inferred dtype c10::complex<{part}> can't be safely cast to "
                    f"passed dtype {type_name(dtypes.of(dtype))}",
                    hint=f"dtype={usual!r}",
                )
            )
    return usual if dtype is None else dtypes.of(dtype)


def not_there(t: Any) -> bool:
    """Whether a value is a tensor without data."""
    return isinstance(t, TensorBase) and t._a.__class__ is MetaArray


def number_of_end(v: Any) -> Any:
    """The number at an end; 0 of its kind for a tensor without data, whose result has none."""
    if not_there(v):
        d = dtypes.from_numpy(v._a.dtype)
        return 0j if d.is_complex else 0.0 if d.is_floating_point else 0
    return number(v)


def ends_in(d: Any, start: Any, end: Any, steps: int) -> tuple[Any, Any]:
    """The ends, which must fit the type where both are needed; -1 is 255 in uint8."""
    if steps < 2:
        return (start, start) if steps else (0, 0)
    own = [stored(v, d.np) for v in (start, end)]
    return (start, end) if d.category > dtypes.INT else (own[0].item(), own[1].item())


HALF_OF_MOST = 1.7e38  # between numbers below half of float32's largest no difference overflows


@step(shown="aten::linspace")
def linspace(*, start: Any, end: Any, steps: int, work: Any, dtype: Any) -> Any:
    """`steps` numbers from start to end, computed in the type `work`."""
    return steps_between(start, end, steps, work, dtype).astype(dtype, copy=False)


def steps_between(start: Any, end: Any, steps: int, work: Any, dtype: Any = None) -> Any:
    """The numbers of `linspace` before they are brought to the type `dtype`."""
    if steps == 1:
        return np.asarray([start], work)
    # PyTorch counts from both ends towards the middle, in the type itself, and rounds a product
    # and its sum once.
    low, high = work.type(start), work.type(end)
    up, down = np.arange(steps // 2), np.arange(steps - steps // 2 - 1, -1, -1)
    if dtype == np.float32 and pymath.isfinite(low) and pymath.isfinite(high):
        if abs(low) < HALF_OF_MOST and abs(high) < HALF_OF_MOST:
            step = (high - low) / work.type(max(steps - 1, 1))
        else:
            with np.errstate(over="ignore"):
                step = (high - low) / work.type(max(steps - 1, 1))
        low, high, step = float(low), float(high), float(step)  # float64, and rounded to `work`
    else:
        step = work.type((end - start) / max(steps - 1, 1))
        up, down = up.astype(work), down.astype(work)
    made = np.empty(steps, work)
    made[: len(up)] = low + step * up
    made[len(up) :] = high - step * down
    return made


@step(shown="aten::logspace")
def logspace(*, start: Any, end: Any, steps: int, base: float, dtype: Any) -> Any:
    """Powers of `base`, their exponents at equal distances."""
    if steps and np.isfinite((start, end)).all():
        exponents = np.linspace(start, end, steps)
    else:
        exponents = steps_between(start, end, steps, np.dtype(np.float64))
        if steps == 1:
            exponents[:] = start
    return np.power(base, exponents).astype(dtype)


@step(shown="aten::eye")
def eye(*, n: int, m: int | None, dtype: Any) -> Any:
    """Ones on the diagonal."""
    return np.eye(n, m, dtype=dtype)
