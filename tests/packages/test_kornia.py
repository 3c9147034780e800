"""kornia: Filters, colours, an augmentation."""

from __future__ import annotations

PROGRAM = """
import torch, kornia
torch.manual_seed(0)
x = torch.rand(2, 3, 16, 16, requires_grad=True)
y = kornia.filters.gaussian_blur2d(kornia.color.rgb_to_grayscale(x), (3, 3), (1.0, 1.0))
y.sum().backward()
assert y.shape == (2, 1, 16, 16) and x.grad.abs().sum() > 0
z = kornia.augmentation.RandomAffine(degrees=10.0, p=1.0)(x.detach())
assert z.shape == x.shape
print("ok")
"""


def test_kornia(run) -> None:
    assert run("kornia", PROGRAM).endswith("ok\n")
