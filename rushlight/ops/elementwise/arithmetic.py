"""Arithmetic and elementary functions: the intrinsics of the formula language, and formulas made of
them.

Rules read like a calculus table: `g` is the incoming gradient, `y` the result, `x`, `a`, `b` the
operands; a name with an underscore is not kept. Read next: `core/record.py` for what a declaration
means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd.node import TensorBase
from ...dtypes import type_name
from ...errors import message
from ...kernels.elementwise import where as where_kernel
from ...kernels.meta import MetaArray
from ..core.derivative import PASS
from ..core.record import intrinsic, op
from ..core.samples import arr, case, error, real

A34, A4 = (3, 4), (4,)
TWO = [case(A34, A34), case(A34, A4), case(A34, 2.5)]
POSITIVE = arr(A34, 0.3, 3.0)
BROADCAST = [error(RuntimeError, "must match the size", (3, 4), (3,))]
BITS = [case(arr(A34, 0, 9, "int64"), arr(A34, 0, 9, "int64"))]
ints = "int64"

# -- arithmetic ----------------------------------------------------------------------------------

add_plain = intrinsic(
    "add",
    np.add,
    PASS,
    PASS,
    operator="add",
    numpy="arithmetic",
    samples=TWO,
    errors=BROADCAST,
    holomorphic=True,
    public="",
    doc="a + b.",
)


def no_bools_late(a: Any, b: Any) -> None:
    no_bools(a, b)


sub_plain = intrinsic(
    "sub",
    lambda a, b: subtract(a, b),
    lambda g, _y, _a, _b: g,
    lambda g, _y, _a, _b: -g,
    operator="sub",
    nin=2,
    rounds=True,
    numpy="arithmetic",
    samples=TWO,
    errors=BROADCAST,
    holomorphic=True,
    public="",
    check=no_bools_late,
    doc="a - b.",
)
mul = intrinsic(
    "mul",
    np.multiply,
    lambda g, _y, _a, b: g * b,
    lambda g, _y, a, _b: g * a,
    operator="mul",
    numpy="arithmetic",
    samples=TWO,
    errors=BROADCAST,
    holomorphic=True,
    aliases="multiply",
    doc="""`y = input * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. The result has their
    common type; bools are multiplied as by `&`.

    >>> torch.mul(torch.tensor([1.0, 2.0, 3.0]), 10)
    tensor([10., 20., 30.])
    >>> torch.mul(torch.tensor([[1], [2]]), torch.tensor([1, 2, 3]))
    tensor([[1, 2, 3],
            [2, 4, 6]])
    """,
)
true_div = intrinsic(
    "div",
    np.true_divide,
    lambda g, _y, _a, b: g / b,
    lambda g, _y, a, b: -g * (a / b / b),  # not y: the quotient may be changed in place
    operator="truediv",
    numpy="arithmetic",
    samples=[case(A34, POSITIVE), case(A34, 2.5)],
    errors=BROADCAST,
    promote="float",
    holomorphic=True,
    public="",
    doc="a / b, a float also for integers.",
)
neg = intrinsic(
    "neg",
    lambda x: negative(x),
    lambda g, _y, _x: -g,
    operator="neg",
    nin=1,
    promote="common",
    holomorphic=True,
    numpy="arithmetic",
    samples=real(-3, 3),
    aliases="negative",
    exact_out=True,
    doc="""`y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

    >>> torch.neg(torch.tensor([1.5, -2.0, 0.0]))
    tensor([-1.5000,  2.0000, -0.0000])
    """,
)


def subtract(a: Any, b: Any) -> Any:
    if a.dtype.kind == "b":
        no_bools(a, b)
    return np.subtract(a, b)


def is_bool(x: Any) -> bool:
    return (
        isinstance(x, bool)
        if isinstance(x, (bool, int, float, complex))
        else dtype_of(x).kind == "b"
    )


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
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator "
                "instead."
            )
        )


def negative(x: Any) -> Any:
    if x.dtype.kind == "b":
        raise RuntimeError(
            message(
                "Negation, the `-` operator, on a bool tensor is not supported. "
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator "
                "instead."
            )
        )
    return np.negative(x)


def only(name: str, kinds: str, ufunc: Any) -> Any:
    """`ufunc`, for these kinds of types alone."""

    def checked(*args: Any) -> Any:
        if args[0].dtype.kind not in kinds:
            d = type_name(dtypes.from_numpy(args[0].dtype))
            words = [
                w
                for k, w in (("b", "bool"), ("i", "integer"), ("f", "floating"), ("c", "complex"))
                if k in kinds
            ]
            raise NotImplementedError(
                message(
                    f"\"{name}_cpu\" not implemented for '{d}'",
                    wanted=f"{' or '.join(words)} tensors",
                )
            )
        return ufunc(*args)

    return checked


# -- comparisons (no gradient) -------------------------------------------------------------------

CMP = [case(arr(A34, 0, 3, ints), arr(A34, 0, 3, ints)), case(A34, A4), case(A34, 0.5)]
eq = intrinsic(
    "eq",
    np.equal,
    operator="eq",
    numbers=(1,),
    rounds=True,
    samples=CMP,
    doc="""True where input equals other: `y = input == other`. NaN equals nothing.

    other: a tensor whose shape broadcasts, or a number. The result is a tensor of bools;
    `torch.equal` compares whole tensors.

    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([ True, False,  True])
    """,
)
ne = intrinsic(
    "ne",
    np.not_equal,
    operator="ne",
    numbers=(1,),
    rounds=True,
    samples=CMP,
    aliases="not_equal",
    doc="""True where input differs from other: `y = input != other`. NaN differs from everything.

    other: a tensor whose shape broadcasts, or a number.

    >>> torch.ne(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([False,  True, False])
    """,
)
lt = intrinsic(
    "lt",
    only("lt", "biuf", np.less),
    operator="lt",
    nin=2,
    numbers=(1,),
    rounds=True,
    samples=CMP,
    aliases="less",
    doc="""True where input is less than other: `y = input < other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """,
)
le = intrinsic(
    "le",
    only("le", "biuf", np.less_equal),
    operator="le",
    nin=2,
    numbers=(1,),
    rounds=True,
    samples=CMP,
    aliases="less_equal",
    doc="""True where input is at most other: `y = input <= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """,
)
gt = intrinsic(
    "gt",
    only("gt", "biuf", np.greater),
    operator="gt",
    nin=2,
    numbers=(1,),
    rounds=True,
    samples=CMP,
    aliases="greater",
    doc="""True where input is greater than other: `y = input > other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """,
)
ge = intrinsic(
    "ge",
    only("ge", "biuf", np.greater_equal),
    operator="ge",
    nin=2,
    numbers=(1,),
    rounds=True,
    samples=CMP,
    aliases="greater_equal",
    doc="""True where input is at least other: `y = input >= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """,
)
logical_and = intrinsic(
    "logical_and", np.logical_and, numbers=(), samples=CMP,
    doc="""True where both are not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([1, 0, 5]))
    tensor([False, False,  True])
    """
)
logical_or = intrinsic(
    "logical_or", np.logical_or, numbers=(), samples=CMP,
    doc="""True where one or both are not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_or(torch.tensor([0, 0, 2]), torch.tensor([1, 0, 5]))
    tensor([ True, False,  True])
    """
)
logical_xor = intrinsic(
    "logical_xor",
    np.logical_xor,
    numbers=(),
    samples=CMP,
    doc="""True where exactly one of the two is not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_xor(torch.tensor([0, 0, 2]), torch.tensor([1, 0, 5]))
    tensor([ True, False, False])
    """,
)
logical_not = intrinsic(
    "logical_not",
    np.logical_not,
    inplace="method",
    promote="common",
    samples=CMP[2:] and [case(arr(A34, 0, 2, ints))],
    doc="""True where an element is zero. Takes all types and gives bools.

    >>> torch.logical_not(torch.tensor([0.0, 1.5, -2.0]))
    tensor([ True, False, False])
    """,
)


def integral(name: str, ufunc: Any) -> Any:
    return only(name, "iub", ufunc)


bitwise_and = intrinsic(
    "bitwise_and", integral("bitwise_and", np.bitwise_and),
    operator="and", nin=2, samples=BITS,
    doc="""`y = input & other`: the bits that both have; logical and of bools.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_and(torch.tensor([12, 10]), 6)
    tensor([4, 2])
    """,
)
bitwise_or = intrinsic(
    "bitwise_or", integral("bitwise_or", np.bitwise_or),
    operator="or", nin=2, samples=BITS,
    doc="""`y = input | other`: the bits that one of them has; logical or of bools.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_or(torch.tensor([12, 10]), 6)
    tensor([14, 14])
    """,
)
bitwise_xor = intrinsic(
    "bitwise_xor", integral("bitwise_xor", np.bitwise_xor),
    operator="xor", nin=2, samples=BITS,
    doc="""`y = input ^ other`: the bits that exactly one of them has.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_xor(torch.tensor([12, 10]), 6)
    tensor([10, 12])
    """,
)
bitwise_not = intrinsic(
    "bitwise_not",
    integral("bitwise_not", np.invert),
    inplace="method",
    operator="invert",
    nin=1,
    promote="common",
    samples=[case(arr(A34, 0, 9, ints))],
    exact_out=True,
    doc="""`y = ~x`: all bits inverted, which is `-x - 1` of signed integers; logical not of bools.

    For integers and bools.

    >>> torch.bitwise_not(torch.tensor([0, 5, -1]))
    tensor([-1, -6,  0])
    >>> ~torch.tensor([True, False])
    tensor([False,  True])
    """,
)
bitwise_left_shift = intrinsic(
    "bitwise_left_shift", only("lshift", "iu", np.left_shift),
    operator="lshift", nin=2, samples=BITS,
    doc="""`y = input << other`: the bits moved up by other places, `input * 2 ** other`.

    input, other: tensors of integers whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_left_shift(torch.tensor([1, 2, 3]), 4)
    tensor([16, 32, 48])
    """,
)
bitwise_right_shift = intrinsic(
    "bitwise_right_shift", only("rshift", "iu", np.right_shift),
    operator="rshift", nin=2, samples=BITS,
    doc="""`y = input >> other`: the bits moved down by other places; the sign stays.

    input, other: tensors of integers whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_right_shift(torch.tensor([16, 35, -16]), 4)
    tensor([ 1,  2, -1])
    """,
)


# -- choosing ------------------------------------------------------------------------------------


@op(
    samples=[case(arr(A34, dtype="bool"), A34, A34), case(arr(A4, dtype="bool"), A34, 2.0)],
    public="",
    promote=None,
)
def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where the condition holds, else `other`."""
    if condition.__class__ is bool:
        condition = np.asarray(condition)
    return where_kernel.where(condition.astype(bool, copy=False), input, other)


