"""PowerSGD: gradients are sent as products of two thin matrices. Vogels et al., arXiv:1905.13727.

A gradient M (n, m) becomes P Q^T with P (n, r) and Q (m, r): one step of a power iteration,

    P = mean_k M_k Q,  P made orthogonal,  Q = mean_k M_k^T P,  M ~ P Q^T

What is lost is kept on each rank and added to the next gradient; Q of the last step is the start of
the next one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....autograd.grad_mode import no_grad
from ....dtypes import bfloat16, float16
from ....errors import message
from ....futures import Future
from ....tensor import Tensor
from ...group import default
from .default_hooks import _allreduce_fut, reduced, size_of

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]


def _orthogonalize(matrices: Tensor, epsilon: float = 0) -> None:
    """Make the columns of a batch of matrices (b, n, r) orthonormal, in place."""
    import rushlight

    if matrices.ndim != 3 or matrices.shape[2] > matrices.shape[1]:
        raise AssertionError(f"expected (batch, rows, columns <= rows), got {matrices.shape}")
    if matrices.shape[2] <= 2 or matrices.dtype in (float16, bfloat16):
        _gram_schmidt(matrices, epsilon)
    else:
        matrices.copy_(rushlight.linalg.qr(matrices)[0])


def _gram_schmidt(matrices: Tensor, epsilon: float) -> None:
    for i in range(matrices.shape[2]):
        column = matrices[:, :, i : i + 1]
        column /= column.norm(dim=1, keepdim=True) + epsilon
        rest = matrices[:, :, i + 1 :]
        if rest.shape[2]:
            rest -= (column * rest).sum(dim=1, keepdim=True) * column


def _should_compress(
    num_rows: int, num_cols: int, matrix_approximation_rank: int, min_compression_rate: float
) -> tuple[bool, int, int]:
    """Whether it pays to send P and Q, and how many numbers are sent without and with that.

    >>> _should_compress(100, 100, 1, 2)
    (True, 10000, 200)
    """
    whole = num_rows * num_cols
    small = (num_rows + num_cols) * matrix_approximation_rank
    return small * min_compression_rate < whole, whole, small


class PowerSGDState:
    """Settings and memory of `powerSGD_hook` and `batched_powerSGD_hook`.

    Args:
        process_group: None: all ranks.
        matrix_approximation_rank: r, the columns of P and Q.
        start_powerSGD_iter: after how many steps compression begins; gradients are averaged as they
            are before. At least 2 with `use_error_feedback` or `warm_start`: buckets are made anew
            after the first step.
        min_compression_rate: gradients that would not become smaller by this factor are sent whole.
        use_error_feedback: add what was lost to the next gradient.
        warm_start: begin with Q of the step before.
        orthogonalization_epsilon: added to norms, for gradients with columns of zeros.
        random_seed: of the first Q.
        compression_stats_logging_frequency: of log messages, in steps.
        batch_tensors_with_same_shape: multiply gradients of one shape together.

    Raises:
        ValueError: compression would begin before buckets are final.
    """

    __slots__ = [  # noqa: RUF023 - PyTorch's order
        "process_group",
        "matrix_approximation_rank",
        "start_powerSGD_iter",
        "min_compression_rate",
        "orthogonalization_epsilon",
        "use_error_feedback",
        "warm_start",
        "batch_tensors_with_same_shape",
        "rng",
        "error_dict",
        "p_memory_dict",
        "q_memory_dict",
        "iter",
        "total_numel_before_compression",
        "total_numel_after_compression",
        "compression_stats_logging_frequency",
        "next_stats_report",
    ]

    def __init__(
        self,
        process_group: Any,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                message(
                    "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is "
                    "enabled, because PowerSGD can only be applied after the first two iterations "
                    "in DDP.",
                    got=f"start_powerSGD_iter={start_powerSGD_iter}",
                )
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.rng = np.random.RandomState(random_seed)
        self.error_dict: dict[int, Tensor] = {}  # of each bucket what was lost
        self.p_memory_dict: dict[int, Tensor] = {}
        self.q_memory_dict: dict[int, Tensor] = {}
        self.iter = 0
        self.total_numel_before_compression = 0
        self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.next_stats_report = 0

    def __getstate__(self) -> dict[str, Any]:
        """All but the process group, which cannot be saved."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = default()
        for name, value in state.items():
            setattr(self, name, value)

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Count a step, with its last bucket."""
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self) -> tuple[float, int, int]:
        """(rate, numbers without compression, numbers that were sent)."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after else 0), before, after

    def report(self, bucket: Any) -> None:
        """Log the rate of compression, once in a while."""
        if bucket.is_last() and self.iter >= self.next_stats_report:
            import logging

            rate, before, after = self.compression_stats()
            logging.getLogger(__name__).info(
                "Compression stats: iter %s, total before compression %s, total after compression "
                "%s, rate %s",
                self.iter, before, after, rate,
            )  # fmt: skip
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency

    def with_error(self, index: int, gradients: Tensor) -> Tensor | None:
        """Add to a bucket what the last step has lost; a copy of the sum, to see what this one
        loses."""
        if not self.use_error_feedback:
            return None
        if index in self.error_dict:
            gradients.add_(self.error_dict[index])
        return gradients.detach().clone()

    def end(self, bucket: Any, wanted: Tensor | None, sent: Tensor) -> None:
        """A bucket is decompressed: note what was lost."""
        if wanted is not None:
            self.error_dict[bucket.index()] = wanted - sent
        if not self.warm_start:
            for memory in (self.p_memory_dict, self.q_memory_dict):
                memory.pop(bucket.index(), None)  # others may be under way
        self.maybe_increase_iter(bucket)

    def randomized(self, tensors: list[Tensor]) -> None:
        """Fill with random numbers, the same on all ranks and others in each step."""
        import rushlight

        with rushlight.random.fork_rng(devices=[]):
            rushlight.manual_seed(self.rng.randint(1_000_000_000))
            for t in tensors:
                t.copy_(rushlight.randn(*t.shape, dtype=t.dtype))


