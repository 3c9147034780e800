"""index_add, index_copy, index_reduce: whole slices written by a 1-d index.

Reading them is in `index_select.py`, one number for them in `index_fill.py`, brackets in
`getitem.py`, single elements in `gather.py`, masks in `masks.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import changes, overlaps
from ...dtypes import type_name
from ...errors import BoundsError, axis, message
from ...kernels import dense
from ...kernels.embedding import along
from ...kernels.indices import asked, within
from ...kernels.meta import MetaArray
from ...kernels.sparse import select as sums
from ..core import described
from ..core.accepted import Accepted
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.numerics import in_place_by
from ..core.record import op
from ..core.samples import Case, case, ints, values
from .gather import same_type
from .index_fill import index_fill
from .index_select import at, checked, index_select, index_spread, inside, one, rows
from .scatter_reduce import check_reduce, reduce_at, reduce_rule


def changed(name: str) -> Any:
    """The shape rule of an op that changes slices at `index`, after its checks."""

    def rule(x: Any, index: Any, source: Any, *, dim: int, **_: Any) -> MetaArray:
        check_source(name + "_", x, index, source, dim)
        return MetaArray(x.shape, x.dtype)

    return rule


def check_copied(input: Any, index: Any, source: Any, dim: int) -> None:
    """What index_copy asks of its source before it looks at types."""
    axis(dim, input.ndim)
    wrong = None
    if index.ndim > 1:
        wrong = f"Index should have dimension 1 or 0 (got {index.ndim})"
    elif source.ndim == 0 and index.size != 1:
        wrong = f"When source is scalar, index should have one element (got {index.size})"
    elif source.ndim != input.ndim and source.ndim and input.ndim:
        wrong = (
            "When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if wrong is not None:
        raise IndexError(message(f"index_copy_(): {wrong}"))


def check_source(name: str, input: Any, index: Any, source: Any, dim: int) -> int:
    """The dimension in range, after PyTorch's checks of index and source."""
    if name == "index_copy_":
        check_copied(input, index, source, dim)
    d = checked(name, input, index, dim)
    same_type(name[:-1], input, source)
    if name != "index_copy_" and d and d >= source.ndim:
        raise RuntimeError(
            message(
                f"{name}(): Indexing dim {d} is out of bounds of the source tensor with dim "
                f"{source.ndim}"
            )
        )
    n = source.shape[d] if source.ndim else 1
    if name == "index_copy_" and source.ndim and source.ndim == input.ndim:
        for k, (mine, theirs) in enumerate(zip(input.shape, source.shape, strict=True)):
            if k != d and mine != theirs:
                raise RuntimeError(
                    message(
                        "index_copy_(): Source/destination tensor must have same slice shapes. "
                        f"Destination slice shape: {mine} at dimension {k} and source slice "
                        f"shape: {theirs} at dimension {k}."
                    )
                )
    if index.size != n:
        # an IndexError too where PyTorch asks a number for its size to say so
        raise (IndexError if name == "index_copy_" or not source.ndim else RuntimeError)(
            message(
                f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): "
                f"({n}), for dim: {d}"
            )
        )
    if source.ndim and (source.shape[:d] + source.shape[d + 1 :]) != (
        input.shape[:d] + input.shape[d + 1 :]
    ):
        raise RuntimeError(
            message(
                "source tensor shape must match self tensor shape, excluding the specified "
                "dimension. Got source.shape = "
                f"{list(source.shape)} self.shape = {list(input.shape)}",
            )
        )
    return d


def check_change(name: str, input: Any, index: Any, source: Any, dim: int) -> tuple[int, bool]:
    """(dimension, whether there is nothing to change) of a change along `dim`, after all checks."""
    d = check_source(name + "_", input, index, source, dim)
    n = input.shape[d] if input.ndim else 1
    if name == "index_add" and input.ndim > 1 and input.size and not within(index, 0, n):
        worst = int(index.max()) if index.max() >= n else int(index.min())
        raise BoundsError(
            message(
                f"index out of range in self: index {worst} is out of bounds for dimension {d} "
                f"with size {n}",
                wanted=f"indices from 0 to {n - 1}",
            )
        )
    nothing = input.ndim > 1 and not input.size  # where nothing is written PyTorch does not look
    if nothing and (name == "index_add" or (name == "index_copy" and n)):
        return d, True
    inside(index, n, name)
    return d, False


def ready(name: str, input: Any, index: Any, source: Any, dim: int) -> tuple[Any, Any, Any]:
    """(copy with at least one dimension, key, source) for a change along `dim`."""
    d, nothing = check_change(name, input, index, source, dim)
    out = dense.in_order(input)
    if nothing:
        return out, (), source.dtype.type(0)
    if not out.ndim:
        out, source = out.reshape(1), np.atleast_1d(source)
    return out, at(d, index), source if source.ndim else source.reshape(1)


