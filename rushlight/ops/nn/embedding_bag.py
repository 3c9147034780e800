"""Bags of lookups: embedding_bag.

Sums of bags are the product of a sparse matrix, which has a row for each bag, with the table. Its
gradient to the table is the product with the transposed matrix, that to the factors of the rows has
the elements of a dense product at the matrix's places; the three are each other's rules. Maxima are
picked by the places that a kernel finds. Read next: `kernels/sparse/select.py`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import dtypes
from ...autograd import door
from ...autograd.steps import Step
from ...dtypes import type_name
from ...errors import message
from ...kernels.indices import within
from ...kernels.meta import MetaArray
from ...kernels.sparse import products
from ...kernels.sparse import select as kernel
from ..core.accepted import Accepted
from ..core.composite import composite
from ..core.record import op
from ..core.samples import arr, case, ints, values
from ..index.gather import gather
from ..shape.views import array_of
from .embedding import check_indices, renormalised

IN_BAGS = arr((6,), 0, 5, "int64")
OFFSETS = values([0, 2, 2, 6], "int64")

# -- sums of bags, and their gradients -----------------------------------------------------------
#
# Bag b has the indices from offsets[b] to offsets[b + 1] - 1. Indices are in range and offsets do
# not fall: whoever calls has looked. `by_frequency` changes the gradient of the table alone.


@op(
    samples=[
        case((5, 4), (6,), IN_BAGS, OFFSETS),
        case((5, 4), None, IN_BAGS, OFFSETS, mean=True),
    ],
    public="",
    fresh=True,
    low="keep",
    node="EmbeddingBagBackward0",
    optional=(1,),
)
def embedding_bag_sums(
    weight: Any, factors: Any = None, indices: Any = None, offsets: Any = None, *,
    mean: bool = False, by_frequency: bool = False,
) -> Any:  # fmt: skip
    """The sum (or mean) of each bag's rows of a table, times their factors."""
    return kernel.csr_mm(weight, indices, offsets, factors, mean)


# A rule for each, so that the table is kept where its factors need a gradient, and nowhere else: it
# may be changed before backward.
embedding_bag_sums.vjp(
    lambda g, _y, _weight, factors, indices, offsets, *, mean, by_frequency, shapes: (
        embedding_bag_rows(
            g, factors, indices, offsets, n=shapes[0][0], mean=mean, by_frequency=by_frequency
        )
    ),
    lambda g, _y, weight, _factors, indices, offsets: (
        embedding_bag_dots(g, weight, indices, offsets)
    ),
    None,
    None,
)


embedding_bag_sums.shape(
    lambda w, f, i, offsets, **_kw: MetaArray((offsets.shape[0] - 1, w.shape[1]), w.dtype)
)
embedding_bag_sums.planned(
    lambda w, f, i, offsets, mean=False, **_kw: kernel.plan_csr_mm(
        *(None if a is None else kernel.layout(a) for a in (w, i, offsets, f)), mean
    )
)


@op(
    samples=[
        case((3, 4), (6,), IN_BAGS, OFFSETS, n=5),
        case((3, 4), None, IN_BAGS, OFFSETS, n=5, mean=True, by_frequency=True),
    ],
    public="",
    fresh=True,
    low="keep",
    node="EmbeddingBagBackwardBackward0",
    optional=(1,),
)
def embedding_bag_rows(
    grad: Any, factors: Any = None, indices: Any = None, offsets: Any = None, *, n: int,
    mean: bool = False, by_frequency: bool = False,
) -> Any:  # fmt: skip
    """The gradient of a table of `n` rows: each row's bags added up, times its factors there."""
    if mean:
        counts = np.maximum(np.diff(offsets), 1)
        grad = (grad / counts[:, None]).astype(grad.dtype, copy=False)
    if by_frequency:
        often = frequencies(indices, n, grad.dtype)
        factors = often if factors is None else factors * often
    return kernel.coo_mm(grad, bags_of(offsets), indices, factors, n)


@embedding_bag_rows.joint
def _(
    g: Any, _y: Any, grad: Any, factors: Any, indices: Any, offsets: Any, *, needs: Any, n: int,
    mean: bool, by_frequency: bool,
) -> Any:  # fmt: skip
    dg = df = often = None
    if by_frequency:
        often = like(frequencies(array_of(indices), n, array_of(g).dtype), g)
    if needs[0]:
        both = often if factors is None or often is None else factors * often
        dg = embedding_bag_sums(g, factors if both is None else both, indices, offsets, mean=mean)
    if needs[1]:
        df = embedding_bag_dots(grad, g, indices, offsets)
        df = df if often is None else df * often
    return dg, df, None, None


