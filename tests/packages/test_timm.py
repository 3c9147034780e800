"""timm: Models of four families, forward and backward, and their features."""

from __future__ import annotations

PROGRAM = """
import timm, torch
torch.manual_seed(0)
x = torch.randn(2, 3, 64, 64)
for name in ("resnet18", "vit_tiny_patch16_224", "efficientnet_b0", "convnext_atto"):
    size = {"img_size": 64} if "vit" in name else {}
    model = timm.create_model(name, num_classes=3, **size)
    y = model(x)
    torch.nn.functional.cross_entropy(y, torch.tensor([0, 2])).backward()
    assert y.shape == (2, 3) and all(p.grad is not None for p in model.parameters()), name
maps = timm.create_model("resnet18", features_only=True)(x)
assert [m.shape[1] for m in maps] == [64, 64, 128, 256, 512]
print("ok")
"""


def test_timm(run) -> None:
    assert run("timm", PROGRAM).endswith("ok\n")
