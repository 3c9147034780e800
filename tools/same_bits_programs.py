"""The training programs of `same_bits.py`: networks, data, optimisers.

A program is a generator of (moment, {name: value}). It uses public names alone, so it runs with
trees whose inside is laid out in another way.

Not here: how values are told (`same_bits_child.py`), single calls (`same_bits_calls.py`).
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rushlight as torch

nn, F = torch.nn, torch.nn.functional
Moments = Iterator[tuple[str, dict[str, Any]]]


# -- training ------------------------------------------------------------------------------------


def after(model: Any, optimizers: list[Any], **more: Any) -> dict[str, Any]:
    """All that a step of training leaves, in about the order in which it was computed."""
    found = dict(more)
    parameters = list(model.named_parameters())
    found |= {f"gradient of {n}": p.grad for n, p in reversed(parameters) if p.grad is not None}
    found |= {f"buffer {n}": b for n, b in model.named_buffers()}
    for i, optimizer in enumerate(optimizers):
        for j, state in optimizer.state_dict()["state"].items():
            found |= {f"optimizer {i}, {n} of {j}": v for n, v in state.items() if v is not None}
    found |= {f"parameter {n}": p for n, p in parameters}
    return found | {"random generator": torch.get_rng_state()}


def train(
    model: Any, optimizer: Any, loss: Any, steps: int, clip: float = 0.0, x: Any = None
) -> Moments:
    """Steps of training; then, when `x` is given, what the model says of it in evaluation."""
    for step in range(steps):
        optimizer.zero_grad()
        value = loss(step)
        value.backward()
        more = {"loss": value}
        if clip:
            more["norm"] = nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        yield f"step {step + 1}", after(model, [optimizer], **more)
    if x is not None:
        model.eval()
        with torch.no_grad():
            yield "inference", {"result": model(x)}


def rng() -> np.random.Generator:
    return np.random.default_rng(9)


def drawn(*shape: int) -> Any:
    return torch.from_numpy(rng().standard_normal(shape).astype(np.float32))


def numbers(most: int, *shape: int) -> Any:
    return torch.from_numpy(rng().integers(0, most, shape))


# -- images --------------------------------------------------------------------------------------


def digits(count: int) -> tuple[Any, Any]:
    """MNIST where RUSHLIGHT_MNIST names its folder, else noise. NumPy reads it, on both sides."""
    folder = Path(os.environ.get("RUSHLIGHT_MNIST", ""))
    for raw in (folder / "MNIST" / "raw", folder):
        for end, opened in (("", open), (".gz", gzip.open)):
            files = [raw / f"train-{n}-ubyte{end}" for n in ("images-idx3", "labels-idx1")]
            if os.environ.get("RUSHLIGHT_MNIST") and all(f.exists() for f in files):
                data = [opened(f, "rb").read() for f in files]
                x = np.frombuffer(data[0], np.uint8, count * 784, 16).reshape(-1, 1, 28, 28)
                y = np.frombuffer(data[1], np.uint8, count, 8).astype(np.int64)
                x = (x.astype(np.float32) / 255 - 0.1307) / 0.3081
                return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(y)
    return drawn(count, 1, 28, 28), numbers(10, count)


class Digits(nn.Module):
    """The network of PyTorch's MNIST example in its older form."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.drop = nn.Dropout2d()
        self.fc1, self.fc2 = nn.Linear(320, 50), nn.Linear(50, 10)

    def forward(self, x: Any) -> Any:
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.drop(self.conv2(x)), 2))
        x = F.dropout(F.relu(self.fc1(x.view(-1, 320))), training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


def mnist(steps: int, adam: bool = False) -> Moments:
    x, y = digits(640)
    model = Digits()

    def loss(step: int) -> Any:
        at = slice(step % 10 * 64, step % 10 * 64 + 64)
        return F.nll_loss(model(x[at]), y[at])

    sgd = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3) if adam else sgd
    return train(model, optimizer, loss, steps, clip=0.5 if adam else 0.0, x=x[:64])


def mnist_adam(steps: int) -> Moments:
    return mnist(steps, adam=True)


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, channels: int, wide: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, wide, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(wide), nn.BatchNorm2d(wide)
        self.around = nn.Identity()
        if stride != 1:
            self.around = nn.Sequential(
                nn.Conv2d(channels, wide, 1, stride, bias=False), nn.BatchNorm2d(wide)
            )

    def forward(self, x: Any) -> Any:
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.around(x))


def resnet(steps: int) -> Moments:
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip
    x, y = drawn(32, 3, 32, 32), numbers(10, 32)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True
    )

    def loss(step: int) -> Any:
        at = slice(step % 2 * 16, step % 2 * 16 + 16)
        return F.cross_entropy(model(x[at]), y[at], label_smoothing=0.1)

    return train(model, optimizer, loss, steps, x=x)


