"""How optimizers step DTensors and how their gradients are clipped (`optim/parts.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd import no_grad
from ..collectives import all_reduce
from ..reduce_op import ReduceOp
from ._api import DTensor
from ._dtensor_spec import DTensorSpec, TensorMeta
from ._redistribute import carried, redistribute_local_tensor
from .placement_types import Replicate


class DTensorParts:
    """The `Parts` of DTensors."""

    def local(self, t: Any) -> Any:
        return t._local_tensor

    def local_like(self, g: Any, p: Any) -> Any:
        with no_grad():
            return carried(g, p.placements)._local_tensor

    def like(self, part: Any, p: Any) -> Any:
        return DTensor._made(part, typed(p._spec, part.dtype))

    def whole(self, t: Any) -> Any:
        with no_grad():
            found = carried(t, everywhere(t))._local_tensor
        found = found.detach()
        return found.clone() if found.data_ptr() == t._local_tensor.data_ptr() else found

    def everywhere(self, whole: Any, p: Any) -> Any:
        meta = TensorMeta(whole.shape, tuple(whole.stride()), whole.dtype)
        return DTensor._made(whole, DTensorSpec(p.device_mesh, everywhere(p), meta))

    def put(self, t: Any, whole: Any) -> None:
        spec = t._spec
        with no_grad():
            now = spec.with_placements(everywhere(t))
            t._local_tensor.copy_(redistribute_local_tensor(whole, now, spec))

    def greatest(self, x: Any, tensors: Sequence[Any]) -> None:
        for mesh in dict.fromkeys(t.device_mesh for t in tensors):
            for i in range(mesh.ndim):
                if mesh.size(i) > 1:
                    all_reduce(x, ReduceOp.MAX, mesh.get_group(i))

    def total_norm(self, tensors: Sequence[Any], norm_type: float) -> Any:
        from ._norms import total_norm

        return total_norm(tensors, norm_type)


def everywhere(t: Any) -> tuple[Replicate, ...]:
    """Replicated on all dimensions of a tensor's mesh."""
    return (Replicate(),) * t.device_mesh.ndim


def typed(spec: DTensorSpec, dtype: Any) -> DTensorSpec:
    """Where a tensor of another type lies alike."""
    meta = spec.tensor_meta
    if meta.dtype == dtype:
        return spec
    return spec.shallow_copy_with_tensor_meta(TensorMeta(meta.shape, meta.stride, dtype))


DTensor.__tensor_parts__ = DTensorParts()
