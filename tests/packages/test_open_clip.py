"""open_clip: A tiny CLIP, loss and backward."""

from __future__ import annotations

PROGRAM = """
import torch, open_clip
torch.manual_seed(0)
model = open_clip.model.CLIP(
    embed_dim=16, vision_cfg=dict(image_size=32, layers=1, width=32, patch_size=16, head_width=16),
    text_cfg=dict(context_length=8, vocab_size=50, width=16, heads=2, layers=1))
image, text, scale = model(torch.randn(2, 3, 32, 32), torch.randint(0, 50, (2, 8)))[:3]
loss = open_clip.loss.ClipLoss()(image, text, scale)
loss.backward()
assert image.shape == (2, 16) and loss.item() > 0
print("ok")
"""


def test_open_clip(run) -> None:
    assert run("open_clip", PROGRAM).endswith("ok\n")
