"""fully_shard: a module's parameters become DTensors that lie spread over a mesh, in place.

    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())      # of DTensors

Each call makes one unit (`_rows.py`) of the parameters below that belong to none yet. The module's
class becomes one that is an FSDPModule as well.
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.tensor import DTensor, Shard
from rushlight.errors import message

from ._rows import RowsUnit
from ._unit import Tree, cast_floats, collect

STATE = "_fsdp_state"


@dataclasses.dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The types in which a unit computes and communicates; shards keep their own.

    Attributes:
        param_dtype: of the whole parameters, and so of the computation; None: their own.
        reduce_dtype: in which gradients are averaged; None: that of the computation.
        output_dtype: to which floating-point outputs are converted.
        cast_forward_inputs: convert floating-point arguments to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclasses.dataclass
class OffloadPolicy:
    """Shards lie where the module computes."""


@dataclasses.dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Shards lie on the CPU: they always do here."""

    pin_memory: bool = True


@dataclasses.dataclass(frozen=True)
class DataParallelMeshDims:
    """The names of a mesh's dimensions over which shards, and replicas of them, lie."""

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    @staticmethod
    def _names(given: Any) -> tuple[str, ...]:
        return () if given is None else (given,) if isinstance(given, str) else tuple(given)

    @property
    def shard_names(self) -> tuple[str, ...]:
        """The names of the shards' dimensions."""
        return self._names(self.shard)

    @property
    def replicate_names(self) -> tuple[str, ...]:
        """The names of the replicas' dimensions."""
        return self._names(self.replicate)


class State:
    """What `fully_shard` knows of the modules of one call."""

    def __init__(self, modules: list[Any], policy: MixedPrecisionPolicy) -> None:
        self.modules, self.policy = modules, policy
        self.unit: RowsUnit | None = None
        self.tree: Tree | None = None
        self.is_root: bool | None = None
        self.auto_reshard = False  # nobody said whether to free after forward: the root does not
        self.forward_next: list[State] = []
        self.to_run: set[int] = set()  # modules of the call whose forward is still to come

    def begin(self, module: Any) -> None:
        """At the first forward: the outermost module's state looks after those below."""
        if self.is_root is not None:
            return
        tree = Tree()
        for m in module.modules():
            state = m.__dict__.get(STATE)
            if state is None or (state is not self and state.is_root):
                continue
            state.is_root = state is self
            if state.tree is not tree:
                state.tree = tree
                if state.unit is not None:
                    state.unit.tree = tree
                    tree.units.append(state.unit)
        if self.auto_reshard and self.unit is not None:
            self.unit.reshard_after_forward = False  # its backward comes first

    def before(self, module: Any, args: Any, kwargs: Any) -> Any:
        self.begin(module)
        assert self.tree is not None
        if self.is_root:
            self.tree.recover()
        policy = self.policy
        if policy.cast_forward_inputs and policy.param_dtype is not None:
            args, kwargs = cast_floats((args, kwargs), policy.param_dtype)
        if self.unit is not None:
            if not self.to_run:
                self.to_run = {id(m) for m in self.modules}
            self.unit.unshard()
            self.tree.forward_of(self.unit)
            for state in self.forward_next:
                if state.unit is not None:
                    state.unit.prefetch()
        return args, kwargs

    def after(self, module: Any, args: Any, kwargs: Any, output: Any) -> Any:
        policy = self.policy
        if policy.output_dtype is not None:
            output = cast_floats(output, policy.output_dtype)
        if self.unit is not None:
            self.to_run.discard(id(module))
            keep = self.unit.kept_whole
            self.unit.kept_whole = keep or bool(self.to_run)  # others of the call are still to run
            try:
                self.unit.after_forward((args, kwargs), output)
            finally:
                self.unit.kept_whole = keep
        return output


def state_of(module: Any) -> State | None:
    """What `fully_shard` keeps of a module; None when it was not applied to it."""
    found: State | None = module.__dict__.get(STATE)
    return found


