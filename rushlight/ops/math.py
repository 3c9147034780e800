"""Arithmetic and elementary functions: the intrinsics of the formula language, and formulas made of them.

Rules read like a calculus table: `g` is the incoming gradient, `y` the result, `x`, `a`, `b` the operands; a
name with an underscore is not kept. Read next: `record.py` for what a declaration means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.node import TensorBase
from ..autograd.views import type_name
from ..errors import message
from ..kernels import expr, select
from .record import PASS, elementwise, intrinsic, op
from .samples import arr, case, error, real

A34, A4 = (3, 4), (4,)
TWO = [case(A34, A34), case(A34, A4), case(A34, 2.5)]
POSITIVE = arr(A34, 0.3, 3.0)
BROADCAST = [error(RuntimeError, "must match the size", (3, 4), (3,))]
BITS = [case(arr(A34, 0, 9, "int64"), arr(A34, 0, 9, "int64"))]
ints = "int64"

# -- arithmetic ----------------------------------------------------------------------------------

add_plain = intrinsic(
    "add", np.add, PASS, PASS,
    samples=TWO, errors=BROADCAST, holomorphic=True, public="",
    doc="a + b.",
)  # fmt: skip



def no_bools_late(a: Any, b: Any) -> None:
    no_bools(a, b)


sub_plain = intrinsic(
    "sub", lambda a, b: subtract(a, b),
    lambda g, _y, _a, _b: g,
    lambda g, _y, _a, _b: -g,
    nin=2, samples=TWO, errors=BROADCAST, holomorphic=True, public="", check=no_bools_late,
    doc="a - b.",
)  # fmt: skip
mul = intrinsic(
    "mul", np.multiply,
    lambda g, _y, _a, b: g * b,
    lambda g, _y, a, _b: g * a,
    samples=TWO, errors=BROADCAST, holomorphic=True, aliases="multiply",
    doc="Multiply element by element: a * b.",
)  # fmt: skip
true_div = intrinsic(
    "div", np.true_divide,
    lambda g, _y, _a, b: g / b,
    lambda g, y, _a, b: -g * (y / b),
    samples=[case(A34, POSITIVE), case(A34, 2.5)], errors=BROADCAST, promote="float", holomorphic=True, public="",
    doc="a / b, a float also for integers.",
)  # fmt: skip
neg = intrinsic(
    "neg", lambda x: negative(x), lambda g, _y, _x: -g, nin=1, promote="common", holomorphic=True,
    samples=real(-3, 3), aliases="negative", doc="Minus x. Not for bool tensors.",
)  # fmt: skip


def subtract(a: Any, b: Any) -> Any:
    if a.dtype.kind == "b":
        no_bools(a, b)
    return np.subtract(a, b)


def is_bool(x: Any) -> bool:
    return isinstance(x, bool) if isinstance(x, (bool, int, float, complex)) else dtype_of(x).kind == "b"


def dtype_of(x: Any) -> Any:
    """The NumPy type of a Tensor or an array."""
    return x._a.dtype if isinstance(x, TensorBase) else x.dtype


def no_bools(a: Any, b: Any) -> None:
    """PyTorch subtracts no bools, neither both nor one."""
    both = is_bool(a), is_bool(b)
    if any(both):
        which = "two bool tensors" if all(both) else "a bool tensor"
        raise RuntimeError(
            message(
                f"Subtraction, the `-` operator, with {which} is not supported. "
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        )


def negative(x: Any) -> Any:
    if x.dtype.kind == "b":
        raise RuntimeError(
            message(
                "Negation, the `-` operator, on a bool tensor is not supported. "
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        )
    return np.negative(x)


def power(a: Any, b: Any) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iu" and np.any(b < 0):
        magnitude = np.power(a, np.where(b < 0, 0, b))
        return np.where(b < 0, np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b % 2), 0)), magnitude).astype(a.dtype)
    if b.ndim == 0 and a.dtype.kind == "f":
        if b == 2:
            return np.multiply(a, a)
        if b == 3:
            return a * a * a
        if b == 0.5:
            return np.sqrt(a)
    if a.dtype.kind == "b":
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    return np.power(a, b)


def whole_exponent(a: Any, b: Any) -> None:
    """An integer tensor takes no negative number as its exponent."""
    if isinstance(b, int) and b < 0 and isinstance(a, TensorBase) and a._a.dtype.kind in "iub":
        raise RuntimeError(
            message("Integers to negative integer powers are not allowed.", hint=f"x.float() ** {b}")
        )


pow = intrinsic(  # noqa: A001 - PyTorch's name
    "pow", power,
    lambda g, _y, a, b: g * where(b == 0, a * 0, b * a ** (b - 1)),
    lambda g, y, a, _b: g * where(y == 0, y * 0, y * log(a)),
    nin=2, samples=[case(POSITIVE, arr(A34, -2, 3)), case(arr(A34, -3, 3), 3), case(POSITIVE, -0.5)],
    errors=[], holomorphic=True, check=whole_exponent, doc="a to the power b.",
)  # fmt: skip


def only(name: str, kinds: str, ufunc: Any) -> Any:
    """`ufunc`, for these kinds of types alone."""

    def checked(*args: Any) -> Any:
        if args[0].dtype.kind not in kinds:
            d = type_name(dtypes.from_numpy(args[0].dtype))
            words = [w for k, w in (("b", "bool"), ("i", "integer"), ("f", "floating"), ("c", "complex")) if k in kinds]
            raise NotImplementedError(
                message(f"\"{name}_cpu\" not implemented for '{d}'", wanted=f"{' or '.join(words)} tensors")
            )
        return ufunc(*args)

    return checked


# -- comparisons (no gradient) -------------------------------------------------------------------

CMP = [case(arr(A34, 0, 3, ints), arr(A34, 0, 3, ints)), case(A34, A4), case(A34, 0.5)]
eq = intrinsic("eq", np.equal, numbers=(1,), samples=CMP, doc="True where a equals b.")
ne = intrinsic("ne", np.not_equal, numbers=(1,), samples=CMP, aliases="not_equal", doc="True where a differs from b.")
lt = intrinsic("lt", only("lt", "biuf", np.less), nin=2, numbers=(1,), samples=CMP, aliases="less", doc="True where a < b.")
le = intrinsic("le", only("le", "biuf", np.less_equal), nin=2, numbers=(1,), samples=CMP, aliases="less_equal", doc="True where a <= b.")
gt = intrinsic("gt", only("gt", "biuf", np.greater), nin=2, numbers=(1,), samples=CMP, aliases="greater", doc="True where a > b.")
ge = intrinsic("ge", only("ge", "biuf", np.greater_equal), nin=2, numbers=(1,), samples=CMP, aliases="greater_equal", doc="True where a >= b.")
logical_and = intrinsic("logical_and", np.logical_and, numbers=(), samples=CMP, doc="True where both are non-zero.")
logical_or = intrinsic("logical_or", np.logical_or, numbers=(), samples=CMP, doc="True where one is non-zero.")
logical_xor = intrinsic("logical_xor", np.logical_xor, numbers=(), samples=CMP, doc="True where exactly one is non-zero.")
logical_not = intrinsic(
    "logical_not", np.logical_not, promote="common", samples=CMP[2:] and [case(arr(A34, 0, 2, ints))],
    doc="True where x is zero.",
)  # fmt: skip


def integral(name: str, ufunc: Any) -> Any:
    return only(name, "iub", ufunc)


bitwise_and = intrinsic("bitwise_and", integral("bitwise_and", np.bitwise_and), nin=2, samples=BITS, doc="a & b.")
bitwise_or = intrinsic("bitwise_or", integral("bitwise_or", np.bitwise_or), nin=2, samples=BITS, doc="a | b.")
bitwise_xor = intrinsic("bitwise_xor", integral("bitwise_xor", np.bitwise_xor), nin=2, samples=BITS, doc="a ^ b.")
bitwise_not = intrinsic(
    "bitwise_not", integral("bitwise_not", np.invert), nin=1, promote="common", samples=[case(arr(A34, 0, 9, ints))],
    doc="~x: bits inverted; logical not for bool.",
)  # fmt: skip
bitwise_left_shift = intrinsic(
    "bitwise_left_shift", only("lshift", "iu", np.left_shift), nin=2, samples=BITS, doc="a << b."
)
bitwise_right_shift = intrinsic(
    "bitwise_right_shift", only("rshift", "iu", np.right_shift), nin=2, samples=BITS, doc="a >> b."
)


# -- choosing ------------------------------------------------------------------------------------


@op(samples=[case(arr(A34, dtype="bool"), A34, A34), case(arr(A4, dtype="bool"), A34, 2.0)], public="", promote=None)
def where(condition: Any, input: Any, other: Any) -> Any:  # noqa: A002
    """`input` where the condition holds, else `other`."""
    if condition.__class__ is bool:
        condition = np.asarray(condition)
    return select.where(condition.astype(bool, copy=False), input, other)


where.vjp(
    None,
    lambda g, _y, c, _a, _b: where(c, g, zero_like(g)),
    lambda g, _y, c, _a, _b: where(c, zero_like(g), g),
)


def zero_like(g: Any) -> Any:
    """A zero that broadcasts and has g's type."""
    return g.dtype.type(0) if isinstance(g, np.ndarray) else 0.0