@op(
    samples=[case((3, 4), rows, (2, 4), dim=0, alpha=2), case((3, 4), rows, (3, 2), dim=1)],
    fresh=True,
    public="",
)
def index_add(input: Any, index: Any, source: Any, *, dim: int, alpha: Any = 1) -> Any:
    """A copy with alpha times the slices of `source` added at `index`."""
    out, key, source = ready("index_add", input, index, source, dim)
    source = source if alpha == 1 else (source * np.asarray(alpha)).astype(out.dtype)
    if key:
        sums.add_slices(out, key[-1], source, len(key) - 1)
    return out.reshape(input.shape)


def index_add_over(input: Any, index: Any, source: Any, *, dim: int, alpha: Any = 1) -> None:
    """`index_add` in memory that may be written to."""
    d, nothing = check_change("index_add", input, index, source, dim)
    if nothing:
        return
    source = source if alpha == 1 else (source * np.asarray(alpha)).astype(input.dtype)
    out = input if input.ndim else input.reshape(1)
    sums.add_slices(out, index.reshape(-1), source if source.ndim else source.reshape(1), d)


in_place_by(index_add, index_add_over, indices=(1,))
index_add.shape(changed("index_add"))


index_add.vjp(
    lambda g, _y, _x, _i, _s: g,
    None,
    lambda g, _y, _x, index, _s, *, dim, alpha, shapes: (
        index_select(g, index, dim=dim) * alpha
    ).reshape(shapes[2]),
)


@op(
    samples=[case((3, 4), one, (1, 4), dim=0), case((3, 4), one, (3, 1), dim=1)],
    low="keep",
    fresh=True,
    public="",
    autocast="promote",
)
def index_copy(input: Any, index: Any, source: Any, *, dim: int) -> Any:
    """A copy with the slices of `source` at `index`."""
    out, key, source = ready("index_copy", input, index, source, dim)
    if asked() and along.native(out, key[-1]):
        along.put(out, key[-1], source, len(key) - 1)
    else:
        out[key] = source
    return out.reshape(input.shape)


def index_copy_over(input: Any, index: Any, source: Any, *, dim: int) -> None:
    """`index_copy` in memory that may be written to."""
    d, nothing = check_change("index_copy", input, index, source, dim)
    if not nothing:
        out = input if input.ndim else input.reshape(1)
        out[at(d, index)] = source if source.ndim else source.reshape(1)


in_place_by(index_copy, index_copy_over, indices=(1,), strided=True)

index_copy.shape(changed("index_copy"))


index_copy.vjp(
    lambda g, _y, _x, index, _s, *, dim: index_fill(g, index, dim=dim, value=0),
    None,
    lambda g, _y, _x, index, _s, *, dim, shapes: index_select(g, index, dim=dim).reshape(shapes[2]),
)


REAL_OR_INTEGER = {
    kernel: Accepted(f"floating integral: {kernel}")
    for kernel in ("index_func_", "index_reduce_func_exclude_input_init")
}


@op(
    samples=[case((3, 4), one, (1, 4), dim=0, reduce=r) for r in ("prod", "mean", "amax", "amin")]
    + [case((3, 4), one, (1, 4), dim=0, reduce="mean", include_self=False)],
    fresh=True,
    public="",
    low="own",
)
def index_reduce(
    input: Any, index: Any, source: Any, *, dim: int, reduce: str, include_self: bool = True
) -> Any:
    """A copy into which the slices of `source` are reduced at `index`."""
    check_index_reduce(input, index, reduce, include_self)
    out, key, source = ready("index_reduce", input, index, source, dim)
    if out.dtype.kind == "W":  # complex32, which NumPy does not compute in
        whole = out.astype(np.complex64)
        reduce_at(whole, key[-1], source.astype(np.complex64), len(key) - 1, reduce, include_self)
        out = whole.astype(input.dtype)
    elif key:
        reduce_at(out, key[-1], source, len(key) - 1, reduce, include_self)
    return out.reshape(input.shape)


def index_reduce_over(
    input: Any, index: Any, source: Any, *, dim: int, reduce: str, include_self: bool = True
) -> None:
    """`index_reduce` in memory that may be written to."""
    check_index_reduce(input, index, reduce, include_self)
    d, nothing = check_change("index_reduce", input, index, source, dim)
    if not nothing:
        out = input if input.ndim else input.reshape(1)
        source = source if source.ndim else source.reshape(1)
        reduce_at(out, index.reshape(-1), source, d, reduce, include_self)


in_place_by(index_reduce, index_reduce_over, indices=(1,))


