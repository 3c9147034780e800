"""index_put: what `x[indices] = values` does, as a function. The record is in `getitem.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes, door
from ..core.composite import composite
from ..core.samples import case, made
from . import getitem as ix
from .gather import same_type
from .setitem import refuse_overlap


def keys(indices: Any) -> tuple[Any, ...]:
    if not isinstance(indices, (tuple, list)):
        raise TypeError(
            "index_put(): argument 'indices' (position 2) must be tuple of Tensors, not "
            f"{type(indices).__name__}"
        )
    return tuple(None if i is None else door.wrap(ix.as_index(i)) for i in indices)


@composite(
    adapt=True,
    name="index_put",
    samples=[case((3, 4), made(lambda rng: (np.array([0, 2]), np.array([1, 3]))), (2,))],
)
def public_index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy with `values` at the places that a tuple of index tensors names, as `x[indices] =
    values`.

    `values` broadcast to the shape of the indices and have the input's dtype. `accumulate`: they
    are added to what is there, for a place that is named twice both of them.

    >>> x = torch.zeros(2, 2)
    >>> torch.index_put(x, (torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [6., 0.]])
    """
    same_type("index_put", input._a, values._a)
    return ix.index_put.call((input, values, *keys(indices)), {"accumulate": accumulate})


@composite(
    adapt=True,
    name="index_put_",
    public="torch Tensor",
    samples=[case((3, 4), made(lambda rng: (np.array([0, 2]), np.array([1, 3]))), (2,), True)],
)
def index_put_(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Writes `values` at the places that a tuple of index tensors names, in place: `x[indices] =
    values`.

    `accumulate`: they are added to what is there, for a place that is named twice both of them.

    >>> x = torch.zeros(3)
    >>> x.index_put_((torch.tensor([1, 1]),), torch.tensor([5.0, 6.0]), accumulate=True)
    tensor([ 0., 11.,  0.])
    """
    same_type("index_put_", input._a, values._a)
    places = keys(indices)
    refuse_overlap(input, values, indices)
    try:
        return changes.apply_inplace(
            ix.index_put, input, (values, *places), {"accumulate": accumulate}
        )
    except RuntimeError:
        from .overlapping import put_instead

        return put_instead("index_put_", input, values, places, accumulate)
