"""Mixtures of tensors, and what is left of functions of one: lerp, addcmul, addcdiv, nan_to_num,
deg2rad, frexp.

Not here: clamp (`clamp.py`), functions of two numbers (`binary.py`), choices and comparisons of
whole tensors such as where and allclose (`compare.py`).
"""

from __future__ import annotations

import math as pymath
from typing import Any

import ml_dtypes
import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.elementwise.formula import fuse
from ...kernels.elementwise.select import by_steps
from ...kernels.meta import MetaArray
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import elementwise, op
from ..core.samples import arr, case, real
from ..core.shapes import broadcast, same
from . import formulas as m

A34, A4 = (3, 4), (4,)
FAR = arr(A34, 0.3, 2.0)


# -- mixtures ------------------------------------------------------------------------------------


def one_type(*operands: Any) -> None:
    """lerp promotes nothing."""
    kinds = [x.dtype for x in operands if isinstance(x, TensorBase)]
    for name, d in zip(("input", "end", "weight"), kinds, strict=False):
        if d is not kinds[0]:
            raise RuntimeError(
                message(
                    f"expected dtype {kinds[0].name} for `{name}` but got dtype {d.name}",
                    hint="bring all to one type with .to()",
                )
            )
    lerp.accepts.check(kinds[0])


@elementwise(
    accepts="floating complex: lerp_kernel_scalar",
    numbers=(2,),
    check=one_type,
    samples=[case(A34, A34, 0.3), case(A34, A4, A34)],
    derive=False,
    holomorphic=True,
)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """A point on the line between two tensors: `y = input + weight * (end - input)`.

    weight: a number, or a tensor that broadcasts with both; 0 gives input, 1 gives end. All of one
    float or complex type; nothing is promoted.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
    if input.dtype.kind in "iub":
        raise NotImplementedError(
            '"lerp_kernel" not implemented for '
            f"'{type_name(dtypes.from_numpy(input.dtype))}'"
        )
    # What `between` comes to; NumPy takes a scalar of its own faster than an array of one number.
    few = input.shape == end.shape and by_steps(input)
    if few and weight.__class__ is float and input.dtype.char in "fd":
        return _between(input, end, input.dtype.type(weight))
    return between(input, end, np.asarray(weight, input.dtype))


def _between(a: Any, b: Any, w: Any) -> Any:
    """By NumPy's own functions, which are quicker on arrays than records."""
    if not w.ndim:
        return a + w * (b - a) if abs(w) < 0.5 else b - (b - a) * (1 - w)
    return np.where(np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))


between: Any = fuse(
    _between,
    "between",
    lambda a, b, w: m.where(m.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w)),
    alone=False,
)


def lerp_over(a: Any, end: Any, weight: Any) -> None:
    """`lerp` in memory that may be written to."""
    between.planned.into(_between, a, end, np.asarray(weight, a.dtype))


in_place_by(lerp, lerp_over)
lerp.vjp(
    lambda g, _y, _a, _b, w: g * (1 - w),
    lambda g, _y, _a, _b, w: g * w,
    lambda g, _y, a, b, _w: g * (b - a),
)


@op(
    apart="partly",
    samples=[case(A34, A34, A34, value=0.5), case(A34, A4, (3, 1))],
    promote="common",
    numbers=(),
    inplace="method",
    fresh=True,
    holomorphic=True,
)
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """`y = input + value * tensor1 * tensor2`, element by element.

    The three tensors broadcast; value: a number, 1 by default. Optimisers are made of it.

    >>> torch.addcmul(torch.zeros(2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), value=0.5)
    tensor([1.5000, 4.0000])
    """
    if input.dtype.kind == "b":
        raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool'")
    return plus_product(input, tensor1, tensor2, np.asarray(value).astype(input.dtype))


addcmul.shape(broadcast)
addcmul.signature.numbers_first = ("value",)


