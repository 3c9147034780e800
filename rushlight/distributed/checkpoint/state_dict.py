"""States of models and optimisers under names that do not depend on how they are spread.

    state = get_model_state_dict(model)     # DistributedDataParallel, fully_shard, FSDP, compile
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    model_state, optim_state = get_state_dict(model, optimizer, options=options)

Names are those of the model before it was wrapped, and parameters of an optimiser's state go by
them instead of by number, so a state can be loaded into any number of ranks. How states are made
whole and spread is in `_state_dict_utils.py`; optimisers are in `optimizer_state_dict.py`.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ... import nn
from ...autograd.grad_mode import no_grad
from ...errors import message
from ...nn.module import _IncompatibleKeys
from ...nn.optimized import OptimizedModule
from ...optim.optimizer import Optimizer
from .. import setup
from .._state_dict_utils import (
    _broadcast_state_dict,
    _distribute_state_dict,
    _gather_state_dict,
    _offload_state_dict_to_cpu,
    _sent,
)

CHECKPOINTED = "_checkpoint_wrapped_module"
WRAPPED = "_fsdp_wrapped_module"
FLAT = "_flat_param"


@dataclass
class StateDictOptions:
    """How states are returned and loaded.

    Attributes:
        full_state_dict: whole tensors instead of DTensors; what is loaded is whole on each rank.
        cpu_offload: tensors on the CPU; with `full_state_dict` rank 0 alone gets the state, the
            others an empty one.
        ignore_frozen_params: leave parameters out that require no gradient.
        keep_submodule_prefixes: of `submodules`, keep the names that they have in the model.
        strict: what is missing or unexpected is an error.
        broadcast_from_rank0: rank 0 alone has the whole state, and sends it; needs
            `full_state_dict`.
        flatten_optimizer_state_dict: optimisers' states as flat dictionaries, in which settings
            stand for each parameter: "param_groups.layer.weight.lr".
        dsd_fqn_modifiers: the method of modules that rename names of their states.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


@dataclass
class Info:
    """What one call works on."""

    model: Any
    options: StateDictOptions
    names: dict[int, list[str]] = field(default_factory=dict)  # by identity of the parameter
    prefixes: set[str] = field(default_factory=set)
    fsdp: list[Any] = field(default_factory=list)

    def names_of(self, param: Any) -> list[str]:
        """The names of a parameter: several, if modules share it."""
        return self.names.get(id(param), [])

    def kept(self, state: dict[str, Any]) -> dict[str, Any]:
        """A state as the options want it."""
        o = self.options
        if o.full_state_dict:
            only = (0,) if o.cpu_offload and setup.is_initialized() else ()
            return _gather_state_dict(state, cpu_offload=o.cpu_offload, ranks_only=only)
        return _offload_state_dict_to_cpu(state) if o.cpu_offload else state

    @contextlib.contextmanager
    def context(self) -> Iterator[None]:
        """A block in which FullyShardedDataParallel's states are of the kind that is wanted."""
        if not self.fsdp:
            yield
            return
        from .. import fsdp

        o = self.options
        if o.full_state_dict:
            kind = fsdp.StateDictType.FULL_STATE_DICT
            config: Any = fsdp.FullStateDictConfig(o.cpu_offload, rank0_only=o.cpu_offload)
            of_optim: Any = fsdp.FullOptimStateDictConfig(
                o.cpu_offload, rank0_only=o.cpu_offload or o.broadcast_from_rank0
            )
        else:
            kind = fsdp.StateDictType.SHARDED_STATE_DICT
            config = fsdp.ShardedStateDictConfig(o.cpu_offload)
            of_optim = fsdp.ShardedOptimStateDictConfig(o.cpu_offload)
        with warnings.catch_warnings(), contextlib.ExitStack() as stack:
            warnings.filterwarnings("ignore", message="FSDP.state_dict_type")
            stack.enter_context(
                fsdp.FullyShardedDataParallel.state_dict_type(self.model, kind, config, of_optim)
            )
            yield