def where_shape(condition: Any, input: Any, other: Any) -> MetaArray:
    """The three shapes broadcast, the type of the two that are chosen from."""
    arrays = [a for a in (condition, input, other) if hasattr(a, "shape")]
    dtype = np.result_type(*(getattr(a, "dtype", a) for a in (input, other)))
    return MetaArray(np.broadcast_shapes(*(a.shape for a in arrays)), dtype)


where.shape(where_shape)
where.vjp(
    None,
    lambda g, _y, c, _a, _b: where(c, g, zero_like(g)),
    lambda g, _y, c, _a, _b: where(c, zero_like(g), g),
)


def zero_like(g: Any) -> Any:
    """A zero that broadcasts and has g's type."""
    return g.dtype.type(0) if isinstance(g, np.ndarray) else 0.0


def nothing(g: Any) -> Any:
    """Zeros for a gradient `g`, where `g * 0` would be NaN for an infinite one."""
    # g may be a NumPy scalar: products of arrays without dimensions are
    zero = g.new_zeros(()) if isinstance(g, TensorBase) else g.dtype.type(0)
    return where(g == g, zero, zero)


def one_and_zero(x: Any) -> tuple[Any, Any]:
    """In x's type; `x * 0` is NaN where x is infinite."""
    if isinstance(x, TensorBase):
        return x.new_ones(()), x.new_zeros(())
    return x.dtype.type(1), x.dtype.type(0)


