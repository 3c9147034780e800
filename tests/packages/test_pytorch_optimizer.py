"""pytorch_optimizer: Fourteen optimisers take eight steps; the weights are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
import pytorch_optimizer
from near import near
WANTED = {
    "Lion": [-0.6, -0.4182], "AdaBelief": [-0.4861, -0.307], "Ranger": [-1.0713, -0.8391],
    "RAdam": [-0.9951, -0.8133], "Lamb": [-0.2274, -0.0533], "AdamP": [-0.6043, -0.4235],
    "SophiaH": [-0.996, -0.8142], "ScheduleFreeAdamW": [-0.7653, -0.5848],
    "Adan": [-0.6018, -0.4206], "MADGRAD": [-0.5722, -0.4128], "StableAdamW": [-0.6008, -0.4206],
    "Kron": [-0.4658, -0.3631], "Adalite": [-0.8922, -0.7125], "Tiger": [-0.5967, -0.4156]}
for name, wanted in WANTED.items():
    torch.manual_seed(0)
    w = torch.nn.Parameter(torch.linspace(-1, 1, 12).reshape(3, 4))
    opt = getattr(pytorch_optimizer, name)([w], lr=0.05)
    for _ in range(8):
        opt.zero_grad()
        loss = (w - 0.3).pow(2).sum() + w.prod()
        loss.backward(create_graph=name == "SophiaH")
        opt.step()
    near(w[0, :2], wanted)
print("ok")
"""


def test_pytorch_optimizer(run) -> None:
    assert run("pytorch_optimizer", PROGRAM).endswith("ok\n")
