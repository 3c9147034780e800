"""Buckets: gradients of several parameters one behind another in one tensor, reduced in one call.

Here: which parameters share a bucket, the memory of one, what a communication hook sees of it, and
sending many tensors as one. When a bucket is reduced: reducer.py.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import unsupported
from ..autograd import door
from ..autograd.grad_mode import no_grad
from ..errors import message
from ..tensor import Tensor
from .collectives import all_gather, broadcast
from .memory import readable
from .objects import tensor as of_array

FIRST_BUCKET_BYTES = 1024 * 1024  # of the bucket whose gradients come first, unless the user says


class BuiltinCommHookType(enum.IntEnum):
    """Hooks that `_register_builtin_comm_hook` knows by a name."""

    ALLREDUCE = 0
    FP16_COMPRESS = 1


def assigned(
    tensors: Sequence[Tensor],
    limits: Sequence[int],
    sparse: Sequence[bool] = (),
    numbers: Sequence[int] = (),
) -> tuple[list[list[int]], list[int]]:
    """Which tensors share a bucket: (their numbers, the limit in bytes of each bucket).

    Tensors of one type follow each other until a bucket has its limit; the k-th bucket of a type
    has the k-th limit, further ones the last. One whose gradient is sparse is alone.

    Args:
        limits: in bytes.
        sparse: for each tensor whether its gradient is sparse; empty: none is.
        numbers: what the tensors are called in the result; empty: 0, 1, ... in sorted buckets.
    """
    found: list[tuple[list[int], int]] = []
    open_: dict[Any, tuple[list[int], int, int]] = {}  # type: numbers, bytes, which limit
    for i, t in enumerate(tensors):
        number = numbers[i] if numbers else i
        if sparse and sparse[number]:
            found.append(([number], 0))
            continue
        members, size, which = open_.get(t.dtype, ([], 0, 0))
        members.append(number)
        size += t.numel() * t.element_size()
        if size >= limits[which]:
            found.append((members, limits[which]))
            members, size, which = [], 0, min(which + 1, len(limits) - 1)
        open_[t.dtype] = (members, size, which)
    found += [(members, limits[which]) for members, _, which in open_.values() if members]
    if not numbers:  # types take turns: in the order of the first of each
        found.sort(key=lambda bucket: min(bucket[0]))
    return [members for members, _ in found], [limit for _, limit in found]


def strides_of(t: Tensor) -> tuple[int, ...]:
    """The strides of a gradient in its bucket: the parameter's own where it has no gaps."""
    shape, strides = tuple(t.shape), tuple(t.stride())
    expected = 1
    for stride, size in sorted((st, s) for st, s in zip(strides, shape, strict=True) if s != 1):
        if stride != expected:
            break
        expected *= size
    if expected == t.numel():
        return strides
    plain = [1]
    for size in reversed(shape[1:]):
        plain.append(plain[-1] * size)
    return tuple(reversed(plain)) if shape else ()


class Bucket:
    """The memory of some parameters' gradients, and how far their reduction is.

    Attributes:
        indices, parameters: whose gradients these are.
        flat: all of them in one tensor; None where the gradient is sparse.
        views: arrays over its parts, in the parameters' shapes and memory orders.
    """

    __slots__ = (
        "flat", "future", "index", "indices", "layouts", "limit", "lone", "parameters", "pending",
        "tensors", "views", "work",
    )  # fmt: skip

    def __init__(
        self, index: int, indices: Sequence[int], parameters: Sequence[Tensor], limit: int,
        sparse: bool,
    ) -> None:  # fmt: skip
        self.index, self.indices, self.parameters = index, list(indices), list(parameters)
        self.limit, self.lone = limit, sparse
        self.pending = len(self.indices)
        self.work: Any = None
        self.future: Any = None
        self.flat: Tensor | None = None
        self.layouts: list[tuple[Any, Any, int]] = []
        self.views: list[Any] = []
        self.tensors: dict[int, Tensor] = {}
        if sparse:
            return
        at = 0
        for p in self.parameters:
            self.layouts.append((tuple(p.shape), strides_of(p), at))
            at += p.numel()
        self.flat = self.parameters[0].detach().new_zeros(at)
        self.views = self.parts(self.flat._a)

    def parts(self, flat: np.ndarray) -> list[np.ndarray]:
        """The gradients as arrays over `flat`."""
        item = flat.itemsize
        return [
            np.lib.stride_tricks.as_strided(flat[at:], shape, [s * item for s in strides])
            for shape, strides, at in self.layouts
        ]

    def tensor(self, k: int) -> Tensor:
        """The gradient of the k-th parameter as a tensor over `flat`."""
        found = self.tensors.get(k)
        if found is None:
            assert self.flat is not None
            with no_grad():
                found = self.tensors[k] = self.flat.as_strided(*self.layouts[k])
        return found


