"""Lookups: embedding, one_hot.

A lookup and the summing of rows by place are each other's transpose, so each is the other's rule.
Bags of lookups: `embedding_bag.py`. Read next: `kernels/embedding/select.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes, storage
from ...autograd import door, views
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import message
from ...kernels.embedding import reference
from ...kernels.embedding import select as kernel
from ...kernels.indices import asked, within
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.numerics import DependsOnData, depends_on_data
from ..core.record import op
from ..core.samples import arr, case, error, ints, values
from ..shape.views import array_of

ROWS = arr((2, 3), 0, 5, "int64")

# -- the lookup and its transpose ----------------------------------------------------------------


@op(
    samples=[case((5, 4), ROWS), case((6, 4), arr((2,), 0, 6, "int64"))],
    errors=[error(IndexError, "index out of range in self", (5, 4), arr((2,), 5, 9, "int64"))],
    public="",
    fresh=True,
    low="keep",
)
def embedding(
    weight: Any, indices: Any, *, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> Any:
    """The rows of a table at the indices; row `padding_idx` gets no gradient."""
    if not asked() and (rows := few.taken(weight, indices)) is not None:
        return rows
    check_range(indices, weight.shape[0])
    return kernel.take(weight, indices)


def _rows_added(
    g: Any, _y: Any, _w: Any, i: Any, *, padding_idx: int, scale_grad_by_freq: bool, shapes: Any
) -> Any:
    return embedding_backward(
        g, i, n=shapes[0][0], padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq
    )


embedding.vjp(_rows_added, None)
embedding.planned(lambda *a, **kw: kernel.plan_embedding(*a, **kw))
embedding.shape(
    lambda w, i, padding_idx=-1, scale_grad_by_freq=False: MetaArray(
        (*i.shape, *w.shape[1:]), w.dtype
    )
)


@op(
    samples=[
        case((2, 3, 4), ROWS, n=5),
        case((2, 3, 4), ROWS, n=5, padding_idx=2, scale_grad_by_freq=True),
    ],
    public="",
    fresh=True,
    name="embedding_dense_backward",
)
def embedding_backward(
    grad: Any, indices: Any, *, n: int, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> Any:
    """Rows added up at their indices: a table of `n` rows."""
    factor = factors(indices, n, -1, scale_grad_by_freq)
    rows = grad if factor is None else grad * factor.astype(grad.dtype)
    y = kernel.sum_rows(rows.reshape(indices.size, grad.shape[-1]), indices.reshape(-1), n)
    if padding_idx >= 0:  # not times 0: what comes there may be NaN
        y[padding_idx] = 0
    return y


embedding_backward.shape(lambda g, indices, *, n, **_: MetaArray((n, g.shape[-1]), g.dtype))


def factors(indices: Any, n: int, padding_idx: int, by_frequency: bool) -> Any:
    """What each looked-up row's gradient is multiplied by, (*indices.shape, 1); None for 1."""
    if padding_idx < 0 and not by_frequency:
        return None
    factor = np.ones(indices.shape)
    if by_frequency:
        factor /= np.bincount(indices.reshape(-1), minlength=n)[indices]
    factor[indices == padding_idx] = 0
    return factor[..., None]


def _rows_again(
    g: Any, _y: Any, _g: Any, i: Any, *, n: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    rows = embedding(g, i)
    factor = factors(array_of(i), n, padding_idx, scale_grad_by_freq)
    if factor is None:
        return rows
    factor = factor.astype(array_of(g).dtype)
    return rows * (factor if isinstance(rows, np.ndarray) else door.wrap(factor))


embedding_backward.vjp(_rows_again, None)
embedding_backward.planned(lambda *a, **kw: kernel.plan_gradient(*a, **kw))


def check_range(indices: Any, n: int) -> None:
    if not n and indices.size:
        raise RuntimeError(
            message(
                "index_select(): self indexing axis dim should be positive",
                got="a table without rows",
                wanted="0 <= index < 0 (the number of rows)",
            )
        )
    if not within(indices, 0, n):
        bad = indices[(indices < 0) | (indices >= n)].flat[0]
        raise IndexError(
            message(
                "index out of range in self",
                got=f"index {int(bad)}",
                wanted=f"0 <= index < {n} (the number of rows)",
                hint="a larger num_embeddings, or look at how the indices are made",
            )
        )


def check_indices(indices: Any, fn: str) -> None:
    kind = dtypes.from_numpy(indices._a.dtype)
    if kind not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            message(
                "Expected tensor for argument #1 'indices' to have one of the following scalar "
                f"types: Long, Int; but got torch.{type_name(kind)}Tensor instead (while checking "
                f"arguments for {fn})",
                hint="x.long()",
            )
        )


def _renormalised(table: Any, indices: Any, max_norm: float, norm_type: float) -> None:
    used = np.unique(indices)
    check_range(used, table.shape[0])
    reference.renormalise(table, used, max_norm, norm_type)


_renormalise = Step("embedding_renorm_", _renormalised, outputs=0, mutates=(0,))