def groups(mesh: DeviceMesh, dims: DataParallelMeshDims | None) -> DeviceMesh:
    """The mesh as shards, or (replicas, shards)."""
    if dims is None:
        if mesh.ndim not in (1, 2):
            raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
        if mesh.ndim == 2 and mesh.mesh_dim_names is None:
            raise AssertionError("Please init the 2D mesh for HSDP with mesh_dim_names specified")
        return mesh
    if dims.shard is None and dims.replicate is None:
        raise ValueError("At least one of shard or replicate must be set in dp_mesh_dims")
    if mesh.mesh_dim_names is None:
        raise ValueError("mesh must have mesh_dim_names when dp_mesh_dims is provided")
    for name in (*dims.shard_names, *dims.replicate_names):
        if name not in mesh.mesh_dim_names:
            raise ValueError(
                f"Mesh dim name '{name}' not found in mesh.mesh_dim_names {mesh.mesh_dim_names}"
            )
    names = (dims.replicate_names, dims.shard_names)
    if not names[1] or any(len(n) > 1 for n in names):
        raise NotImplementedError(
            message(
                "fully_shard: one dimension of a mesh is for shards, at most one for replicas",
                got=f"{dims}",
                hint="mesh[names]._flatten(name), and its name",
            )
        )
    chosen = (*names[0], *names[1])
    return mesh[chosen[0]] if len(chosen) == 1 else mesh[chosen]


_few: dict[Any, Any] = {}


def smaller_group(mesh: DeviceMesh, given: Any) -> Any:
    """The group of `reshard_after_forward=int`; None for True and False; ValueError."""
    n = mesh.size(mesh.ndim - 1)
    if not isinstance(given, int):
        raise ValueError(
            "reshard_after_forward should be a bool or an int representing the group size to "
            f"reshard to, not {given}"
        )
    if isinstance(given, bool) or given == n:
        return None
    if given < 1 or n % given:
        raise ValueError(
            f"If passing reshard_after_forward as an int, it should be a factor of {n}, not {given}"
        )
    if given == 1:
        warnings.warn(
            "reshard_after_forward=1 (int) means resharding parameters to world size 1, instead of "
            "reshard_after_forward=True (bool)",
            stacklevel=4,
        )
        return None
    key = (mesh, given)
    if key not in _few or _few[key].world is not dist.group.WORLD.world:  # type: ignore[union-attr]
        _few[key] = DeviceMesh("cpu", mesh.mesh.reshape(-1, given)).get_group(1)
    return _few[key]


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Any], Any] | None = None,
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),
    offload_policy: OffloadPolicy = OffloadPolicy(),  # noqa: B008
    ignored_params: set[Any] | None = None,
    dp_mesh_dims: DataParallelMeshDims | None = None,
) -> Any:
    """Spread the parameters of `module` that belong to no unit yet; returns `module`.

    Parameters become DTensors, cut along dimension 0 as `torch.chunk` cuts. They are gathered
    before the module's forward, freed after it, gathered again before its backward, and their
    gradients averaged and cut. Apply it from the inside out, to the whole module last.

    Args:
        module: or a list of modules that are gathered together.
        mesh: of one dimension; of two, (replicas, shards), with names; None: all ranks.
        reshard_after_forward: free after the forward; an int: keep a part of so many ranks'; None:
            True, but False for the outermost module, whose backward comes at once.
        shard_placement_fn: `fn(parameter)` returns Shard(dim), or None for Shard(0). A dimension
            other than 0 must divide evenly.
        mp_policy: see `MixedPrecisionPolicy`.
        offload_policy: accepted: shards are on the CPU.
        ignored_params: parameters that are left alone.
        dp_mesh_dims: the names of the mesh's dimensions for replicas and shards.

    Raises:
        ValueError: containers without forward; a mesh of three dimensions.
        AssertionError: a module that it was applied to before.
        NotImplementedError: DTensors on a mesh of three dimensions; an uneven cut of another
            dimension than 0.
        RuntimeError: DTensors on a mesh that is no slice of the one that `mesh` is a slice of.

    Parameters that `parallelize_module` has made DTensors are cut once more, each rank's part of
    them: with `mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))` the layers get
    `mesh["tp"]` and this `mesh["dp"]`. The shards lie on both.

    Example (needs several processes)::

        fully_shard(model, mesh=init_device_mesh("cpu", (4,)))
        model(x).sum().backward()
        model.weight.grad        # a DTensor
    """
    modules = [module] if isinstance(module, nn.Module) else roots(list(module))
    for m in modules:
        if isinstance(m, (nn.ModuleList, nn.ModuleDict)) and type(m).forward is nn.Module.forward:
            raise ValueError(
                f"fully_shard does not support containers that do not implement forward: {m}"
            )
        if state_of(m) is not None:
            raise AssertionError(
                "Each distinct composable distributed API can only be applied to a module once. "
                f"fully_shard has already been applied to the following module:\n{m}"
            )
    if mesh is None:
        if not dist.is_initialized():
            dist.init_process_group()
        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    mesh = groups(mesh, dp_mesh_dims)
    state = State(modules, mp_policy)
    state.auto_reshard = reshard_after_forward is None
    ignored = {id(p) for p in ignored_params or ()}
    held: list[Any] = []
    for m in modules:
        for h in collect(m, lambda c: state_of(c) is not None, ignored):
            same = [k for k in held if k.shard is h.shard]
            if same:
                same[0].places += h.places
                same[0].names += h.names
            else:
                held.append(h)
    few = None
    if reshard_after_forward is not None:
        some = type(reshard_after_forward) is int and reshard_after_forward != mesh.size(-1)
        spread = [h.name for h in held if isinstance(h.shard, DTensor)]
        if some and spread:
            raise NotImplementedError(
                message(
                    "Resharding to smaller mesh is not supported for DTensor parameters yet",
                    got=f"reshard_after_forward={reshard_after_forward}, {spread[0]} a DTensor",
                    wanted="reshard_after_forward=True or False",
                )
            )
        few = smaller_group(mesh, reshard_after_forward)
    if held:
        dims = [placed(h, shard_placement_fn, mesh) for h in held]
        unit = state.unit = RowsUnit(held, mesh, dims)
        unit.param_dtype, unit.reduce_dtype = mp_policy.param_dtype, mp_policy.reduce_dtype
        unit.few = few
        unit.reshard_after_forward = (
            reshard_after_forward is None
            or few is not None
            or (reshard_after_forward is not False
            and (reshard_after_forward is True or reshard_after_forward != 1))
        )  # fmt: skip
    for m in modules:
        m.__dict__[STATE] = state
        hook(m, state)
        kind: Any = type(m)
        m.__class__ = made_class(kind)
    return module


