"""Functions of tensors on all ranks, with gradients. The derivative of each is the collective that
brings gradients back:

    all_reduce (sum)     all_reduce           all_gather       reduce_scatter
    broadcast            reduce to the root   reduce           broadcast from the root
    gather               scatter              scatter          gather
    all_to_all           all_to_all           reduce_scatter   all_gather

All ranks call them together, forwards and backwards: a rank whose loss does not depend on a result
lets the others wait. The loss that is differentiated is the sum of those of all ranks.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ...autograd.function import Function
from ...errors import message
from ...tensor import Tensor
from .. import collectives as c
from ..group import ProcessGroup, resolve
from ..reduce_op import ReduceOp

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def member(name: str, group: Any) -> ProcessGroup:
    """The group; RuntimeError for one that this process is not in."""
    found = resolve(group)
    if found is None:
        raise RuntimeError(
            message(f"{name}: this process is not in the group", hint="call it on its ranks alone")
        )
    return found


def deprecated(name: str, new: str = "") -> None:
    """PyTorch's warning for a function that it has under another name as well."""
    warnings.warn(
        f"torch.distributed.nn.functional.{name} is deprecated, use "
        f"torch.distributed._functional_collectives.{new or name} instead.",
        FutureWarning,
        stacklevel=3,
    )


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of rank `src`, on all ranks."""
    g = member("broadcast", group)
    return _Broadcast.apply(tensor, g.local(src), g)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Everybody's tensor on rank `dst`; zeros on the others."""
    g = member("gather", group)
    return _Gather.apply(tensor, g.local(dst), g)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """`tensors[r]` of rank `src`, on rank r. The others' tensors say shapes and types."""
    g = member("scatter", group)
    return _Scatter.apply(g.local(src), g, *tensors)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum (or what `op` says) of everybody's tensor on rank `dst`; its own on the others.

    Gradients are those of a sum.
    """
    g = member("reduce", group)
    return _Reduce.apply(tensor, g.local(dst), op, g)


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """The sum of everybody's `input_list[r]`, on rank r. `output` says its shape and type.

    Gradients are those of a sum.
    """
    deprecated("reduce_scatter", "reduce_scatter_single")
    return _ReduceScatter.apply(output, op, member("reduce_scatter", group), *input_list)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Everybody's tensor, on all ranks."""
    return _AllGather.apply(tensor, member("all_gather", group))


def _all_gather_base(output_tensor: Tensor, input_tensor: Tensor, group: Any = None) -> Tensor:
    """Everybody's tensor one behind another, on all ranks. `output_tensor` says the shape."""
    parts = all_gather(input_tensor, group)
    import rushlight

    return rushlight.cat([p.reshape(-1) for p in parts]).view(output_tensor.shape)


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """`input_tensor_list[me]` of each rank. `output_tensor_list` says shapes and types."""
    g = member("all_to_all", group)
    return _AllToAll.apply(g, list(output_tensor_list), *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Parts of `input` along its first dimension go to the ranks, and one comes from each.
    `output` says the shape."""
    return _AllToAllSingle.apply(
        input, output, output_split_sizes, input_split_sizes, member("all_to_all_single", group)
    )


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum of everybody's tensor, on all ranks; its gradient is the sum of everybody's gradient.

    Args:
        op: gradients are combined by the same one, which is right for SUM and AVG.

    Example, on each of two ranks::

        x = torch.tensor([1.0, 2.0], requires_grad=True)
        torch.distributed.nn.all_reduce(x).sum().backward()
        x.grad    # tensor([2., 2.])
    """
    deprecated("all_reduce")
    return _AllReduce.apply(tensor, op, member("all_reduce", group))


def contiguous(t: Tensor) -> Tensor:
    return t.contiguous()


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, group: ProcessGroup) -> Tensor:
        ctx.src, ctx.group = src, group
        out = contiguous(tensor).clone()
        c.broadcast(out, group=group, group_src=src)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        found = _Reduce.apply(g, ctx.src, ReduceOp.SUM, ctx.group)
        return found if ctx.group.rank() == ctx.src else found * 0, None, None


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, op: Any, group: ProcessGroup) -> Tensor:
        ctx.dst, ctx.group = dst, group
        out = contiguous(tensor).clone()
        c.reduce(out, op=op, group=group, group_dst=dst)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return _Broadcast.apply(g, ctx.dst, ctx.group), None, None, None


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, group: ProcessGroup) -> Any:
        ctx.dst, ctx.group = dst, group
        here = contiguous(tensor)
        outs = [here.new_zeros(here.shape) for _ in range(group.size())]
        mine = outs if group.rank() == dst else None
        c.gather(here, mine, group=group, group_dst=dst)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *gs: Tensor) -> Any:
        return _Scatter.apply(ctx.dst, ctx.group, *gs), None, None


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: ProcessGroup, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        out = tensors[0].new_zeros(tensors[0].shape)
        mine = [contiguous(t) for t in tensors] if group.rank() == src else None
        c.scatter(out, mine, group=group, group_src=src)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return None, None, *_Gather.apply(g, ctx.src, ctx.group)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, output: Tensor, op: Any, group: ProcessGroup, *tensors: Tensor) -> Tensor:
        ctx.group = group
        out = output.new_zeros(output.shape)
        c.reduce_scatter(out, [contiguous(t) for t in tensors], op, group)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return None, None, None, *_AllGather.apply(g, ctx.group)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: ProcessGroup) -> Any:
        ctx.group = group
        here = contiguous(tensor)
        whole = here.new_zeros((group.size(), *here.shape))
        c.all_gather_into_tensor(whole, here, group)
        return tuple(row.clone() for row in whole)

    @staticmethod
    def backward(ctx: Any, *gs: Tensor) -> Any:
        return _ReduceScatter.apply(gs[0], ReduceOp.SUM, ctx.group, *gs), None


class _AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: ProcessGroup, outputs: list[Tensor], *tensors: Tensor) -> Any:
        ctx.group, ctx.like = group, [t.new_zeros(t.shape) for t in tensors]
        outs = [t.new_zeros(t.shape) for t in outputs]
        c.all_to_all(outs, [contiguous(t) for t in tensors], group)
        return tuple(outs)

    @staticmethod
    def backward(ctx: Any, *gs: Tensor) -> Any:
        return None, None, *_AllToAll.apply(ctx.group, ctx.like, *gs)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any, tensor: Tensor, output: Tensor, outgoing: Any, incoming: Any, group: ProcessGroup
    ) -> Tensor:
        ctx.shape, ctx.cuts, ctx.group = tensor.shape, (incoming, outgoing), group
        out = output.new_zeros(output.shape)
        c.all_to_all_single(out, contiguous(tensor), outgoing, incoming, group)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        like = g.new_zeros(ctx.shape)
        return _AllToAllSingle.apply(g, like, *ctx.cuts, ctx.group), None, None, None, None


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: Any, group: ProcessGroup) -> Tensor:
        ctx.op, ctx.group = op, group
        out = contiguous(tensor).clone()
        c.all_reduce(out, op, group)
        return out

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return _AllReduce.apply(g, ctx.op, ctx.group), None, None
