"""performer_pytorch: Linear attention."""

from __future__ import annotations

PROGRAM = """
import torch
from performer_pytorch import Performer
torch.manual_seed(0)
x = torch.randn(1, 16, 16, requires_grad=True)
Performer(dim=16, depth=1, heads=2, dim_head=8, causal=False)(x).sum().backward()
assert x.grad.shape == x.shape
print("ok")
"""


def test_performer(run) -> None:
    assert run("performer_pytorch", PROGRAM).endswith("ok\n")
