"""What all operations on sparse tensors are made of: the class, and the two ways to the values.

A sparse tensor is a `SparseTensor` (a Tensor by name) whose `_a` is a `Coo` or a `Compressed`
(`kernels/sparse/arrays.py`). An operation takes its values out (`values_of`), which are a dense
Tensor on the tape, computes with ordinary operations, and puts new values at places (`at_places`).
These two are each other's derivative, so gradients need no rule for each operation: the gradient
of a sparse tensor is a sparse tensor at the places of its values.

Not here: which functions take sparse tensors (`table.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .. import dtypes, layout
from ..autograd import changes, door, function, function_node
from ..autograd.node import TensorBase
from ..autograd.steps import Step
from ..errors import message
from ..kernels.meta import SparseArray, UnresolvedArray
from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import Compressed, Coo
from ..ops.shape.join import cat as dense_cat
from ..tensor import Parameter, Tensor

NAMES = {  # what PyTorch calls the layouts in its messages
    layout.strided: "Strided",
    layout.sparse_coo: "Sparse",
    layout.sparse_csr: "SparseCsr",
    layout.sparse_csc: "SparseCsc",
    layout.sparse_bsr: "SparseBsr",
    layout.sparse_bsc: "SparseBsc",
}
# The compressed layouts, and whether each is by row and of blocks.
COMPRESSED = {
    layout.sparse_csr: (True, False),
    layout.sparse_csc: (False, False),
    layout.sparse_bsr: (True, True),
    layout.sparse_bsc: (False, True),
}
_LAYOUT_OF = {made_of: kind for kind, made_of in COMPRESSED.items()}


def layout_of(a: Any) -> Any:
    """The layout of what stands in a tensor's `_a`."""
    if a.__class__ is Coo:
        return layout.sparse_coo
    if a.__class__ is Compressed:
        return _LAYOUT_OF[a.by_row, a.blocked]
    return layout.strided


def is_sparse(t: Any) -> bool:
    """Whether it is a sparse tensor of any layout."""
    return isinstance(t, TensorBase) and isinstance(t._a, SparseArray)


def refuse(name: str, *operands: Any) -> NoReturn:
    """PyTorch's error of an operator that a layout does not have."""
    kinds = [NAMES[layout_of(t._a)] for t in operands if isinstance(t, TensorBase)]
    kind = next((k for k in kinds if k != "Strided"), "Strided")
    where = {"Sparse": "SparseCPU", "Strided": "CPU"}.get(kind, "SparseCsrCPU")
    raise NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{where}' backend. "
        f"This operation does not take sparse tensors: x.to_dense() makes a dense one of it."
    )


def wrap(a: Any, cls: Any = None) -> Any:
    """A sparse tensor around a sparse array, without history."""
    t: Any = object.__new__(cls or SparseTensor)
    t._a = a
    t._fn = t._vc = t._v = t._x = None
    return t


# -- the tape ------------------------------------------------------------------------------------


def recorded(
    name: str, out: Any, inputs: tuple[Any, ...], backward: Callable[..., Any], *saved: Any
) -> Any:
    """`out` with the node `name` if an input is tracked; backward(g, *saved) gives a gradient for
    each input."""
    if changes.change_watchers:  # forward mode is on
        refuse_tangents(name, inputs)
    if not any(t._fn is not None for t in inputs):
        return out
    ctx = function.FunctionCtx()
    ctx.needs_input_grad = tuple(t._fn is not None for t in inputs)
    ctx.save_for_backward(*saved)
    return function_node.finish(
        ctx, name, inputs, out, lambda ctx, g: backward(g, *ctx.saved_tensors)
    )


def refuse_tangents(name: str, inputs: tuple[Any, ...]) -> None:
    """Raise if an input carries a tangent, which would be lost."""
    from ..autograd import forward_ad

    if any(forward_ad.tangent_of(t) is not None for t in inputs):
        raise NotImplementedError(
            message(
                f"Trying to use forward AD with {name.removesuffix('Backward0')} that does not "
                "support it because it has not been implemented yet.",
                got="a sparse tensor, or an operand beside one, with a tangent",
                hint="x.to_dense() before, or backward()",
            )
        )