class Thin:
    """The gradients of a bucket that are compressed, with their P and Q in memory of the state."""

    def __init__(self, state: PowerSGDState, index: int, matrices: list[Tensor], like: Tensor):
        import rushlight

        self.same: dict[Any, list[Tensor]] = {}
        for m in matrices:
            self.same.setdefault(tuple(m.shape), []).append(m)
        self.batches = list(self.batched(state.batch_tensors_with_same_shape))
        ranks = [min(*b.shape[1:], state.matrix_approximation_rank) for b in self.batches]
        p_sizes = [b.shape[0] * b.shape[1] * r for b, r in zip(self.batches, ranks, strict=True)]
        q_sizes = [b.shape[0] * b.shape[2] * r for b, r in zip(self.batches, ranks, strict=True)]
        self.fresh = not state.warm_start or index not in state.p_memory_dict
        if self.fresh:
            state.p_memory_dict[index] = like.new_empty(sum(p_sizes))
            state.q_memory_dict[index] = like.new_empty(sum(q_sizes))
        self.p, self.q = state.p_memory_dict[index], state.q_memory_dict[index]
        self.ps = [
            part.view(b.shape[0], b.shape[1], r)
            for part, b, r in zip(self.p.split(p_sizes), self.batches, ranks, strict=True)
        ]
        self.qs = [
            part.view(b.shape[0], b.shape[2], r)
            for part, b, r in zip(self.q.split(q_sizes), self.batches, ranks, strict=True)
        ]
        self.bmm = rushlight.bmm

    def batched(self, together: bool) -> Iterator[Tensor]:
        import rushlight

        for matrices in self.same.values():
            if together and len(matrices) > 1:
                yield rushlight.stack(matrices)
            else:
                yield from (m.unsqueeze(0) for m in matrices)

    def multiply(self, to_p: bool) -> None:
        """P = M Q, or Q = M^T P."""
        for b, p, q in zip(self.batches, self.ps, self.qs, strict=True):
            if to_p:
                self.bmm(b, q, out=p)
            else:
                self.bmm(b.transpose(1, 2), p, out=q)

    def decompress(self) -> None:
        """M = P Q^T, where the gradients are."""
        for b, p, q in zip(self.batches, self.ps, self.qs, strict=True):
            self.bmm(p, q.transpose(1, 2), out=b)
            if b.shape[0] > 1:
                for m, part in zip(self.same[tuple(b.shape[1:])], b, strict=True):
                    m.copy_(part)


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future[Any]:
    """The mean of the gradients, each matrix as P Q^T; vectors, and matrices that would hardly
    become smaller, as they are.

    Example::

        state = PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=10)
        model.register_comm_hook(state, powerSGD_hook)
    """
    import rushlight

    group, gradients = state.process_group, bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return _allreduce_fut(group, gradients)
    n = size_of(group)
    with no_grad():
        wanted = state.with_error(bucket.index(), gradients)
        large: list[Tensor] = []
        others: list[Tensor] = []
        for t in bucket.gradients():
            m = t.view(t.shape[0] if t.ndim else 1, -1)
            rows, columns = m.shape
            rank = min(rows, columns, state.matrix_approximation_rank)
            pays, whole, small = _should_compress(rows, columns, rank, state.min_compression_rate)
            (large if pays else others).append(m if pays else t)
            state.total_numel_before_compression += whole
            state.total_numel_after_compression += small if pays else whole
        state.report(bucket)
        rest = rushlight.cat([t.reshape(-1) for t in others]) if others else gradients.new_empty(0)
        thin = Thin(state, bucket.index(), large, gradients)
        if thin.fresh:
            state.randomized(thin.qs)
        for q in thin.qs:
            _orthogonalize(q, state.orthogonalization_epsilon)
        thin.multiply(to_p=True)

    def unpack(done: Future[Any]) -> Any:
        with no_grad():
            parts = done.value().div_(n).split([t.numel() for t in others]) if others else []
            for t, part in zip(others, parts, strict=True):
                t.copy_(part.view_as(t))
        return reduced(thin.p, group).wait()

    def to_q(_: Any) -> Any:
        with no_grad():
            for p in thin.ps:
                _orthogonalize(p, state.orthogonalization_epsilon)
            thin.multiply(to_p=False)
        return reduced(thin.q, group).wait()

    def decompress(done: Future[Any]) -> Tensor:
        with no_grad():
            done.value().div_(n)
            thin.decompress()
            state.end(bucket, wanted, gradients)
        return gradients

    return reduced(rest, group).then(unpack).then(to_q).then(decompress)


