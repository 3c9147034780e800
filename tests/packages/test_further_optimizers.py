"""Optimisers and averages of weights: each trains a small network, compared with PyTorch's losses.

The figures were printed by the same programs under PyTorch 2.13.
"""

from __future__ import annotations

import pytest

TRAIN = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
x = torch.randn(32, 4)
y = x.pow(2).sum(1, keepdim=True)

def train(opt, steps=10):
    for _ in range(steps):
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
    return loss.item()
"""

PROGRAMS = {
    "lion_pytorch": TRAIN + """
from lion_pytorch import Lion
print(train(Lion(model.parameters(), lr=1e-2, weight_decay=1e-2)))
""",
    "schedulefree": TRAIN + """
from schedulefree import AdamWScheduleFree, SGDScheduleFree
opt = AdamWScheduleFree(model.parameters(), lr=0.02, warmup_steps=3)
opt.train()
first = train(opt)
opt.eval()
averaged = torch.nn.functional.mse_loss(model(x), y).item()
opt = SGDScheduleFree(model.parameters(), lr=0.05)
opt.train()
print(first, averaged, train(opt))
""",
    "prodigyopt": TRAIN + """
from prodigyopt import Prodigy
opt = Prodigy(model.parameters(), lr=1.0, weight_decay=0.01, safeguard_warmup=True)
print(train(opt, 30), opt.param_groups[0]["d"])
""",
    "dadaptation": TRAIN + """
from dadaptation import DAdaptAdam, DAdaptSGD
opt = DAdaptAdam(model.parameters(), lr=1.0)
first = train(opt, 12)
print(first, opt.param_groups[0]["d"], train(DAdaptSGD(model.parameters(), lr=1.0), 5))
""",
    "torch_optimizer": TRAIN + """
import torch_optimizer
losses = []
for name in ("RAdam", "Yogi", "AdaBound", "Lamb", "DiffGrad", "NovoGrad", "Shampoo", "Ranger"):
    losses.append(train(torch_optimizer.get(name)(model.parameters(), lr=1e-2)))
print(*losses)
""",
    "ema_pytorch": TRAIN + """
from ema_pytorch import EMA
ema = EMA(model, beta=0.9, update_after_step=2, update_every=1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    loss = train(opt, 1)
    ema.update()
mean = ema(x).mean().item()
ema.load_state_dict(ema.state_dict())
print(loss, mean, ema.get_current_decay())
""",
    "torch_ema": TRAIN + """
from torch_ema import ExponentialMovingAverage
ema = ExponentialMovingAverage(model.parameters(), decay=0.9)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    train(opt, 1)
    ema.update()
with ema.average_parameters():
    averaged = model(x).mean().item()
print(averaged, model(x).mean().item())
""",
}

FIGURES: dict[str, list[float]] = {
    "lion_pytorch": [8.314556],
    "schedulefree": [7.8529, 7.72821, 4.062657],
    "prodigyopt": [1.376723, 0.1183774],
    "dadaptation": [220.6327, 1.147234, 80.68965],
    "torch_optimizer": [
        8.738091, 5.811397, 4.009958, 3.804646, 3.658821, 3.337189, 3.220148, 3.20257,
    ],
    "ema_pytorch": [4.213264, 2.553276, 0.6971465],
    "torch_ema": [2.657216, 2.754614],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)