def fsdp_class() -> Any:
    """FullyShardedDataParallel, if the program has it; otherwise a class of nothing."""
    name = __package__.rpartition(".")[0] + ".fsdp.fully_sharded_data_parallel"
    return getattr(sys.modules.get(name), "FullyShardedDataParallel", ())


# -- names -----------------------------------------------------------------------------------------


def _get_fqns(
    model: nn.Module,
    name: str,
    dsd_fqn_modifiers: str = "_fqn_modifiers",
    skip_ddp_prefix: bool = True,
    skip_compiler_prefix: bool = True,
) -> set[str]:
    """The names that a name of a wrapped model's state has in the model itself.

    One; of a flat parameter of FullyShardedDataParallel all that are in it.
    """
    at: Any = model
    found: list[str] = []
    fsdp: Any = None  # the last one on the way
    for part in name.split("."):
        if part == CHECKPOINTED:
            at = getattr(at, part, None)
            continue
        while isinstance(at, fsdp_class()):
            fsdp, at = at, at._fsdp_wrapped_module
            if part == WRAPPED:
                break
        if part == WRAPPED:
            continue
        if part == FLAT and fsdp is not None:
            return {".".join([*found, n]) for n in fsdp._flat_param._fqns}
        ddp = isinstance(at, nn.parallel.DistributedDataParallel) and part == "module"
        compiled = isinstance(at, OptimizedModule) and part == "_orig_mod"
        if not (ddp and skip_ddp_prefix) and not (compiled and skip_compiler_prefix):
            found.append(part)
        renamed: dict[str, str] = getattr(at, dsd_fqn_modifiers, dict)()
        at = getattr(at, renamed.get(part, part), None)
    return {".".join(found)}


