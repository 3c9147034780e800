"""torchmetrics: Classification, regression and images; the numbers are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
import torchmetrics as tm
from near import near
torch.manual_seed(0)
p, t = torch.randn(100, 5).softmax(-1), torch.randint(5, (100,))
of = {"num_classes": 5}
wanted = {
    tm.Accuracy("multiclass", **of): 0.18,
    tm.F1Score("multiclass", average="macro", **of): 0.1822724,
    tm.AUROC("multiclass", **of): 0.4958659, tm.CalibrationError("multiclass", **of): 0.2795776}
for metric, value in wanted.items():
    for i in range(0, 100, 25):
        metric.update(p[i:i + 25], t[i:i + 25])
    near(metric.compute(), value)
confusion = tm.ConfusionMatrix("multiclass", **of)(p, t)
assert confusion[0].tolist() == [3, 2, 7, 5, 5]
all_of = tm.MetricCollection([tm.MeanSquaredError(), tm.R2Score(), tm.SpearmanCorrCoef()])
a = torch.randn(50)
found = all_of(a, a + 0.3 * torch.randn(50))
near([*found.values()], [0.0786853, 0.9262868, 0.9544778])
ssim = tm.image.StructuralSimilarityIndexMeasure()
near(ssim(torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32)), 0.0070152)
print("ok")
"""


def test_torchmetrics(run) -> None:
    assert run("torchmetrics", PROGRAM).endswith("ok\n")
