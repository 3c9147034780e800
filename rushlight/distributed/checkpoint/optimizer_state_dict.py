"""States of optimisers in which parameters go by name: collected, made flat, and loaded.

What programs call is in `state_dict.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ...autograd.grad_mode import no_grad
from ...errors import message
from ...ops.create.factories import zeros_like
from ...optim.optimizer import Optimizer
from ...tensor import Tensor
from .._state_dict_utils import (
    _broadcast_state_dict,
    _distribute_state_dict,
    _flatten_state_dict,
    _unflatten_state_dict,
)
from .state_dict import Info, fsdp_class

STATE, GROUPS, PARAMS = "state", "param_groups", "params"


def listed(optimizers: Optimizer | Iterable[Optimizer]) -> tuple[Optimizer, ...]:
    """One optimiser, or several, as a tuple."""
    return (optimizers,) if isinstance(optimizers, Optimizer) else tuple(optimizers)


def checked(state: dict[str, Any], info: Info) -> dict[str, Any]:
    """The state, unless it is empty and should not be."""
    o = info.options
    if not state and not (o.cpu_offload and o.full_state_dict) and not o.broadcast_from_rank0:
        raise RuntimeError(
            message(
                "The option indicates that model state_dict is required to save, or load but optim "
                f"state_dict is empty. {state}",
                hint="what get_optimizer_state_dict returned",
            )
        )
    return state


@no_grad()
def begin_state(optim: Any) -> None:
    """Let an optimiser without state make it, in a step that changes no parameter."""
    inner = getattr(optim, "optim", optim)  # whose state a ZeroRedundancyOptimizer's is
    params = list(chain.from_iterable(g[PARAMS] for g in optim.param_groups))
    if optim.state or inner.state or any(p.grad is not None for p in params):
        return
    rates = [g.get("lr") for g in optim.param_groups]
    for p in params:
        if p.requires_grad:
            p.grad = zeros_like(p)
    for g, lr in zip(optim.param_groups, rates, strict=True):
        if lr is not None:
            g["lr"] = zeros_like(lr) if isinstance(lr, Tensor) else 0.0
    try:
        optim.step(closure=None)
    finally:
        for g, lr in zip(optim.param_groups, rates, strict=True):
            if lr is not None:
                g["lr"] = lr
        optim.zero_grad(set_to_none=True)


# -- getting ---------------------------------------------------------------------------------------


@no_grad()
def collected(info: Info, optimizers: tuple[Optimizer, ...]) -> dict[str, Any]:
    """The state of all optimisers under the parameters' names."""
    if not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    out: dict[str, Any] = {STATE: {}, GROUPS: []}
    for optim in optimizers:
        begin_state(optim)
        state = optim.state_dict()
        if info.fsdp:
            with info.context():
                state = fsdp_class().optim_state_dict(info.model, optim, state, group_of(info))
            if state:
                state = without_compiler(state)
        else:
            state = named(info, optim, state)
        if state:
            out[STATE].update(state[STATE])
            out[GROUPS].extend(state[GROUPS])
    if info.options.flatten_optimizer_state_dict:
        out = flattened(out)
    return info.kept(out)


def group_of(info: Info) -> Any:
    """The ranks that a FullyShardedDataParallel model is spread over; None where there are two
    dimensions of them."""
    found = info.fsdp[0].process_group
    hybrid = "HYBRID" in info.fsdp[0].sharding_strategy.name
    return None if hybrid or isinstance(found, tuple) else found


def without_compiler(state: dict[str, Any]) -> dict[str, Any]:
    """Names of FullyShardedDataParallel's without what torch.compile puts into them."""

    def short(name: str) -> str:
        return name.replace("_orig_mod.", "")

    return {
        STATE: {short(k): v for k, v in state[STATE].items()},
        GROUPS: [{**g, PARAMS: [short(k) for k in g[PARAMS]]} for g in state[GROUPS]],
    }


def named(info: Info, optim: Any, state: dict[str, Any]) -> dict[str, Any]:
    """A state with names in the place of numbers."""
    params = list(chain.from_iterable(g[PARAMS] for g in optim.param_groups))
    names: dict[Any, str] = {}
    for number, p in enumerate(params):
        found = info.names_of(p)
        if not found:
            raise RuntimeError(
                message(
                    "the optimizer has a parameter that the model lacks",
                    got=f"parameter {number}, of shape {tuple(p.shape)}",
                    wanted="the optimizer of this model's parameters",
                )
            )
        names[number] = found[0]
    return {
        STATE: {names[k]: v for k, v in state[STATE].items()},
        GROUPS: [{**g, PARAMS: [names[i] for i in g[PARAMS]]} for g in state[GROUPS]],
    }


