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
    views.check_inplace(input, name)
    a = input._a
    sources = [np.broadcast_to(t._a, a.shape) for t in others]
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
    """Replace each element by callable(element), in place; a Python call an element, so not for
    speed.
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
    """Replace each element by callable(element, element of `other`), in place."""
    return each(input, "map_", callable, other)


@composite(
    public="Tensor",
    name="map2_",
    data_dependent=True,
    smooth=False,
    samples=[case((2, 3), (3,), (2, 1), lambda x, y, z: x + y * z)],
)
def map2_(input: Any, x: Any, y: Any, callable: Any) -> Any:
    """Replace each element by callable(element, element of x, element of y), in place."""
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
    """The memory for `memoryview(tensor)` and its like, from Python 3.12 on."""
    return memoryview(input.numpy())


@composite(public="Tensor", name="__reversed__", dispatch=False, samples=[case((2, 3)), case(())])
def reversed_(input: Any) -> Any:
    """A copy with the first dimension the other way round, as Python reverses any sequence."""
    return input.flip(0) if input._a.ndim else input


@composite(public="Tensor", samples=[case((2, 3), None)])
def record_stream(input: Any, stream: Any) -> None:
    """Nothing: there are no streams on a CPU."""


@composite(public="Tensor", layout=True, samples=[case((2, 3, 4))])
def dim_order(input: Any, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost.

    Args:
        ambiguity_check: True: RuntimeError where another order fits the strides as well, as it does
            where a dimension has one element. A list of memory formats: where more than one of
            them, or none, fits.
    """
    strides = input.stride()
    if isinstance(ambiguity_check, list):
        if not all(f.__class__.__name__ == "memory_format" for f in ambiguity_check):
            raise TypeError(
                "The ambiguity_check argument must be a bool or a list of memory formats."
            )
        fits = sum(input.is_contiguous(memory_format=f) for f in ambiguity_check)
        ambiguous = fits != 1
    elif isinstance(ambiguity_check, bool):
        shape = input.shape
        ambiguous = ambiguity_check and (
            0 in shape or any(n == 1 for n in shape) or len(set(strides)) < len(strides)
        )
    else:
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if ambiguous:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given "
            "memory formats."
        )
    return tuple(sorted(range(len(strides)), key=lambda d: -strides[d]))


@composite(public="Tensor", layout=True, random=True, samples=[case((2, 3))])
def const_data_ptr(input: Any) -> int:
    """Address of the first element."""
    return int(input.data_ptr())


def expects(name: str, wanted: str) -> Any:
    """A method of sparse tensors, on a dense one."""

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        raise RuntimeError(f"{name} expected {wanted} tensor layout but got Strided")

    fn.__name__ = name
    fn.__doc__ = "Of sparse tensors (`rushlight/sparse`); raises for a dense one."
    return composite(
        fn, public="Tensor", name=name, samples=[error(RuntimeError, "but got Strided", (2, 3))]
    )


for _name, _wanted in (
    ("coalesce", "sparse coordinate"),
    ("is_coalesced", "sparse coordinate"),
    ("indices", "sparse coordinate"),
    ("_indices", "sparse coordinate"),
    ("_values", "sparse"),
    ("values", "sparse"),
    ("crow_indices", "sparse row compressed"),
    ("col_indices", "sparse row compressed"),
    ("ccol_indices", "sparse column compressed"),
    ("row_indices", "sparse column compressed"),
):
    expects(_name, _wanted)


def sparse_alone(name: str) -> Any:
    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. It is for sparse "
            "tensors."
        )

    fn.__name__ = name
    fn.__doc__ = "Of sparse tensors (`rushlight/sparse`); raises for a dense one."
    samples = [error(NotImplementedError, "Could not run", (2, 3))]
    return composite(fn, public="Tensor", name=name, samples=samples)


for _name in (
    "_nnz",
    "_dimI",
    "_dimV",
    "_coalesced_",
    "sparse_resize_",
    "sparse_resize_and_clear_",
    "resize_as_sparse_",
):
    sparse_alone(_name)


def conversion(name: str, *wrong: Any) -> Any:
    """A method that makes a sparse tensor of a dense one."""

    def fn(input: Any, *args: Any, **kw: Any) -> Any:
        from ...sparse import conversions

        return getattr(conversions, name)(input, *args, **kw)

    fn.__name__ = name
    fn.__doc__ = "A sparse tensor of the elements that are not zero (`rushlight/sparse`)."
    return composite(fn, public="Tensor", name=name, data_dependent=True, samples=wrong)


