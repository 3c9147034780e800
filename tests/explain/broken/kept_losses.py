"""Losses are collected with their graphs."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []
for _ in range(30):
    x = torch.randn(64, 32)
    loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss)
print(f"mean loss {sum(history).item() / len(history):.3f}")
