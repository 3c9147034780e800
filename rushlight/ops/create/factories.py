"""Making tensors: zeros, ones, empty, full, their `_like` forms, and eye.

Random ones are in `random/factories.py`, tensors from numbers and arrays in `from_data.py`, arange
and its like in `ranges.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.node import TensorBase
from ...autograd.steps import step
from ...device import META, refuse_pinned, usable
from ...errors import message
from ...kernels import dense
from ...kernels.meta import MetaArray
from ...layout import preserve_format
from ..core.composite import composite
from ..core.samples import case, ints
from . import sequences
from .arguments import (
    blank,
    channels_last_strides,
    finish,
    fits_plainly,
    given_size,
    in_layout,
    into_layout,
    order_of,
    ordered,
    sizes_of,
    stored,
    type_of_out,
    undefined,
)
from .sequences import (
    number,
)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case([2, 3]), case(2, 3, dtype=dtypes.int64)],
)
def zeros(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **kw: Any,
) -> Any:
    """A tensor of zeros.

    The sizes are given one by one or as a tuple. `dtype` is the default float type (float32) unless
    given; `device="meta"` makes a shape without values. `out`, a tensor, takes the result.

    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    >>> torch.zeros(2, dtype=torch.int64)
    tensor([0, 0])
    """
    if pin_memory and out is None:
        refuse_pinned("zeros", pin_memory, device)
    shape = given_size("zeros", size, kw)
    made = None if layout is None else in_layout("zeros", layout, shape, dtype, requires_grad)
    if made is not None:
        return made if out is None else into_layout(made, out)
    dtype = dtype if out is None else type_of_out(out, dtype)
    return finish(blank(shape, dtype, device, 0), requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case([2, 3]), case(2, 3, dtype=dtypes.float64)],
)
def ones(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **kw: Any,
) -> Any:
    """A tensor of ones; the sizes one by one or as a tuple, the default float type unless given.

    >>> torch.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> torch.ones((2,), dtype=torch.bool)
    tensor([True, True])
    """
    if pin_memory and out is None:
        refuse_pinned("ones", pin_memory, device)
    shape = given_size("ones", size, kw)
    if layout is not None:
        in_layout("ones", layout, shape)
    dtype = dtype if out is None else type_of_out(out, dtype)
    return finish(blank(shape, dtype, device, 1), requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    undefined=True,
    samples=[case([2, 0, 3]), case(0, dtype=dtypes.int32)],
)
def empty(
    *size: Any,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
    **kw: Any,
) -> Any:
    """A tensor whose values are whatever the memory held: for what is written at once.

    Sizes and `dtype` as of `zeros`. `memory_format=torch.channels_last` (4-d) makes the channels
    the innermost dimension in memory. With `torch.use_deterministic_algorithms(True)` it is filled:
    NaN in floating types, the largest value in the others.

    >>> x = torch.empty(2, 3)
    >>> x.shape, x.dtype
    (torch.Size([2, 3]), torch.float32)
    """
    if pin_memory and out is None:
        refuse_pinned("empty", pin_memory, device)
    shape = given_size("empty", size, kw)
    made = None if layout is None else in_layout("empty", layout, shape, dtype, requires_grad)
    if made is not None:
        return made if out is None else into_layout(made, out)
    dtype = dtype if out is None else type_of_out(out, dtype)
    made = blank(shape, dtype, device, None)
    if memory_format is not None:
        if memory_format is preserve_format:
            raise RuntimeError(
                message("unsupported memory format option Preserve", wanted="a format of its own")
            )
        order = order_of(memory_format, len(shape))
        if order != "C" and made.__class__ is np.ndarray:
            made = undefined(ordered(shape, made.dtype, order))
    return finish(made, requires_grad, device, out)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    undefined=True,
    samples=[case([0, 3], [3, 1])],
)
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor of these sizes and strides (in elements), whose values are what the memory held.

    >>> x = torch.empty_strided((2, 3), (1, 2))
    >>> x.shape, x.stride()
    (torch.Size([2, 3]), (1, 2))
    """
    if pin_memory:
        refuse_pinned("empty_strided", pin_memory, device)
    if layout is not None:
        in_layout("empty_strided", layout, ())
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
            f"({len(stride)})"
        )
    n = 1 + sum((k - 1) * s for k, s in zip(size, stride, strict=True)) if 0 not in size else 0
    memory = door.wrap(blank((n,), dtype, device, None))
    t = memory.as_strided(size, stride)
    return finish(t._a, requires_grad, device)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    samples=[case(2.5), case(3, dtype=dtypes.int64)],
)
def scalar_tensor(
    s: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor without dimensions that holds a number, of the default float type unless another is
    given.

    >>> torch.scalar_tensor(3)
    tensor(3.)
    >>> torch.scalar_tensor(3, dtype=torch.int64)
    tensor(3)
    """
    if pin_memory:
        refuse_pinned("scalar_tensor", pin_memory, device)
    if layout is not None:
        in_layout("scalar_tensor", layout, ())
    return finish(blank((), dtype, device, number(s)), requires_grad)


@composite(
    public="torch",
    factory=True,
    dispatch=False,
    undefined=True,
    samples=[case([2, 0, 3], [0, 2, 1])],
)
def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A tensor without gaps whose dimensions lie in memory in the order `physical_layout`,
    outermost first; its values are what the memory held.

    >>> x = torch.empty_permuted((2, 3, 4, 5), (0, 2, 3, 1))  # channels last
    >>> x.stride()
    (60, 1, 15, 3)
    """
    if pin_memory:
        refuse_pinned("empty_permuted", pin_memory, device)
    if layout is not None:
        in_layout("empty_permuted", layout, ())
    size, order = tuple(size), tuple(physical_layout)
    if len(order) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    if len(set(order)) != len(order):
        raise RuntimeError("Duplicate dim not allowed")
    if any(not 0 <= d < len(size) for d in order):
        raise RuntimeError(
            f"Dimension out of range (expected to be between 0 and {len(size) - 1}) in "
            f"physical_layout {order}"
        )
    a = blank(tuple(size[d] for d in order), dtype, device, None)
    places = tuple(order.index(d) for d in range(len(order)))
    if a.__class__ is MetaArray:
        a = MetaArray(size, a.dtype, tuple(a.strides[p] for p in places))
    else:
        a = a.transpose(places)
    return finish(a, requires_grad)


@composite(public="torch", factory=True, dispatch=False, samples=[case([2, 3], 1.5), case([4], 7)])
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A tensor of shape `size` filled with one value.

    The dtype follows the value unless given: bool, int64, the default float or complex type.

    >>> torch.full((2, 2), 1.5)
    tensor([[1.5000, 1.5000],
            [1.5000, 1.5000]])
    >>> torch.full((2,), 7)
    tensor([7, 7])
    """
    if pin_memory and out is None:
        refuse_pinned("full", pin_memory, device)
    if isinstance(size, int):
        raise TypeError(
            "full(): argument 'size' (position 1) must be tuple of ints, not "
            f"{type(size).__name__}"
        )
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    if layout is not None:
        in_layout("full", layout, ())
    dtype = dtype if out is None else type_of_out(out, dtype)
    d = dtypes.scalar_dtype(fill_value) if dtype is None else dtypes.of(dtype)
    if dtype is None and d is dtypes.complex32:  # of a complex number and the default float16
        d = dtypes.complex64
    return finish(
        blank(sizes_of((tuple(size),)), d, device, fill_value), requires_grad, device, out
    )


def like(name: str, fill: Any, doc: str) -> Any:
    def make(
        input: Any,
        *,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        memory_format: Any = None,
        pin_memory: bool = False,
    ) -> Any:
        if pin_memory:
            refuse_pinned(name, pin_memory, device or input.device)
        if layout is not None:
            kind = input.dtype if dtype is None else dtype
            asked = "zeros" if fill == 0 else "empty" if fill is None else "ones"
            made = in_layout(asked, layout, tuple(input._a.shape), kind, requires_grad)
            if made is not None:
                return made
        return finish(blank_like(input, dtype, device, fill, memory_format), requires_grad, device)

    make.__name__ = name
    make.__doc__ = doc
    return composite(
        make,
        public="torch",
        factory=True,
        samples=[case((2, 3)), case((0, 3), dtype=dtypes.int32)],
        undefined=fill is None,
    )


def blank_like(t: Any, dtype: Any, device: Any, fill: Any, memory_format: Any = None) -> Any:
    """An array of a tensor's shape, and of its strides when it is dense."""
    d = t._a.dtype if dtype is None else dtypes.of(dtype).np
    meta = t._a.__class__ is MetaArray
    if meta if device is None else usable(device) is META:
        shape, order = t._a.shape, order_of(memory_format, t._a.ndim)
        if order == "channels_last":
            return MetaArray(shape, d, channels_last_strides(shape, np.dtype(d).itemsize))
        return MetaArray(shape, d)
    if meta:
        return blank(t._a.shape, t.dtype if dtype is None else dtype, device, fill)
    kw = {"dtype": d, "order": order_of(memory_format, t._a.ndim), "fill": fill}
    return door.perform(_like, (door.memory(t._a),), kw)


@step()
def _like(a: Any, *, dtype: Any, order: Any, fill: Any) -> Any:
    """An array of another one's shape, in its memory order or another ("K", "C",
    "channels_last"), of one value unless that is None."""
    made = dense.empty_like(a, dtype) if order == "K" else ordered(a.shape, dtype, order)
    if fill is None:
        return undefined(made)
    made.fill(fill if fits_plainly(fill, made.dtype) else stored(fill, made.dtype))
    return made


LIKE = """{0} in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where
    it has no gaps.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> {1}
    """
zeros_like = like(
    "zeros_like",
    0,
    LIKE.format(
        "Zeros",
        "torch.zeros_like(x)\n    tensor([[0, 0],\n            [0, 0]])",
    ),
)
ones_like = like(
    "ones_like",
    1,
    LIKE.format(
        "Ones",
        "torch.ones_like(x, dtype=torch.float32)\n    tensor([[1., 1.],\n            [1., 1.]])",
    ),
)
empty_like = like(
    "empty_like",
    None,
    LIKE.format(
        "Values that are whatever the memory held,",
        "torch.empty_like(x).shape\n    torch.Size([2, 2])",
    ),
)


@composite(
    public="torch",
    factory=True,
    samples=[case((2, 3), 1.5), case(ints((2, 3)), 4, dtype=dtypes.float32)],
)
def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Any:
    """A tensor filled with `fill_value`, in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where it
    has no gaps.

    >>> x = torch.zeros(2)
    >>> torch.full_like(x, 3)
    tensor([3., 3.])
    >>> torch.full_like(x, 3, dtype=torch.int64)
    tensor([3, 3])
    """
    if pin_memory:
        refuse_pinned("full_like", pin_memory, device or input.device)
    if isinstance(fill_value, TensorBase):
        fill_value = fill_value.item()  # type: ignore[attr-defined]
    if layout is not None:
        in_layout("full_like", layout, ())
    return finish(
        blank_like(input, dtype, device, fill_value, memory_format), requires_grad, device
    )


@composite(public="torch", factory=True, dispatch=False, samples=[case(3), case(2, 4)])
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """The identity matrix (n, n); with `m` a matrix (n, m) with ones on the diagonal.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    >>> torch.eye(2, 3, dtype=torch.int64)
    tensor([[1, 0, 0],
            [0, 1, 0]])
    """
    if pin_memory and out is None:
        refuse_pinned("eye", pin_memory, device)
    if layout is not None:
        in_layout("eye", layout, ())
    dtype = dtype if out is None else type_of_out(out, dtype)
    d = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
    for name, value in (("n", n), ("m", m)):
        if isinstance(value, float):
            raise TypeError(f"eye(): argument '{name}' must be int, not float")
    if n < 0 or (m is not None and m < 0):
        raise RuntimeError(
            f"{'n' if n < 0 else 'm'} must be greater or equal to 0, got {n if n < 0 else m}"
        )
    if usable(device) is META:
        return finish(MetaArray((n, n if m is None else m), d.np), requires_grad)
    kw = {"n": n, "m": m, "dtype": d.np}
    return finish(door.perform(sequences.eye, (), kw), requires_grad, device, out)
