"""monai: A UNet with Dice loss."""

from __future__ import annotations

PROGRAM = """
import torch
from monai.losses import DiceLoss
from monai.networks.nets import UNet
torch.manual_seed(0)
net = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2))
x, y = torch.rand(2, 1, 16, 16), torch.randint(0, 2, (2, 1, 16, 16))
loss = DiceLoss(to_onehot_y=True, softmax=True)(net(x), y)
loss.backward()
assert 0 < loss.item() < 1
print("ok")
"""


def test_monai(run) -> None:
    assert run("monai", PROGRAM).endswith("ok\n")
