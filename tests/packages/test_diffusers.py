"""diffusers: A tiny UNet denoises one step."""

from __future__ import annotations

PROGRAM = """
import torch
from diffusers import DDPMScheduler, UNet2DModel
torch.manual_seed(0)
unet = UNet2DModel(sample_size=8, in_channels=1, out_channels=1, layers_per_block=1,
                   block_out_channels=(8, 16), norm_num_groups=4,
                   down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                   up_block_types=("AttnUpBlock2D", "UpBlock2D"))
scheduler = DDPMScheduler(num_train_timesteps=10)
x, noise = torch.zeros(2, 1, 8, 8), torch.randn(2, 1, 8, 8)
t = torch.tensor([3, 7])
loss = (unet(scheduler.add_noise(x, noise, t), t).sample - noise).pow(2).mean()
loss.backward()
assert scheduler.step(unet(noise, 3).sample, 3, noise).prev_sample.shape == noise.shape
print("ok")
"""


def test_diffusers(run) -> None:
    assert run("diffusers", PROGRAM).endswith("ok\n")