# What comes out is looked at in tests/sparse: the generated tests know arrays alone.
conversion("to_sparse", error(RuntimeError, "dense_to_sparse: sparse_dim argument", (2, 3), 3))
conversion("to_sparse_coo", error(TypeError, "positional argument", (2, 3), 3))
conversion("to_sparse_csr", error(IndexError, "Dimension out of range", (2,)))
conversion("to_sparse_csc", error(IndexError, "Dimension out of range", (2,)))
conversion("to_sparse_bsr", error(RuntimeError, "must be divisible by", (2, 3), [2, 2]))
conversion("to_sparse_bsc", error(RuntimeError, "must be divisible by", (2, 3), [2, 2]))


@composite(
    public="Tensor",
    samples=[error(NotImplementedError, "Could not run 'aten::sparse_mask'", (2, 3), (2, 3))],
)
def sparse_mask(input: Any, mask: Any) -> Any:
    """The elements at the places of a sparse tensor; raises where `mask` is dense."""
    raise NotImplementedError(
        "Could not run 'aten::sparse_mask' with arguments from the 'CPU' backend. The mask is a "
        "sparse tensor."
    )


@composite(public="Tensor", samples=[case((2, 3)), case((2, 3), dtypes.float32)])
def to_dense(input: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """The tensor itself, which is dense."""
    return input if dtype is None else input.to(dtype)


@composite(public="Tensor", samples=[case((2, 3))])
def sparse_dim(input: Any) -> int:
    """0: no dimension is sparse."""
    return 0


@composite(public="Tensor", samples=[case((2, 3))])
def dense_dim(input: Any) -> int:
    """All dimensions are dense."""
    return int(input._a.ndim)


@composite(public="Tensor", samples=[error(NotImplementedError, "nested", (2, 3), 0.0)])
def to_padded_tensor(input: Any, padding: float, output_size: Any = None) -> Any:
    """Raises: there are no nested tensors here."""
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


@composite(public="torch", dispatch=False, samples=[case((2, 3)), case(1)])
def is_storage(obj: Any) -> bool:
    """Whether `obj` is the storage of a tensor."""
    from ...storage import StorageBase

    return isinstance(obj, StorageBase)


@composite(public="torch", dispatch=False, samples=[case("torch.FloatTensor")])
def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a legacy type name ("torch.DoubleTensor")."""
    from ...tensor_storage import legacy_type

    dtypes.set_default_dtype(legacy_type(t))


def sparse_factory(name: str, *samples: Any, module: str = "compressed") -> Any:
    def fn(*args: Any, **kw: Any) -> Any:
        from ...sparse import compressed, create

        return getattr(create if module == "create" else compressed, name)(*args, **kw)

    fn.__name__ = name
    fn.__doc__ = f"A sparse tensor of indices and values (`rushlight/sparse/{module}.py`)."
    return composite(
        fn, public="torch", name=name, dispatch=False, data_dependent=True, samples=samples
    )


sparse_factory(
    "sparse_coo_tensor", error(RuntimeError, "size is 1", [[0, 1]], [1.0, 2.0], [1]),
    module="create",
)  # fmt: skip
sparse_factory("sparse_csr_tensor", error(RuntimeError, "col_indices", [0, 1], [2], [1.0], [1, 2]))
sparse_factory("sparse_csc_tensor", error(RuntimeError, "row_indices", [0, 1], [2], [1.0], [2, 1]))
sparse_factory(
    "sparse_bsr_tensor", error(RuntimeError, "block dimensionalities", [0, 1], [0], [1.0])
)
sparse_factory(
    "sparse_bsc_tensor", error(RuntimeError, "block dimensionalities", [0, 1], [0], [1.0])
)
sparse_factory(
    "sparse_compressed_tensor",
    error(RuntimeError, "expected sparse compressed", [0, 1], [0], [1.0]),
)


def dense_product(name: str, public: str) -> Any:
    def fn(input: Any, mat2: Any) -> Any:
        raise NotImplementedError(
            f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. One operand is a "
            "sparse tensor."
        )

    fn.__name__ = name
    fn.__doc__ = "A product with a sparse matrix (`rushlight/sparse`)."
    samples = [error(NotImplementedError, "Could not run", (2, 3), (3, 4))]
    words = {"mat1": "input"}
    return composite(fn, public=public, name=name, words=words, samples=samples)


dense_product("smm", "torch Tensor")
dense_product("hspmm", "torch")


@composite(
    public="torch Tensor",
    samples=[error(NotImplementedError, "Could not run", (2, 4), (2, 3), (3, 4))],
)
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A product with a sparse matrix, added to one (`rushlight/sparse`)."""
    raise NotImplementedError(
        "Could not run 'aten::sspaddmm' with arguments from the 'CPU' backend. It is for sparse "
        "tensors."
    )


@composite(public="torch", aliases="dsmm", samples=[case((2, 3), (3, 4))])
def spmm(input: Any, mat2: Any) -> Any:
    """The matrix product, of which an operand may be sparse."""
    for name, x in (("self", input), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(
                message(f"{name} must be a matrix", f"shape {tuple(x.shape)}", hint="matmul")
            )
    return input @ mat2
