"""A training program as users write it, with sixty methods of Tensor: type checkers find no error.

It runs as well (`tests/typing/test_typing.py`): a small network with attention learns to sort
digits, on data that it draws itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import Tensor, nn, optim
from rushlight.utils.data import DataLoader, Dataset, TensorDataset, random_split


@dataclass
class Settings:
    digits: int = 10
    length: int = 6
    width: int = 32
    heads: int = 4
    batch: int = 32
    steps: int = 20
    rate: float = 3e-3


class Sequences(Dataset[tuple[Tensor, Tensor]]):
    """Pairs of digits and the same digits in order."""

    def __init__(self, count: int, settings: Settings) -> None:
        self.given = torch.randint(settings.digits, (count, settings.length))
        self.sorted = self.given.sort(dim=1).values

    def __len__(self) -> int:
        return self.given.size(0)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.given[index], self.sorted[index]


class Attention(nn.Module):
    mask: Tensor

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.zeros(length, length, dtype=torch.bool))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.project(x).chunk(3, dim=-1)
        q, k, v = (self.split(t) for t in (q, k, v))
        scores = q.matmul(k.transpose(-2, -1)).div(math.sqrt(width // self.heads))
        weights = scores.masked_fill(self.mask, -1e9).softmax(dim=-1)
        y = weights.bmm(v).view(batch, self.heads, length, -1)
        return self.out(y.permute(0, 2, 1, 3).contiguous().reshape(batch, length, width))

    def split(self, t: Tensor) -> Tensor:
        """(batch, length, width) -> (batch * heads, length, width of a head)."""
        batch, length, _ = t.size()
        t = t.unflatten(-1, (self.heads, -1)).swapaxes(1, 2)
        return t.flatten(0, 1).view(batch * self.heads, length, -1)


class Sorter(nn.Module):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.digits = nn.Embedding(settings.digits, settings.width)
        self.places = nn.Parameter(torch.empty(settings.length, settings.width).normal_(0, 0.02))
        self.attention = Attention(settings.width, settings.heads, settings.length)
        self.norm = nn.LayerNorm(settings.width)
        self.head = nn.Sequential(
            nn.Linear(settings.width, 2 * settings.width),
            nn.GELU(),
            nn.Dropout(0.05),
            nn.Linear(2 * settings.width, settings.digits),
        )
        self.apply(self.start)

    @staticmethod
    def start(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            module.bias.detach().zero_()

    def forward(self, x: Tensor) -> Tensor:
        y = self.digits(x) + self.places.unsqueeze(0).expand(x.size(0), -1, -1)
        y = y + self.attention(self.norm(y))
        return self.head(y)


def smoothed(logits: Tensor, target: Tensor, share: float = 0.1) -> Tensor:
    """Cross entropy with smoothed labels, written out."""
    logp = logits.log_softmax(dim=-1)
    right = logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return right.mul(share - 1).sub(logp.mean(dim=-1).mul(share)).mean()


def accuracy(logits: Tensor, target: Tensor) -> float:
    same = logits.argmax(dim=-1).eq(target)
    return float(same.float().mean().item())


def statistics(model: nn.Module) -> dict[str, float]:
    """Some numbers about the parameters."""
    flat = torch.cat([p.detach().flatten() for p in model.parameters()])
    spread, middle = torch.std_mean(flat)
    low, high = flat.min(), flat.max()
    top = flat.abs().topk(3)
    quarter = flat.quantile(0.25)
    inside = flat.clamp(-1.0, 1.0).isclose(flat).all()
    return {
        "mean": middle.item(),
        "std": spread.item(),
        "range": high.sub(low).item(),
        "largest": top.values[0].item(),
        "quarter": quarter.item(),
        "inside": float(inside.item()),
        "norm": flat.norm().item(),
        "positive": flat.gt(0).sum().div(flat.numel()).item(),
        "finite": float(flat.isfinite().all()),
    }


def gradients(model: nn.Module, largest: float) -> Tensor:
    """The norm of all gradients, which are cut at `largest`."""
    total = torch.zeros(())
    for p in model.parameters():
        if p.grad is not None:
            total.add_(p.grad.square().sum())
    norm = total.sqrt()
    if norm.gt(largest).item():
        for p in model.parameters():
            if p.grad is not None:
                p.grad.mul_(largest / (norm + 1e-6))
    return norm


Pair = tuple[Tensor, Tensor]


def batches(loader: DataLoader[Pair], steps: int) -> Iterator[Pair]:
    done = 0
    while True:
        for given, target in loader:
            if done == steps:
                return
            done += 1
            yield given.to(torch.int64), target.long()


def confusion(logits: Tensor, target: Tensor, digits: int) -> Tensor:
    """How often each digit was taken for which."""
    pairs = target.mul(digits).add(logits.argmax(-1)).view(-1)
    counts = pairs.bincount(minlength=digits * digits).reshape(digits, digits)
    rows = counts.sum(dim=1, keepdim=True).clamp(min=1)
    return counts.double() / rows


def extras(x: Tensor) -> Tensor:
    """More of what programs do with tensors."""
    weights = torch.linspace(0, 1, x.size(-1)).tanh().exp().log1p()
    y = x.float().cumsum(dim=-1).roll(1, dims=-1).tril().triu(-2)
    y = y.repeat(2, 1).index_select(0, torch.arange(x.size(0))).where(y > 0, y.new_zeros(1))
    cut, rest = y.split([1, y.size(1) - 1], dim=1)
    joined = torch.stack([cut.squeeze(1), rest.amax(dim=1)], dim=-1)
    order = joined[:, 0].argsort(descending=True)
    smooth = torch.outer(weights, weights).diagonal().sigmoid().pow(2).round(decimals=3)
    found = y.nonzero().narrow(1, 0, 1).unique()
    masked = y.masked_select(y.ne(0)).var() if found.numel() > 1 else y.sum()
    return joined[order].prod(dim=-1).dot(joined.new_ones(x.size(0))) + smooth.max() + masked


def train(settings: Settings) -> tuple[Sorter, list[float]]:
    torch.manual_seed(0)
    data = Sequences(400, settings)
    learned, held = random_split(data, [320, 80])
    loader = DataLoader(learned, batch_size=settings.batch, shuffle=True)
    model = Sorter(settings)
    optimizer = optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=0.01)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=settings.steps)
    losses: list[float] = []
    for given, target in batches(loader, settings.steps):
        optimizer.zero_grad()
        logits = model(given)
        sharp = F.cross_entropy(logits.flatten(0, 1), target.flatten())
        loss = smoothed(logits, target) + 0.1 * sharp
        loss.backward()
        gradients(model, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.detach().cpu().item())
    model.eval()
    with torch.no_grad():
        given, target = held[0]
        logits = model(given.unsqueeze(0))
        assert logits.shape == torch.Size([1, settings.length, settings.digits])
        assert 0.0 <= accuracy(logits, target) <= 1.0
        assert confusion(logits[0], target, settings.digits).shape[0] == settings.digits
    return model, losses


def main() -> None:
    settings = Settings()
    model, losses = train(settings)
    pairs = TensorDataset(torch.rand(4, 4), torch.rand(4))
    first: Tensor = pairs[0][0]
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}", statistics(model))
    print(extras(torch.rand(4, 4)).tolist(), first.dim(), first.is_floating_point())


if __name__ == "__main__":
    main()
