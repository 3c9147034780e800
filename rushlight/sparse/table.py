"""Which public functions take sparse tensors, by name; every other one refuses them.

`torch.mm`, `Tensor.mm` and `a.mm_` ask the classes of their operands first, as for any subclass of
Tensor (`ops/core/overrides.py`), and `SparseTensor` answers with `call`.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import dtypes, layout
from ..autograd import door, function_node
from ..autograd.node import LEAF, Cut, TensorBase
from ..errors import message
from ..kernels.sparse.arrays import Compressed, Coo
from ..layout import preserve_format
from . import arithmetic, compressed, conversions, create, products, reduce, shape
from .core import (
    COMPRESSED,
    NAMES,
    coalesce,
    dense,
    is_sparse,
    layout_of,
    like,
    recorded,
    refuse,
    values_of,
    wrap,
)


def call(fn: Any, args: Any, kw: dict[str, Any]) -> Any:
    """Carry out a public function on operands of which one is sparse."""
    name = getattr(fn, "__name__", str(fn))
    found = FUNCTIONS.get(name)
    if kw:
        args, kw = placed(fn, found or FUNCTIONS.get(name[:-1]), args, kw)
    if found is None and name.endswith("_") and not name.startswith("_"):
        base = FUNCTIONS.get(name[:-1])
        if base is not None and name[:-1] in INPLACE:
            if name[:-1] in arithmetic.ORDERED and is_sparse(args[0]):
                arithmetic.check_coalesced(name, args[0])
            return in_place(name, base, args, kw)
    if found is None:
        refuse(name.strip("_"), *[a for a in (*args, *kw.values()) if isinstance(a, TensorBase)],
               *[b for a in args if isinstance(a, (list, tuple)) for b in a])  # fmt: skip
    out = kw.get("out")
    if out is not None:
        kw = {k: v for k, v in kw.items() if k != "out"}
        return assign(out, found(*args, **kw), name)
    return named(name, found(*args, **kw), args)


def placed(fn: Any, found: Any, args: Any, kw: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A call whose operands that were given by PyTorch's names stand in their places, where the
    function has other names for them."""
    own = getattr(found, "__code__", None)
    if own is None:
        return args, kw
    taken = own.co_varnames[: own.co_argcount + own.co_kwonlyargcount]
    op = getattr(fn, "op", None)
    if op is not None:
        names = op.inputs
    else:
        inner = inspect.unwrap(fn)
        if not hasattr(inner, "__code__"):
            return args, kw
        names = inner.__code__.co_varnames[: inner.__code__.co_argcount]
    args, kw = list(args), dict(kw)
    for k in names[len(args) :]:
        if k not in kw or k in taken:
            break
        args.append(kw.pop(k))
    return tuple(args), kw


# Operators whose results carry the node of a function of `core.py`.
RENAMED = ("SparseCooTensorWithDimsAndTensorsBackward0", "ValuesBackward0")


def named(name: str, y: Any, args: Any) -> Any:
    """A result whose node has the operation's name, as PyTorch's has."""
    node = y._fn if isinstance(y, TensorBase) else None
    if (
        node is not None
        and type(node).__name__ in RENAMED
        and name not in ("values", "indices", "sparse_coo_tensor")
        and not any(isinstance(a, TensorBase) and a._fn is node for a in args)
    ):
        words = NODE_NAMES.get(name, name).strip("_").split("_")
        name = "".join(w.capitalize() for w in words) + "Backward0"
        node.__class__ = function_node.node_class(name)
    return y


NODE_NAMES = {"subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
              "negative": "neg", "to": "to_copy", "matmul": "mm"}  # fmt: skip


def in_place(name: str, base: Any, args: Any, kw: dict[str, Any]) -> Any:
    """The form with an underscore."""
    target = args[0]
    if not is_sparse(target):
        if name in ("add_", "sub_"):
            source = args[1]
            if tuple(source.shape) != tuple(target.shape):
                base(*args, **kw)
            others = [dense(source)]
            return getattr(target, name)(*others, **kw)
        times = name in ("mul_", "multiply_")
        if times and args[1]._a.__class__ is not Coo:
            raise RuntimeError(
                message(
                    "Expected result Tensor to be of format CSR",
                    got="a dense tensor, multiplied in place by a compressed one",
                    hint="x.mul_(other.to_dense())",
                )
            )
        if not times and name not in ("addmm_", "addmv_"):
            refuse(name, *args)
        check_leaf(target)
        return assign(target, base(*args, **kw), name)
    check_leaf(target)
    return assign(target, base(*args, **kw), name)


