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
from ...dtypes import type_name
from ...errors import ambiguous, message
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
    if len(operands) == 2 and share_type(*operands):
        return dtypes.from_numpy(operands[0]._a.dtype)
    strengths: list[Any] = [None, None, None]
    for x in operands:
        x = number(x) if isinstance(x, np.generic) else x
        if isinstance(x, TensorBase):
            d, k = dtypes.from_numpy(x._a.dtype), 0 if x._a.ndim else 1
        else:
            d, k = dtypes.scalar_dtype(x), 2
        strengths[k] = d if strengths[k] is None else dtypes.promote_types(strengths[k], d)
    return dtypes.combine(*strengths)


def share_type(a: Any, b: Any) -> bool:
    """Whether both are tensors, and of one type."""
    return isinstance(a, TensorBase) and isinstance(b, TensorBase) and a._a.dtype is b._a.dtype


@composite(public="torch", typed=True, samples=[case((3,), ints((2,))), case(ints((2,)), 1.5)])
def result_type(tensor: Any, other: Any) -> Any:
    """The dtype that arithmetic of these two gives; numbers widen a tensor only to another kind.

    tensor, other: tensors or numbers.

    >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int8), 1.5)
    torch.float32
    >>> torch.result_type(torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float32))
    torch.float32
    """
    return common_dtype(tensor, other)


def question(name: str, doc: str, answer: Any, public: str = "torch") -> Any:
    def fn(input: Any) -> bool:
        need_tensor(name, input)
        return bool(answer(input))

    fn.__name__ = name
    fn.__doc__ = doc
    return composite(fn, public=public, samples=[case((2, 3)), case(ints((2,)))])


question(
    "is_floating_point",
    """Whether the dtype is a floating type: float64, float32, float16, bfloat16 or
    one of 8 bits.

    >>> torch.is_floating_point(torch.tensor([1.0])), torch.is_floating_point(torch.tensor([1]))
    (True, False)
    """,
    lambda t: t.is_floating_point(),
)
question(
    "is_complex",
    """Whether the dtype is a complex type.

    >>> torch.is_complex(torch.tensor([1j])), torch.is_complex(torch.tensor([1.0]))
    (True, False)
    """,
    lambda t: t.is_complex(),
)
question(
    "is_signed",
    """Whether the dtype has negative values.

    >>> torch.is_signed(torch.tensor([1.0])), torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    (True, False)
    """,
    lambda t: t.is_signed(),
)
question(
    "is_inference",
    """Whether the tensor was made inside `inference_mode`, so that no graph may hold it.

    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> torch.is_inference(x), torch.is_inference(torch.ones(2))
    (True, False)
    """,
    lambda t: t.is_inference(),
)
question(
    "is_distributed",
    """False: there are no such tensors any more, in PyTorch either.

    >>> torch.is_distributed(torch.ones(2))
    False
    """, lambda t: False, "torch Tensor")


@composite(data_dependent=True, samples=[case(())])
def is_nonzero(input: Any) -> bool:
    """Whether the only element is not zero, as `bool(x)`.

    RuntimeError for a tensor with no or with several elements.

    >>> torch.is_nonzero(torch.tensor([0.0])), torch.is_nonzero(torch.tensor([3.0]))
    (False, True)
    """
    n = input._a.size
    if n != 1:
        if n == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise ambiguous(input.shape)
    return bool(input.item())


@composite(samples=[case((2, 3), (2, 3)), case((2, 3), (3,))])
def is_same_size(input: Any, other: Any) -> bool:
    """Whether both tensors have the same shape.

    >>> torch.is_same_size(torch.ones(2, 3), torch.zeros(2, 3))
    True
    """
    return tuple(input._a.shape) == tuple(other._a.shape)


@composite(public="torch", samples=[case((2, 3))])
def numel(input: Any) -> int:
    """The number of elements, an int: the product of all sizes.

    >>> torch.numel(torch.ones(2, 3, 4))
    24
    """
    need_tensor("numel", input)
    return int(input._a.size)


