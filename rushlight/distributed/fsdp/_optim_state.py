"""States of optimisers of `FullyShardedDataParallel`: by the names of the modules' own parameters.

    FSDP.optim_state_dict(model, optimizer)              shards -> whole tensors, or DTensors
    FSDP.optim_state_dict_to_load(model, optimizer, osd)  back, for optimizer.load_state_dict

So a state can be loaded into another number of ranks, or into the module that was not wrapped.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import rushlight
import rushlight.distributed as dist
from rushlight.autograd.grad_mode import no_grad
from rushlight.errors import message
from rushlight.tensor import Tensor

from ._state_dict import clean, rows
from .api import FullOptimStateDictConfig, OptimStateKeyType, StateDictType


class Owner:
    """Where a parameter of an optimiser comes from: `parts` are (unit's index, range) pieces."""

    def __init__(self, fsdp: Any, indices: list[int], names: list[str]) -> None:
        self.fsdp, self.indices, self.names = fsdp, indices, names


def owners(model: Any) -> dict[int, Owner]:
    """By id() of the parameters that optimisers of `model` see."""
    from .fully_sharded_data_parallel import FullyShardedDataParallel

    found: dict[int, Owner] = {}
    for path, m in model.named_modules():
        if not isinstance(m, FullyShardedDataParallel) or m._unit is None:
            continue
        m._begin()
        m._unit.reshard()
        start = clean(path + "." if path else "")
        start = start if not start or start.endswith(".") else start + "."
        for i, h in enumerate(m._unit.held):
            own = found.setdefault(id(h.shard), Owner(m, [], []))
            own.indices.append(i)
            own.names.append(start + h.name)
    for name, p in model.named_parameters():
        found.setdefault(id(p), Owner(None, [], [clean(name)]))
    return found


def listed(optim: Any) -> list[Any]:
    """The parameters of an optimiser, in the order of their numbers."""
    return [p for g in optim.param_groups for p in g["params"]]


def owner_of(found: dict[int, Owner], p: Any) -> Owner:
    try:
        return found[id(p)]
    except KeyError:
        raise ValueError(
            message(
                "the optimizer has a parameter that the model does not have",
                got=f"a parameter of shape {tuple(p.shape)}",
                wanted="an optimizer of the wrapped model's parameters",
                hint="make the optimizer after wrapping, of model.parameters()",
            )
        ) from None


@no_grad()
def collected(model: Any, optim: Any, osd: Any, full: bool, rank0_only: bool, group: Any) -> Any:
    """The state of an optimiser by names, whole or as DTensors."""
    found = owners(model)
    params = listed(optim)
    if osd is None:
        osd = optim.state_dict()
    numbered = dict(osd["state"])
    ids = [i for g in osd["param_groups"] for i in g["params"]]
    states = {id(p): numbered.get(i, {}) for i, p in zip(ids, params, strict=True)}
    of_units: dict[int, tuple[Any, dict[int, dict[str, Any]]]] = {}
    result: dict[str, Any] = {}
    for p in params:
        own = owner_of(found, p)
        if own.fsdp is None:
            if states[id(p)]:
                result[own.names[0]] = dict(states[id(p)])
            continue
        _, local = of_units.setdefault(id(own.fsdp), (own, {}))
        unit = own.fsdp._unit
        for i in own.indices:
            a, b, _ = unit.range_of(i)
            first = unit.range_of(own.indices[0])[0] if unit.orig else 0
            local[i] = {
                k: v.reshape(-1)[a - first : b - first] if parted(v) else v
                for k, v in states[id(p)].items()
            }
    names = {id(found[k].fsdp): {} for k in found if found[k].fsdp is not None}  # type: ignore[var-annotated]
    for own in found.values():
        if own.fsdp is not None:
            names[id(own.fsdp)].update(zip(own.indices, own.names, strict=True))
    for key, (own, local) in of_units.items():
        for i, state in gathered(own.fsdp, local, full):
            result[names[key][i]] = state
    order = [n for p in params for n in owner_of(found, p).names]
    groups = []
    for g, ours in zip(osd["param_groups"], optim.param_groups, strict=True):
        fqns = [n for p in ours["params"] for n in owner_of(found, p).names]
        groups.append({**g, "params": fqns})
    if full and rank0_only and dist.get_rank(group) != 0:
        return {}
    return {"state": {n: result[n] for n in order if n in result}, "param_groups": groups}


def parted(v: Any) -> bool:
    """Whether a part of a state lies as the shard does."""
    return isinstance(v, Tensor) and v.ndim > 0


def gathered(
    fsdp: Any, local: dict[int, dict[str, Any]], full: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The states of a unit's parameters, made of the ranks' parts."""
    unit = fsdp._unit
    told: tuple[Any, Any] = ({}, {})
    for i, s in local.items():
        a, b, _ = unit.range_of(i)
        told[a == b][i] = {
            k: (v.dtype if parted(v) else None, None if parted(v) else v) for k, v in s.items()
        }
    everybody: list[Any] = [told]
    if unit.group is not None and unit.ranks > 1:
        everybody = [None] * unit.ranks
        dist.all_gather_object(everybody, told, unit.group)
    kinds: dict[str, Any] = {}
    values: dict[int, dict[str, Any]] = {}
    # A rank without a part of a parameter does not step it: the others' counts are right.
    for each in [e[0] for e in everybody] + [e[1] for e in everybody]:
        for i, s in each.items():
            for k, (dtype, v) in s.items():
                # the unit's step is the step of each: none may be another's, or the optimiser's
                mine = v.clone() if isinstance(v, Tensor) else v
                values.setdefault(i, {}).setdefault(k, mine)
                if dtype is not None:
                    kinds[k] = dtype
    for k, dtype in kinds.items():
        flat = rushlight.zeros(unit.part, dtype=dtype)
        for i, s in local.items():
            a, b, _ = unit.range_of(i)
            if k in s and b > a:
                flat[a:b] = s[k].reshape(-1)
        for i, whole in enumerate(unit.split(unit.gathered_flat(flat))):
            if k in values.get(i, {}):
                values[i][k] = whole.clone() if full else rows(whole, fsdp)
    yield from values.items()


@no_grad()
def spread(model: Any, optim: Any, osd: Any, named: bool = False) -> Any:
    """The reverse: this rank's part of a state by names, for `optim.load_state_dict`."""
    found = owners(model)
    params = listed(optim) if optim is not None else list(model.parameters())
    state = {
        n: {k: v.full_tensor() if hasattr(v, "full_tensor") else v for k, v in s.items()}
        for n, s in osd["state"].items()
    }
    keys: list[Any] = list(range(len(params)))
    if named:
        by_id = {id(p): clean(n) for n, p in model.named_parameters()}
        keys = [by_id[id(p)] for p in params]
    result: dict[Any, Any] = {}
    number: dict[str, Any] = {}
    for key, p in zip(keys, params, strict=True):
        own = owner_of(found, p)
        number.update(dict.fromkeys(own.names, key))
        if own.fsdp is None:
            if own.names[0] in state:
                result[key] = dict(state[own.names[0]])
            continue
        unit = own.fsdp._unit
        present = [(i, state[n]) for i, n in zip(own.indices, own.names, strict=True) if n in state]
        if not present:
            continue
        if unit.orig and not p.numel() and any(unit.held[i].numel for i, _ in present):
            continue  # nothing of it is here, so it has no gradient and no state
        made: dict[str, Any] = {}
        for k, v in present[0][1].items():
            if not parted(v) and not (isinstance(v, Tensor) and k != "step"):
                made[k] = v.clone() if isinstance(v, Tensor) else v
            elif unit.orig:
                a, b, at = unit.range_of(present[0][0])
                part = v.reshape(-1)[at : at + b - a].clone()
                made[k] = part if unit.group is not None else part.reshape(v.shape)
            else:
                flat = rushlight.zeros(unit.part, dtype=v.dtype)
                for i, s in present:
                    a, b, at = unit.range_of(i)
                    flat[a:b] = s[k].reshape(-1)[at : at + b - a]
                made[k] = flat
        result[key] = made
    groups = []
    for g in osd["param_groups"]:
        unknown = [n for n in g["params"] if n not in number]
        if unknown:
            raise KeyError(
                message(
                    "the state names parameters that the model or its optimizer does not have",
                    got=", ".join(map(str, unknown[:5])),
                    hint="FSDP.optim_state_dict of the same model",
                )
            )
        groups.append({**g, "params": list(dict.fromkeys(number[n] for n in g["params"]))})
    return {"state": result, "param_groups": groups}


def _legacy(now: str, new: str) -> None:
    warnings.warn(
        f"``FullyShardedDataParallel.{now}``is being deprecated and is replaced by "
        f"``FullyShardedDataParallel.{new}``. ``FullyShardedDataParallel.{now}`` may be removed "
        "after PyTorch 2.2.",
        FutureWarning,
        stacklevel=3,
    )


def _settings(model: Any) -> Any:
    from .fully_sharded_data_parallel import FullyShardedDataParallel

    return FullyShardedDataParallel.get_state_dict_type(model)


class OptimStateMethods:
    """The static methods of FullyShardedDataParallel that take a model and its optimiser."""

    @staticmethod
    def optim_state_dict(
        model: Any, optim: Any, optim_state_dict: Any = None, group: Any = None
    ) -> dict[str, Any]:
        """The optimiser's state under the parameters' own names, of the kind that
        `set_state_dict_type` chose: whole tensors (FULL), or DTensors. All ranks call it.

        Args:
            model: wrapped, or with wrapped modules in it.
            optim: of the parameters of `model`.
            optim_state_dict: what `optim.state_dict()` returned; None: what it returns now.
            group: whose rank 0 alone gets a state with `rank0_only`.
        """
        chosen = _settings(model)
        full = chosen.state_dict_type is StateDictType.FULL_STATE_DICT
        config = chosen.optim_state_dict_config
        first = isinstance(config, FullOptimStateDictConfig) and config.rank0_only
        return collected(model, optim, optim_state_dict, full, first, group)

    @staticmethod
    def optim_state_dict_to_load(
        model: Any,
        optim: Any,
        optim_state_dict: Any,
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group: Any = None,
    ) -> dict[str, Any]:
        """What `optim.load_state_dict` takes, made of what `optim_state_dict` returned.

        Args:
            is_named_optimizer: keys are names of parameters instead of numbers.
            load_directly: load it, too.
            group: with `rank0_only`, whose rank 0 has the state.
        """
        chosen = _settings(model)
        config = chosen.optim_state_dict_config
        if isinstance(config, FullOptimStateDictConfig) and config.rank0_only:
            optim_state_dict = _from_first(optim_state_dict, group)
        made = spread(model, optim, optim_state_dict, is_named_optimizer)
        if load_directly:
            optim.load_state_dict(made)
        return made

    @staticmethod
    def full_optim_state_dict(
        model: Any, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> dict[str, Any]:
        """The older `optim_state_dict` of whole tensors."""
        _legacy("full_optim_state_dict", "optim_state_dict")
        return collected(model, optim, None, True, rank0_only, group)

    @staticmethod
    def sharded_optim_state_dict(model: Any, optim: Any, group: Any = None) -> dict[str, Any]:
        """The older `optim_state_dict` of DTensors."""
        _legacy("sharded_optim_state_dict", "optim_state_dict")
        return collected(model, optim, None, False, False, group)

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: Any, model: Any, optim_input: Any = None, optim: Any = None
    ) -> dict[str, Any]:
        """The older `optim_state_dict_to_load` of whole tensors, which all ranks have."""
        _legacy("shard_full_optim_state_dict", "optim_state_dict_to_load")
        return spread(model, optim, full_optim_state_dict)

    @staticmethod
    def flatten_sharded_optim_state_dict(
        sharded_optim_state_dict: Any, model: Any, optim: Any
    ) -> dict[str, Any]:
        """The older `optim_state_dict_to_load` of DTensors."""
        _legacy("flatten_sharded_optim_state_dict", "optim_state_dict_to_load")
        return spread(model, optim, sharded_optim_state_dict)

    @staticmethod
    def scatter_full_optim_state_dict(
        full_optim_state_dict: Any,
        model: Any,
        optim_input: Any = None,
        optim: Any = None,
        group: Any = None,
    ) -> dict[str, Any]:
        """The older `optim_state_dict_to_load` of whole tensors, which rank 0 has."""
        _legacy("scatter_full_optim_state_dict", "optim_state_dict_to_load")
        return spread(model, optim, _from_first(full_optim_state_dict, group))

    @staticmethod
    def rekey_optim_state_dict(
        optim_state_dict: Any,
        optim_state_key_type: OptimStateKeyType,
        model: Any,
        optim_input: Any = None,
        optim: Any = None,
    ) -> dict[str, Any]:
        """A whole state with names as keys for numbers, or the other way round, for an optimiser
        of a module that is not wrapped."""
        _legacy("rekey_optim_state_dict", "optim_state_dict")
        params = listed(optim) if optim is not None else list(model.parameters())
        name_of = {id(p): n for n, p in model.named_parameters()}
        names = [name_of[id(p)] for p in params]
        to: dict[Any, Any]
        if optim_state_key_type is OptimStateKeyType.PARAM_NAME:
            to = dict(enumerate(names))
        else:
            to = {n: i for i, n in enumerate(names)}
        return {
            "state": {to[k]: v for k, v in optim_state_dict["state"].items()},
            "param_groups": [
                {**g, "params": sorted(to[k] for k in g["params"])}
                for g in optim_state_dict["param_groups"]
            ],
        }


def _from_first(state: Any, group: Any) -> Any:
    """What rank 0 has."""
    box = [state if dist.get_rank(group) == 0 else None]
    dist.broadcast_object_list(box, group=group, group_src=0)
    return box[0]
