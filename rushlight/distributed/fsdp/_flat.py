"""FlatUnit: the parameters of a unit one behind another, cut into equal parts.

    flat     [ a a a a a a | b b | c c c c c c c | 0 ]      numel, padded to a multiple of the ranks
    shards   [ rank 0      | rank 1      | rank 2    ]

Of `FullyShardedDataParallel`. Read next: `_unit.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight.distributed as dist
from rushlight.distributed.tensor import DTensor
from rushlight.errors import message
from rushlight.tensor import Parameter, Tensor

from ._memory import Memory
from ._unit import Held, Unit, averaging


class FlatParameter(Parameter):
    """This rank's part of a unit's parameters, one behind another.

    `_fqns`, `_shapes` and `_numels` say what it was made of.
    """

    _fqns: tuple[str, ...]
    _shapes: tuple[Any, ...]
    _numels: tuple[int, ...]


def checked(held: list[Held], use_orig_params: bool) -> Any:
    """The type of the parameters; ValueError when they cannot be one flat parameter."""
    for h in held:
        if isinstance(h.shard, DTensor):
            raise NotImplementedError(
                message(
                    "FullyShardedDataParallel: a parameter is a DTensor",
                    got=f"{h.name}: placements {h.shard.placements}",
                    wanted="plain parameters",
                    hint="fully_shard, which cuts what tensor parallelism has cut once more",
                )
            )
    kinds = {h.dtype for h in held}
    if len(kinds) > 1:
        raise ValueError(
            message(
                "Must flatten tensors with uniform dtype",
                got=", ".join(f"{h.name}: {h.dtype}" for h in held),
                hint="wrap modules of other types on their own, or fully_shard, which can mix them",
            )
        )
    (kind,) = kinds
    if not kind.is_floating_point:
        raise ValueError(
            message("Cannot flatten integer dtype tensors", got=str(kind), hint="ignored_states=")
        )
    if not use_orig_params and len({h.shard.requires_grad for h in held}) > 1:
        raise ValueError(
            message(
                "Must flatten tensors with uniform requires_grad when use_orig_params=False",
                got=", ".join(f"{h.name}: {h.shard.requires_grad}" for h in held),
                hint="use_orig_params=True, or wrap frozen modules on their own",
            )
        )
    return kind


class FlatUnit(Unit):
    """Parameters in one flat parameter, of which this rank has its part.

    Args:
        module: whose `_flat_param` it becomes, unless `orig`.
        orig: modules keep their parameters, as views of the part that lies on this rank.
        param_dtype: of the whole parameters.
        whole: keep all of it on every rank (NO_SHARD); then `group` averages gradients only.
    """

    def __init__(
        self,
        module: Any,
        held: list[Held],
        group: Any,
        replicas: Any,
        orig: bool,
        param_dtype: Any = None,
        whole: bool = False,
    ) -> None:
        kind = checked(held, orig)
        self.all_ranks = group  # that average gradients when nothing is spread
        super().__init__(held, None if whole else group, replicas)
        self.module, self.orig = module, orig
        self.param_dtype = param_dtype  # None: that of the shards
        self.keep_low = False
        self.starts = [0, *np.cumsum([h.numel for h in held]).tolist()]
        self.numel = self.starts[-1]
        self.part = -(-self.numel // self.ranks)  # numbers a rank
        self.flat = FlatParameter(
            Tensor._wrap(np.zeros(self.part, kind.np)),
            requires_grad=any(h.shard.requires_grad for h in held),
        )
        self.flat._fqns = tuple(h.name for h in held)
        self.flat._shapes = tuple(h.shard.shape for h in held)
        self.flat._numels = tuple(h.numel for h in held)
        self.memory = Memory(0)
        self.whole_array: Any = None
        for i, h in enumerate(held):
            self.write(i, h.shard.detach())
        self.make_whole()
        for h in held:
            for owner, name in h.places:
                if orig:
                    owner._parameters[name] = h.shard
                else:
                    del owner._parameters[name]
                    owner.__dict__[name] = h.whole
        if orig:
            self.point()
        else:
            for h in held:
                h.shard = self.flat
            module._parameters["_flat_param"] = self.flat

    # -- layout --------------------------------------------------------------------------------

    @property
    def alone(self) -> bool:
        """Whether the whole parameters are the shard itself."""
        return self.ranks == 1 and self.flat.dtype == self.whole_dtype

    @property
    def whole_dtype(self) -> Any:
        """The type of the whole parameters."""
        return self.flat.dtype if self.param_dtype is None else self.param_dtype

    def make_whole(self) -> None:
        """The leaves over the whole parameters."""
        dtype = self.whole_dtype.np
        if self.alone:
            self.whole_array = self.flat._a
        else:
            self.memory = Memory(self.part * self.ranks * dtype.itemsize)
            self.whole_array = self.memory.array(0, (self.part * self.ranks,), dtype)
        for i, h in enumerate(self.held):
            a = self.whole_array[self.starts[i] : self.starts[i] + h.numel].reshape(h.shape)
            if h.whole is None:
                self.lead(h, a)
            else:
                h.whole._a = a

    def range_of(self, i: int, rank: int | None = None) -> tuple[int, int, int]:
        """Of parameter `i`: from and to where a rank's shard has it, and which of its numbers is
        the first there."""
        begin = self.part * (self.rank if rank is None else rank)
        first = max(self.starts[i], begin)
        last = min(self.starts[i + 1], begin + self.part)
        if last <= first:
            return 0, 0, 0
        return first - begin, last - begin, first - self.starts[i]

    def write(self, i: int, value: Any) -> None:
        """Put this rank's part of a whole tensor into the shard."""
        a, b, at = self.range_of(i)
        if b > a:
            self.flat.detach()[a:b].copy_(value.reshape(-1)[at : at + b - a])

    def point(self) -> None:
        """Let the modules' own parameters look at this rank's part."""
        a = self.flat._a
        for i, h in enumerate(self.held):
            start, end, _ = self.range_of(i)
            h.shard._a = a[start:end] if self.group is not None else a[start:end].reshape(h.shape)

    # -- gathering -----------------------------------------------------------------------------

    def begin_gather(self, async_op: bool) -> None:
        self.under_way = (None,)
        if self.alone:
            if self.whole_array is not self.flat._a:  # converted to another type, or loaded
                self.make_whole()
            return
        if self.whole_array.dtype != self.whole_dtype.np:
            self.make_whole()
        mine = self.flat.detach().to(self.whole_dtype)
        self.memory.held = True
        whole = Tensor._wrap(self.whole_array)
        if self.ranks == 1:
            whole.copy_(mine)
        else:
            work = dist.all_gather_into_tensor(whole, mine, self.group, async_op)
            self.under_way = (work, mine)

    def show(self, whole: bool) -> None:
        if self.orig:
            super().show(whole)

    def gathered_flat(self, mine: Any) -> Any:
        """All ranks' parts of something that lies as the shard does, one behind another."""
        if self.ranks == 1:
            return mine.clone()
        found = mine.new_empty(self.part * self.ranks)
        dist.all_gather_into_tensor(found, mine, self.group)
        return found

    def split(self, flat: Any) -> list[Any]:
        """The parameters' parts of something whole that lies as they do."""
        return [
            flat[self.starts[i] : self.starts[i] + h.numel].reshape(h.shape)
            for i, h in enumerate(self.held)
        ]

    # -- reducing ------------------------------------------------------------------------------

    def reduce(self) -> Callable[[], None]:
        kind = self.reduce_dtype or self.whole_dtype
        whole = np.zeros(self.part * self.ranks, kind.np)
        total = Tensor._wrap(whole)
        works: list[Any] = []
        for i, h in enumerate(self.held):
            if h.whole.grad is not None:
                total[self.starts[i] : self.starts[i] + h.numel].copy_(h.whole.grad.reshape(-1))
                h.whole.grad = None
        if self.group is None:  # nothing is spread
            if self.hook is not None:
                self.hook[1](self.hook[0], total)
            else:
                works = averaging(total, self.all_ranks)
        elif self.hook is not None:
            mine = total.new_empty(self.part)
            self.hook[1](self.hook[0], total, mine)
            total = mine
        elif self.ranks > 1:
            mine = total.new_empty(self.part)
            op = dist.ReduceOp.AVG
            works = [dist.reduce_scatter_tensor(mine, total, op, self.group, async_op=True)]
            total = mine
        works += averaging(total, self.replicas)  # behind it, in the lane

        def end() -> None:
            for work in works:
                work.wait()
            self.add_gradient(total if self.keep_low else total.to(self.flat.dtype))

        return end

    def add_gradient(self, g: Any) -> None:
        """Add this rank's part of the averaged gradient to what is there."""
        if not self.orig:
            self.flat._extras().grad = g if self.flat.grad is None else self.flat.grad + g
            return
        for i, h in enumerate(self.held):
            a, b, _ = self.range_of(i)
            if h.shard.requires_grad and b > a:
                old = h.shard.grad
                mine = g[a:b].reshape(h.shard.shape)
                h.shard._extras().grad = mine if old is None else old.add_(mine)

    def local_gradient(self) -> Any:
        """The gradient of this rank's part as one tensor; None where there is none."""
        if not self.orig:
            return self.flat.grad
        if all(h.shard.grad is None for h in self.held):
            return None
        g = self.flat.detach().new_zeros(self.part)
        for i, h in enumerate(self.held):
            a, b, _ = self.range_of(i)
            if b > a and h.shard.grad is not None:
                g[a:b] = h.shard.grad.reshape(-1)
        return g
