"""Matrices by rows and columns, with or without blocks: CSR, CSC, BSR and BSC.

All four are (compressed indices, plain indices, values) with a batch in front, blocks in the
values, and dense dimensions behind them (`Compressed` in `kernels/sparse/arrays.py`). Here are
their factories, and what must hold of the parts.

Not here: conversions from and to other layouts (`conversions.py`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes, layout
from ..autograd.node import TensorBase
from ..device import refuse_pinned
from ..dtypes import type_name
from ..errors import message
from ..kernels.sparse.arrays import INDEX, Compressed
from .core import COMPRESSED, NAMES, is_sparse, layout_of, like, values_of, wrap
from .invariants import ALL, NONE, level

# By row or not: (what the compressed indices are called, what the plain ones).
INDICES = {True: ("crow_indices", "col_indices"), False: ("ccol_indices", "row_indices")}


def factory(name: str, kind: Any) -> Any:
    own, other = INDICES[COMPRESSED[kind][0]]

    def make(
        compressed: Any = None, plain: Any = None, values: Any = None, size: Any = None, *,
        dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
        requires_grad: bool = False, check_invariants: bool | None = None, **named: Any,
    ) -> Any:  # fmt: skip
        if pin_memory:
            refuse_pinned(name, pin_memory, device)
        if layout is not None and layout is not kind:
            raise RuntimeError(
                f"{name}: layout must be {NAMES[kind]} but got {NAMES.get(layout, layout)}"
            )
        compressed, plain = named.pop(own, compressed), named.pop(other, plain)
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
        parts = compressed, plain, values
        return made(kind, parts, size, dtype, device, requires_grad, check_invariants)

    make.__name__ = name
    make.__doc__ = f"A matrix in the layout {kind!r}: ({own}, {other}, values, size)."
    return make


sparse_csr_tensor = factory("sparse_csr_tensor", layout.sparse_csr)
sparse_csc_tensor = factory("sparse_csc_tensor", layout.sparse_csc)
sparse_bsr_tensor = factory("sparse_bsr_tensor", layout.sparse_bsr)
sparse_bsc_tensor = factory("sparse_bsc_tensor", layout.sparse_bsc)


def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> Any:  # fmt: skip
    """A matrix in the compressed layout that `layout` names."""
    if pin_memory:
        refuse_pinned("sparse_compressed_tensor", pin_memory, device)
    if layout not in COMPRESSED:
        got = "none" if layout is None else NAMES.get(layout, layout)
        raise RuntimeError(
            f"sparse_compressed_tensor expected sparse compressed tensor layout but got {got}"
        )
    parts = compressed_indices, plain_indices, values
    return made(layout, parts, size, dtype, device, requires_grad, check_invariants)


def made(
    kind: Any, parts: Any, size: Any, dtype: Any, device: Any, requires_grad: bool, check: Any
) -> Any:
    """The tensor of (compressed indices, plain indices, values): Tensors, or what makes them."""
    from .create import as_values, finished, sizes

    for part, name in zip(parts, (*INDICES[COMPRESSED[kind][0]], "values"), strict=True):
        if isinstance(part, TensorBase) and is_sparse(part):
            raise RuntimeError(
                f"expected {name} to be a strided tensor but got {NAMES[layout_of(part._a)]} tensor"
            )
    held = as_values(parts[2], dtype, device)
    compressed, plain = (as_given(part) for part in parts[:2])
    size = inferred(compressed, plain, held._a, kind) if size is None else sizes(size)
    check_parts(compressed, plain, held._a, size, kind, level(check))
    a = Compressed(compressed, plain, held._a, size, *COMPRESSED[kind])
    return finished(like(a, held), requires_grad)


def as_given(indices: Any) -> Any:
    """Indices as an array of the type that they have."""
    if isinstance(indices, TensorBase):
        return indices._a
    a = np.asarray(indices)
    return a if a.size else a.astype(INDEX)


def inferred(compressed: Any, plain: Any, values: Any, kind: Any) -> tuple[int, ...]:
    """The smallest sizes for these parts."""
    by_row, blocked = COMPRESSED[kind]
    check_ranks(compressed, plain, values, None, kind)
    b = compressed.ndim - 1
    block = values.shape[b + 1 : b + 3] if blocked else (1, 1)
    top = int(plain.max()) + 1 if plain.size else 0
    counts = (compressed.shape[-1] - 1, top) if by_row else (top, compressed.shape[-1] - 1)
    matrix = (n * k for n, k in zip(counts, block, strict=True))
    return (*compressed.shape[:-1], *matrix, *values.shape[b + 1 + 2 * blocked :])


# -- what must hold ------------------------------------------------------------------------------


def check_parts(
    compressed: Any, plain: Any, values: Any, size: Any, kind: Any, how: str = ALL
) -> None:
    """Raise for what is no array of this layout.

    The shapes are looked at always, the numbers too unless that was switched off, and with ALL
    their order: what PyTorch asks for when it looks at all.
    """
    if values.__class__ is not np.ndarray:
        raise NotImplementedError("sparse tensors on the meta device are not part of Rushlight")
    check_ranks(compressed, plain, values, size, kind)
    check_shapes(compressed, plain, values, size, kind)
    check_types(compressed, plain, kind)
    if how != NONE:
        check_numbers(compressed, plain, values, size, kind)
    if how == ALL:
        check_order(compressed, plain, kind)


def check_ranks(compressed: Any, plain: Any, values: Any, size: Any, kind: Any) -> None:
    by_row, blocked = COMPRESSED[kind]
    own, other = INDICES[by_row]
    b, k = compressed.ndim - 1, 2 * blocked
    dense = values.ndim - b - k - 1
    if b < 0:
        raise RuntimeError(f"{own} must have dimensionality >= 1 but got {compressed.ndim}")
    if compressed.ndim != plain.ndim:
        raise RuntimeError(
            f"{own} and {other} dimensionalities must be equal but got {compressed.ndim} and "
            f"{plain.ndim}, respectively"
        )
    if dense < 0:
        raise RuntimeError(
            "values must have dimensionality > sum of batch and block dimensionalities "
            f"(={b} + {k}) but got {values.ndim}"
        )
    if size is not None and len(size) != b + 2 + dense:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={b} + 2 + {dense}) but got {len(size)}"
        )


def check_shapes(compressed: Any, plain: Any, values: Any, size: Any, kind: Any) -> None:
    by_row, blocked = COMPRESSED[kind]
    own, other = INDICES[by_row]
    b = compressed.ndim - 1
    batches = [list(a.shape[:b]) for a in (compressed, plain, values)]
    batch = list(size[:b])
    if any(found != batch for found in batches):
        raise RuntimeError(
            f"all batch dimensions of {own} (={batches[0]}), {other} (={batches[1]}), and values "
            f"(={batches[2]}) must be equal to tensor batch dimensions (={batch})"
        )
    block = values.shape[b + 1 : b + 3] if blocked else (1, 1)
    for d in range(2):
        if blocked and (block[d] < 1 or size[b + d] % block[d]):
            raise RuntimeError(
                f"tensor shape[{b + d}] (={size[b + d]}) must be divisible with blocksize[{d}] "
                f"(={block[d]}) as defined by values shape"
            )
    d = 0 if by_row else 1
    n = size[b + d] // block[d]
    if compressed.shape[-1] != n + 1:
        what = ("row" if by_row else "column") + (" block" if blocked else "") + "s"
        raise RuntimeError(
            f"{own}.shape[-1] must be equal to the number of {what} + 1 (={n + 1}), but got "
            f"{compressed.shape[-1]}"
        )
    if plain.shape[-1] != values.shape[b]:
        raise RuntimeError(
            f"{other}.shape[-1] must be equal to nnz (={values.shape[b]}) as defined by "
            f"values.shape[{b}], but got {plain.shape[-1]}"
        )
    held, wanted = list(values.shape[b + 1 + 2 * blocked :]), list(size[b + 2 :])
    if held != wanted:
        raise RuntimeError(
            message(
                f"values must have the tensor's dense dimensions: {held} != {wanted}",
                got=f"values of {tuple(values.shape)} for a size of {tuple(size)}",
            )
        )


def check_types(compressed: Any, plain: Any, kind: Any) -> None:
    own, other = INDICES[COMPRESSED[kind][0]]
    types = [type_name(dtypes.from_numpy(a.dtype)) for a in (compressed, plain)]
    if types[0] != types[1]:  # "bot" is PyTorch's spelling, which its tests look for
        raise RuntimeError(
            f"{own} and {other} must have the same dtype, bot got {types[0]} and {types[1]}, "
            "respectively"
        )
    if compressed.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{own} and {other} dtype must be Int or Long, but got {types[0]}")


def check_numbers(compressed: Any, plain: Any, values: Any, size: Any, kind: Any) -> None:
    by_row, blocked = COMPRESSED[kind]
    own, other = INDICES[by_row]
    b = compressed.ndim - 1
    width = size[b + 1] if by_row else size[b]
    if blocked:
        width //= values.shape[b + 2 if by_row else b + 1]
    across = "ncols" if by_row else "nrows"
    if (compressed[..., 0] != 0).any():
        raise RuntimeError(f"`{own}[..., 0] == 0` is not satisfied.")
    if (compressed[..., -1] != plain.shape[-1]).any():
        raise RuntimeError(f"`{own}[..., -1] == nnz` is not satisfied.")
    steps = np.diff(compressed, axis=-1)
    if steps.size and (steps.min() < 0 or steps.max() > width):
        raise RuntimeError(f"`0 <= {own}[..., 1:] - {own}[..., :-1] <= {across}` is not satisfied.")
    if plain.size and (plain.min() < 0 or plain.max() >= width):
        raise RuntimeError(f"`0 <= {other} < {across}` is not satisfied.")


def check_order(compressed: Any, plain: Any, kind: Any) -> None:
    by_row = COMPRESSED[kind][0]
    own, other = INDICES[by_row]
    batch, nnz = math.prod(plain.shape[:-1]), plain.shape[-1]
    starts = compressed[..., 1:-1].reshape(batch, max(compressed.shape[-1] - 2, 0))
    rises = np.diff(plain.reshape(batch, nnz), axis=-1) > 0
    for row, begins in zip(rises, starts, strict=True):
        row[begins[(begins > 0) & (begins < nnz)] - 1] = True
    if not rises.all():
        count = "nrows" if by_row else "ncols"
        raise RuntimeError(
            f"`{other}[..., {own}[..., i - 1]:{own}[..., i]] for all i = 1, ..., {count} are "
            "sorted and distinct along the last dimension values` is not satisfied."
        )
    for name, a in ((own, compressed), (other, plain)):
        if a.shape[-1] > 1 and a.strides[-1] != a.itemsize:
            raise RuntimeError(f"expected {name} to be a contiguous tensor per batch")


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any, layout: Any,
    check_pinning: bool | None = None,
) -> None:  # fmt: skip
    """Raise unless these make a tensor in this compressed layout."""
    if layout not in COMPRESSED:
        raise RuntimeError(
            "validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but "
            f"got {NAMES.get(layout, layout)}"
        )
    made(layout, (compressed_indices, plain_indices, values), size, None, None, False, True)


def validation(kind: Any) -> Any:
    own, other = INDICES[COMPRESSED[kind][0]]

    def fn(
        compressed: Any, plain: Any, values: Any, size: Any, check_pinning: bool | None = None
    ) -> None:
        _validate_sparse_compressed_tensor_args(compressed, plain, values, size, kind)

    fn.__name__ = f"_validate_{kind.name}_tensor_args"
    fn.__doc__ = f"Raise unless ({own}, {other}, values, size) make a tensor in {kind!r}."
    return fn


_validate_sparse_csr_tensor_args = validation(layout.sparse_csr)
_validate_sparse_csc_tensor_args = validation(layout.sparse_csc)
_validate_sparse_bsr_tensor_args = validation(layout.sparse_bsr)
_validate_sparse_bsc_tensor_args = validation(layout.sparse_bsc)


# -- of nothing ----------------------------------------------------------------------------------


def zeros(
    shape: tuple[int, ...], dtype: Any, by_row: bool, block: tuple[int, ...] = (),
    batch_dim: int = 0, index: Any = INDEX,
) -> Any:  # fmt: skip
    """Zeros in a compressed layout, none of them stored."""
    b, d = batch_dim, 0 if by_row else 1
    batch, n = shape[:b], shape[b + d] // (max(block[d], 1) if block else 1)
    parts = (
        np.zeros((*batch, n + 1), index),
        np.zeros((*batch, 0), index),
        np.zeros((*batch, 0, *block, *shape[b + 2 :]), dtype),
    )
    return wrap(Compressed(*parts, shape, by_row, bool(block)))


def empty(name: str, shape: tuple[int, ...], dtype: Any, kind: Any) -> Any:
    """`zeros` and `empty` of a compressed layout: dimensions before the last two are a batch."""
    by_row, blocked = COMPRESSED[kind]
    if len(shape) < 2:
        raise RuntimeError(
            f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but "
            f"got size {list(shape)}"
        )
    if blocked:
        raise RuntimeError(
            f"{name}_sparse_compressed expected sparse compressed (non-block) tensor layout but "
            f"got {NAMES[kind]}"
        )
    return zeros(shape, dtype, by_row, (), len(shape) - 2)


def batch_of(s: Any, dim: int, index: int) -> Any:
    """One matrix, or a smaller batch, of a batch of them."""
    a = s._a
    at = (slice(None),) * dim + (index,)
    made = Compressed(
        a.pointers[at], a.others[at], a.values[at],
        (*a.shape[:dim], *a.shape[dim + 1 :]), a.by_row, a.blocked,
    )  # fmt: skip
    return like(made, values_of(s).select(dim, index))
