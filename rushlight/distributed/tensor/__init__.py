"""Tensors spread over a mesh of processes (`torch.distributed.tensor`).

    mesh = init_device_mesh("cpu", (2,))
    x = distribute_tensor(torch.ones(4, 3), mesh, [Shard(0)])   # each rank has two rows

Read next: `placement_types.py`, how a tensor lies; `_api.py`, DTensor; `_dispatch.py`, how an
operation is carried out; `parallel/`, layers.
"""

from __future__ import annotations

from ..device_mesh import DeviceMesh, init_device_mesh
from . import _parts as _parts
from . import _random as _random
from . import _rules as _rules
from . import _rules_nn as _rules_nn
from . import _rules_product as _rules_product
from . import _rules_view as _rules_view
from . import _special as _special
from ._api import DTensor, distribute_tensor
from ._factories import empty, full, ones, rand, randn, zeros
from ._modules import distribute_module
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

__all__ = [
    "DTensor",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_module",
    "distribute_tensor",
    "empty",
    "full",
    "ones",
    "rand",
    "randn",
    "zeros",
]
_ = (DeviceMesh, init_device_mesh, _StridedShard)
