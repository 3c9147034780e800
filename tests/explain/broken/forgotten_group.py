"""The optimiser holds the encoder only."""

import torch
from torch import nn

torch.manual_seed(0)


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.decoder = nn.Linear(32, 5)

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Translator()
optimizer = torch.optim.AdamW(
    [{"params": model.encoder.parameters(), "lr": 1e-3}],
    weight_decay=0.01,
)
for _ in range(4):
    x = torch.randn(32, 10)
    loss = nn.functional.cross_entropy(model(x), x[:, :5].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
