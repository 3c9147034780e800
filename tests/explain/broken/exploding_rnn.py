"""A recurrent network whose recurrent weights are too large, over 40 steps of time."""

import torch
from torch import nn

torch.manual_seed(0)


class Recurrent(nn.Module):
    def __init__(self, inputs=8, hidden=32):
        super().__init__()
        self.read = nn.Linear(inputs, hidden)
        self.carry = nn.Linear(hidden, hidden, bias=False)
        self.head = nn.Linear(hidden, 1)
        nn.init.normal_(self.carry.weight, std=0.5)

    def forward(self, x):
        h = torch.zeros(x.shape[1], 32)
        for t in range(x.shape[0]):
            h = self.read(x[t]) + self.carry(h)
        return self.head(h)


model = Recurrent()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(40, 16, 8)
    loss = nn.functional.mse_loss(model(x), x.sum((0, 2)).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