def check_leaf(t: Any) -> None:
    if t._fn is LEAF and door.state.enabled:
        raise RuntimeError(
            message(
                "a leaf Variable that requires grad is being used in an in-place operation.",
                hint="with torch.no_grad(): ...",
            )
        )


def assign(target: Any, result: Any, name: str) -> Any:
    """Put a result into a tensor that is there."""
    if not is_sparse(target):
        return target.copy_(dense(result) if is_sparse(result) else result)
    if not is_sparse(result) and name == "factory" and not result._a.any():
        return shape.cleared(target, result.shape, result.ndim, 0)  # torch.zeros(..., out=sparse)
    if not is_sparse(result):
        raise RuntimeError(f"{name}: the result is dense, but the tensor to write to is sparse")
    before, after = dtypes.from_numpy(target._a.dtype), dtypes.from_numpy(result._a.dtype)
    if before is not after:
        if not dtypes.can_cast(after, before):
            raise RuntimeError(
                f"result type {dtypes_name(after)} can't be cast to the desired output type "
                f"{dtypes_name(before)}"
            )
        result = result.to(before)
    target._a = result._a
    if result._fn is not None:
        target._fn = result._fn
    if target._vc is not None:
        target._vc.bump(name)
    return target


def dtypes_name(d: Any) -> str:
    from ..dtypes import type_name

    return str(type_name(d))


# -- what it is ----------------------------------------------------------------------------------


def expected(name: str, wanted: str, t: Any) -> None:
    raise RuntimeError(f"{name} expected {wanted} tensor layout but got {NAMES[layout_of(t._a)]}")


def coo_only(name: str, fn: Any) -> Any:
    def checked(t: Any, *args: Any, **kw: Any) -> Any:
        if t._a.__class__ is not Coo:
            expected(name, "sparse coordinate", t)
        return fn(t, *args, **kw)

    return checked


def coo_alone(name: str, field: str) -> Any:
    def part(t: Any) -> Any:
        if t._a.__class__ is not Coo:
            refuse(name, t)
        return door.wrap(getattr(t._a, field))

    return part


def indices(t: Any) -> Any:
    """(sparse dimensions, n) coordinates of a coalesced tensor."""
    if not t._a.coalesced:
        raise RuntimeError(
            "Cannot get indices on an uncoalesced tensor, please call .coalesce() first"
        )
    return door.wrap(t._a.indices)


def values(t: Any) -> Any:
    """The stored values."""
    if t._a.__class__ is Coo and not t._a.coalesced:
        raise RuntimeError(
            "Cannot get values on an uncoalesced tensor, please call .coalesce() first"
        )
    return values_of(t)


def compressed_part(name: str, by_row: bool, field: str) -> Any:
    def part(t: Any) -> Any:
        a = t._a
        if a.__class__ is not Compressed or a.by_row is not by_row:
            kind = "row" if by_row else "column"
            raise RuntimeError(
                f"{name} expected sparse {kind} compressed tensor layout but got "
                f"{NAMES[layout_of(a)]}"
            )
        return door.wrap(getattr(a, field))

    return part


def sparse_dim(t: Any) -> int:
    return t._a.sparse_dim if t._a.__class__ is Coo else 2


def dense_dim(t: Any) -> int:
    return int(t._a.dense_dim)


def set_coalesced(t: Any, value: bool) -> Any:
    a = t._a
    t._a = Coo(a.indices, a.values, a.shape, bool(value))
    return t


# -- copies and types ----------------------------------------------------------------------------


