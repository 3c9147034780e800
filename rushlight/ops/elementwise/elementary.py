"""Elementary functions: exponentials, logarithms, powers and roots, trigonometry.

Rules read like a calculus table. Not here: arithmetic and choices (`arithmetic.py`), signs
(`signs.py`), rounding (`rounding.py`), erf, gamma and Bessel functions (`special.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.elementwise.lowered import EXPONENTS
from ..core.record import elementwise, intrinsic
from ..core.samples import arr, case, real
from .arithmetic import A34, POSITIVE, where
from .signs import abs, is_complex

# -- exponentials and powers ---------------------------------------------------------------------

exp = intrinsic(
    "exp", np.exp, lambda g, y, _x: g * y, numpy="avx2", samples=real(-3, 3), holomorphic=True,
    doc="""The exponential: `y = e ** x` of each element.

    Integers and bools give the default float type; complex numbers stay complex.

    >>> torch.exp(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 2.7183, 0.3679])
    """
)
exp2 = intrinsic(
    "exp2",
    np.exp2,
    lambda g, y, _x: g * y * LN2,
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    public="torch Tensor special",
    doc="""Two to the power of each element: `y = 2 ** x`.

    Integers and bools give the default float type.

    >>> torch.exp2(torch.tensor([0.0, 3.0, -1.0]))
    tensor([1.0000, 8.0000, 0.5000])
    """,
)
expm1 = intrinsic(
    "expm1",
    np.expm1,
    lambda g, y, _x: g * (y + 1),
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    public="torch Tensor special",
    doc="""`y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
    would lose its digits.

    >>> x = torch.tensor([1e-8, 1.0])
    >>> torch.expm1(x)
    tensor([1.0000e-08, 1.7183e+00])
    >>> torch.exp(x) - 1
    tensor([0.0000, 1.7183])
    """,
)
log = intrinsic(
    "log",
    np.log,
    lambda g, _y, x: g / x,
    numpy="avx2",
    samples=real(0.2, 5),
    holomorphic=True,
    doc="""The natural logarithm of each element: `y = log(x)`.

    -inf for 0, NaN below. Integers and bools give the default float type; of complex numbers it is
    the principal value.

    >>> torch.log(torch.tensor([1.0, 10.0, 0.0, -1.0]))
    tensor([0.0000, 2.3026,   -inf,    nan])
    """,
)
log2 = intrinsic(
    "log2",
    np.log2,
    lambda g, _y, x: g / (x * LN2),
    numpy="avx512",
    samples=real(0.2, 5),
    holomorphic=True,
    doc="""The logarithm to base 2: `y = log(x) / log(2)`, exact for powers of two.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.log2(torch.tensor([1.0, 8.0, 1024.0]))
    tensor([ 0.,  3., 10.])
    """,
)
log10 = intrinsic(
    "log10",
    np.log10,
    lambda g, _y, x: g / (x * LN10),
    numpy="avx512",
    samples=real(0.2, 5),
    holomorphic=True,
    doc="""The logarithm to base 10: `y = log(x) / log(10)`.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.log10(torch.tensor([1.0, 1000.0, 0.5]))
    tensor([ 0.0000,  3.0000, -0.3010])
    """,
)
log1p = intrinsic(
    "log1p",
    np.log1p,
    lambda g, _y, x: g / (x + 1),
    numpy="avx512",
    samples=real(-0.5, 5),
    holomorphic=True,
    public="torch Tensor special",
    doc="""`y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

    -inf for -1, NaN below.

    >>> x = torch.tensor([1e-8, 1.0, -1.0])
    >>> torch.log1p(x)
    tensor([1.0000e-08, 6.9315e-01,       -inf])
    >>> torch.log(1 + x)
    tensor([0.0000, 0.6931,   -inf])
    """,
)
sqrt = intrinsic(
    "sqrt",
    np.sqrt,
    lambda g, y, _x: g / (2 * y),
    numpy="root",
    samples=real(0.2, 5),
    holomorphic=True,
    doc="""The square root of each element: `y = sqrt(x)`.

    NaN for negative numbers, unless they are complex. Its derivative, `1 / (2 * y)`, is infinite at
    0.

    >>> torch.sqrt(torch.tensor([4.0, 2.0, -1.0]))
    tensor([2.0000, 1.4142,    nan])
    >>> torch.sqrt(torch.tensor([-4.0 + 0j]))
    tensor([0.+2.j])
    """,
)
LN2, LN10 = 0.6931471805599453, 2.302585092994046


def power(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iu" and np.any(b < 0):
        magnitude = np.power(a, np.where(b < 0, 0, b))
        return np.where(
            b < 0, np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b % 2), 0)), magnitude
        ).astype(a.dtype)
    if b.ndim == 0 and a.dtype.kind in "fc":  # as `power` in `kernels/codegen/lower.py`
        n = b.item()  # which is compared ten times as fast as an array of it
        if n == 2:
            return np.multiply(a, a)
        if n == 0.5:
            return np.sqrt(a)
        if n == 3:
            return a * a * a
        if n == -1:
            return 1 / a
        if n == -0.5:
            return 1 / np.sqrt(a)
        if n == -2:
            return 1 / (a * a)
    if a.dtype.kind == "b":  # the exponent is the number True or False: `exponent` lets no other by
        return a.copy() if b else np.ones_like(a)
    return np.power(a, b)


def is_bool(a: Any) -> bool:
    return a._a.dtype.kind == "b" if isinstance(a, TensorBase) else isinstance(a, bool)


def exponent(a: Any, b: Any) -> None:
    """No tensor of bools is an exponent of bools, and no negative number one of integers."""
    if isinstance(b, TensorBase) and b._a.dtype.kind == "b" and is_bool(a):
        # PyTorch's kernels know no bools; with the number True or False they compute nothing
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    if isinstance(b, int) and b < 0 and isinstance(a, TensorBase) and a._a.dtype.kind in "iub":
        raise RuntimeError(
            message(
                "Integers to negative integer powers are not allowed.", hint=f"x.float() ** {b}"
            )
        )


def wide(a: Any) -> Any:
    """Small integers as float64: NumPy's logarithm of an int8 or a bool is a float16."""
    small = isinstance(a, np.ndarray) and a.dtype.kind in "iub" and a.itemsize < 4
    return a.astype(np.float64) if small else a