def roots(modules: list[Any]) -> list[Any]:
    """Those that stand below none of the others."""
    inner = {id(c) for m in modules for c in m.modules() if c is not m}
    return [m for m in modules if id(m) not in inner]


def placed(h: Any, choose: Any, mesh: DeviceMesh) -> int:
    """Along which dimension a parameter is cut."""
    p = h.shard
    shape = tuple(p.shape)
    if isinstance(p, DTensor):  # by tensor parallelism: what this rank has is cut
        shape = tuple(p._local_tensor.shape)
        check_spread(h.name, p, mesh)
    if p.ndim == 0:
        raise ValueError(
            message(
                "fully_shard doesn't support scalar parameters. Change the parameter to a 1D "
                "tensor with numel equal to 1.",
                got=f"{h.name}: 0 dimensions",
            )
        )
    found = None if choose is None else choose(p)
    if found is None:
        return 0
    if not isinstance(found, Shard):
        raise AssertionError(f"Expected Shard, got {type(found)}: {found}")
    dim = found.dim % p.ndim if -p.ndim <= found.dim < p.ndim else -1
    n = mesh.size(mesh.ndim - 1)
    if dim < 0:
        raise AssertionError(f"Shard dim {found.dim} is not one of {p.ndim} dimensions of {h.name}")
    if dim and shape[dim] % n:
        raise NotImplementedError(
            message(
                "FSDP does not support uneven sharding on dim "
                f"{dim}: {shape} (world size: {n})",
                hint="Shard(0) for it",
            )
        )
    return dim


