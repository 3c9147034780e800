"""Only the backbone should be frozen, but the name of the new head begins like it."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(16, 32)
        self.layer2 = nn.Linear(32, 32)
        self.layer_out = nn.Linear(32, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        x = torch.relu(self.layer2(x))
        return self.layer_out(x) * self.scale


model = Net()
for name, p in model.named_parameters():
    if name.startswith("layer"):
        p.requires_grad = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(32, 16)
    loss = nn.functional.cross_entropy(model(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
