"""e3nn: Spherical harmonics and a tensor product."""

from __future__ import annotations

PROGRAM = """
import torch
from e3nn import o3
torch.manual_seed(0)
sh = o3.spherical_harmonics("1x0e + 1x1o", torch.randn(5, 3), normalize=True)
product = o3.FullyConnectedTensorProduct("0e + 1o", "0e + 1o", "0e + 1o")
assert product(sh, sh).shape == (5, 4)
print("ok")
"""


def test_e3nn(run) -> None:
    assert run("e3nn", PROGRAM).endswith("ok\n")
