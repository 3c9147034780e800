"""Methods of Tensor that stand alone: apply_, map_, the buffer protocol, names kept from older
programs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import views
from ...autograd.node import TensorBase
from ...errors import message
from .composite import composite


def each(input: Any, name: str, fn: Any, *others: Any) -> Any:
    """Write fn(element, ...) to every element, one after the other."""
    if input._fn is not None:
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    views.check_inplace(input, name)
    a = input._a
    sources = [np.broadcast_to(t._a, a.shape) for t in others]
    for place in np.ndindex(a.shape):
        a[place] = fn(a[place].item(), *[s[place].item() for s in sources])
    input._bump(name)
    return input


@composite(public="Tensor", name="apply_")
def apply_(input: Any, callable: Any) -> Any:
    """Replace each element by callable(element), in place; a Python call an element, so not for
    speed.
    """
    return each(input, "apply_", callable)


@composite(public="Tensor", name="map_")
def map_(input: Any, tensor: Any, callable: Any) -> Any:
    """Replace each element by callable(element, element of `tensor`), in place."""
    return each(input, "map_", callable, tensor)


@composite(public="Tensor", name="map2_")
def map2_(input: Any, x: Any, y: Any, callable: Any) -> Any:
    """Replace each element by callable(element, element of x, element of y), in place."""
    return each(input, "map2_", callable, x, y)


@composite(public="Tensor", name="__buffer__", dispatch=False)
def buffer(input: Any, flags: int) -> memoryview:
    """The memory for `memoryview(tensor)` and its like, from Python 3.12 on."""
    return memoryview(input.numpy())


@composite(public="Tensor", name="__reversed__", dispatch=False)
def reversed_(input: Any) -> Any:
    """A copy with the order of all dimensions reversed."""
    return input.flip(tuple(range(input._a.ndim))) if input._a.ndim else input


@composite(public="Tensor")
def record_stream(input: Any, stream: Any) -> None:
    """Nothing: there are no streams on a CPU."""


@composite(public="Tensor")
def dim_order(input: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost."""
    strides = input.stride()
    return tuple(sorted(range(len(strides)), key=lambda d: -strides[d]))


@composite(public="Tensor")
def const_data_ptr(input: Any) -> int:
    """Address of the first element."""
    return int(input.data_ptr())


def sparse_error(name: str) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        raise NotImplementedError(
            message(
                f"{name}: sparse tensors are not part of Rushlight",
                hint="the dense tensor itself; scatter_add and index_add gather values by index",
            )
        )

    fn.__name__ = name
    fn.__doc__ = "Raises: there are no sparse tensors here."
    return composite(fn, public="Tensor", name=name)


for _name in (
    "coalesce",
    "indices",
    "values",
    "crow_indices",
    "col_indices",
    "ccol_indices",
    "row_indices",
    "sparse_mask",
    "sparse_resize_",
    "sparse_resize_and_clear_",
    "to_sparse",
    "to_sparse_coo",
    "to_sparse_csr",
    "to_sparse_csc",
    "to_sparse_bsr",
    "to_sparse_bsc",
):
    sparse_error(_name)


@composite(public="Tensor")
def is_coalesced(input: Any) -> bool:
    """Raises for a dense tensor, as in PyTorch."""
    raise RuntimeError("is_coalesced expected sparse coordinate tensor layout but got Strided")


@composite(public="Tensor")
def to_dense(input: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """The tensor itself, which is dense."""
    return input if dtype is None else input.to(dtype)


@composite(public="Tensor")
def sparse_dim(input: Any) -> int:
    """0: no dimension is sparse."""
    return 0


@composite(public="Tensor")
def dense_dim(input: Any) -> int:
    """All dimensions are dense."""
    return int(input._a.ndim)


@composite(public="Tensor")
def to_padded_tensor(input: Any, padding: float, output_size: Any = None) -> Any:
    """Raises: there are no nested tensors here."""
    raise NotImplementedError("to_padded_tensor: nested tensors are not part of Rushlight")


# -- functions that PyTorch also has as methods, and older names
# ------------------------------------


def function_of(name: str) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        return getattr(input, name)(*args, **kw)

    fn.__name__ = name
    fn.__doc__ = f"`Tensor.{name}` as a function."
    return composite(fn, public="torch", name=name)


for _name in ("detach", "detach_", "fill_", "resize_as_"):
    function_of(_name)


@composite(public="torch", dispatch=False)
def typename(obj: Any) -> str:
    """The name of a tensor's legacy type, or of an object's class with its module."""
    if isinstance(obj, TensorBase):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    module = kind.__module__
    return (
        kind.__qualname__
        if module in ("builtins", "__builtin__", None)
        else f"{module}.{kind.__qualname__}"
    )


@composite(public="torch", dispatch=False)
def is_storage(obj: Any) -> bool:
    """Whether `obj` is the storage of a tensor."""
    from ...storage import UntypedStorage

    return isinstance(obj, UntypedStorage)


@composite(public="torch", dispatch=False)
def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a legacy type name ("torch.DoubleTensor")."""
    from ...tensor_storage import legacy_type

    dtypes.set_default_dtype(legacy_type(t))


def sparse_factory(name: str) -> Any:
    def fn(*args: Any, **kw: Any) -> Any:
        raise NotImplementedError(
            message(
                f"{name}: sparse tensors are not part of Rushlight",
                hint="a dense tensor; index_put_ places values",
            )
        )

    fn.__name__ = name
    fn.__doc__ = "Raises: there are no sparse tensors here."
    return composite(fn, public="torch", name=name, dispatch=False)


for _name in (
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sparse_csc_tensor",
    "sparse_bsr_tensor",
    "sparse_bsc_tensor",
):
    sparse_factory(_name)


@composite(public="torch", aliases="spmm dsmm")
def smm(input: Any, mat: Any) -> Any:
    """The matrix product (both dense here)."""
    return input @ mat