def by_exponent(g: Any, y: Any, a: Any) -> Any:
    """The derivative of a ** b by b: that of 0 ** b, which is 0 or 1 for b from 0 on, is 0."""
    if y.dtype.kind in "cW" if isinstance(y, np.ndarray) else y.is_complex():
        a = a + 0j  # the logarithm of a negative number
    slope = y * log(wide(a))
    if isinstance(a, (int, float, complex)) and a != 0:
        return g * slope
    return g * where(((y == 0) | (y == 1)) & (a == 0), 0.0, slope)


pow = intrinsic(
    "pow",
    power,
    lambda g, _y, a, b: where(b == 0, 0.0, g * (b * pow(a, b - 1))),
    lambda g, y, a, _b: by_exponent(g, y, a),
    operator="pow",
    other="exponent",
    optional=(0, 1),  # a number
    rows=True,
    nin=2,
    numpy="avx512",
    # The derivative by the base has an exponent that is less by one.
    fixed={None: (1, EXPONENTS), 0: (3, (*EXPONENTS, 1.5, 4.0))},
    samples=[case(POSITIVE, arr(A34, -2, 3)), case(arr(A34, -3, 3), 3), case(POSITIVE, -0.5)],
    errors=[],
    holomorphic=True,
    check=exponent,
    doc="""`y = input ** other`, element by element.

    input, other: tensors whose shapes broadcast, or one of the two a number. Two tensors give their
    common type, so integers stay integers; with a float exponent they give floats.

    RuntimeError for integers to a negative number (`x.float() ** -1` is meant); in a tensor of
    exponents negative ones give 0, but for bases 1 and -1.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    >>> torch.pow(2, torch.tensor([1.0, 2.0, 3.0]))
    tensor([2., 4., 8.])
    >>> torch.tensor([2, 3]) ** 0.5
    tensor([1.4142, 1.7321])
    """,
)

# -- trigonometry --------------------------------------------------------------------------------

sin = intrinsic(
    "sin",
    np.sin,
    lambda g, _y, x: g * cos(x),
    numpy="avx2",
    samples=real(-3, 3),
    holomorphic=True,
    doc="""The sine of each element, an angle in radians: `y = sin(x)`.

    >>> torch.sin(torch.tensor([0.0, torch.pi / 6, torch.pi / 2]))
    tensor([0.0000, 0.5000, 1.0000])
    """,
)
cos = intrinsic(
    "cos",
    np.cos,
    lambda g, _y, x: -g * sin(x),
    numpy="avx2",
    samples=real(-3, 3),
    holomorphic=True,
    doc="""The cosine of each element, an angle in radians: `y = cos(x)`.

    >>> torch.cos(torch.tensor([0.0, torch.pi / 3, torch.pi]))
    tensor([ 1.0000,  0.5000, -1.0000])
    """,
)
tan = intrinsic(
    "tan",
    np.tan,
    lambda g, y, _x: g * (1 + y * y),
    numpy="avx512",
    samples=real(-1, 1),
    holomorphic=True,
    doc="""The tangent of each element, an angle in radians: `y = sin(x) / cos(x)`.

    >>> torch.tan(torch.tensor([0.0, torch.pi / 4, 1.0]))
    tensor([0.0000, 1.0000, 1.5574])
    """,
)
asin = intrinsic(
    "asin",
    np.arcsin,
    lambda g, _y, x: g / sqrt(1 - x * x),
    numpy="avx512",
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arcsin",
    doc="""The inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.asin(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5236, 1.5708,    nan])
    """,
)
acos = intrinsic(
    "acos",
    np.arccos,
    lambda g, _y, x: -g / sqrt(1 - x * x),
    numpy="avx512",
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arccos",
    doc="""The inverse cosine: the angle in [0, pi] whose cosine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.acos(torch.tensor([1.0, 0.5, -1.0, 2.0]))
    tensor([0.0000, 1.0472, 3.1416,    nan])
    """,
)
atan = intrinsic(
    "atan",
    np.arctan,
    lambda g, _y, x: g / (1 + x * x),
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    aliases="arctan",
    doc="""The inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

    `atan2` knows all four quadrants.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """,
)


