"""How a tensor lies on one dimension of a mesh: cut up, whole everywhere, or still to be combined.

A DTensor has one placement for each dimension of its mesh. They are taken from the first to the
last: what `Shard(0)` of the second dimension cuts is the part that the first one gave to this rank.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...errors import message
from ..collectives import all_reduce
from ..reduce_op import ReduceOp

__all__ = ["Partial", "Placement", "Replicate", "Shard"]

OPS = {
    "sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "max": ReduceOp.MAX, "min": ReduceOp.MIN,
    "product": ReduceOp.PRODUCT, "band": ReduceOp.BAND, "bor": ReduceOp.BOR, "bxor": ReduceOp.BXOR,
}  # fmt: skip


def chunk(size: int, n: int, i: int) -> tuple[int, int]:
    """(length, beginning) of part i of n, as `torch.chunk` cuts: the last parts may be empty.

    >>> [chunk(5, 4, i) for i in range(4)]
    [(2, 0), (2, 2), (1, 4), (0, 5)]
    """
    full = -(-size // n)
    start = min(full * i, size)
    return min(full, size - start), start


class Placement:
    """How a tensor lies on a dimension of a mesh: `Shard`, `Replicate` or `Partial`."""

    __slots__ = ()

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is cut along `dim`, or along any dimension."""
        return isinstance(self, Shard) and (dim is None or self.dim == dim)

    def is_replicate(self) -> bool:
        """Whether each rank has the whole."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether ranks have what is still to be combined, by `reduce_op` or any way."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def _key(self) -> Any:
        return None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))


class Shard(Placement):
    """Each rank has one part of the tensor, cut along `dim` as `torch.chunk` does: sizes need not
    divide, and the last ranks may have none.

    >>> Shard(0), str(Shard(1))
    (Shard(dim=0), 'S(1)')
    """

    __slots__ = ("dim",)

    def __init__(self, dim: int) -> None:
        self.dim = int(dim)

    def _key(self) -> Any:
        return self.dim

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"

    def order(self, size: int, n: int) -> list[tuple[int, int]] | None:
        """Where the parts of all ranks, one behind another, stand in the whole: None for one
        behind another, too."""
        return None

    def length(self, size: int, n: int, i: int) -> int:
        """How long the part of rank i is."""
        return chunk(size, n, i)[0]

    def at(self, dim: int) -> Shard:
        """The same along another dimension."""
        return Shard(dim)

    @staticmethod
    def local_shard_size_and_offset(
        curr_local_size: int, num_chunks: int, rank: int
    ) -> tuple[int, int]:
        """The length of a rank's part, and where it begins."""
        return chunk(curr_local_size, num_chunks, rank)

    _local_shard_size_and_offset = local_shard_size_and_offset


class _StridedShard(Shard):
    """What a later dimension of the mesh has cut into `split_factor` parts before this one does:
    each rank has a part of each of those. Fully sharded parameters of layers that are cut by tensor
    parallelism lie like this."""

    __slots__ = ("split_factor",)

    def __init__(self, dim: int, *, split_factor: int = 1, sf: int | None = None) -> None:
        super().__init__(dim)
        if sf is not None and split_factor != 1:
            raise TypeError("_StridedShard received both split_factor and sf")
        self.split_factor = int(split_factor if sf is None else sf)

    def _key(self) -> Any:
        return self.dim, self.split_factor

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"

    def parts(self, size: int, n: int, i: int) -> list[tuple[int, int]]:
        """(length, beginning) of what rank i has, in its order."""
        found = []
        for k in range(self.split_factor):
            length, start = chunk(size, self.split_factor, k)
            own, at = chunk(length, n, i)
            found.append((own, start + at))
        return found

    def order(self, size: int, n: int) -> list[tuple[int, int]] | None:
        return [part for i in range(n) for part in self.parts(size, n, i)]

    def length(self, size: int, n: int, i: int) -> int:
        return sum(own for own, _ in self.parts(size, n, i))

    def at(self, dim: int) -> Shard:
        return _StridedShard(dim, split_factor=self.split_factor)


class Replicate(Placement):
    """Each rank has the whole tensor."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """Each rank has a tensor of the whole size; all of them combined by `reduce_op` are the value.

    >>> Partial(), Partial("max")
    (Partial(sum), Partial(max))
    """

    __slots__ = ("reduce_op",)
    LINEAR_REDUCE_OPS: ClassVar = ("sum", "avg")
    ALL_REDUCE_OPS: ClassVar = ("sum", "avg", "min", "max", "product")

    def __init__(self, reduce_op: str = "sum") -> None:
        self.reduce_op = reduce_op

    def _key(self) -> Any:
        return self.reduce_op

    @property
    def linear(self) -> bool:
        """Whether the value is a sum of what ranks have, or a part of one."""
        return self.reduce_op in self.LINEAR_REDUCE_OPS

    def combine(self, x: Any, group: Any) -> None:
        """Replace what this rank has by what all ranks have together, in place."""
        all_reduce(x, OPS[self.reduce_op], group=group)

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


_Partial = Partial


def check_partials(placements: Any) -> None:
    """ValueError for kinds of Partial that do not go together."""
    kinds = {p.reduce_op for p in placements if isinstance(p, Partial)}
    if len(kinds) > 1 and kinds != {"sum", "avg"}:
        raise ValueError(
            message(
                "Mixed Partial reduce types are not supported in the same placement list",
                got=f"reduce ops: {sorted(kinds)}",
                wanted="one kind of Partial, or sum and avg",
            )
        )
