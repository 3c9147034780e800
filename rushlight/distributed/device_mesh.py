"""Grids of processes: a `DeviceMesh` names the ranks of a job by several coordinates, and has a
process group for each line of the grid along each of its dimensions.

    mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("dp", "tp"))
    mesh["tp"].get_group()      # this rank and its three neighbours

All ranks of the job make the same meshes in the same order: groups are made with them. Not here:
sizes and steps of dimensions (`mesh_axes.py`), what is spread over a mesh (`tensor/`).
"""

from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import message
from ..ops.create.from_data import tensor
from ..tensor import Tensor
from . import setup
from .group import ProcessGroup, default, state
from .mesh_axes import Axis, axis_of, check_parts, count, joined, lines, places, regular

__all__ = ["DeviceMesh", "init_device_mesh"]


class _MeshEnv(threading.local):
    """The meshes whose `with` blocks a thread is in."""

    def __init__(self) -> None:
        self.mesh_stack: list[DeviceMesh] = []

    def get_current_mesh(self) -> DeviceMesh:
        """The innermost; RuntimeError when there is none."""
        if not self.mesh_stack:
            raise RuntimeError(
                message("No device mesh is currently active!", hint="pass device_mesh=")
            )
        return self.mesh_stack[-1]


_mesh_resources = _MeshEnv()


