"""Seeds of random numbers on meshes. What is drawn, and how: `_special.py`."""

from __future__ import annotations

from ...random import default_generator
from ..device_mesh import DeviceMesh
from ..objects import all_gather_object
from ._special import agreed

__all__ = ["is_rng_supported_mesh", "manual_seed"]


def is_rng_supported_mesh(device_mesh: DeviceMesh) -> bool:
    """True: random numbers do not depend on how a tensor lies."""
    return True


def manual_seed(seed: int, device_mesh: DeviceMesh) -> None:
    """Seed the default generators of a mesh's ranks, all of which call this with one seed.

    Raises:
        RuntimeError: ranks give different seeds.
    """
    if device_mesh.get_coordinate() is None:
        return
    for i in range(device_mesh.ndim):
        group = device_mesh.get_group(i)
        seeds: list[object] = [None] * group.size()
        all_gather_object(seeds, int(seed), group=group)
        if len(set(seeds)) > 1:
            raise RuntimeError(
                f"calling manual_seed function over {device_mesh} but received different seed "
                f"values: {seeds}"
            )
    default_generator.manual_seed(int(seed))
    agreed.add(device_mesh)
