"""`associative_scan`: all partial results of an associative function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.errors import message
from rushlight.utils._pytree import tree_flatten, tree_unflatten

from .scan import slices


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """All partial results of an associative function along `dim`, as `cumsum` has them of `+`.

    Computed by doubling: log2 of the length many calls on whole tensors.

    >>> associative_scan(torch.maximum, torch.tensor([1.0, 3.0, 2.0]), 0)
    tensor([1., 3., 3.])
    """
    import rushlight as torch

    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(
            message(
                "associative_scan: combine_mode", repr(combine_mode), "'pointwise' or 'generic'"
            )
        )
    leaves, spec, length = slices("associative_scan", xs, dim)
    if reverse:
        leaves = [x.flip(dim) for x in leaves]
    step = 1
    while step < length:
        early = tree_unflatten([x.narrow(dim, 0, length - step) for x in leaves], spec)
        late = tree_unflatten([x.narrow(dim, step, length - step) for x in leaves], spec)
        met, _ = tree_flatten(combine_fn(early, late))
        leaves = [
            torch.cat([x.narrow(dim, 0, step), y], dim) for x, y in zip(leaves, met, strict=True)
        ]
        step *= 2
    if reverse:
        leaves = [x.flip(dim) for x in leaves]
    return tree_unflatten(leaves, spec)