def ordered(name: str, ufunc: Any) -> Any:
    def checked(a: Any, b: Any) -> Any:
        if a.dtype.kind == "c":
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return ufunc(a, b)

    return checked


maximum = intrinsic(
    "maximum", ordered("maximum", np.maximum),
    lambda g, _y, a, b: where(a > b, g, where(a == b, g / 2, g * 0.0)),
    lambda g, _y, a, b: where(b > a, g, where(a == b, g / 2, g * 0.0)),
    samples=[case(A34, A34), case(A34, A4)], nin=2, numbers=(), doc="The larger of a and b; NaN if either is.",
)  # fmt: skip
minimum = intrinsic(
    "minimum", ordered("minimum", np.minimum),
    lambda g, _y, a, b: where(a < b, g, where(a == b, g / 2, g * 0.0)),
    lambda g, _y, a, b: where(b < a, g, where(a == b, g / 2, g * 0.0)),
    samples=[case(A34, A34), case(A34, A4)], nin=2, numbers=(), doc="The smaller of a and b; NaN if either is.",
)  # fmt: skip
fmax = intrinsic(
    "fmax", np.fmax,
    lambda g, _y, a, b: where((a >= b) | (b != b), g, g * 0.0),
    lambda g, _y, a, b: where((a >= b) | (b != b), g * 0.0, g),
    samples=[case(A34, A34)], numbers=(), doc="The larger of a and b; NaN only if both are.",
)  # fmt: skip
fmin = intrinsic(
    "fmin", np.fmin,
    lambda g, _y, a, b: where((a <= b) | (b != b), g, g * 0.0),
    lambda g, _y, a, b: where((a <= b) | (b != b), g * 0.0, g),
    samples=[case(A34, A34)], numbers=(), doc="The smaller of a and b; NaN only if both are.",
)  # fmt: skip