def flattened(state: dict[str, Any]) -> dict[str, Any]:
    """One flat dictionary: "state.weight.exp_avg", "param_groups.weight.lr".

    Raises:
        NotImplementedError: a value of the state is no tensor, number or dictionary.
    """
    out: dict[str, Any] = {}

    def put(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for k, v in value.items():
                put(f"{prefix}.{k}", v)
        elif isinstance(value, (Tensor, int, float)):
            out[prefix] = value
        else:
            raise NotImplementedError(
                message(
                    "Flattening optimizer state_dict only supports tensor, int, float, dict states "
                    f"now. Type is {type(value)}.",
                    got=prefix,
                    hint="flatten_optimizer_state_dict=False",
                )
            )

    for name, row in state[STATE].items():
        put(f"{STATE}.{name}", row)
    for group in state[GROUPS]:
        for name in group[PARAMS]:
            for key, value in group.items():
                if key != PARAMS:
                    out[f"{GROUPS}.{name}.{key}"] = value
    return out


# -- setting ---------------------------------------------------------------------------------------


@no_grad()
def load(info: Info, optimizers: tuple[Optimizer, ...], state: dict[str, Any]) -> None:
    """Give each optimiser its part of a state."""
    if not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    o = info.options
    for optim in optimizers:
        begin_state(optim)
        part: dict[str, Any] = {}
        if state:
            part = chosen(info, optim, state) if STATE in state else nested(info, optim, state)
        if info.fsdp:
            with info.context():
                part = fsdp_class().optim_state_dict_to_load(
                    info.model, optim, with_compiler(info, part), group=group_of(info)
                )
        elif o.full_state_dict:
            part = spread(info, optim, part)
        optim.load_state_dict(part)


def spread(info: Info, optim: Any, part: dict[str, Any]) -> dict[str, Any]:
    """A whole state lying as the optimiser's own does."""
    local, places = _flatten_state_dict(named(info, optim, optim.state_dict()))
    full, paths = _flatten_state_dict(part)
    if info.options.broadcast_from_rank0:
        _broadcast_state_dict(full, local)
    else:
        _distribute_state_dict(full, local)
    for key, value in full.items():
        if key not in local:
            local[key] = value
        places.setdefault(key, paths[key])
    out = _unflatten_state_dict(local, places)
    for group in out.get(GROUPS, []):
        group.setdefault(PARAMS, [])
    out.setdefault(STATE, {})
    return out


def chosen(info: Info, optim: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The part of a state that is this optimiser's.

    Raises:
        RuntimeError: a parameter that requires a gradient has no state, and `strict`.
    """
    if state[STATE] and all(isinstance(k, int) for k in state[STATE]):
        return state
    where = {name: g for g in state[GROUPS] for name in g[PARAMS]}
    out: dict[str, Any] = {STATE: {}, GROUPS: []}
    for group in optim.param_groups:
        names = []
        source: dict[str, Any] = {}
        for p in group[PARAMS]:
            found = info.names_of(p)
            if len(found) > 1:  # shared: one of its names is in the state
                found = [n for n in found if n in where]
            for name in found:
                names.append(name)
                source = where.get(name, source)
                if not p.requires_grad:
                    continue
                if name in state[STATE]:
                    out[STATE][name] = state[STATE][name]
                elif info.options.strict and (state[STATE] or optim.state):
                    raise RuntimeError(
                        message(
                            f"Missing optimizer state for parameter '{name}' in checkpoint. The "
                            "parameter requires gradients but has no saved optimizer state.",
                            got=f"state of {len(state[STATE])} parameters",
                            hint="To load anyway, use StateDictOptions(strict=False).",
                        )
                    )
        if not group[PARAMS]:
            empty = [g for g in state[GROUPS] if not g[PARAMS]]
            if len(empty) != 1:
                raise ValueError(
                    message(
                        "There are param groups that have zero parameters",
                        got=f"{len(empty)} such groups in the state",
                        wanted="one",
                    )
                )
            source = empty[0]
        settings = {k: v for k, v in source.items() if k != PARAMS}
        out[GROUPS].append({**settings, PARAMS: names})
    return out


def nested(info: Info, optim: Any, state: dict[str, Any]) -> dict[str, Any]:
    """What `flattened` made flat, of this optimiser.

    Raises:
        RuntimeError: parameters of one group have different settings, or none.
    """
    out: dict[str, Any] = {STATE: {}, GROUPS: []}
    for group in optim.param_groups:
        settings: dict[str, Any] = {}
        names: list[str] = []
        for p in group[PARAMS]:
            found = info.names_of(p)
            if len(found) > 1:
                there = [n for n in found if any(k.startswith(f"{GROUPS}.{n}.") for k in state)]
                found = there[:1]
            for name in found:
                names.append(name)
                for key in group:
                    if key == PARAMS:
                        continue
                    full = f"{GROUPS}.{name}.{key}"
                    if full not in state:
                        raise RuntimeError(f"Missing setting in checkpoint: {full}")
                    if settings.setdefault(key, state[full]) != state[full]:
                        raise RuntimeError(
                            "All the parameters in the same parameter group should have the same "
                            f"saved param_group value. But {names[0]}.{key} is {settings[key]} "
                            f"while other(s) is {state[full]}."
                        )
                if p.requires_grad:
                    out[STATE][name] = {
                        k: row_of(state, f"{STATE}.{name}.{k}") for k in optim.state.get(p, ())
                    }
        out[GROUPS].append({**settings, PARAMS: names})
    return out


def row_of(state: dict[str, Any], name: str) -> Any:
    """A value of a flat state, or the dictionary of all that is below its name."""
    if name in state:
        return state[name]
    out: dict[str, Any] = {}
    for key, value in state.items():
        if key.startswith(name + "."):
            at = out
            *above, last = key[len(name) + 1 :].split(".")
            for part in above:
                at = at.setdefault(part, {})
            at[last] = value
    return out


def with_compiler(info: Info, part: dict[str, Any]) -> dict[str, Any]:
    """Names as FullyShardedDataParallel has them where torch.compile stands in between."""
    from .state_dict import _get_fqns

    long = {}
    for name, _ in info.model.named_parameters():
        for short, whole in zip(
            sorted(_get_fqns(info.model, name)),
            sorted(_get_fqns(info.model, name, skip_compiler_prefix=False)),
            strict=True,
        ):
            long[short] = whole
    if not part or all(a == b for a, b in long.items()):
        return part
    return {
        STATE: {long.get(k, k): v for k, v in part[STATE].items()},
        GROUPS: [{**g, PARAMS: [long.get(k, k) for k in g[PARAMS]]} for g in part[GROUPS]],
    }
