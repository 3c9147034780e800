"""segmentation_models_pytorch: Three architectures learn a step; metrics."""

from __future__ import annotations

PROGRAM = """
import segmentation_models_pytorch as smp, torch
torch.manual_seed(0)
x, t = torch.randn(2, 3, 64, 64), torch.randint(0, 2, (2, 1, 64, 64)).float()
for kind in (smp.Unet, smp.FPN, smp.DeepLabV3Plus):
    model = kind("resnet18", encoder_weights=None, classes=1)
    loss_of = smp.losses.DiceLoss("binary")
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = loss_of(model(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0], kind
counts = smp.metrics.get_stats(model(x).sigmoid(), t.long(), mode="binary", threshold=0.5)
assert 0 < smp.metrics.iou_score(*counts, reduction="micro") < 1
print("ok")
"""


def test_segmentation_models(run) -> None:
    assert run("segmentation_models_pytorch", PROGRAM).endswith("ok\n")
