"""How products of stacks lie."""

from __future__ import annotations

import rushlight as torch


def test_products_of_stacks_lie_in_rows():
    """However the stacks lie, and by whatever computes them."""
    for dtype in (torch.int64, torch.float32, torch.complex64):
        x = torch.ones(3, 2, 2, 2, dtype=dtype).transpose(0, 1)
        for y in (x @ x, x @ x[0, 0], x @ x[0, 0, 0], x[0, 0] @ x):
            assert y.is_contiguous()
