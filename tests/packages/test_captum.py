"""captum: Attributions by three methods."""

from __future__ import annotations

PROGRAM = """
import torch
from captum.attr import DeepLift, IntegratedGradients, Saliency
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
x = torch.randn(2, 3)
found, delta = IntegratedGradients(model).attribute(x, target=1, return_convergence_delta=True)
assert found.shape == x.shape and delta.abs().max() < 0.05
assert Saliency(model).attribute(x, target=0).shape == x.shape
assert DeepLift(model).attribute(x, target=0).shape == x.shape
print("ok")
"""


def test_captum(run) -> None:
    assert run("captum", PROGRAM).endswith("ok\n")
