"""Convolution, fold, unfold, padding on Tensors: known values, gradients, meta, errors."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


def test_known_values():
    x = torch.tensor([[[1.0, 2, 3, 4]]])
    w = torch.tensor([[[1.0, 0, -1]]])
    assert F.conv1d(x, w).tolist() == [[[-2, -2]]]
    assert F.conv1d(x, w, torch.tensor([10.0])).tolist() == [[[8, 8]]]
    assert F.conv1d(x, w, padding=1).tolist() == [[[-2, -2, -2, 3]]]
    assert F.conv1d(x, w, padding="same").tolist() == [[[-2, -2, -2, 3]]]
    assert F.conv1d(x, w, stride=2, padding=1).tolist() == [[[-2, -2]]]
    assert F.conv1d(x[0], w).tolist() == [[-2, -2]]
    assert F.conv_transpose1d(x, w).tolist() == [[[1, 2, 2, 2, -3, -4]]]


def test_gradients_of_a_convolution():
    x = torch.tensor([[[1.0, 2, 3]]], requires_grad=True)
    w = torch.tensor([[[2.0, 5.0]]], requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    y = F.conv1d(x, w, b)
    assert type(y.grad_fn).__name__ == "ConvolutionBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [[[2, 7, 5]]]
    assert w.grad.tolist() == [[[3, 5]]]
    assert b.grad.tolist() == [2]


def test_only_the_gradients_that_are_needed():
    x, w = torch.ones(1, 1, 4), torch.ones(1, 1, 2, requires_grad=True)
    F.conv1d(x, w).sum().backward()
    assert x.grad is None
    assert w.grad.tolist() == [[[3, 3]]]


def test_third_derivative():
    x = torch.tensor([[[1.0, 2, 3]]], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([[[2.0, 5.0]]], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad((F.conv1d(x, w) ** 3).sum(), w, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(h.sum(), w)
    # y = w . x at two positions: d/dw of d/dx of d/dw of y ** 3, summed
    e, total = 1e-4, 0.0
    for sign in (1, -1):
        for i in range(2):
            moved = w.detach().numpy().copy()
            moved[0, 0, i] += sign * e
            v = torch.tensor(moved, requires_grad=True)
            z = torch.tensor(x.tolist(), dtype=torch.float64, requires_grad=True)
            (a,) = torch.autograd.grad((F.conv1d(z, v) ** 3).sum(), v, create_graph=True)
            (b,) = torch.autograd.grad(a.sum(), z)
            total += sign * b.sum().item() / (2 * e)
    np.testing.assert_allclose(third.sum().item(), total, rtol=1e-6)


def test_channels_last_input(rng):
    x = torch.tensor(rng.standard_normal((2, 5, 4, 3)))
    w = torch.tensor(rng.standard_normal((2, 3, 3, 3)))
    a = F.conv2d(x.permute(0, 3, 1, 2), w)
    b = F.conv2d(x.permute(0, 3, 1, 2).contiguous(), w)
    np.testing.assert_allclose(a.numpy(), b.numpy())


def test_meta():
    x, w = torch.empty(2, 3, 32, 32, device="meta"), torch.empty(8, 3, 3, 3, device="meta")
    assert tuple(F.conv2d(x, w, stride=2, padding=1).shape) == (2, 8, 16, 16)
    assert tuple(F.conv_transpose2d(x, w.transpose(0, 1), stride=2).shape) == (2, 8, 65, 65)
    assert tuple(F.pad(x, (1, 2, 0, 0), mode="reflect").shape) == (2, 3, 32, 35)
    assert tuple(F.unfold(x, 3).shape) == (2, 27, 900)


def test_padding_and_its_gradient():
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    assert F.pad(x, (1, 1)).tolist() == [[0, 1, 2, 3, 0]]
    assert F.pad(x, (1, -1), value=7.0).tolist() == [[7, 1, 2]]
    y = F.pad(x, (2, 1), mode="reflect")
    assert y.tolist() == [[3, 2, 1, 2, 3, 2]]
    y.sum().backward()
    assert x.grad.tolist() == [[1, 3, 2]]


def test_padding_keeps_any_type():
    assert F.pad(torch.tensor([True]), (1, 0)).tolist() == [False, True]
    assert F.pad(torch.tensor([3], dtype=torch.uint8), (0, 1), value=5).tolist() == [3, 5]
    assert F.pad(torch.ones(2, dtype=torch.bfloat16), (1, 0)).dtype is torch.bfloat16


def test_fold_counts_windows():
    x = torch.ones(1, 1, 3, 3)
    y = F.fold(F.unfold(x, 2), (3, 3), 2)
    assert y.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]


@pytest.mark.parametrize(
    ("shapes", "how", "words"),
    [
        (((1, 2, 5, 5), (4, 3, 2, 2)), {}, "to have 3 channels, but got 2 channels instead"),
        (((5, 5), (4, 3, 2, 2)), {}, "Expected 3D .unbatched. or 4D .batched. input to conv2d"),
        (((1, 3, 1, 5), (4, 3, 2, 2)), {}, "Kernel size can't be greater than actual input size"),
        (((1, 3, 5, 5), (4, 3, 2, 2), (3,)), {}, "expected bias to be 1-dimensional with 4"),
        (((1, 3, 5, 5), (4, 3, 2, 2)), {"stride": 0}, "non-positive stride"),
        (((1, 3, 5, 5), (4, 3, 2, 2)), {"padding": "full"}, "Invalid padding string"),
    ],
)
def test_errors_have_four_parts(shapes, how, words):
    with pytest.raises(RuntimeError, match=words) as info:
        F.conv2d(*map(torch.zeros, shapes), **how)
    assert "conv2d" in str(info.value)


def test_channels_error_says_what_to_do():
    with pytest.raises(RuntimeError, match=r"try +x.permute\(0, 3, 1, 2\)"):
        F.conv2d(torch.zeros(1, 8, 8, 3), torch.zeros(4, 3, 3, 3))


def test_types_must_agree():
    x, w = torch.zeros(1, 1, 4, dtype=torch.float64), torch.zeros(1, 1, 2)
    with pytest.raises(RuntimeError, match=r"Input type \(double\) and weight type \(float\)"):
        F.conv1d(x, w)
    with pytest.raises(TypeError, match=r"argument 'input' .*must be Tensor, not list"):
        F.conv1d([1.0], w)


def test_conv_tbc_takes_a_bias_of_any_type():
    x, w = torch.ones(5, 2, 3), torch.ones(2, 3, 4)
    y = F.conv_tbc(x, w, torch.ones(4, dtype=torch.uint8))
    assert y.dtype is torch.float32
    assert y.is_contiguous()
    assert y[0, 0].tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("fn", [F.conv2d, F.conv_transpose2d])
def test_calls_that_passed_before_keep_the_format(fn):
    """One shape in two formats, twice each: what is remembered of a call is of its strides, too."""
    x, w = torch.ones(2, 3, 5, 4), torch.ones(3, 3, 2, 2)
    for _ in range(2):
        assert fn(x, w).is_contiguous()
        for a, b in (
            (x.to(memory_format=torch.channels_last), w),
            (x, w.to(memory_format=torch.channels_last)),
        ):
            y = fn(a, b)
            assert y.is_contiguous(memory_format=torch.channels_last)
            assert not y.is_contiguous()
            assert torch.equal(y, fn(x, w))


@pytest.mark.parametrize("fn", [F.conv2d, F.conv_transpose2d])
def test_what_is_remembered_of_a_call_stays(fn):
    """The parameters that a node keeps are its own."""
    x, w = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2, requires_grad=True)
    for _ in range(2):
        node = fn(x, w, padding=1).grad_fn
        assert node.kw["padding"] == (1, 1)
        node.kw["padding"] = (0, 0)


def test_a_parametrisation_takes_over_the_weight():
    layer, x = torch.nn.Conv2d(1, 1, 2, bias=False), torch.ones(1, 1, 2, 2)
    with torch.no_grad():
        layer.weight.fill_(1)
    assert layer(x).item() == 4

    class Twice(torch.nn.Module):
        def forward(self, w):
            return 2 * w

    torch.nn.utils.parametrize.register_parametrization(layer, "weight", Twice())
    assert layer(x).item() == 8


@pytest.mark.parametrize("transposed", [False, True])
def test_gradients_in_complex32(transposed):
    fn = F.conv_transpose1d if transposed else F.conv1d

    def through(dtype):
        x, w = (torch.ones(2, 2, n, dtype=torch.complex64).mul(1 + 1j).to(dtype) for n in (5, 3))
        x.requires_grad_(), w.requires_grad_()
        y = fn(x, w)
        y.backward(torch.ones_like(y))
        return [t.to(torch.complex64) for t in (y.detach(), x.grad, w.grad)]

    for a, b in zip(through(torch.complex32), through(torch.complex64), strict=True):
        assert torch.equal(a, b)
