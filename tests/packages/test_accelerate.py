"""accelerate: A loop with Accelerator."""

from __future__ import annotations

PROGRAM = """
import torch
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.zeros(32, 1))
model, opt, loader = accelerator.prepare(model, opt, torch.utils.data.DataLoader(data, 8))
losses = []
for _ in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        opt.step()
        losses.append(loss.item())
assert losses[-1] < losses[0]
accelerator.save_state("state")
print("ok")
"""


def test_accelerate(run) -> None:
    assert run("accelerate", PROGRAM).endswith("ok\n")
