"""`scan`: a value that is carried along a dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.errors import message
from rushlight.utils._pytree import tree_flatten, tree_unflatten


def slices(name: str, xs: Any, dim: int) -> tuple[list[Any], Any, int]:
    """The tensors among `xs`, how they were nested, and how many slices they have."""
    leaves, spec = tree_flatten(xs)
    sizes = {x.shape[dim] for x in leaves}
    if len(sizes) != 1:
        raise RuntimeError(
            message(
                f"{name}: the tensors are not of one length",
                f"{sorted(sizes)} along dim {dim}" if sizes else "no tensor",
                "one or more tensors of the same length",
            )
        )
    length = sizes.pop()
    if not length:
        raise RuntimeError(message(f"{name}: there is no slice", f"length 0 along dim {dim}"))
    return leaves, spec, length


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    *,
    dim: int = 0,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Carry a value along `dim`: `carry, y = combine_fn(carry, x)` for each slice `x` of `xs`.

    Args:
        combine_fn: takes the carried value and a slice, returns the next value and an output.
        init: what is carried at first, tensors in any nesting.
        xs: tensors in any nesting, of the same length along `dim`.
        dim: along which slices are taken.
        reverse: begin with the last one.

    Returns:
        The last carried value, and the outputs stacked along `dim`, in the order of `xs`.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> scan(lambda total, x: (total + x, total * x), torch.tensor(0.0), x)
    (tensor(6.), tensor([0., 2., 9.]))
    """
    import rushlight as torch

    leaves, spec, length = slices("scan", xs, dim)
    carry, found = init, []
    form: Any = None
    for i in reversed(range(length)) if reverse else range(length):
        carry, y = combine_fn(carry, tree_unflatten([x.select(dim, i) for x in leaves], spec))
        parts, form = tree_flatten(y)
        found.append(parts)
    if reverse:
        found.reverse()
    stacked = [torch.stack(parts, dim) for parts in zip(*found, strict=True)]
    return carry, tree_unflatten(stacked, form)