# -- exponentials and powers ---------------------------------------------------------------------

exp = intrinsic("exp", np.exp, lambda g, y, _x: g * y, samples=real(-3, 3), holomorphic=True, doc="e to the x.")
exp2 = intrinsic("exp2", np.exp2, lambda g, y, _x: g * y * LN2, samples=real(-3, 3), holomorphic=True, doc="2 to the x.")
expm1 = intrinsic("expm1", np.expm1, lambda g, y, _x: g * (y + 1), samples=real(-3, 3), holomorphic=True, doc="exp(x) - 1.")
log = intrinsic("log", np.log, lambda g, _y, x: g / x, samples=real(0.2, 5), holomorphic=True, doc="Natural logarithm.")
log2 = intrinsic("log2", np.log2, lambda g, _y, x: g / (x * LN2), samples=real(0.2, 5), holomorphic=True, doc="Logarithm to base 2.")
log10 = intrinsic("log10", np.log10, lambda g, _y, x: g / (x * LN10), samples=real(0.2, 5), holomorphic=True, doc="Logarithm to base 10.")
log1p = intrinsic("log1p", np.log1p, lambda g, _y, x: g / (x + 1), samples=real(-0.5, 5), holomorphic=True, doc="log(1 + x).")
sqrt = intrinsic("sqrt", np.sqrt, lambda g, y, _x: g / (2 * y), samples=real(0.2, 5), holomorphic=True, doc="Square root.")
LN2, LN10 = 0.6931471805599453, 2.302585092994046

