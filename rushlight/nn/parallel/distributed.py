"""DistributedDataParallel: one model in several processes, each of which has a part of the batch.

The reduction of gradients is `rushlight/distributed/reducer.py`; here are the module around it,
what is sent when it is made, and ranks that run out of inputs (`join`); `_parts.py` has the rest.
"""

from __future__ import annotations

import copy
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...autograd.grad_mode import is_grad_enabled, no_grad
from ...autograd.profiler import record_function
from ...blocks import contextmanager
from ...distributed import buckets
from ...distributed.algorithms.join import Join, Joinable, JoinHook
from ...distributed.buckets import BuiltinCommHookType
from ...distributed.collectives import all_reduce
from ...distributed.group import default, state
from ...distributed.objects import tensor as of_array
from ...distributed.reduce_op import ReduceOp
from ...distributed.reducer import Reducer
from ...errors import message
from ...tensor import Tensor
from ..module import Module
from ._parts import (  # noqa: F401 - PyTorch's names
    Buffers,
    _BufferCommHook,
    _BufferCommHookLocation,
    _check_comm_hook,
    _check_parameters,
    _find_tensors,
    _group_of,
    _MixedPrecision,
)
from ._plans import InPlans
from .scatter_gather import gather, scatter_kwargs

__all__ = ["DistributedDataParallel"]

MB = 1024 * 1024
DEFAULT_CAP = 25  # MB of a bucket
BROADCAST_BYTES = 250 * MB


class _DDPJoinHook(JoinHook):
    """What a rank without inputs does for a DistributedDataParallel."""

    def __init__(self, ddp: DistributedDataParallel, divide_by_initial_world_size: bool) -> None:
        self.ddp = ddp
        ddp._divide_by_initial_world_size = divide_by_initial_world_size

    def main_hook(self) -> None:
        ddp = self.ddp
        ddp.reducer.rebuild()
        if ddp._check_sync_bufs_pre_fwd():
            ddp._sync_module_buffers(ddp._find_common_rank(False))
        synced = ddp._check_global_requires_backward_grad_sync(True)
        ddp.require_forward_param_sync = bool(synced)
        if not synced:
            return
        for future in [ddp.reducer.run_hook(b) for b in ddp.reducer.zero_buckets()]:
            future.wait()
        ddp.reducer.share_used()
        if not ddp.reducer.order:
            ddp.reducer.order = list(range(len(ddp.reducer.parameters)))

    def post_hook(self, is_last_joiner: bool) -> None:
        """Everybody gets the model of a rank that has trained to the end."""
        ddp = self.ddp
        source = ddp._find_common_rank(is_last_joiner)
        ddp._send_module(source, ddp.forward_sync_buffers)


