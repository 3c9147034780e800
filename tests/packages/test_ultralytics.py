"""ultralytics: A YOLO predicts, and its loss has gradients."""

from __future__ import annotations

PROGRAM = """
import os
os.environ["YOLO_OFFLINE"] = "True"
import numpy as np, torch
from types import SimpleNamespace
from ultralytics import YOLO
torch.manual_seed(0)
yolo = YOLO("yolov8n.yaml", verbose=False)
image = torch.rand(1, 3, 64, 64)
assert yolo.model.eval()(image)[0].shape == (1, 84, 84)
found = yolo.predict(np.zeros((64, 64, 3), "uint8"), imgsz=64, verbose=False, device="cpu")
assert found[0].boxes.xyxy.shape == (0, 4)
yolo.model.train().args = SimpleNamespace(box=7.5, cls=0.5, dfl=1.5)
box = torch.tensor([[0.5, 0.5, 0.4, 0.4]])
batch = {"img": image, "cls": torch.zeros(1, 1), "bboxes": box, "batch_idx": torch.zeros(1)}
loss, parts = yolo.model.loss(batch)
loss.sum().backward()
assert all(p.grad is None or p.grad.isfinite().all() for p in yolo.model.parameters())
print("ok")
"""


def test_ultralytics(run) -> None:
    assert run("ultralytics", PROGRAM).endswith("ok\n")