class DeviceMesh:
    """A grid of processes with a group for each line of it.

    Args:
        device_type: "cpu", where tensors of the mesh are.
        mesh: ranks of the job, nested lists or an integer tensor; each rank at most once.
        mesh_dim_names: a name for each dimension, for slicing: `mesh["tp"]`.
        backend_override: accepted as PyTorch's; every backend means MPI here.

    Raises:
        RuntimeError: another device; more ranks than the job has.
        AssertionError: a rank that comes twice.

    As a context manager it is the mesh of `distribute_tensor` and `DTensor.from_local` that are
    given none.
    """

    def __init__(
        self,
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
        backend_override: Any = None,
        _init_backend: bool = True,
        _rank: int | None = None,
        _layout: tuple[Axis, ...] | None = None,
        _rank_map: tuple[int, ...] | None = None,
        _root_mesh: DeviceMesh | None = None,
    ) -> None:
        check_device(device_type)
        if mesh is not None:
            if _layout is not None or _rank_map is not None:
                raise TypeError("Cannot provide _layout and/or _rank_map if passing explicit mesh")
            grid = np.asarray(mesh.tolist() if isinstance(mesh, Tensor) else mesh)
            if grid.size and grid.dtype.kind not in "iu":
                raise TypeError(message("DeviceMesh: mesh has integers", got=f"{mesh!r}"))
            _rank_map = tuple(int(r) for r in grid.reshape(-1))
            _layout = regular(grid.shape)
        elif _layout is None or _rank_map is None:
            raise TypeError("The mesh argument is required except for PRIVATE USAGE ONLY!")
        self._device_type = device_type
        self._layout, self._flatten_rank_map = _layout, _rank_map
        self._mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        self._root_mesh = _root_mesh
        self._flatten_mapping: dict[str, DeviceMesh] = {}
        self._groups: list[ProcessGroup] = []
        if len(set(_rank_map)) != len(_rank_map):
            raise AssertionError(
                message("DeviceMesh: each rank stands once in a mesh", got=f"{list(_rank_map)}")
            )
        check_overrides(backend_override, len(_layout))
        if _init_backend:
            self._make_groups()
        self._rank = setup.get_rank() if _rank is None else _rank
        self._coordinate_on_dim = self._find_coordinate()

    def _make_groups(self) -> None:
        """A group for each line; all ranks of the job come here."""
        if not setup.is_initialized():
            setup.init_process_group()
        world, total = default().world.size, self.size()
        if total > world:
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {world}, but found {total} "
                "ranks!"
            )
        me = default().world.rank
        for d, axis in enumerate(self._layout):
            if [self._flatten_rank_map[i] for i in places(axis)] == list(range(world)):
                self._groups.append(default())
                continue
            name = self._mesh_dim_names[d] if self._mesh_dim_names else f"dim_{d}"
            for line in lines(axis, len(self._flatten_rank_map)):
                ranks = [self._flatten_rank_map[i] for i in line]
                made = setup.new_group(ranks, group_desc=f"mesh_{name}", sort_ranks=False)
                if me in ranks:
                    self._groups.append(made)

    def _find_coordinate(self) -> tuple[int, ...] | None:
        if self._rank not in self._flatten_rank_map:
            return None
        try:
            where = np.argwhere(self._grid() == self._rank)
        except RuntimeError:  # a slice of the mesh of other ranks
            return None
        return tuple(int(i) for i in where[0]) if len(where) else None

    def _grid(self) -> Any:
        """The ranks of this mesh; of a slice, those of the part that this rank is in."""
        ranks = np.array(self._flatten_rank_map, np.int32)
        whole = joined(sorted(self._layout, key=lambda a: -a[0][1] if a else 0))
        every = [np.array(line) for line in lines(whole, len(ranks))]
        if len(every) > 1:
            found = [line for line in every if self._rank in ranks[line]]
            if not found:
                raise RuntimeError(
                    "In order to get the mesh Tensor of a DeviceMesh it needs to either have all "
                    "its original dimensions (e.g., no slicing) or it needs to contain the local "
                    "rank"
                )
            every = found
        at = np.array(places(tuple(part for axis in self._layout for part in axis)))
        return ranks[every[0][0] + at].reshape(self.shape)

    # -- what it is --------------------------------------------------------------------------------

    @property
    def device_type(self) -> str:
        """Where tensors of this mesh are: "cpu"."""
        return self._device_type

    @property
    def mesh(self) -> Tensor:
        """The ranks, in a tensor of the mesh's shape."""
        return tensor(self._grid())

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dimensions."""
        return self._mesh_dim_names

    @property
    def ndim(self) -> int:
        """How many dimensions the mesh has."""
        return len(self._layout)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(map(count, self._layout))

    def size(self, mesh_dim: int | None = None) -> int:
        """How many ranks the mesh has, or one of its dimensions."""
        return math.prod(self.shape) if mesh_dim is None else count(self._layout[mesh_dim])

    def get_rank(self) -> int:
        """This process's rank in the job."""
        return setup.get_rank()

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Where this rank stands in the mesh; None for one that is not in it."""
        return self._coordinate_on_dim

    def _is_current_rank_part_of_mesh(self) -> bool:
        return self._coordinate_on_dim is not None

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """This rank's number along one dimension, which need not be given for one dimension alone.

        Raises:
            RuntimeError: the mesh has several and none is given.
        """
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` "
                    "needs to be specified when device_mesh.ndim > 1."
                )
            mesh_dim = 0
        return self.get_group(mesh_dim).rank()

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """The group of this rank's line along one dimension.

        Raises:
            RuntimeError: the mesh has several dimensions and none is given; this rank is in none.
            KeyError: a name that there is not.
        """
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` "
                    "needs to be specified when device_mesh.ndim > 1. If you want to get the list "
                    "of all the ProcessGroups in the DeviceMesh, please use `get_all_groups()` "
                    "instead."
                )
            mesh_dim = 0
        if isinstance(mesh_dim, str):
            flat = self._get_root_mesh()._flatten_mapping.get(mesh_dim)
            if flat is not None:
                return flat.get_group()
            mesh_dim = self._get_mesh_dim_by_name(mesh_dim)
        if not self._groups:
            raise RuntimeError("DeviceMesh process groups not initialized!")
        return self._groups[mesh_dim]

    def get_all_groups(self) -> list[ProcessGroup]:
        """The groups of this rank's lines, one for each dimension."""
        return [self.get_group(d) for d in range(self.ndim)]

    @property
    def _dim_group_names(self) -> list[str]:
        return [g.group_name for g in self._groups]

    def _get_mesh_dim_by_name(self, name: str) -> int:
        if not self._mesh_dim_names:
            raise KeyError("No `mesh_dim_names` found.")
        if name not in self._mesh_dim_names:
            raise KeyError(
                f"Mesh dimension '{name}' does not exist. Available mesh dimensions are: "
                f"mesh_dim_names={self._mesh_dim_names}"
            )
        return self._mesh_dim_names.index(name)

    # -- parts -------------------------------------------------------------------------------------

    def _get_root_mesh(self) -> DeviceMesh:
        return self._root_mesh or self

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """The mesh of some dimensions, in their order: the part that this rank is in.

        Raises:
            RuntimeError: the mesh has no names.
            KeyError: a name that there is not; another order.
        """
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if names == self._mesh_dim_names:
            return self
        flat = self._flatten_mapping if self._root_mesh is None else {}
        valid = [*self._mesh_dim_names, *flat]
        if not set(names) <= set(valid):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}."
            )
        axes: list[Axis] = []
        groups = []
        for name in names:
            if name in self._mesh_dim_names:
                d = self._mesh_dim_names.index(name)
                axes.append(self._layout[d])
                groups += self._groups[d : d + 1]
            else:
                warnings.warn(
                    "Slicing a flattened dim from root mesh will be deprecated in PT 2.11. Users "
                    "need to bookkeep the flattened mesh directly. ",
                    stacklevel=2,
                )
                axes.append(flat[name]._layout[0])
                groups += flat[name]._groups
        check_parts(names, axes)
        part = self._part(tuple(axes), names, _init_backend=False)
        part._groups = groups
        return part

    def _part(self, layout: tuple[Axis, ...], names: tuple[str, ...], **kw: Any) -> DeviceMesh:
        root = self._get_root_mesh()
        return DeviceMesh(
            self._device_type, _layout=layout, _rank_map=root._flatten_rank_map,
            mesh_dim_names=names, _root_mesh=root, _rank=self._rank, **kw,
        )  # fmt: skip

    @staticmethod
    def _concatenate(device_mesh_list: Sequence[DeviceMesh]) -> DeviceMesh:
        """The mesh that has the dimensions of all of these, slices of one mesh, in their order.

        Raises:
            RuntimeError: slices of different meshes, or that have a dimension in common.
            AssertionError: a mesh without names.
        """
        first = device_mesh_list[0]
        axes: list[Axis] = []
        names: list[str] = []
        groups: list[ProcessGroup] = []
        for part in device_mesh_list:
            if part._flatten_rank_map != first._flatten_rank_map:
                raise RuntimeError(
                    "Cannot concatenate DeviceMeshes derived from different device meshs"
                )
            if part.mesh_dim_names is None:
                raise AssertionError(
                    message(
                        "meshes that are put together have names",
                        got=repr(part),
                        hint="mesh_dim_names=",
                    )
                )
            axes += part._layout
            names += part.mesh_dim_names
            groups += part._groups
        every = places(tuple(piece for axis in axes for piece in axis))
        if len(set(every)) != len(every):
            raise RuntimeError(f"Cannot concatenate overlapping meshes: {device_mesh_list}")
        whole = first._part(tuple(axes), tuple(names), _init_backend=False)
        whole._groups = groups
        return whole

    def _flatten(
        self, mesh_dim_name: str | None = None, backend_override: Any = None
    ) -> DeviceMesh:
        """The mesh of one dimension that runs through all of these; all ranks call this.

        Args:
            mesh_dim_name: of the new dimension; None: the names with "_" between them.
            backend_override: accepted; every backend means MPI.

        Raises:
            RuntimeError: the mesh has no names.
            ValueError: the name is taken.
        """
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self._mesh_dim_names)
        if self.ndim == 1 and name in self._mesh_dim_names:
            return self
        root = self._get_root_mesh()
        if name in (root._mesh_dim_names or ()):
            raise ValueError(
                f"{name} already exists for submesh of the {root}. The mesh_dim_names of submesh "
                f"and flattened mesh are {root._mesh_dim_names}. Please specify another valid "
                "mesh_dim_name."
            )
        layout = (joined(self._layout),)
        made = root._flatten_mapping.get(name)
        if made is None:
            made = root._flatten_mapping[name] = self._part(layout, (name,))
        elif made._layout != layout:
            raise ValueError(
                f"Flatten mesh with mesh_dim_name {name} has been created before, Please specify "
                "another valid mesh_dim_name."
            )
        return made

    def _unflatten(
        self, dim: int | str, mesh_sizes: Sequence[int], mesh_dim_names: Sequence[str],
        backend_override: Any = None,
    ) -> DeviceMesh:  # fmt: skip
        """The mesh in which one dimension has become several; all ranks call this.

        Raises:
            ValueError: a dimension that there is not; sizes that do not multiply to its own.
            RuntimeError: other names than sizes.
        """
        if isinstance(dim, str):
            if dim not in (self._mesh_dim_names or ()):
                raise ValueError(
                    f"dim {dim} specified in `_unflatten` is not in {self._mesh_dim_names}"
                )
            dim = self._get_mesh_dim_by_name(dim)
        elif dim >= self.ndim:
            raise ValueError(f"dim {dim} specified in `_unflatten` is out of range {self.ndim}")
        if len(mesh_sizes) != len(mesh_dim_names):
            raise RuntimeError("mesh_dim_names must have same length as mesh_sizes in _unflatten!")
        axis = self._layout[dim]
        if math.prod(mesh_sizes) != count(axis) or len(axis) > 1:
            raise ValueError(f"{self} cannot have its dimension {dim} split into {mesh_sizes}")
        step = axis[0][1] if axis else 1
        parts: list[Axis] = []
        for size in reversed(mesh_sizes):
            parts.insert(0, axis_of(size, step))
            step *= size
        layout = (*self._layout[:dim], *parts, *self._layout[dim + 1 :])
        own = self._mesh_dim_names or ()
        names = (*own[:dim], *mesh_dim_names, *own[dim + 1 :])
        return DeviceMesh(
            self._device_type, _layout=layout, _rank_map=self._flatten_rank_map,
            mesh_dim_names=names, _root_mesh=self._root_mesh, _rank=self._rank,
        )  # fmt: skip

    def _get_all_submeshes(self, mesh_dim_name: str) -> list[DeviceMesh]:
        """The meshes of all lines along a dimension, also those that this rank is not in."""
        d = self._get_mesh_dim_by_name(mesh_dim_name)
        found = []
        for line in lines(self._layout[d], len(self._flatten_rank_map)):
            ranks = [self._flatten_rank_map[i] for i in line]
            mesh = DeviceMesh(
                self._device_type, ranks, mesh_dim_names=(mesh_dim_name,), _init_backend=False
            )
            mesh._groups = [self._groups[d]] if self._rank in ranks else []
            found.append(mesh)
        return found

    @staticmethod
    def from_group(
        group: ProcessGroup | list[ProcessGroup],
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: Sequence[str] | None = None,
    ) -> DeviceMesh:
        """The mesh of groups that there are: of one group, or of one for each dimension.

        Raises:
            ValueError: `mesh` has not the group's ranks; several groups without `mesh` and names.
        """
        if isinstance(group, ProcessGroup):
            ranks = list(group.ranks)
            given = mesh.tolist() if isinstance(mesh, Tensor) else mesh
            if given is not None and list(given) != ranks:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
            mesh, groups = ranks, [group]
        else:
            groups = list(group)
            if not groups:
                raise ValueError("Expects at least one ProcessGroup to be passed")
            if mesh is None:
                raise ValueError("Must pass mesh if passing multiple ProcessGroups")
            if mesh_dim_names is None:
                raise ValueError("Must pass mesh_dim_names if passing multiple ProcessGroups")
            grid = np.asarray(mesh.tolist() if isinstance(mesh, Tensor) else mesh)
            if grid.ndim != len(groups):
                raise ValueError(
                    "Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                    f"{grid.tolist()} and {len(groups)} ProcessGroups"
                )
        made = DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _init_backend=False)
        made._groups = groups
        return made

    # -- as a value --------------------------------------------------------------------------------

    def __enter__(self) -> DeviceMesh:
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _mesh_resources.mesh_stack.pop()

    def _key(self) -> tuple[Any, ...]:
        return self._flatten_rank_map, self._layout, self._device_type, self._mesh_dim_names

    def __hash__(self) -> int:
        found = self.__dict__.get("_hash")
        if found is None:
            found = self._hash = hash(self._key())
        return found

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DeviceMesh) and self._key() == other._key())

    def __repr__(self) -> str:
        sizes = str(self.shape)
        if self._mesh_dim_names:
            named = zip(self._mesh_dim_names, self.shape, strict=True)
            sizes = f"({', '.join(f'{name}={n}' for name, n in named)})"
        steps = tuple(
            axis[0][1] if len(axis) == 1 else tuple(s for _, s in axis) for axis in self._layout
        )
        more = ""
        if os.environ.get("TORCH_DISTRIBUTED_DEBUG") == "DETAIL":
            more = f", Mesh: {self._grid().tolist()}"
        return f"DeviceMesh({sizes}, '{self._device_type}', stride={steps}{more})"

    def __getstate__(self) -> dict[str, Any]:
        held = {k: v for k, v in self.__dict__.items() if k != "_hash"}  # of this process alone
        return {**held, "_groups": [g.group_name for g in self._groups]}

    def __setstate__(self, held: dict[str, Any]) -> None:
        names = held["_groups"]
        found = [state.groups[n] for n in names if n in state.groups]
        self.__dict__.update(held, _groups=found if len(found) == len(names) else [])

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceMesh:
        return self  # a value: its groups are those of the process


