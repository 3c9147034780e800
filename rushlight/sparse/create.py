"""Making sparse tensors: of indices and values, of dense tensors, of SciPy's matrices."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Any

import numpy as np

from .. import dtypes, layout
from ..autograd import door
from ..autograd.node import TensorBase
from ..autograd.steps import Step
from ..device import refuse_pinned, usable
from ..errors import message
from ..kernels.sparse import arrays
from ..kernels.sparse.arrays import INDEX, Compressed, Coo
from ..ops.create import arguments, from_data
from .core import NAMES, in_layout, like, recorded, refuse, wrap


class _Checks(threading.local):
    enabled = False


_checks = _Checks()


class check_sparse_tensor_invariants(ContextDecorator):
    """A block, or with `enable()` a program, in which new sparse tensors are looked at closely."""

    def __init__(self, enable: bool = True) -> None:
        self.wanted = enable
        self.before: list[bool] = []

    @staticmethod
    def is_enabled() -> bool:
        """Whether new sparse tensors are checked."""
        return _checks.enabled

    @staticmethod
    def enable() -> None:
        """Check from now on."""
        _checks.enabled = True

    @staticmethod
    def disable() -> None:
        """Check no longer."""
        _checks.enabled = False

    def __enter__(self) -> None:
        self.before.append(_checks.enabled)
        _checks.enabled = self.wanted

    def __exit__(self, *error: Any) -> None:
        _checks.enabled = self.before.pop()


# -- arguments -----------------------------------------------------------------------------------


def as_values(values: Any, dtype: Any, device: Any) -> Any:
    """Values as a dense Tensor; one that is a Tensor keeps its history."""
    if is_meta(device):
        raise NotImplementedError("sparse tensors on the meta device are not part of Rushlight")
    if not isinstance(values, TensorBase):
        return from_data.tensor(values, dtype=dtype)
    return values if dtype is None or values.dtype is dtype else values.to(dtype)


def is_meta(device: Any) -> bool:
    return device is not None and usable(device).type == "meta"


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
        _checks.enabled if check_invariants is None else check_invariants, bool(is_coalesced),
    )  # fmt: skip
    return finished(t, requires_grad)


def empty_coo(shape: tuple[int, ...], dtype: Any, dense_dim: int = 0) -> Any:
    """Zeros, none of them stored."""
    k = len(shape) - dense_dim
    return wrap(Coo(np.zeros((k, 0), INDEX), np.zeros((0, *shape[k:]), dtype), shape, True))


def from_parts(
    indices: Any, values: Any, size: Any, check: bool | None = False, coalesced: bool = False
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
        if indices.shape[1] > 1 or not indices.size:
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
    if check is not None:
        outside(indices, size)
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


# -- compressed ----------------------------------------------------------------------------------


def compressed_factory(own: str, other: str, by_row: bool) -> Any:
    kind = layout.sparse_csr if by_row else layout.sparse_csc

    def make(
        pointers: Any = None, others: Any = None, values: Any = None, size: Any = None, *,
        dtype: Any = None, device: Any = None, pin_memory: bool = False,
        requires_grad: bool = False, check_invariants: bool | None = None, **named: Any,
    ) -> Any:  # fmt: skip
        if pin_memory:
            refuse_pinned(make.__name__, pin_memory, device)
        pointers = named.get(f"{own}_indices", pointers)
        others = named.get(f"{other}_indices", others)
        held = as_values(values, dtype, device)
        p, o = as_given(pointers), as_given(others)
        if size is None:
            top = int(o.max()) + 1 if o.size else 0
            size = (len(p) - 1, top) if by_row else (top, len(p) - 1)
        size = sizes(size)
        checked(p, o, held._a, size, own, other, by_row)
        return finished(like(Compressed(p, o, held._a, size, by_row), held), requires_grad)

    make.__name__ = f"sparse_{'csr' if by_row else 'csc'}_tensor"
    make.__doc__ = f"A matrix in the layout {kind!r}: ({own}_indices, {other}_indices, values)."
    return make


def as_given(indices: Any) -> Any:
    """Indices of a compressed layout: int32 stays int32."""
    a = indices._a if isinstance(indices, TensorBase) else np.asarray(indices)
    if not a.size:
        a = a.astype(INDEX)
    if a.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            f"crow_indices and col_indices must be an int32 or int64 type, but got: "
            f"{dtypes.from_numpy(a.dtype)!r}"
        )
    return a


def checked(
    p: Any, o: Any, v: Any, size: tuple[int, ...], own: str, other: str, by_row: bool,
    values: bool = True,
) -> None:  # fmt: skip
    """Raise for what is no compressed matrix; PyTorch checks all of it only when asked to, but what
    is wrong here would read other rows' memory."""
    if p.ndim != 1 or o.ndim != 1 or v.ndim != 1 or len(size) != 2:
        raise NotImplementedError(
            message(
                f"{own}_indices, {other}_indices and values: batches of matrices and dense "
                "dimensions are not part of Rushlight",
                got=f"{p.ndim}-d, {o.ndim}-d and {v.ndim}-d for a size of {len(size)} dimensions",
                wanted="vectors, for one matrix",
            )
        )
    n, m = size if by_row else size[::-1]
    if len(p) != n + 1:
        raise RuntimeError(
            f"{own}_indices.shape[-1] must be equal to the number of "
            f"{'rows' if by_row else 'columns'} + 1 ({n + 1}), but got {len(p)}"
        )
    if len(o) != len(v):
        raise RuntimeError(
            f"number of {other}_indices ({len(o)}) and of values ({len(v)}) must be the same"
        )
    if not values:
        return
    if len(p) and (p[0] != 0 or p[-1] != len(v) or (np.diff(p) < 0).any()):
        raise RuntimeError(
            f"`{own}_indices[..., 0] == 0`, `{own}_indices[..., -1] == nnz` and rising values "
            "between them are not satisfied."
        )
    if o.size and (o.min() < 0 or o.max() >= m):
        raise RuntimeError(f"`0 <= {other}_indices < {m}` is not satisfied.")


