"""From one way of lying on a mesh to another: which collectives bring the local tensors there.

    Shard -> Replicate      all_gather          Partial -> Replicate    all_reduce
    Shard -> Shard          all_to_all          Partial -> Shard        reduce_scatter
    Replicate -> Shard      nothing is sent     Replicate -> Partial    nothing is sent

Parts need not be of one size: collectives that want that get theirs filled up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import autograd
from ...autograd import no_grad
from ...ops.create.factories import zeros
from ...ops.shape.views import cat
from ..collectives import all_gather_into_tensor, all_to_all, reduce_scatter_tensor
from ..device_mesh import DeviceMesh
from ._dtensor_spec import DTensorSpec, TensorMeta, local_shapes
from .placement_types import OPS, Partial, Placement, Replicate, Shard, _StridedShard, chunk

# -- one dimension of the mesh ---------------------------------------------------------------------


def filled(x: Any, rows: int) -> Any:
    """A tensor of `rows` rows, without gaps: zeros behind its own."""
    if x.shape[0] == rows:
        return x.contiguous()
    return cat(x, zeros((rows - x.shape[0], *x.shape[1:]), dtype=x.dtype))


def gathered(local: Any, p: Shard, size: int, mesh: DeviceMesh, i: int) -> Any:
    """Shard -> Replicate: everybody's parts along a dimension that is `size` long."""
    n, d = mesh.size(i), p.dim
    if n == 1 and not isinstance(p, _StridedShard):
        return local
    full = max(p.length(size, n, r) for r in range(n))
    mine = filled(local.movedim(d, 0), full)
    whole = mine.new_empty((n * full, *mine.shape[1:]))
    all_gather_into_tensor(whole, mine, group=mesh.get_group(i))
    order = p.order(size, n)
    if order is None:  # only the last parts are shorter
        return whole[:size].movedim(0, d).contiguous()
    starts: list[tuple[int, int, int]] = []  # (place in the whole, place in what came, length)
    each = len(order) // n
    for r in range(n):
        at = r * full
        for own, place in order[r * each : (r + 1) * each]:
            starts.append((place, at, own))
            at += own
    pieces = [whole[at : at + own] for _, at, own in sorted(starts)]
    return cat(*pieces).movedim(0, d).contiguous()


def cut(x: Any, p: Shard, mesh: DeviceMesh, i: int) -> Any:
    """Replicate -> Shard: this rank's part, a copy."""
    part = part_of(x, p, mesh.size(i), mesh.get_coordinate()[i])  # type: ignore[index]
    return x if part.shape == x.shape else part.clone().contiguous()


def part_of(x: Any, p: Shard, n: int, r: int) -> Any:
    """What rank r of n has of a tensor."""
    if isinstance(p, _StridedShard):
        parts = p.parts(x.shape[p.dim], n, r)
        return cat(*[x.narrow(p.dim, at, own) for own, at in parts], dim=p.dim)
    own, at = chunk(x.shape[p.dim], n, r)
    return x.narrow(p.dim, at, own)


def moved(local: Any, p: Shard, q: Shard, size: int, mesh: DeviceMesh, i: int) -> Any:
    """Shard -> Shard along another dimension; `size` is the whole's along the first."""
    n, me = mesh.size(i), mesh.get_coordinate()[i]  # type: ignore[index]
    if n == 1:
        return local
    long = local.shape[q.dim]
    sent = [local.narrow(q.dim, *reversed(chunk(long, n, r))).contiguous() for r in range(n)]
    shape = list(local.shape)
    shape[q.dim] = chunk(long, n, me)[0]
    got = []
    for r in range(n):
        shape[p.dim] = chunk(size, n, r)[0]
        got.append(local.new_empty(shape))
    all_to_all(got, sent, group=mesh.get_group(i))
    return cat(*got, dim=p.dim)


def reduced(local: Any, p: Partial, mesh: DeviceMesh, i: int) -> Any:
    """Partial -> Replicate."""
    out = local.clone().contiguous()
    if mesh.size(i) > 1:
        p.combine(out, mesh.get_group(i))
    return out