# -- trigonometry --------------------------------------------------------------------------------

sin = intrinsic("sin", np.sin, lambda g, _y, x: g * cos(x), samples=real(-3, 3), holomorphic=True, doc="Sine of radians.")
cos = intrinsic("cos", np.cos, lambda g, _y, x: -g * sin(x), samples=real(-3, 3), holomorphic=True, doc="Cosine of radians.")
tan = intrinsic("tan", np.tan, lambda g, y, _x: g * (1 + y * y), samples=real(-1, 1), holomorphic=True, doc="Tangent.")
asin = intrinsic("asin", np.arcsin, lambda g, _y, x: g / sqrt(1 - x * x), samples=real(-0.8, 0.8), holomorphic=True, aliases="arcsin", doc="Inverse sine, radians.")
acos = intrinsic("acos", np.arccos, lambda g, _y, x: -g / sqrt(1 - x * x), samples=real(-0.8, 0.8), holomorphic=True, aliases="arccos", doc="Inverse cosine, radians.")
atan = intrinsic("atan", np.arctan, lambda g, _y, x: g / (1 + x * x), samples=real(-3, 3), holomorphic=True, aliases="arctan", doc="Inverse tangent, radians.")
atan2 = intrinsic(
    "atan2", np.arctan2,
    lambda g, _y, a, b: g * (b / (a * a + b * b)),
    lambda g, _y, a, b: -g * (a / (a * a + b * b)),
    promote="float", numbers=(), samples=[case(arr(A34, 0.2, 2), arr(A34, 0.2, 2))], aliases="arctan2",
    doc="Angle of the point (b, a): atan(a / b) in the right quadrant.",
)  # fmt: skip
sinh = intrinsic("sinh", np.sinh, lambda g, _y, x: g * cosh(x), samples=real(-3, 3), holomorphic=True, doc="Hyperbolic sine.")
cosh = intrinsic("cosh", np.cosh, lambda g, _y, x: g * sinh(x), samples=real(-3, 3), holomorphic=True, doc="Hyperbolic cosine.")
tanh = intrinsic("tanh", np.tanh, lambda g, y, _x: g * (1 - y * y), samples=real(-3, 3), holomorphic=True, doc="Hyperbolic tangent.")
asinh = intrinsic("asinh", np.arcsinh, lambda g, _y, x: g / sqrt(x * x + 1), samples=real(-3, 3), holomorphic=True, aliases="arcsinh", doc="Inverse hyperbolic sine.")
acosh = intrinsic("acosh", np.arccosh, lambda g, _y, x: g / (sqrt(x - 1) * sqrt(x + 1)), samples=real(1.2, 4), holomorphic=True, aliases="arccosh", doc="Inverse hyperbolic cosine.")
atanh = intrinsic("atanh", np.arctanh, lambda g, _y, x: g / (1 - x * x), samples=real(-0.8, 0.8), holomorphic=True, aliases="arctanh", doc="Inverse hyperbolic tangent.")

# -- signs and rounding --------------------------------------------------------------------------


def flat(g: Any, _y: Any, _x: Any) -> Any:
    """The gradient of a step function."""
    return g * 0.0


def on_floats(ufunc: Any) -> Any:
    return lambda x: ufunc(x) if x.dtype.kind in "fc" else x.copy()


