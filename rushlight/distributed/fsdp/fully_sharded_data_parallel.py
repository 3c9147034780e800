"""FullyShardedDataParallel: a module whose parameters, gradients and optimiser state are spread.

    model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}))
    optimizer = torch.optim.AdamW(model.parameters())      # of this rank's shards

Each wrapped module is a unit (`_unit.py`); what happens when stands there and in
docs/fully_sharded.md. Here: the class and its settings. Not here: states (`_state_dict.py`),
optimisers' states (`_optim_state.py`).
"""

from __future__ import annotations

import contextlib
import functools
import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight
import rushlight.distributed as dist
from rushlight import nn
from rushlight.autograd import door, engine
from rushlight.autograd.grad_mode import no_grad
from rushlight.errors import message
from rushlight.tensor import Parameter

from . import _state_dict
from ._flat import FlatParameter, FlatUnit
from ._init import (
    broadcast_states,
    groups_of,
    ignored_ids,
    ignored_modules_of,
    materialize,
    summoned,
)
from ._optim_state import OptimStateMethods
from ._unit import Tree, cast_floats, collect
from .api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    OptimStateKeyType,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from .wrap import auto_wrap

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FlatParameter",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "OptimStateKeyType",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]

FREES = (ShardingStrategy.FULL_SHARD, ShardingStrategy.HYBRID_SHARD)
FLAT_PARAM = "_flat_param"
PREFIX = "_fsdp_wrapped_module."


