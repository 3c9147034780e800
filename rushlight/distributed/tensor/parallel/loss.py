"""`loss_parallel`: cross entropy of scores that are cut along the classes, without gathering them.

Each rank has some of the classes. What a row's maximum, its sum of exponentials and the score of
its target are, the ranks find together: three numbers a row are sent, in place of all its scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....autograd import no_grad
from ....errors import message
from ....size import Size
from ...collectives import all_reduce
from ...reduce_op import ReduceOp
from .. import _dispatch
from .._dispatch import REPLICATE, instead, scalar
from .._dtensor_spec import DTensorSpec, TensorMeta, compute_local_shape_and_global_offset
from ..placement_types import Partial, Placement, Shard

depth: list[int] = [0]
# shape of scores -> how they lay in the forward, for backward
met: dict[tuple[int, ...], tuple[Any, tuple[Placement, ...]]] = {}


@contextmanager
def loss_parallel() -> Iterator[None]:
    """A block in which `cross_entropy`, `nll_loss` and `log_softmax` of scores that are cut along
    the classes are computed where they are. Backward belongs into the block, too.

    The scores are a DTensor that exactly one dimension of the mesh cuts along the classes; targets
    are a DTensor, or a plain tensor that all ranks have. The loss is a DTensor, replicated on that
    dimension.

    Raises:
        ValueError: several dimensions of the mesh cut the classes, or the scores are still to be
            added up.

    Example, as each of two processes runs it::

        scores = distribute_tensor(torch.randn(4, 10, requires_grad=True), mesh, [Shard(1)])
        with loss_parallel():
            F.cross_entropy(scores, torch.tensor([1, 2, 3, 4])).backward()
    """
    depth[0] += 1
    implicit = _dispatch.implicit
    before, implicit.on = implicit.on, True
    try:
        yield
    finally:
        depth[0] -= 1
        implicit.on = before
        if not depth[0]:
            met.clear()


def cutter(spec: DTensorSpec, d: int) -> int | None:
    """The dimension of the mesh that cuts the classes, dimension d; None when there is none."""
    found = [i for i, p in enumerate(spec.placements) if p.is_shard(d)]
    if not found:
        return None
    if len(found) > 1 or any(p.is_partial() for p in spec.placements):
        raise ValueError(
            message(
                f"loss_parallel() requires exactly one mesh dim to shard tensor dimension {d}, and "
                "no Partial",
                got=f"placements {spec.placements}",
            )
        )
    return found[0]


def rows(x: Any, d: int, group: Any) -> tuple[Any, Any]:
    """(scores minus their row's maximum, the logarithm of the row's sum of exponentials), where a
    row is spread over a group."""
    wide = x.float() if x.dtype.itemsize < 4 else x
    if x.shape[d]:
        top = wide.amax(d, keepdim=True)
    else:
        shape = list(x.shape)
        shape[d] = 1
        top = wide.new_full(shape, -float("inf"))
    all_reduce(top, ReduceOp.MAX, group=group)
    shifted = wide - top
    total = shifted.exp().sum(d, keepdim=True).contiguous()
    all_reduce(total, group=group)
    return shifted, total.log()


def log_softmax(func: Any, args: Any, kw: Any) -> Any:
    """Each rank its classes."""
    x = args[0]
    d = int(kw["dim"] if "dim" in kw else args[1]) % max(x.ndim, 1)
    if not depth[0] or not hasattr(x, "_spec"):
        return NotImplemented
    i = cutter(x._spec, d)
    if i is None:
        return NotImplemented
    with no_grad():
        shifted, logs = rows(x._local_tensor, d, x._spec.mesh.get_group(i))
        return type(x)._made((shifted - logs).to(x.dtype), x._spec)


def picked(x: Any, target: Any, ignored: int, d: int, start: int, group: Any) -> tuple[Any, Any]:
    """(what stands at each row's target, which targets count), of rows over a group."""
    counts = target != ignored
    own = target - start
    mine = counts & (own >= 0) & (own < x.shape[d])
    if x.shape[d]:
        found = x.gather(d, own.masked_fill(~mine, 0).unsqueeze(d)).squeeze(d).masked_fill(~mine, 0)
    else:
        found = x.new_zeros(tuple(target.shape))
    found = found.contiguous()
    all_reduce(found, group=group)
    return found, counts


def loss(func: Any, args: Any, kw: Any) -> Any:
    """`cross_entropy` of scores, or `nll_loss` of their logarithms, cut along the classes."""
    x, target, *rest = args
    if not depth[0] or not hasattr(x, "_spec"):
        return NotImplemented
    d = 1 if x.ndim > 1 else 0
    i = cutter(x._spec, d)
    if i is None:
        return NotImplemented
    name = func.overloadpacket.__name__
    mesh, ignored = x._spec.mesh, kw.get("ignore_index", -100)
    met[tuple(x.shape)] = (mesh, x._spec.placements)
    batch = of_targets(x._spec.placements, i, d)
    with no_grad():
        if not hasattr(target, "_spec"):
            target = scalar(func, target, mesh)
        target = _dispatch.brought(target, batch)
        weight = rest[0] if rest else None
        if weight is not None:
            weight = getattr(weight, "_local_tensor", weight)
        start = compute_local_shape_and_global_offset(x.shape, mesh, x._spec.placements)[1][d]
        local, group = x._local_tensor, mesh.get_group(i)
        if name == "nll_loss":
            found, counts = picked(local, target, ignored, d, start, group)
            each = -found
        else:
            shifted, logs = rows(local, d, group)
            found, counts = picked(shifted, target, ignored, d, start, group)
            each = logs.squeeze(d) - found
        if weight is not None:
            each = each * weight[target.masked_fill(~counts, 0)]
        each = each.masked_fill(~counts, 0)
        kind, out = kw.get("reduction", "mean"), tuple(batch)
        if kind != "none":
            out = tuple(Partial() if p.is_shard() else REPLICATE for p in batch)
            each = each.sum()
        if kind == "mean":
            each = each / divisor(mesh, batch, target, counts, weight, each)
    each = each.to(x.dtype)
    shape = tuple(n for k, n in enumerate(x.shape) if k != d) if kind == "none" else ()
    steps = x.new_empty(0)._local_tensor.new_empty(shape, device="meta").stride()
    spec = DTensorSpec(mesh, out, TensorMeta(Size(shape), tuple(steps), x.dtype))
    made = type(x)._made(each, spec)
    return made if name == "nll_loss" else (made, made, made)  # moments are for arrays alone


def of_targets(placements: Any, i: int, d: int) -> list[Placement]:
    """How targets lie beside scores whose classes, dimension d, the mesh's dimension i cuts."""
    return [
        p.at(p.dim - (p.dim > d)) if isinstance(p, Shard) and j != i else REPLICATE
        for j, p in enumerate(placements)
    ]


def divisor(
    mesh: Any, batch: list[Placement], target: Any, counts: Any, weight: Any, like: Any
) -> Any:
    """How much all targets count."""
    if weight is None:
        total = counts.sum().to(like.dtype)
    else:
        total = (weight[target.masked_fill(~counts, 0)] * counts).sum()
    total = total.reshape(1)
    for j, p in enumerate(batch):
        if p.is_shard():
            all_reduce(total, group=mesh.get_group(j))
    return total.reshape(())


def backward(func: Any, args: Any, kw: Any) -> Any:
    """The gradient of the logarithms: minus the row's factor at its target, in this rank's
    classes."""
    shape = tuple(kw["shape"])
    if not depth[0] or shape not in met:
        return NotImplemented
    mesh, where = met[shape]
    g, target, *rest = args
    d = 1 if len(shape) > 1 else 0
    i = next(k for k, p in enumerate(where) if p.is_shard(d))
    batch = of_targets(where, i, d)
    kind, ignored = kw.get("reduction", "mean"), kw.get("ignore_index", -100)
    with no_grad():
        target = target if hasattr(target, "_spec") else scalar(func, target, mesh)
        target = _dispatch.brought(target, batch)
        dtype = g.dtype
        g = g if hasattr(g, "_spec") else scalar(func, g, mesh)
        g = _dispatch.brought(g, batch if kind == "none" else [REPLICATE] * mesh.ndim)
        weight = rest[0] if rest else None
        if weight is not None:
            weight = getattr(weight, "_local_tensor", weight)
        own_shape, offset = compute_local_shape_and_global_offset(shape, mesh, where)
        counts = target != ignored
        factor = counts.to(dtype)
        if weight is not None:
            factor = factor * weight[target.masked_fill(~counts, 0)]
        if kind == "mean":
            g = g / divisor(mesh, batch, target, counts, weight, factor)
        own = target - offset[d]
        mine = counts & (own >= 0) & (own < own_shape[d])
        made = factor.new_zeros(own_shape)
        if own_shape[d]:
            at = own.masked_fill(~mine, 0).unsqueeze(d)
            made.scatter_(d, at, (-g * factor).masked_fill(~mine, 0).to(made.dtype).unsqueeze(d))
    from .._api import DTensor

    steps = made.new_empty(shape, device="meta").stride()
    return DTensor._made(
        made, DTensorSpec(mesh, where, TensorMeta(Size(shape), tuple(steps), made.dtype))
    )


instead["_log_softmax"] = instead["log_softmax"] = log_softmax
instead["cross_entropy_loss"] = instead["nll_loss"] = loss
instead["nll_loss_backward"] = backward