embedding_bag_rows.shape(
    lambda g, f, i, offsets, *, n, **_kw: MetaArray((n, g.shape[1]), g.dtype)
)


@op(
    samples=[case((3, 4), (5, 4), IN_BAGS, OFFSETS)],
    public="",
    fresh=True,
    low="keep",
    name="embedding_bag_per_sample_weights_backward",
)
def embedding_bag_dots(grad: Any, weight: Any, indices: Any, offsets: Any) -> Any:
    """The gradient of factors: the products of each looked-up row with its bag's gradient."""
    return kernel.sddmm(grad, weight, bags_of(offsets), indices)


@embedding_bag_dots.joint
def _(g: Any, _y: Any, grad: Any, weight: Any, indices: Any, offsets: Any, *, needs: Any) -> Any:
    dg = embedding_bag_sums(weight, g, indices, offsets) if needs[0] else None
    n = weight.shape[0]
    dw = embedding_bag_rows(grad, g, indices, offsets, n=n) if needs[1] else None
    return dg, dw, None, None


embedding_bag_dots.shape(lambda g, w, indices, offsets: MetaArray(indices.shape, g.dtype))
embedding_bag_dots.planned(
    lambda g, w, i, offsets: kernel.plan_sddmm(
        *map(kernel.layout, (g, w)), kernel.layout(MetaArray(i.shape, np.int64)), kernel.layout(i)
    )
)


def _placed(weight: Any, indices: Any, offsets: Any) -> Any:
    return kernel.csr_argmax(weight, indices, offsets)


_places = Step("embedding_bag_places", _placed)


def bags_of(offsets: Any) -> Any:
    """The bag of each index."""
    return products.rows_of(offsets)


def frequencies(indices: Any, n: int, dtype: Any) -> Any:
    """1 / how often each index is there."""
    return (1 / np.bincount(indices, minlength=n)[indices]).astype(dtype)


def like(a: Any, other: Any) -> Any:
    """An array as what another operand is: an array, or a Tensor."""
    return a if isinstance(other, np.ndarray) else door.wrap(a)


# -- public --------------------------------------------------------------------------------------


def _bags_shape(
    input: Any, weight: Any, offsets: Any = None, *_: Any, include_last_offset: bool = False,
    **kw: Any,
) -> MetaArray:  # fmt: skip
    n = input.shape[0] if offsets is None else offsets.shape[0] - include_last_offset
    return MetaArray((n, weight.shape[1]), weight._a.dtype)


