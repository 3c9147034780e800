"""More functions about one element: clamp, lerp, addcmul, hypot, gcd, copysign, nan_to_num, complex
parts.

The intrinsics are in `arithmetic.py`; choices and comparisons of whole tensors (where, allclose) in
`compare.py`.
"""

from __future__ import annotations

import math as pymath
from typing import Any

import ml_dtypes
import numpy as np

from ... import dtypes
from ...autograd import changes, overlaps
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.elementwise import select as elementwise_kernels
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.composite import composite, inplace_of
from ..core.publication import keep_operand, write_out
from ..core.record import elementwise, intrinsic, op
from ..core.samples import arr, case, ints, real
from ..core.shapes import broadcast, same
from . import formulas as m

A34, A4 = (3, 4), (4,)
FAR = arr(A34, 0.3, 2.0)

# -- clamp ---------------------------------------------------------------------------------------


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
    if input.__class__ is np.ndarray and input.dtype.kind in "cW":
        raise NotImplementedError("clamp is not supported for complex types")
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
    return between(input, end, np.asarray(weight, input.dtype))


def _between(a: Any, b: Any, w: Any) -> Any:
    """By NumPy's own functions, which are quicker on arrays than records."""
    return np.where(np.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w))


between = elementwise_kernels.fuse(
    _between,
    "between",
    lambda a, b, w: m.where(m.abs(w) < 0.5, a + w * (b - a), b - (b - a) * (1 - w)),
    alone=False,
)


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


plus_product = elementwise_kernels.fuse(lambda x, a, b, v: x + v * a * b, "addcmul")
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


plus_quotient = elementwise_kernels.fuse(lambda x, a, b, v: x + v * (a / b), "addcdiv")
addcdiv.vjp(
    lambda g, _y, _x, _a, _b: g,
    lambda g, _y, _x, _a, b, *, value: g * (value / b),
    lambda g, _y, _x, a, b, *, value: -g * (a * value / (b * b)),
)

# -- pairs ---------------------------------------------------------------------------------------

hypot = intrinsic(
    "hypot",
    m.only("hypot", "f", np.hypot),
    lambda g, y, a, _b: g * (a / m.where(y == 0, y * 0 + 1, y)),
    lambda g, y, _a, b: g * (b / m.where(y == 0, y * 0 + 1, y)),
    nin=2,
    numbers=(),
    samples=[case(FAR, FAR), case(FAR, arr(A4, 0.2, 1))],
    doc="""The hypotenuse: `y = sqrt(input * input + other * other)`, without overflow.

    input, other: tensors of floats whose shapes broadcast.

    >>> torch.hypot(torch.tensor([3.0, 5e30]), torch.tensor([4.0, 12e30]))
    tensor([5.0000e+00, 1.3000e+31])
    """,
)
copysign = intrinsic(
    "copysign",
    np.copysign,
    lambda g, y, a, _b: g * m.where(a == 0, a * 0.0, y / m.where(a == 0, a * 0 + 1, a)),
    lambda g, _y, _a, _b: m.nothing(g),
    promote="float",
    numbers=(1,),
    samples=[case(FAR, arr(A34, -2, 2)), case(FAR, -1.0)],
    doc="""The magnitude of input with the sign of other, -0.0 included.

    other: a tensor whose shape broadcasts, or a number. Integers give the default float type.

    >>> torch.copysign(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([-1.0, 1.0, -0.0]))
    tensor([-1.,  2., -3.])
    """,
)
def of_one_type(input: Any, other: Any) -> None:
    """heaviside promotes nothing."""
    if input._a.dtype.kind in "cW" or other._a.dtype.kind in "cW":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype is not other.dtype:
        raise RuntimeError(
            message(
                "heaviside is not yet implemented for tensors with different dtypes.",
                got=f"{input.dtype!r} and {other.dtype!r}",
                hint="bring both to one type with .to()",
            )
        )


