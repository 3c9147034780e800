"""RowsUnit: parameters that are DTensors, each cut along one of its dimensions.

Of `fully_shard`. All parameters of a unit travel together: what a rank sends is its rows of each,
one behind another, as bytes; what it receives are such rows of all ranks.

    rank 0 sends  [ rows 0-2 of a | rows 0-1 of b ]      parts as torch.chunk cuts them,
    rank 1 sends  [ rows 3-4 of a | row 2 of b    ]      filled up to the largest

A parameter that tensor parallelism has spread over another mesh is a DTensor before: what is cut
then is this rank's part of it, what modules see is that DTensor again, and the shard lies on the
mesh of both, (ours, theirs).

Read next: `_unit.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight.distributed as dist
from rushlight import dtypes
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor import DTensor, Replicate, Shard, _StridedShard
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from rushlight.errors import message
from rushlight.tensor import Parameter, Tensor

from ._memory import Memory, aligned
from ._unit import Held, Unit, averaging


class Rows:
    """How one parameter is cut: along `dim`, into parts of `size` rows (the last ones of fewer)."""

    __slots__ = ("dim", "inner", "length", "ranks", "size", "start")

    def __init__(self, shape: tuple[int, ...], dim: int, ranks: int) -> None:
        self.dim, self.ranks = dim, ranks
        self.length = shape[dim]
        self.size = -(-self.length // ranks)
        self.inner = int(np.prod([n for i, n in enumerate(shape) if i != dim], dtype=np.int64))

    @property
    def numel(self) -> int:
        """Numbers that each rank sends."""
        return self.size * self.inner

    def of(self, rank: int) -> slice:
        """The rows of a rank."""
        return slice(min(rank * self.size, self.length), min((rank + 1) * self.size, self.length))

    def first(self, a: Any) -> Any:
        """A view of an array with its rows first."""
        return np.moveaxis(a, self.dim, 0)


class RowsUnit(Unit):
    """Parameters cut along a dimension each, over the last dimension of a mesh. Of those that are
    DTensors already, what a rank has counts as the whole.

    Args:
        held: the parameters.
        mesh: of one dimension, or of two: (replicas, shards).
        dims: along which dimension each parameter is cut.
    """

    def __init__(self, held: list[Held], mesh: Any, dims: list[int]) -> None:
        replicas = mesh.get_group(0) if mesh.ndim == 2 else None
        super().__init__(held, mesh.get_group(mesh.ndim - 1), replicas)
        self.mesh = mesh
        for h in held:
            if isinstance(h.shard, DTensor):
                local = h.shard._local_tensor
                h.of_rank, h.shape, h.numel = h.shard._spec, tuple(local.shape), local.numel()
        self.rows = [Rows(h.shape, d, self.ranks) for h, d in zip(held, dims, strict=True)]
        self.factor: float | None = None  # instead of the number of ranks
        self.zeros_for_unused = False
        self.gather_with: Any = None  # set_custom_all_gather
        self.reduce_with: Any = None
        self.reduce_hook: Any = None  # set_all_reduce_hook
        self.few: Any = None  # the group of reshard_after_forward=int
        self.part: Any = None  # this rank's part of the memory within `few`
        self.partial: dict[Any, Any] = {}  # gradients that replicas have not added up yet
        self.layout: Any = None
        self.memory = Memory(0)
        for h, r in zip(held, self.rows, strict=True):
            h.shard = self.cut(h, r)
        self.show(False)

    def cut(self, h: Held, r: Rows) -> Any:
        """A parameter as a DTensor of this rank's rows."""
        p = h.shard
        whole = p.detach() if h.of_rank is None else p._local_tensor.detach()
        part = whole.movedim(r.dim, 0)[r.of(self.rank)].movedim(0, r.dim)
        local = part.clone().contiguous() if not p.is_meta else part
        spec = self.spec_of(h, r, p)
        made = Parameter(DTensor._made(local, spec), requires_grad=p.requires_grad)
        made.__dict__.update(p.__dict__)
        return made

    def spec_of(self, h: Held, r: Rows, p: Any) -> DTensorSpec:
        """Where a parameter's shard lies."""
        shape = tuple(p.shape)
        stride = tuple(int(np.prod(shape[i + 1 :], dtype=np.int64)) for i in range(len(shape)))
        meta = TensorMeta(p.shape, stride, p.dtype)
        mesh, cut, theirs = self.mesh, Shard(r.dim), ()
        if h.of_rank is not None:
            mesh, theirs = DeviceMesh._concatenate([mesh, h.of_rank.mesh]), h.of_rank.placements
            n = 1  # into how many parts they have cut our dimension
            for i, t in enumerate(theirs):
                n *= h.of_rank.mesh.size(i) if t.is_shard(r.dim) else 1
            if n > 1:
                cut = _StridedShard(r.dim, split_factor=n)
        return DTensorSpec(mesh, (*(Replicate(),) * (self.mesh.ndim - 1), cut, *theirs), meta)

    def leaf(self, h: Held, array: Any) -> Any:
        local = Tensor._wrap(array)
        if h.of_rank is None:
            return local
        spec, meta = h.of_rank, h.of_rank.tensor_meta
        if local.dtype != meta.dtype:
            meta = TensorMeta(meta.shape, meta.stride, local.dtype)
            spec = spec.shallow_copy_with_tensor_meta(meta)
        return DTensor._made(local, spec)

    def gradient(self, h: Held) -> Any:
        """The gradient of a whole parameter as this rank has it; the parameter has none then."""
        g, h.whole.grad = h.whole.grad, None
        if g is None or h.of_rank is None:
            return g
        if g.placements != h.of_rank.placements:
            g = g.redistribute(placements=h.of_rank.placements)
        return g._local_tensor

    # -- layout --------------------------------------------------------------------------------

    def take_over(self) -> None:
        """Note parameters that were put in the place of ours: loaded with assign, or converted."""
        for h in self.held:
            owner, name = h.places[0]
            now = owner._parameters.get(name)
            if now is not h.shard and isinstance(now, DTensor):
                h.shard = now

    def adopt(self) -> None:
        """Take over parameters that were put into the modules."""
        if not self.shown:
            self.take_over()
            self.show(False)

    def look(self) -> None:
        """Take over what was loaded or converted, and lay out the memory for the parameters."""
        self.adopt()
        meta = [h.name for h in self.held if h.shard._local_tensor.is_meta]
        if meta:
            raise RuntimeError(
                message(
                    "FSDP parameters should be materialized from meta device before training, but "
                    "the following were still on meta device",
                    got=", ".join(meta),
                    hint='module.to_empty(device="cpu"), then reset_parameters()',
                )
            )
        kinds = tuple(self.dtype_of(h) for h in self.held)
        if kinds == self.layout:
            return
        self.layout, start, starts = kinds, 0, []
        for h, d in zip(self.held, kinds, strict=True):
            starts.append(start)
            start = aligned(start + h.numel * d.itemsize)
        few = 1 if self.few is None else self.few.size()
        self.memory = Memory(-(-start // few) * few)
        for h, d, at in zip(self.held, kinds, starts, strict=True):
            a = self.memory.array(at, h.shape, d.np)
            if h.whole is None or (h.of_rank is not None and h.whole.dtype != d):
                self.lead(h, a)
            elif h.of_rank is None:
                h.whole._a = a
            else:
                h.whole._local_tensor._a = a

    def array_of(self, h: Held) -> Any:
        """The memory of a whole parameter, or of this rank's part of it."""
        return (h.whole if h.of_rank is None else h.whole._local_tensor)._a

    def dtype_of(self, h: Held) -> Any:
        """The type of the whole parameter."""
        own = h.shard.dtype
        return self.param_dtype if self.param_dtype is not None and own.is_floating_point else own

    # -- gathering -----------------------------------------------------------------------------

    def begin_gather(self, async_op: bool) -> None:
        self.look()
        if self.part is not None:
            whole = Tensor._wrap(self.memory._bytes[: self.memory.nbytes])
            self.memory.held = True
            work = dist.all_gather_into_tensor(whole, Tensor._wrap(self.part), self.few, async_op)
            self.under_way = (work, None, self.part)
            return
        kinds = self.layout
        total = sum(aligned(r.numel * d.itemsize) for r, d in zip(self.rows, kinds, strict=True))
        comm = self.gather_with
        if comm is None:
            mine = Tensor._wrap(np.empty(total, np.uint8))
            got = Tensor._wrap(np.empty(total * self.ranks, np.uint8))
        else:
            kw = {"dtype": dtypes.uint8, "device": self.held[0].shard.device}
            mine = comm.allocate((total,), **kw)
            got = comm.allocate((total * self.ranks,), **kw)
        at = 0
        for h, r, d in zip(self.held, self.rows, kinds, strict=True):
            n = r.numel * d.itemsize
            local = h.shard._local_tensor.detach().to(d)
            rows = r.first(local._a)
            mine._a[at : at + n].view(d.np)[: local.numel()].reshape(rows.shape)[...] = rows
            at += aligned(n)
        if comm is None:
            work = dist.all_gather_into_tensor(got, mine, self.group, async_op)
        else:
            work = comm(output_tensor=got, input_tensor=mine, group=self.group, async_op=async_op)
        self.under_way = (work, got, mine)

    def end_gather(self) -> None:
        """Put the rows of all ranks where they belong."""
        _, got, _ = self.under_way
        super().end_gather()
        self.part = None
        if got is None:
            return
        self.memory.held = True
        parts = got._a.reshape(self.ranks, -1)
        at = 0
        for h, r, d in zip(self.held, self.rows, self.layout, strict=True):
            n = r.numel * d.itemsize
            whole = r.first(self.array_of(h))
            for rank in range(self.ranks):
                rows = whole[r.of(rank)]
                if rows.size:
                    rows[...] = parts[rank, at : at + n].view(d.np)[: rows.size].reshape(rows.shape)
            at += aligned(n)

    def after_forward(self, inputs: Any, output: Any) -> None:
        self.to_few = self.few is not None
        try:
            super().after_forward(inputs, output)
        finally:
            self.to_few = False

    to_few = False

    def free(self) -> None:
        if self.to_few and self.memory.nbytes:
            n = self.memory.nbytes // self.few.size()
            start = n * self.few.rank()
            self.part = self.memory._bytes[start : start + n].copy()
        else:
            self.part = None
        super().free()

    def unshard(self) -> None:
        if self.old():
            self.part = None
        super().unshard()

    # -- reducing ------------------------------------------------------------------------------

    def reduce(self) -> Callable[[], None]:
        kinds: dict[Any, list[int]] = {}
        for i, h in enumerate(self.held):
            if h.whole.requires_grad and (h.whole.grad is not None or self.zeros_for_unused):
                kind = self.reduce_dtype or h.whole.dtype
                kinds.setdefault(kind, []).append(i)
        ends = [self.reduce_some(kind, which) for kind, which in kinds.items()]

        def end() -> None:
            for fn in ends:
                fn()

        return end

    def reduce_some(self, kind: Any, which: list[int]) -> Callable[[], None]:
        """`reduce` of some parameters in one type."""
        total = sum(self.rows[i].numel for i in which)
        size = (self.ranks, total)
        if self.reduce_with is None:
            sent = np.zeros(size, kind.np)
        else:
            device = self.held[0].shard.device
            held = self.reduce_with.allocate((self.ranks * total,), dtype=kind, device=device)
            sent = held._a.reshape(size)
            sent[...] = 0
        at = 0
        for i in which:
            h, r = self.held[i], self.rows[i]
            g = self.gradient(h)
            if g is not None:
                rows = r.first(g.to(kind)._a)
                for rank in range(self.ranks):
                    part = rows[r.of(rank)]
                    sent[rank, at : at + part.size].reshape(part.shape)[...] = part
            at += r.numel
        mine = Tensor._wrap(np.empty(total, kind.np))
        op = dist.ReduceOp.AVG if self.factor is None else dist.ReduceOp.SUM
        flat = Tensor._wrap(sent.reshape(-1))
        works = []
        if self.reduce_with is not None:
            self.reduce_with(output_tensor=mine, input_tensor=flat, group=self.group, op=op)
        elif self.ranks == 1:
            mine = flat
        else:
            works = [dist.reduce_scatter_tensor(mine, flat, op, self.group, async_op=True)]
        del sent, flat
        if self.replicas is not None:
            key = (kind, tuple(which))
            before = self.partial.pop(key, None)
            if before is not None:
                settle(works)
                mine += before
            if not self.all_reduce:
                settle(works)
                self.partial[key] = mine
                return nothing
            if self.factor is None:
                works += averaging(mine, self.replicas)  # behind the other one, in the lane
            elif self.replicas.size() > 1:
                op = dist.ReduceOp.SUM
                works.append(dist.all_reduce(mine, op, self.replicas, async_op=True))
        factor = self.factor

        def end() -> None:
            settle(works)
            if factor is not None:
                mine.div_(factor)
            if self.reduce_hook is not None:
                self.reduce_hook(mine)
            self.keep(which, mine)

        return end

    def keep(self, which: list[int], mine: Any) -> None:
        """Add this rank's rows of some gradients, one behind another, to the shards'."""
        at = 0
        for i in which:
            h, r = self.held[i], self.rows[i]
            local = h.shard._local_tensor
            shape = r.first(local._a).shape
            rows = mine._a[at : at + local.numel()].reshape(shape)
            part = Tensor._wrap(np.ascontiguousarray(np.moveaxis(rows, 0, r.dim)))
            self.add(h, part.to(local.dtype))
            at += r.numel

    def add(self, h: Held, part: Any) -> None:
        """Add this rank's rows of a gradient to what is there."""
        old = h.shard.grad
        if old is None:
            h.shard.grad = DTensor._made(part, h.shard._spec)
        else:
            old._local_tensor.add_(part)


def settle(works: list[Any]) -> None:
    """Wait for collectives."""
    while works:
        works.pop(0).wait()


def nothing() -> None:
    """What is left to do where replicas have not added up yet."""
