"""Pooling on Tensors: known values, gradients, meta, errors."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

X = [[[1.0, 5, 2, 3], [4, 0, 8, 7]]]


def test_known_values():
    x = torch.tensor(X)
    assert F.max_pool2d(x, 2).tolist() == [[[5, 8]]]
    assert F.avg_pool2d(x, 2).tolist() == [[[2.5, 5]]]
    assert F.max_pool1d(x, 2).tolist() == [[[5, 3], [4, 8]]]
    assert F.max_pool1d(x, 3, 2, ceil_mode=True).tolist() == [[[5, 3], [8, 8]]]
    assert F.adaptive_avg_pool2d(x, 1).tolist() == [[[3.75]]]
    assert F.adaptive_max_pool2d(x, (1, None)).tolist() == [[[4, 5, 8, 7]]]
    y, i = F.max_pool2d(x, 2, return_indices=True)
    assert (y.tolist(), i.tolist()) == ([[[5, 8]]], [[[1, 6]]])
    assert i.dtype is torch.int64
    assert F.max_unpool2d(y, i, 2).tolist() == [[[0, 5, 0, 0], [0, 0, 8, 0]]]


def test_what_padding_counts():
    x = torch.tensor([[4.0, 8.0]])
    assert F.avg_pool1d(x, 2, 2, padding=1).tolist() == [[2, 4]]
    assert F.avg_pool1d(x, 2, 2, padding=1, count_include_pad=False).tolist() == [[4, 8]]
    assert F.avg_pool2d(x[None], (1, 2), divisor_override=3).tolist() == [[[4]]]
    assert F.max_pool1d(torch.tensor([[-4.0, -8.0]]), 2, 2, padding=1).tolist() == [[-4, -8]]


def test_gradients():
    x = torch.tensor(X, requires_grad=True)
    y = F.max_pool2d(x, 2)
    assert type(y.grad_fn).__name__ == "MaxPool2DWithIndicesBackward0"
    y.backward(torch.tensor([[[10.0, 20.0]]]))
    assert x.grad.tolist() == [[[0, 10, 0, 0], [0, 0, 20, 0]]]
    x.grad = None
    F.avg_pool2d(x, 2).backward(torch.tensor([[[4.0, 8.0]]]))
    assert x.grad.tolist() == [[[1, 1, 2, 2], [1, 1, 2, 2]]]


def test_of_equals_the_first_gets_the_gradient():
    x = torch.ones(1, 4, requires_grad=True)
    F.max_pool1d(x, 2, 1).sum().backward()
    assert x.grad.tolist() == [[1, 1, 1, 0]]


def test_nan_is_the_maximum():
    y = F.max_pool1d(torch.tensor([[1.0, math.nan, 2, 3]]), 2)
    assert math.isnan(y[0, 0].item())
    assert y[0, 1].item() == 3


def test_types():
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        assert F.max_pool1d(torch.ones(1, 4, dtype=dtype), 2).dtype is dtype
        assert F.avg_pool1d(torch.ones(1, 4, dtype=dtype), 2).dtype is dtype
    assert F.max_pool2d(torch.ones(1, 4, 4, dtype=torch.int64), 2).dtype is torch.int64


def test_meta():
    x = torch.empty(2, 3, 32, 31, device="meta")
    assert tuple(F.max_pool2d(x, 2, ceil_mode=True).shape) == (2, 3, 16, 16)
    assert tuple(F.avg_pool2d(x, 3, 1, 1).shape) == (2, 3, 32, 31)
    assert tuple(F.adaptive_avg_pool2d(x, 7).shape) == (2, 3, 7, 7)
    y, i = F.max_pool2d(x, 2, return_indices=True)
    assert (tuple(y.shape), i.dtype) == ((2, 3, 16, 15), torch.int64)


def test_lp_pool():
    y = F.lp_pool1d(torch.tensor([[3.0, 4.0, 6.0, 8.0]]), 2, 2)
    assert [round(v, 5) for v in y[0].tolist()] == [5, 10]


def test_fractional_pool_covers_the_input():
    torch.manual_seed(0)
    x = torch.arange(49.0).reshape(1, 1, 7, 7)
    y, i = F.fractional_max_pool2d(x, 3, output_size=4, return_indices=True)
    assert (y.reshape(-1) == i.reshape(-1)).all()
    assert y.max().item() == 48


@pytest.mark.parametrize(
    ("fn", "shape", "how", "words"),
    [
        ("max_pool2d", (1, 4, 4), {"kernel_size": 5}, "Output size is too small"),
        ("max_pool2d", (1, 4, 4), {"kernel_size": 2, "padding": 2}, "at most half of effective"),
        ("max_pool2d", (4,), {"kernel_size": 2}, "non-empty 3D or 4D"),
        ("max_pool2d", (1, 4, 4), {"kernel_size": 2, "stride": 0}, "stride should not be zero"),
        ("avg_pool2d", (1, 4, 4), {"kernel_size": (2, 2, 2)}, "tuple of two ints"),
        ("adaptive_avg_pool2d", (4, 4), {"output_size": 2}, "Expected 3D or 4D tensor"),
    ],
)
def test_errors(fn, shape, how, words):
    with pytest.raises(RuntimeError, match=words):
        getattr(F, fn)(torch.zeros(shape), **how)


def test_an_adaptive_pool_that_leaves_all_as_it_is_gives_a_copy() -> None:
    x = torch.ones(2, 3, 5)
    y = torch.nn.functional.adaptive_avg_pool1d(x, 5)
    y.add_(1)
    assert x.max().item() == 1


@pytest.mark.parametrize("how", [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1}])
def test_which_element_is_largest_has_no_derivative(how: Any) -> None:
    """The second derivative with respect to the input is zero, as PyTorch's is, not missing."""
    x = torch.randn(1, 2, 6, 6, requires_grad=True)
    y = F.max_pool2d(x, **how)
    g = torch.randn(*y.shape, requires_grad=True)
    (dx,) = torch.autograd.grad(y, x, g, create_graph=True)
    ddx, dg = torch.autograd.grad((dx * dx).sum(), (x, g))
    assert not ddx.any()
    _, indices = F.max_pool2d_with_indices(x, **how)
    taken = dx.flatten(2).gather(2, indices.flatten(2)).reshape(y.shape)
    torch.testing.assert_close(dg, 2 * taken)
