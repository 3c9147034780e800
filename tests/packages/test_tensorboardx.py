"""tensorboardX: Scalars, histograms and images are written."""

from __future__ import annotations

import pytest

PROGRAM = """
import os, torch
from tensorboardX import SummaryWriter
with SummaryWriter("runs") as writer:
    writer.add_scalar("loss", torch.tensor(0.5), 1)
    writer.add_histogram("weights", torch.randn(100), 1)
    writer.add_image("image", torch.rand(3, 8, 8), 1)
assert os.path.getsize(os.path.join("runs", os.listdir("runs")[0])) > 500
print("ok")
"""


@pytest.mark.slow
def test_tensorboardx(run) -> None:
    assert run("tensorboardX", PROGRAM).endswith("ok\n")
