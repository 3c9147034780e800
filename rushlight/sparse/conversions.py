"""From one layout to another: `to_sparse`, `to_sparse_csr` and their like.

What is converted to what, and PyTorch's words for what is not. How: `core.py` (`compress`,
`turned`), `kernels/sparse/arrays.py`.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from .. import layout
from ..autograd import door
from ..autograd.steps import Step
from ..errors import axis
from ..kernels.sparse import arrays
from .core import (
    COMPRESSED,
    NAMES,
    compress,
    coo,
    dense,
    dense_operand,
    is_sparse,
    layout_of,
    recorded,
    turned,
    wrap,
)

COO, CSR, CSC, STRIDED = (
    layout.sparse_coo, layout.sparse_csr, layout.sparse_csc, layout.strided,
)  # fmt: skip


def to_sparse(
    t: Any, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:  # fmt: skip
    """A dense or sparse tensor in a sparse layout: COO, unless `layout` says otherwise."""
    if isinstance(sparse_dim, type(COO)):
        layout, sparse_dim = sparse_dim, None
    return convert(t, COO if layout is None else layout, "to_sparse", sparse_dim, blocksize,
                   dense_dim)  # fmt: skip


def to_sparse_coo(t: Any) -> Any:
    """A tensor by coordinates."""
    return to_sparse(t)


def to_sparse_csr(t: Any, dense_dim: int | None = None) -> Any:
    """Matrices by rows."""
    return convert(t, CSR, "to_sparse_csr", None, None, dense_dim)


def to_sparse_csc(t: Any, dense_dim: int | None = None) -> Any:
    """Matrices by columns."""
    return convert(t, CSC, "to_sparse_csc", None, None, dense_dim)


def to_sparse_bsr(t: Any, blocksize: Any, dense_dim: int | None = None) -> Any:
    """Matrices of blocks by rows."""
    return convert(t, layout.sparse_bsr, "to_sparse_bsr", None, blocksize, dense_dim)


def to_sparse_bsc(t: Any, blocksize: Any, dense_dim: int | None = None) -> Any:
    """Matrices of blocks by columns."""
    return convert(t, layout.sparse_bsc, "to_sparse_bsc", None, blocksize, dense_dim)


def convert(t: Any, kind: Any, name: str, sparse_dim: Any, blocksize: Any, dense_dim: Any) -> Any:
    """A tensor in the layout `kind`; `name` is that of the method that is called."""
    source = layout_of(t._a)
    if source is kind:
        said = name
    elif source is STRIDED:
        said = f"dense_{name}"
    else:
        said = f"{'coo' if source is COO else 'sparse_compressed'}_{name}"
    if isinstance(blocksize, int):
        blocksize = (blocksize, blocksize)
    block = None if blocksize is None else tuple(int(n) for n in blocksize)
    if block is not None and len(block) != 2:
        raise RuntimeError(f"{said}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if kind is STRIDED:
        return dense(t) if is_sparse(t) else t
    if kind not in NAMES:
        raise RuntimeError(f"{said}: conversion to {kind!r} is not supported")
    blocked = kind in COMPRESSED and COMPRESSED[kind][1]
    if (block is not None) != blocked:
        without = "without" if blocked else "with"
        refuse(said, source, kind, f"{without} blocksize argument given")
    if block is not None and min(block) < 1:
        raise RuntimeError(f"{said}: blocksize needs to be positive, but got {list(block)}")
    if source is STRIDED:
        return of_dense(t, kind, said, sparse_dim, block or (), dense_dim)
    if dense_dim is not None:
        refuse(said, source, kind, "with dense_dim argument given")
    if source is COO:
        return of_coo(t, kind, said, sparse_dim, block or ())
    return of_compressed(t, kind, said, sparse_dim, block or ())


def refuse(said: str, source: Any, kind: Any, what: str) -> NoReturn:
    raise RuntimeError(
        f"{said}: conversion from {NAMES[source]} to {NAMES[kind]} {what} is not supported"
    )


def of_dense(
    t: Any, kind: Any, said: str, sparse_dim: Any, block: tuple[int, ...], dense_dim: Any
) -> Any:
    n = t.ndim
    if kind is COO:
        k = n - (dense_dim or 0) if sparse_dim is None else sparse_dim
        if not 0 <= k <= n or (k == 0 and n):
            raise RuntimeError(
                f"{said}: sparse_dim argument must be in [0,{n}] range, but {k} is given"
            )
        indices, values = door.perform(_parts, (t._a,), {"sparse_dim": k})
        a: Any = arrays.Coo(indices, values, t._a.shape, True)
    else:
        if n < 2:
            axis(-2, n)
        if not 0 <= (dense_dim or 0) <= n - 2:
            raise RuntimeError(
                f"{said}: dense_dim argument must be in [0,{n - 2}] range, but {dense_dim} is given"
            )
        batch = t._a.shape[: n - 2 - (dense_dim or 0)]
        if not math.prod(batch):
            raise RuntimeError(
                f"{said.removeprefix('dense_')}: Expected product of batch dimensions to be "
                "non-zero."
            )
        check_blocks(said, t._a.shape[len(batch) :], block)
        form = {"by_row": COMPRESSED[kind][0], "block": block, "dense_dim": dense_dim or 0}
        a = door.perform(_compressed, (t._a,), form)
    return recorded("ToSparseBackward0", wrap(a), (t,), dense_operand)


_parts = Step("to_sparse", arrays.parts_of, outputs=2, shown="aten::to_sparse")
_compressed = Step("to_sparse_compressed", arrays.compressed_of, shown="aten::to_sparse_csr")


def check_blocks(said: str, matrix: Any, block: tuple[int, ...]) -> None:
    try:
        arrays.check_blocks(matrix[:2], block)
    except RuntimeError as error:
        raise RuntimeError(f"{said}: {error}") from None


def of_coo(t: Any, kind: Any, said: str, sparse_dim: Any, block: tuple[int, ...]) -> Any:
    if kind is COO:
        if sparse_dim is not None and sparse_dim != t.sparse_dim():
            refuse(said, COO, COO, "with sparse_dim argument !=self.sparse_dim()")
        return t
    if t.sparse_dim() != 2:
        refuse(said, COO, kind, "for input tensors with sparse_dim()!=2")
    check_blocks(said, t._a.shape, block)
    return compress(t, by_row=COMPRESSED[kind][0], block=block)


def of_compressed(t: Any, kind: Any, said: str, sparse_dim: Any, block: tuple[int, ...]) -> Any:
    a, source = t._a, layout_of(t._a)
    if kind is COO:
        if sparse_dim not in (None, 2):
            refuse(said, source, COO, "with sparse_dim argument !=2")
        return coo(t)
    by_row, blocked = COMPRESSED[kind]
    if a.blocked and blocked and a.block != block:
        changed = f"with blocksize changed from {list(a.block)} to {list(block)}"
        refuse(said, source, kind, changed)
    if source is kind:
        return t
    if a.blocked is blocked:
        return turned(t)
    if a.blocked:
        raise RuntimeError(
            f"{said}: expected SparseCsr or SparseCsc layout but got {NAMES[source]}"
        )
    if a.batch_dim:
        refuse(said, source, kind, "for batched inputs")
    check_blocks(said, a.shape, block)
    return compress(coo(t), by_row=by_row, block=block, index=a.pointers.dtype)