def resnet18(steps: int) -> Moments:
    """The whole network, three steps."""
    from rushlight.vision import models

    model, x, y = models.resnet18(num_classes=10), drawn(2, 3, 64, 64), numbers(10, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return train(model, optimizer, lambda _: F.cross_entropy(model(x), y), min(3, steps), x=x)


def gan(steps: int) -> Moments:
    """A generator and a critic, with group and instance norm, two optimisers."""

    def up(a: int, b: int, stride: int, pad: int) -> Any:
        return nn.ConvTranspose2d(a, b, 4, stride, pad, bias=False)

    made = nn.Sequential(
        up(32, 64, 1, 0), nn.GroupNorm(8, 64), nn.ReLU(True),
        up(64, 32, 2, 1), nn.InstanceNorm2d(32, affine=True), nn.ReLU(True),
        up(32, 16, 2, 1), nn.BatchNorm2d(16), nn.SiLU(), up(16, 3, 2, 1), nn.Tanh(),
    )  # fmt: skip
    critic = nn.Sequential(
        nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(16, 32, 4, 2, 1), nn.InstanceNorm2d(32), nn.LeakyReLU(0.2),
        nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32 * 16, 1),
    )  # fmt: skip
    both, real = nn.ModuleList([made, critic]), drawn(8, 3, 32, 32).tanh()
    optimizers = [torch.optim.Adam(m.parameters(), lr=2e-4, betas=(0.5, 0.999)) for m in both]
    f, one, zero = F.binary_cross_entropy_with_logits, torch.ones(8, 1), torch.zeros(8, 1)
    for step in range(steps):
        fake = made(torch.randn(8, 32, 1, 1))
        optimizers[1].zero_grad()
        wrong = f(critic(real), one) + f(critic(fake.detach()), zero)
        wrong.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        found = f(critic(fake), one)
        found.backward()
        optimizers[0].step()
        yield f"step {step + 1}", after(both, optimizers, image=fake, critic=wrong, loss=found)


# -- words ---------------------------------------------------------------------------------------


class Attention(nn.Module):
    """A block of nanoGPT: causal attention, then two linear layers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(0.1)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width, bias=False)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:  # (B, T, C)
        B, T, C = x.shape
        parts = self.qkv(self.norm1(x)).split(C, dim=2)
        q, k, v = (p.view(B, T, self.heads, C // self.heads).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.drop(self.out(y.transpose(1, 2).contiguous().view(B, T, C)))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))


class GPT(nn.Module):
    def __init__(self, letters: int, context: int, width: int, layers: int) -> None:
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Attention(width, 4) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)
        self.head.weight = self.letter.weight  # one matrix, as in nanoGPT

    def forward(self, x: Any) -> Any:  # (B, T)
        x = self.letter(x) + self.place(torch.arange(x.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def gpt(steps: int) -> Moments:
    model, words = GPT(65, 64, 128, 3), numbers(65, 8, 65)
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95))
    x, y = words[:, :-1], words[:, 1:].reshape(-1)
    f = lambda _: F.cross_entropy(model(x).view(-1, 65), y)  # noqa: E731
    return train(model, optimizer, f, steps, clip=1.0, x=x)


class Language(nn.Module):
    """PyTorch's word language model: table, recurrent layers, decoder."""

    def __init__(self, kind: str, words: int, width: int) -> None:
        super().__init__()
        self.drop, self.table = nn.Dropout(0.2), nn.Embedding(words, width)
        self.layers = getattr(nn, kind)(width, width, 2, dropout=0.2)
        self.decoder = nn.Linear(width, words)

    def forward(self, x: Any) -> Any:
        return self.decoder(self.drop(self.layers(self.drop(self.table(x)))[0]))


def recurrent(kind: str, steps: int) -> Moments:
    model, words = Language(kind, 200, 128), numbers(200, 36, 20)
    x, y = words[:-1], words[1:].reshape(-1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    f = lambda _: F.cross_entropy(model(x).view(-1, 200), y)  # noqa: E731
    return train(model, optimizer, f, steps, clip=0.25, x=x)


def lstm(steps: int) -> Moments:
    return recurrent("LSTM", steps)


def gru(steps: int) -> Moments:
    return recurrent("GRU", steps)


# -- vectors -------------------------------------------------------------------------------------


def perceptron() -> Any:
    return nn.Sequential(
        nn.Linear(64, 128), nn.BatchNorm1d(128), nn.LeakyReLU(0.1), nn.Dropout(0.3),
        nn.Linear(128, 64), nn.BatchNorm1d(64), nn.ELU(), nn.Linear(64, 10),
    )  # fmt: skip


def mlp(steps: int) -> Moments:
    model, x, y = perceptron(), drawn(32, 64), numbers(10, 32)
    rule = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9, centered=True)
    return train(model, rule, lambda _: F.cross_entropy(model(x), y), steps, x=x)


def autocast(steps: int) -> Moments:
    """A small network in bfloat16."""
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, 2), nn.ReLU(), nn.GroupNorm(4, 16), nn.Flatten(), nn.Linear(2704, 64),
        nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10),
    )  # fmt: skip
    x, y = digits(64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def loss(_: int) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(model(x), y)

    return train(model, optimizer, loss, steps)


def optimizers(steps: int) -> Moments:
    """The other optimisers, some steps each."""
    given = {"Adadelta": {}, "Adafactor": {}, "Adagrad": {}, "Adam": {"amsgrad": True},
             "Adamax": {}, "ASGD": {}, "LBFGS": {}, "NAdam": {}, "RAdam": {}, "Rprop": {},
             "SGD": {"dampening": 0.1, "momentum": 0.9, "maximize": True}}  # fmt: skip
    x, y = drawn(32, 64), numbers(10, 32)
    for name, more in given.items():
        model = perceptron()
        optimizer = getattr(torch.optim, name)(model.parameters(), **more)
        for step in range(max(1, steps // 5)):

            def closure(model: Any = model, optimizer: Any = optimizer) -> Any:
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                return loss

            loss = optimizer.step(closure)
            state = {k: v for k, v in after(model, [optimizer], loss=loss).items() if flat(v)}
            yield f"step {step + 1}: {name}", state


def flat(value: Any) -> bool:
    """Whether it is a number or a tensor (LBFGS keeps lists too)."""
    return isinstance(value, (torch.Tensor, int, float))
