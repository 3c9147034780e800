"""`state_dict` and `load_state_dict` of FullyShardedDataParallel: full, sharded, local.

Names are those of the modules before they were wrapped. A full or sharded state shows the whole
parameters of one unit after the other; a load shows those of all units until it is over.
"""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.errors import message

from .api import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    StateDictSettings,
    StateDictType,
)

PREFIX = "_fsdp_wrapped_module."
INNER = (PREFIX, "_checkpoint_wrapped_module.")
CONFIGS: dict[StateDictType, tuple[Any, Any]] = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}


def clean(name: str) -> str:
    """A parameter's name without the wrappers in it."""
    for part in INNER:
        name = name.replace(part, "")
    return name


def choose(modules: list[Any], kind: StateDictType, config: Any, optim: Any) -> StateDictSettings:
    """Set the kind of state of all instances; returns what was before."""
    warnings.warn(
        "FSDP.state_dict_type() and FSDP.set_state_dict_type() are being deprecated. Please use "
        "APIs, get_state_dict() and set_state_dict(), which can support different parallelisms, "
        "FSDP1, FSDP2, DDP.",
        FutureWarning,
        stacklevel=3,
    )
    ours, of_optim = CONFIGS[kind]
    config = ours() if config is None else config
    optim = of_optim() if optim is None else optim
    for name, given, wanted in (
        ("state_dict_config", config, ours),
        ("optim_state_dict_config", optim, of_optim),
    ):
        if type(given) is not wanted:
            raise RuntimeError(
                message(
                    f"Expected {name} of type {wanted} but got {type(given)}",
                    hint=f"{wanted.__name__}(...) with {kind}",
                )
            )
    before = chosen(modules)
    for m in modules:
        m._state_dict_type, m._state_dict_config, m._optim_state_dict_config = kind, config, optim
    return before


def chosen(modules: list[Any]) -> Any:
    """The settings of all instances, which must agree; None without instances."""
    found = [
        StateDictSettings(m._state_dict_type, m._state_dict_config, m._optim_state_dict_config)
        for m in modules
    ]
    for other in found[1:]:
        if other != found[0]:
            raise AssertionError(
                f"All FSDP modules must have the same state dict settings.Got {other} and "
                f"{found[0]}."
            )
    if not found:
        return StateDictSettings(
            StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig()
        )
    return found[0]


def state_of(fsdp: Any, base: Any, *args: Any, **kwargs: Any) -> Any:
    """The state of one instance and of those below it."""
    from ._init import summoned

    given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False)) | kwargs
    prefix = given.get("prefix", "")
    kind, config = fsdp._state_dict_type, fsdp._state_dict_config
    fsdp._begin()
    if kind is StateDictType.LOCAL_STATE_DICT:
        refuse_orig(fsdp)
        if fsdp._unit is not None:
            fsdp._unit.reshard()
        found = base(**given)
        return renamed(found, prefix)
    only_first = kind is StateDictType.FULL_STATE_DICT and config.rank0_only
    known = set(given["destination"]) if given.get("destination") is not None else set()
    with summoned(fsdp, False, only_first, False):
        found = renamed(base(**given), prefix)
        if only_first and fsdp.rank != 0:
            for key in [k for k in found if k.startswith(prefix) and k not in known]:
                del found[key]
            return found
    for path, m in fsdp._fsdp_wrapped_module.named_modules():
        for name, dtype in m.__dict__.get("_fsdp_types", {}).items():
            key = prefix + clean(f"{path}.{name}".lstrip("."))
            if key in found:
                found[key] = found[key].to(dtype)
    if kind is StateDictType.SHARDED_STATE_DICT and fsdp._unit is not None:
        for key in [prefix + clean(n) for h in fsdp._unit.held for n in h.names]:
            found[key] = rows(found[key], fsdp)
    return found


def rows(t: Any, fsdp: Any) -> Any:
    """This rank's rows of a whole tensor, as a DTensor."""
    from rushlight.distributed.tensor import DTensor, Shard

    mesh = mesh_of(fsdp)
    n, me = fsdp._unit.ranks, fsdp._unit.rank
    if t.ndim == 0:
        t = t.reshape(1)
    size = -(-t.shape[0] // n)
    local = t.detach()[min(me * size, t.shape[0]) : min((me + 1) * size, t.shape[0])].clone()
    return DTensor.from_local(
        local, mesh, [Shard(0)], run_check=False, shape=t.shape, stride=t.stride()
    )


def mesh_of(fsdp: Any) -> Any:
    """The one-dimensional mesh over which an instance is spread."""
    found = fsdp.__dict__.get("_rows_mesh")
    if found is None:
        from rushlight.distributed.device_mesh import DeviceMesh

        if fsdp._unit is not None and fsdp._unit.group is None:
            found = DeviceMesh("cpu", [fsdp._unit.all_ranks.global_rank(fsdp.rank)])
        else:
            found = DeviceMesh.from_group(fsdp.process_group, "cpu")
        fsdp.__dict__["_rows_mesh"] = found
    return found


def refuse_orig(fsdp: Any) -> None:
    if fsdp._use_orig_params:
        raise NotImplementedError(
            message(
                "LOCAL_STATE_DICT needs flat parameters",
                got="use_orig_params=True",
                hint="SHARDED_STATE_DICT, or use_orig_params=False",
            )
        )


def renamed(found: Any, prefix: str) -> Any:
    """Take the wrapper's part out of the names below `prefix`."""
    long = prefix + PREFIX
    for key in list(found):
        value = found.pop(key)
        found[prefix + key[len(long) :] if key.startswith(long) else key] = value
    versions: Any = getattr(found, "_metadata", {})
    for key in list(versions):
        if (key + ".").startswith(long):
            short = (prefix + (key + ".")[len(long) :]).removesuffix(".")
            versions[short] = versions.pop(key)
    return found


# -- loading ---------------------------------------------------------------------------------------


def begin_load(fsdp: Any, state_dict: Any, prefix: str) -> None:
    """Name what is to be loaded as the wrapped modules are named, and show whole parameters."""
    from ._init import summoned

    fsdp._begin()
    kind = fsdp._state_dict_type
    for key in [k for k in state_dict if k.startswith(prefix)]:
        value = state_dict.pop(key)
        if hasattr(value, "full_tensor") and kind is not StateDictType.LOCAL_STATE_DICT:
            value = value.full_tensor()
        state_dict[prefix + PREFIX + key[len(prefix) :]] = value
    if kind is StateDictType.LOCAL_STATE_DICT:
        refuse_orig(fsdp)
        return
    shown = summoned(fsdp, True, False, False)
    shown.__enter__()
    fsdp.__dict__.setdefault("_loading", []).append(shown)


def loaded(fsdp: Any, keys: Any) -> None:
    """The load is over: keep this rank's part."""
    for names in keys:
        names[:] = [k.replace(PREFIX, "") for k in names]
    while fsdp.__dict__.get("_loading"):
        fsdp.__dict__["_loading"].pop().__exit__(None, None, None)
    if fsdp._unit is not None and fsdp._unit.gathered:
        fsdp._unit.free()
