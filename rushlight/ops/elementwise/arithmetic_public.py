"""The public faces of + - * / and their relatives, with PyTorch's extra arguments (alpha,
rounding_mode).

The formulas are in `arithmetic.py`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...autograd import changes, door, overlaps
from ...autograd.node import TensorBase
from ...errors import message
from ...kernels.elementwise import remainder as kernels
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.publication import keep_operand, write_out
from ..core.record import elementwise, intrinsic
from ..core.samples import arr, case
from . import formulas as m

A34 = (3, 4)


def with_out(name: str, result: Any, out: Any, *operands: Any) -> Any:
    """A result, or `out` into which it is written, which may overlap with none of the operands."""
    if out is None:
        return result
    overlaps.refuse(name, out, operands)
    keep_operand(name, out, operands, result)
    return write_out(name, out, result)


def scaled(other: Any, alpha: Any, input: Any) -> Any:
    """alpha * other; an integer tensor takes an integer alpha only."""
    if isinstance(alpha, TensorBase):
        alpha = alpha.item()  # type: ignore[attr-defined]
    whole = all(not isinstance(x, TensorBase) or x._a.dtype.kind in "iub" for x in (input, other))
    if isinstance(alpha, float) and whole and not isinstance(other, float):
        raise RuntimeError(
            message(
                "For integral input tensors, argument alpha must not be a floating point number.",
                got=f"alpha={alpha}",
            )
        )
    bools = [
        x._a.dtype.kind == "b" if isinstance(x, TensorBase) else isinstance(x, bool)
        for x in (input, other)
    ]
    if isinstance(alpha, bool) and not all(bools):
        raise RuntimeError(
            message(
                "Boolean alpha only supported for Boolean results.",
                got=f"alpha={alpha}",
                hint=f"alpha={int(alpha)}",
            )
        )
    if all(bools) and not isinstance(alpha, complex):  # alpha does not widen bools
        alpha = bool(alpha)
        if isinstance(other, bool):
            return other and alpha
    return other * alpha


@elementwise(
    promote="common", numbers=(), public="", part_of="add", node="AddBackward0", holomorphic=True,
    samples=[case(A34, A34, alpha=2.5), case(A34, (4,), alpha=-0.5)],
)  # fmt: skip
def add_scaled(input: Any, other: Any, *, alpha: float = 1.0) -> Any:
    """`add` of floats of one type with its `alpha`: each operand is read once, and the bits are
    those of a product and a sum."""
    return input + other * alpha


add_scaled.vjp(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b, *, alpha: g * alpha)


@elementwise(
    promote="common", numbers=(), public="", part_of="sub", node="SubBackward0", holomorphic=True,
    samples=[case(A34, A34, alpha=2.5), case(A34, (4,), alpha=-0.5)],
)  # fmt: skip
def sub_scaled(input: Any, other: Any, *, alpha: float = 1.0) -> Any:
    """`sub` with its `alpha`, as `add_scaled`."""
    return input - other * alpha


sub_scaled.vjp(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b, *, alpha: -g * alpha)


def floats_alike(input: Any, other: Any, alpha: Any) -> bool:
    """Whether a sum with `alpha` is `add_scaled`: of floats of one type and a number."""
    if not isinstance(input, TensorBase) or not isinstance(other, TensorBase):
        return False
    dtype = input._a.dtype
    if other._a.dtype is not dtype or (dtype is not door.F32 and dtype is not door.F64):
        return False
    return alpha.__class__ is float or (alpha.__class__ is int and abs(alpha) < 1 << 53)


def as_of_old(name: str, alpha: Any, other: Any) -> tuple[Any, Any]:
    """(other, alpha) of a call name(input, alpha, other), as in the first versions. Both may be
    numbers, and alpha a tensor of one number that requires no grad.
    """
    if isinstance(alpha, TensorBase) and alpha._a.ndim == 0 and not alpha.requires_grad:  # type: ignore[attr-defined]
        alpha = alpha.item()  # type: ignore[attr-defined]
    wrong = not isinstance(other, (TensorBase, int, float, complex))
    if wrong or not isinstance(alpha, (int, float, complex)):
        raise TypeError(
            message(
                f"{name}() takes 2 positional arguments but 3 were given",
                hint=f"{name}(input, other, alpha=...)",
            )
        )
    warnings.warn(
        f"This overload of {name} is deprecated: the number alpha comes before the tensor other. "
        f"Consider {name}(Tensor input, Tensor other, *, Number alpha) instead.",
        UserWarning,
        stacklevel=3,
    )
    return other, alpha


@composite(aliases="", samples=[case((3, 4), (4,)), case((3, 4), (3, 1), alpha=2), case((3,), 1.5)])
def add(
    input: Any, other: Any, _last: Any = None, *, alpha: Any = 1, out: Any = None
) -> Any:
    """`y = input + alpha * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number; the result has their
    common type. RuntimeError where shapes do not go together, and for a float alpha with integers.

    alpha: a number by which other is multiplied first; 1 by default.

    >>> torch.add(torch.tensor([1, 2]), 10)
    tensor([11, 12])
    >>> torch.add(torch.zeros(2, 1), torch.tensor([1.0, 2.0, 3.0]), alpha=10)
    tensor([[10., 20., 30.],
            [10., 20., 30.]])
    """
    if _last is not None:
        other, alpha = as_of_old("add", other, _last)
    if alpha.__class__ is int and alpha == 1:
        return with_out("add", m.add_plain.call((input, other), {}), out, input, other)
    if floats_alike(input, other, alpha):
        result = add_scaled.call((input, other), {"alpha": float(alpha)})
        return with_out("add", result, out, input, other)
    result = m.add_plain.call((input, scaled(other, alpha, input)), {})
    return with_out("add", result, out, input, other)


@composite(
    name="add_",
    public="Tensor",
    into=(m.add_plain, add_scaled),
    samples=[case((3, 4), (4,)), case((3, 4), (3, 1), alpha=2)],
)
def add_(input: Any, other: Any, _last: Any = None, *, alpha: Any = 1) -> Any:
    """input += alpha * other, in place."""
    if _last is not None:
        other, alpha = as_of_old("add_", other, _last)
    if not (alpha.__class__ is int and alpha == 1):
        if floats_alike(input, other, alpha):
            return changes.apply_inplace(add_scaled, input, (other,), {"alpha": float(alpha)})
        other = scaled(other, alpha, input)
    return changes.apply_inplace(m.add_plain, input, (number_or_tensor("add_", other),), {})


@composite(
    aliases="subtract",
    samples=[case((3, 4), (4,)), case((3, 4), (3, 1), alpha=2), case((3,), 1.5)],
)
def sub(
    input: Any, other: Any, _last: Any = None, *, alpha: Any = 1, out: Any = None
) -> Any:
    """`y = input - alpha * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
    masks are combined by `^` and `~`.

    alpha: a number by which other is multiplied first; 1 by default.

    >>> torch.sub(torch.tensor([5.0, 7.0]), torch.tensor([1.0, 2.0]), alpha=2)
    tensor([3., 3.])
    """
    if _last is not None:
        other, alpha = as_of_old("sub", other, _last)
    if alpha.__class__ is int and alpha == 1:
        return with_out("sub", m.sub_plain.call((input, other), {}), out, input, other)
    if floats_alike(input, other, alpha):
        result = sub_scaled.call((input, other), {"alpha": float(alpha)})
        return with_out("sub", result, out, input, other)
    m.no_bools(input, number_or_tensor("sub", other))
    result = m.sub_plain.call((input, scaled(other, alpha, input)), {})
    return with_out("sub", result, out, input, other)


@composite(
    name="sub_",
    public="Tensor",
    into=(m.sub_plain, sub_scaled),
    aliases="subtract_",
    samples=[case((3, 4), (4,)), case((3, 4), (3, 1), alpha=2)],
)
def sub_(input: Any, other: Any, _last: Any = None, *, alpha: Any = 1) -> Any:
    """input -= alpha * other, in place."""
    if _last is not None:
        other, alpha = as_of_old("sub_", other, _last)
    m.no_bools(input, number_or_tensor("sub_", other))
    if not (alpha.__class__ is int and alpha == 1):
        if floats_alike(input, other, alpha):
            return changes.apply_inplace(sub_scaled, input, (other,), {"alpha": float(alpha)})
        other = scaled(other, alpha, input)
    return changes.apply_inplace(m.sub_plain, input, (number_or_tensor("sub_", other),), {})


def number_or_tensor(name: str, x: Any) -> Any:
    if isinstance(x, (TensorBase, int, float, complex)):
        return x
    if isinstance(x, np.generic):
        return x.item()
    raise TypeError(
        f"{name}(): argument 'other' (position 1) must be Tensor, not {type(x).__name__}"
    )


@composite(accepts=(
               "floating integral complex: Subtraction, the `-` operator, with a bool tensor is "
               "not supported."
           ),
           public="torch", samples=[case((3, 4), (4,)), case((3, 4), 2.0, alpha=2)])
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """`y = other - alpha * input`: `sub` with its operands exchanged.

    other: a tensor whose shape broadcasts, or a number; alpha: a number, 1 by default.

    >>> torch.rsub(torch.tensor([1.0, 2.0]), 10)
    tensor([9., 8.])
    """
    need_tensor("rsub", input)
    return m.sub_plain.call((other, input if alpha == 1 else input * alpha), {})


def refuse_zero(a: Any, b: Any) -> None:
    """Raise where integers are divided by an integer that is 0."""
    if a.dtype.kind in "iub" and not (b if b.ndim == 0 else b.all()) and a.size:
        raise RuntimeError("ZeroDivisionError")


def int_divide(a: Any, b: Any) -> Any:
    refuse_zero(a, b)
    return np.floor_divide(a, b)


def numeric(name: str, fn: Any) -> Any:
    """Integer and floating types alone."""
    return m.only(name, "iuf", fn)


def floor_div(a: Any, b: Any) -> Any:
    if a.dtype.kind in "iub":
        return int_divide(a, b)
    with np.errstate(all="ignore"):
        y = np.asarray(np.floor_divide(a, b))
        np.copyto(y, a / b, where=b == 0)
        return y


def trunc_div(a: Any, b: Any) -> Any:
    if a.dtype.kind in "iub":
        q = int_divide(a, b)
        return q + ((q < 0) & (q * b != a)) if a.dtype.kind == "i" else q
    return np.trunc(np.true_divide(a, b))


DIV = [case(arr(A34, 1.1, 1.4), arr(A34, 1.5, 2.0))]
floor_divide = intrinsic(
    "floor_divide",
    numeric("div_floor", floor_div),
    lambda g, _y, _a, _b: m.nothing(g),
    lambda g, _y, _a, _b: m.nothing(g),
    operator="floordiv",
    nin=2,
    numpy="scalar",
    samples=DIV,
    doc="""`y = floor(input / other)`, rounded towards minus infinity, as Python's `//`.

    input, other: tensors whose shapes broadcast, or one of them a number. Integers stay integers;
    RuntimeError ("ZeroDivisionError") for integers divided by 0. The gradient is 0.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    >>> torch.tensor([7.5, -7.5]) // 2
    tensor([ 3., -4.])
    """,
)
trunc_divide = intrinsic(
    "trunc_divide",
    numeric("div_trunc", trunc_div),
    lambda g, _y, _a, _b: m.nothing(g),
    lambda g, _y, _a, _b: m.nothing(g),
    nin=2,
    samples=DIV,
    doc="a / b without its fraction.",
    public="",
)


def divide_op(rounding_mode: Any) -> Any:
    ops = {None: m.true_div, "floor": floor_divide, "trunc": trunc_divide}
    if rounding_mode not in ops:
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    return ops[rounding_mode]


@composite(
    aliases="divide true_divide",
    samples=[
        case((3, 4), arr((4,), 0.5, 2)),
        case(arr((3, 4), 1.1, 1.4), arr((4,), 0.3, 0.35), rounding_mode="floor"),
    ],
)
def div(input: Any, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Any:
    """`y = input / other`, element by element; integers give the default float type.

    input, other: tensors whose shapes broadcast, or one of them a number.

    rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
    zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
    return with_out("div", divide_op(rounding_mode).call((input, other), {}), out, input, other)