def to_dense(t: Any, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """All elements."""
    made = dense(t, masked_grad is not False) if is_sparse(t) else t
    return made if dtype is None else made.to(dtype)


def clone(t: Any, *, memory_format: Any = None) -> Any:
    """A copy with a history."""
    return recorded("CloneBackward0", wrap(t._a.copy()), (t,), lambda g: g)


def detach(t: Any) -> Any:
    """The same memory, without history."""
    made = wrap(t._a)
    if t._fn is not None:
        made._x = Cut("detach")
    return made


def detach_(t: Any) -> Any:
    t._fn = None
    return t


def to(t: Any, *args: Any, copy: bool = False, dtype: Any = None, device: Any = None,
       **kw: Any) -> Any:  # fmt: skip
    """Another type; the device is the CPU."""
    kw.pop("non_blocking", None), kw.pop("memory_format", None)
    for i, x in enumerate(args):
        if isinstance(x, dtypes.dtype):
            dtype = x
        elif isinstance(x, TensorBase):
            dtype = x.dtype
        elif isinstance(x, bool) and i == len(args) - 1:
            copy = copy or (i >= 2 and x)
        elif x is not None and not isinstance(x, bool):
            device = x
    if kw.get("other") is not None:
        dtype = kw["other"].dtype
    create.no_meta(device)
    if dtype is None or dtype is t.dtype:
        return clone(t) if copy else t
    values = values_of(t).to(dtype)
    if values._fn is None:
        return wrap(t._a.with_values(values._a))
    return recorded("ToCopyBackward0", wrap(t._a.with_values(values._a)), (t,), lambda g: g)


def cast(kind: Any) -> Any:
    return lambda t, **kw: to(t, kind)


def contiguous(t: Any, memory_format: Any = None) -> Any:
    raise RuntimeError("unsupported memory format option Contiguous")


def no_memory_format(memory_format: Any) -> None:
    """Raise PyTorch's error about coordinates, which lie in one way."""
    if memory_format is not None:
        raise RuntimeError("memory format option is only supported by strided tensors")


def zeros_like(t: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
               requires_grad: bool = False, **kw: Any) -> Any:  # fmt: skip
    """Zeros of the same shape, none of them stored; dense with layout=torch.strided."""
    from ..ops.create.factories import zeros

    create.no_meta(device)
    dtype, a = dtype or t.dtype, t._a
    kind = layout or layout_of(a)
    if kind is STRIDED:
        made = zeros(tuple(t.shape), dtype=dtype)
        order = kw.get("memory_format")
        if order not in (None, preserve_format):
            made = made.contiguous(memory_format=order)
        return made._require_grad() if requires_grad else made
    if kind is COO:
        no_memory_format(kw.get("memory_format"))
        made = create.empty_coo(a.shape, dtype.np, dense_dim(t))
    elif a.__class__ is Compressed and COMPRESSED[kind][1] == a.blocked:
        form = {**a.form, "by_row": COMPRESSED[kind][0]}
        made = compressed.zeros(a.shape, dtype.np, **form)
    else:
        made = compressed.empty("zeros", a.shape, dtype.np, kind)
    return made._require_grad() if requires_grad else made


def filled_like(name: str) -> Any:
    """`ones_like` and its like: other values at the places of a compressed tensor."""

    def make(t: Any, *args: Any, dtype: Any = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
             **kw: Any) -> Any:  # fmt: skip
        create.no_meta(device)
        kind = layout or layout_of(t._a)
        if kind is not STRIDED and (kind is COO or memory_format is not preserve_format):
            no_memory_format(memory_format)
        if t._a.__class__ is Coo or kind is not layout_of(t._a):
            if name == "empty_like":
                return zeros_like(t, dtype=dtype, layout=kind, requires_grad=requires_grad,
                                  memory_format=memory_format)  # fmt: skip
            if kind is not STRIDED:
                refuse(name, t)
        held = door.wrap(t._a.values if kind is not STRIDED else np.empty(t._a.shape, t._a.dtype))
        held = like_factory(name)(held, *args, dtype=dtype, **kw)
        made = held if kind is STRIDED else wrap(t._a.with_values(held._a))
        return made._require_grad() if requires_grad else made

    return make


def like_factory(name: str) -> Any:
    from ..ops.create import factories
    from ..ops.random import factories as drawing

    return getattr(drawing if name.startswith("rand") else factories, name)


def fill_(t: Any, value: Any) -> Any:
    """One number at all places of a compressed tensor."""
    if t._a.__class__ is Coo:
        refuse("fill_", t)
    check_leaf(t)
    return assign(t, like(t._a, like_factory("full_like")(values_of(t), value)), "fill_")


STRIDED, COO = layout.strided, layout.sparse_coo


def new_filled(name: str) -> Any:
    def make(t: Any, *size: Any, dtype: Any = None, layout: Any = None, requires_grad: bool = False,
             **kw: Any) -> Any:  # fmt: skip
        from ..ops.create import arguments

        shape = arguments.sizes_of(size) if size else create.sizes(kw["size"])
        return create.filled(
            name, shape, dtype or t.dtype, layout or layout_of(t._a), requires_grad
        )

    return make


def zero_(t: Any) -> Any:
    """No values are left."""
    check_leaf(t)
    a = t._a
    if a.__class__ is Compressed:
        t._a = compressed.zeros(a.shape, a.dtype, **a.form)._a
        return t
    return shape.cleared(t, a.shape, a.sparse_dim, a.ndim - a.sparse_dim)


def copy_(t: Any, source: Any, non_blocking: bool = False) -> Any:
    """The values and places of another sparse tensor."""
    if not is_sparse(t) or not is_sparse(source):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found "
                           f"self type = {t.type()} and src type = {source.type()}")  # fmt: skip
    check_leaf(t)
    if tuple(t.shape) != tuple(source.shape):
        arithmetic.same_sizes("copy_", t, source)
    if layout_of(t._a) is not layout_of(source._a):
        refuse("copy_", t, source)
    made = clone(source).to(t.dtype)
    t._a, t._fn = made._a, (made._fn if made._fn is not None else t._fn)
    return t


