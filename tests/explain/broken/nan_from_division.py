"""Distances of pairs: where two are equal, the derivative of the root divides by 0."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    left = torch.randn(16, 6)
    right = left.clone()
    right[4:] += torch.randn(12, 6)
    a, b = model(left), model(right)
    distance = torch.sqrt(((a - b) ** 2).sum(1))
    loss = distance.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