class DistributedDataParallel(Buffers, InPlans, Module, Joinable):
    """A module that several processes train together: each computes a part of the batch, and their
    gradients are averaged while the backward goes on.

    With n ranks, `backward()` leaves on each rank

        p.grad = 1/n * sum_r (gradient of p on rank r)

    so a loss that is a mean over the batch trains as one process on the whole batch. Parameters and
    buffers of rank 0 are given to all when it is made; gradients are reduced in buckets, in the
    order in which the first backward computes them, each as soon as it is full. Sums are made in
    the order of the ranks: all ranks have the same bits, in every run.

    Args:
        module: the same on all ranks. Its names in `state_dict()` begin with "module.".
        device_ids, output_device: None: there are no devices to choose from.
        broadcast_buffers, forward_sync_buffers: give rank 0's buffers to all before each forward.
            `broadcast_buffers=False` also leaves them alone when it is made, and is deprecated.
        init_sync: check that ranks agree, and give them rank 0's parameters.
        process_group: whose ranks; None: all. Or `device_mesh`, of one dimension.
        bucket_cap_mb: how large a bucket may become; None: 25, and the first one 1.
            `bucket_cap_mb_list`: of each.
        find_unused_parameters: look in each forward which parameters its outputs depend on. Others
            count as zero on this rank; what no rank uses keeps its `.grad`.
        gradient_as_bucket_view: gradients are views of the buckets, which saves their memory.
        static_graph: which parameters are used, and how often, is the same in each iteration and is
            learnt in the first: parameters may be used in several checkpoints, or not at all.
        delay_all_reduce_named_params, param_to_hook_all_reduce: (name, parameter) pairs whose
            gradients are reduced in one piece, when that of another parameter has come.
        skip_all_reduce_unused_params: buckets without used parameters are not reduced; they must be
            the same on all ranks.
        batched_grad_copy: gradients are copied to their bucket when it is full, not one by one.
        mixed_precision: not supported; autocast is.

    Raises:
        RuntimeError: no parameter needs a gradient; parameters differ between ranks; parameters are
            not initialized; in a forward: gradients of the iteration before have not come, with the
            names of the parameters.
        ValueError: `device_ids` of a module of the CPU; there is no process group.

    Example, as each of two processes runs it after `init_process_group`::

        model = DistributedDataParallel(nn.Linear(10, 1))
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        loss = F.mse_loss(model(x), y)    # x, y: this rank's part of the batch
        loss.backward()                   # gradients are those of the whole batch
        optimizer.step()

    Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", 2020.

    In one process, which is a group of one:

    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    >>> model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1))
    >>> model(torch.ones(3, 2)).sum().backward()
    >>> [(name, p.grad) for name, p in model.named_parameters()]
    [('module.weight', tensor([[3., 3.]])), ('module.bias', tensor([3.]))]
    >>> torch.distributed.destroy_process_group()
    """

    _active_ddp_module: DistributedDataParallel | None = None

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Sequence[tuple[str, Tensor]] | None = None,
        param_to_hook_all_reduce: Tensor | None = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: Sequence[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        Joinable.__init__(self)
        if (delay_all_reduce_named_params is None) != (param_to_hook_all_reduce is None):
            raise ValueError(
                "delay_all_reduce_named_params and param_to_hook_all_reduce "
                "need to be set at the same time."
            )
        self.process_group = _group_of(process_group, device_mesh)
        if device_mesh is not None:
            self.device_mesh = device_mesh
        delayed = list(delay_all_reduce_named_params or ())
        self.parameters_to_ignore = {
            *getattr(module, "_ddp_params_and_buffers_to_ignore", ()),
            *(name for name, _ in delayed),
        }
        self._delay_all_reduce_params = [p for _, p in delayed]
        self._module_parameters = [
            p for n, p in module.named_parameters() if n not in self.parameters_to_ignore
        ]
        _check_parameters(self._module_parameters, delayed, device_ids, output_device)
        if mixed_precision is not None:
            raise NotImplementedError(
                message(
                    "DistributedDataParallel: mixed_precision needs streams of an accelerator",
                    got=str(mixed_precision),
                    wanted="mixed_precision=None",
                    hint="torch.autocast('cpu', torch.bfloat16) around the forward, and "
                    "bf16_compress_hook for the gradients",
                )
            )
        self.is_multi_device_module = False
        self.device_ids: Any = None
        self.output_device: Any = None
        self.dim, self.module = dim, module
        some = [*self._module_parameters, *self._delay_all_reduce_params]
        self.device = some[0].device
        self.device_type = self.device.type
        at_start = self._buffers_of(broadcast_buffers, forward_sync_buffers)
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.batched_grad_copy = batched_grad_copy
        self.skip_all_reduce_unused_params = skip_all_reduce_unused_params
        self.mixed_precision = None
        self.static_graph = False
        self.broadcast_bucket_size = BROADCAST_BYTES
        self._divide_by_initial_world_size = True
        self._comm_hooks: list[tuple[Callable[..., Any], Any]] = []
        self._has_rebuilt_buckets = self._lazy_init_ran = False
        if check_reduction:
            warnings.warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. "
                "Please avoid using it.",
                FutureWarning,
                stacklevel=2,
            )
        self._caps(bucket_cap_mb, bucket_cap_mb_list)
        self._delay_grad_buffer: Tensor | None = None
        self._delay_grad_views: list[Tensor] = []
        self._delay_all_reduce_all_params = False
        if param_to_hook_all_reduce is not None:
            self._register_delay_all_reduce_hook(param_to_hook_all_reduce)
            if self._delay_all_reduce_all_params:
                return
        parameters, names, sparse = self._reduced()
        if init_sync:
            buckets.check_same(self.process_group, parameters)
            self._send_module(0, at_start)
        self._make_reducer(parameters, names, sparse, static_graph)
        if static_graph:
            self._set_static_graph()

    # -- what the constructor is made of -----------------------------------------------------------

    def _buffers_of(self, old: bool | None, new: bool | None) -> bool:
        """Decide about buffers; returns whether they are sent when the module is made."""
        if old is not None:
            told = (
                "Both `broadcast_buffers` and `forward_sync_buffers` were specified. "
                "`broadcast_buffers` is deprecated and its value is ignored when "
                "`forward_sync_buffers` is provided."
                if new is not None
                else "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. "
                "IMPORTANT: unlike `broadcast_buffers=False`, `forward_sync_buffers=False` still "
                "syncs buffers at init. If you rely on buffers NOT being synced at init (e.g. "
                "rank-local buffers), keep using `broadcast_buffers=False` until "
                "`init_sync_buffers` is available."
            )
            warnings.warn(told, FutureWarning, stacklevel=3)
        if new is not None:
            self.forward_sync_buffers = new
            return True
        self.forward_sync_buffers = True if old is None else old
        return self.forward_sync_buffers

    def _caps(self, cap: float | None, each: Sequence[float] | None) -> None:
        """The limits of buckets in bytes."""
        self.bucket_bytes_cap_default = cap is None and not each
        self.bucket_bytes_cap_list = [int(c * MB) for c in each or ()]
        largest = max(each) if each else (DEFAULT_CAP if cap is None else cap)
        self.bucket_bytes_cap = int(largest * MB)
        self._first_bucket_bytes_cap = (
            buckets.FIRST_BUCKET_BYTES if self.bucket_bytes_cap_default else self.bucket_bytes_cap
        )

    def _limits(self) -> list[int]:
        """Of buckets in the order of the gradients."""
        if self.bucket_bytes_cap_list:
            return self.bucket_bytes_cap_list
        return [self._first_bucket_bytes_cap, self.bucket_bytes_cap]

    def _reduced(self) -> tuple[list[Tensor], list[str], list[bool]]:
        """The parameters whose gradients are reduced, once each, with names, and whether their
        gradients are sparse."""
        from ..modules.sparse import Embedding, EmbeddingBag

        found: dict[Tensor, tuple[str, bool]] = {}
        for path, layer in self.module.named_modules():
            for name, p in layer.named_parameters(recurse=False):
                whole = f"{path}.{name}" if path else name
                if p.requires_grad and whole not in self.parameters_to_ignore and p not in found:
                    sparse = isinstance(layer, (Embedding, EmbeddingBag)) and layer.sparse
                    found[p] = (whole, sparse)
        self._assign_modules_buffers()
        names = [name for name, _ in found.values()]
        return list(found), names, [sparse for _, sparse in found.values()]

    def _make_reducer(
        self, parameters: list[Tensor], names: list[str], sparse: list[bool], static_graph: bool
    ) -> None:
        if self.bucket_bytes_cap_list:
            limits = self.bucket_bytes_cap_list
        elif static_graph or not self.find_unused_parameters:
            # One bucket a type, in the first iteration: the order of the parameters is not yet that
            # of their gradients, and another collective of the backward may stand between them.
            limits = [sys.maxsize]
        else:
            limits = self._limits()
        members, bytes_ = buckets.assigned(parameters, limits, sparse)
        self.reducer = Reducer(
            parameters,
            names,
            members[::-1],
            bytes_[::-1],
            self.process_group,
            sparse,
            self._limits(),
            self.find_unused_parameters,
            self.gradient_as_bucket_view,
            self.skip_all_reduce_unused_params,
            self.batched_grad_copy,
        )

    def _send_module(self, source: int, with_buffers: bool) -> None:
        """Give the parameters (and buffers) of a rank to all."""
        found: list[Tensor] = [
            p for n, p in self.module.named_parameters() if n not in self.parameters_to_ignore
        ]
        if with_buffers:
            self._assign_modules_buffers()
            found += self.modules_buffers
        with no_grad():
            tensors = [t.detach() for t in found]
            buckets.send_together(self.process_group, tensors, self.broadcast_bucket_size, source)

    def _register_delay_all_reduce_hook(self, at: Tensor) -> None:
        """Gradients of delayed parameters lie in one buffer, which is reduced when `at`'s comes."""
        import rushlight

        sizes = [p.numel() for p in self._delay_all_reduce_params]
        dtype = self._delay_all_reduce_params[0].dtype
        buffer = rushlight.zeros(sum(sizes), dtype=dtype, device=self.device)
        with no_grad():
            tensors = [p.detach() for p in self._delay_all_reduce_params]
            buckets.send_together(self.process_group, tensors, self.broadcast_bucket_size, 0)
            start = 0
            for p, n in zip(self._delay_all_reduce_params, sizes, strict=True):
                self._delay_grad_views.append(buffer[start : start + n].view(p.shape))
                start += n
        self._delay_grad_buffer = buffer

        def reduce(grad: Tensor) -> Tensor:
            with no_grad():
                buffer.div_(self.process_group.size())
                all_reduce(buffer, group=self.process_group)
            return grad

        at.register_hook(reduce)
        self._delay_all_reduce_all_params = not any(
            p.requires_grad and n not in self.parameters_to_ignore
            for n, p in self.module.named_parameters()
        )

    def _clear_grad_buffer(self) -> None:
        """Let delayed parameters without a gradient accumulate into the buffer."""
        if self._delay_grad_buffer is None:
            return
        fresh = [p.grad is None for p in self._delay_all_reduce_params]
        with no_grad():
            for p, view, new in zip(
                self._delay_all_reduce_params, self._delay_grad_views, fresh, strict=True
            ):
                if new:
                    p.grad = view
                    view.zero_()

    # -- forward -----------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's own result; its backward reduces gradients."""
        with record_function("DistributedDataParallel.forward"):
            if self._delay_all_reduce_all_params:
                output = self._computing(*inputs, **kwargs)
                self._clear_grad_buffer()
                return output
            synced = is_grad_enabled() and self.require_backward_grad_sync
            self._pre_forward(synced)
            before = DistributedDataParallel._active_ddp_module
            DistributedDataParallel._active_ddp_module = self
            try:
                output = self._computing(*inputs, **kwargs)
            finally:
                DistributedDataParallel._active_ddp_module = before
            self._post_forward(output, synced)
            return output

    def _pre_forward(self, synced: bool) -> None:
        reducer = self.reducer
        if not self._lazy_init_ran:
            self._lazy_init()
        if synced:
            reducer.prepare_for_forward()
        work = Join.notify_join_context(self)
        if work is not None:
            reducer.forward_work = (work, self._divide_by_initial_world_size)
        if is_grad_enabled() and not reducer.unfinished and reducer.rebuild():
            self._has_rebuilt_buckets = True
        if self._check_sync_bufs_pre_fwd():
            self._sync_buffers()
        if self._join_config.enable:
            self._check_global_requires_backward_grad_sync(False)

    def _post_forward(self, output: Any, synced: bool) -> None:
        if self._check_sync_bufs_post_fwd():
            self._sync_buffers()
        # (set past Module.__setattr__, behind which plans look whether the module has changed)
        self.__dict__["require_forward_param_sync"] = synced
        if synced:
            finds = self.find_unused_parameters and not self.static_graph
            self.reducer.prepare_for_backward(list(_find_tensors(output)) if finds else [])
        self._clear_grad_buffer()

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leave gradients of forwards in this block as they are; they add up, and the next backward
        outside of it reduces them.

        Example::

            with model.no_sync():
                for x in parts[:-1]:
                    model(x).sum().backward()
            model(parts[-1]).sum().backward()
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @classmethod
    def _get_active_ddp_module(cls) -> DistributedDataParallel | None:
        return cls._active_ddp_module

    # -- communication hooks -----------------------------------------------------------------------

    def register_comm_hook(self, state: Any, hook: Callable[..., Any]) -> None:
        """Let `hook(state, bucket)` reduce each bucket (a `GradBucket`); it returns a Future of the
        tensor that becomes the gradients.

        Gradients in the bucket are not divided by the number of ranks: the hook does that.

        Raises:
            TypeError, ValueError: what is no hook, or is annotated as another one.
            RuntimeError: there is one already.

        Example::

            def hook(state, bucket):
                tensor = bucket.buffer().div_(dist.get_world_size())
                return dist.all_reduce(tensor, async_op=True).get_future().then(
                    lambda done: done.value()[0]
                )

            model.register_comm_hook(None, hook)
        """
        _check_comm_hook(hook)
        self.reducer.register(state, hook)
        self._comm_hooks.append((hook, state))

    def _register_builtin_comm_hook(self, comm_hook_type: Any) -> None:
        """`register_comm_hook` of one that has a name in `dist.BuiltinCommHookType`."""
        from ...distributed.algorithms.ddp_comm_hooks import default_hooks

        kind = BuiltinCommHookType(comm_hook_type)
        hook = (
            default_hooks.fp16_compress_hook
            if kind is BuiltinCommHookType.FP16_COMPRESS
            else default_hooks.allreduce_hook
        )
        self.reducer.register(self.process_group, hook)
        self.reducer.builtin = kind

    def _register_fused_optim(
        self, optim: Any, *args: Any, optim_params: Any = None, **kwargs: Any
    ) -> None:
        """Let an optimiser of each parameter step when its gradient is reduced, at the end of the
        backward; the gradient is None then.

        Args:
            optim: a class of optimisers; `args` and `kwargs` are its arguments.
            optim_params: which parameters; None: all.
        """
        from ...distributed.optim import _apply_optimizer_in_backward

        def made(params: Any, **more: Any) -> Any:
            return optim(params, *args, **more)

        chosen = self.module.parameters() if optim_params is None else optim_params
        made_of: Any = made
        _apply_optimizer_in_backward(made_of, chosen, kwargs, register_hook=False)
        self._lazy_init_ran = False

    def _lazy_init(self) -> None:
        """Before the first forward: optimisers that step in the backward wait for the reduction."""
        self._lazy_init_ran = True
        for p in self.reducer.parameters:
            if hasattr(p, "_in_backward_optimizers"):
                if hasattr(p, "_in_backward_hook"):
                    p._in_backward_hook.remove()
                    del p._in_backward_hook
                self.reducer.stepping[p] = p._in_backward_optimizers

    # -- uneven inputs -----------------------------------------------------------------------------

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """A block in which ranks may have different numbers of batches; at its end all ranks get
        the model of one that had most.

        Args:
            divide_by_initial_world_size: divide gradients by the number of all ranks; False: of
                those that have inputs.
            enable: False: nothing is done.
            throw_on_early_termination: raise on all ranks when one has no more inputs.

        Example::

            with model.join():
                for x, y in batches:
                    ...
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What `Join` calls on a rank without inputs; `divide_by_initial_world_size` as in
        `join`."""
        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        """The parameters' device."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The group whose ranks train together."""
        return self.process_group

    def _check_global_requires_backward_grad_sync(self, is_joined_rank: bool) -> bool | None:
        """Tell ranks without inputs whether this backward is reduced; they ask."""
        import rushlight

        tells = not is_joined_rank and self.require_backward_grad_sync
        flag = rushlight.full((1,), float(tells), device=self.device)
        all_reduce(flag, group=self.process_group)
        return bool(flag.item()) if is_joined_rank else None

    def _find_common_rank(self, candidate: bool) -> int:
        """The highest rank of those that are candidates."""
        mine = self._distributed_rank if candidate else -1
        found = np.array([mine])
        all_reduce(of_array(found), ReduceOp.MAX, self.process_group)
        return int(found[0])

    @property
    def _distributed_rank(self) -> int:
        return int(self.process_group.rank())

    # -- the rest of PyTorch's interface -----------------------------------------------------------

    def scatter(self, inputs: Any, kwargs: Any, device_ids: Any) -> Any:
        """Parts of the arguments for several devices."""
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def gather(self, outputs: Any, output_device: Any) -> Any:
        """Outputs of several devices as one."""
        return gather(outputs, output_device, dim=self.dim)

    def train(self, mode: bool = True) -> DistributedDataParallel:
        """Training mode, or evaluation, of the module."""
        super().train(mode)
        return self

    def _set_static_graph(self) -> None:
        """`static_graph=True` after the constructor."""
        if self.static_graph:
            warnings.warn(
                "You've set static_graph to be True, no need to set it again.", stacklevel=2
            )
            return
        self.static_graph = self.reducer.static = True
        if self.find_unused_parameters:
            warnings.warn(
                "You passed find_unused_parameters=true to DistributedDataParallel, "
                "`_set_static_graph` will detect unused parameters automatically, so you do not "
                "need to set find_unused_parameters=true, just be sure these unused parameters "
                "will not change during training loop while calling `_set_static_graph`.",
                stacklevel=2,
            )

    def _remove_autograd_hooks(self) -> None:
        self.reducer.remove()

    def _check_reducer_finalized(self) -> None:
        """RuntimeError when gradients of the last backward have not come."""
        self.reducer.check_finished()

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """What is known of the reduction: sizes, numbers, the order of gradients."""
        reducer = self.reducer
        hook = reducer.hook
        return {
            "backend_name": self.process_group.name(),
            "bucket_cap_bytes": self.bucket_bytes_cap,
            "bucket_sizes": ", ".join(
                str(sum(p.numel() * p.element_size() for p in b.parameters))
                for b in reducer.buckets
            ),
            "broadcast_buffers": int(self.forward_sync_buffers),
            "comm_hook": "" if hook is None else getattr(hook, "__qualname__", str(hook)),
            "find_unused_parameters": int(self.find_unused_parameters),
            "gradient_as_bucket_view": int(self.gradient_as_bucket_view),
            "has_rebuilt_buckets": int(self._has_rebuilt_buckets),
            "iteration": reducer.iterations,
            "module_name": type(self.module).__name__,
            "num_parameter_tensors": len(reducer.parameters),
            "prev_iteration_grad_ready_order_indices": ", ".join(map(str, reducer.last_order)),
            "rank": self._distributed_rank,
            "static_graph": int(self.static_graph),
            "total_parameter_size_bytes": sum(
                p.numel() * p.element_size() for p in reducer.parameters
            ),
            "world_size": self.process_group.size(),
        }

    @staticmethod
    def _get_data_parallel_params(module: Module, named_params: bool = False) -> Iterator[Any]:
        """The parameters that are not marked as ignored."""
        for p in module.named_parameters() if named_params else module.parameters():
            if not hasattr(p[1] if named_params else p, "_ddp_ignored"):
                yield p

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Any
    ) -> None:
        """Let some parameters and buffers, given by name, alone; before `module` is wrapped."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
        for name, t in itertools.chain(module.named_parameters(), module.named_buffers()):
            if name in params_and_buffers_to_ignore:
                t._ddp_ignored = True  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        self._check_default_group()
        found = copy.copy(self.__dict__)
        del found["process_group"]
        found.pop("reducer", None)
        found["broadcast_buffers"] = self.forward_sync_buffers
        return found

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.process_group = default()
        super().__setstate__(kept)
        old = self.__dict__.pop("broadcast_buffers", True)
        self.__dict__.setdefault("forward_sync_buffers", old)
        self.__dict__.setdefault("require_forward_param_sync", True)
        self.__dict__.setdefault("require_backward_grad_sync", True)
        self._lazy_init_ran = False
        self._make_reducer(*self._reduced(), self.static_graph)
        self.reducer.static = self.static_graph

    def _check_default_group(self) -> None:
        if self.process_group is not state.default:
            raise RuntimeError(
                "DDP Pickling/Unpickling are only supported when using DDP with the default "
                "process group. That is, when you have called init_process_group and have not "
                "passed process_group argument to DDP constructor"
            )
