"""The result of `exp`, which its derivative needs, is changed in place."""

import torch
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(16, 16)

    def forward(self, x):
        weight = torch.exp(self.score(x))
        weight /= weight.sum(1, keepdim=True)
        return (weight * x).sum(1)


model = Attention()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 16)
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
