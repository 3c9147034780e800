"""Operations on DTensors that no rule of placements tells: new tensors, one number of a whole one,
comparison, random numbers, norms.

Random numbers are those of the whole tensor: each rank draws all of them by the default generator
and takes its part, so a seed means the same values however the tensor lies. With the first draw on
a mesh the generators of its ranks get the state of the first one's.
"""

from __future__ import annotations

import atexit
import math
from collections.abc import Callable
from typing import Any

from ...autograd import no_grad
from ...autograd.node import TensorBase
from ...errors import message
from ...ops.core import dispatch
from ...ops.create.factories import empty, empty_strided
from ...random import default_generator
from ...size import Size
from ..collectives import all_reduce, broadcast
from ..device_mesh import DeviceMesh
from ..reduce_op import ReduceOp
from ._dispatch import REPLICATE, Call, Way, everywhere, instead
from ._dtensor_spec import DTensorSpec, TensorMeta, local_shapes
from ._redistribute import cut, redistribute_local_tensor
from ._rules import as_dims, kept, placed, rule
from .placement_types import OPS, Partial, Placement, Shard

Own = Callable[[Any, Any, Any], Any]


def taking(*names: str) -> Callable[[Own], Own]:
    """Register a function that carries out operators: (func, args, kw) -> result."""

    def put(fn: Own) -> Own:
        for name in names:
            instead[name] = fn
        return fn

    return put


def whole_local(t: Any) -> Any:
    """The whole of a DTensor as a plain tensor, without a history."""
    spec = t._spec
    goal = spec.with_placements((REPLICATE,) * spec.mesh.ndim)
    with no_grad():
        return redistribute_local_tensor(t._local_tensor, spec, goal)


def plain(v: Any) -> Any:
    """A value with its DTensors as whole plain tensors."""
    if isinstance(v, TensorBase):
        return whole_local(v) if hasattr(v, "_spec") else v
    return v


# -- new tensors -----------------------------------------------------------------------------------


def made_like(t: Any, local: Any, placements: Any, shape: Any, stride: Any = None) -> Any:
    """A DTensor on the mesh of another one."""
    from ._api import DTensor

    if stride is None:
        stride = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    meta = TensorMeta(Size(shape), tuple(stride), local.dtype)
    return DTensor._made(local, DTensorSpec(t._spec.mesh, placements, meta))


def without_partials(t: Any) -> tuple[Placement, ...]:
    return tuple(REPLICATE if p.is_partial() else p for p in t._spec.placements)


@taking("new_tensor")
def new_tensor(func: Any, args: Any, kw: Any) -> Any:
    """Of plain values: the whole on each rank."""
    t, data = args
    own = {k: v for k, v in kw.items() if k != "requires_grad"}
    local = t._local_tensor.new_tensor(data, **own)
    made = made_like(t, local, (REPLICATE,) * t._spec.mesh.ndim, local.shape)
    return made.requires_grad_() if kw.get("requires_grad") else made


@taking("new_zeros", "new_ones", "new_empty", "new_full")
def new(func: Any, args: Any, kw: Any) -> Any:
    """Of the same shape: lying alike; of another: the whole on each rank."""
    t, size, *rest = args
    size = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    where = without_partials(t) if size == tuple(t.shape) else (REPLICATE,) * t._spec.mesh.ndim
    own = {k: v for k, v in kw.items() if k != "requires_grad"}
    name = func.overloadpacket.__name__
    local = getattr(t._local_tensor, name)(
        tuple(local_shapes(size, t._spec.mesh, where)[-1]), *rest, **own
    )
    made = made_like(t, local, where, size)
    return made.requires_grad_() if kw.get("requires_grad") else made


# -- one number ------------------------------------------------------------------------------------


@taking("_local_scalar_dense", "item")
def item(func: Any, args: Any, kw: Any) -> Any:
    """The only element, which all ranks get."""
    return whole_local(args[0]).item()


@taking("equal")
def equal(func: Any, args: Any, kw: Any) -> bool:
    """Whether all ranks have the same of both."""
    a, b = args
    if tuple(a.shape) != tuple(b.shape):
        return False
    mesh = next(t._spec.mesh for t in args if hasattr(t, "_spec"))
    where = without_partials(next(t for t in args if hasattr(t, "_spec")))
    locals_ = []
    with no_grad():
        for t in args:
            if not hasattr(t, "_spec"):
                locals_.append(parted(t, mesh, where))
            else:
                goal = t._spec.with_placements(where)
                locals_.append(redistribute_local_tensor(t._local_tensor, t._spec, goal))
        same = bool(locals_[0].equal(locals_[1]))
        if mesh.get_coordinate() is None:
            return True
        told = empty(1).fill_(float(same))
        for i in range(mesh.ndim):
            if mesh.size(i) > 1:
                all_reduce(told, ReduceOp.MIN, group=mesh.get_group(i))
    return bool(told.item())


