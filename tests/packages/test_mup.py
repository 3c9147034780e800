"""mup: Shapes are set, MuAdam steps."""

from __future__ import annotations

PROGRAM = """
import torch
from mup import MuAdam, MuReadout, set_base_shapes
def make(n):
    return torch.nn.Sequential(torch.nn.Linear(4, n), torch.nn.ReLU(), MuReadout(n, 2))
model = make(16)
set_base_shapes(model, make(8), delta=make(12))
opt = MuAdam(model.parameters(), lr=1e-2)
model(torch.randn(3, 4)).sum().backward()
opt.step()
print("ok")
"""


def test_mup(run) -> None:
    assert run("mup", PROGRAM).endswith("ok\n")