sparse_csr_tensor = compressed_factory("crow", "col", True)
sparse_csc_tensor = compressed_factory("ccol", "row", False)


def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
    layout: Any = None, **kw: Any,
) -> Any:  # fmt: skip
    """`sparse_csr_tensor` or `sparse_csc_tensor`, by the layout."""
    if layout is None or layout not in _FACTORIES:
        raise RuntimeError(f"expected compressed sparse tensor layout but got {layout!r}")
    return _FACTORIES[layout](compressed_indices, plain_indices, values, size, **kw)


_FACTORIES = {layout.sparse_csr: sparse_csr_tensor, layout.sparse_csc: sparse_csc_tensor}


def no_blocks(name: str) -> Any:
    def refused(*args: Any, **kw: Any) -> Any:
        raise NotImplementedError(
            message(
                f"{name}: the layouts sparse_bsr and sparse_bsc are not part of Rushlight",
                hint="to_sparse_csr() or to_sparse_csc(), without blocks",
            )
        )

    refused.__name__ = name
    refused.__doc__ = "Raises: there are no blocks here."
    return refused


# -- from files ----------------------------------------------------------------------------------


def assembled(kind: Any, parts: Any, size: tuple[int, ...], coalesced: bool) -> Any:
    """A sparse tensor of the parts in a file, whose numbers may not be there yet."""
    if kind is COO:
        indices, values = parts
        if indices._a.dtype != INDEX:
            raise RuntimeError("indices must be an int64 tensor")
        return from_parts(indices._a, values, size, None, coalesced)
    if kind not in _FACTORIES:
        no_blocks(f"load of {kind!r}")()
    p, o, v = parts
    by_row = kind is CSR
    p, o = as_given(p), as_given(o)
    checked(p, o, v._a, size, *NAMES_OF[by_row], by_row, values=False)
    return wrap(Compressed(p, o, v._a, size, by_row))


NAMES_OF = {True: ("crow", "col"), False: ("ccol", "row")}


def verify(t: Any) -> None:
    """Raise for a sparse tensor whose indices are none."""
    a = t._a
    if a.__class__ is Coo:
        outside(a.indices, a.shape)
        if a.coalesced and not (np.diff(arrays.keys_of(a.indices, a.shape)) > 0).all():
            raise RuntimeError("its indices are not in order")
        return
    checked(a.pointers, a.others, a.values, a.shape, *NAMES_OF[a.by_row], a.by_row)


def _validate_sparse_coo_tensor_args(
    indices: Any, values: Any, size: Any, is_coalesced: bool | None = None,
    check_pinning: bool | None = None,
) -> None:  # fmt: skip
    """Raise unless these make a COO tensor."""
    made = from_parts(as_indices(indices), values, sizes(size), True)
    if is_coalesced:
        made._a.coalesced = True
        verify(made)


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any, layout: Any,
    check_pinning: bool | None = None,
) -> None:  # fmt: skip
    """Raise unless these make a tensor in this compressed layout."""
    if layout not in (CSR, CSC):
        no_blocks(f"validation of {layout!r}")()
    by_row = layout is CSR
    p, o = as_given(compressed_indices), as_given(plain_indices)
    checked(p, o, values._a, sizes(size), *NAMES_OF[by_row], by_row)


def _validate_sparse_csr_tensor_args(crow: Any, col: Any, values: Any, size: Any) -> None:
    """The same of rows."""
    _validate_sparse_compressed_tensor_args(crow, col, values, size, CSR)


def _validate_sparse_csc_tensor_args(ccol: Any, row: Any, values: Any, size: Any) -> None:
    """The same of columns."""
    _validate_sparse_compressed_tensor_args(ccol, row, values, size, CSC)


# -- of dense tensors ----------------------------------------------------------------------------