def performed(record: Step, *args: Any, **kw: Any) -> Any:
    """A computation on arrays, seen by observers."""
    return door.perform(record, tuple([door.resolved(a) for a in args]), kw)


def values_of(s: Any) -> Any:
    """The stored values as a dense Tensor; its gradients go to the sparse tensor."""
    a = s._a
    return recorded("ValuesBackward0", door.wrap(a.values), (s,), lambda g: like(a, g))


def as_held(values: Any) -> Any:
    """Values (a dense Tensor) as a sparse array holds them: without PyTorch's conjugate and
    negative bits."""
    bits = values._a.__class__ is UnresolvedArray
    return values.resolve_conj().resolve_neg() if bits else values


def like(a: Any, values: Any) -> Any:
    """Values (a dense Tensor) at the places of a sparse array."""
    values = as_held(values)
    out = wrap(a.with_values(values._a))
    return recorded(
        "SparseCooTensorWithDimsAndTensorsBackward0", out, (values,), lambda g: picked(g, a)
    )


def joined(values: Any, dim: int = 0) -> Any:
    """Dense tensors one after the other."""
    return dense_cat.call(tuple(values), {"dim": dim})


def at_places(indices: Any, values: Any, shape: Any, coalesced: bool = False) -> Any:
    """A COO tensor of values (a dense Tensor) at coordinates."""
    values = as_held(values)
    return like(Coo(indices, values._a, shape, coalesced), values)


def picked(g: Any, a: Any) -> Any:
    """What a tensor, sparse or dense, has at the places of a sparse array: a dense Tensor of the
    shape of its values."""
    if is_sparse(g) and same_places(g._a, a):
        return values_of(g)
    found = at_coordinates(g, arrays.coo_of(a).indices)
    return found if found.shape == a.values.shape else found.reshape(a.values.shape)


def same_places(a: Any, b: Any) -> bool:
    """Whether two sparse arrays are of the same indices, the same objects."""
    if a.__class__ is Coo:
        return b.__class__ is Coo and a.indices is b.indices
    kind = b.__class__ is Compressed and (a.by_row, a.blocked) == (b.by_row, b.blocked)
    return kind and a.pointers is b.pointers and a.others is b.others


def at_coordinates(g: Any, indices: Any) -> Any:
    """The values (n, *dense dimensions) of a tensor at coordinates."""
    if not is_sparse(g):
        if not len(indices):
            return g.unsqueeze(0).expand(indices.shape[1], *g.shape)
        return g[tuple(door.wrap(row) for row in indices)]
    g = ordered(g)
    if g._a.sparse_dim != len(indices):
        return at_coordinates(dense(g), indices)
    at, there = arrays.looked_up(g._a, indices)
    found = values_of(g)
    if not len(g._a.values):
        return door.wrap(np.zeros((indices.shape[1], *g._a.values.shape[1:]), found._a.dtype))
    found = found.index_select(0, door.wrap(at))
    if there.all():
        return found
    keep = there.reshape(-1, *[1] * (found.ndim - 1))
    return found.masked_fill(door.wrap(~keep), 0)


# -- from one form to another --------------------------------------------------------------------


def coo(s: Any) -> Any:
    """A sparse tensor of any layout by coordinates."""
    a = s._a
    if a.__class__ is Coo:
        return s
    made = arrays.coo_of(a)
    values = values_of(s)
    if values.shape != made.values.shape:
        values = values.reshape(made.values.shape)
    return at_places(made.indices, values, a.shape, made.coalesced)


def ordered(s: Any) -> Any:
    """A sparse tensor by coordinates, coalesced."""
    s = coo(s)
    return s if s._a.coalesced else coalesce(s)


def traceable(s: Any) -> Any:
    """By coordinates, and coalesced if it is tracked: a gradient is for each place once."""
    s = coo(s)
    return s if s._fn is None else ordered(s)


def elements_of(s: Any, by: Callable[[Any], Any] = traceable) -> Any:
    """A tensor whose stored values may be computed with one by one: rows stay as they are."""
    return s if s._a.__class__ is Compressed else by(s)


_coalesce = Step("coalesce", arrays.coalesced, shown="aten::coalesce")


