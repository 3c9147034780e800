"""`replicate` and `parallel_apply` on one device; functions of modules for `func`."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.parallel import parallel_apply, replicate


def test_modules_are_called_in_order() -> None:
    net = nn.Linear(2, 2)
    x = torch.ones(1, 2)
    assert replicate(net, ["cpu"])[0] is net
    found = parallel_apply([net, nn.Identity()], [x, (2 * x,)], devices=["cpu", "cpu"])
    assert torch.equal(found[0], net(x))
    assert torch.equal(found[1], 2 * x)
    assert parallel_apply([lambda a, b: a - b], [3], [{"b": 1}]) == [2]
    for call in (lambda: replicate(net, ["cuda:0"]), lambda: parallel_apply([net], [x], None, [0])):
        with pytest.raises(RuntimeError, match="cuda"):
            call()
    with pytest.raises(AssertionError, match="2 is not equal to the number of inputs 1"):
        parallel_apply([net, net], [x])


def test_no_running_statistics() -> None:
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(3)), nn.Linear(2, 2))
    assert torch.func.replace_all_batch_norm_modules_(net) is net
    assert not list(net.buffers())
    assert torch.func.vmap(net[0])(torch.randn(3, 4, 2)).shape == (3, 4, 2)
