"""Lookups in a table whose gradient is sparse: `Embedding(sparse=True)`, also of bags."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import door
from ..autograd.changes import all_changed
from ..autograd.steps import Step
from ..kernels.sparse.arrays import INDEX, coalesced
from ..ops.nn.embedding import embedding
from ..ops.nn.embedding_bag import bags_of, embedding_bag_dots, embedding_bag_sums
from .core import at_places, recorded


def looked_up(weight: Any, input: Any, padding_idx: int, by_frequency: bool) -> Any:
    """The rows of a table; its gradient has the rows that were looked up, but for padding, in the
    order of the lookups, one that came twice twice."""
    wanted = input._a.reshape(-1).astype(INDEX)
    keep = np.flatnonzero(wanted != padding_idx) if padding_idx >= 0 else None
    shape = weight._a.shape

    def backward(g: Any) -> Any:
        if by_frequency:
            raise RuntimeError(
                "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
            )
        rows, values = wanted, g.reshape(len(wanted), shape[1])
        if keep is not None and len(keep) != len(wanted):
            rows, values = wanted[keep], values.index_select(0, door.wrap(keep))
        return at_places(rows[None], values, shape)

    found = embedding.call((weight.detach(), input), {"padding_idx": padding_idx})
    return recorded("EmbeddingBackward0", found, (weight,), backward)


def bags(
    weight: Any, factors: Any, indices: Any, offsets: Any, mean: bool, by_frequency: bool
) -> Any:
    """Sums or means of bags of rows; the table's gradient has the rows that were looked up, in the
    order of the indices.

    Args:
        factors: (K), of the rows; None for 1.
        indices: (K), in range. offsets: (bags + 1), an array that never falls.
    """
    shape, at = weight._a.shape, door.wrap(offsets)
    wanted = indices._a.astype(INDEX)

    def backward(g: Any, w: Any, f: Any = None) -> Any:
        if by_frequency:
            raise RuntimeError(
                "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
            )
        if mean:
            count = np.maximum(np.diff(offsets), 1).astype(g._a.dtype)
            g = g / door.wrap(count[:, None])
        rows = embedding.call((g, door.wrap(bags_of(offsets))), {})
        to_table = at_places(wanted[None], rows if f is None else rows * f.unsqueeze(1), shape)
        if f is None:
            return (to_table,)
        return to_table, embedding_bag_dots.call((g, w, indices, at), {})

    plain = None if factors is None else factors.detach()
    found = embedding_bag_sums.call((weight.detach(), plain, indices, at), {"mean": mean})
    inputs = (weight,) if factors is None else (weight, factors)
    return recorded("EmbeddingBagBackward0", found, inputs, backward, *inputs)


# -- optimisers ----------------------------------------------------------------------------------


def scaled(a: Any, factor: float) -> Any:
    """A sparse array times a number."""
    return a if factor == 1 else a.with_values(a.values * a.dtype.type(factor))


def _add(p: Any, indices: Any, values: Any) -> None:
    places = tuple(indices)
    p[places] += values


def _adagrad(p: Any, total: Any, indices: Any, g: Any, *, rate: float, eps: float) -> None:
    places = tuple(indices)
    total[places] += g * g
    std = np.sqrt(total[places]) + eps
    p[places] -= (rate * (g / std)).astype(p.dtype)


def _adam(
    p: Any, average: Any, squares: Any, indices: Any, g: Any, *, size: float, beta1: float,
    beta2: float, eps: float,
) -> None:  # fmt: skip
    places = tuple(indices)
    old, old_squares = average[places], squares[places]
    change = (g - old) * (1 - beta1)
    change_squares = (g * g - old_squares) * (1 - beta2)
    average[places] += change
    squares[places] += change_squares
    moved = (change + old) / (np.sqrt(change_squares + old_squares) + eps)
    p[places] -= (size * moved).astype(p.dtype)


add_step = Step("sparse_add_", _add, outputs=0, mutates=(0,), shown="aten::add_")
adagrad_step = Step("sparse_adagrad_", _adagrad, outputs=0, mutates=(0, 1))
adam_step = Step("sparse_adam_", _adam, outputs=0, mutates=(0, 1, 2))


def add_rows(p: Any, g: Any, factor: float) -> None:
    """p += factor * g, in place, for a sparse array g."""
    g = coalesced(g)
    door.perform(add_step, (p._a, g.indices, g.values * p._a.dtype.type(factor)), {})
    changed(p)


def changed(p: Any) -> None:
    all_changed([p], "optimizer.step()")


def adagrad_rows(p: Any, grad: Any, total: Any, rate: float, eps: float, maximize: bool) -> None:
    """One step of Adagrad for the rows of a sparse gradient."""
    g = coalesced(grad._a)
    values = -g.values if maximize else g.values
    kw = {"rate": rate, "eps": eps}
    door.perform(adagrad_step, (p._a, total._a, g.indices, values), kw)
    changed(p)


def adam_rows(p: Any, grad: Any, state: Any, maximize: bool, **kw: float) -> None:
    """One step of SparseAdam for the rows of a sparse gradient."""
    g = coalesced(grad._a)
    if not g.values.size:
        return
    values = -g.values if maximize else g.values
    arrays = (p._a, state["exp_avg"]._a, state["exp_avg_sq"]._a, g.indices, values)
    door.perform(adam_step, arrays, kw)
    changed(p)
