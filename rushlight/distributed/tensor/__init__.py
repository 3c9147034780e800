"""Tensors spread over a mesh of processes (`torch.distributed.tensor`)."""

from __future__ import annotations

from ..device_mesh import DeviceMesh, init_device_mesh
from . import _rules as _rules
from . import _rules_nn as _rules_nn
from . import _rules_product as _rules_product
from . import _rules_view as _rules_view
from . import _special as _special
from ._api import DTensor, distribute_tensor
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

__all__ = [
    "DTensor",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_tensor",
]
_ = (DeviceMesh, init_device_mesh, _StridedShard)
