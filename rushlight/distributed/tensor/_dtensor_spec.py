"""What a DTensor knows of itself beside its local tensor: mesh, placements, and the whole's shape,
strides and type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...size import Size
from ..device_mesh import DeviceMesh
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard, chunk


class TensorMeta(NamedTuple):
    """Shape, strides (in elements) and type of a whole tensor."""

    shape: Size
    stride: tuple[int, ...]
    dtype: Any


class DTensorSpec:
    """Where a tensor lies, and what it is as a whole. Two of the same are equal."""

    __slots__ = ("mesh", "placements", "tensor_meta")

    def __init__(
        self, mesh: DeviceMesh, placements: Sequence[Placement], tensor_meta: Any = None
    ) -> None:
        self.mesh, self.placements, self.tensor_meta = mesh, tuple(placements), tensor_meta

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self.mesh

    @property
    def shape(self) -> Size:
        """The whole's shape."""
        return self.tensor_meta.shape

    @property
    def stride(self) -> tuple[int, ...]:
        """The whole's strides."""
        return self.tensor_meta.stride

    @property
    def ndim(self) -> int:
        """The whole's number of dimensions."""
        return len(self.tensor_meta.shape)

    @property
    def num_shards(self) -> int:
        """Into how many parts it is cut."""
        n = 1
        for i, p in enumerate(self.placements):
            n *= self.mesh.size(i) if p.is_shard() else 1
        return n

    @property
    def dim_map(self) -> list[int]:
        """For each dimension of the tensor that of the mesh which cuts it, or -1."""
        found = [-1] * self.ndim
        for i, p in enumerate(self.placements):
            if isinstance(p, Shard):
                found[p.dim] = i
        return found

    @property
    def sums(self) -> list[int]:
        """The dimensions of the mesh along which it is still to be combined."""
        return [i for i, p in enumerate(self.placements) if p.is_partial()]

    def is_replicated(self) -> bool:
        """Whether each rank has the whole."""
        return all(p.is_replicate() for p in self.placements)

    def is_sharded(self) -> bool:
        """Whether it is cut somewhere."""
        return any(p.is_shard() for p in self.placements)

    def with_placements(self, placements: Sequence[Placement]) -> DTensorSpec:
        """The same tensor, lying otherwise."""
        return DTensorSpec(self.mesh, placements, self.tensor_meta)

    def shallow_copy_with_tensor_meta(self, tensor_meta: Any) -> DTensorSpec:
        """Another tensor that lies alike."""
        return DTensorSpec(self.mesh, self.placements, tensor_meta)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTensorSpec) and (
            (self.mesh, self.placements, self.tensor_meta)
            == (other.mesh, other.placements, other.tensor_meta)
        )

    def __hash__(self) -> int:
        return hash((self.mesh, self.placements, self.tensor_meta))

    def __str__(self) -> str:
        where = "".join(map(str, self.placements))
        if self.tensor_meta is None:
            return f"Spec(unknown({where}))"
        return f"Spec({short(self.tensor_meta.dtype)}{list(self.shape)}({where}))"

    def __repr__(self) -> str:
        return (
            f"DTensorSpec(mesh={self.mesh}, placements={self.placements}, "
            f"tensor_meta={self.tensor_meta})"
        )


def short(dtype: Any) -> str:
    """A type as in "f32", "i64".

    >>> from rushlight import float32, bfloat16, int64
    >>> short(float32), short(bfloat16), short(int64)
    ('f32', 'bf16', 'i64')
    """
    name = str(dtype).rpartition(".")[2]
    for long, brief in (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"),
                        ("complex", "c"), ("bool", "b8")):  # fmt: skip
        if name.startswith(long):
            return brief + name.removeprefix(long)
    return name


# -- the part of this rank -------------------------------------------------------------------------


def local_shapes(
    shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> list[list[int]]:
    """The shapes of what this rank has after none, one, two ... of the placements."""
    where = mesh.get_coordinate()
    found = [list(shape)]
    for i, p in enumerate(placements):
        now = list(found[-1])
        if isinstance(p, Shard):
            if where is None:
                now = [0]
            else:
                now[p.dim] = p.length(now[p.dim], mesh.size(i), where[i])
        found.append(now)
    return [[0]] * len(found) if where is None else found


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int],
    mesh: DeviceMesh,
    placements: Sequence[Placement],
    skip_offset: bool = False,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of this rank's part of a tensor, and where in the whole it begins.

    Along a dimension that `_StridedShard` cuts, a part is not one piece, and where its first
    element stands is told.
    """
    where = mesh.get_coordinate()
    if where is None:
        return (0,), ()
    shape, offset = list(global_shape), [0] * len(global_shape)
    strided = any(isinstance(p, _StridedShard) for p in placements)
    held = [list(range(n)) for n in shape] if strided else []
    for i, p in enumerate(placements):
        if not isinstance(p, Shard):
            continue
        n, d = mesh.size(i), p.dim
        if isinstance(p, _StridedShard):
            pieces = p.parts(shape[d], n, where[i])
        else:
            pieces = [chunk(shape[d], n, where[i])]
            offset[d] += pieces[0][1]
        if strided:
            held[d] = [held[d][at + k] for own, at in pieces for k in range(own)]
        shape[d] = sum(own for own, _ in pieces)
    if strided:
        offset = [rows[0] if rows else n for rows, n in zip(held, global_shape, strict=True)]
    return tuple(shape), () if skip_offset else tuple(offset)


def global_info(
    local: Any, mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[list[int], list[int]]:
    """The whole's shape and strides, when all ranks have parts of the same size."""
    shape, stride = list(local.shape), list(local.stride())
    for i, p in enumerate(placements):
        n = mesh.size(i)
        if isinstance(p, Shard):
            if p.dim >= len(shape):
                raise AssertionError(
                    f"Sharding dim {p.dim} greater than tensor ndim {len(shape)} for placement "
                    f"number {i}."
                )
            shape[p.dim] *= n
            own = stride[p.dim]
            stride = [
                s * n if d != p.dim and s >= own else s for d, s in enumerate(stride)
            ]
        elif not isinstance(p, (Replicate, Partial)):
            raise RuntimeError(f"placement type {type(p)} not supported!")
    return shape, stride