def coalesce(s: Any) -> Any:
    """The same tensor with its coordinates in order and equal ones added up."""
    if s._a.coalesced:
        return s
    out = wrap(performed(_coalesce, s._a))
    return recorded("CoalesceBackward0", out, (s,), lambda g: g)


def marked(s: Any, coalesced: bool) -> Any:
    """The tensor itself, with another answer to `is_coalesced()`."""
    a = s._a
    s._a = Coo(a.indices, a.values, a.shape, coalesced)
    return s


def in_form(s: Any, a: Any) -> Any:
    """A tensor by coordinates in the layout of a sparse array, with its batch, blocks and type of
    indices."""
    return compress(s, **a.form) if a.__class__ is Compressed else s


def compress(s: Any, **form: Any) -> Any:
    """A tensor by coordinates in a compressed layout, as `arrays.compression` takes it."""
    s = ordered(s)
    a, place = performed(_compress, s._a, **form)
    return like(a, put(values_of(s), place, a.elements()).reshape(a.values.shape))


def put(values: Any, place: Any, shape: tuple[int, ...]) -> Any:
    """Rows of values put where they belong among rows of zeros."""
    if len(place) != shape[0]:
        return values.new_zeros(shape).index_copy(0, door.wrap(place), values)
    if arrays.rises(place):
        return values
    order = np.empty_like(place)
    order[place] = np.arange(len(place))
    return values.index_select(0, door.wrap(order))


def turned(s: Any) -> Any:
    """Rows as columns: CSR as CSC and BSR as BSC, and the other way."""
    a = s._a
    n = a.values.ndim - a.batch_dim - 1  # the dimensions of a block, and the dense ones
    inner = a.values.shape[a.values.ndim - n :]
    entries = a.entries()
    rows = (entries.shape[1], *inner)
    flat = Coo(entries, np.zeros((rows[0], 0)), (*a.grid(), 0))
    form = {"by_row": not a.by_row, "batch_dim": a.batch_dim, "index": a.pointers.dtype}
    found, place = performed(_compress, flat, **form)
    values = put(values_of(s).reshape(rows), place, rows).reshape(a.values.shape)
    made = Compressed(
        found.pointers, found.others, values._a, a.shape, not a.by_row, a.blocked
    )  # fmt: skip
    return like(made, values)


_compress = Step("compress", arrays.compression, outputs=2, shown="aten::to_sparse_csr")


def dense(s: Any, masked_grad: bool = True) -> Any:
    """All elements of a sparse tensor; its gradient at the stored places, or (`masked_grad=False`)
    at all of them."""
    a = s._a
    out = door.wrap(performed(_to_dense, a))
    gradient = masked if masked_grad else unmasked
    return recorded("ToDenseBackward0", out, (s,), lambda g: gradient(g, a))


_to_dense = Step("to_dense", arrays.dense_of, shown="aten::to_dense")


def masked(g: Any, a: Any) -> Any:
    """What a tensor has at the places of a sparse array, as a sparse tensor of those places."""
    if a.__class__ is Coo and not a.coalesced:
        a = arrays.coalesced(a)
    return like(a, picked(g, a))


def unmasked(g: Any, a: Any) -> Any:
    """A gradient in the layout of a sparse array, at all places where it is not zero."""
    from .conversions import of_dense

    block = a.block if a.__class__ is Compressed else ()
    kind = layout_of(a)
    return of_dense(dense_operand(g), kind, "to_dense_backward", None, block, a.dense_dim)


def dense_operand(t: Any) -> Any:
    """A tensor as a dense one."""
    return dense(t) if is_sparse(t) else t


# -- the class -----------------------------------------------------------------------------------