def check_spread(name: str, p: Any, mesh: DeviceMesh) -> None:
    """Whether a parameter that is spread over another mesh can be cut over ours, too."""
    if len(p.placements) > 2:
        raise NotImplementedError(
            message(
                f"FSDP only supports 1D TP/EP or 2D EP+TP, not {p.placements}",
                got=f"{name}: a mesh of {p.device_mesh.ndim} dimensions",
                wanted="parameters that one or two dimensions of a mesh have cut",
                hint="parallelize_module(model, mesh['tp'], ...)",
            )
        )
    if any(q.is_partial() for q in p.placements):
        raise NotImplementedError(
            message(
                "fully_shard: a parameter is still to be added up",
                got=f"{name}: placements {p.placements}",
                wanted="Shard or Replicate",
                hint="redistribute() first",
            )
        )
    if mesh._flatten_rank_map != p.device_mesh._flatten_rank_map:
        raise RuntimeError(
            message(
                "Cannot concatenate DeviceMeshes derived from different device meshs",
                got=f"{name} on {p.device_mesh}, fully_shard on {mesh}",
                wanted="slices of one mesh",
                hint='mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp")); '
                'mesh["tp"] for the layers, mesh["dp"] for fully_shard',
            )
        )


def hook(m: Any, state: State) -> None:
    """Let the module's calls, states and loads know that its parameters are spread."""
    m.register_forward_pre_hook(state.before, prepend=True, with_kwargs=True)
    m.register_forward_hook(state.after, with_kwargs=True)

    def spread(*_: Any) -> None:
        if state.unit is not None:
            state.unit.reshard()

    def loaded(*_: Any) -> None:
        if state.unit is not None:
            state.unit.adopt()

    m.register_state_dict_pre_hook(spread)
    m.register_load_state_dict_pre_hook(spread)
    m.register_load_state_dict_post_hook(loaded)


@functools.cache
def made_class(kind: Any) -> type:
    """A class that is `kind` and an FSDPModule."""
    return type(f"FSDP{kind.__name__}", (FSDPModule, kind), {"__deepcopy__": no_copy})


def no_copy(*_: Any) -> Any:
    raise AssertionError(
        "FSDP does not support deepcopy. Please use state dict for serialization."
    )


def get_state(module: Any) -> State | None:
    """`fully_shard.state(module)`."""
    return state_of(module)


fully_shard.state = get_state  # type: ignore[attr-defined]


class UnshardHandle:
    """What `FSDPModule.unshard(async_op=True)` returns."""

    def __init__(self, unit: Any = None) -> None:
        self._unit = unit

    def wait(self) -> None:
        """Wait until the parameters are whole, and let the module have them."""
        if self._unit is not None:
            self._unit.unshard()
            self._unit = None