def sign_of(x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN."""
    if x.dtype.kind == "b":
        return x.copy()
    y = np.sign(x)
    return np.where(x != x, x.dtype.type(0), y) if x.dtype.kind == "f" else y


sign = intrinsic("sign", sign_of, flat, nin=1, promote="common", samples=real(-3, 3), doc="-1, 0 or 1.")
floor = intrinsic("floor", on_floats(np.floor), flat, nin=1, promote="common", samples=real(0.1, 0.9), doc="The largest integer not above x.")
ceil = intrinsic("ceil", on_floats(np.ceil), flat, nin=1, promote="common", samples=real(0.1, 0.9), doc="The smallest integer not below x.")
trunc = intrinsic("trunc", on_floats(np.trunc), flat, nin=1, promote="common", samples=real(0.1, 0.9), aliases="fix", doc="x without its fraction.")
isnan = intrinsic("isnan", np.isnan, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where x is NaN.")
isinf = intrinsic("isinf", np.isinf, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where x is plus or minus infinity.")
isfinite = intrinsic("isfinite", np.isfinite, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where x is neither infinite nor NaN.")
signbit = intrinsic("signbit", lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where the sign bit is set.")
isposinf = intrinsic("isposinf", lambda x: x == np.inf, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where x is +inf.")
isneginf = intrinsic("isneginf", lambda x: x == -np.inf, nin=1, promote="common", inplace=False, samples=real(-3, 3), doc="True where x is -inf.")


@elementwise(samples=real(0.1, 0.9), promote="common", derive=False)
def frac(input: Any) -> Any:  # noqa: A002
    """x - trunc(x)."""
    return input - np.trunc(input)


frac.vjp(lambda g, _y, _x: g)


@op(samples=[case(arr(A34, 0.1, 0.4)), case(arr(A34, 0.11, 0.14), decimals=1)], inplace=True)
def round(input: Any, *, decimals: int = 0) -> Any:  # noqa: A001, A002
    """The nearest multiple of 10^-decimals; halves go to even."""
    if input.dtype.kind in "iub":
        return input.copy()
    if decimals == 0:
        return np.rint(input)
    ten = input.dtype.type(10.0 ** max(decimals, -decimals))
    return np.rint(input * ten) / ten if decimals > 0 else np.rint(input / ten) * ten


round.vjp(lambda g, _y, _x: g * 0.0)


@op(samples=[case(arr(A34, 0.2, 3)), case(arr(A34, -3, -0.2))], inplace=True, aliases="absolute")
def abs(input: Any) -> Any:  # noqa: A001, A002
    """The magnitude |x|; real for complex x."""
    if input.dtype.kind == "b":
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return np.abs(input)


abs.vjp(lambda g, _y, x: g * sgn(x))


@op(samples=[case(arr(A34, 0.2, 3))], inplace=True)
def sgn(input: Any) -> Any:  # noqa: A002
    """x / |x|, 0 for 0: the sign of real and of complex numbers."""
    return sign_of(input)


@sgn.vjp
def _(g: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return where(x == 0, g * 0.0, (g - y * real_part(g.conj() * y)) / abs(where(x == 0, x * 0 + 1, x)))
    return g * 0.0


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if isinstance(x, np.ndarray) else x.is_complex()


def real_part(x: Any) -> Any:
    return x.real


@elementwise(samples=real(0.2, 5), holomorphic=True)
def rsqrt(input: Any) -> Any:  # noqa: A002
    """1 / sqrt(x)."""
    return 1 / sqrt(input)


rsqrt.vjp(lambda g, y, _x: -0.5 * g * (y * y * y))


@elementwise(samples=[case(arr(A34, 0.3, 3)), case(arr(A34, -3, -0.3))], holomorphic=True)
def reciprocal(input: Any) -> Any:  # noqa: A002
    """1 / x."""
    return 1 / input


reciprocal.vjp(lambda g, y, _x: -g * (y * y))


@elementwise(samples=real(-3, 3), promote="common", holomorphic=True)
def square(input: Any) -> Any:  # noqa: A002
    """x * x; integers for bool."""
    if isinstance(input, np.ndarray) and input.dtype.kind == "b":
        return input.astype(np.int64)
    return input * input


square.vjp(lambda g, _y, x: g * (2 * x))

expr.bind_operators(
    {
        "add": add_plain, "sub": sub_plain, "mul": mul, "div": true_div, "neg": neg, "pow": pow, "lt": lt, "le": le,
        "gt": gt, "ge": ge, "eq": eq, "ne": ne, "bitwise_and": bitwise_and, "bitwise_or": bitwise_or,
        "bitwise_not": bitwise_not,
    }
)  # fmt: skip