def renormalised(weight: Any, input: Any, max_norm: float, norm_type: float) -> None:
    """Shrink the rows that are looked up, in the table itself."""
    kw = {"max_norm": float(max_norm), "norm_type": float(norm_type)}
    storage.unlocked(weight._a)
    door.perform(_renormalise, (weight._a, input._a), kw)
    views.cell(weight).bump("embedding_renorm_")


# -- public --------------------------------------------------------------------------------------


def table_of(weight: Any) -> None:
    if weight._a.ndim != 2:
        raise RuntimeError(message("'weight' must be 2-D", got=f"{tuple(weight._a.shape)}"))


def lookup(
    weight: Any, input: Any, padding_idx: int, by_frequency: bool, sparse: bool = False
) -> Any:
    check_indices(input, "embedding")
    table_of(weight)
    if sparse and weight._fn is not None and weight._a.__class__ is not MetaArray:
        from ...sparse.rows import looked_up

        return looked_up(weight, input, padding_idx, by_frequency)
    kw = {"padding_idx": padding_idx, "scale_grad_by_freq": by_frequency}
    return embedding.call((weight, input), kw)


@composite(
    public="torch",
    name="embedding",
    samples=[case((5, 3), ints((2, 2), 5)), case((5, 3), values([0, 2, 0]), 1)],
)
def _torch_embedding(
    weight: Any,
    indices: Any,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of a table: `nn.functional.embedding` with the table first.

    Row `padding_idx` gets no gradient; `scale_grad_by_freq` divides gradients by how often their
    row occurs in `indices`; `sparse` makes the table's gradient a sparse tensor.

    >>> torch.embedding(torch.eye(3), torch.tensor([2, 0]))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    need_tensor("embedding", weight, 1, "weight")
    need_tensor("embedding", indices, 2, "indices")
    return lookup(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@composite(
    loose="norm_type",
    public="nn.functional",
    name="embedding",
    samples=[case(ints((2, 2), 5), (5, 3)), case(values([0, 2, 0]), (5, 3), 1)],
)
def _embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """Rows of a table.

    Args:
        input: indices, any shape. weight: (N, D), the table. Returns (*, D).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up and have a larger norm (of `norm_type`) are shrunk to
            it first, in the table itself.
        scale_grad_by_freq: divide gradients by how often their row occurs in the input.
        sparse: the table's gradient is a sparse tensor of the rows that were looked up, which
            SparseAdam, SGD and Adagrad take.

    >>> F.embedding(torch.tensor([1]), torch.eye(2))
    tensor([[0., 1.]])
    """
    need_tensor("embedding", weight, 1, "weight")
    if padding_idx is not None and not weight._a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    padding = _padding(padding_idx, weight.shape[0] if weight._a.ndim else 0)
    table_of(weight)
    if max_norm is not None:
        check_indices(input, "embedding")
        renormalised(weight, input, max_norm, norm_type)
    return lookup(weight, input, padding, scale_grad_by_freq, sparse)


def _padding(padding_idx: int | None, n: int) -> int:
    if padding_idx is None:
        return -1
    if not -n <= padding_idx < n:
        raise AssertionError(
            message(
                "Padding_idx must be within num_embeddings",
                got=f"padding_idx={padding_idx}, {n} rows",
            )
        )
    return padding_idx % n


def _one_hot_shape(tensor: Any, num_classes: int = -1) -> MetaArray:
    if num_classes < 0:
        raise DependsOnData(depends_on_data("one_hot"))
    return MetaArray((*tensor.shape, num_classes), np.int64)


@composite(
    public="nn.functional",
    shape=_one_hot_shape,
    samples=[case(ints((2, 3), 4), 5), case(values([0, 2, 1]), 3)],
)
def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """1 at each index, 0 elsewhere: (*) -> (*, num_classes), int64.

    >>> F.one_hot(torch.tensor([1, 0]))
    tensor([[0, 1],
            [1, 0]])
    """
    if door.state.observers and num_classes != -1:  # else the shape is a matter of numbers
        return door.wrap(door.perform(_hot, (tensor._a,), {"n": num_classes}))
    return door.wrap(encoded(tensor._a, n=num_classes))


def encoded(a: Any, *, n: int) -> Any:
    """`one_hot` of an array; n is -1 or the number of classes."""
    known = n != -1 or a.dtype != np.int64 or not a.size
    if (made := few.hot(a, n if known else int(a.max()) + 1)) is not None:
        return made
    if a.dtype != np.int64:
        raise RuntimeError(
            message(
                "one_hot is only applicable to index tensor of type LongTensor.",
                got=f"{dtypes.from_numpy(a.dtype)!r}",
                hint="x.long()",
            )
        )
    if not a.size:
        if n <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return np.zeros((*a.shape, n), np.int64)
    if a.min() < 0:
        raise RuntimeError(message("Class values must be non-negative.", got=f"{a.min()}"))
    if n == -1:
        n = int(a.max()) + 1
    elif n < 1:
        raise RuntimeError("num_classes should be positive")
    elif a.max() >= n:
        raise RuntimeError(
            message(
                "Class values must be smaller than num_classes.",
                got=f"class {a.max()}, num_classes={n}",
            )
        )
    out = np.zeros((*a.shape, n), np.int64)
    out.reshape(-1)[np.arange(0, out.size, n) + a.reshape(-1)] = 1
    return out


_hot = Step("one_hot", encoded)