@composite(
    name="div_",
    public="Tensor",
    into=(m.true_div,),
    aliases="divide_ true_divide_",
    samples=[
        case((3, 4), arr((4,), 0.5, 2)),
        case(arr((3, 4), 1.1, 1.4), arr((4,), 0.3, 0.35), rounding_mode="trunc"),
    ],
)
def div_(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """In place: `input /= other`, of which `rounding_mode` "floor" or "trunc" rounds the quotient.
    A tensor of integers can hold rounded quotients alone.

    >>> x = torch.tensor([1.0, 4.0])
    >>> x.div_(2)
    tensor([0.5000, 2.0000])
    """
    return changes.apply_inplace(
        divide_op(rounding_mode), input, (number_or_tensor("div_", other),), {}
    )


def int_mod(ufunc: Any) -> Any:
    def mod(a: Any, b: Any) -> Any:
        refuse_zero(a, b)
        return ufunc(a, b)

    return mod


def counted(x: Any, other: Any) -> Any:
    """A number, truths or integers in the type of the floats that they stand beside, for a rule
    that divides arrays by their own types."""
    if not isinstance(other, np.ndarray) or other.dtype.kind in "iub":
        plain = not isinstance(x, np.ndarray) or x.dtype.kind != "b"
        return x if plain else x.astype(np.int8)
    if isinstance(x, np.ndarray):
        return x.astype(other.dtype) if x.dtype.kind in "iub" else x
    return np.asarray(x, other.dtype)


remainder = intrinsic(
    "remainder",
    numeric("remainder", int_mod(kernels.remainder)),
    lambda g, _y, _a, _b: g,
    lambda g, _y, a, b: -g * floor_divide(counted(a, b), counted(b, a)),
    operator="mod",
    nin=2,
    rounds=True,
    numpy="scalar",
    samples=[case(arr(A34, 1.1, 1.4), arr(A34, 0.5, 0.6))],
    doc="""`y = input - other * floor(input / other)`: it has the sign of other, as Python's `%`.

    input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError
    ("ZeroDivisionError") for integers divided by 0; floats give NaN.

    >>> torch.remainder(torch.tensor([7, -7]), 3)
    tensor([1, 2])
    >>> torch.tensor([5.5, -5.5]) % 2
    tensor([1.5000, 0.5000])
    """,
)
fmod = intrinsic(
    "fmod",
    numeric("fmod", int_mod(np.fmod)),
    lambda g, _y, _a, _b: g,
    lambda g, _y, a, b: -g * trunc_divide(counted(a, b), counted(b, a)),
    nin=2,
    numbers=(1,),
    rounds=True,
    numpy="scalar",
    samples=[case(arr(A34, 1.1, 1.4), arr(A34, 0.5, 0.6))],
    doc="""`y = input - other * trunc(input / other)`: it has the sign of input, as fmod of C.

    other: a tensor whose shape broadcasts, or a number. RuntimeError ("ZeroDivisionError") for
    integers divided by 0; floats give NaN.

    >>> torch.fmod(torch.tensor([7, -7]), 3)
    tensor([ 1, -1])
    """,
)
