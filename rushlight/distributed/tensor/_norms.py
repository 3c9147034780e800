"""The norm of many DTensors together: local sums of powers, and one message for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.size import Size

from ..collectives import all_reduce
from ..reduce_op import ReduceOp
from . import DTensor
from ._dtensor_spec import DTensorSpec, TensorMeta
from .placement_types import Replicate


def total_norm(tensors: Sequence[Any], norm_type: float) -> Any:
    """The norm of all elements as if they were one vector, as a DTensor that each rank has.

    Args:
        tensors: DTensors of any meshes, and tensors that all ranks have.
        norm_type: any order but 0.
    """
    sums: dict[Any, list[Any]] = {}
    mesh: Any = None
    kinds = []
    for t in tensors:
        kinds.append(t.dtype)
        key: Any = None
        if isinstance(t, DTensor):
            mesh = mesh or t.device_mesh
            if any(p.is_partial() for p in t.placements):
                where = [Replicate() if p.is_partial() else p for p in t.placements]
                t = t.redistribute(placements=where)
            dims = tuple(i for i, p in enumerate(t.placements) if p.is_shard())
            key = (t.device_mesh, dims) if dims else None
            t = t._local_tensor
        sums.setdefault(key, []).append(t)
    total = None
    for key, parts in sums.items():
        each = power(parts, norm_type)
        if key is not None:
            op = {math.inf: ReduceOp.MAX, -math.inf: ReduceOp.MIN}.get(norm_type, ReduceOp.SUM)
            for i in key[1]:
                all_reduce(each, op, key[0].get_group(i))
        total = each if total is None else joined(total, each, norm_type)
    assert total is not None
    if not math.isinf(norm_type):
        total = total ** (1.0 / norm_type)
    kind = kinds[0]
    for other in kinds[1:]:
        kind = rushlight.promote_types(kind, other)
    total = total.to(kind.to_real())
    spec = DTensorSpec(
        mesh, [Replicate() for _ in range(mesh.ndim)], TensorMeta(Size(()), (), total.dtype)
    )
    return DTensor._made(total, spec)


def power(parts: Sequence[Any], norm_type: float) -> Any:
    """What is added up, or compared, to a norm: in float64."""
    if math.isinf(norm_type):
        empty = 0.0 if norm_type > 0 else math.inf
        total = rushlight.full((), empty, dtype=rushlight.float64)
    else:
        total = rushlight.zeros((), dtype=rushlight.float64)
    for t in parts:
        if not t.numel():
            continue
        x = t.abs() if t.is_complex() else t
        n = rushlight.linalg.vector_norm(x, norm_type, dtype=rushlight.float64)
        total = joined(total, n if math.isinf(norm_type) else n**norm_type, norm_type)
    return total


def joined(a: Any, b: Any, norm_type: float) -> Any:
    if norm_type == math.inf:
        return rushlight.maximum(a, b)
    return rushlight.minimum(a, b) if norm_type == -math.inf else a + b
