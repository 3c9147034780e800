"""pytorch_forecasting: A temporal fusion transformer learns and predicts; PyTorch's numbers."""

from __future__ import annotations

PROGRAM = """
import lightning.pytorch as L, numpy as np, pandas as pd, torch
from near import near
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.metrics import QuantileLoss
L.seed_everything(0)
n = 60
frame = pd.DataFrame({
    "time": list(range(n)) * 2, "group": ["a"] * n + ["b"] * n,
    "value": np.sin(np.arange(2 * n) / 5).astype("float32")})
data = TimeSeriesDataSet(
    frame, time_idx="time", target="value", group_ids=["group"], max_encoder_length=12,
    max_prediction_length=4, time_varying_unknown_reals=["value"],
    time_varying_known_reals=["time"])
model = TemporalFusionTransformer.from_dataset(
    data, hidden_size=8, attention_head_size=1, hidden_continuous_size=4, loss=QuantileLoss())
quiet = {"accelerator": "cpu", "logger": False, "enable_progress_bar": False}
trainer = L.Trainer(max_epochs=1, enable_checkpointing=False, enable_model_summary=False,
                    limit_train_batches=3, **quiet)
trainer.fit(model, data.to_dataloader(train=True, batch_size=16, num_workers=0))
near(trainer.callback_metrics["train_loss"], 0.6182)
out = model.predict(data.to_dataloader(train=False, batch_size=16), trainer_kwargs=quiet)
near([out.shape[0], out.sum()], [90, 177.1983])
print("ok")
"""


def test_pytorch_forecasting(run) -> None:
    assert run("pytorch_forecasting", PROGRAM).endswith("ok\n")