class FSDPModule:
    """What modules become on which `fully_shard` was called. Methods with `recurse` act on all
    such modules below, too."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A module of the original class, as when a container is sliced."""
        original: Any = cls.__mro__[2]
        self = original.__new__(original, *args, **kwargs)
        self.__init__(*args, **kwargs)
        return self

    def _get_fsdp_state(self) -> State:
        state = state_of(self)
        if state is None:
            raise AssertionError(f"No FSDP state found on {self}")
        return state

    def _units(self, recurse: bool = False) -> list[RowsUnit]:
        modules: Iterable[Any] = self.modules() if recurse else [self]  # type: ignore[attr-defined]
        states = {id(s): s for m in modules if (s := state_of(m)) is not None}
        return [s.unit for s in states.values() if s.unit is not None]

    def reshard(self) -> None:
        """Free the whole parameters of this unit."""
        for u in self._units():
            u.reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this unit; with `async_op` they come while the program goes on,
        and the handle, or the forward, waits for them."""
        units = self._units()
        if async_op:
            for u in units:
                u.prefetch()
            return UnshardHandle(units[0] if units else None)
        for u in units:
            u.unshard()
        return None

    def reset_iter_state(self) -> None:
        """Forget a forward or backward that an error has ended, with its gradients; of the
        outermost module."""
        for u in self._units(recurse=True):
            u.tree.forget()
            u.pending, u.until_end = None, False
            u.partial.clear()
            u.reshard()
            for h in u.held:
                if h.whole is not None:
                    h.whole.grad = None
        for m in self.modules():  # type: ignore[attr-defined]
            state = state_of(m)
            if state is not None:
                state.to_run.clear()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Accepted: each backward ends by itself here."""
        self._get_fsdp_state().last_backward = is_last_backward  # type: ignore[attr-defined]

    def set_requires_gradient_sync(
        self, requires_gradient_sync: bool, *, recurse: bool = True
    ) -> None:
        """Whether backwards end with the exchange of gradients; else they are added up whole."""
        for u in self._units(recurse):
            u.sync = u.all_reduce = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Whether replicas (a mesh of two dimensions) add up their gradients."""
        for u in self._units(recurse):
            u.all_reduce = requires_all_reduce

    def set_reshard_after_forward(
        self, reshard_after_forward: bool, recurse: bool = True
    ) -> None:
        """Whether parameters are freed after the forward."""
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(
                f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}"
            )
        modules: Iterable[Any] = self.modules() if recurse else [self]  # type: ignore[attr-defined]
        for m in modules:
            state = state_of(m)
            if state is not None:
                state.auto_reshard = False
                if state.unit is not None:
                    state.unit.reshard_after_forward = reshard_after_forward
                    state.unit.few = None

    def set_reshard_after_backward(
        self, reshard_after_backward: bool, *, recurse: bool = True
    ) -> None:
        """Whether parameters are freed after the backward."""
        for u in self._units(recurse):
            u.reshard_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules: list[Any]) -> None:
        """Modules whose parameters begin to come in this one's forward."""
        check_modules(modules)
        self._get_fsdp_state().forward_next = [m._get_fsdp_state() for m in modules]

    def set_modules_to_backward_prefetch(self, modules: list[Any]) -> None:
        """Modules whose parameters begin to come in this one's backward."""
        check_modules(modules)
        for u in self._units():
            u.backward_next = tuple(v for m in modules for v in m._units())

    def set_custom_all_gather(self, comm: Any) -> None:
        """Gather by `comm(output_tensor=, input_tensor=, group=, async_op=)` with memory of
        `comm.allocate(size, dtype=, device=)`."""
        for u in self._units():
            u.gather_with = comm

    def set_custom_reduce_scatter(self, comm: Any) -> None:
        """Reduce by `comm(output_tensor=, input_tensor=, group=, op=)` with memory of
        `comm.allocate(size, dtype=, device=)`."""
        for u in self._units():
            u.reduce_with = comm

    def set_all_reduce_hook(self, hook: Callable[[Any], None], *, stream: Any = None) -> None:
        """Call `hook(gradient)` with this rank's part of the averaged gradient, to change it."""
        for u in self._units():
            u.reduce_hook = hook

    def set_post_optim_event(self, event: Any) -> None:
        """Accepted: there are no streams to wait for."""

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Divide summed gradients by `factor` instead of the number of ranks."""
        for u in self._units():
            u.factor = float(factor)

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Accepted: averages are sums that are divided."""

    def set_reduce_scatter_unused_params(
        self, reduce_scatter_unused_params: bool, *, recurse: bool = True
    ) -> None:
        """Whether parameters that a backward has not reached take part with zeros, for ranks that
        use different ones."""
        for u in self._units(recurse):
            u.zeros_for_unused = reduce_scatter_unused_params

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Whether the backward needs the parameters (that of an embedding does not)."""
        for u in self._units():
            u.in_backward = unshard_in_backward

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self.reshard()
        made = super()._apply(*args, **kwargs)  # type: ignore[misc]
        for u in self._units():
            u.adopt()
        return made


def check_modules(modules: Iterable[Any]) -> None:
    for m in modules:
        if not isinstance(m, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(m)}: {m}")


def register_fsdp_forward_method(module: Any, method_name: str) -> None:
    """Let a method gather and free as `forward` does; nothing for other modules.

    Raises:
        ValueError: there is no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    original = getattr(module, method_name)
    state = module._get_fsdp_state()

    @functools.wraps(original)
    def around(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = state.before(module, args, kwargs)
        return state.after(module, args, kwargs, original(*args, **kwargs))

    setattr(module, method_name, around)


def share_comm_ctx(modules: list[Any]) -> None:
    """Accepted, after a look at the modules: there are no streams to share."""
    for m in modules:
        if not isinstance(m, FSDPModule):
            raise ValueError(f"Expects list of FSDPModules but got {m}")
