"""Packages that train: loops, losses, privacy."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "ignite": """
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping, ModelCheckpoint, PiecewiseLinear, EMAHandler
from ignite.metrics import SSIM, Accuracy, ConfusionMatrix, Loss, RunningAverage
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
x = torch.randn(60, 4)
y = x[:, :3].argmax(1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=12)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loss = torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, opt, loss)
RunningAverage(output_transform=lambda o: o).attach(trainer, "loss")
evaluator = create_supervised_evaluator(model, metrics={
    "accuracy": Accuracy(), "loss": Loss(loss), "matrix": ConfusionMatrix(3)})
trainer.add_event_handler(
    Events.ITERATION_STARTED, PiecewiseLinear(opt, "lr", [(0, 0.02), (10, 0.2)]))
EMAHandler(model, momentum=0.1).attach(trainer)
@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(loader)
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(
    patience=3, score_function=lambda e: e.state.metrics["accuracy"], trainer=trainer))
trainer.add_event_handler(Events.EPOCH_COMPLETED, ModelCheckpoint(
    "kept", "m", n_saved=1, require_empty=False), {"model": model, "opt": opt})
trainer.run(loader, max_epochs=4)
metrics = evaluator.state.metrics
import os
assert len(os.listdir("kept")) == 1
print(metrics["accuracy"], metrics["loss"], trainer.state.metrics["loss"],
      *metrics["matrix"].flatten().tolist())
""",
    "pytorch_metric_learning": """
import torch
from pytorch_metric_learning import distances, losses, miners, reducers, samplers, testers
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
torch.manual_seed(0)
x = torch.randn(24, 8, requires_grad=True)
labels = torch.arange(24) % 4
figures = []
triplets = miners.MultiSimilarityMiner()(x, labels)
for loss in (losses.TripletMarginLoss(), losses.ContrastiveLoss(), losses.NTXentLoss(),
             losses.SupConLoss(),
             losses.MultiSimilarityLoss(), losses.CircleLoss(), losses.ArcFaceLoss(4, 8),
             losses.ProxyAnchorLoss(4, 8), losses.NPairsLoss(),
             losses.TripletMarginLoss(distance=distances.CosineSimilarity(),
                                      reducer=reducers.ThresholdReducer(low=0.1))):
    x.grad = None
    value = loss(x, labels, triplets) if "Triplet" in type(loss).__name__ else loss(x, labels)
    value.backward()
    figures += [value.item(), x.grad.norm().item()]
print(*figures, *[len(t) for t in triplets])
""",
    "opacus": """
import torch
from opacus import PrivacyEngine
from opacus.validators import ModuleValidator
torch.manual_seed(0)
model = ModuleValidator.fix(torch.nn.Sequential(
    torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(),
    torch.nn.Linear(4 * 36, 3)))
assert not ModuleValidator.validate(model, strict=False)
x, y = torch.randn(32, 1, 8, 8), torch.arange(32) % 3
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
engine = PrivacyEngine()
model, opt, loader = engine.make_private(
    module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), data_loader=loader,
    noise_multiplier=1.1, max_grad_norm=1.0, poisson_sampling=False)
losses = []
for a, b in loader:
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(a), b)
    loss.backward()
    sizes = [p.grad_sample.shape[0] for p in model.parameters()]
    norms = sum(p.grad_sample.pow(2).sum().item() for p in model.parameters())
    losses += [loss.item(), norms]
    opt.step()
assert set(sizes) == {8}
print(engine.get_epsilon(1e-5), *losses[:4])
""",
    "pytorch_tabnet": """
import numpy as np, torch
from pytorch_tabnet.pretraining import TabNetPretrainer
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor
rng = np.random.default_rng(0)
x = rng.normal(size=(128, 6)).astype(np.float32)
x[:, 5] = rng.integers(0, 4, 128)
y = (x[:, 0] + x[:, 1] > 0).astype(int)
model = TabNetClassifier(n_d=4, n_a=4, n_steps=2, cat_idxs=[5], cat_dims=[4], cat_emb_dim=2,
                         verbose=0, seed=1, device_name="cpu", optimizer_params={"lr": 0.02})
model.fit(x[:96], y[:96], eval_set=[(x[96:], y[96:])], max_epochs=6, patience=0, batch_size=32,
          virtual_batch_size=16, eval_metric=["auc", "logloss"])
explain, masks = model.explain(x[:8])
regressor = TabNetRegressor(n_d=4, n_a=4, n_steps=2, verbose=0, seed=1, device_name="cpu")
regressor.fit(x, x[:, :1], max_epochs=3, patience=0, batch_size=32, virtual_batch_size=16)
model.save_model("kept")
again = TabNetClassifier()
again.load_model("kept.zip")
assert np.allclose(again.predict_proba(x), model.predict_proba(x))
print(*model.history["loss"], *model.feature_importances_, *regressor.history["loss"])
""",
}

FIGURES: dict[str, list[float]] = {
    "ignite": [0.9166667, 0.1949706, 0.93022, 13, 2, 1, 0, 27, 0, 2, 0, 15],
    "pytorch_metric_learning": [
        0.3185523, 0.04724284, 1.556305, 0.1767604, 9.782117, 1.638077, 7.473645, 0.9868128,
        1.587662, 0.1285602, 181.5394, 23.96951, 46.38732, 7.496782, 42.29148, 9.181365,
        1.484865, 0.2788077, 0.4888497, 0.07084191, 118, 118, 411, 411,
    ],
    "opacus": [3.585374, 1.367946, 532.5305, 1.008146, 386.3866],
    "pytorch_tabnet": [
        0.932893, 0.7494449, 0.6736911, 0.6370535, 0.6058616, 0.6094077, 0.08829306,
        0.3462906, 0.05834698, 0.1504065, 0.2893443, 0.06731846, 1.084667, 0.7492514,
        0.6780073,
    ],
}


@pytest.mark.parametrize("package", PROGRAMS)
def test_package(package: str, figures) -> None:
    found = figures(package, PROGRAMS[package])
    assert found == pytest.approx(FIGURES[package], rel=1e-4, abs=1e-6)
