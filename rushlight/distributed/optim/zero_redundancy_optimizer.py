"""`ZeroRedundancyOptimizer`: a rank keeps the state of, and updates, its share of the parameters.

After the update every rank broadcasts its share, so all have the same parameters again. Gradients
must be the same on all ranks before the step: DistributedDataParallel sees to that.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from rushlight import serialization
from rushlight.device import device
from rushlight.errors import message
from rushlight.optim.optimizer import Optimizer, ParamsT, StateDict
from rushlight.tensor import Tensor

from .. import collectives, setup
from ..algorithms.join import Join, Joinable, JoinHook
from ..group import default
from ..point_to_point import recv, send
from .flat import Flat, bytes_as_tensor, copied


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimiser whose state is spread over the ranks (ZeRO, arXiv:1910.02054, stage 1).

    Parameters are dealt out whole, the largest first, each to the rank that has least so far; a
    rank's share of the state is about 1 / world_size. The order in which ranks update does not
    matter: an update of one parameter does not look at the others (LBFGS does, and its steps here
    are those of one LBFGS a rank).

    Args:
        params: parameters or dictionaries that describe groups, in the same order on all ranks.
        optimizer_class: the class of the optimiser of each share, such as `torch.optim.Adam`.
        process_group: whose ranks; None: all.
        parameters_as_bucket_view: put each rank's share into one block of memory, of which the
            parameters are views, and broadcast the block instead of copying into one.
        overlap_with_ddp: not supported.
        **defaults: arguments of `optimizer_class`.

    Raises:
        NotImplementedError: `overlap_with_ddp=True`.
        TypeError, ValueError: params is no iterable of Tensors or of dictionaries, or empty.

        opt = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=1e-3)
        loss(model(x), y).backward()                # model: a DistributedDataParallel
        opt.step()
        opt.consolidate_state_dict(to=0)            # on all ranks
        if dist.get_rank() == 0:
            torch.save(opt.state_dict(), "optimizer.pt")
    """

    optim: Optimizer

    def __init__(
        self,
        params: ParamsT,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        groups = verified(params)
        if overlap_with_ddp:
            raise NotImplementedError(
                message(
                    "ZeroRedundancyOptimizer: overlap_with_ddp=True is not supported",
                    wanted="overlap_with_ddp=False: the update runs in step(), after the backward",
                    hint="leaving it out and calling step()",
                )
            )
        self.initialized = False
        Optimizer.__init__(self, groups, defaults)
        Joinable.__init__(self)
        self.process_group = process_group if process_group is not None else default()
        self.world_size = setup.get_world_size(self.process_group)
        self.rank = setup.get_rank(self.process_group)
        self.global_rank = setup.get_global_rank(self.process_group, self.rank)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._buckets: list[list[Tensor]] = []  # of each rank, one a type
        self._places: list[int] = []
        self._consolidated: dict[int, Any] | None = None
        self._partition = self._dealt()
        self.optim = optimizer_class(self._partition[self.rank], **defaults)
        in_step(self.optim.param_groups, self.param_groups)
        self._build_buckets()
        self.initialized = True

    # -- who has what ------------------------------------------------------------------------------

    def _parameters(self) -> list[Tensor]:
        return list(chain.from_iterable(g["params"] for g in self.param_groups))

    def _dealt(self) -> list[list[dict[str, Any]]]:
        """The groups of each rank: all settings, and the parameters that are its share."""
        sizes = [0] * self.world_size
        out: list[list[dict[str, Any]]] = [[] for _ in sizes]
        for group in self.param_groups:
            shares: list[list[Tensor]] = [[] for _ in sizes]
            for p in sorted(group["params"], key=lambda t: t.numel(), reverse=True):
                rank = sizes.index(min(sizes))
                shares[rank].append(p)
                sizes[rank] += p.numel()
            for rank, share in enumerate(shares):
                out[rank].append({**group, "params": share})
        return out

    def _share(self, rank: int) -> list[Tensor]:
        return list(chain.from_iterable(g["params"] for g in self._partition[rank]))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, on all ranks; those that were there stay where they are."""
        super().add_param_group(param_group)
        if not self.initialized:
            return
        in_step(self.param_groups[:-1], self.optim.param_groups)
        self._partition = self._dealt()
        self.optim.add_param_group(self._partition[self.rank][-1])
        in_step(self.optim.param_groups, self.param_groups)
        self._build_buckets()

    def _check_parameter(self, p: Any) -> None:
        super()._check_parameter(p)
        if p.is_sparse:
            raise ValueError(
                message(
                    "ZeroRedundancyOptimizer only supports using the same dense type for all "
                    "parameters",
                    got=f"a sparse tensor of shape {tuple(p.shape)}",
                    hint="parameter.to_dense()",
                )
            )

    def _build_buckets(self) -> None:
        """Make each share one block a type, which its parameters are views of."""
        if self.parameters_as_bucket_view:
            flats = [Flat(self._share(rank)) for rank in range(self.world_size)]
            self._buckets = [flat.become_views() for flat in flats]
            self._places = [p.data_ptr() for p in self._parameters()]

    # -- the step ----------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update this rank's share, then give it to all ranks and take theirs.

        Args:
            closure: evaluates the model again and returns the loss; called as often on all ranks
                as the optimiser of each calls it.
            **kwargs: further arguments of the optimiser's `step`.
        """
        Join.notify_join_context(self)
        if self._buckets and self._places != [p.data_ptr() for p in self._parameters()]:
            self._build_buckets()  # somebody has set param.data
        in_step(self.param_groups, self.optim.param_groups)
        if closure is not None:
            kwargs["closure"] = closure
        loss = self.optim.step(**kwargs)
        in_step(self.optim.param_groups, self.param_groups)
        self._sync_params()
        return loss

    def _sync_params(self) -> None:
        """Broadcast each rank's share from it."""
        works, after = [], []
        for rank in range(self.world_size):
            if self.parameters_as_bucket_view:
                blocks: list[Tensor] = self._buckets[rank]
            else:
                flat = Flat(self._share(rank))
                blocks = flat.blocks(filled=rank == self.rank)
                if rank != self.rank:
                    after.append(flat)
            works += [
                collectives.broadcast(b, group=self.process_group, group_src=rank, async_op=True)
                for b in blocks
            ]
        for work in works:
            if work is not None:
                work.wait()
        for flat in after:
            flat.give_back()

    # -- uneven inputs -----------------------------------------------------------------------------

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a rank without inputs does while others have some: step along."""
        return ZeROJoinHook(self)

    @property
    def join_device(self) -> device:
        """Where the tensors of `Join` are."""
        return self._parameters()[0].device

    @property
    def join_process_group(self) -> Any:
        """Whose ranks join."""
        return self.process_group

    # -- state dictionaries ------------------------------------------------------------------------

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all shares to rank `to` of the group; called on all ranks.

        `state_dict` there is then that of one optimiser over all parameters, as of this moment.
        """
        in_step(self.param_groups, self.optim.param_groups)
        numbers = {id(p): i for i, p in enumerate(self._parameters())}
        mine = {numbers[id(p)]: copied(s) for p, s in self.optim.state.items()}
        self._consolidated = None
        if self.rank != to:
            buffer = io.BytesIO()
            serialization.save(mine, buffer)
            data = bytes_as_tensor(buffer.getvalue())
            send(bytes_as_tensor(data.numel().to_bytes(8, "little")), None, self.process_group,
                 group_dst=to)  # fmt: skip
            send(data, None, self.process_group, group_dst=to)
            return
        found = dict(mine)
        for rank in range(self.world_size):
            if rank != to:
                size = bytes_as_tensor(bytes(8))
                recv(size, None, self.process_group, group_src=rank)
                data = bytes_as_tensor(bytes(int.from_bytes(size.numpy().tobytes(), "little")))
                recv(data, None, self.process_group, group_src=rank)
                file = io.BytesIO(data.numpy().tobytes())
                found.update(serialization.load(file, map_location="cpu", weights_only=True))
        self._consolidated = dict(sorted(found.items()))

    def state_dict(self) -> StateDict:
        """The whole state, as `consolidate_state_dict` last brought it to this rank.

        Raises:
            RuntimeError: it was not brought here.
        """
        if self._consolidated is None:
            raise RuntimeError(
                message(
                    "Optimizer state has not been consolidated on this rank",
                    got=f"rank {self.rank}, which has its share of the state",
                    hint=f"Please call `consolidate_state_dict(to={self.rank})` on all ranks "
                    "beforehand if you meant to save the global state.",
                )
            )
        self.state.update((p, self._consolidated[i]) for i, p in enumerate(self._parameters())
                          if i in self._consolidated)  # fmt: skip
        try:
            return super().state_dict()
        finally:
            self.state.clear()

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over the whole state, of which each rank keeps its share; called on all ranks.

        It may come from any number of ranks, or from one plain optimiser of the same class.
        """
        super().load_state_dict(state_dict)
        try:
            for p in self._share(self.rank):
                if self.state.get(p) is not None:
                    self.optim.state[p] = copied(self.state[p])
                else:
                    self.optim.state.pop(p, None)
        finally:
            self.state.clear()
        self._partition = self._dealt()
        in_step(self.param_groups, self.optim.param_groups)


class ZeROJoinHook(JoinHook):
    """Steps along while other ranks still have inputs."""

    def __init__(self, zero: Any) -> None:
        if not isinstance(zero, ZeroRedundancyOptimizer):
            raise AssertionError(
                "ZeRO join hook requires passing in a ZeroRedundancyOptimizer instance as the state"
            )
        self.zero = zero
        super().__init__()

    def main_hook(self) -> None:
        """One step."""
        self.zero.step()


def in_step(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
    """Give the groups `target` the settings of `source`: all but the parameters."""
    for group, other in zip(source, target, strict=True):
        other.update((k, v) for k, v in group.items() if k != "params")


def verified(params: Any) -> list[Any]:
    """The parameters or groups as a list; PyTorch's errors for what is neither."""
    kind = type(params).__name__
    if isinstance(params, Tensor) or not isinstance(params, Iterable):
        raise TypeError(
            message(
                "`params` argument should be an iterable of Tensors or dicts",
                got=f"a {kind}",
                hint="model.parameters()",
            )
        )
    given = list(params)
    if not given:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if all(isinstance(g, dict) for g in given):
        if any("params" not in g for g in given):
            raise ValueError(
                "Each parameter group passed-in via `params` must have a 'params' key mapping to "
                "the parameters in the group"
            )
    elif not all(isinstance(p, Tensor) for p in given):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    return given