# -- random numbers --------------------------------------------------------------------------------

agreed: set[DeviceMesh] = set()
atexit.register(agreed.clear)


def agree(mesh: DeviceMesh) -> None:
    """Let the generators of a mesh's ranks have the state of the first one's, once."""
    if mesh in agreed:
        return
    agreed.add(mesh)
    if mesh.get_coordinate() is None or mesh.size() == 1:
        return
    state = default_generator.get_state()
    for i in reversed(range(mesh.ndim)):
        if mesh.size(i) > 1:
            broadcast(state, group=mesh.get_group(i), group_src=0)
    default_generator.set_state(state)


def parted(whole: Any, mesh: DeviceMesh, placements: Any) -> Any:
    """This rank's part of a plain tensor that all ranks have."""
    if mesh.get_coordinate() is None:
        return whole.new_empty(0)
    for i, p in enumerate(placements):
        if isinstance(p, Shard):
            whole = cut(whole, p, mesh, i)
        elif isinstance(p, Partial):
            raise RuntimeError(
                message(
                    "random numbers that are still to be added up are none of any distribution",
                    got=f"placements {tuple(placements)}",
                    wanted="Shard or Replicate",
                    hint="redistribute() first",
                )
            )
    return whole


@taking("bernoulli_", "normal_", "uniform_", "random_", "exponential_", "log_normal_", "cauchy_",
        "geometric_")  # fmt: skip
def drawn_in_place(func: Any, args: Any, kw: Any) -> Any:
    """The values that the whole tensor would get, each rank its part."""
    t, *rest = args
    mesh = t._spec.mesh
    agree(mesh)
    with no_grad():
        meta = t._spec.tensor_meta
        draw = empty_strided(tuple(meta.shape), meta.stride, dtype=meta.dtype)
        func(draw, *[plain(v) for v in rest], **{k: plain(v) for k, v in kw.items()})
        t._local_tensor.copy_(parted(draw, mesh, t._spec.placements))
    return t


@taking("rand_like", "randn_like", "randint_like", "bernoulli", "normal", "poisson")
def drawn(func: Any, args: Any, kw: Any) -> Any:
    """The same for new tensors."""
    t = next(v for v in dispatch.leaves(args) if hasattr(v, "_spec"))
    agree(t._spec.mesh)
    where = without_partials(t)
    with no_grad():
        own = {k: plain(v) for k, v in kw.items() if k != "requires_grad"}
        if func.overloadpacket.__name__.endswith("_like"):
            meta = t._spec.tensor_meta
            like = empty_strided(tuple(meta.shape), meta.stride, dtype=meta.dtype)
            draw = func(like, *args[1:], **own)
        else:
            draw = func(*[plain(v) for v in args], **own)
        local = parted(draw, t._spec.mesh, where)
    made = made_like(t, local, where, draw.shape, draw.stride())
    return made.requires_grad_() if kw.get("requires_grad") else made


# -- norms -----------------------------------------------------------------------------------------


class _NormPartial(Partial):
    """What is still to become one p-norm: those of the ranks' parts."""

    __slots__ = ("norm_type",)

    def __init__(self, norm_type: float = 2.0) -> None:
        self.norm_type = norm_type
        kinds = {math.inf: "max", -math.inf: "min"}
        super().__init__(kinds.get(norm_type, "sum"))

    def _key(self) -> Any:
        return self.norm_type

    @property
    def linear(self) -> bool:
        """No: the norm of a whole is no sum of norms."""
        return False

    def __repr__(self) -> str:
        return f"_NormPartial(reduce_op={self.reduce_op}, norm_type={self.norm_type})"

    __str__ = __repr__

    def combine(self, x: Any, group: Any) -> None:
        """Replace norms of parts by the norm of all of them, in place."""
        p = self.norm_type
        finite = math.isfinite(p) and p != 0
        if finite and p != 1:
            x.pow_(p)
        all_reduce(x, OPS[self.reduce_op], group=group)
        if finite and p != 1:
            x.pow_(1 / p)


@rule("linalg_vector_norm")
def norm(call: Call, i: int) -> list[Way]:
    """Norms of parts, of which the whole's is one."""
    ndim = len(call.shape())
    order = float(call.parameter("ord", 1, 2.0))
    dims = as_dims(call.parameter("dim", 2), ndim)
    keepdim = bool(call.parameter("keepdim", 3, False))
    p, ways = placed(call, i)[0], [everywhere(call)]
    if isinstance(p, Shard):
        if p.dim not in dims:
            ways.append(Way(p.at(kept(p.dim, dims, keepdim)), (p,)))
        elif (order != 0 and math.isfinite(order)) or call.reaches_all(call.shape()[p.dim], i):
            ways.append(Way(_NormPartial(order), (p,)))
    return ways

