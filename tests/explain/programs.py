"""Programs whose pages are looked at: each does `steps` steps and has nothing but itself in it."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


class Net(nn.Module):
    """The network of PyTorch's MNIST example."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x: Any) -> Any:
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))
        x = F.relu(self.fc1(x.view(-1, 320)))
        return F.log_softmax(self.fc2(x), dim=1)


def mnist(steps: int = 2) -> None:
    data = torch.utils.data.TensorDataset(
        torch.randn(64 * steps, 1, 28, 28), torch.randint(0, 10, (64 * steps,))
    )
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    for x, target in torch.utils.data.DataLoader(data, 64):
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), target)
        loss.backward()
        optimizer.step()
        print(loss.item(), end=" ")


def train(model: Any, loss_of: Any, steps: int) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()


def resnet(steps: int = 2) -> None:
    from rushlight.vision.models import resnet50

    x, target = torch.randn(2, 3, 64, 64), torch.tensor([1, 2])
    train(resnet50(num_classes=10), lambda m: F.cross_entropy(m(x), target), steps)


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.lstm = nn.LSTM(32, 48, num_layers=2, batch_first=True)
        self.cell = nn.LSTMCell(48, 16)
        self.tags = nn.Linear(16, 5)

    def forward(self, ids: Any) -> Any:
        found, _ = self.lstm(self.words(ids))
        state, out = None, []
        for t in range(found.shape[1]):  # a module that is called again and again
            state = self.cell(found[:, t], state)
            out.append(self.tags(state[0]))
        return torch.stack(out, 1)


def lstm(steps: int = 2) -> None:
    ids, tags = torch.randint(0, 50, (4, 12)), torch.randint(0, 5, (48,))
    train(Tagger(), lambda m: F.cross_entropy(m(ids).flatten(0, 1), tags), steps)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        up, down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.mlp = nn.Sequential(up, nn.GELU(), down)

    def forward(self, x: Any) -> Any:
        b, t, w = x.shape
        parts = self.qkv(self.norm1(x)).chunk(3, -1)
        q, k, v = (p.view(b, t, 4, w // 4).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, w))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, layers: int = 12, width: int = 128) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(64, width), nn.Embedding(64, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 64, bias=False)

    def forward(self, ids: Any) -> Any:
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt(steps: int = 2) -> None:
    ids = torch.randint(0, 64, (4, 33))
    given, wanted = ids[:, :-1], ids[:, 1:].flatten()
    train(GPT(), lambda m: F.cross_entropy(m(given).flatten(0, 1), wanted), steps)


def dcgan(steps: int = 2) -> None:
    """A generator and a discriminator, each with its optimiser."""
    netG = nn.Sequential(
        nn.ConvTranspose2d(16, 16, 4), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh(),
    )  # fmt: skip
    netD = nn.Sequential(
        nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.BatchNorm2d(16),
        nn.LeakyReLU(0.2), nn.Conv2d(16, 1, 4), nn.Flatten(), nn.Sigmoid(),
    )  # fmt: skip
    optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
    real, one, zero = torch.rand(8, 1, 16, 16), torch.ones(8, 1), torch.zeros(8, 1)
    for _ in range(steps):
        fake = netG(torch.randn(8, 16, 1, 1))
        netD.zero_grad()
        F.binary_cross_entropy(netD(real), one).backward()
        F.binary_cross_entropy(netD(fake.detach()), zero).backward()
        optD.step()
        netG.zero_grad()
        F.binary_cross_entropy(netD(fake), one).backward()
        optG.step()


def nan() -> None:
    """A logarithm of a number below zero."""
    layer = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for k in range(2):
        x = layer(torch.ones(2, 4))
        loss = (x - 10.0).log().sum() if k else x.sum()
        loss.backward()
        optimizer.step()
