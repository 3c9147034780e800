"""fastai: A learner learns; the numbers are PyTorch's."""

from __future__ import annotations

PROGRAM = """
import torch
from fastai.callback.progress import *
from fastai.basics import DataLoader, DataLoaders, Learner
from near import near
torch.manual_seed(0)
x = torch.randn(64, 4)
items = list(zip(x, x.sum(1, keepdim=True)))
dls = DataLoaders(DataLoader(items, bs=16), DataLoader(items, bs=16))
learn = Learner(dls, torch.nn.Linear(4, 1), loss_func=torch.nn.MSELoss(), lr=0.1)
with learn.no_bar(), learn.no_logging():
    learn.fit(5)
    near(learn.model.weight, [[1.0620334, 1.1977727, 1.2174401, 1.1407287]])
    near(learn.validate()[0], 0.1052672)
print("ok")
"""


def test_fastai(run) -> None:
    assert run("fastai", PROGRAM).endswith("ok\n")
