"""lightning: Trainer.fit."""

from __future__ import annotations

PROGRAM = """
import torch, lightning as L
class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def training_step(self, batch, i):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
L.seed_everything(0)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), 8)
model = Model()
before = model.layer.weight.detach().clone()
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=True,
                    enable_progress_bar=False, enable_model_summary=True)
trainer.fit(model, data)
assert not torch.equal(before, model.layer.weight) and trainer.callback_metrics["loss"] < 1
print("ok")
"""


def test_lightning(run) -> None:
    assert run("lightning", PROGRAM).endswith("ok\n")