@composite(samples=[case((2, 3))])
def get_device(input: Any) -> int:
    """The number of the device: -1, which is what a CPU has.

    >>> torch.get_device(torch.ones(2))
    -1
    """
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
    if share_type(input, other):
        return m.where.call((condition, input, other), {})
    want = common_dtype(input, other)
    both = [cast(x, want) if isinstance(x, TensorBase) else x for x in (input, other)]
    if not isinstance(both[0], TensorBase) and not isinstance(both[1], TensorBase):
        both[0] = of_number(both[0], want.np)
    operands = [x if isinstance(x, TensorBase) else of_number(x, want.np) for x in both]
    return m.where.call((condition, *operands), {})


def of_number(x: Any, dtype: Any) -> Any:
    """A number as a 0-d tensor, which a compiler sees come from one."""
    made = stored(x, dtype)
    return door.wrap(door.as_array(made[()]) if door.state.observers else np.asarray(made, dtype))


@composite(
    apart="partly",
    adapt=True,
    public="torch",
    samples=[case(bools((3, 4)), (3, 4), (4,)), case(bools((3, 4)), (3, 4), 0.0)],
)
def where(condition: Any, input: Any = None, other: Any = None, *, self: Any = None) -> Any:
    """Choose from two tensors: `y = input` where the condition holds, else `other`.

    condition: a tensor of bools; input, other: tensors or numbers. All three broadcast, and the
    result has the common type of the two. With the condition alone: a tuple of indices, one tensor
    a dimension, of the places where it holds.

    The gradient goes to the chosen one. What is not chosen is computed all the same: a NaN in its
    own derivative comes through, so guard the argument rather than the result.

    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2., 0.])
    >>> torch.where(x > 0)
    (tensor([1]),)
    """
    input = self if input is None else input
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return chosen(condition, input, other)


@composite(adapt=True, public="Tensor", name="where", samples=[case((3, 4), bools((3, 4)), (4,))])
def where_method(input: Any, condition: Any, other: Any) -> Any:
    """This tensor where the condition holds, else `other`: `torch.where(condition, self, other)`.

    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> x.where(x > 0, 0.0)
    tensor([0., 2., 0.])
    """
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
    """True where two elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

    rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal. Infinities are near
    themselves only. RuntimeError for tensors of two types.

    >>> torch.isclose(torch.tensor([1.0, 1.0]), torch.tensor([1.000001, 1.1]))
    tensor([ True, False])
    """
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
    from ...dtypes import type_name

    return type_name(dtypes.from_numpy(t._a.dtype))


@composite(data_dependent=True, samples=[case(values([1.0, 2.0]), values([1.0, 2.1]))])
def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

    rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal.

    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.0]))
    True
    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.1, 2.0]))
    False
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


@composite(data_dependent=True, samples=[case(values([1.0, 2.0]), values([1.0, 2.0]))])
def equal(input: Any, other: Any) -> bool:
    """Whether both tensors have the same shape and equal elements, a bool.

    NaN equals nothing, so a tensor with a NaN is not equal to its copy.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2, 3]))
    False
    """
    need_tensor("equal", other, 2, "other")
    if (
        input._a.dtype != other._a.dtype
        and input._a.size
        and tuple(input._a.shape) == tuple(other._a.shape)
    ):
        d = common_dtype(input, other)
        input, other = cast(input, d), cast(other, d)
    a, b = door.resolved(input._a), door.resolved(other._a)
    return a.shape == b.shape and bool(np.logical_and.reduce(np.equal(a, b), axis=None))


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
    """True where an element is among the test elements.

    elements, test_elements: tensors of any shapes, or one of them a number; the result has the
    shape of elements. Not for bools and complex numbers.

    invert: True asks the opposite. assume_unique: accepted, and changes nothing here.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 4]))
    tensor([[False,  True],
            [False,  True]])
    """
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
