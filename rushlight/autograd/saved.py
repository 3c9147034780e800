"""What a node keeps, as objects: `node._raw_saved_self` is a SavedTensor, whose hooks may be set.

`register_hooks(pack, unpack)` packs this one value, as `saved_tensors_hooks` packs all that are
saved within a block; both put an `op_node.Packed` into the node.

Not here: `node._saved_self`, the value itself (`op_node.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import dtypes
from ..device import device
from . import door, op_node
from .node import Freed, Node


class SavedTensor:
    """One saved value of a node."""

    __slots__ = ("_node", "_place")
    _node: Any
    _place: tuple[int, ...]

    def __init__(self, *args: Any) -> None:
        raise RuntimeError(
            "Trying to create a SavedTensor object from Python is forbidden.\n"
            "  try     node._raw_saved_self, the SavedTensor of a node"
        )

    def register_hooks(self, *hooks: Any) -> None:
        """Keep `pack(value)` instead of the value; `unpack` of it gives the value to backward."""
        if len(hooks) != 2 or not all(callable(h) for h in hooks):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types "
                "are supported:\n  wanted  (pack_hook: Callable, unpack_hook: Callable)\n"
                f"  got     ({', '.join(type(h).__name__ for h in hooks)})"
            )
        saved = self._node.saved
        if saved.__class__ is Freed:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved "
                "intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the "
                "graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        value = saved
        for i in self._place:
            value = value[i]
        if value is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor with value None is forbidden"
            )
        if value.__class__ is op_node.Packed:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set"
            )
        value = getattr(value, "array", value)  # the output of a custom function
        if isinstance(value, np.ndarray):
            value = door.wrap(value)
        packed = op_node.packed(value, hooks[0], hooks[1])
        self._node.saved = replaced(saved, self._place, packed)


def replaced(values: tuple[Any, ...], place: tuple[int, ...], new: Any) -> tuple[Any, ...]:
    """Nested tuples with another value at a place."""
    if not place:
        return new
    i = place[0]
    return (*values[:i], replaced(values[i], place[1:], new), *values[i + 1 :])


def saved_tensor(node: Any, *place: int) -> SavedTensor:
    made = object.__new__(SavedTensor)
    made._node, made._place = node, place
    return made


def raw_saved(node: Any, name: str) -> SavedTensor:
    """`node._raw_saved_<name>`."""
    i = node.saved_place(name)
    if i is None:
        raise AttributeError(f"'{node.name()}' object has no attribute '_raw_saved_{name}'")
    return saved_tensor(node, i)


def raw_saved_tensors(node: Any) -> tuple[SavedTensor, ...]:
    """`_raw_saved_tensors` of a custom Function's node."""
    if node.saved.__class__ is Freed:
        node.unpack()  # says so
    return tuple(saved_tensor(node, i) for i in range(len(node.saved)))


class InputMetadata(NamedTuple):
    """What a node knows of one of its outputs, whose gradient is its input."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any
    is_tensor_subclass: bool = False
    is_nested_tensor: bool = False
    is_cpp_nested_tensor: bool = False


def input_metadata(node: Node) -> list[InputMetadata]:
    """`node._input_metadata`."""
    one = node.n_out == 1
    shapes = [node.shape] if one else list(node.shape)
    kinds = [node.dtype] if one else list(node.dtype)
    return [
        InputMetadata(tuple(s), None if d is None else dtypes.from_numpy(d), device("cpu"))
        for s, d in zip(shapes, kinds, strict=False)
        if s is not None
    ]
