"""An evaluation without `no_grad`, whose predictions are collected."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(4):
    x = torch.randn(64, 32)
    loss = nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
predictions = []
for _ in range(25):
    x = torch.randn(64, 32)
    predictions.append(model(x))
print(f"share of ones {torch.cat(predictions).argmax(1).float().mean():.2f}")
