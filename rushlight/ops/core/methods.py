"""Methods of Tensor that stand alone: apply_, map_, the buffer protocol, names kept from older
programs. Those of sparse tensors are in `sparse_methods.py`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes
from ...autograd.node import TensorBase
from ...errors import message
from ...layout import channels_last
from .composite import composite
from .samples import Case, case, error


def each(input: Any, name: str, fn: Any, *others: Any) -> Any:
    """Write fn(element, ...) to every element, one after the other."""
    if not callable(fn):
        raise TypeError(f"'{type(fn).__name__}' object is not callable")
    if any(t._fn is not None for t in (input, *others)):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    changes.check_inplace(input, name)
    a = input._a
    sources = [t.expand(a.shape)._a for t in others]
    for place in np.ndindex(a.shape):
        value = fn(a[place].item(), *[s[place].item() for s in sources])
        if isinstance(value, (str, bytes)):
            wanted = "an integer" if a.dtype.kind in "iu" else "a number"
            kind = type(value).__name__
            raise TypeError(f"'{kind}' object cannot be interpreted as {wanted}")
        a[place] = value
    input._bump(name)
    return input


@composite(
    public="Tensor",
    name="apply_",
    data_dependent=True,
    smooth=False,
    samples=[case((2, 3), lambda x: x + 1.0)],
)
def apply_(input: Any, callable: Any) -> Any:
    """Replace each element by `callable(element)`, in place, and return the tensor.

    One Python call an element, so not for speed. RuntimeError for a tensor that requires grad.

    >>> torch.tensor([1.0, 2.0, 3.0]).apply_(lambda x: x * x)
    tensor([1., 4., 9.])
    """
    return each(input, "apply_", callable)


@composite(
    public="Tensor",
    name="map_",
    data_dependent=True,
    smooth=False,
    samples=[case((2, 3), (2, 3), lambda x, y: x + y)],
)
def map_(input: Any, other: Any, callable: Any) -> Any:
    """Replace each element by `callable(element, element of tensor)`, in place, and return the
    tensor.

    tensor: one whose shape broadcasts. One Python call an element, so not for speed.

    >>> torch.tensor([1.0, 2.0]).map_(torch.tensor([10.0, 20.0]), lambda a, b: a + b)
    tensor([11., 22.])
    """
    return each(input, "map_", callable, other)


@composite(
    public="Tensor",
    name="map2_",
    data_dependent=True,
    smooth=False,
    samples=[case((2, 3), (3,), (2, 1), lambda x, y, z: x + y * z)],
)
def map2_(input: Any, x: Any, y: Any, callable: Any) -> Any:
    """Replace each element by `callable(element, element of x, element of y)`, in place, and return
    the tensor.

    x, y: tensors whose shapes broadcast. One Python call an element, so not for speed.

    >>> one, two = torch.tensor([10.0, 20.0]), torch.tensor([3.0, 4.0])
    >>> torch.tensor([1.0, 2.0]).map2_(one, two, lambda a, b, c: a + b * c)
    tensor([31., 82.])
    """
    return each(input, "map2_", callable, x, y)


@composite(
    public="Tensor",
    name="__buffer__",
    dispatch=False,
    data_dependent=True,
    smooth=False,
    typed=True,
    samples=[case((2, 3), 0)],
)
def buffer(input: Any, flags: int) -> memoryview:
    """The memory for `memoryview(tensor)` and its like, from Python 3.12 on.

    >>> memoryview(torch.tensor([1, 2]).numpy()).tolist()
    [1, 2]
    """
    return memoryview(input.numpy())


@composite(public="Tensor", name="__reversed__", dispatch=False, samples=[case((2, 3)), case(())])
def reversed_(input: Any) -> Any:
    """A copy with the first dimension the other way round, as Python reverses any sequence.

    >>> reversed(torch.tensor([1, 2, 3]))
    tensor([3, 2, 1])
    """
    return input.flip(0) if input._a.ndim else input


@composite(public="Tensor", samples=[case((2, 3), None)])
def record_stream(input: Any, stream: Any) -> None:
    """Nothing: there are no streams on a CPU.

    >>> torch.ones(2).record_stream(None)
    """


@composite(public="Tensor", layout=True, samples=[case((2, 3, 4))])
def dim_order(input: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost.

    Args:
        ambiguity_check: True: RuntimeError where another order fits the strides as well, as it does
            where a dimension has one element. A list of memory formats: where more than one of
            them, or none, fits.

    >>> torch.ones(2, 3, 4).dim_order()
    (0, 1, 2)
    >>> torch.ones(2, 3, 4).transpose(0, 2).dim_order()
    (2, 1, 0)
    """
    strides = input.stride()
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not (isinstance(ambiguity_check, bool) or ambiguity_check is formats) or not all(
        f.__class__.__name__ == "memory_format" for f in formats
    ):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape = input.shape
    if (
        ambiguity_check is not False
        and (1 in shape or any(a == b for a, b in pairwise(strides)))
        and sum(input.is_contiguous(memory_format=f) for f in formats) != 1
    ):
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given "
            "memory formats."
        )
    n = len(shape)
    last = n == 4 and input.is_contiguous(memory_format=channels_last)
    if input.is_contiguous() != last:  # one element in a dimension: either may fit
        return (0, 2, 3, 1) if last else tuple(range(n))
    order = list(range(n))[::-1]
    for i in range(1, n):
        at = i
        for inner in range(i - 1, -1, -1):
            longer = _longer(shape, strides, order[inner], order[at])
            if longer > 0:
                order[inner], order[at] = order[at], order[inner]
                at = inner
            elif longer < 0:
                break
    if ambiguity_check and any(_longer(shape, strides, *two) >= 0 for two in pairwise(order)):
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple(order[::-1])


