"""Choosing and comparing whole tensors: where, isclose, allclose, equal, isin; questions about
types.

The comparisons of elements are in `arithmetic.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.views import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor, number
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, bools, case, ints, values
from ..create.arguments import stored
from ..index.masks import nonzero
from ..shape.convert import cast
from . import formulas as m

# -- types ---------------------------------------------------------------------------------------


def common_dtype(*operands: Any) -> Any:
    """PyTorch's result type of tensors, 0-d tensors and numbers."""
    strengths: list[Any] = [None, None, None]
    for x in operands:
        x = number(x) if isinstance(x, np.generic) else x
        if isinstance(x, TensorBase):
            d, k = dtypes.from_numpy(x._a.dtype), 0 if x._a.ndim else 1
        else:
            d, k = dtypes.scalar_dtype(x), 2
        strengths[k] = d if strengths[k] is None else dtypes.promote_types(strengths[k], d)
    return dtypes.combine(*strengths)


@composite(public="torch", typed=True, samples=[case((3,), ints((2,))), case(ints((2,)), 1.5)])
def result_type(tensor: Any, other: Any) -> Any:
    """The dtype of an arithmetic result of two operands (tensors or numbers)."""
    return common_dtype(tensor, other)


def question(name: str, doc: str, answer: Any, public: str = "torch") -> Any:
    def fn(input: Any) -> bool:
        need_tensor(name, input)
        return bool(answer(input))

    fn.__name__ = name
    fn.__doc__ = doc
    return composite(fn, public=public, samples=[case((2, 3)), case(ints((2,)))])


question(
    "is_floating_point", "Whether the dtype is a floating type.", lambda t: t.is_floating_point()
)
question("is_complex", "Whether the dtype is a complex type.", lambda t: t.is_complex())
question("is_signed", "Whether the dtype has negative values.", lambda t: t.is_signed())
question(
    "is_inference", "Whether the tensor was made inside inference_mode.", lambda t: t.is_inference()
)
question("is_distributed", "False.", lambda t: False, "torch Tensor")


@composite(adapt=True, data_dependent=True, samples=[case(())])
def is_nonzero(input: Any) -> bool:
    """Whether the only element is not zero."""
    n = input._a.size
    if n != 1:
        raise RuntimeError(
            "Boolean value of Tensor with no values is ambiguous"
            if n == 0
            else "Boolean value of Tensor with more than one value is ambiguous"
        )
    return bool(input.item())


@composite(adapt=True, samples=[case((2, 3), (2, 3)), case((2, 3), (3,))])
def is_same_size(input: Any, other: Any) -> bool:
    """Whether both have one shape."""
    return tuple(input._a.shape) == tuple(other._a.shape)


@composite(adapt=True, public="torch", samples=[case((2, 3))])
def numel(input: Any) -> int:
    """Number of elements."""
    need_tensor("numel", input)
    return int(input._a.size)


@composite(adapt=True, samples=[case((2, 3))])
def get_device(input: Any) -> int:
    """-1: the number of a GPU there, none here."""
    need_tensor("get_device", input)
    return -1


# -- choosing ------------------------------------------------------------------------------------


def chosen(condition: Any, input: Any, other: Any) -> Any:
    need_tensor("where", condition, 1, "condition")
    if condition._a.dtype.kind != "b":
        if condition._a.dtype != np.uint8:
            raise RuntimeError(
                message(
                    "where expected condition to be a boolean tensor, but got a tensor with "
                    f"dtype {condition.dtype!r}",
                    hint="x > 0, or x.bool()",
                )
            )
        condition = condition.bool()
    want = common_dtype(input, other)
    both = [cast(x, want) if isinstance(x, TensorBase) else x for x in (input, other)]
    if not isinstance(both[0], TensorBase) and not isinstance(both[1], TensorBase):
        both[0] = door.wrap(np.asarray(stored(both[0], want.np), want.np))
    return m.where.call(
        (
            condition,
            *[
                door.wrap(np.asarray(stored(x, want.np), want.np))
                if not isinstance(x, TensorBase)
                else x
                for x in both
            ],
        ),
        {},
    )


@composite(
    apart="partly",
    adapt=True,
    public="torch",
    samples=[case(bools((3, 4)), (3, 4), (4,)), case(bools((3, 4)), (3, 4), 0.0)],
)
def where(condition: Any, input: Any = None, other: Any = None, *, self: Any = None) -> Any:
    """`input` where the condition holds, else `other`; with the condition alone, the places where
    it holds.

    >>> import rushlight as torch
    >>> torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), 0)
    tensor([1, 0])
    """
    input = self if input is None else input
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return chosen(condition, input, other)