def over(mixture: Any) -> Any:
    """A mixture of three arrays with a number, written into the first one."""
    into = mixture.planned.into

    def write(a: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> None:
        into(mixture, a, tensor1, tensor2, np.asarray(value).astype(a.dtype))

    return write


plus_product = fuse(lambda x, a, b, v: x + v * a * b, "addcmul")
in_place_by(addcmul, over(plus_product))
addcmul.vjp(
    lambda g, _y, _x, _a, _b: g,
    lambda g, _y, _x, _a, b, *, value: g * (b * value),
    lambda g, _y, _x, a, _b, *, value: g * (a * value),
)


def not_whole(_input: Any, a: Any, b: Any) -> None:
    """Quotients of two whole numbers are refused, whatever they are added to."""
    kinds = [x._a.dtype.kind for x in (a, b) if isinstance(x, TensorBase)]
    if len(kinds) == 2 and set(kinds) <= set("iub"):
        raise RuntimeError(
            message(
                "Integer division with addcdiv is no longer supported, and in a future  release "
                "addcdiv will perform a true division of tensor1 and tensor2.",
                hint="(input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype)",
            )
        )


@op(
    apart="partly",
    check=not_whole,
    samples=[case(A34, A34, FAR, value=0.5), case(A34, A4, arr((3, 1), 0.5, 2))],
    promote="common",
    numbers=(),
    inplace="method",
    fresh=True,
    holomorphic=True,
)
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """`y = input + value * tensor1 / tensor2`, element by element.

    The three tensors broadcast; value: a number, 1 by default. RuntimeError where both tensor1 and
    tensor2 are integers.

    >>> torch.addcdiv(torch.zeros(2), torch.tensor([1.0, 2.0]), torch.tensor([4.0, 4.0]), value=2)
    tensor([0.5000, 1.0000])
    """
    return plus_quotient(input, tensor1, tensor2, np.asarray(value).astype(input.dtype))


addcdiv.shape(broadcast)
addcdiv.signature.numbers_first = ("value",)


plus_quotient = fuse(lambda x, a, b, v: x + v * (a / b), "addcdiv")
in_place_by(addcdiv, over(plus_quotient))
addcdiv.vjp(
    lambda g, _y, _x, _a, _b: g,
    lambda g, _y, _x, _a, b, *, value: g * (value / b),
    lambda g, _y, _x, a, b, *, value: -g * (a * value / (b * b)),
)


# -- one operand ---------------------------------------------------------------------------------


@op(samples=[case(arr(A34, -2, 2))], inplace=True, fresh=True, low="own", apart="partly")
def nan_to_num(input: Any, *, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """Replace what is not finite: NaN by `nan`, inf by `posinf`, -inf by `neginf`.

    nan: 0 by default; posinf, neginf: by default the largest and the smallest finite number of the
    type. The gradient is 0 where something was replaced.

    >>> x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5])
    >>> torch.nan_to_num(x, nan=0.0, posinf=100.0, neginf=-100.0)
    tensor([   0.0000,  100.0000, -100.0000,    1.5000])
    """
    if input.dtype in dtypes.LOW_NP:
        info: Any = ml_dtypes.finfo(input.dtype)
        wide = input.astype(np.float32)
    elif input.dtype.kind in "fc":
        info, wide = np.finfo(input.dtype), input
    else:
        return dense.copied(input)
    numbers = (
        0.0 if nan is None else nan,
        float(info.max) if posinf is None else posinf,
        float(info.min) if neginf is None else neginf,
    )
    if wide.dtype.kind == "f":
        return finite(wide, *map(float, numbers)).astype(input.dtype, copy=False)
    y = np.nan_to_num(
        dense.copied(wide) if 0 in wide.strides else wide,
        nan=numbers[0], posinf=numbers[1], neginf=numbers[2],
    )  # fmt: skip
    return y.astype(input.dtype, copy=False)


def by_numpy(x: Any, nan: float, high: float, low: float) -> Any:
    """Replace what is not finite, of floats."""
    x = dense.copied(x) if 0 in x.strides else x
    if np.isfinite(x).all():  # as mostly: NumPy's function takes twice as long to find nothing
        return np.array(x, copy=True)
    return np.nan_to_num(x, nan=nan, posinf=high, neginf=low)


finite = fuse(
    by_numpy,
    "nan_to_num",
    lambda x, nan, high, low: m.where(
        x == x, m.where(x == pymath.inf, high, m.where(x == -pymath.inf, low, x)), nan
    ),
    alone=False,
)
nan_to_num.shape(same)


nan_to_num.vjp(lambda g, _y, x: g * m.where(m.isfinite(x), 1.0, 0.0))


def degrees_op(name: str, factor: float, doc: str) -> Any:
    def fn(input: Any) -> Any:
        return input * input.dtype.type(factor)

    fn.__name__ = name
    fn.__doc__ = doc
    taken = f"floating integral bool: {name} is not supported for complex tensors."
    op = elementwise(samples=real(-3, 3), derive=False, accepts=taken)(fn)
    return op.vjp(lambda g, _y, _x: g * factor)


deg2rad = degrees_op("deg2rad", pymath.pi / 180, """Degrees as radians: `y = x * pi / 180`.

    >>> torch.deg2rad(torch.tensor([0.0, 90.0, 180.0]))
    tensor([0.0000, 1.5708, 3.1416])
    """)
rad2deg = degrees_op("rad2deg", 180 / pymath.pi, """Radians as degrees: `y = x * 180 / pi`.

    >>> torch.rad2deg(torch.tensor([0.0, torch.pi / 2, torch.pi]))
    tensor([  0.,  90., 180.])
    """)


@composite(adapt=True, samples=[case((3, 4))])
def positive(input: Any) -> Any:
    """The tensor itself: `+x`. RuntimeError for bools.

    >>> torch.positive(torch.tensor([-1, 2]))
    tensor([-1,  2])
    """
    if input._a.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@op(samples=[case(arr(A34, 1.1, 1.9))], outputs=2, differentiable=(0,), fresh=True, public="")
def frexp_parts(input: Any) -> Any:
    """(mantissa in [0.5, 1), exponent): x = mantissa * 2^exponent."""
    mantissa, exponent = np.frexp(input)
    return mantissa, exponent.astype(np.int32)


frexp_parts.shape(lambda x: (MetaArray(x.shape, x.dtype), MetaArray(x.shape, np.int32)))


frexp_parts.vjp(lambda g, y, _x: g[0] / m.exp2(y[1] * 1.0))


@composite(adapt=True, smooth=False, samples=[case((3, 4))])
def frexp(input: Any) -> Any:
    """Split floats into mantissa and exponent: `x = mantissa * 2 ** exponent`, with the magnitude
    of the mantissa in [0.5, 1).

    A pair (mantissa, exponent), the exponent of int32. RuntimeError for tensors that are not
    floats. `torch.ldexp` puts them together again.

    >>> mantissa, exponent = torch.frexp(torch.tensor([8.0, 0.75, -3.0]))
    >>> mantissa, exponent
    (tensor([ 0.5000,  0.7500, -0.7500]), tensor([4, 0, 2], dtype=torch.int32))
    """
    from ..core.return_types import return_type

    if not input.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_type("frexp", ("mantissa", "exponent"))(frexp_parts.call((input,), {}))
