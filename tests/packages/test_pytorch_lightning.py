"""pytorch_lightning: Trainer.fit with callbacks and a checkpoint; the numbers are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import pytorch_lightning as L, torch
from near import near
class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.save_hyperparameters()
    def training_step(self, batch, i):
        loss = self.layer(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss
    def validation_step(self, batch, i):
        self.log("val", self.layer(batch[0]).pow(2).mean())
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=0.1)
        return [opt], [torch.optim.lr_scheduler.StepLR(opt, 1)]
L.seed_everything(0)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), 8)
best = L.callbacks.ModelCheckpoint(dirpath=".", monitor="val")
trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False,
                    callbacks=[L.callbacks.EarlyStopping("val"), best])
trainer.fit(Model(), data, data)
near([trainer.callback_metrics[k] for k in ("loss", "val")], [0.0118452, 0.0163097])
again = Model.load_from_checkpoint(best.best_model_path)
near(again.layer.weight, [[0.0462501, -0.0311173, -0.0007935, -0.1125253]])
print("ok")
"""


def test_pytorch_lightning(run) -> None:
    assert run("pytorch_lightning", PROGRAM).endswith("ok\n")
