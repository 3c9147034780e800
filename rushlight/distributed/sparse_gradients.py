"""Sparse gradients of all ranks as one: the entries of each, one behind another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.grad_mode import no_grad
from ..tensor import Tensor
from .collectives import all_gather
from .objects import tensor as of_array


def averaged(p: Tensor, grad: Any, group: Any, divisor: int) -> Tensor:
    """The mean of everybody's sparse gradient of parameter `p`, coalesced; None counts as zero."""
    import rushlight

    with no_grad():
        if grad is None:
            grad = rushlight.sparse_coo_tensor(
                rushlight.empty((1, 0), dtype=rushlight.int64),
                rushlight.empty((0, *p.shape[1:]), dtype=p.dtype),
                p.shape,
            )
        grad = grad.coalesce()
        places, values = grad.indices(), grad.values()
        counts = [of_array(np.zeros(1, np.int64)) for _ in range(group.size())]
        all_gather(counts, of_array(np.array([places.shape[1]], np.int64)), group)
        sizes = [int(c.item()) for c in counts]
        most = max(sizes)

        def gathered(x: Tensor) -> Tensor:
            """Everybody's `x`, whose first dimension is the one that differs."""
            padded = x.new_zeros((most, *x.shape[1:]))
            padded[: x.shape[0]] = x
            rows = [rushlight.empty_like(padded) for _ in sizes]
            all_gather(rows, padded, group)
            return rushlight.cat([row[:n] for row, n in zip(rows, sizes, strict=True)])

        found = gathered(places.t().contiguous()), gathered(values.contiguous() / divisor)
        whole = rushlight.sparse_coo_tensor(found[0].t(), found[1], p.shape)
        return whole.coalesce()
