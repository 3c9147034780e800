"""Numbers at equal distances: arange, range, linspace, logspace. `sequences.py` computes them and
says of which type they are."""

from __future__ import annotations

import math as pymath
import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...device import META, refuse_pinned, usable
from ...errors import message
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.samples import case
from . import sequences
from .arguments import finish, in_layout, in_shape_of, stored, type_of_out
from .sequences import (
    check_count,
    check_ends,
    check_steps,
    count_up,
    ends_in,
    not_there,
    number,
    number_of_end,
    type_of_ends,
)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case(5), case(1.0, 2.5, 0.5), case(5, 0, -2, dtype=dtypes.float64)],
)
def arange(
    *args: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **kw: Any,
) -> Any:
    """The numbers start, start + step, ... before `end`, in a vector.

    `arange(end)`, `arange(start, end)`, `arange(start, end, step)`; there are
    ceil((end - start) / step). int64 when all three are integers, else the default float type. With
    fractions as steps rounding may add or lose the last one: `linspace` gives a known number.
    RuntimeError if `step` is 0 or leads away from `end`.

    >>> torch.arange(5)
    tensor([0, 1, 2, 3, 4])
    >>> torch.arange(1.0, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    >>> torch.arange(5, 0, -2)
    tensor([5, 3, 1])
    """
    if args and out is layout is device is None and not (kw or pin_memory or requires_grad):
        counted = count_up(args, dtype)
        if counted is not None:
            return counted
    if pin_memory and out is None:
        refuse_pinned("arange", pin_memory, device)
    if layout is not None:
        in_layout("arange", layout, ())
    start, end, step = 0, None, 1
    if len(args) == 1:
        end = args[0]
    elif len(args) >= 2:
        start, end = args[:2]
        step = args[2] if len(args) > 2 else 1
    start, end, step = kw.pop("start", start), kw.pop("end", end), kw.pop("step", step)
    if kw:
        raise TypeError(f"arange() got an unexpected keyword argument '{next(iter(kw))}'")
    if end is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    start, end, step = (number(v) for v in (start, end, step))
    if out is not None:
        dtype = type_of_out(out, dtype)
    if dtype is not None:
        dtype = dtypes.of(dtype)
    if dtype is dtypes.int64 and all(pymath.isfinite(v) for v in (start, end, step)):
        start, end, step = int(start), int(end), int(step)
    check_steps(start, end, step)
    if dtype is None:
        whole = all(isinstance(v, int) for v in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.get_default_dtype()
    n = pymath.ceil((end - start) / step)
    if n >= 2**60:  # bytes that no int64 counts
        raise RuntimeError(
            message("arange: invalid size, possible overflow?", f"{n} numbers from {start} on")
        )
    if usable(device) is META:
        return finish(MetaArray((n,), dtype.np), requires_grad)
    kind = np.float64 if dtype.is_floating_point else np.int64
    if dtype.category == dtypes.INT:  # the count is that of the bounds as given
        start, step = int(start), int(step)
    kw = {"start": start, "n": n, "by": step, "kind": kind, "dtype": dtype.np}
    if isinstance(out, TensorBase) and out._a.size not in (0, n):
        warnings.warn(
            f"The number of elements in the out tensor of shape {list(out._a.shape)} is "
            f"{out._a.size} which does not match the computed number of elements {n}. Note that "
            "this may occur as a result of rounding error. The out tensor will be resized to a "
            f"tensor of shape ({n},).",
            UserWarning,
            stacklevel=3,
        )
    made = in_shape_of(door.perform(sequences.arange, (), kw), out)
    return finish(made, requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    name="range",
    dispatch=False,
    samples=[case(1, 4), case(0.0, 1.0, 0.25)],
)
def range_(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """The numbers start, start + step, ... up to `end`, which is included; of the default float
    type.

    Deprecated, with a warning: `arange` is what Python's `range` is.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 2, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    if layout is not None:
        in_layout("range", layout, ())
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior "
        "is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=2,
    )
    check_steps(start, end, step)
    n = pymath.floor((end - start) / step) + 1
    dtype = dtype if out is None else type_of_out(out, dtype)
    d = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
    kw = {"start": start, "n": n, "by": step, "kind": None, "dtype": d.np}
    made = in_shape_of(door.perform(sequences.range_, (), kw), out)
    return finish(made, requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case(0, 1, 5), case(-1.0, 1.0, steps=1)],
)
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    y[i] = start + i * (end - start) / (steps - 1). The ends may be tensors without dimensions. Of
    the default float type unless `dtype` is given (complex if an end is).

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    >>> torch.linspace(0, 10, steps=3, dtype=torch.int64)
    tensor([ 0,  5, 10])
    """
    if pin_memory and out is None:
        refuse_pinned("linspace", pin_memory, device)
    if layout is not None:
        in_layout("linspace", layout, ())
    dtype = dtype if out is None else type_of_out(out, dtype)
    check_count("linspace", steps)
    check_ends("linspace", start, end)
    meta = not_there(start) or not_there(end)
    start, end = number_of_end(start), number_of_end(end)
    d = type_of_ends("linspace", start, end, dtype)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = ends_in(d, start, end, steps)
    if meta or usable(device) is META:
        return finish(MetaArray((steps,), d.np), requires_grad)
    work = (
        d.np
        if d.np.kind in "fc" and not d.low
        else np.dtype(np.float64 if d.category <= dtypes.INT else np.float32)
    )
    if steps == 1:
        with np.errstate(over="ignore"):  # a narrow type may give infinity
            wide = np.dtype(np.float32) if d.low else d.np
            start = end = stored(start, wide).item()
    kw = {"start": start, "end": end, "steps": steps, "work": work, "dtype": d.np}
    made = in_shape_of(door.perform(sequences.linspace, (), kw), out)
    return finish(made, requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case(0, 2, 5), case(0.0, 1.0, 3, base=2.0)],
)
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """`steps` numbers from base^start to base^end, whose exponents are at equal distances.

    y[i] = base ^ (start + i * (end - start) / (steps - 1)).

    >>> torch.logspace(0, 3, steps=4)
    tensor([   1.,   10.,  100., 1000.])
    >>> torch.logspace(0, 3, steps=4, base=2)
    tensor([1., 2., 4., 8.])
    """
    if pin_memory and out is None:
        refuse_pinned("logspace", pin_memory, device)
    if layout is not None:
        in_layout("logspace", layout, ())
    dtype = dtype if out is None else type_of_out(out, dtype)
    check_count("logspace", steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    check_ends("logspace", start, end)
    meta = not_there(start) or not_there(end)
    start, end = number_of_end(start), number_of_end(end)
    d = type_of_ends("logspace", start, end, dtype)
    start, end = ends_in(d, start, end, steps)
    if meta or usable(device) is META:
        return finish(MetaArray((steps,), d.np), requires_grad)
    kw = {"start": start, "end": end, "steps": steps, "base": float(base), "dtype": d.np}
    made = in_shape_of(door.perform(sequences.logspace, (), kw), out)
    return finish(made, requires_grad, device, out)
