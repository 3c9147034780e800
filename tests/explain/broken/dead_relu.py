"""Inputs that are not normalised and too high a learning rate: the hidden units die at once."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 32)
        self.fc2 = nn.Linear(32, 1)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return self.fc2(h)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x = 50 * torch.rand(64, 8)
    loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