heaviside = intrinsic(
    "heaviside",
    lambda x, v: dense.laid_as(np.where(x == 0, v, (x > 0).astype(x.dtype)), x, v),
    accepts="floating integral bool: heaviside is not yet implemented for complex tensors.",
    nin=2,
    other="values",
    numbers=(),
    check=of_one_type,
    exact_out=True,
    samples=[case(A34, A34)],
    doc="""The step function: 0 where input is negative, 1 where it is positive, `values` where it
    is 0.

    values: a tensor of the type of input that broadcasts with it; nothing is promoted.

    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """,
)
nextafter = intrinsic(
    "nextafter",
    np.nextafter,
    lambda g, _y, a, b: m.where(a == b, 0.0, g),
    lambda g, _y, _a, _b: m.nothing(g),
    accepts="floating: nextafter_cpu",
    low="keep",  # the neighbour is one of their own type
    numbers=(),
    smooth=False,
    samples=[case(A34, A34)],
    doc="""The float that comes next after input in the direction of other.

    input, other: tensors of one float type whose shapes broadcast.

    >>> one = torch.tensor([1.0])
    >>> torch.nextafter(one, torch.tensor([2.0])) - 1 == torch.finfo(torch.float32).eps
    tensor([True])
    """,
)
gcd = intrinsic(
    "gcd",
    np.gcd,
    inplace=True,
    numbers=(),
    samples=[case(arr(A34, 0, 30, "int64"), arr(A34, 0, 30, "int64"))],
    doc="""The greatest common divisor of two integers; not negative, and 0 for two zeros.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.gcd(torch.tensor([12, 7, 0]), torch.tensor([18, 3, 5]))
    tensor([6, 1, 5])
    """,
)
lcm = intrinsic(
    "lcm",
    np.lcm,
    inplace=True,
    numbers=(),
    samples=[case(arr(A34, 0, 30, "int64"), arr(A34, 0, 30, "int64"))],
    doc="""The least common multiple of two integers; 0 where one of them is 0.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.lcm(torch.tensor([4, 7, 0]), torch.tensor([6, 3, 5]))
    tensor([12, 21,  0])
    """,
)


