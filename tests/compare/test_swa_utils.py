"""Weight averaging against PyTorch: averages, buffers and batch norms over a few updates."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight
from rushlight.optim import swa_utils

torch = pytest.importorskip("torch")


def build(lib):
    return lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.Linear(4, 2))


def fill(lib, model, rng):
    """Give parameters and buffers new values, the same in both libraries."""
    with lib.no_grad():
        for t in [*model.parameters(), *model.buffers()]:
            if t.is_floating_point():
                value = rng.random(tuple(t.shape)).astype("float32")
                t.copy_(lib.from_numpy(np.array(value)))


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("how", ["mean", "swa", "ema", "multi swa", "multi ema"])
def test_averages(how, use_buffers):
    if how == "multi swa" and use_buffers:
        pytest.skip("PyTorch cannot divide the integer buffer num_batches_tracked there")
    states = []
    for lib in (rushlight, torch):
        tools = swa_utils if lib is rushlight else torch.optim.swa_utils
        settings = {
            "mean": {},
            "swa": {"avg_fn": tools.get_swa_avg_fn()},
            "ema": {"avg_fn": tools.get_ema_avg_fn(0.9)},
            "multi swa": {"multi_avg_fn": tools.get_swa_multi_avg_fn()},
            "multi ema": {"multi_avg_fn": tools.get_ema_multi_avg_fn(0.9)},
        }[how]
        rng = np.random.default_rng(0)
        model = build(lib)
        averaged = tools.AveragedModel(model, use_buffers=use_buffers, **settings)
        for _ in range(4):
            fill(lib, model, rng)
            averaged.update_parameters(model)
        batches = [lib.from_numpy(rng.random((5, 3)).astype("float32")) for _ in range(3)]
        before = {k: np.array(v.numpy()) for k, v in averaged.state_dict().items()}
        tools.update_bn(batches, averaged)
        states.append((before, {k: v.numpy() for k, v in averaged.state_dict().items()}))
    for mine, other in zip(*states, strict=True):
        assert list(mine) == list(other)
        for key in mine:
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-5, atol=1e-6, err_msg=key)
