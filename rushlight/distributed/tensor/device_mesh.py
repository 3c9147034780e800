"""The older place of `torch.distributed.device_mesh`."""

from __future__ import annotations

from ..device_mesh import DeviceMesh, _mesh_resources, init_device_mesh

__all__ = ["DeviceMesh", "_mesh_resources", "init_device_mesh"]
