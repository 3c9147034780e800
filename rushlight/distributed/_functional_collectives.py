"""Collectives that leave their inputs alone and return new tensors, with gradients.

In PyTorch results are waited for when they are first used (`AsyncCollectiveTensor`); here a
collective is over when its function returns, and results are plain tensors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import message
from ..tensor import Tensor
from .group import ProcessGroup, state
from .nn import functional as f
from .reduce_op import RedOpType

RANK_TYPES = Any  # a ProcessGroup, its name, a DeviceMesh of one dimension, or (DeviceMesh, number)

OPS = {op.name.lower(): op for op in RedOpType}


class AsyncCollectiveTensor(Tensor):
    """The class of results that are still to be waited for: there are none here.

    `AsyncCollectiveTensor(x)` is x.
    """

    def __new__(cls, elem: Tensor) -> Any:
        return elem


def wait_tensor(tensor: Tensor) -> Tensor:
    """The tensor: its collective is over."""
    return tensor


def _resolve_group(group: Any, tag: str = "") -> ProcessGroup:
    """The group that an argument means."""
    if isinstance(group, str):
        if group not in state.groups:
            raise RuntimeError(f"Could not resolve the process group registered under {group}")
        return state.groups[group]
    if isinstance(group, tuple):
        if len(group) != 2 or not isinstance(group[1], int):
            raise ValueError(
                "Invalid tuple for group must be (DeviceMesh, int). Instead got "
                f"{tuple(type(part) for part in group)}"
            )
        return f.member("collective", group[0].get_group(group[1]))
    if isinstance(group, ProcessGroup):
        return group
    if hasattr(group, "get_group"):
        if group.ndim != 1:
            raise AssertionError(
                "Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D"
            )
        return f.member("collective", group.get_group())
    if isinstance(group, list):
        found = [g for g in state.groups.values() if list(g.ranks) == group]
        if not found:
            raise ValueError(
                message(f"there is no group of the ranks {group}", hint="dist.new_group(ranks)")
            )
        return found[0]
    raise ValueError(f"Unsupported group type: {type(group)}, {group}")


def _resolve_group_name(group: Any, tag: str = "") -> str:
    """The name of the group that an argument means."""
    return _resolve_group(group, tag).group_name


def reduction(op: str) -> RedOpType:
    """A reduction by its name."""
    if op.lower() not in OPS:
        raise ValueError(
            message("unknown reduction", got=repr(op), wanted=", ".join(map(repr, OPS)))
        )
    return OPS[op.lower()]


def summed(name: str, op: RedOpType, tensor: Tensor) -> None:
    """RuntimeError for a reduction without a derivative here, where one would be needed."""
    if op is not RedOpType.SUM and tensor.requires_grad:
        kind = op.name.lower()
        tensor.register_hook(lambda _: _refuse(name, kind))


def _refuse(name: str, kind: str) -> None:
    raise RuntimeError(f"{name} backward only supports 'sum' reduction, got '{kind}'")


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """The tensor of the group's rank `src`, on all ranks."""
    g = _resolve_group(group, tag)
    return f.broadcast(self, g.global_rank(src), g)


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """The tensors of all ranks, combined: "sum", "avg", "product", "min", "max", "band", ..."""
    op = reduction(reduceOp)
    out: Tensor = f._AllReduce.apply(self, op, _resolve_group(group, tag))
    summed("all_reduce", op, out)
    return out


def all_gather_single(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """The tensors of all ranks, joined along a dimension."""
    import rushlight

    return rushlight.cat(f.all_gather(self, _resolve_group(group, tag)), gather_dim)


def reduce_scatter_single(
    self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> Tensor:
    """The tensors of all ranks, combined; of the result each rank has its part of a dimension."""
    g, op = _resolve_group(group, tag), reduction(reduceOp)
    if self.shape[scatter_dim] % g.size():
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.shape[scatter_dim]} must be a multiple of "
            f"group_size {g.size()})"
        )
    parts = self.chunk(g.size(), scatter_dim)
    out: Tensor = f._ReduceScatter.apply(parts[0].detach(), op, g, *parts)
    summed("reduce_scatter_tensor", op, out)
    return out


def all_to_all_single(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: Any,
    tag: str = "",
) -> Tensor:
    """Parts of a tensor along its first dimension go to the ranks, and one comes from each."""
    if (output_split_sizes is None) != (input_split_sizes is None):
        raise AssertionError(
            "output_split_sizes and input_split_sizes must either be specified together or both "
            "set to None"
        )
    length = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    out = self.detach().new_empty((length, *self.shape[1:]))
    g = _resolve_group(group, tag)
    return f.all_to_all_single(out, self, output_split_sizes, input_split_sizes, g)


def permute_tensor(self: Tensor, src_dst: list[int], group: Any, tag: str = "") -> Tensor:
    """The tensor of the rank that sends to this one: rank r sends to `src_dst[r]`."""
    g = _resolve_group(group, tag)
    outgoing = [0] * g.size()
    incoming = [0] * g.size()
    outgoing[src_dst[g.rank()]] = self.numel()
    incoming[src_dst.index(g.rank())] = self.numel()
    return all_to_all_single(self.reshape(-1), incoming, outgoing, g).view(self.shape)


def all_reduce_coalesced(
    self: Sequence[Tensor], reduceOp: str, group: Any, tag: str = ""
) -> list[Tensor]:
    """`all_reduce` of each of several tensors."""
    return [all_reduce(t, reduceOp, group, tag) for t in self]


def all_gather_single_coalesced(
    self: Sequence[Tensor], group: Any, tag: str = ""
) -> list[Tensor]:
    """`all_gather_single` of each of several tensors, along their first dimension."""
    return [all_gather_single(t, 0, group, tag) for t in self]


def reduce_scatter_single_coalesced(
    inputs: Sequence[Tensor], reduceOp: str, scatter_dim: Sequence[int], group: Any, tag: str = ""
) -> list[Tensor]:
    """`reduce_scatter_single` of each of several tensors."""
    return [
        reduce_scatter_single(t, reduceOp, d, group, tag)
        for t, d in zip(inputs, scatter_dim, strict=True)
    ]


# The same under other names: all of them have gradients.
all_gather_single_autograd = all_gather_single
reduce_scatter_single_autograd = reduce_scatter_single
all_to_all_single_autograd = all_to_all_single
all_gather_into_tensor_coalesced = all_gather_single_coalesced
reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced


def _old(name: str, new: str) -> None:
    warnings.warn(
        f"`torch.distributed._functional_collectives.{name}` is deprecated. "
        f"Please use `torch.distributed._functional_collectives.{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )


def all_gather_tensor(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """`all_gather_single` under its former name."""
    _old("all_gather_tensor", "all_gather_single")
    return all_gather_single(self, gather_dim, group, tag)


def all_gather_tensor_autograd(
    self: Tensor, gather_dim: int, group: Any, tag: str = ""
) -> Tensor:
    """`all_gather_single` under its former name."""
    _old("all_gather_tensor_autograd", "all_gather_single_autograd")
    return all_gather_single(self, gather_dim, group, tag)


def reduce_scatter_tensor(
    self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> Tensor:
    """`reduce_scatter_single` under its former name."""
    _old("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(self, reduceOp, scatter_dim, group, tag)


def reduce_scatter_tensor_autograd(
    self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> Tensor:
    """`reduce_scatter_single` under its former name."""
    _old("reduce_scatter_tensor_autograd", "reduce_scatter_single_autograd")
    return reduce_scatter_single(self, reduceOp, scatter_dim, group, tag)