def log_add(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), also of complex numbers."""
    if a.dtype.kind not in "cW":
        return np.logaddexp(a, b)
    swap = a.real < b.real
    high, low = np.where(swap, b, a), np.where(swap, a, b)
    return np.where(np.isneginf(high.real), high, high + np.log1p(np.exp(low - high)))


def share_of(exponential: Any, x: Any, y: Any) -> Any:
    """exp(x - y), and 1 where both are the same infinity."""
    return exponential(m.where(x == y, 0.0, x - y))


logaddexp = intrinsic(
    "logaddexp",
    log_add,
    lambda g, y, a, _b: g * share_of(m.exp, a, y),
    lambda g, y, _a, b: g * share_of(m.exp, b, y),
    accepts="floating complex: logaddexp_cpu",
    nin=2,
    promote="float",
    numbers=(),
    holomorphic=True,
    samples=[case(A34, A34), case(A34, A4)],
    doc="""`y = log(exp(input) + exp(other))`, without overflow: the sum of two probabilities that
    are given by their logarithms.

    input, other: tensors of floats or complex numbers whose shapes broadcast.

    >>> torch.logaddexp(torch.tensor([0.0, -1000.0]), torch.tensor([0.0, -1000.0]))
    tensor([ 6.9315e-01, -9.9931e+02])
    """,
    inplace=False,
    copies=True,
)
logaddexp2 = intrinsic(
    "logaddexp2",
    np.logaddexp2,
    lambda g, y, a, _b: g * share_of(m.exp2, a, y),
    lambda g, y, _a, b: g * share_of(m.exp2, b, y),
    accepts="floating complex: logaddexp2_cpu",
    numbers=(),
    promote="float",
    samples=[case(A34, A34)],
    doc="""`y = log2(2 ** input + 2 ** other)`, without overflow.

    input, other: tensors of floats whose shapes broadcast.

    >>> torch.logaddexp2(torch.tensor([3.0, 1000.0]), torch.tensor([3.0, 1000.0]))
    tensor([   4., 1001.])
    """,
    inplace=False,
    copies=True,
)


def no_truths(x: Any, exponent: Any) -> None:
    """Truths are no exponents of floats."""
    if not (isinstance(exponent, TensorBase) and exponent._a.dtype.kind == "b"):
        return
    if x.is_floating_point():
        raise NotImplementedError(
            message("\"ldexp_cpu_exp\" not implemented for 'Bool'", hint="exponent.int()")
        )


@composite(adapt=True, samples=[case((3, 4), ints((4,), 3))])
def ldexp(input: Any, other: Any, *, out: Any = None) -> Any:
    """`y = input * 2 ** other`: a number from its mantissa and its exponent, the inverse of frexp.

    other: a tensor of exponents that broadcasts with input. Integers give the default float type.

    >>> torch.ldexp(torch.tensor([1.0, 0.75]), torch.tensor([3, -2]))
    tensor([8.0000, 0.1875])
    """
    need_tensor("ldexp", input)
    no_truths(input, other)
    two: Any = 2.0
    if isinstance(other, TensorBase) and other._a.ndim:  # a tensor leaves the order as it is
        own = dtypes.from_numpy(other._a.dtype).to_real()  # whose logarithm the derivative takes
        two = wrap(np.asarray(2.0, (own if own.np.kind == "f" else dtypes.get_default_dtype()).np))
    power = m.pow.call((two, other), {})
    if input.dtype.low and isinstance(other, TensorBase) and not other.is_floating_point():
        power = power.to(input.dtype)  # whole powers, in the type of what they scale
    if out is None:
        return input * power
    overlaps.refuse("ldexp", out, (input,))  # the exponents may lie there: they were used
    result = input * power
    keep_operand("ldexp", out, (input,), result)
    return write_out("ldexp", out, result)


@composite(adapt=True, name="ldexp_", public="torch Tensor", samples=[case((3, 4), ints((4,), 3))])
def ldexp_(input: Any, other: Any) -> Any:
    """`ldexp` in place."""
    no_truths(input, other)
    return input.mul_(m.pow.call((2.0, other), {}))


@composite(
    apart="partly",
    adapt=True,
    samples=[case(arr((3, 4), 0.5, 2), 2.5), case(arr((3, 4), 0.5, 2), (4,))],
)
def float_power(input: Any, exponent: Any) -> Any:
    """`y = input ** exponent`, computed in float64, or complex128 for complex numbers.

    input, exponent: tensors whose shapes broadcast, or one of them a number. Integers may have
    negative exponents here, other than in `torch.pow`.

    >>> torch.float_power(torch.tensor([2, 4]), -1)
    tensor([0.5000, 0.2500], dtype=torch.float64)
    """
    both = [x for x in (input, exponent)]
    if not any(isinstance(x, TensorBase) for x in both):
        raise TypeError(
            message(
                "float_power() received an invalid combination of arguments",
                got=f"({type(input).__name__}, {type(exponent).__name__})",
                wanted="a tensor, and a tensor or a number",
            )
        )
    wide = (
        dtypes.complex128
        if any(
            isinstance(x, complex) or (isinstance(x, TensorBase) and x._a.dtype.kind in "cW")
            for x in both
        )
        else dtypes.float64
    )
    a, b = (x.to(wide) if isinstance(x, TensorBase) else x for x in both)  # type: ignore[attr-defined]
    return m.pow.call((a, b), {})


@composite(
    public="Tensor",
    name="float_power_",
    typed=True,
    samples=[case(arr((3, 4), 0.5, 2), 2.5)],
)
def float_power_(input: Any, exponent: Any) -> Any:
    """`y = self ** exponent`, written into this tensor, which must be of float64 or complex128.

    >>> x = torch.tensor([2.0, 4.0], dtype=torch.float64)
    >>> x.float_power_(-1)
    tensor([0.5000, 0.2500], dtype=torch.float64)
    """
    if input._a.dtype not in (np.dtype(np.float64), np.dtype(np.complex128)):
        raise RuntimeError(
            f"the base given to float_power_ has dtype {type_name(input.dtype)} but the "
            "operation's result requires dtype Double"
        )
    return inplace_of(float_power, "float_power")(input, exponent)


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
    y = np.nan_to_num(
        dense.copied(wide) if 0 in wide.strides else wide,
        nan=0.0 if nan is None else nan,
        posinf=float(info.max) if posinf is None else posinf,
        neginf=float(info.min) if neginf is None else neginf,
    )
    return y.astype(input.dtype, copy=False)


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
