"""The shuffles, and windows of one element: results are never the operand's memory."""

from __future__ import annotations

import pytest

import rushlight as torch
import rushlight.nn.functional as F


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.pixel_shuffle(x, 1),
        lambda x: F.pixel_unshuffle(x, 1),
        lambda x: F.channel_shuffle(x, 1),
        lambda x: F.unfold(x, 1),
        lambda x: torch.chain_matmul(x[0, 0]),
    ],
)
def test_what_moves_nothing_copies(call):
    x = torch.ones(1, 2, 3, 4)
    call(x).zero_()
    assert x.eq(1).all()