@composite(adapt=True, public="Tensor", name="where", samples=[case((3, 4), bools((3, 4)), (4,))])
def where_method(input: Any, condition: Any, other: Any) -> Any:
    """This tensor where the condition holds, else `other`."""
    return chosen(condition, input, other)


# -- closeness -----------------------------------------------------------------------------------


@op(
    samples=[case((3, 4), (3, 4)), case((3, 4), (4,), equal_nan=True)],
    fresh=True,
    public="",
    promote=None,
)
def close(
    input: Any, other: Any, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """|input - other| <= atol + rtol * |other|, element by element."""
    y = input == other
    if input.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            near = np.abs(input - other) <= atol + np.abs(other * rtol)
        y = y | (near & np.isfinite(other) & np.isfinite(input))
        if equal_nan:
            y = y | (np.isnan(input) & np.isnan(other))
    elif rtol or atol:
        wide = np.abs(input.astype(np.float64) - other.astype(np.float64))
        y = y | (wide <= atol + np.abs(rtol * other.astype(np.float64)))
    return y


close.shape(lambda a, b, **_: MetaArray(np.broadcast_shapes(a.shape, b.shape), bool))


@composite(adapt=True, samples=[case((3, 4), (3, 4)), case(values([1.0, 2.0]), values([1.0, 2.1]))])
def isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether |input - other| <= atol + rtol * |other|, element by element."""
    need_tensor("isclose", other, 2, "other")
    rtol, atol = tolerance(rtol, "rtol", 3), tolerance(atol, "atol", 4)
    if input._a.dtype != other._a.dtype:
        raise RuntimeError(f"{type_word(input)} did not match {type_word(other)}")
    if rtol < 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if atol < 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    return close.call((input, other), {"rtol": rtol, "atol": atol, "equal_nan": equal_nan})


def tolerance(value: Any, argument: str, position: int) -> Any:
    """A number of one, or of a tensor of one that needs no gradient."""
    if isinstance(value, TensorBase):
        if value._fn is not None or value._a.size != 1:
            raise TypeError(
                f"isclose(): argument '{argument}' (position {position}) must be float, not Tensor"
            )
        return value.item()
    return value


def type_word(t: Any) -> str:
    from ...autograd.views import type_name

    return type_name(dtypes.from_numpy(t._a.dtype))


@composite(adapt=True, data_dependent=True, samples=[case(values([1.0, 2.0]), values([1.0, 2.1]))])
def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close: |input - other| <= atol + rtol * |other|."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


@composite(adapt=True, data_dependent=True, samples=[case(values([1.0, 2.0]), values([1.0, 2.0]))])
def equal(input: Any, other: Any) -> bool:
    """Whether both have one shape and equal elements."""
    need_tensor("equal", other, 2, "other")
    if (
        input._a.dtype != other._a.dtype
        and input._a.size
        and tuple(input._a.shape) == tuple(other._a.shape)
    ):
        d = common_dtype(input, other)
        input, other = cast(input, d), cast(other, d)
    return input._a.shape == other._a.shape and bool(np.array_equal(input._a, other._a))


@op(
    samples=[
        case(arr((3, 4), 0, 9, "int64"), arr((3,), 0, 9, "int64")),
        case(arr((3, 4), 0, 9, "int64"), arr((3,), 0, 9, "int64"), invert=True),
    ],
    promote="common",
    fresh=True,
    public="",
)
def contained(elements: Any, test_elements: Any, *, invert: bool = False) -> Any:
    """Whether each element is among the test elements."""
    return np.isin(elements, test_elements, invert=invert)


contained.shape(lambda a, b, **_: MetaArray(a.shape, bool))


@composite(
    adapt=True,
    public="torch",
    samples=[case(ints((3, 4)), ints((5,))), case(ints((3, 4)), ints((5,)), invert=True)],
)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Any:
    """Whether each element is among the test elements."""
    for t in (elements, test_elements):
        kind = t.dtype if isinstance(t, TensorBase) else dtypes.scalar_dtype(t)
        if kind.category == dtypes.BOOL or kind.is_complex:
            raise RuntimeError(
                message(
                    f"Unsupported input type encountered for isin(): {type_name(kind)}",
                    wanted="numbers that have an order",
                )
            )
    return contained.call((elements, test_elements), {"invert": invert})