def batched_powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future[Any]:
    """The mean of the gradients, all of a bucket as one square matrix P Q^T: quicker than
    `powerSGD_hook`, and less exact."""
    group, gradients = state.process_group, bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return _allreduce_fut(group, gradients)
    n, index, length = size_of(group), bucket.index(), gradients.shape[0]
    side = math.ceil(math.sqrt(length))
    rank = state.matrix_approximation_rank
    state.total_numel_before_compression += length
    state.total_numel_after_compression += side * rank * 2
    state.report(bucket)
    with no_grad():
        square = gradients.new_zeros(side * side)
        square[:length] = gradients
        wanted = state.with_error(index, square)
        matrix = square.view(1, side, side)
        if not state.warm_start or index not in state.p_memory_dict:
            state.p_memory_dict[index] = gradients.new_empty(side, rank)
            state.q_memory_dict[index] = gradients.new_empty(side, rank)
            state.randomized([state.q_memory_dict[index]])
        p, q = state.p_memory_dict[index].unsqueeze(0), state.q_memory_dict[index].unsqueeze(0)
        _orthogonalize(q, state.orthogonalization_epsilon)
        p.copy_(matrix @ q)

    def to_q(_: Any) -> Any:
        with no_grad():
            _orthogonalize(p, state.orthogonalization_epsilon)
            q.copy_(matrix.transpose(1, 2) @ p)
        return reduced(q, group).wait()

    def decompress(_: Any) -> Tensor:
        with no_grad():
            q.div_(n)
            matrix.copy_(p @ q.transpose(1, 2))
            gradients.copy_(square[:length])
            state.end(bucket, wanted, square)
        return gradients

    return reduced(p, group).then(to_q).then(decompress)
