"""pytorch_optimizer: Three optimisers step."""

from __future__ import annotations

PROGRAM = """
import torch
from pytorch_optimizer import Lion, AdaBelief, Ranger
for kind in (Lion, AdaBelief, Ranger):
    w = torch.nn.Parameter(torch.ones(3))
    opt = kind([w], lr=0.1)
    for _ in range(8):
        opt.zero_grad(); w.pow(2).sum().backward(); opt.step()
    assert w.abs().max() < 1, kind
print("ok")
"""


def test_pytorch_optimizer(run) -> None:
    assert run("pytorch_optimizer", PROGRAM).endswith("ok\n")
