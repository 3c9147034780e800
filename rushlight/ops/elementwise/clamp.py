"""Clamping: clamp, clamp_min, clamp_max, and their forms in place.

Not here: minimum and maximum of two tensors (`arithmetic.py`), hardtanh (`activation.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes
from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.elementwise.select import by_steps
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import elementwise
from ..core.samples import arr, case
from . import formulas as m

A34, A4 = (3, 4), (4,)


@elementwise(
    samples=[
        case(arr(A34, -2, 2), -1.0, 1.0),
        case(arr(A34, -2, 2), A4, None),
        case(A34, None, A34),
    ],
    public="",
    derive=False,
    optional=(1, 2),
)
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Values below min become min, values above max become max."""
    if input.__class__ is np.ndarray:
        if input.dtype.kind in "cW":
            raise NotImplementedError("clamp is not supported for complex types")
        if by_steps(input):
            y = input if min is None else np.maximum(input, min)
            return y if max is None else np.minimum(y, max)
    y = input
    if min is not None:
        y = m.maximum(y, min)
    if max is not None:
        y = m.minimum(y, max)
    return y


def inside(x: Any, low: Any, high: Any) -> Any:
    if low is None:
        return x <= high
    if high is None:
        return x >= low
    return (x >= low) & (x <= high)


def low_rule(g: Any, _y: Any, x: Any, low: Any, high: Any) -> Any:
    chosen = x < low
    if high is not None:
        chosen = chosen & (low < high)
    return m.where(chosen, g, 0.0)


def high_rule(g: Any, _y: Any, x: Any, low: Any, high: Any) -> Any:
    chosen = x > high
    if low is not None:
        chosen = chosen | (low > high)
    return m.where(chosen, g, 0.0)


clamp.vjp(
    lambda g, _y, x, low, high: m.where(inside(x, low, high), g, 0.0),
    low_rule,
    high_rule,
)


def lines(bound: Any) -> bool | None:
    """Whether a bound is a tensor with dimensions; None of what goes with both sorts: no bound, and
    a tensor without."""
    if isinstance(bound, TensorBase):
        return bool(bound._a.ndim) or None
    return None if bound is None else False


def refuse_truths(min: Any, max: Any) -> None:
    """NotImplementedError for bools between bools, but by one tensor, which PyTorch compares."""
    given = [b for b in (min, max) if b is not None]
    tensors = [b for b in given if isinstance(b, TensorBase)]
    if len(given) == 1 == len(tensors):
        return
    if all(b._a.dtype == bool if isinstance(b, TensorBase) else b.__class__ is bool for b in given):
        which = ("min_" if max is None else "max_" if min is None else "") + "scalar_"
        kernel = f"clamp_{'' if len(tensors) == 2 else which}cpu"
        raise NotImplementedError(
            message(f"\"{kernel}\" not implemented for 'Bool'", hint="x & high | low")
        )


BOUND = frozenset((int, float, type(None)))  # what nothing more is asked of


def by_numbers(input: Any, min: Any, max: Any) -> bool:
    """Whether a tensor is held between numbers, of which nothing more is to be asked."""
    return min.__class__ in BOUND and max.__class__ in BOUND and min is not max


def bounds(name: str, input: Any, min: Any, max: Any) -> tuple[Any, Any]:
    if min is None and max is None:
        if not name.startswith("clamp_m"):
            raise RuntimeError(f"torch.{name}: At least one of 'min' or 'max' must not be None")
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                got="None",
                wanted="a number or a tensor",
            )
        )
    for b, place in ((min, "min"), (max, "max")):
        if b is not None and not isinstance(b, (TensorBase, int, float, complex, np.generic)):
            raise TypeError(
                f"{name}(): argument '{place}' must be Number or Tensor, not {type(b).__name__}"
            )
    if min.__class__ is not max.__class__ and {lines(min), lines(max)} == {True, False}:
        raise TypeError(
            message(
                f"{name}() received an invalid combination of arguments",
                got=f"min: {type(min).__name__}, max: {type(max).__name__}",
                wanted="two numbers or two tensors",
                hint="torch.full_like(x, number)",
            )
        )
    if input._a.dtype == bool:
        refuse_truths(min, max)
    return min, max


@composite(
    apart="partly",
    adapt=True,
    name="clamp",
    aliases="clip",
    entry=clamp,
    common=by_numbers,
    samples=[case((3, 4), -1.0, 1.0), case((3, 4), arr((4,), -1.5, -1)), case((3, 4), max=0.5)],
)
def public_clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Hold each element between two bounds: `y = min(max(x, min), max)`.

    min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
    is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
    outside.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), min=torch.tensor([0.0, 1.0, 2.0]))
    tensor([0., 1., 3.])
    """
    need_tensor("clamp", input)
    return clamp.call((input, *bounds("clamp", input, min, max)), {})


@composite(
    adapt=True,
    public="torch Tensor",
    name="clamp_",
    aliases="clip_",
    into=(clamp,),
    common=by_numbers,
    samples=[case((3, 4), -1.0, 1.0)],
)
def clamp_(input: Any, min: Any = None, max: Any = None) -> Any:
    """`clamp` in place."""
    return changes.apply_inplace(clamp, input, bounds("clamp", input, min, max), {})


@composite(apart="partly", adapt=True, samples=[case((3, 4), 0.5), case((3, 4), (4,))])
def clamp_min(input: Any, min: Any) -> Any:
    """Values below min become min: `y = max(x, min)`.

    min: a number, or a tensor that broadcasts.

    >>> torch.clamp_min(torch.tensor([-2.0, 0.5, 3.0]), 0)
    tensor([0.0000, 0.5000, 3.0000])
    """
    need_tensor("clamp_min", input)
    return clamp.call((input, *bounds("clamp_min", input, min, None)), {})


@composite(apart="partly", adapt=True, samples=[case((3, 4), 0.5), case((3, 4), (4,))])
def clamp_max(input: Any, max: Any) -> Any:
    """Values above max become max: `y = min(x, max)`.

    max: a number, or a tensor that broadcasts.

    >>> torch.clamp_max(torch.tensor([-2.0, 0.5, 3.0]), 1)
    tensor([-2.0000,  0.5000,  1.0000])
    """
    need_tensor("clamp_max", input)
    return clamp.call((input, *bounds("clamp_max", input, None, max)), {})


@composite(adapt=True, public="torch Tensor", name="clamp_min_", samples=[case((3, 4), 0.5)])
def clamp_min_(input: Any, min: Any) -> Any:
    """`clamp_min` in place."""
    return changes.apply_inplace(clamp, input, bounds("clamp_min_", input, min, None), {})


@composite(adapt=True, public="torch Tensor", name="clamp_max_", samples=[case((3, 4), 0.5)])
def clamp_max_(input: Any, max: Any) -> Any:
    """`clamp_max` in place."""
    return changes.apply_inplace(clamp, input, bounds("clamp_max_", input, None, max), {})
