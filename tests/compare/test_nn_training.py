"""Whole networks beside PyTorch: the same losses step by step, and weights that change hands."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def cnn(t: Any) -> Any:
    nn = t.nn

    class Net(nn.Module):
        """PyTorch's MNIST example, without dropout."""

        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
            self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
            self.fc1 = nn.Linear(320, 50)
            self.fc2 = nn.Linear(50, 10)

        def forward(self, x: Any) -> Any:
            F = nn.functional
            x = F.relu(F.max_pool2d(self.conv1(x), 2))
            x = F.relu(F.max_pool2d(self.conv2(x), 2))
            x = F.relu(self.fc1(x.view(-1, 320)))
            return F.log_softmax(self.fc2(x), dim=1)

    return Net(), (1, 28, 28), nn.functional.nll_loss


def residual(t: Any) -> Any:
    nn = t.nn

    class Block(nn.Module):
        def __init__(self, a: int, b: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(a, b, 3, stride, 1, bias=False),
                nn.BatchNorm2d(b),
                nn.ReLU(inplace=True),
                nn.Conv2d(b, b, 3, 1, 1, bias=False),
                nn.BatchNorm2d(b),
            )
            self.short = nn.Sequential(nn.Conv2d(a, b, 1, stride, bias=False), nn.BatchNorm2d(b))

        def forward(self, x: Any) -> Any:
            y = self.body(x)
            y += self.short(x)
            return nn.functional.relu(y, inplace=True)

    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        Block(8, 8, 1),
        Block(8, 16, 2),
        nn.GroupNorm(4, 16),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
    return net, (3, 12, 12), nn.CrossEntropyLoss(label_smoothing=0.1)


def normalised(t: Any) -> Any:
    nn = t.nn
    P = nn.utils.parametrizations
    net = nn.Sequential(
        nn.Flatten(),
        P.weight_norm(nn.Linear(36, 20)),
        nn.LayerNorm(20),
        nn.SiLU(),
        P.spectral_norm(nn.Linear(20, 20)),
        nn.Softplus(),
        P.orthogonal(nn.Linear(20, 20)),
        nn.PReLU(),
        nn.Linear(20, 10),
    )
    return net, (1, 6, 6), nn.CrossEntropyLoss()


def generator(t: Any) -> Any:
    nn = t.nn
    net = nn.Sequential(
        nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False),
        nn.BatchNorm2d(8),
        nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(8, 4, 4, 2, 1, bias=False),
        nn.InstanceNorm2d(4, affine=True),
        nn.Tanh(),
        nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.AvgPool2d(4),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    return net, (4, 1, 1), nn.CrossEntropyLoss()


def train(t: Any, make: Any, steps: int) -> tuple[list[float], Any]:
    t.manual_seed(1)
    net, shape, loss_of = make(t)
    rng = np.random.default_rng(0)
    optimizer = t.optim.SGD(net.parameters(), lr=0.05, momentum=0.5, weight_decay=1e-4)
    losses = []
    for _ in range(steps):
        x = t.from_numpy(rng.standard_normal((16, *shape)).astype(np.float32))
        y = t.from_numpy(rng.integers(0, 10, 16))
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        t.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, net


@pytest.mark.parametrize("make", [cnn, residual, normalised, generator])
def test_losses_step_by_step(make: Any) -> None:
    mine, net = train(rushlight, make, 10)
    theirs, other = train(torch, make, 10)
    np.testing.assert_allclose(mine, theirs, atol=1e-5)
    a, b = net.state_dict(), other.state_dict()
    assert list(a) == list(b)
    for k in a:
        np.testing.assert_allclose(a[k].numpy(), b[k].numpy(), rtol=1e-3, atol=1e-4)
    assert repr(net) == repr(other)


@pytest.mark.parametrize("make", [cnn, residual, generator])
def test_weights_change_hands_in_files(make: Any, tmp_path: Path) -> None:
    _, theirs = train(torch, make, 1)
    torch.save(theirs.state_dict(), tmp_path / "theirs.pt")
    rushlight.manual_seed(9)
    mine, shape, _ = make(rushlight)
    print(mine.load_state_dict(rushlight.load(tmp_path / "theirs.pt")))
    x = np.random.default_rng(0).standard_normal((2, *shape)).astype(np.float32)
    mine.eval()
    theirs.eval()
    wanted = theirs(torch.from_numpy(x)).detach().numpy()
    got = mine(rushlight.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    rushlight.save(mine.state_dict(), tmp_path / "mine.pt")
    again, _, _ = make(torch)
    again.load_state_dict(torch.load(tmp_path / "mine.pt", weights_only=True))
    again.eval()
    np.testing.assert_array_equal(again(torch.from_numpy(x)).detach().numpy(), wanted)


def gpt(t: Any) -> Any:
    """A small language model in nanoGPT's style: tied weights, a mask buffer, apply()."""
    nn = t.nn
    F = nn.functional

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.c_attn = nn.Linear(width, 3 * width)
            self.c_proj = nn.Linear(width, width)
            self.heads = heads
            self.register_buffer("mask", t.tril(t.ones(16, 16)).view(1, 1, 16, 16))

        def forward(self, x: Any) -> Any:
            b, n, c = x.size()
            q, k, v = (
                part.view(b, n, self.heads, c // self.heads).transpose(1, 2)
                for part in self.c_attn(x).split(c, dim=2)
            )
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.mask[:, :, :n, :n] == 0, float("-inf"))
            y = F.softmax(att, dim=-1) @ v
            return self.c_proj(y.transpose(1, 2).contiguous().view(b, n, c))

    class Block(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.ln_1 = nn.LayerNorm(width)
            self.attn = Attention(width, heads)
            self.ln_2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.ModuleDict(
                {
                    "wte": nn.Embedding(20, 32),
                    "wpe": nn.Embedding(16, 32),
                    "h": nn.ModuleList([Block(32, 4) for _ in range(2)]),
                    "ln_f": nn.LayerNorm(32),
                }
            )
            self.lm_head = nn.Linear(32, 20, bias=False)
            self.body.wte.weight = self.lm_head.weight
            self.apply(self.start)

        def start(self, module: Any) -> None:
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

        def forward(self, idx: Any, target: Any) -> Any:
            x = self.body.wte(idx) + self.body.wpe(t.arange(idx.size(1)).unsqueeze(0))
            for block in self.body.h:
                x = block(x)
            logits = self.lm_head(self.body.ln_f(x))
            return F.cross_entropy(logits.view(-1, logits.size(-1)), target.view(-1))

    t.manual_seed(0)
    net = GPT()
    groups = [
        {"params": [p for p in net.parameters() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in net.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = t.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95))
    log = []
    for step in range(6):
        t.manual_seed(step)
        idx, target = t.randint(0, 20, (4, 16)), t.randint(0, 20, (4, 16))
        loss = net(idx, target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        log.append((loss.item(), norm.item()))
    return log, len(list(net.parameters())), list(net.state_dict())


def test_language_model() -> None:
    mine, theirs = gpt(rushlight), gpt(torch)
    np.testing.assert_allclose(mine[0], theirs[0], atol=1e-5)
    assert mine[1:] == theirs[1:]