def check_overrides(given: Any, ndim: int) -> None:
    if given is not None and len(given) != ndim:
        raise ValueError(
            "backend_override should have the same length as the number of mesh dimensions, but "
            f"got {len(given)} and {ndim}."
        )


def check_device(device_type: str) -> None:
    """RuntimeError for a device with a number, or one that is not there."""
    if device_type and not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. If you maintained a "
            "'torch.device' object, it's recommended to pass in 'device.type'."
        )
    if device_type != "cpu":
        raise RuntimeError(
            message(
                "a DeviceMesh is one of CPUs here",
                got=f"device_type={device_type!r}",
                wanted='"cpu"',
                hint='init_device_mesh("cpu", ...)',
            )
        )


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: dict[int | str, Any] | None = None,
) -> DeviceMesh:
    """The mesh of ranks 0, 1, 2 ... in their order. All ranks of the job call this.

    Without a default process group, `init_process_group()` makes one.

    Args:
        device_type: "cpu".
        mesh_shape: the sizes of the dimensions; their product is not above the number of ranks.
        mesh_dim_names: a name for each dimension.
        backend_override: a backend for some dimensions; all of them mean MPI.

    Raises:
        RuntimeError: another device; names that come twice or are not one for each dimension;
            more ranks than the job has.

    Example, as each of four processes runs it::

        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
        mesh["tp"].mesh.tolist()    # [0, 1] on ranks 0 and 1, [2, 3] on ranks 2 and 3
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                f"{mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! Found "
                f"len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    shape = tuple(int(n) for n in mesh_shape)
    named = [*range(len(shape)), *(mesh_dim_names or ())]
    wrong = [key for key in backend_override or () if key not in named]
    if wrong:
        raise RuntimeError(
            f"Found invalid keys in backend_override: got {wrong}, expected integers in range "
            f"[0, {len(shape)}) or one of {mesh_dim_names or ()}"
        )
    return DeviceMesh(
        device_type, _layout=regular(shape), _rank_map=tuple(range(math.prod(shape))),
        mesh_dim_names=mesh_dim_names,
    )  # fmt: skip
