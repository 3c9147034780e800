"""Fusion with batch norm, modules without initialisation, calls with other parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import utils
from rushlight.nn.utils.stateless import _functional_call as call


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("affine", [True, False])
def test_fused_convolution(bias: bool, affine: bool) -> None:
    net = nn.Sequential(nn.Conv2d(2, 3, 2, bias=bias), nn.BatchNorm2d(3, affine=affine))
    x = torch.randn(4, 2, 5, 5)
    net(x)
    net.eval()
    close(utils.fuse_conv_bn_eval(net[0], net[1])(x), net(x))


def test_fused_transposed_convolution_and_linear() -> None:
    net = nn.Sequential(nn.ConvTranspose2d(2, 3, 2), nn.BatchNorm2d(3))
    x = torch.randn(4, 2, 5, 5)
    net(x)
    with pytest.raises(AssertionError, match="only for eval"):
        utils.fuse_conv_bn_eval(net[0], net[1])
    net.eval()
    close(utils.fuse_conv_bn_eval(net[0], net[1], transpose=True)(x), net(x))
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    x = torch.randn(5, 3)
    net(x)
    net.eval()
    close(utils.fuse_linear_bn_eval(net[0], net[1])(x), net(x))


def test_skip_init() -> None:
    torch.manual_seed(0)
    m = utils.skip_init(nn.Linear, 3, 4, dtype=torch.float64)
    after = torch.rand(1)
    torch.manual_seed(0)
    assert torch.equal(after, torch.rand(1))  # nothing was drawn
    assert m.weight.shape == (4, 3)
    assert m.weight.dtype is torch.float64
    assert m.weight.device.type == "cpu"
    with pytest.raises(RuntimeError, match="must support a 'device' arg"):
        utils.skip_init(nn.Tanh)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        utils.skip_init(int)


def test_functional_call() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    old = net[0].weight
    given = {"0.weight": torch.ones(2, 2, requires_grad=True), "1.running_mean": torch.zeros(2)}
    x = torch.arange(6.0).reshape(3, 2)
    call(net, given, x).square().sum().backward()
    assert net[0].weight is old
    assert old.grad is None
    assert given["0.weight"].grad is not None
    assert given["1.running_mean"].abs().sum() > 0  # the forward changed the given buffer
    assert net[1].running_mean.abs().sum() == 0


def test_functional_call_restores_after_an_error() -> None:
    net = nn.Linear(2, 2)
    old = net.weight
    with pytest.raises(RuntimeError):
        call(net, {"weight": torch.ones(2, 3)}, torch.ones(1, 2))
    assert net.weight is old
    with pytest.raises(AttributeError, match="has no attribute"):
        call(net, {"no.weight": torch.ones(1)}, torch.ones(1, 2))
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'bias'"):
        call(net, {"weight": torch.ones(2, 2)}, torch.ones(1, 2), strict=True)


def test_tied_weights() -> None:
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    x = torch.ones(1, 2)
    assert call(net, {"0.weight": torch.ones(2, 2)}, x).tolist() == [[4, 4]]
    with pytest.raises(ValueError, match="which are tied"):
        call(net, {"0.weight": torch.ones(2, 2), "1.weight": torch.zeros(2, 2)}, x)


def test_names_are_there_whatever_was_imported_first() -> None:

    assert callable(utils.spectral_norm)
    assert callable(utils.weight_norm)
    for name in utils.__all__:
        assert hasattr(utils, name)