class SparseTensor(Tensor):
    """A Tensor of which only some elements are stored.

    Made by `sparse_coo_tensor`, `sparse_csr_tensor`, `Tensor.to_sparse`, and their like.
    """

    __slots__ = ()
    __module__ = "rushlight"

    is_sparse = property(lambda self: self._a.__class__ is Coo, doc="Whether the layout is COO.")
    is_sparse_csr = property(
        lambda self: self.layout is layout.sparse_csr, doc="Whether the layout is CSR."
    )
    layout = property(lambda self: layout_of(self._a), doc="The memory layout.")  # type: ignore[assignment]
    is_cpu = property(lambda self: True, doc="True.")
    is_meta = property(lambda self: False, doc="False.")

    @classmethod
    def _sparse(cls, a: Any) -> Any:
        return wrap(a, cls)

    @classmethod
    def __torch_function__(cls, fn: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Every public function of Tensors comes here: what `table.py` lists is done, the rest
        is refused."""
        from .table import call

        for kind in types:
            if not issubclass(kind, SparseTensor):
                return NotImplemented
        return call(fn, args, kwargs or {})

    @property
    def nbytes(self) -> int:
        """Refused: there are several arrays."""
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent "
            "tensors, add the nbytes of the indices and values.  If you want the size of the  "
            "equivalent dense tensor, multiply numel() by element_size()"
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        from .printing import sparse_str

        return sparse_str(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        is_parameter = isinstance(self, Parameter)
        return rebuild, (parts(self), is_parameter, self._fn is not None, dict(self.__dict__))

    def __getitem__(self, key: Any) -> Any:
        from .shape import getitem

        return getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    def __iter__(self) -> Any:
        if not self._a.shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter([self[i] for i in range(self._a.shape[0])])

    def item(self) -> Any:
        """The only element."""
        return dense(self).item() if self._a.size == 1 else Tensor.item(self)

    def __bool__(self) -> bool:
        return bool(dense(self)) if self._a.size == 1 else self._ambiguous()

    def _ambiguous(self) -> NoReturn:
        many = "more than one value" if self._a.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")

    def tolist(self) -> Any:
        """Refused, as by PyTorch."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    data_ptr = tolist

    def storage(self) -> Any:
        """Refused: there are several arrays."""
        if self._a.__class__ is Compressed:
            raise NotImplementedError("Cannot access storage of SparseCsrTensorImpl")
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    untyped_storage = typed_storage = _typed_storage = storage

    def storage_offset(self) -> int:
        """0."""
        return 0

    def numpy(self, *, force: bool = False) -> Any:
        """Refused, as by PyTorch."""
        kind = NAMES[self.layout]
        raise TypeError(
            f"can't convert {kind} layout tensor to numpy. Use Tensor.to_dense() first."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy()

    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Any:
        """Take the sizes of another sparse tensor; the values stay at their places."""
        from .table import resize_as_

        return resize_as_(self, the_template, memory_format)

    def resize_(self, *sizes: Any, memory_format: Any = None) -> NoReturn:
        """Refused; `sparse_resize_` is there."""
        refuse("resize_", self)

    def stride(self, dim: int | None = None) -> Any:
        """Zeros for COO; an error for the compressed layouts."""
        if self._a.__class__ is Compressed:
            raise RuntimeError(f"Sparse {self._short_layout()} tensors do not have strides")
        return (0,) * self._a.ndim if dim is None else 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """False."""
        if self._a.__class__ is Compressed:
            raise RuntimeError(f"Sparse {self._short_layout()} tensors do not have is_contiguous")
        return False

    def _short_layout(self) -> str:
        return repr(self.layout)[-3:].upper()

    def type(self, dtype: Any = None, non_blocking: bool = False, **kw: Any) -> Any:
        """The legacy name of the type, or the tensor in another one."""
        if dtype is None:
            dense_name = str(door.wrap(self._a.values[:0]).type())
            kind = repr(self.layout)[6:] if self._a.__class__ is Compressed else "sparse"
            return dense_name.replace("torch.", f"torch.{kind}.", 1)
        from ..legacy_tensors import legacy_type

        return self.to(dtype if isinstance(dtype, dtypes.dtype) else legacy_type(dtype))

    def share_memory_(self) -> Any:
        """The parts move to memory that other processes see."""
        from ..multiprocessing.sharing import share_tensors

        share_tensors([door.wrap(a) for a in parts(self)[1] if isinstance(a, np.ndarray)])
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo and self.is_leaf:
            made = memo[id(self)] = wrap(self._a.copy(), type(self))
            made._fn = self._fn
            if self.__dict__:
                import copy

                made.__dict__.update(copy.deepcopy(self.__dict__, memo))
            if self._x is not None and getattr(self._x, "grad", None) is not None:
                made.grad = self._x.grad.clone()
        return memo[id(self)] if id(self) in memo else Tensor.__deepcopy__(self, memo)

    @property
    def T(self) -> Any:
        """The transposed matrix."""
        if self._a.__class__ is Compressed:
            refuse("as_strided", self)
        from .shape import permute

        return permute(self, tuple(range(self._a.ndim))[::-1])

    @property
    def mT(self) -> Any:
        """The last two dimensions swapped."""
        return self.transpose(-2, -1)

    def new(self, *args: Any, device: Any = None) -> Any:
        """A tensor of this type: empty, of sizes, or of (indices, values, size)."""
        from .create import empty_coo, sparse_coo_tensor

        if args and isinstance(args[0], TensorBase) and len(args) > 1:
            return sparse_coo_tensor(*args, dtype=self.dtype, device=device)
        one = args[0] if len(args) == 1 else args
        sizes = one if isinstance(one, tuple) else args
        if not all(isinstance(n, int) for n in sizes):
            raise TypeError(
                "new(): data must be sizes, or indices and values with sizes; got "
                + ", ".join(type(x).__name__ for x in args)
            )
        return empty_coo(tuple(sizes) or (0,), self._a.dtype)

    @property
    def data(self) -> Any:
        """The same tensor without history."""
        return wrap(self._a)

    @data.setter
    def data(self, value: Any) -> None:
        self._a = value._a


class SparseParameter(SparseTensor, Parameter):
    """A sparse tensor as a parameter."""

    __slots__ = ()
    __module__ = "rushlight.nn.parameter"

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + SparseTensor.__repr__(self)


SparseTensor.__module__ = Tensor.__module__
SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
SparseParameter.__name__ = SparseParameter.__qualname__ = "Parameter"


def operator(name: str) -> Any:
    """One of Python's operators, as `table.py` has it."""

    def method(self: Any, *others: Any) -> Any:
        from .table import FUNCTIONS, OPERATORS, named

        if name not in FUNCTIONS:
            refuse(name.strip("_"), self, *others)
        return named(OPERATORS[name], FUNCTIONS[name](self, *others), (self, *others))

    method.__name__ = name
    return method


def inplace_operator(name: str) -> Any:
    """`s += x` and the like."""

    def method(self: Any, other: Any) -> Any:
        from .table import FUNCTIONS, in_place

        return in_place(name + "_", FUNCTIONS[name], (self, other), {})

    return method


for _name in [
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "neg",
    "pow",
    "rpow",
    "matmul",
    "rmatmul",
    "mod",
    "rmod",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "and",
    "or",
    "xor",
    "rand",
    "ror",
    "rxor",
    "invert",
    "abs",
    "lshift",
    "rshift",
    "pos",
]:
    setattr(SparseTensor, f"__{_name}__", operator(f"__{_name}__"))
for _name, _op in (("iadd", "add"), ("isub", "sub"), ("imul", "mul"), ("itruediv", "div"),
                   ("ifloordiv", "floor_divide"), ("ipow", "pow")):  # fmt: skip
    setattr(SparseTensor, f"__{_name}__", inplace_operator(_op))
SparseTensor.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]


def parts(s: Any) -> tuple[Any, ...]:
    """What a sparse tensor consists of, for a pickle: (layout, arrays and flags)."""
    a = s._a
    if a.__class__ is Coo:
        return layout_of(a), (a.indices, a.values, a.shape, a.coalesced)
    return layout_of(a), (a.pointers, a.others, a.values, a.shape)


def rebuild(made_of: Any, is_parameter: bool, requires_grad: bool, attributes: Any) -> Any:
    """The sparse tensor that `parts` describes."""
    kind, held = made_of
    if kind is layout.sparse_coo:
        a: Any = Coo(*held)
    else:
        pointers, others, values, shape = held
        a = Compressed(pointers, others, values, shape, *COMPRESSED[kind])
    t = wrap(a, SparseParameter if is_parameter else SparseTensor)
    t.__dict__.update(attributes)
    return t._require_grad() if requires_grad else t