def state_entries(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Names and tensors of a model's state, wrappers in the names; no tensor twice by one path."""
    seen: set[int] = set()

    def walk(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
        seen.add(id(module))
        for name, child in module.named_children():
            if id(child) not in seen:
                yield from walk(child, f"{prefix}{name}.")
        for own in (module._buffers, module._parameters):
            for name, value in own.items():
                if value is not None and name not in module._non_persistent_buffers_set:
                    yield prefix + name, value

    return walk(model, "")


def info_of(
    model: nn.Module,
    options: StateDictOptions | None,
    submodules: set[nn.Module] | None = None,
) -> Info:
    """Look at the model and the options.

    Raises:
        ValueError: options that do not go together.
    """
    if submodules:
        warnings.warn(
            "Getting submodules only model/optim state_dict is deprecated and will be removed in "
            "2.5. This feature can be achieved by manually filtering out the state_dict returned "
            "from get_state_dict.",
            FutureWarning,
            stacklevel=3,
        )
    info = Info(model, options or StateDictOptions())
    if info.options.broadcast_from_rank0 and not info.options.full_state_dict:
        raise ValueError(
            message(
                "full_state_dict must be True when broadcast_from_rank0 is True.",
                got=info.options,
            )
        )
    for name, value in state_entries(model):
        for fqn in sorted(_get_fqns(model, name)):
            names = info.names.setdefault(id(value), [])
            if fqn not in names:
                names.append(fqn)
    wanted = {id(m) for m in submodules or ()}
    for name, module in model.named_modules():
        if id(module) in wanted:
            info.prefixes.update(f"{fqn}." for fqn in _get_fqns(model, name))
    kind = fsdp_class()
    info.fsdp = [m for m in model.modules() if isinstance(m, kind)]
    return info


# -- models ----------------------------------------------------------------------------------------


def get_model_state_dict(
    model: nn.Module,
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state of a model under its own names, however it is wrapped and spread.

    Args:
        model: the model; all ranks call this if it is spread.
        submodules: given up, as in PyTorch: only what is in these.
        options: how it is returned.

    >>> from rushlight.distributed.checkpoint.state_dict import get_model_state_dict
    >>> sorted(get_model_state_dict(torch.compile(torch.nn.Linear(2, 1))))
    ['bias', 'weight']
    """
    info = info_of(model, options, submodules)
    state = model_state(info)
    check_model_state(state, info)
    return state


@no_grad()
def model_state(info: Info) -> dict[str, Any]:
    with info.context():
        found = info.model.state_dict()
    state: dict[str, Any] = {}
    for key, value in found.items():
        (name,) = _get_fqns(info.model, key, info.options.dsd_fqn_modifiers)
        state[name] = value
    if info.prefixes:
        state = {
            name if info.options.keep_submodule_prefixes else name[len(p) :]: value
            for name, value in state.items()
            for p in info.prefixes
            if name.startswith(p)
        }
    if info.options.ignore_frozen_params:
        for p in info.model.parameters():
            if not p.requires_grad:
                for name in info.names_of(p):
                    state.pop(name, None)
    return info.kept(state)


def check_model_state(state: Mapping[str, Any], info: Info) -> None:
    """RuntimeError for states that cannot be meant."""
    o = info.options
    optional = o.ignore_frozen_params or (o.cpu_offload and o.full_state_dict)
    if not state and not info.prefixes and not optional and o.strict and not o.broadcast_from_rank0:
        raise RuntimeError(
            message(
                "The option indicates that model state_dict is required to save or load, but model "
                "state_dict is empty.",
                got=f"rank {setup.get_rank() if setup.is_initialized() else 0}",
                hint="StateDictOptions(strict=False), or a model with parameters",
            )
        )
    for name in state:
        if FLAT in name:
            raise RuntimeError(
                f"{name} contains {FLAT}. This can happen if the model is not the root module."
            )


def set_model_state_dict(
    model: nn.Module,
    model_state_dict: Mapping[Any, Any],
    *,
    options: StateDictOptions | None = None,
) -> _IncompatibleKeys:
    """Load what `get_model_state_dict` returned, here or in another number of ranks.

    Args:
        model: the model; all ranks call this if it is spread.
        model_state_dict: the state; with `broadcast_from_rank0` rank 0's is taken.
        options: what the state is: whole, or lying as the model does.

    Returns:
        The names that were missing and unexpected.

    Raises:
        RuntimeError: names are missing, or sizes differ; the model is as it was.
    """
    info = info_of(model, options)
    state = joined(model, model_state_dict)
    check_model_state(state, info)
    return load_model_state(state, info)


def joined(model: nn.Module, state: Mapping[Any, Any]) -> dict[str, Any]:
    """The state; one that has modules for keys (given up, as in PyTorch) under whole names."""
    if not state or not isinstance(next(iter(state)), nn.Module):
        return dict(state)
    warnings.warn(
        "Passing model_state_dict as a ``Dict[nn.Module, Dict[str, Any]]`` is deprecated and will "
        "be removed in 2.5. If you need this feature, please preprocess the model_state_dict to "
        "achieve the same functionality.",
        FutureWarning,
        stacklevel=3,
    )
    out = {}
    for module, part in state.items():
        for name, m in model.named_modules():
            if m is module:
                (prefix,) = _get_fqns(model, name)
                out.update({f"{prefix}.{k}".lstrip("."): v for k, v in part.items()})
    return out


@no_grad()
def load_model_state(state: dict[str, Any], info: Info) -> _IncompatibleKeys:
    o = info.options
    if not state and not o.broadcast_from_rank0:
        return _IncompatibleKeys([], [])
    names: dict[str, str] = {}  # name -> that in the state dictionary of the wrapped model
    local: dict[str, Any] = {}
    for key, value in state_entries(info.model):
        own = sorted(_get_fqns(info.model, key, o.dsd_fqn_modifiers))
        long = sorted(_get_fqns(info.model, key, o.dsd_fqn_modifiers, False, False))
        names.update(zip(own, long, strict=True))
        local.update(dict.fromkeys(long, value))
    if not o.broadcast_from_rank0 or setup.get_rank() == 0:
        for own_name, long_name in names.items():
            if o.strict and own_name not in state and own_name != long_name:
                raise RuntimeError(f"Missing key: {own_name}.")
        state = {names.get(name, with_wrappers(info.model, name)): v for name, v in state.items()}
    assign = False
    if o.full_state_dict and not info.fsdp:
        assign = any(v.device.type == "meta" for v in local.values())
        if o.broadcast_from_rank0:
            _broadcast_state_dict(state, local, strict=o.strict)
        else:
            local = {k: v for k, v in local.items() if k in state}
            _distribute_state_dict(state, local)
        state = {**state, **local}
    elif o.broadcast_from_rank0:
        state = whole_from_rank0(state)
    with info.context():
        return info.model.load_state_dict(state, strict=o.strict, assign=assign)


def with_wrappers(model: Any, name: str) -> str:
    """A name that the model has no tensor for (extra state), as its wrapped state spells it."""
    before = ""
    while True:
        if isinstance(model, nn.parallel.DistributedDataParallel):
            model, before = model.module, before + "module."
        elif isinstance(model, OptimizedModule):
            model, before = model._orig_mod, before + "_orig_mod."
        else:
            return before + name


def whole_from_rank0(state: dict[str, Any]) -> dict[str, Any]:
    """Rank 0's state of whole tensors, on all ranks."""
    found: dict[str, Any] = dict.fromkeys(_sent(list(state), None), ...)  # places for what comes
    _broadcast_state_dict(state, found)
    return found


# -- both ------------------------------------------------------------------------------------------


def get_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The state of the optimisers of a model, in which parameters go by their names.

    An optimiser that has not stepped yet steps once with gradients of zero and without a learning
    rate, so that its state is there to be loaded into.

    Args:
        model: the model; all ranks call this if it is spread.
        optimizers: one or several, of different parameters.
        submodules, options: as in `get_model_state_dict`.

    >>> from rushlight.distributed.checkpoint.state_dict import get_optimizer_state_dict
    >>> net = torch.nn.Linear(2, 1)
    >>> state = get_optimizer_state_dict(net, torch.optim.Adam(net.parameters()))
    >>> sorted(state["state"]), sorted(state["state"]["bias"]), state["param_groups"][0]["params"]
    (['bias', 'weight'], ['exp_avg', 'exp_avg_sq', 'step'], ['weight', 'bias'])
    """
    from . import optimizer_state_dict as of

    info = info_of(model, options, submodules)
    return of.checked(of.collected(info, of.listed(optimizers)), info)


def set_optimizer_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load what `get_optimizer_state_dict` returned. Between `step()` and `backward()`."""
    from . import optimizer_state_dict as of

    info = info_of(model, options)
    of.load(info, of.listed(optimizers), of.checked(optim_state_dict, info))


def get_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """`get_model_state_dict` and `get_optimizer_state_dict`, for `save`."""
    from . import optimizer_state_dict as of

    info = info_of(model, options, submodules)
    state = model_state(info)
    given = of.listed(optimizers)
    found = of.collected(info, given) if given else {}
    check_model_state(state, info)
    return state, of.checked(found, info) if given else {}


def set_state_dict(
    model: nn.Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: Mapping[Any, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> _IncompatibleKeys:
    """`set_optimizer_state_dict` and `set_model_state_dict`, after `load`."""
    from . import optimizer_state_dict as of

    info = info_of(model, options)
    state = joined(model, model_state_dict)
    given = of.listed(optimizers)
    if state:
        check_model_state(state, info)
    if given:
        of.load(info, given, of.checked(optim_state_dict, info))
    return load_model_state(state, info)