def resize_as_sparse_(t: Any, other: Any) -> Any:
    return shape.resized(t, other.shape, other.sparse_dim(), other.dense_dim())


def resize_as_(t: Any, other: Any, memory_format: Any = None) -> Any:
    """The sizes of another sparse tensor; the values stay where they are."""
    if t._a.__class__ is not Coo or not is_sparse(other) or other._a.__class__ is not Coo:
        refuse("resize_", t)
    if memory_format not in (None, preserve_format):
        name = str(memory_format).removeprefix("torch.").removesuffix("_format").title()
        raise RuntimeError(f"Unsupported memory format for sparse tensor resize_as_ :{name}")
    return resize_as_sparse_(t, other)


def is_same_size(t: Any, other: Any) -> bool:
    return tuple(t.shape) == tuple(other.shape)


def softmax(t: Any, *args: Any, **kw: Any) -> Any:
    refuse("_softmax", t)


def share(t: Any) -> Any:
    return t


def _nnz(t: Any) -> int:
    return int(t._a.nnz)


FUNCTIONS: dict[str, Any] = {
    # what it is
    "coalesce": coo_only("coalesce", coalesce),
    "is_coalesced": coo_only("is_coalesced", lambda t: t._a.coalesced),
    "indices": coo_only("indices", indices),
    "_indices": coo_alone("_indices", "indices"),
    "values": values,
    "_values": coo_alone("_values", "values"),
    "crow_indices": compressed_part("crow_indices", True, "pointers"),
    "col_indices": compressed_part("col_indices", True, "others"),
    "ccol_indices": compressed_part("ccol_indices", False, "pointers"),
    "row_indices": compressed_part("row_indices", False, "others"),
    "_coalesced_": coo_only("_coalesced_", set_coalesced),
    "_nnz": _nnz,
    "sparse_dim": sparse_dim,
    "dense_dim": dense_dim,
    "_dimI": sparse_dim,
    "_dimV": dense_dim,
    "is_same_size": is_same_size,
    "typename": lambda t: t.type(),
    "numel": lambda t: t._a.size,
    "is_complex": lambda t: t._a.dtype.kind in "cW",
    "is_floating_point": lambda t: t._a.dtype.kind in "fV",
    "is_nonzero": lambda t: bool(t),
    "is_conj": lambda t: False,
    "is_neg": lambda t: False,
    "result_type": lambda *ts: dtypes.promote_types(*[t.dtype for t in ts]),
    "get_device": lambda t: -1,
    # copies and types
    "to_dense": to_dense,
    "clone": clone,
    "detach": detach,
    "detach_": detach_,
    "alias": detach,
    "to": to,
    "cpu": lambda t, **kw: t,
    "type_as": lambda t, other: to(t, other.dtype),
    "contiguous": contiguous,
    "zeros_like": zeros_like,
    **{
        name: filled_like(name)
        for name in (
            "empty_like",
            "ones_like",
            "full_like",
            "rand_like",
            "randn_like",
            "randint_like",
        )
    },
    "fill_": fill_,
    "new_zeros": new_filled("zeros"),
    "new_empty": new_filled("empty"),
    "zero_": zero_,
    "copy_": copy_,
    "resolve_conj": share,
    "resolve_neg": share,
    # conversions
    "to_sparse": conversions.to_sparse,
    "to_sparse_coo": conversions.to_sparse_coo,
    "to_sparse_csr": conversions.to_sparse_csr,
    "to_sparse_csc": conversions.to_sparse_csc,
    "to_sparse_bsr": conversions.to_sparse_bsr,
    "to_sparse_bsc": conversions.to_sparse_bsc,
    "sparse_mask": create.sparse_mask,
    "sparse_resize_": shape.resized,
    "sparse_resize_and_clear_": shape.cleared,
    "resize_as_": resize_as_,
    "resize_as_sparse_": resize_as_sparse_,
    "sparse_coo_tensor": create.sparse_coo_tensor,
    **{
        f"sparse_{kind}_tensor": getattr(compressed, f"sparse_{kind}_tensor")
        for kind in ("csr", "csc", "bsr", "bsc", "compressed")
    },
    # arithmetic
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "subtract": arithmetic.sub,
    "rsub": arithmetic.rsub,
    "mul": arithmetic.mul,
    "multiply": arithmetic.mul,
    "div": arithmetic.div,
    "divide": arithmetic.div,
    "true_divide": arithmetic.div,
    "floor_divide": arithmetic.floor_divide,
    "pow": arithmetic.pow_,
    "neg": arithmetic.neg,
    "negative": arithmetic.neg,
    "positive": arithmetic.positive,
    "norm": arithmetic.norm,
    "any": arithmetic.any_,
    **{name: arithmetic.unary(name) for name in arithmetic.UNARY},
    # products
    "mm": products.mm,
    "matmul": products.matmul,
    "mv": products.mv,
    "bmm": products.bmm,
    "addmm": products.addmm,
    "addmv": products.addmv,
    "linear": products.linear,
    "smm": products.smm,
    "hspmm": products.hspmm,
    "sspaddmm": products.sspaddmm,
    "saddmm": products.sspaddmm,
    "spmm": products.mm,
    "dsmm": products.mm,
    # reductions
    "sum": reduce.sum_,
    "softmax": softmax,
    "log_softmax": softmax,
    # shapes
    "t": shape.t,
    "transpose": shape.transpose,
    "swapaxes": shape.transpose,
    "swapdims": shape.transpose,
    "permute": shape.permute,
    "index_select": shape.index_select,
    "select": shape.select,
    "narrow_copy": shape.narrow_copy,
    "unsqueeze": shape.unsqueeze,
    "squeeze": shape.squeeze,
    "reshape": shape.reshape,
    "flatten": shape.reshape,
    "_sparse_broadcast_to": shape.broadcast_to,
    "cat": shape.cat,
    "concat": shape.cat,
    "concatenate": shape.cat,
    "stack": shape.stack,
    "__getitem__": shape.getitem,
    # operators
    "__add__": arithmetic.add,
    "__radd__": lambda a, b: arithmetic.add(b, a),
    "__sub__": arithmetic.sub,
    "__rsub__": arithmetic.rsub,
    "__mul__": arithmetic.mul,
    "__rmul__": arithmetic.mul,
    "__truediv__": arithmetic.div,
    "__floordiv__": arithmetic.floor_divide,
    "__rtruediv__": lambda a, b: arithmetic.div(b, a),
    "__abs__": arithmetic.unary("abs"),
    "__pos__": arithmetic.positive,
    "__neg__": arithmetic.neg,
    "__pow__": arithmetic.pow_,
    "__matmul__": products.matmul,
    "__rmatmul__": lambda a, b: products.matmul(b, a),
}
OPERATORS = {
    name: name.strip("_").removeprefix("r" if name != "__rshift__" else "").replace("true", "")
    for name in FUNCTIONS
    if name.startswith("__")
}
for _name in ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool",
              "cfloat", "cdouble"):  # fmt: skip
    _kind = {"char": "int8", "byte": "uint8", "cfloat": "complex64", "cdouble": "complex128",
             "float": "float32", "double": "float64", "half": "float16", "int": "int32",
             "long": "int64", "short": "int16"}.get(_name, _name)  # fmt: skip
    FUNCTIONS[_name] = cast(getattr(dtypes, _kind))
INPLACE = (
    frozenset(
        [
            "add",
            "sub",
            "subtract",
            "mul",
            "multiply",
            "div",
            "divide",
            "true_divide",
            "floor_divide",
            "pow",
            "neg",
            "negative",
            "t",
            "transpose",
            "swapaxes",
            "swapdims",
            "unsqueeze",
            "addmm",
            "addmv",
            "sspaddmm",
        ]
    )
    | arithmetic.UNARY
)
