"""PyTorch's forms of scatter: elements or one number, placed or combined, in a copy or in place.

Not here: what they compute (`gather.py`, `scatter_reduce.py`).
"""

from __future__ import annotations

from typing import Any

from ...autograd import changes, overlaps
from ...autograd.node import TensorBase
from ...errors import message
from ..core.arguments import need_tensor, number
from ..core.composite import composite
from ..core.samples import case, ints, values
from .gather import scatter, scatter_value
from .scatter_reduce import scatter_reduce

SCATTER_OLD = {"add": "sum", "multiply": "prod"}


def scatter_parts(
    input: Any, dim: int, index: Any, src: Any, value: Any, reduce: Any
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """(op, further inputs, parameters) for any form of scatter."""
    need_tensor("scatter", index, 3, "index")
    if src is None:
        src = value
    if src is None:
        raise TypeError('scatter() missing 1 required positional arguments: "src"')
    if reduce is not None:
        if reduce not in SCATTER_OLD:
            raise RuntimeError("reduce argument must be either add or multiply.")
        if not isinstance(src, TensorBase) or src is value:
            src = input.new_full(index.shape, number(src))
        return (
            scatter_reduce,
            (index, src),
            {"dim": dim, "reduce": SCATTER_OLD[reduce], "include_self": True},
        )
    if isinstance(src, TensorBase) and src is not value:
        return scatter, (index, src), {"dim": dim}
    if isinstance(src, (list, tuple)):
        raise TypeError(
            message(
                "scatter() received an invalid combination of arguments",
                got=f"src: {type(src).__name__}",
                wanted="a tensor, or one number",
            )
        )
    return scatter_value, (index,), {"dim": dim, "value": number(src)}


@composite(
    adapt=True,
    name="scatter",
    samples=[
        case((3, 4), 1, values([[0], [2], [1]]), (3, 1)),
        case((3, 4), 1, ints((3, 2), 4), value=2.0),
        case((3, 4), 0, ints((2, 4), 3), (2, 4), reduce="add"),
    ],
)
def public_scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Any:
    """A copy of `input` with the elements of `src` (or one number) at their indices along `dim`.

    For dim=0 and two dimensions y[index[i, j], j] = src[i, j]; the opposite of `gather`. Where two
    elements go to one place the last one stays, and gradients are then not true. `reduce` "add" or
    "multiply" combines them with what is there; `scatter_reduce` can do more.

    >>> x = torch.zeros(2, 3)
    >>> torch.scatter(x, 1, torch.tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
    record, inputs, kw = scatter_parts(input, dim, index, src, value, reduce)
    return record.call((input, *inputs), kw)


@composite(
    adapt=True,
    name="scatter_",
    public="Tensor",
    samples=[
        case((3, 4), 1, values([[0], [2], [1]]), (3, 1)),
        case((3, 4), 1, ints((3, 2), 4), value=2.0),
    ],
)
def scatter_(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Any:
    """Writes the elements of `src` (or one number) at their indices along `dim`, in place.

    One-hot rows from classes, for example:

    >>> classes = torch.tensor([[2], [0]])
    >>> torch.zeros(2, 3).scatter_(1, classes, 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    record, inputs, kw = scatter_parts(input, dim, index, src, value, reduce)
    overlaps.refuse("scatter_", input, inputs, wholly=True)
    return changes.apply_inplace(record, input, inputs, kw)