def reduced_and_cut(local: Any, p: Partial, q: Shard, mesh: DeviceMesh, i: int) -> Any:
    """Partial -> Shard."""
    n, me, d = mesh.size(i), mesh.get_coordinate()[i], q.dim  # type: ignore[index]
    if n == 1 or isinstance(q, _StridedShard) or type(p) is not Partial:
        return cut(reduced(local, p, mesh, i), q, mesh, i)
    full = -(-local.shape[d] // n)
    rows = filled(local.movedim(d, 0), n * full)
    out = rows.new_empty((full, *rows.shape[1:]))
    reduce_scatter_tensor(out, rows, OPS[p.reduce_op], group=mesh.get_group(i))
    return out[: chunk(local.shape[d], n, me)[0]].movedim(0, d).contiguous()


def shared_out(x: Any, p: Partial, mesh: DeviceMesh, i: int) -> Any:
    """Replicate -> Partial: numbers that combine to what they were."""
    if p.reduce_op == "sum":
        return x / mesh.size(i)
    if p.reduce_op in ("avg", "min", "max"):
        return x
    raise ValueError(f"Replicate to Partial({p.reduce_op}) conversion is not supported.")


# -- all dimensions --------------------------------------------------------------------------------


def to_change(source: Sequence[Placement], target: Sequence[Placement]) -> set[int]:
    """The dimensions of the mesh that change, and those whose cut stands on one that does: what
    they cut along the same dimension of the tensor is undone and done again."""
    found = {i for i, (p, q) in enumerate(zip(source, target, strict=True)) if p != q}
    while True:
        dims = {(i, p.dim) for i in found for p in (source[i], target[i]) if isinstance(p, Shard)}
        more = {
            j
            for j, p in enumerate(source)
            if isinstance(p, Shard) and any(i < j and d == p.dim for i, d in dims)
        }
        if more <= found:
            return found
        found |= more


def redistribute_local_tensor(
    local: Any, current: DTensorSpec, target: DTensorSpec, *, async_op: bool = False,
    is_explicit: bool = False,
) -> Any:  # fmt: skip
    """The local tensor of `target`, of that of `current`. Collectives are over when it returns."""
    mesh, shape = current.mesh, current.shape
    if mesh != target.mesh:
        raise NotImplementedError("Cross device mesh comm not supported yet!")
    if current.placements == target.placements or mesh.get_coordinate() is None:
        return local
    goal, now = target.placements, list(current.placements)
    if len(goal) != mesh.ndim:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! Found placements "
            f"length: {len(goal)}, and device_mesh.ndim: {mesh.ndim}."
        )
    change = to_change(now, goal)
    with no_grad():
        for i in sorted(change):  # what is to be whole, while it is small
            p, q = now[i], goal[i]
            if isinstance(p, Partial) and not isinstance(q, Shard):
                local, now[i] = reduced(local, p, mesh, i), Replicate()
        for i in sorted(change, reverse=True):
            p, q = now[i], goal[i]
            if not isinstance(p, Shard):
                continue
            size = local_shapes(shape, mesh, now)[i][p.dim]
            other = type(p) is type(q) is Shard and p != q
            if isinstance(q, Shard) and other and alone(i, (p.dim, q.dim), now, goal):
                local, now[i] = moved(local, p, q, size, mesh, i), q
            else:
                local, now[i] = gathered(local, p, size, mesh, i), Replicate()
        for i in sorted(change):
            p, q = now[i], goal[i]
            if p == q:
                continue
            if isinstance(q, Shard):
                if isinstance(p, Partial):
                    local = reduced_and_cut(local, p, q, mesh, i)
                else:
                    local = cut(local, q, mesh, i)
            elif isinstance(q, Partial):
                local = shared_out(local, q, mesh, i)
            now[i] = q
    return local


def alone(
    i: int, dims: tuple[int, int], now: Sequence[Placement], goal: Sequence[Placement]
) -> bool:
    """Whether no other dimension of the mesh cuts the tensor along these dimensions."""
    return not any(
        isinstance(p, Shard) and p.dim in dims
        for j in range(len(now))
        if j != i
        for p in (now[j], goal[j])
    )


# -- with gradients --------------------------------------------------------------------------------


def for_gradient(placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """How the gradient of a tensor that lies like this is to lie: what is still to be added has the
    same gradient everywhere."""
    return tuple(Replicate() if p.is_partial() else p for p in placements)


class Redistribute(autograd.Function):
    """A DTensor that lies otherwise; its gradient comes back as the input lay."""

    @staticmethod
    def forward(
        ctx: Any, x: Any, target: tuple[Placement, ...], forward_dtype: Any, backward_dtype: Any
    ) -> Any:
        ctx.before, ctx.dtypes = x._spec, (backward_dtype or x.dtype, x.dtype)
        return carried(x, target, forward_dtype or x.dtype)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        target = [
            Replicate() if old.is_partial() and not now.is_partial() else old
            for old, now in zip(ctx.before.placements, g.placements, strict=True)
        ]
        kind, back = ctx.dtypes
        y = Redistribute.apply(g, tuple(target), kind, None)
        if y.dtype != back:
            y = Redistribute.apply(y, y.placements, back, None)
        return y, None, None, None


def carried(x: Any, target: Sequence[Placement], dtype: Any = None) -> Any:
    """A DTensor that lies otherwise, without a history."""
    spec, local = x._spec, x._local_tensor
    with no_grad():
        if dtype is not None and local.dtype != dtype:
            local = local.to(dtype)
            spec = spec.shallow_copy_with_tensor_meta(TensorMeta(spec.shape, spec.stride, dtype))
        goal = spec.with_placements(target)
        return x._made(redistribute_local_tensor(local, spec, goal), goal)
