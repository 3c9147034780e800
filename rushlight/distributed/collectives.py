"""The collectives of `torch.distributed`: calls that all ranks of a group make together.

Each is a function of tensors in PyTorch's signature: it checks its arguments before anything is
sent, and returns None, or a `Work` with `async_op=True`. A process that is not in the group gets a
warning and nothing is done. Not here: the checks of arguments (`arguments.py`), what is sent where
(`exchange.py`).
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from ..errors import message
from ..tensor import Tensor
from . import memory, reduce_op
from .arguments import check_root, outside, pieces, root_of, rooted, sizes, split
from .exchange import Call
from .group import ProcessGroup, resolve
from .reduce_op import ReduceOp
from .work import Work


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine the tensors of all ranks; each gets the result, in place.

    Numbers are combined in the order of the ranks, so all of them get the same bits, in every run.
    float16 and bfloat16 are added in float32 and rounded once.

    Args:
        tensor: of the same number of elements and the same type on all ranks.
        op: `ReduceOp.SUM`, AVG, PRODUCT, MIN, MAX; of integers and bools also BAND, BOR, BXOR.
        group: whose ranks; None: all.
        async_op: return a `Work` at once.

    Raises:
        DistBackendError: a rank is gone, does not come within the group's timeout, or calls
            something else; the text says which, and where it is.

    In a group of one, where it changes nothing:

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> x = torch.tensor([1.0, 2.0])
    >>> dist.all_reduce(x)
    >>> x
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("all_reduce", "tensor", tensor)
    reduce_op.check("all_reduce", op, tensor.dtype)
    g = resolve(group)
    if g is None:
        return outside("all_reduce")
    (w,) = memory.writable("all_reduce", [tensor], read=True)
    call = Call("all_reduce", w.array, op=op)

    def go(patient: bool) -> None:
        g.exchange.all_reduce(g, call, w.array, op, patient)
        w.done()

    return g.run(call, go, [tensor], async_op)


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """`all_reduce` of each of several tensors of one type.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> tensors = [torch.ones(2), torch.zeros(1)]
    >>> dist.all_reduce_coalesced(tensors)
    >>> tensors
    [tensor([1., 1.]), tensor([0.])]
    >>> dist.destroy_process_group()
    """
    memory.check_list("all_reduce_coalesced", "tensors", tensors)
    if tensors:
        memory.same_types(tensors)
    works = [all_reduce(t, op, group, async_op=True) for t in tensors]
    return together(works, list(tensors), async_op)


def together(works: Sequence[Any], result: list[Any], async_op: bool) -> Any:
    """Several works as one: of the last, which the others stand before."""
    if not works or works[-1] is None:
        return None
    if async_op:
        works[-1]._result = result
        return works[-1]
    for w in works:
        w.wait()
    return None


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give the tensor of rank `src` to all ranks of the group, in place.

    Args:
        src: the rank in the world; or `group_src`, that in the group.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> x = torch.tensor([1.0, 2.0])
    >>> dist.broadcast(x, src=0)
    >>> x
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("broadcast", "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside("broadcast")
    root = root_of(g, src, group_src)
    check_root("broadcast", g, root)
    (w,) = memory.writable("broadcast", [tensor], read=True)
    call = Call("broadcast", w.array, root=root)

    def go(patient: bool) -> None:
        g.exchange.broadcast(g, call, w.array, root, patient)
        if g.rank() != root:
            w.done()

    return g.run(call, go, [tensor], async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combine the tensors of all ranks; rank `dst` gets the result, in place.

    Args: as for `all_reduce`; `dst` is a rank of the world, `group_dst` one of the group. What the
    tensors of other ranks hold afterwards is undefined.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> x = torch.tensor([1.0, 2.0])
    >>> dist.reduce(x, dst=0)
    >>> x
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("reduce", "tensor", tensor)
    reduce_op.check("reduce", op, tensor.dtype)
    g = resolve(group)
    if g is None:
        return outside("reduce")
    root = root_of(g, dst, group_dst)
    check_root("reduce", g, root)
    (w,) = memory.writable("reduce", [tensor], read=True)
    call = Call("reduce", w.array, root=root, op=op)

    def go(patient: bool) -> None:
        g.exchange.reduce(g, call, w.array, root, op, patient)
        if g.rank() == root:
            w.done()

    return g.run(call, go, [tensor], async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give everybody's tensor to everybody: rank r's in `tensor_list[r]`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [torch.zeros(2) for _ in range(dist.get_world_size())]
    >>> dist.all_gather(found, torch.tensor([1.0, 2.0]))
    >>> found
    [tensor([1., 2.])]
    >>> dist.destroy_process_group()
    """
    memory.check_list("all_gather", "tensor_list", tensor_list)
    memory.check("all_gather", "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside("all_gather")
    sizes("all_gather", tensor_list, tensor, g.size(), "output tensor list")
    a = memory.readable(tensor)
    ws = memory.writable("all_gather", tensor_list)
    call = Call("all_gather", a)

    def go(patient: bool) -> None:
        g.exchange.all_gather(g, call, [w.array for w in ws], a, patient)
        for w in ws:
            w.done()

    return g.run(call, go, list(tensor_list), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> Any:
    """`all_gather` of several tensors: `output_tensor_lists[r][i]` is rank r's i-th.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [[torch.zeros(2), torch.zeros(1)]]
    >>> dist.all_gather_coalesced(found, [torch.ones(2), torch.ones(1)])
    >>> found
    [[tensor([1., 1.]), tensor([1.])]]
    >>> dist.destroy_process_group()
    """
    memory.check_list("all_gather_coalesced", "input_tensor_list", input_tensor_list)
    for outs in output_tensor_lists:
        memory.check_list("all_gather_coalesced", "output_tensor_lists", outs)
    works = [
        all_gather([outs[i] for outs in output_tensor_lists], t, group, async_op=True)
        for i, t in enumerate(input_tensor_list)
    ]
    return together(works, list(output_tensor_lists), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give everybody's tensor to everybody, one behind another (or stacked) in one tensor.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = torch.zeros(dist.get_world_size() * 2)
    >>> dist.all_gather_into_tensor(found, torch.tensor([1.0, 2.0]))
    >>> found
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("all_gather_into_tensor", "output_tensor", output_tensor)
    memory.check("all_gather_into_tensor", "input_tensor", input_tensor)
    g = resolve(group)
    if g is None:
        return outside("all_gather_into_tensor")
    memory.same_types([output_tensor, input_tensor])
    if output_tensor.numel() != input_tensor.numel() * g.size():
        raise RuntimeError(
            message(
                "output tensor size must be equal to world_size times input tensor size",
                got=f"{output_tensor.numel()} and {input_tensor.numel()} elements on {g.size()}",
            )
        )
    a = memory.readable(input_tensor)
    (w,) = memory.writable("all_gather_into_tensor", [output_tensor])
    call = Call("all_gather", a)

    def go(patient: bool) -> None:
        g.exchange.all_gather(g, call, [w.array], a, patient)
        w.done()

    return g.run(call, go, [output_tensor], async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Give everybody's tensor to rank `dst`: rank r's in its `gather_list[r]`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [torch.zeros(2)] if dist.get_rank() == 0 else None
    >>> dist.gather(torch.tensor([1.0, 2.0]), found, dst=0)
    >>> found
    [tensor([1., 2.])]
    >>> dist.destroy_process_group()
    """
    memory.check("gather", "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside("gather")
    root = root_of(g, dst, group_dst)
    outs = rooted("gather", "gather_list", gather_list, g, root, tensor)
    check_root("gather", g, root)
    a = memory.readable(tensor)
    ws = memory.writable("gather", outs) if outs is not None else []
    call = Call("gather", a, root=root)

    def go(patient: bool) -> None:
        g.exchange.gather(g, call, [w.array for w in ws], a, root, patient)
        for w in ws:
            w.done()

    return g.run(call, go, list(outs or []), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give `scatter_list[r]` of rank `src` to rank r, in its `tensor`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = torch.zeros(2)
    >>> dist.scatter(mine, [torch.tensor([1.0, 2.0])] if dist.get_rank() == 0 else None, src=0)
    >>> mine
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("scatter", "tensor", tensor)
    g = resolve(group)
    if g is None:
        return outside("scatter")
    root = root_of(g, src, group_src)
    ins = rooted("scatter", "scatter_list", scatter_list, g, root, tensor)
    check_root("scatter", g, root)
    rows = [memory.readable(t) for t in ins] if ins is not None else None
    (w,) = memory.writable("scatter", [tensor])
    call = Call("scatter", w.array, root=root)

    def go(patient: bool) -> None:
        g.exchange.scatter(g, call, w.array, rows, root, patient)
        w.done()

    return g.run(call, go, [tensor], async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Combine everybody's `input_list[r]` in the `output` of rank r.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = torch.zeros(2)
    >>> dist.reduce_scatter(mine, [torch.tensor([1.0, 2.0])])
    >>> mine
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("reduce_scatter", "output", output)
    memory.check_list("reduce_scatter", "input_list", input_list)
    reduce_op.check("reduce_scatter", op, output.dtype)
    g = resolve(group)
    if g is None:
        return outside("reduce_scatter")
    if len(input_list) != g.size():
        raise RuntimeError(
            f"reduce_scatter: invalid input list (expected length {g.size()}, "
            f"got {len(input_list)})"
        )
    memory.same_types([output, *input_list])
    if input_list[g.rank()].numel() != output.numel():
        raise RuntimeError(
            f"reduce_scatter: the input of this rank has {input_list[g.rank()].numel()} elements, "
            f"the output {output.numel()}"
        )
    return _reduce_scatter(g, output, [memory.readable(t) for t in input_list], op, async_op)


def _reduce_scatter(g: ProcessGroup, output: Tensor, rows: Any, op: Any, async_op: bool) -> Any:
    (w,) = memory.writable("reduce_scatter", [output])
    call = Call("reduce_scatter", w.array, op=op, same_size=False)

    def go(patient: bool) -> None:
        g.exchange.reduce_scatter(g, call, w.array, rows, op, patient)
        w.done()

    return g.run(call, go, [output], async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine everybody's `input` and give each rank its part of it in `output`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = torch.zeros(2)
    >>> dist.reduce_scatter_tensor(mine, torch.tensor([1.0, 2.0]))
    >>> mine
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("reduce_scatter_tensor", "output", output)
    memory.check("reduce_scatter_tensor", "input", input)
    reduce_op.check("reduce_scatter_tensor", op, output.dtype)
    g = resolve(group)
    if g is None:
        return outside("reduce_scatter_tensor")
    memory.same_types([output, input])
    if input.numel() != output.numel() * g.size():
        raise RuntimeError(
            message(
                "input tensor must be the same size as output size times world size",
                got=f"{input.numel()} and {output.numel()} elements, {g.size()} ranks",
            )
        )
    rows = list(memory.readable(input).reshape(g.size(), -1))
    return _reduce_scatter(g, output, rows, op, async_op)


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Give `input_tensor_list[r]` to rank r, which finds it in its `output_tensor_list[me]`.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = [torch.zeros(2)]
    >>> dist.all_to_all(mine, [torch.tensor([1.0, 2.0])])
    >>> mine
    [tensor([1., 2.])]
    >>> dist.destroy_process_group()
    """
    memory.check_list("all_to_all", "output_tensor_list", output_tensor_list)
    memory.check_list("all_to_all", "input_tensor_list", input_tensor_list)
    g = resolve(group)
    if g is None:
        return outside("all_to_all")
    for what, tensors in (("output", output_tensor_list), ("input", input_tensor_list)):
        if len(tensors) != g.size():
            raise RuntimeError(
                f"all_to_all: invalid {what} list (expected length {g.size()}, got {len(tensors)})"
            )
    memory.same_types([*output_tensor_list, *input_tensor_list])
    ins = [memory.readable(t) for t in input_tensor_list]
    return _all_to_all(g, output_tensor_list, None, ins, async_op)


def _all_to_all(
    g: ProcessGroup, outs: Sequence[Tensor], views: Any, ins: Any, async_op: bool
) -> Any:
    ws = memory.writable("all_to_all", outs)
    call = Call("all_to_all", ins[0], same_size=False)

    def go(patient: bool) -> None:
        arrays = [w.array for w in ws] if views is None else views(ws[0].array)
        g.exchange.all_to_all(g, call, arrays, ins, patient)
        for w in ws:
            w.done()

    return g.run(call, go, list(outs), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """`all_to_all` of the parts of one tensor along its first dimension: equal ones, or of the
    sizes that are given.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = torch.zeros(2)
    >>> dist.all_to_all_single(mine, torch.tensor([1.0, 2.0]))
    >>> mine
    tensor([1., 2.])
    >>> dist.destroy_process_group()
    """
    memory.check("all_to_all_single", "output", output)
    memory.check("all_to_all_single", "input", input)
    g = resolve(group)
    if g is None:
        return outside("all_to_all_single")
    memory.same_types([output, input])
    cuts = split("input", input, input_split_sizes, g.size())
    out_cuts = split("output", output, output_split_sizes, g.size())
    a = memory.readable(input)
    return _all_to_all(
        g, [output], lambda whole: pieces(whole, out_cuts), pieces(a, cuts), async_op
    )


def barrier(
    group: Any = None,
    async_op: bool = False,
    device_ids: Any = None,
    timeout: datetime.timedelta | None = None,
) -> Work | None:
    """Return when all ranks of the group have come here.

    Args:
        device_ids: accepted; there are no devices to choose from.
        timeout: for this call alone.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.barrier()
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("barrier")
    call = Call("barrier", None)
    if timeout is not None:
        call.timeout = timeout.total_seconds()
    return g.run(call, lambda patient: None, [], async_op)


def monitored_barrier(
    group: Any = None, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """`barrier` that names the ranks that have not come; the job can go on after it has failed.

    Args:
        timeout: how long to wait; None: the group's.
        wait_all_ranks: accepted; all that are missing are always named.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> dist.monitored_barrier()
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("monitored_barrier")
    limit = g.timeout if timeout is None else timeout.total_seconds()
    g.meetings += 1
    place = f"monitored_barrier {g.meetings} of group {g.place}"
    g.world.doing = place
    g.world.arrive(place, list(g.ranks), limit)
    return None
