"""A gate is rounded to whole numbers, which have no gradient."""

import torch
from torch import nn

torch.manual_seed(0)


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(10, 16)
        self.body = nn.Linear(10, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        level = (4 * torch.sigmoid(self.gate(x))).long()
        return self.head(torch.relu(self.body(x)) * level)


model = Gated()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(4):
    x = torch.randn(32, 10)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