class GradBucket:
    """What a communication hook is given: a bucket whose gradients this process has computed.

    Made by DistributedDataParallel; a hook is `hook(state, bucket) -> Future[Tensor]`.
    """

    __module__ = "rushlight.distributed"

    def __init__(self, bucket: Bucket, flat: Tensor, last: bool) -> None:
        self._bucket, self._flat, self._last = bucket, flat, last

    def index(self) -> int:
        """Which bucket: 0 is the one that is ready first."""
        return self._bucket.index

    def buffer(self) -> Tensor:
        """All gradients one behind another, in one dimension; not divided by anything yet."""
        return self._flat

    def gradients(self) -> list[Tensor]:
        """Each parameter's gradient, as a view of `buffer()`."""
        sizes = [p.numel() for p in self._bucket.parameters]
        starts = [0, *itertools.accumulate(sizes)]
        return [
            self._flat[at : at + n].view(p.shape)
            for at, n, p in zip(starts, sizes, self._bucket.parameters, strict=False)
        ]

    def parameters(self) -> list[Tensor]:
        """The parameters in the same order."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether this bucket is the last one of a backward."""
        return self._last

    def set_buffer(self, buffer: Tensor) -> None:
        """Let `buffer()` be another tensor of the same size."""
        self._flat = buffer


def send_together(group: Any, tensors: Sequence[Tensor], limit: int, source: int) -> None:
    """Give the tensors of the group's rank `source` to all ranks, about `limit` bytes a message.

    Tensors count as unchanged, as `_unsafe_preserve_version_counter` would have it.
    """
    batch: list[Tensor] = []
    size = 0
    for t in [*tensors, None]:
        if batch and (t is None or size >= limit):
            arrays = [readable(b) for b in batch]
            whole = np.concatenate([a.reshape(-1).view(np.uint8) for a in arrays])
            broadcast(of_array(whole), group=group, group_src=source)
            if group.rank() != source:
                at = 0
                for b, a in zip(batch, arrays, strict=True):
                    part = whole[at : at + a.nbytes]
                    door.put(b._a, part.view(a.dtype).reshape(a.shape))
                    at += a.nbytes
            batch, size = [], 0
        if t is not None:
            batch.append(t)
            size += t.numel() * t.element_size()


def check_same(group: Any, parameters: Sequence[Tensor]) -> None:
    """RuntimeError on all ranks when their parameters differ in number, type, shape or strides."""
    n = group.size()
    count = of_array(np.array([len(parameters)], np.int64))
    counts = [of_array(np.zeros(1, np.int64)) for _ in range(n)]
    all_gather(counts, count, group)
    numbers = [int(c._a[0]) for c in counts]
    for r, number in enumerate(numbers):
        if number != numbers[0]:
            raise RuntimeError(
                message(
                    f"DDP expects same model across all ranks, but Rank 0 has {numbers[0]} params, "
                    f"while rank {r} has inconsistent {number} params.",
                    got=f"parameters of each rank: {numbers}",
                )
            )
    lines = [f"{list(p.shape)} {list(p.stride())} {p.dtype}" for p in parameters]
    mine = "\n".join(lines).encode()
    theirs = of_array(np.array([len(mine)], np.int64))
    broadcast(theirs, group=group, group_src=0)
    text = np.zeros(int(theirs._a[0]), np.uint8)
    if group.rank() == 0:
        text[...] = np.frombuffer(mine, np.uint8)
    broadcast(of_array(text), group=group, group_src=0)
    first = text.tobytes().decode().split("\n")
    wrong = next((i for i, line in enumerate(lines) if line != first[i]), -1)
    found = [of_array(np.zeros(1, np.int64)) for _ in range(n)]
    all_gather(found, of_array(np.array([wrong], np.int64)), group)
    for r, c in enumerate(found):
        i = int(c._a[0])
        if i >= 0:
            sizes = f"{list(parameters[i].shape)}" if r == group.rank() else "other ones"
            raise RuntimeError(
                message(
                    f"[{r}]: params[{i}] in this process with sizes {sizes} appears not to match "
                    "sizes of the same param in process 0.",
                    got=f"on rank 0: {first[i]}; on this rank: {lines[i]} (sizes, strides, type)",
                    wanted="the same model on all ranks",
                )
            )


def refused_sparse(name: str) -> None:
    """NotImplementedError for what a sparse gradient does not have."""
    unsupported.refuse(name, "communication hooks of sparse gradients", "sparse=False")


# -- under PyTorch's names -------------------------------------------------------------------------

_DEFAULT_FIRST_BUCKET_BYTES = FIRST_BUCKET_BYTES


def _compute_bucket_assignment_by_size(
    tensors: Sequence[Tensor],
    bucket_size_limits: Sequence[int],
    expect_sparse_gradient: Sequence[bool] = (),
    tensor_indices: Sequence[int] = (),
    logger: Any = None,
) -> tuple[list[list[int]], list[int]]:
    """`assigned`."""
    return assigned(tensors, bucket_size_limits, expect_sparse_gradient, tensor_indices)


def _broadcast_coalesced(
    process_group: Any, tensors: Sequence[Tensor], buffer_size: int, src: int = 0
) -> None:
    """`send_together`."""
    send_together(process_group, tensors, buffer_size, src)


def _verify_params_across_processes(
    process_group: Any, params: Sequence[Tensor], logger: Any = None
) -> None:
    """`check_same`."""
    check_same(process_group, params)


def _register_comm_hook(reducer: Any, state: Any, comm_hook: Any) -> None:
    """`hook(state, bucket)` reduces a Reducer's buckets."""
    reducer.register(state, comm_hook)