def check_index_reduce(input: Any, index: Any, reduce: str, include_self: bool) -> None:
    """What `index_reduce` asks of its parameters, and of the type."""
    check_reduce("index_reduce", reduce)
    if reduce == "sum":
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got sum."
        )
    apart = input.ndim > 1 and include_self  # PyTorch reduces slice by slice, by other kernels
    bad = {"prod": "", "mean": "b"}.get(reduce, "cW") if apart else "cWb"
    if input.dtype.kind in bad and (input.dtype.kind != "b" or index.size):
        kernel = "index_func_" if include_self else "index_reduce_func_exclude_input_init"
        REAL_OR_INTEGER[kernel].check_array(input.dtype)


index_reduce.shape(changed("index_reduce"))


@index_reduce.joint
def _(
    g: Any,
    y: Any,
    x: Any,
    index: Any,
    source: Any,
    *,
    dim: int,
    reduce: str,
    include_self: bool,
    needs: Any,
    shapes: Any,
) -> Any:
    def spread(v: Any) -> Any:
        return index_select(v, index, dim=dim)

    def back(v: Any) -> Any:
        return index_spread(v, index, shape=shapes[0], dim=dim)

    to_self, to_source = reduce_rule(g, y, x, source, reduce, include_self, spread, back)
    return (to_self if needs[0] else None, None, to_source if needs[2] else None)


def of_one_type(name: str, input: Any, inputs: Any, dim: int) -> None:
    """What adds up or reduces does not promote: both have one type."""
    index, source = inputs
    a, b = input._a.dtype, source._a.dtype
    if a != b:
        checked(name + "_", input._a, index._a, dim)
        kinds = [type_name(dtypes.from_numpy(t)) for t in (a, b)]
        raise RuntimeError(
            message(
                f"{name}_(): self ({kinds[0]}) and source ({kinds[1]}) must have the same "
                "scalar type",
                hint="source.to(input.dtype)",
            )
        )


def pair(record: Any, name: str, fn: Any, doc: str, *samples: Case) -> None:
    """Publish `name` and `name_` of an op; `fn(*args)` gives its further inputs and parameters."""

    def plain(input: Any, *args: Any, **kw: Any) -> Any:
        inputs, params = fn(*args, **kw)
        need_tensor(name, inputs[0], 3, "index")
        if record is not index_copy:
            of_one_type(name, input, inputs, params["dim"])
        return record.call((input, *inputs), params)

    def inplace(input: Any, *args: Any, **kw: Any) -> Any:
        inputs, params = fn(*args, **kw)
        need_tensor(name + "_", inputs[0], 3, "index")
        if record is not index_copy:
            of_one_type(name, input, inputs, params["dim"])
        overlaps.refuse(name + "_", input, inputs, wholly=True)
        return changes.apply_inplace(record, input, inputs, params)

    plain.__name__, inplace.__name__ = name, name + "_"
    plain.__doc__, inplace.__doc__ = doc, described.inplace_doc(doc, name)
    composite(plain, adapt=True, samples=samples)
    composite(inplace, adapt=True, public="Tensor", name=name + "_", samples=samples)


pair(
    index_add,
    "index_add",
    lambda dim, index, source, *, alpha=1: ((index, source), {"dim": dim, "alpha": alpha}),
    """A copy with the slices of `source`, times `alpha`, added at positions along `dim`.

    For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
    has the input's dtype and, but for `dim`, its sizes.

    >>> x = torch.zeros(3)
    >>> torch.index_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 5.])
    """,
    case((3, 4), 1, ints((2,), 4), (3, 2)),
    case((3, 4), 0, values([1, 1]), (2, 4), alpha=2),
)
pair(
    index_copy,
    "index_copy",
    lambda dim, index, source: ((index, source), {"dim": dim}),
    """A copy with the slices of `source` at the positions in the vector `index` along `dim`.

    For dim=0 y[index[i]] = source[i].

    >>> x = torch.zeros(3)
    >>> torch.index_copy(x, 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """,
    case((3, 4), 1, values([2, 0]), (3, 2)),
)
pair(
    index_reduce,
    "index_reduce",
    lambda dim, index, source, reduce, *, include_self=True: (
        (index, source),
        {"dim": dim, "reduce": reduce, "include_self": include_self},
    ),
    """A copy into which slices of `source` are reduced at positions along `dim`.

    `reduce` is "prod", "mean", "amax" or "amin". With `include_self=False` the old values do not
    count at positions that `index` names.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> torch.index_reduce(x, 0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
    tensor([20.,  2.,  3.])
    """,
    case((3, 4), 1, values([2, 0]), (3, 2), "prod"),
    case((3, 4), 1, values([2, 2]), (3, 2), "amax", include_self=False),
)