@composite(
    loose="norm_type",
    public="nn.functional",
    shape=_bags_shape,
    samples=[
        case(ints((2, 3), 5), (5, 3)),
        case(ints((6,), 5), (5, 3), values([0, 2]), mode="sum"),
        case(ints((6,), 5), (5, 3), values([0, 2]), mode="max"),
    ],
)
def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """Sums, means or maxima of bags of rows of a table.

    Args:
        input: (B, L), bags of one length, or (K), all bags one after the other.
        weight: (N, D). Returns (B, D).
        offsets: (B), where each bag of a 1-d input begins; with `include_last_offset` one more
            number, where the last one ends.
        mode: "sum", "mean" or "max"; an empty bag gives zeros.
        per_sample_weights: factors of the rows, in the input's shape, for "sum".
        padding_idx: an index that does not count.

    >>> table = torch.tensor([[1.0], [2.0], [4.0]])
    >>> F.embedding_bag(torch.tensor([0, 1, 2]), table, torch.tensor([0, 2]), mode="sum")
    tensor([[3.],
            [4.]])
    """
    if weight._a.dtype == np.int64 and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. "
            "Usage `embedding_bag(weight, input, ...)` is deprecated, "
            "and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=3,
        )
        input, weight = weight, input
    factors_of = per_sample_weights
    if factors_of is not None and factors_of.shape != input.shape:
        raise ValueError(
            message(
                f"embedding_bag: If per_sample_weights ({factors_of.shape}) is not None, then it "
                f"must have the same shape as the input ({input.shape})"
            )
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    begins = _offsets(input, offsets, include_last_offset)
    if offsets is not None and input._a.dtype != offsets._a.dtype:  # of one type, the wider one
        input = input.to(dtypes.promote_types(input.dtype, offsets.dtype))
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if factors_of is not None and mode != "sum":
        raise NotImplementedError(
            message(
                "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                f"supported for mode='sum' (got mode='{mode}')."
            )
        )
    if weight._a.dtype.kind in "iubc" and input._a.dtype.kind in "iub":
        raise RuntimeError(
            message(
                "Expected tensor for argument #1 'weight' to have one of the following scalar "
                "types: Half, BFloat16, Float, Double; but got "
                f"torch.{type_name(weight.dtype)}Tensor instead (while checking arguments for "
                "embedding_bag)",
                hint="weight.float()",
            )
        )
    check_indices(input, "embedding_bag")
    if factors_of is not None and factors_of._a.dtype != weight._a.dtype:
        raise RuntimeError(
            message(
                "Expected tensor for argument #1 'weight' to have the same type as tensor for "
                "argument #1 'per_sample_weights'",
                got=f"{weight.dtype!r} and {factors_of.dtype!r} (for embedding_bag)",
                hint="per_sample_weights.to(weight.dtype)",
            )
        )
    n = weight.shape[0]
    if padding_idx is not None and not -n <= padding_idx < n:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{n} through {n - 1}, but got "
            f"{padding_idx}"
        )
    if input._a.__class__ is not MetaArray and not within(input._a, 0, n):
        bad = input._a[(input._a < 0) | (input._a >= n)].flat[0]
        raise RuntimeError(
            message(
                "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be "
                f"{int(bad)}",
                wanted=f"0 <= index < {n} (the number of rows)",
            )
        )
    if max_norm is not None:
        renormalised(weight, input, max_norm, norm_type)
    used = len(input._a.reshape(-1)) if begins is None else int(begins[-1])
    flat = input.reshape(-1)
    factors_of = None if factors_of is None else factors_of.reshape(-1)
    if used != len(flat._a):  # indices after the last bag belong to none
        flat = flat[:used]
        factors_of = None if factors_of is None else factors_of[:used]
    if padding_idx is not None:
        keep = flat._a != padding_idx % weight.shape[0]
        if not keep.all():
            begins = np.concatenate(([0], np.cumsum(keep)))[begins]
            flat = door.wrap(flat._a[keep])
            if factors_of is not None:
                factors_of = factors_of[door.wrap(keep)]
    if mode == "max":
        return _largest(weight, flat, begins)
    if sparse and weight._fn is not None and weight._a.__class__ is not MetaArray:
        from ...sparse.rows import bags

        return bags(weight, factors_of, flat, begins, mode == "mean", scale_grad_by_freq)
    kw = {"mean": mode == "mean", "by_frequency": scale_grad_by_freq}
    return embedding_bag_sums.call((weight, factors_of, flat, door.wrap(begins)), kw)


PLACES = Accepted("floating integral: arange_cpu")  # of which PyTorch counts where bags begin


def _offsets(input: Any, offsets: Any, include_last: bool) -> Any:
    """(bags + 1): where each bag begins among the indices, and where the last one ends."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        PLACES.check_array(input._a.dtype)
        b, length = input.shape
        return np.arange(b + 1) * length
    if input.dim() != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    at = offsets._a.astype(np.int64)
    k = input.shape[0]
    if at.size and at[0] != 0:
        raise RuntimeError(
            f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {at[0]}"
        )
    if at.size and at[-1] > k:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length({k}), but got offsets[-1] of "
            f"{at[-1]}"
        )
    if not include_last:
        at = np.append(at, k)
    if not within(at, 0, k + 1):
        raise IndexError(
            message(
                "embedding_bag: index out of range in self: an offset lies outside the input",
                got=f"offsets from {at.min()} to {at.max()}",
                wanted=f"0 <= offset <= {k} (the number of indices)",
            )
        )
    if (at[1:] < at[:-1]).any():
        b = int(np.flatnonzero(at[1:] < at[:-1])[0])
        raise RuntimeError(
            message(
                "embedding_bag: offsets must not fall",
                got=f"offsets[{b}] = {at[b]}, then {at[b + 1]}",
                wanted="where each bag begins, one after the other",
            )
        )
    return at if at.size else np.zeros(1, np.int64)


def _largest(weight: Any, indices: Any, offsets: Any) -> Any:
    """The largest element of each column in each bag; zero for an empty bag."""
    places = door.perform(_places, (door.resolved(weight._a), indices._a, offsets), {})
    empty = np.diff(offsets) == 0
    if empty.all():  # zeros, with a gradient of zeros
        kw = {"mean": False, "by_frequency": False}
        return embedding_bag_sums.call((weight, None, indices, door.wrap(offsets)), kw)
    y = gather.call((weight, door.wrap(places)), {"dim": 0})
    return y.masked_fill(door.wrap(empty[:, None]), 0.0) if empty.any() else y
