"""Making sparse tensors: of indices and values, of dense tensors, of SciPy's matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes, layout
from ..autograd import door
from ..autograd.node import TensorBase
from ..device import refuse_pinned, usable
from ..errors import message
from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import INDEX, Compressed, Coo
from ..ops.create import arguments, from_data
from . import compressed, invariants
from .core import COMPRESSED, as_held, layout_of, like, refuse, wrap

# -- arguments -----------------------------------------------------------------------------------


def as_values(values: Any, dtype: Any, device: Any) -> Any:
    """Values as a dense Tensor; one that is a Tensor keeps its history."""
    no_meta(device)
    if not isinstance(values, TensorBase):
        return from_data.tensor(values, dtype=dtype)
    return as_held(values if dtype is None or values.dtype is dtype else values.to(dtype))


def no_meta(device: Any) -> None:
    if device is not None and usable(device).type == "meta":
        raise NotImplementedError("sparse tensors on the meta device are not part of Rushlight")


def as_indices(indices: Any, what: str = "indices") -> Any:
    """Indices as an int64 array."""
    if isinstance(indices, TensorBase):
        a: Any = indices._a
    else:
        a = np.asarray(indices)
        if not a.size:
            a = a.astype(INDEX)
    if a.dtype.kind not in "iufb":
        raise RuntimeError(f"{what} must be an int tensor, got {a.dtype}")
    return a.astype(INDEX, copy=False)


def sizes(size: Any) -> tuple[int, ...]:
    return arguments.sizes_of((tuple(size),))


def finished(t: Any, requires_grad: bool) -> Any:
    if not requires_grad:
        return t
    t = t if t._fn is None else wrap(t._a)
    return t._require_grad()


# -- by coordinates ------------------------------------------------------------------------------


def sparse_coo_tensor(
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
    **named: Any,
) -> Any:
    """A tensor by coordinates: (indices, values, size=None), or (size) for one of zeros."""
    if pin_memory:
        refuse_pinned("sparse_coo_tensor", pin_memory, device)
    if not args and set(named) == {"size"}:
        args = (named.pop("size"),)
    for name in ("indices", "values", "size")[len(args) :]:
        if name in named:
            args = (*args, named.pop(name))
    if named or not 1 <= len(args) <= 3:
        raise TypeError(
            message(
                "sparse_coo_tensor() received an invalid combination of arguments",
                got=", ".join([type(a).__name__ for a in args] + list(named)),
                wanted="indices, values, size (or size alone)",
            )
        )
    if len(args) == 1 or not (isinstance(args[0], TensorBase) or np.ndim(args[0])):
        if len(args) > 1:
            raise RuntimeError("indices must be sparse_dim x nnz, but got: []")
        shape = sizes(args[0])
        kind = dtype or dtypes.get_default_dtype()
        return finished(empty_coo(shape, kind.np), requires_grad)
    size = None if len(args) == 2 else sizes(args[2])
    t = from_parts(
        as_indices(args[0]), as_values(args[1], dtype, device), size,
        invariants.level(check_invariants), bool(is_coalesced),
    )  # fmt: skip
    return finished(t, requires_grad)


def empty_coo(shape: tuple[int, ...], dtype: Any, dense_dim: int = 0) -> Any:
    """Zeros, none of them stored."""
    k = len(shape) - dense_dim
    return wrap(Coo(np.zeros((k, 0), INDEX), np.zeros((0, *shape[k:]), dtype), shape, True))


def from_parts(
    indices: Any, values: Any, size: Any, check: str = invariants.USUAL, coalesced: bool = False
) -> Any:
    """A COO tensor of an array of indices and a Tensor of values."""
    if indices.ndim == 1:
        indices = indices.reshape(-1, 1)
        if values.ndim == 0:
            values = values.reshape(1)
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
    v = values._a
    if v.ndim == 0:
        if indices.shape[1] != 1:
            raise RuntimeError("number of dimensions must be sparse_dim + dense_dim")
        values = values.reshape(1)
        v = values._a
    if size is None:
        if indices.size and (indices < 0).any():
            at = int(np.argmin(indices.min(0)))
            raise RuntimeError(f"found negative index {int(indices.min())} for dim {at}")
        tops = [int(row.max()) + 1 if row.size else 0 for row in indices]
        size = (*tops, *v.shape[1:])
    k, dense_dim = len(indices), v.ndim - 1
    if len(size) != k + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {k}, dense_dim = {dense_dim}"
        )
    if indices.shape[1] != len(v):
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{indices.shape[1]}, nnz from values: {len(v)}"
        )
    if tuple(v.shape[1:]) != tuple(size[k:]):
        raise RuntimeError(
            f"values has incorrect size, expected {[len(v), *size[k:]]}, got {list(v.shape)}"
        )
    if math.prod(size) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    if check != invariants.NONE:
        outside(indices, size)
    if check == invariants.ALL and coalesced and not arrays.rises(arrays.keys_of(indices, size)):
        raise RuntimeError(
            "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
        )
    coalesced = coalesced or len(v) < 2
    return like(Coo(indices, v, size, coalesced), values)


def outside(indices: Any, size: Any) -> None:
    """Raise for indices outside the sizes. PyTorch does so only when it checks the invariants;
    here it is done always, for NumPy would count negative ones from the end."""
    for d, row in enumerate(indices):
        if row.size and int(row.min()) < 0:
            raise RuntimeError(f"found negative index {int(row.min())} for dim {d}")
        if row.size and int(row.max()) >= size[d]:
            raise RuntimeError(
                message(
                    f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found "
                    f"index {int(row.max())}"
                )
            )


# -- from files ----------------------------------------------------------------------------------


def assembled(kind: Any, parts: Any, size: tuple[int, ...], coalesced: bool) -> Any:
    """A sparse tensor of the parts in a file, whose numbers may not be there yet."""
    if kind is layout.sparse_coo:
        indices, values = parts
        if indices._a.dtype != INDEX:
            raise RuntimeError("indices must be an int64 tensor")
        return from_parts(indices._a, values, size, invariants.NONE, coalesced)
    if kind not in COMPRESSED:
        raise RuntimeError(f"expected a sparse layout but got {kind!r}")
    p, o, v = (part._a for part in parts)
    compressed.check_ranks(p, o, v, size, kind)
    compressed.check_shapes(p, o, v, size, kind)
    compressed.check_types(p, o, kind)
    return wrap(Compressed(p, o, v, size, *COMPRESSED[kind]))


def verify(t: Any) -> None:
    """Raise for a sparse tensor whose indices are none."""
    a = t._a
    if a.__class__ is Coo:
        outside(a.indices, a.shape)
        if a.coalesced and not (np.diff(arrays.keys_of(a.indices, a.shape)) > 0).all():
            raise RuntimeError("its indices are not in order")
        return
    compressed.check_parts(a.pointers, a.others, a.values, a.shape, layout_of(a), invariants.USUAL)


def _validate_sparse_coo_tensor_args(
    indices: Any, values: Any, size: Any, is_coalesced: bool | None = None,
    check_pinning: bool | None = None,
) -> None:  # fmt: skip
    """Raise unless these make a COO tensor."""
    made = from_parts(as_indices(indices), values, sizes(size), invariants.ALL)
    if is_coalesced:
        made._a.coalesced = True
        verify(made)


# -- of other tensors -----------------------------------------------------------------------------


def sparse_mask(t: Any, mask: Any) -> Any:
    """The elements of a tensor at the places of a sparse one."""
    from .core import is_sparse, masked, ordered, picked, recorded

    if not is_sparse(mask):
        refuse("sparse_mask", t, mask)
    if tuple(t.shape) != tuple(mask.shape):
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(t.shape)} but mask has size {list(mask.shape)}"
        )
    if not is_sparse(t):
        return like(mask._a, picked(t, mask._a))
    found = picked(ordered(t.detach()), mask._a)
    out = wrap(mask._a.with_values(found._a))
    return recorded("SparseMaskBackward0", out, (t,), lambda g: masked(g, mask._a))


def filled(name: str, shape: Any, dtype: Any, kind: Any, requires_grad: bool = False) -> Any:
    """`zeros` and `empty` of a sparse layout."""
    if name not in ("zeros", "empty", "new_zeros", "new_empty"):
        if name in ("ones", "full"):
            raise RuntimeError("full(...) is not implemented for sparse layout")
        made = empty_coo(tuple(shape)[:0], np.float32)
        refuse({"rand": "uniform_", "randn": "normal_"}.get(name, name), made)
    dtype = (dtype or dtypes.get_default_dtype()).np
    shape = tuple(shape)
    if kind in COMPRESSED:
        made = compressed.empty(name.removeprefix("new_"), shape, dtype, kind)
    else:
        made = empty_coo(shape, dtype)
    return made._require_grad() if requires_grad else made


# -- SciPy ---------------------------------------------------------------------------------------


def from_scipy(matrix: Any) -> Any:
    """A sparse tensor of a SciPy matrix: CSR, CSC and BSR stay what they are, others become COO.

    The values are shared where SciPy's lie in one piece.

    >>> import importlib.util
    >>> if importlib.util.find_spec("scipy"):
    ...     import scipy.sparse
    ...
    ...     x = torch.sparse.from_scipy(scipy.sparse.csr_array([[0.0, 2.0], [0.0, 0.0]]))
    ...     assert x.layout == torch.sparse_csr and x.values().tolist() == [2.0]
    """
    kind = getattr(matrix, "format", None)
    if kind in ("csr", "csc", "bsr"):
        parts = [door.wrap(np.asarray(a)) for a in (matrix.indptr, matrix.indices, matrix.data)]
        make = getattr(compressed, f"sparse_{kind}_tensor")
        return make(*parts, matrix.shape)
    if not hasattr(matrix, "tocoo"):
        raise TypeError(
            message(
                "from_scipy: expected a sparse matrix or array of SciPy",
                got=type(matrix).__name__,
                hint="torch.from_numpy(a).to_sparse() for an ndarray",
            )
        )
    found = matrix.tocoo()
    coords = getattr(found, "coords", None) or (found.row, found.col)
    values = door.wrap(np.asarray(found.data))
    indices = np.stack([np.asarray(c, INDEX) for c in coords])
    return from_parts(indices, values, tuple(found.shape))


def to_scipy(t: Any) -> Any:
    """SciPy's matrix of the same layout and values: `coo_array`, `csr_array` or `csc_array`.

    >>> import importlib.util
    >>> x = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse()
    >>> if importlib.util.find_spec("scipy"):
    ...     assert torch.sparse.to_scipy(x).nnz == 1
    """
    from ..kernels.sparse import products

    found = products.scipy()
    if found is None:
        raise ModuleNotFoundError(
            message("to_scipy: SciPy is not installed", hint="pip install rushlight[sparse]")
        )
    if t.requires_grad:
        raise RuntimeError("Can't convert a tensor that requires grad to SciPy. Use t.detach().")
    a = t._a
    if a.__class__ is Compressed:
        return scipy_of(found, a)
    if a.values.ndim != 1:
        raise ValueError("to_scipy: SciPy's matrices have no dense dimensions")
    return found.coo_array((a.values, tuple(a.indices)), shape=a.shape)


def scipy_of(found: Any, a: Any) -> Any:
    """SciPy's matrix of a compressed array; `found` is `scipy.sparse`."""
    if len(a.shape) != 2:
        raise ValueError("to_scipy: SciPy's matrices have no batches and no dense dimensions")
    if a.blocked and not a.by_row:
        raise ValueError(
            "to_scipy: SciPy has no matrices of blocks by columns; try to_sparse_bsr()"
        )
    make = found.bsr_array if a.blocked else found.csr_array if a.by_row else found.csc_array
    return make((a.values, a.others, a.pointers), shape=a.shape)