def apart(size: Any) -> Any:
    """A divisor of what is 0 where the divisor is: 1 there."""
    return where(size == 0, 1.0, size)


atan2 = intrinsic(
    "atan2",
    np.arctan2,
    lambda g, _y, a, b: g * (b / apart(a * a + b * b)),
    lambda g, _y, a, b: -g * (a / apart(a * a + b * b)),
    promote="float",
    numbers=(),
    numpy="avx512",
    samples=[case(arr(A34, 0.2, 2), arr(A34, 0.2, 2))],
    aliases="arctan2",
    doc="""The angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
    in [-pi, pi].

    input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
    the default float type. The gradient at the origin is 0.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854,  2.3562, -2.3562])
    """,
)
sinh = intrinsic(
    "sinh",
    np.sinh,
    lambda g, _y, x: g * cosh(x),
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    doc="""The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

    >>> torch.sinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  1.1752, -1.1752])
    """,
)
cosh = intrinsic(
    "cosh",
    np.cosh,
    lambda g, _y, x: g * sinh(x),
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    doc="""The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`.

    >>> torch.cosh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 1.5431, 1.5431])
    """,
)
tanh = intrinsic(
    "tanh",
    np.tanh,
    lambda g, y, _x: g * (1 - y * y),
    public="torch Tensor nn.functional",
    numpy="avx2",
    samples=real(-3, 3),
    holomorphic=True,
    doc="""The hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

    Its derivative, `1 - y * y`, vanishes for large |x|.

    >>> torch.tanh(torch.tensor([0.0, 0.5, -20.0]))
    tensor([ 0.0000,  0.4621, -1.0000])
    """,
)
asinh = intrinsic(
    "asinh",
    np.arcsinh,
    lambda g, _y, x: g / sqrt(x * x + 1),
    numpy="avx512",
    samples=real(-3, 3),
    holomorphic=True,
    aliases="arcsinh",
    doc="""The inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

    >>> torch.asinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.8814, -0.8814])
    """,
)


def by_acosh(g: Any, x: Any) -> Any:
    """g / sqrt(x^2 - 1), without overflow; finite also below -1, as in PyTorch."""
    if not is_complex(x):
        x = abs(x)
    return g / (sqrt(x - 1) * sqrt(x + 1))


acosh = intrinsic(
    "acosh",
    np.arccosh,
    lambda g, _y, x: by_acosh(g, x),
    numpy="avx512",
    samples=real(1.2, 4),
    holomorphic=True,
    aliases="arccosh",
    doc="""The inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

    NaN below 1, unless x is complex.

    >>> torch.acosh(torch.tensor([1.0, 2.0, 0.5]))
    tensor([0.0000, 1.3170,    nan])
    """,
)
atanh = intrinsic(
    "atanh",
    np.arctanh,
    lambda g, _y, x: g / (1 - x * x),
    numpy="avx512",
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arctanh",
    doc="""The inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

    Infinite at -1 and 1, NaN outside, unless x is complex.

    >>> torch.atanh(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5493,    inf])
    """,
)


@elementwise(samples=real(0.2, 5), holomorphic=True)
def rsqrt(input: Any) -> Any:
    """One over the square root: `y = 1 / sqrt(x)`.

    Infinite at 0, NaN below. Integers and bools give the default float type.

    >>> torch.rsqrt(torch.tensor([4.0, 0.25, 0.0]))
    tensor([0.5000, 2.0000,    inf])
    """
    return 1 / sqrt(input)


rsqrt.vjp(lambda g, y, _x: -0.5 * g * (y * y * y))


@elementwise(samples=[case(arr(A34, 0.3, 3)), case(arr(A34, -3, -0.3))], holomorphic=True)
def reciprocal(input: Any) -> Any:
    """One over each element: `y = 1 / x`; infinite at 0.

    Integers and bools give the default float type.

    >>> torch.reciprocal(torch.tensor([2.0, 4.0, -8.0]))
    tensor([ 0.5000,  0.2500, -0.1250])
    """
    return 1 / input


reciprocal.vjp(lambda g, y, _x: -g * (y * y))


@elementwise(samples=real(-3, 3), promote="common", holomorphic=True)
def square(input: Any) -> Any:
    """`y = x * x`. Bools give int64.

    >>> torch.square(torch.tensor([-3, 1, 2]))
    tensor([9, 1, 4])
    """
    if isinstance(input, np.ndarray) and input.dtype.kind == "b":
        return input.astype(np.int64)
    return input * input


square.vjp(lambda g, _y, x: g * (2 * x))