def ones_in(x: Any) -> Any:
    """Ones in x's shape and type."""
    one, _ = one_and_zero(x)
    return where(x == x, one, one)


def ordered(name: str, ufunc: Any) -> Any:
    def checked(a: Any, b: Any) -> Any:
        if a.dtype.kind in "cW":
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return ufunc(a, b)

    return checked


maximum = intrinsic(
    "maximum",
    ordered("maximum", np.maximum),
    # a NaN is neither less nor more, so both sides of it get the whole gradient, as in PyTorch
    lambda g, _y, a, b: where(a < b, 0.0, where(a == b, g / 2, g)),
    lambda g, _y, a, b: where(b < a, 0.0, where(a == b, g / 2, g)),
    inplace=False,
    samples=[case(A34, A34), case(A34, A4)],
    nin=2,
    numbers=(),
    doc="""The larger of two elements; NaN if either is NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
    gradient. Not for complex numbers.

    >>> torch.maximum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([3., 5., nan])
    """,
)
minimum = intrinsic(
    "minimum",
    ordered("minimum", np.minimum),
    lambda g, _y, a, b: where(a > b, 0.0, where(a == b, g / 2, g)),
    lambda g, _y, a, b: where(b > a, 0.0, where(a == b, g / 2, g)),
    inplace=False,
    samples=[case(A34, A34), case(A34, A4)],
    nin=2,
    numbers=(),
    doc="""The smaller of two elements; NaN if either is NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
    gradient. Not for complex numbers.

    >>> torch.minimum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([1., 2., nan])
    """,
)
fmax = intrinsic(
    "fmax",
    np.fmax,
    lambda g, _y, a, b: where((a >= b) | (b != b), g, 0.0),
    lambda g, _y, a, b: where((a >= b) | (b != b), 0.0, g),
    accepts="floating integral bool: fmax not implemented for complex tensors.",
    inplace=False,
    samples=[case(A34, A34)],
    numbers=(),
    doc="""The larger of two elements; NaN only if both are NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

    >>> torch.fmax(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([3., 5., 1.])
    """,
)
fmin = intrinsic(
    "fmin",
    np.fmin,
    lambda g, _y, a, b: where((a <= b) | (b != b), g, 0.0),
    lambda g, _y, a, b: where((a <= b) | (b != b), 0.0, g),
    accepts="floating integral bool: fmin not implemented for complex tensors.",
    inplace=False,
    samples=[case(A34, A34)],
    numbers=(),
    doc="""The smaller of two elements; NaN only if both are NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

    >>> torch.fmin(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([1., 2., 1.])
    """,
)
