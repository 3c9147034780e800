"""What `FullyShardedDataParallel` does when it is made: groups, what is ignored, first values; and
how it shows whole parameters for a block."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import rushlight.distributed as dist
from rushlight import nn
from rushlight.autograd.grad_mode import no_grad
from rushlight.distributed.group import ProcessGroup, default
from rushlight.errors import message
from rushlight.tensor import Parameter, Tensor

from .api import ShardingStrategy

HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


def groups_of(strategy: Any, group: Any, mesh: Any, policy: Any) -> tuple[Any, Any]:
    """The group over which a unit is spread, and that of the same shards (None: there is none)."""
    if group is not None and mesh is not None:
        raise ValueError(
            "Cannot pass both process_group and device_mesh at the same time. Please just pass "
            "only one of them."
        )
    if strategy not in HYBRID:
        if mesh is not None:
            return mesh.get_group(0), None
        return (default() if group is None else group), None
    if mesh is not None:
        if mesh.ndim != 2:
            raise ValueError(f"Expected device_mesh to have ndim=2 but got {mesh.ndim}")
        return mesh.get_group(1), mesh.get_group(0)
    if group is not None:
        pair = isinstance(group, tuple) and len(group) == 2
        if not pair or not all(isinstance(g, ProcessGroup) for g in group):
            raise ValueError(
                "Expected process_group to be passed in as either None or "
                f"Tuple[dist.ProcessGroup, dist.ProcessGroup] but got {type(group)}"
            )
        return group
    if policy is None:
        raise ValueError(
            f"Manual wrapping with {strategy} requires explicit specification of process group or "
            "device_mesh."
        )
    world = dist.get_world_size()
    local = int(os.environ.get("LOCAL_WORLD_SIZE", world))
    within, _ = dist.new_subgroups(local)
    columns = [list(range(i, world, local)) for i in range(local)]
    between, _ = dist.new_subgroups_by_enumeration(columns)
    return within, between


def ignored_modules_of(
    module: nn.Module,
    modules: Iterable[nn.Module] | None,
    states: Iterable[Any] | None,
    fsdp: type,
) -> set[nn.Module]:
    """The modules that are left alone, with all below them."""
    if modules is not None and states is not None:
        raise ValueError(
            "Cannot pass both ignored_modules and ignored_states at the same time. Please just "
            "pass ignored_states."
        )
    name = "ignored_modules" if states is None else "ignored_states"
    given = list(modules or states or ())
    kinds = sorted({type(s) for s in given}, key=repr)
    if all(isinstance(s, Parameter) for s in given) and states is not None:
        return set()
    if not all(isinstance(s, nn.Module) for s in given):
        what = "nn.Module list" if states is None else "all nn.Parameter or all nn.Module list"
        raise ValueError(f"{name} expects {what} elements but got types {kinds}")
    if any(s is module for s in given):
        raise ValueError(
            message(
                "Trying to ignore the top-level module passed into the FSDP constructor itself",
                hint="not wrapping it",
            )
        )
    return {m for s in given if not isinstance(s, fsdp) for m in s.modules()}


def ignored_ids(modules: set[nn.Module], states: Iterable[Any] | None) -> set[int]:
    """The parameters that are left alone, by their id()."""
    found = {id(p) for m in modules for p in m._parameters.values() if p is not None}
    return found | {id(s) for s in states or () if isinstance(s, Parameter)}


def own_modules(module: nn.Module, skipped: Callable[[Any], bool]) -> Iterator[nn.Module]:
    """The modules from `module` on down, but none that is skipped, nor those below it."""
    yield module
    for child in module.children():
        if not skipped(child):
            yield from own_modules(child, skipped)


def materialize(
    module: nn.Module, init: Any, skipped: Callable[[Any], bool], ignored: set[int]
) -> None:
    """Give parameters and buffers on the meta device values, module by module."""
    todo = [
        m
        for m in own_modules(module, skipped)
        if any(
            t is not None and t.device.type == "meta" and id(t) not in ignored
            for t in (*m._parameters.values(), *m._buffers.values())
        )
    ]
    for m in todo:
        if init is not None:
            init(m)
            continue
        m.to_empty(device="cpu", recurse=False)
        reset = getattr(m, "reset_parameters", None) or getattr(m, "_reset_parameters", None)
        if reset is None:
            raise RuntimeError(
                message(
                    "Unable to call `reset_parameters()` for module on meta device",
                    got=type(m).__name__,
                    wanted="modules that can initialize themselves",
                    hint="param_init_fn=",
                )
            )
        with no_grad():
            reset()
    if init is not None:
        for m in todo:
            left = [n for n, p in m._parameters.items() if p is not None and p.is_meta]
            if left:
                raise RuntimeError(
                    message(
                        "param_init_fn left parameters on the meta device",
                        got=f"{type(m).__name__}: {', '.join(left)}",
                        hint="module.to_empty(device='cpu', recurse=False) in it",
                    )
                )


@no_grad()
def broadcast_states(
    module: nn.Module,
    skipped: Callable[[Any], bool],
    ignored: set[int],
    within: Any,
    between: Any,
) -> None:
    """Give all ranks the parameters and buffers of the first one."""
    seen: set[int] = set()
    for m in own_modules(module, skipped):
        for t in (*m._parameters.values(), *m._buffers.values()):
            if t is None or id(t) in ignored or id(t) in seen:
                continue
            seen.add(id(t))
            if between is not None:
                dist.broadcast(t.detach(), group=between, group_src=0)
            dist.broadcast(t.detach(), group=within, group_src=0)


@contextlib.contextmanager
def summoned(fsdp: Any, writeback: bool, rank0_only: bool, with_grads: bool) -> Iterator[None]:
    """Let the modules of one instance have whole parameters of their own."""
    fsdp._begin()
    unit = fsdp._unit
    if unit is None or unit.kept_whole:
        yield
        return
    if unit.gathered:
        unit.reshard()
    with no_grad():
        whole = unit.gathered_flat(unit.flat.detach())
        local = unit.local_gradient() if with_grads else None
        grads = None
        if with_grads and any_rank(local is not None, unit.group):
            mine = unit.flat.detach().new_zeros(unit.part) if local is None else local
            grads = unit.split(unit.gathered_flat(mine))
    if rank0_only and fsdp.rank != 0:
        yield
        return
    shown = []
    for i, (h, value) in enumerate(zip(unit.held, unit.split(whole), strict=True)):
        p = Parameter(value.clone(), requires_grad=h.shard.requires_grad)
        p.__dict__.update(h.whole.__dict__)
        if grads is not None and h.shard.requires_grad:
            p.grad = grads[i].clone()
        shown.append(p)
        for owner, name in h.places:
            owner.__dict__.pop(name, None)
            owner._parameters[name] = p
    del whole, grads
    if not unit.orig:
        del unit.module._parameters["_flat_param"]
    unit.kept_whole = fsdp._summoned = True
    try:
        yield
    finally:
        unit.kept_whole = fsdp._summoned = False
        for i, h in enumerate(unit.held):
            owner, name = h.places[0]
            changed = owner._parameters.get(name)
            if writeback and changed is not None:
                with no_grad():
                    unit.write(i, changed.detach())
                    if with_grads:
                        put_back_gradient(unit, i, changed.grad)
            for owner, name in h.places:
                if unit.orig:
                    owner._parameters[name] = h.shard
                else:
                    owner._parameters.pop(name, None)
                    owner.__dict__[name] = h.whole
        if not unit.orig:
            unit.module._parameters["_flat_param"] = unit.flat


def put_back_gradient(unit: Any, i: int, g: Any) -> None:
    a, b, at = unit.range_of(i)
    shard = unit.held[i].shard
    if b > a:
        mine = None if g is None else g.reshape(-1)[at : at + b - a].clone()
        shard.grad = None if mine is None else mine.reshape(shard.shape)


def any_rank(flag: bool, group: Any) -> bool:
    """Whether it is so on any rank."""
    if group is None or group.size() == 1:
        return flag
    x = Tensor._wrap(np.array([flag], np.int32))
    dist.all_reduce(x, dist.ReduceOp.MAX, group)
    return bool(x.item())
