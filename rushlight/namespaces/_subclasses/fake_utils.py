"""What outputs share with inputs."""

from __future__ import annotations

from typing import Any

from rushlight.utils._pytree import tree_leaves

__all__ = ["output_alias_each_other", "outputs_alias_inputs", "outputs_are_inputs"]


def storages(values: Any) -> list[int]:
    """The storages of the tensors among values."""
    from rushlight import Tensor

    found = [t for t in tree_leaves(values) if isinstance(t, Tensor)]
    return [id(t.untyped_storage()._root) for t in found]


def outputs_alias_inputs(outputs: Any, inputs: Any) -> bool:
    """Whether an output has the storage of an input."""
    return not set(storages(outputs)).isdisjoint(storages(inputs))


def outputs_are_inputs(outputs: Any, inputs: Any) -> bool:
    """Whether an output is an input."""
    given = {id(t) for t in tree_leaves(inputs)}
    return any(id(t) in given for t in tree_leaves(outputs) if hasattr(t, "untyped_storage"))


def output_alias_each_other(outputs: Any) -> bool:
    """Whether two outputs have one storage."""
    found = storages(outputs)
    return len(set(found)) != len(found)