def _longer(shape: Any, strides: Any, a: int, b: int) -> int:
    """Whether dimension a lies outside of b (1), within (-1), or nobody knows (0): where one of
    them has no steps, or both have the same and b is no smaller."""
    if not strides[a] or not strides[b]:
        return 0
    if strides[a] == strides[b]:
        return int(shape[a] > shape[b] > 0)
    return -1 if strides[a] < strides[b] else 1


@composite(public="Tensor", layout=True, random=True, samples=[case((2, 3))])
def const_data_ptr(input: Any) -> int:
    """The address of the first element, which is not to be written to: `data_ptr`.

    >>> x = torch.ones(2)
    >>> x.const_data_ptr() == x.data_ptr()
    True
    """
    return int(input.data_ptr())


@composite(public="Tensor", samples=[error(NotImplementedError, "nested", (2, 3), 0.0)])
def to_padded_tensor(input: Any, padding: float, output_size: Any = None) -> Any:
    """Raises NotImplementedError: there are no nested tensors here, other than in PyTorch.
    `nn.utils.rnn.pad_sequence` pads a list of tensors.

    >>> torch.ones(2, 3).to_padded_tensor(0.0)
    Traceback (most recent call last):
        ...
    NotImplementedError: to_padded_tensor: nested tensors are not part of Rushlight
    """
    raise NotImplementedError("to_padded_tensor: nested tensors are not part of Rushlight")


# -- functions that PyTorch also has as methods, and older names
# ------------------------------------


def function_of(name: str, *samples: Case, doc: str | None = None, **about: Any) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        return getattr(input, name)(*args, **kw)

    fn.__name__ = name
    fn.__doc__ = doc or f"`Tensor.{name}` as a function."
    fn.as_function = True  # type: ignore[attr-defined] # `publish` gives it the method's help
    return composite(fn, public="torch", name=name, samples=samples, **about)


function_of("detach", case((2, 3)))
function_of("detach_", case((2, 3)))
function_of("fill_", case((2, 3), 1.5))
function_of(
    "resize_as_",
    case((2, 3), (3, 2)),
    smooth=False,
    layout=True,
    doc="""`resize_` to the shape of another tensor.

    >>> x = torch.arange(6)
    >>> torch.resize_as_(x, torch.empty(2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """,
)


@composite(public="torch", dispatch=False, typed=True, samples=[case((2, 3)), case("text")])
def typename(obj: Any) -> str:
    """The name of a tensor's legacy type, or of an object's class with its module.

    >>> torch.typename(torch.ones(2)), torch.typename("text")
    ('torch.FloatTensor', 'str')
    """
    if isinstance(obj, TensorBase):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    module = kind.__module__
    return (
        kind.__qualname__
        if module in ("builtins", "__builtin__", None)
        else f"{module}.{kind.__qualname__}"
    )


@composite(public="torch", dispatch=False, samples=[case((2, 3)), case(1)])
def is_storage(obj: Any) -> bool:
    """Whether `obj` is the storage of a tensor.

    >>> torch.is_storage(torch.ones(2).untyped_storage()), torch.is_storage(torch.ones(2))
    (True, False)
    """
    from ...storage import StorageBase

    return isinstance(obj, StorageBase)


@composite(public="torch", dispatch=False, samples=[case("torch.FloatTensor")])
def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a legacy type, or its name.

    >>> torch.set_default_tensor_type("torch.DoubleTensor")
    >>> torch.tensor(1.5).dtype
    torch.float64
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    from ...legacy_tensors import legacy_type

    if isinstance(t, dtypes.dtype):
        raise TypeError(
            message(
                "invalid type object: only floating-point types are supported as the default type",
                repr(t),
                hint=f"torch.set_default_dtype({t!r})",
            )
        )
    dtypes.set_default_dtype(legacy_type(t))
