"""Batches cut into a part for each device, and joined again."""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from ...utils._pytree import tree_flatten, tree_unflatten

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """A copy of a nested container for each device: tensors are cut along `dim`, the rest is
    referred to.

    >>> nn.parallel.scatter({"x": torch.arange(4), "name": "a"}, ["cpu"])
    [{'x': tensor([0, 1, 2, 3]), 'name': 'a'}]
    """
    devices = list(target_gpus)
    leaves, spec = tree_flatten(inputs)
    parts: list[list[Any]] = []
    for leaf in leaves:
        if isinstance(leaf, Tensor):
            cut: Any = list(leaf.chunk(len(devices), dim))
            parts.append([t.to(d) for t, d in zip(cut, devices, strict=False)])
        else:
            parts.append([leaf] * len(devices))
    n = min((len(p) for p in parts), default=len(devices))
    return [tree_unflatten([p[i] for p in parts], spec) for i in range(n)]


def scatter_kwargs(
    inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """`scatter` of arguments and of keyword arguments, as many of the one as of the other."""
    first = scatter(inputs, target_gpus, dim) if inputs else []
    second = scatter(kwargs, target_gpus, dim) if kwargs else []
    n = max(len(first), len(second))
    first += [()] * (n - len(first))
    second += [{}] * (n - len(second))
    return tuple(first), tuple(second)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """What the devices returned as one: tensors are joined along `dim`.

    Args:
        outputs: one result a device: tensors, or equal nestings of dictionaries, lists and tuples.
        target_device: where the result is made, such as "cpu".

    >>> nn.parallel.gather([torch.ones(2)], "cpu")
    tensor([1., 1.])
    """
    import rushlight

    first = tree_flatten(outputs[0])
    columns = [tree_flatten(out)[0] for out in outputs]
    joined = []
    for each in zip(*columns, strict=True):
        if not isinstance(each[0], Tensor):
            joined.append(each[0])
        elif each[0].ndim == 0:
            joined.append(rushlight.stack([t.to(target_device) for t in each]))
        else:
            joined.append(rushlight.cat([t.to(target_device) for t in each], dim))
    return tree_unflatten(joined, first[1])
