"""Elementary functions: exponentials, logarithms, powers, trigonometry, signs and rounding.

Rules read like a calculus table. Arithmetic, comparisons and choices are in `arithmetic.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...autograd.views import type_name
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.record import elementwise, intrinsic, op
from ..core.samples import arr, case, real
from ..core.shapes import real_of, same
from .arithmetic import A34, POSITIVE, nothing, where

# -- exponentials and powers ---------------------------------------------------------------------

exp = intrinsic(
    "exp", np.exp, lambda g, y, _x: g * y, samples=real(-3, 3), holomorphic=True, doc="e to the x."
)
exp2 = intrinsic(
    "exp2",
    np.exp2,
    lambda g, y, _x: g * y * LN2,
    samples=real(-3, 3),
    holomorphic=True,
    public="torch Tensor special",
    doc="2 to the x.",
)
expm1 = intrinsic(
    "expm1",
    np.expm1,
    lambda g, y, _x: g * (y + 1),
    samples=real(-3, 3),
    holomorphic=True,
    public="torch Tensor special",
    doc="exp(x) - 1.",
)
log = intrinsic(
    "log",
    np.log,
    lambda g, _y, x: g / x,
    samples=real(0.2, 5),
    holomorphic=True,
    doc="Natural logarithm.",
)
log2 = intrinsic(
    "log2",
    np.log2,
    lambda g, _y, x: g / (x * LN2),
    samples=real(0.2, 5),
    holomorphic=True,
    doc="Logarithm to base 2.",
)
log10 = intrinsic(
    "log10",
    np.log10,
    lambda g, _y, x: g / (x * LN10),
    samples=real(0.2, 5),
    holomorphic=True,
    doc="Logarithm to base 10.",
)
log1p = intrinsic(
    "log1p",
    np.log1p,
    lambda g, _y, x: g / (x + 1),
    samples=real(-0.5, 5),
    holomorphic=True,
    public="torch Tensor special",
    doc="log(1 + x).",
)
sqrt = intrinsic(
    "sqrt",
    np.sqrt,
    lambda g, y, _x: g / (2 * y),
    samples=real(0.2, 5),
    holomorphic=True,
    doc="Square root.",
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
        if b == 0.5:
            return np.sqrt(a)
        if b == -0.5:
            return 1 / np.sqrt(a)
        if b == -1:
            return 1 / a
        if b == 2:
            return np.multiply(a, a)
        if b == 3:
            return a * a * a
        if b == -2:
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


def by_exponent(g: Any, y: Any, a: Any) -> Any:
    """The derivative of a ** b by b: that of 0 ** b, which is 0 or 1 for b from 0 on, is 0."""
    if y.dtype.kind == "c" if isinstance(y, np.ndarray) else y.is_complex():
        a = a + 0j  # the logarithm of a negative number
    slope = y * log(a)
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
    samples=[case(POSITIVE, arr(A34, -2, 3)), case(arr(A34, -3, 3), 3), case(POSITIVE, -0.5)],
    errors=[],
    holomorphic=True,
    check=exponent,
    doc="a to the power b.",
)

# -- trigonometry --------------------------------------------------------------------------------

sin = intrinsic(
    "sin",
    np.sin,
    lambda g, _y, x: g * cos(x),
    samples=real(-3, 3),
    holomorphic=True,
    doc="Sine of radians.",
)
cos = intrinsic(
    "cos",
    np.cos,
    lambda g, _y, x: -g * sin(x),
    samples=real(-3, 3),
    holomorphic=True,
    doc="Cosine of radians.",
)
tan = intrinsic(
    "tan",
    np.tan,
    lambda g, y, _x: g * (1 + y * y),
    samples=real(-1, 1),
    holomorphic=True,
    doc="Tangent.",
)
asin = intrinsic(
    "asin",
    np.arcsin,
    lambda g, _y, x: g / sqrt(1 - x * x),
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arcsin",
    doc="Inverse sine, radians.",
)
acos = intrinsic(
    "acos",
    np.arccos,
    lambda g, _y, x: -g / sqrt(1 - x * x),
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arccos",
    doc="Inverse cosine, radians.",
)
atan = intrinsic(
    "atan",
    np.arctan,
    lambda g, _y, x: g / (1 + x * x),
    samples=real(-3, 3),
    holomorphic=True,
    aliases="arctan",
    doc="Inverse tangent, radians.",
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
    samples=[case(arr(A34, 0.2, 2), arr(A34, 0.2, 2))],
    aliases="arctan2",
    doc="Angle of the point (b, a): atan(a / b) in the right quadrant.",
)
sinh = intrinsic(
    "sinh",
    np.sinh,
    lambda g, _y, x: g * cosh(x),
    samples=real(-3, 3),
    holomorphic=True,
    doc="Hyperbolic sine.",
)
cosh = intrinsic(
    "cosh",
    np.cosh,
    lambda g, _y, x: g * sinh(x),
    samples=real(-3, 3),
    holomorphic=True,
    doc="Hyperbolic cosine.",
)
tanh = intrinsic(
    "tanh",
    np.tanh,
    lambda g, y, _x: g * (1 - y * y),
    public="torch Tensor nn.functional",
    samples=real(-3, 3),
    holomorphic=True,
    doc="Hyperbolic tangent.",
)
asinh = intrinsic(
    "asinh",
    np.arcsinh,
    lambda g, _y, x: g / sqrt(x * x + 1),
    samples=real(-3, 3),
    holomorphic=True,
    aliases="arcsinh",
    doc="Inverse hyperbolic sine.",
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
    samples=real(1.2, 4),
    holomorphic=True,
    aliases="arccosh",
    doc="Inverse hyperbolic cosine.",
)
atanh = intrinsic(
    "atanh",
    np.arctanh,
    lambda g, _y, x: g / (1 - x * x),
    samples=real(-0.8, 0.8),
    holomorphic=True,
    aliases="arctanh",
    doc="Inverse hyperbolic tangent.",
)

# -- signs and rounding --------------------------------------------------------------------------


def flat(g: Any, _y: Any, _x: Any) -> Any:
    """The gradient of a step function."""
    return nothing(g)


def on_floats(ufunc: Any) -> Any:
    return lambda x: ufunc(x) if x.dtype.kind in "fc" else dense.copied(x)


def sign_of(x: Any) -> Any:
    """-1, 0 or 1; 0 for NaN."""
    if x.dtype.kind == "b":
        return x.copy("K")
    y = np.sign(x)
    return np.where(x != x, x.dtype.type(0), y) if x.dtype.kind == "f" else y


sign = intrinsic(
    "sign",
    sign_of,
    flat,
    inplace="method",
    nin=1,
    promote="common",
    accepts=(
        "floating integral bool: Unlike NumPy, torch.sign is not intended to support complex "
        "numbers. Please use torch.sgn instead.",
        NotImplementedError,
    ),
    samples=real(-3, 3),
    exact_out=True,
    doc="-1, 0 or 1.",
)
floor = intrinsic(
    "floor",
    on_floats(np.floor),
    flat,
    accepts="floating integral: floor_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    exact_out=True,
    doc="The largest integer not above x.",
)
ceil = intrinsic(
    "ceil",
    on_floats(np.ceil),
    flat,
    accepts="floating integral: ceil_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    exact_out=True,
    doc="The smallest integer not below x.",
)
trunc = intrinsic(
    "trunc",
    on_floats(np.trunc),
    flat,
    accepts="floating integral: trunc_vml_cpu",
    nin=1,
    promote="common",
    samples=real(0.1, 0.9),
    aliases="fix",
    exact_out=True,
    doc="x without its fraction.",
)
isnan = intrinsic(
    "isnan",
    np.isnan,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="True where x is NaN.",
)
isinf = intrinsic(
    "isinf",
    np.isinf,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="True where x is plus or minus infinity.",
)
isfinite = intrinsic(
    "isfinite",
    np.isfinite,
    nin=1,
    promote="common",
    inplace=False,
    samples=real(-3, 3),
    doc="True where x is neither infinite nor NaN.",
)
signbit = intrinsic(
    "signbit",
    lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0,
    accepts=(
        "floating integral bool: signbit is not implemented for complex tensors.",
        NotImplementedError,
    ),
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="True where the sign bit is set.",
)
isposinf = intrinsic(
    "isposinf",
    lambda x: x == np.inf,
    accepts="floating integral bool: isposinf does not support complex inputs.",
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="True where x is +inf.",
)
isneginf = intrinsic(
    "isneginf",
    lambda x: x == -np.inf,
    accepts="floating integral bool: isneginf does not support complex inputs.",
    nin=1,
    promote="common",
    out_of_truths=True,
    inplace=False,
    samples=real(-3, 3),
    doc="True where x is -inf.",
)


@elementwise(accepts="floating: frac_cpu",
             samples=real(0.1, 0.9), promote="common", derive=False, exact_out=True)
def frac(input: Any) -> Any:
    """x - trunc(x)."""
    return input - np.trunc(input)


frac.vjp(lambda g, _y, _x: g)


@op(accepts="floating integral: round_vml_cpu",
    samples=[case(arr(A34, 0.1, 0.4)), case(arr(A34, 0.11, 0.14), decimals=1)], inplace=True,
    public="torch Tensor special", exact_out=True)  # fmt: skip
def round(input: Any, *, decimals: int | None = None) -> Any:
    """The nearest multiple of 10^-decimals; halves go to even."""
    if input.dtype.kind in "iub":
        if decimals is not None:
            kind = type_name(dtypes.from_numpy(input.dtype))
            raise NotImplementedError(f"\"round_cpu\" not implemented for '{kind}'")
        return dense.copied(input)
    if not decimals:
        return np.rint(input)
    ten = input.dtype.type(10.0 ** max(decimals, -decimals))
    return np.rint(input * ten) / ten if decimals > 0 else np.rint(input / ten) * ten


round.shape(same)


round.vjp(flat)


def of_reals(x: Any) -> dict[str, Any]:
    """The magnitude of a complex number is real, so it is not written in its place."""
    need_tensor("abs_", x)
    if x._a.dtype.kind in "cW":
        raise RuntimeError(
            message("In-place abs is not supported for complex tensors.", hint="x.abs()")
        )
    return {}


@op(
    operator="abs",
    samples=[case(arr(A34, 0.2, 3)), case(arr(A34, -3, -0.2))],
    inplace=True,
    prepare=of_reals,
    aliases="absolute",
)
def abs(input: Any) -> Any:
    """The magnitude |x|; real for complex x."""
    if input.dtype.kind == "b":
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return np.abs(input)


abs.shape(lambda x: MetaArray(x.shape, real_of(x.dtype)))


abs.vjp(lambda g, _y, x: g * sgn(x))


@op(samples=[case(arr(A34, 0.2, 3))], inplace="method", exact_out=True)
def sgn(input: Any) -> Any:
    """x / |x|, 0 for 0: the sign of real and of complex numbers."""
    return sign_of(input)


sgn.shape(same)


@sgn.vjp
def _(g: Any, y: Any, x: Any) -> Any:
    if is_complex(x):
        return where(
            x == 0, nothing(g), (g - y * real_part(g.conj() * y)) / abs(where(x == 0, x * 0 + 1, x))
        )
    return nothing(g)


def is_complex(x: Any) -> bool:
    """Of a Tensor, an array, or a variable of a formula, which is real."""
    if isinstance(x, TensorBase):
        return x.is_complex()  # type: ignore[no-any-return]
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "cW"


def real_part(x: Any) -> Any:
    return x.real


@elementwise(samples=real(0.2, 5), holomorphic=True)
def rsqrt(input: Any) -> Any:
    """1 / sqrt(x)."""
    return 1 / sqrt(input)


rsqrt.vjp(lambda g, y, _x: -0.5 * g * (y * y * y))


@elementwise(samples=[case(arr(A34, 0.3, 3)), case(arr(A34, -3, -0.3))], holomorphic=True)
def reciprocal(input: Any) -> Any:
    """1 / x."""
    return 1 / input


reciprocal.vjp(lambda g, y, _x: -g * (y * y))


@elementwise(samples=real(-3, 3), promote="common", holomorphic=True)
def square(input: Any) -> Any:
    """x * x; integers for bool."""
    if isinstance(input, np.ndarray) and input.dtype.kind == "b":
        return input.astype(np.int64)
    return input * input


square.vjp(lambda g, _y, x: g * (2 * x))
