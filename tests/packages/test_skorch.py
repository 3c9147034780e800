"""skorch: A classifier as scikit-learn has them."""

from __future__ import annotations

PROGRAM = """
import numpy as np, torch
from skorch import NeuralNetClassifier
torch.manual_seed(0)
x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
y = (x[:, 0] > 0).astype("int64")
net = NeuralNetClassifier(torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(-1)),
                          max_epochs=20, lr=0.5, verbose=0)
net.fit(x, y)
assert (net.predict(x) == y).mean() > 0.85
print("ok")
"""


def test_skorch(run) -> None:
    assert run("skorch", PROGRAM).endswith("ok\n")
