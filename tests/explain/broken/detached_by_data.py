"""An autoencoder whose encoder never learns: `.data` cuts the chain."""

import torch
from torch import nn

torch.manual_seed(0)


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(20, 8)
        self.decoder = nn.Linear(8, 20)

    def forward(self, x):
        code = torch.tanh(self.encoder(x))
        code = code.data.clamp(-0.9, 0.9)
        return self.decoder(code)


model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    x = torch.randn(32, 20)
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