class FullyShardedDataParallel(OptimStateMethods, nn.Module):
    """Wraps `module`: its parameters lie spread over the ranks, and are whole while they are used.

    Args:
        module: what computes; modules below it that are wrapped already are units of their own.
        process_group: over which to spread; for hybrid strategies a pair (within, between).
        sharding_strategy: see `ShardingStrategy`; None: FULL_SHARD.
        backward_prefetch: when the unit whose backward comes next begins to gather: BACKWARD_PRE:
            when that of the one before begins; BACKWARD_POST: when it has its gradients, so that
            fewer are whole; None: when it is needed.
        forward_prefetch: begin to gather the next unit in the forward, in the order of the first.
        cpu_offload, limit_all_gathers: accepted. Shards are on the CPU in any case; at most two
            units besides the outermost are whole.
        auto_wrap_policy: which modules below become units (`wrap.py`).
        mixed_precision: see `MixedPrecision`.
        ignored_modules, ignored_states: modules (or parameters) that are left alone.
        param_init_fn: `fn(module)` gives modules on the meta device their values; None: their
            `reset_parameters()`.
        device_id: accepted: the CPU.
        sync_module_states: begin with rank 0's parameters and buffers.
        use_orig_params: modules keep their parameters, each a view of what this rank has of it
            (one-dimensional, perhaps empty); else the outermost parameters are flat ones.
        device_mesh: instead of `process_group`; of two dimensions for hybrid strategies.

    Raises:
        ValueError: parameters of several types, or (without `use_orig_params`) frozen and trained
            ones in one unit.

    Example (needs several processes)::

        model = FSDP(Net(), auto_wrap_policy=size_based_auto_wrap_policy, use_orig_params=True)
        optimizer = torch.optim.Adam(model.parameters())
        model(x).sum().backward()
        model.clip_grad_norm_(1.0)
        optimizer.step()
    """

    def __init__(
        self,
        module: nn.Module,
        process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Any = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[nn.Module] | None = None,
        param_init_fn: Any = None,
        device_id: Any = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Any] | None = None,
        device_mesh: Any = None,
    ) -> None:
        super().__init__()
        if isinstance(module, (nn.ModuleList, nn.ModuleDict)):
            warnings.warn(
                f"FSDP will not all-gather parameters for containers that do not implement "
                f"forward: {module}",
                stacklevel=2,
            )
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        ignored = ignored_modules_of(module, ignored_modules, ignored_states, type(self))
        ignored_params = ignored_ids(ignored, ignored_states)
        within, between = groups_of(strategy, process_group, device_mesh, auto_wrap_policy)
        if auto_wrap_policy is not None:
            taken = [n for n, m in module.named_modules() if isinstance(m, type(self))]
            if taken:
                raise ValueError(
                    message(
                        "FSDP auto wrapping requires modules to not already have FSDP applied",
                        got=f"FSDP at {', '.join(map(repr, taken))}",
                        hint="auto_wrap_policy, or wrapping by hand, not both",
                    )
                )
            settings = {
                "process_group": (within, between) if between is not None else within,
                "sharding_strategy": strategy, "cpu_offload": cpu_offload,
                "backward_prefetch": backward_prefetch, "mixed_precision": mixed_precision,
                "param_init_fn": param_init_fn, "device_id": device_id,
                "sync_module_states": sync_module_states, "forward_prefetch": forward_prefetch,
                "limit_all_gathers": limit_all_gathers, "use_orig_params": use_orig_params,
                "ignored_states": ignored_states if ignored_states else None,
                "ignored_modules": ignored_modules if not ignored_states else None,
            }  # fmt: skip
            auto_wrap(module, auto_wrap_policy, ignored, ignored_params, settings, type(self))
        self.rank, self.world_size = within.rank(), within.size()
        if self.world_size == 1 and between is None:
            strategy = ShardingStrategy.NO_SHARD
        self.process_group, self._inter_node_pg = within, between
        self._device_mesh = device_mesh
        self.sharding_strategy = strategy
        self.mixed_precision = mixed_precision or MixedPrecision()
        self.cpu_offload = cpu_offload or CPUOffload()
        self.backward_prefetch, self.forward_prefetch = backward_prefetch, forward_prefetch
        self.limit_all_gathers = limit_all_gathers
        self.compute_device = rushlight.device("cpu")
        self._use_orig_params = use_orig_params
        self._is_root: bool | None = None
        self._summoned = False
        self._state_dict_type = StateDictType.FULL_STATE_DICT
        self._state_dict_config: StateDictConfig = FullStateDictConfig()
        self._optim_state_dict_config: OptimStateDictConfig = FullOptimStateDictConfig()
        self._fsdp_wrapped_module = module

        def skipped(m: Any) -> bool:
            return isinstance(m, FullyShardedDataParallel) or m in ignored

        materialize(module, param_init_fn, skipped, ignored_params)
        if sync_module_states:
            broadcast_states(module, skipped, ignored_params, within, between)
        held = collect(module, skipped, ignored_params)
        for h in held:
            h.name = _state_dict.clean(h.name)
        self._own_modules = [m for m in module.modules() if m not in ignored]
        self._buffer_types: dict[str, Any] = {}
        self._unit: FlatUnit | None = None
        if held:
            self._unit = FlatUnit(
                module, held, within, between, use_orig_params, self.mixed_precision.param_dtype,
                whole=strategy is ShardingStrategy.NO_SHARD,
            )  # fmt: skip
            if self.mixed_precision.reduce_dtype is not None:
                self._unit.reduce_dtype = self.mixed_precision.reduce_dtype
            self._unit.keep_low = self.mixed_precision.keep_low_precision_grads
            self._unit.reshard_after_forward = strategy in FREES
            self._unit.forward_prefetch = forward_prefetch
            self._unit.backward_prefetch = backward_prefetch
            self._unit.tree.units.append(self._unit)
        self._load_state_dict_post_hooks[-1] = _state_dict.loaded

    # -- looking -------------------------------------------------------------------------------

    @property
    def module(self) -> nn.Module:
        """What is wrapped."""
        inner = self._fsdp_wrapped_module
        return getattr(inner, "_checkpoint_wrapped_module", inner)

    @property
    def _has_params(self) -> bool:
        return self._unit is not None

    @property
    def _flat_param(self) -> Any:
        return None if self._unit is None else self._unit.flat

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_fsdp_wrapped_module" or "_modules" not in self.__dict__:
                raise
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]

    @staticmethod
    def fsdp_modules(module: nn.Module, root_only: bool = False) -> list[Any]:
        """All instances in `module`, itself perhaps; with `root_only` the outermost ones."""
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        if not root_only:
            return found
        inner = {id(n) for m in found for n in m.modules() if n is not m}
        return [m for m in found if id(m) not in inner]

    def check_is_root(self) -> bool:
        """Whether no other instance stands around this one."""
        self._begin()
        return bool(self._is_root)

    def _begin(self) -> None:
        """At the first use: the outermost instance tells those below that they are not."""
        if self._is_root is not None:
            return
        self._is_root = True
        tree = Tree()
        self._tree = tree
        for m in self.fsdp_modules(self):
            if m is not self:
                m._is_root = False
            if m._unit is not None:
                m._unit.tree = tree
                tree.units.append(m._unit)
        if self._unit is not None:
            self._unit.reshard_after_forward = False  # its backward comes first
        for m in self.fsdp_modules(self):
            kind = m.mixed_precision.buffer_dtype
            inner = {id(n) for k in self.fsdp_modules(m) if k is not m for n in k.modules()}
            for part in m._own_modules if kind is not None else ():
                for name, b in part._buffers.items():
                    if b is not None and b.is_floating_point() and id(part) not in inner:
                        m._buffer_types.setdefault(str(b.dtype), b.dtype)
                        part.__dict__.setdefault("_fsdp_types", {})[name] = b.dtype
                        part._buffers[name] = b.to(kind)

    def _reset_lazy_init(self) -> None:
        self._is_root = None

    # -- computing -----------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's forward, with its parameters whole."""
        self._begin()
        mixed, unit = self.mixed_precision, self._unit
        if self._is_root:
            self._tree.recover()
        cast = mixed.cast_root_forward_inputs if self._is_root else mixed.cast_forward_inputs
        if cast and mixed.param_dtype is not None:
            args, kwargs = cast_floats((args, kwargs), mixed.param_dtype)
        if unit is None:
            return self._fsdp_wrapped_module(*args, **kwargs)
        unit.unshard()
        unit.tree.forward_of(unit)
        output = self._fsdp_wrapped_module(*args, **kwargs)
        unit.after_forward((args, kwargs), output)
        return output

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Backwards in the block leave whole gradients on every rank; the first one after it
        averages their sum.

        Raises:
            RuntimeError: this is not the outermost instance.
        """
        self._begin()
        if not self._is_root:
            raise RuntimeError(
                "`no_sync()` on inner FSDP instances is not supported. Please call `no_sync()` on "
                "root FSDP module."
            )
        before = [(u, u.sync) for u in self._tree.units]
        for u, _ in before:
            u.sync = False
        try:
            yield
        finally:
            for u, was in before:
                u.sync = was

    @no_grad()
    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scale all gradients so that their common norm, over all ranks, is at most `max_norm`.

        Returns the norm before. All ranks call it.

        Raises:
            RuntimeError: this is not the outermost instance.
        """
        self._begin()
        if not self._is_root:
            raise RuntimeError(
                "`clip_grad_norm_()` should only be called on the root FSDP instance"
            )
        max_norm, norm_type = float(max_norm), float(norm_type)
        units = self._tree.units
        if all(u.group is None for u in units):
            return nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)
        spread = {id(h.shard): h.shard for u in units if u.group is not None for h in u.held}
        parts = [p.grad for p in spread.values() if p.grad is not None]
        whole = [
            p.grad for p in self.parameters() if id(p) not in spread and p.grad is not None
        ]
        grads = [*parts, *whole]
        total = _norm_power(parts, norm_type)
        if norm_type == math.inf:
            total = rushlight.maximum(total, _norm_power(whole, norm_type))
            dist.all_reduce(total, dist.ReduceOp.MAX, self.process_group)
        else:
            dist.all_reduce(total, dist.ReduceOp.SUM, self.process_group)
            total = (total + _norm_power(whole, norm_type)) ** (1.0 / norm_type)
        factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for g in grads:
            g.mul_(factor.to(g.dtype))
        if not grads:
            warnings.warn(
                f"Called FSDP.clip_grad_norm_() on rank {self.rank} with no gradients -- returning "
                f"the total norm in the default dtype {total.dtype}",
                stacklevel=3,
            )
            return total
        return total.to(functools.reduce(rushlight.promote_types, [g.dtype for g in grads]))

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Let `hook` exchange the gradients of all units instead.

        It is called as `hook(state, gradient, shard)` and writes this rank's part of the averaged
        gradient to `shard`; with NO_SHARD as `hook(state, gradient)`, which it averages in place.

        Raises:
            AssertionError: not on the outermost instance, with a hybrid strategy, or twice.
        """
        if not self.check_is_root():
            raise AssertionError(
                "register_comm_hook can only be called on a root instance."
            )
        for m in self.fsdp_modules(self):
            if m._inter_node_pg is not None:
                raise AssertionError(
                    f"Communication hook is not supported for hybrid strategies: "
                    f"{m.sharding_strategy}"
                )
            if m._unit is not None and m._unit.hook is not None:
                raise AssertionError("A communication hook is already registered")
            if not callable(hook):
                raise ValueError(
                    f"The communication hook must be callable but got {type(hook).__name__}"
                )
        for u in self._tree.units:
            u.hook = (state, hook)

    # -- whole parameters ----------------------------------------------------------------------

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module: nn.Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """Within the block modules have their whole parameters, under their own names.

        Args:
            module: an instance, or a module with instances in it.
            recurse: those below, too.
            writeback: keep what the block changes (each rank its own part).
            rank0_only: on rank 0 alone; not together with `writeback`.
            offload_to_cpu: accepted: they are on the CPU.
            with_grads: the gradients as well; needs `use_orig_params=True`.
        """
        chosen = FullyShardedDataParallel.fsdp_modules(module)
        if not recurse:
            chosen = [m for m in chosen if m is module]
        if writeback and rank0_only:
            raise NotImplementedError(
                message(
                    "writeback=True and rank0_only=True is not supported",
                    hint="rank0_only=True, writeback=False to look at them",
                )
            )
        if with_grads and (offload_to_cpu or not all(m._use_orig_params for m in chosen)):
            raise NotImplementedError(
                message(
                    "summon_full_params(with_grads=True) is not supported so",
                    got=f"offload_to_cpu={offload_to_cpu}, use_orig_params="
                    f"{all(m._use_orig_params for m in chosen)}",
                    wanted="FSDP(use_orig_params=True), offload_to_cpu=False",
                )
            )
        if engine.running():
            raise AssertionError("Cannot manually unshard parameters during forward/backward")
        with contextlib.ExitStack() as stack:
            for m in chosen:
                stack.enter_context(summoned(m, writeback, rank0_only, with_grads))
            yield

    def apply(self, fn: Any) -> Any:
        """`Module.apply` with the whole parameters; what it changes is kept."""
        if self._summoned or (self.__dict__.get("_unit") is None and self._is_root is False):
            return super().apply(fn)
        with self.summon_full_params(self):
            return super().apply(fn)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        u = self._unit
        if u is None or not u.orig or self._summoned:
            return super()._apply(fn, recurse)
        u.reshard()
        for h in u.held:  # views of one array are converted as that
            for owner, name in h.places:
                owner._parameters.pop(name, None)
        u.flat.grad = u.local_gradient()
        u.module._parameters[FLAT_PARAM] = u.flat
        try:
            return super()._apply(fn, recurse)
        finally:
            u.flat = u.module._parameters.pop(FLAT_PARAM)
            u.point()
            u.show(False)
            for h in u.held:
                h.shard.grad = None
            if u.flat.grad is not None:
                with door.grad_enabled(False):
                    u.add_gradient(u.flat.grad)
                u.flat.grad = None

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Parameter]]:
        """`Module.named_parameters`; within `summon_full_params` under the modules' own names."""
        for name, p in super().named_parameters(*args, **kwargs):
            yield (name.replace(PREFIX, "") if self._summoned else name), p

    def named_buffers(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Any]]:
        """`Module.named_buffers`; within `summon_full_params` under the modules' own names."""
        for name, b in super().named_buffers(*args, **kwargs):
            yield (name.replace(PREFIX, "") if self._summoned else name), b

    # -- states --------------------------------------------------------------------------------

    @staticmethod
    def set_state_dict_type(
        module: nn.Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:
        """Choose how `state_dict()` of all instances in `module` comes; returns what was before."""
        return _state_dict.choose(
            FullyShardedDataParallel.fsdp_modules(module), state_dict_type, state_dict_config,
            optim_state_dict_config,
        )  # fmt: skip

    @staticmethod
    def get_state_dict_type(module: nn.Module) -> StateDictSettings:
        """What was chosen; AssertionError when instances differ."""
        return _state_dict.chosen(FullyShardedDataParallel.fsdp_modules(module))

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(
        module: nn.Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> Iterator[None]:
        """`set_state_dict_type` for a block."""
        before = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            FullyShardedDataParallel.set_state_dict_type(
                module,
                before.state_dict_type,
                before.state_dict_config,
                before.optim_state_dict_config,
            )

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state, as `set_state_dict_type` says; all ranks call it."""
        return _state_dict.state_of(self, super().state_dict, *args, **kwargs)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        _state_dict.begin_load(self, state_dict, prefix)
        super()._load_from_state_dict(state_dict, prefix, *rest)


def _norm_power(grads: list[Any], norm_type: float) -> Any:
    """The sum of powers of all numbers, or the largest: what ranks add up to a norm."""
    norms = [rushlight.linalg.vector_norm(g, norm_type, dtype=rushlight.float32) for g in grads]
    if not norms:
        return rushlight.zeros(())
    total = rushlight.linalg.vector_norm(rushlight.stack(norms), norm_type)
    return total if norm_type == math.inf else total**norm_type
