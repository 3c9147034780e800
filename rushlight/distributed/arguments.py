"""The arguments of collectives: roots, lists of one tensor a rank, and how a tensor is cut.

Wrong ones raise before anything is sent. Not here: tensors' memory and types (`memory.py`),
reductions (`reduce_op.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import message
from ..tensor import Tensor
from . import memory
from .group import ProcessGroup, state


def outside(name: str) -> Any:
    warnings.warn(
        f"Running {name} on global rank that is not in the group; nothing is done.", stacklevel=3
    )
    return None


def root_of(group: ProcessGroup, rank: int | None, group_rank: int | None, default: int = 0) -> int:
    """The group's number of a root that is given as a rank of the world, or of the group. Whether
    it is one of the default group's is asked later, as in PyTorch (`check_root`)."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_dst/src and dst/src")
    if group_rank is not None:
        if not 0 <= group_rank < group.size():
            raise ValueError(f"group rank {group_rank} is not one of the {group.size()} ranks")
        return group_rank
    if rank is None:
        return default
    return rank if group is state.default else group.local(rank)


def check_root(name: str, group: ProcessGroup, root: int) -> None:
    """RuntimeError for a root that is none of the group's ranks."""
    if not 0 <= root < group.size():
        raise RuntimeError(
            message(
                f"ProcessGroup::{name}: invalid root rank: {root}",
                wanted=f"a rank from 0 to {group.size() - 1}",
            )
        )


def sizes(name: str, outputs: Sequence[Tensor], like: Tensor, count: int, what: str) -> None:
    """Check a list of one tensor for each rank: how many, their types and their sizes."""
    if len(outputs) != count:
        raise RuntimeError(
            message(
                f"{name}: invalid {what} (expected length {count}, got {len(outputs)})",
                wanted=f"one tensor for each of the {count} ranks",
            )
        )
    memory.same_types([like, *outputs])
    for i, t in enumerate(outputs):
        if tuple(t.shape) != tuple(like.shape):
            raise RuntimeError(
                message(
                    f"{name}: invalid tensor size at index {i} (expected {tuple(like.shape)}, got "
                    f"{tuple(t.shape)})"
                )
            )


def rooted(
    name: str, argument: str, tensors: Any, g: ProcessGroup, root: int, like: Tensor
) -> list[Tensor] | None:
    """The list that the root alone must give; ValueError when it does not, or another rank does."""
    end = "dst" if name == "gather" else "src"
    if g.rank() != root:
        if tensors:
            raise ValueError(
                f"Argument ``{argument}`` must NOT be specified on non-{_role(end)} ranks."
            )
        return None
    if not tensors:
        raise ValueError(f"Argument ``{argument}`` must be specified on {_role(end)} rank.")
    memory.check_list(name, argument, tensors)
    sizes(name, tensors, like, g.size(), argument)
    return list(tensors)


def _role(end: str) -> str:
    return "destination" if end == "dst" else "source"


def split(what: str, t: Tensor, given: list[int] | None, n: int) -> list[int]:
    """The sizes of a tensor's parts along its first dimension; ValueError when they do not fit."""
    length = t.shape[0] if t.ndim else 0
    if not given:
        if length % n:
            raise RuntimeError(
                f"Tensor's dim 0 does not divide equally across group size: {what} has {length}, "
                f"the group {n} ranks"
            )
        return [length // n] * n
    if len(given) != n:
        raise RuntimeError(f"Number of tensor splits not equal to group size: {len(given)}, {n}")
    if sum(given) != length or any(s < 0 for s in given):
        raise RuntimeError(
            f"Split sizes doesn't match total dim 0 size: {what}_split_sizes {list(given)} of "
            f"{length}"
        )
    return list(given)


def pieces(a: Any, cuts: list[int]) -> list[Any]:
    at, found = 0, []
    for c in cuts:
        found.append(a[at : at + c])
        at += c
    return found