def to_sparse(t: Any, sparse_dim: Any = None, *, layout: Any = None, **kw: Any) -> Any:
    """A dense or sparse tensor in a sparse layout: COO, unless `layout` says otherwise."""
    from .core import is_sparse

    if isinstance(sparse_dim, type(COO)):
        layout, sparse_dim = sparse_dim, None
    wanted = layout or COO
    if "blocksize" in kw and kw["blocksize"] is not None and wanted in (COO, CSR, CSC):
        raise RuntimeError(
            f"to_sparse for Strided to {NAMES[wanted]} conversion does not use specified blocksize"
        )
    if wanted not in NAMES:
        no_blocks(f"to_sparse(layout={wanted!r})")()
    if wanted is STRIDED:
        return t.to_dense() if is_sparse(t) else t
    if kw.get("dense_dim"):
        raise NotImplementedError("dense dimensions of CSR and CSC are not part of Rushlight")
    if is_sparse(t):
        if sparse_dim is not None and sparse_dim != t.sparse_dim():
            raise RuntimeError(
                "sparse_to_sparse: conversion with sparse_dim argument, where sparse_dim != "
                f"{t.sparse_dim()}, is not supported"
            )
        return in_layout(t, wanted)
    k = t.ndim if sparse_dim is None else sparse_dim
    if not 0 <= k <= t.ndim or (k == 0 and t.ndim):
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{t.ndim}] range, but {k} is given"
        )
    if wanted is not COO and t.ndim != 2:
        raise NotImplementedError(
            message(
                f"to_sparse(layout={wanted!r}) of a {t.ndim}-d tensor: batches of matrices are "
                "not part of Rushlight",
                wanted="a matrix",
            )
        )
    indices, values = door.perform(_parts, (t._a,), {"sparse_dim": k})
    a = Coo(indices, values, t._a.shape, True)
    made = recorded("ToSparseBackward0", wrap(a), (t,), dense_gradient)
    return made if wanted is COO else in_layout(made, wanted)


def dense_gradient(g: Any) -> Any:
    from .core import dense_operand

    return dense_operand(g)


_parts = Step("to_sparse", arrays.parts_of, outputs=2, shown="aten::to_sparse")
COO, CSR, CSC, STRIDED = (
    layout.sparse_coo, layout.sparse_csr, layout.sparse_csc, layout.strided,
)  # fmt: skip


def to_sparse_as(kind: Any) -> Any:
    def convert(t: Any, dense_dim: Any = None) -> Any:
        return to_sparse(t, layout=kind, dense_dim=dense_dim)

    return convert


def to_sparse_coo(t: Any) -> Any:
    """A tensor by coordinates."""
    return to_sparse(t)


to_sparse_csr = to_sparse_as(CSR)
to_sparse_csc = to_sparse_as(CSC)


def sparse_mask(t: Any, mask: Any) -> Any:
    """The elements of a tensor at the places of a sparse one."""
    from .core import is_sparse, ordered, picked

    if not is_sparse(mask):
        refuse("sparse_mask", t, mask)
    if tuple(t.shape) != tuple(mask.shape):
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(t.shape)} but mask has size {list(mask.shape)}"
        )
    source = ordered(t) if is_sparse(t) else t
    return like(mask._a, picked(source, mask._a))


def filled(name: str, shape: Any, dtype: Any, kind: Any, requires_grad: bool = False) -> Any:
    """`zeros` and `empty` of a sparse layout."""
    if name not in ("zeros", "empty", "new_zeros", "new_empty"):
        if name in ("ones", "full"):
            raise RuntimeError("full(...) is not implemented for sparse layout")
        made = empty_coo(tuple(shape)[:0], np.float32)
        refuse({"rand": "uniform_", "randn": "normal_"}.get(name, name), made)
    dtype = (dtype or dtypes.get_default_dtype()).np
    made = in_layout(empty_coo(tuple(shape), dtype), kind)
    return made._require_grad() if requires_grad else made


# -- SciPy ---------------------------------------------------------------------------------------


def from_scipy(matrix: Any) -> Any:
    """A sparse tensor of a SciPy matrix: CSR and CSC stay what they are, others become COO.

    The values are shared where SciPy's lie in one piece.
    """
    kind = getattr(matrix, "format", None)
    if kind in ("csr", "csc"):
        parts = [door.wrap(np.asarray(a)) for a in (matrix.indptr, matrix.indices, matrix.data)]
        make = sparse_csr_tensor if kind == "csr" else sparse_csc_tensor
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
    """SciPy's matrix of the same layout and values: `coo_array`, `csr_array` or `csc_array`."""
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
        make = found.csr_array if a.by_row else found.csc_array
        return make((a.values, a.others, a.pointers), shape=a.shape)
    if a.values.ndim != 1:
        raise ValueError("to_scipy: SciPy's matrices have no dense dimensions")
    return found.coo_array((a.values, tuple(a.indices)), shape=a.shape)
