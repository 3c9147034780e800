"""DTensor: a tensor that is spread over a mesh of processes, and how it comes and goes.

A DTensor has no data of its own (decision 0035): `_local_tensor` is this rank's part, `_spec` says
where it lies and what the whole is. Each operation asks `_dispatch.py` how to carry it out on local
tensors. Its history is on the tape above, so gradients are DTensors.

Factories and modules: `_factories.py`, `_modules.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ... import autograd
from ...autograd import door, no_grad
from ...nn.parameter import Parameter
from ...serialization.allowed import add_own
from ...size import Size
from ...tensor import Tensor
from ..collectives import broadcast, scatter
from ..device_mesh import DeviceMesh, _mesh_resources
from ..objects import all_gather_object
from . import _dispatch
from ._dtensor_spec import DTensorSpec, TensorMeta, global_info
from ._redistribute import (
    Redistribute,
    cut,
    filled,
    for_gradient,
    part_of,
    shared_out,
)
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard, check_partials


def checked(
    placements: Sequence[Placement] | None, mesh: DeviceMesh, ndim: int
) -> tuple[Placement, ...]:
    """Placements with dimensions counted from the first; replicated unless given."""
    if placements is None:
        return tuple(Replicate() for _ in range(mesh.ndim))
    out: list[Placement] = []
    for p in placements:
        if not isinstance(p, Placement):
            raise RuntimeError(
                f"Trying to distribute tensor with unsupported placements {p!r} on device mesh "
                f"dimension {len(out)}!"
            )
        out.append(p.at(p.dim + ndim) if isinstance(p, Shard) and p.dim < 0 else p)
    return tuple(out)


class _ToLocal(autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, grad_placements: Any) -> Any:
        ctx.spec, ctx.placements = x._spec, grad_placements
        ctx.set_materialize_grads(False)
        return x._local_tensor.view_as(x._local_tensor)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        if g is None:
            return None, None
        spec = ctx.spec
        where = ctx.placements or for_gradient(spec.placements)
        _, stride = global_info(g, spec.mesh, where)
        return DTensor.from_local(
            g, spec.mesh, where, shape=spec.shape, stride=tuple(stride)
        ), None  # fmt: skip


class _FromLocal(autograd.Function):
    @staticmethod
    def forward(ctx: Any, local: Any, spec: DTensorSpec, grad_placements: Any) -> Any:
        ctx.mesh = spec.mesh
        ctx.placements = grad_placements or for_gradient(spec.placements)
        ctx.set_materialize_grads(False)
        return DTensor._made(local.view_as(local), spec)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        if g is None:
            return None, None, None
        if g.placements != ctx.placements:
            g = Redistribute.apply(g, ctx.placements, None, None)
        return g.to_local(), None, None


class DTensor(Tensor):
    """A tensor that is spread over a mesh of processes.

    `DTensor.from_local` makes one of the parts that ranks have, `distribute_tensor` one of a whole
    tensor, `torch.distributed.tensor.zeros` and its like new ones. Operations on it compute what
    they compute of the whole, each rank its part; what must be sent is sent. All ranks of the mesh
    call the same operations in the same order. Every tensor operand must be a DTensor.
    """

    __slots__ = ("_local_tensor", "_spec")
    __tensor_parts__: ClassVar[Any]  # how optimizers step them: `_parts.py`
    __module__ = "rushlight.distributed.tensor"
    _local_tensor: Tensor
    _spec: DTensorSpec

    def __new__(
        cls, local_tensor: Tensor, spec: DTensorSpec, *, requires_grad: bool = False
    ) -> Any:
        """Not for programs: `DTensor.from_local` keeps the history of gradients."""
        return cls._made(local_tensor, spec, requires_grad)

    def __init__(self, *args: Any, **kw: Any) -> None:
        pass

    @classmethod
    def _made(cls, local: Any, spec: DTensorSpec, requires_grad: bool = False) -> Any:
        """A DTensor of these, without a history."""
        meta = spec.tensor_meta
        t = cls._make_wrapper_subclass(
            cls, meta.shape, strides=meta.stride, dtype=meta.dtype, device=local.device,
            requires_grad=requires_grad,
        )  # fmt: skip
        t._local_tensor, t._spec = local, spec
        return t

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _dispatch.carry_out(func, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return (
            f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._spec.mesh}, "
            f"placements={self._spec.placements})"
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle: the local tensor, and plain values, so that files hold no code."""
        mesh, meta = self._spec.mesh, self._spec.tensor_meta
        about = {
            "mesh": {k: v for k, v in mesh.__getstate__().items() if k in MESH},
            "placements": [written(p) for p in self._spec.placements],
            "shape": tuple(meta.shape),
            "stride": meta.stride,
            "requires_grad": self.requires_grad,
            "parameter": isinstance(self, Parameter),
        }
        return _rebuilt, (self._local_tensor, about)

    def __tensor_flatten__(self) -> Any:
        return ["_local_tensor"], (self._spec, self.requires_grad)

    @staticmethod
    def __tensor_unflatten__(inner: Any, told: Any, outer_size: Any, outer_stride: Any) -> Any:
        spec, requires_grad = told
        meta = TensorMeta(Size(outer_size), tuple(outer_stride), spec.tensor_meta.dtype)
        local = inner["_local_tensor"]
        return DTensor._made(local, spec.shallow_copy_with_tensor_meta(meta), requires_grad)

    # -- coming and going --------------------------------------------------------------------------

    @staticmethod
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Any = None,
        stride: tuple[int, ...] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        """The tensor of which each rank has `local_tensor`.

        Args:
            local_tensor: this rank's part, or its share of what is still to be added.
            device_mesh: None: that of the `with` block.
            placements: how the parts make the whole, one for each dimension of the mesh; None:
                each rank has the whole.
            run_check: ask all ranks whether their tensors fit, and take what is replicated from
                the first of them.
            shape, stride: of the whole; needed where parts are of different sizes.
            grad_placements: how the gradient is to lie when it leaves; None: as `placements`, and
                replicated where those are Partial.

        Raises:
            RuntimeError: `local_tensor` is a DTensor; only one of shape and stride is given.
            ValueError: kinds of Partial that do not go together; parts that do not fit.

        The gradient of `local_tensor` is this rank's part of the whole's.

        Example, as each of two processes runs it::

            mesh = init_device_mesh("cpu", (2,))
            DTensor.from_local(torch.ones(2, 3), mesh, [Shard(0)]).shape    # torch.Size([4, 3])
        """
        if isinstance(local_tensor, DTensor):
            raise RuntimeError(
                "the local_tensor argument only accepts torch.Tensor but got "
                f"{type(local_tensor)} value."
            )
        mesh = device_mesh or _mesh_resources.get_current_mesh()
        where = checked(placements, mesh, local_tensor.ndim)
        check_partials(where)
        if (shape is None) != (stride is None):
            raise RuntimeError(
                f"Found shape:{shape}, stride:{stride}. Please pass both shape and stride at the "
                "same time."
            )
        whole = shape
        if shape is None:
            shape, steps = global_info(local_tensor, mesh, where)
            stride = tuple(steps)
        if not mesh._is_current_rank_part_of_mesh():
            with no_grad():
                local_tensor = local_tensor.new_empty(0).requires_grad_(local_tensor.requires_grad)
        elif run_check:
            local_tensor = agreed(local_tensor, mesh, where, whole is None)
        meta = TensorMeta(Size(shape), tuple(stride or ()), local_tensor.dtype)
        back = None if grad_placements is None else tuple(grad_placements)
        made: DTensor = _FromLocal.apply(local_tensor, DTensorSpec(mesh, where, meta), back)
        return made

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """This rank's part; what is done to it in place is done to the DTensor.

        Args:
            grad_placements: how the gradients of the ranks make that of the whole; None: as
                `placements`, and replicated where those are Partial.
        """
        if not door.state.enabled:
            return self._local_tensor
        back = None if grad_placements is None else tuple(grad_placements)
        made: Tensor = _ToLocal.apply(self, back)
        return made

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> DTensor:
        """The same tensor, lying otherwise.

        Args:
            device_mesh: its own; there is no way to another one.
            placements: one for each dimension of the mesh.
            async_op: accepted; the collectives are over when this returns.
            forward_dtype: the type that the tensor is cast to before it is sent.
            backward_dtype: the type that the gradient is cast to before it is sent; it comes back
                in this tensor's own.

        Raises:
            RuntimeError: no placements; a Partial that there was not before.
            NotImplementedError: another mesh.
        """
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self._spec.mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        where = checked(placements, self._spec.mesh, self.ndim)
        for old, new in zip(self._spec.placements, where, strict=False):
            if new.is_partial() and new != old:
                raise RuntimeError(
                    f"Can not redistribute from {old} to {new}, redistributing to Partial is for "
                    "internal use only!"
                )
        made: DTensor = Redistribute.apply(self, where, forward_dtype, backward_dtype)
        return made

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """The whole tensor, on each rank: `redistribute` to Replicate, and `to_local`.

        Args:
            grad_placements: how the gradients of the ranks make that of the whole; None: all ranks
                have the same one.
        """
        where = tuple(Replicate() for _ in range(self._spec.mesh.ndim))
        whole = Redistribute.apply(self, where, None, None)
        back = None if grad_placements is None else tuple(grad_placements)
        made: Tensor = _ToLocal.apply(whole, back)
        return made

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh that it is spread over."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """How it lies, one placement for each dimension of the mesh."""
        return self._spec.placements


# What a saved DTensor tells of its mesh.
MESH = ("_device_type", "_layout", "_flatten_rank_map", "_mesh_dim_names", "_rank", "_groups",
        "_coordinate_on_dim")  # fmt: skip


def written(p: Placement) -> list[Any]:
    """A placement as a name and what it was made with."""
    return [type(p).__name__, *(getattr(p, k) for k in ("dim", "reduce_op") if hasattr(p, k)),
            *([p.split_factor] if isinstance(p, _StridedShard) else [])]  # fmt: skip


def read(told: Sequence[Any]) -> Placement:
    """The placement that `written` told of."""
    name, *rest = told
    if name == "_StridedShard":
        return _StridedShard(rest[0], split_factor=rest[1])
    return {"Shard": Shard, "Replicate": Replicate, "Partial": Partial}[name](*rest)


def _rebuilt(local: Tensor, about: dict[str, Any]) -> Any:
    """The DTensor that was saved, on the mesh that it was saved on."""
    mesh: Any = object.__new__(DeviceMesh)
    mesh.__setstate__({**about["mesh"], "_root_mesh": None, "_flatten_mapping": {}})
    meta = TensorMeta(Size(about["shape"]), tuple(about["stride"]), local.dtype)
    spec = DTensorSpec(mesh, [read(p) for p in about["placements"]], meta)
    made = DTensor._made(local, spec)
    if about["parameter"]:
        return Parameter(made, about["requires_grad"])
    return made.requires_grad_() if about["requires_grad"] else made


add_own(_rebuilt)


def agreed(local: Tensor, mesh: DeviceMesh, where: Sequence[Placement], sizes: bool) -> Tensor:
    """The local tensor, after all ranks have told each other theirs; the first one's values where
    it is replicated.

    Raises:
        ValueError: types, or sizes and strides, differ.
    """
    for i in range(mesh.ndim):
        group = mesh.get_group(i)
        about = (str(local.dtype), tuple(local.shape), tuple(local.stride()), local.requires_grad)
        told: list[Any] = [None] * group.size()
        all_gather_object(told, about, group=group)
        for other in told:
            keep = slice(None) if sizes else slice(0, 1)
            if other[keep] != about[keep]:
                raise ValueError(
                    f"Inconsistent tensor metadata (including shape and stride) across ranks: "
                    f"{about} here, {other} on another rank"
                )
    for i, p in enumerate(where):
        if p.is_replicate() and mesh.size(i) > 1:
            with no_grad():
                same = local.detach().clone().contiguous()
                broadcast(same, group=mesh.get_group(i), group_src=0)
                if local._fn is None or not local.requires_grad:
                    local = same
                else:
                    local.data.copy_(same)
    return local


# -- of a whole tensor -----------------------------------------------------------------------------


def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """A whole tensor, spread over a mesh.

    Args:
        tensor: a leaf. Its values on the first rank of each dimension of the mesh are taken.
        device_mesh: None: that of the `with` block.
        placements: one for each dimension of the mesh; None: each rank has the whole.
        src_data_rank: the rank of each dimension whose values are taken; None: each rank takes its
            own, and nothing is sent.

    Raises:
        RuntimeError: `tensor` is no leaf.
        ValueError: another number of placements; a DTensor that lies otherwise.
    """
    mesh = device_mesh or _mesh_resources.get_current_mesh()
    if not tensor.is_leaf:
        raise RuntimeError(
            "`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf "
            "tensor!"
        )
    where = checked(placements, mesh, tensor.ndim)
    if len(where) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! Found placements "
            f"length: {len(where)}, and device_mesh.ndim: {mesh.ndim}."
        )
    check_partials(where)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError(
                f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different "
                f"device mesh {mesh}."
            )
        if tensor.placements != where:
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different "
                f"placements {where}. do you want to call `redistribute` instead?"
            )
        return tensor
    with no_grad():
        local = tensor.detach()
        if mesh.get_coordinate() is None:
            local = local.new_empty(0)
        else:
            for i, p in enumerate(where):
                local = sent_out(local, p, mesh, i, src_data_rank)
        if local is tensor or (local.numel() and local.data_ptr() == tensor.data_ptr()):
            local = local.clone()
    meta = TensorMeta(Size(tensor.shape), tuple(tensor.stride()), tensor.dtype)
    return DTensor._made(local, DTensorSpec(mesh, where, meta), tensor.requires_grad)


def sent_out(x: Tensor, p: Placement, mesh: DeviceMesh, i: int, src: int | None) -> Tensor:
    """One dimension's part of a whole tensor that the rank `src` of it has."""
    n = mesh.size(i)
    if src is None or n == 1:
        if isinstance(p, Shard):
            return cut(x, p, mesh, i)
        return shared_out(x, p, mesh, i) if isinstance(p, Partial) else x
    group = mesh.get_group(i)
    if not isinstance(p, Shard):
        same = x.clone().contiguous()
        broadcast(same, group=group, group_src=src)
        return shared_out(same, p, mesh, i) if isinstance(p, Partial) else same
    d, size = p.dim, x.shape[p.dim]
    full = max(p.length(size, n, r) for r in range(n))
    rows, parts = x.movedim(d, 0), None
    got = rows.new_empty((full, *rows.shape[1:]))
    if group.rank() == src:
        parts = [filled(part_of(rows, p.at(0), n, r), full) for r in range(n)]
    scatter(got, parts, group=group, group_src=src)
    return got[: p.length(size, n, group.rank())].movedim(0, d).contiguous()
