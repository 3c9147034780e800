"""Functions of two numbers: hypot, copysign, heaviside, gcd, lcm, logaddexp, ldexp, float_power.

Not here: sums, products and powers (`arithmetic.py`, `elementary.py`), comparisons (`compare.py`),
atan2 (`elementary.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import overlaps
from ...autograd.door import wrap
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels import dense
from ..core.arguments import need_tensor
from ..core.composite import composite, inplace_of
from ..core.publication import keep_operand, write_out
from ..core.record import intrinsic
from ..core.samples import arr, case, ints
from . import formulas as m

A34, A4 = (3, 4), (4,)
FAR = arr(A34, 0.3, 2.0)


hypot = intrinsic(
    "hypot",
    m.only("hypot", "f", np.hypot),
    lambda g, y, a, _b: g * (a / m.where(y == 0, y * 0 + 1, y)),
    lambda g, y, _a, b: g * (b / m.where(y == 0, y * 0 + 1, y)),
    nin=2,
    numbers=(),
    numpy="scalar",
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
    numpy="scalar",
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
    numpy="scalar",
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
