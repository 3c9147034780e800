"""How a linear layer adds its bias: by addmm, which wants one type, or after the product."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.nn import functional as F


def lying(shape, gaps):
    x = torch.ones(shape)
    return torch.stack([x, x], -1)[..., 0] if gaps else x


@pytest.mark.parametrize(
    ("shape", "gaps", "bias", "by_addmm"),
    [
        ((3,), False, (5,), True),
        ((3,), True, (5,), False),
        ((2, 3), False, (5,), True),
        ((2, 3), True, (5,), True),
        ((2, 2, 3), False, (5,), True),
        ((2, 2, 3), False, (2, 5), False),
        ((2, 2, 3), True, (5,), False),
        ((2, 2, 2, 3), False, (5,), True),
        ((2, 2, 2, 3), False, (), False),
        ((2, 2, 2, 3), True, (5,), False),
    ],
)
def test_a_bias_of_another_type(shape, gaps, bias, by_addmm):
    x, w = lying(shape, gaps), torch.ones(5, 3)
    for dtype in (torch.int64, torch.float64, torch.float16):
        b = torch.ones(bias, dtype=dtype)
        if by_addmm:
            with pytest.raises(RuntimeError, match="to have the same dtype"):
                F.linear(x, w, b)
            with pytest.raises(RuntimeError, match=r"mat2 must be a matrix|to have the same dtype"):
                F.linear(x, w[0], b)
            continue
        y = F.linear(x, w, b)
        assert y.dtype is torch.float32
        assert (y == 4).all()
    if not by_addmm:
        with pytest.raises(RuntimeError, match="can't be cast to the desired output type Float"):
            F.linear(x, w, torch.ones(bias, dtype=torch.complex64))


def test_a_bias_with_gaps_is_added_after_the_product():
    gaps = torch.ones(10, dtype=torch.float64)[::2], torch.ones(1, dtype=torch.float64).expand(5)
    for x in (torch.ones(3), torch.ones(2, 2, 3)):
        for b in gaps:
            assert F.linear(x, torch.ones(5, 3), b).dtype is torch.float32
    with pytest.raises(RuntimeError, match="to have the same dtype"):
        F.linear(torch.ones(2, 3), torch.ones(5, 3), gaps[0])


def test_a_bias_that_is_larger_than_the_product():
    x = lying((3,), True)
    assert F.linear(x, torch.ones(3), torch.ones(())) == 4
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        F.linear(x, torch.ones(3), torch.ones(4))
