"""fastai: A learner learns."""

from __future__ import annotations

PROGRAM = """
import torch
from fastai.callback.progress import *
from fastai.basics import DataLoaders, DataLoader, Learner
torch.manual_seed(0)
x = torch.randn(64, 4)
items = list(zip(x, x.sum(1, keepdim=True)))
dls = DataLoaders(DataLoader(items, bs=16), DataLoader(items, bs=16))
learn = Learner(dls, torch.nn.Linear(4, 1), loss_func=torch.nn.MSELoss(), lr=0.1)
with learn.no_bar(), learn.no_logging():
    learn.fit(5)
assert learn.validate()[0] < 1.0
print("ok")
"""


def test_fastai(run) -> None:
    assert run("fastai", PROGRAM).endswith("ok\n")
