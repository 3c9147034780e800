"""Several losses on one graph: digits are told apart and drawn again from the same 16 numbers.

    python examples/multi_loss.py                    under PyTorch
    python -m rushlight examples/multi_loss.py       the same file under Rushlight

An encoder feeds a classifier and a decoder. Each loss is differentiated by itself, which takes
`retain_graph=True` for all but the last: its share of the encoder's gradient can then be looked at,
and here both are brought to the same length, so that neither task drowns the other.
"""

import argparse
from typing import Any

import torch
from sklearn.datasets import load_digits
from torch import nn


class Net(nn.Module):
    """64 pixels -> 16 numbers -> 10 classes, and 64 pixels again."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 16), nn.Tanh())
        self.classify = nn.Linear(16, 10)
        self.decode = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x):  # (B, 64)
        code = self.encode(x)  # (B, 16)
        return self.classify(code), self.decode(code)  # (B, 10), (B, 64)


def losses(model, images, labels):
    """The loss of each task, on one graph."""
    scores, drawn = model(images)
    return [nn.functional.cross_entropy(scores, labels), nn.functional.mse_loss(drawn, images)]


def gradients(model):
    """Copies of all gradients, which are None before the first backward."""
    return [None if p.grad is None else p.grad.clone() for p in model.parameters()]


def check_sums(model, images, labels):
    """Two backward passes leave the gradients of one pass through the sum of both losses."""
    first, second = losses(model, images, labels)
    first.backward(retain_graph=True)
    assert model.decode[0].weight.grad is None  # the first loss has not seen the decoder
    second.backward()
    apart = gradients(model)
    model.zero_grad()
    torch.stack(losses(model, images, labels)).sum().backward()
    for one, other in zip(apart, gradients(model), strict=True):
        torch.testing.assert_close(one, other)
    model.zero_grad()
    try:
        second.backward()  # the graph is gone
    except RuntimeError as error:
        text = str(error)
    assert "second time" in text
    model.zero_grad()


def balanced_step(model, optimizer, parts):
    """One step in which every loss moves the encoder equally far; the lengths there were."""
    shared = list(model.encode.parameters())
    lengths = []
    total = [torch.zeros_like(p) for p in shared]
    optimizer.zero_grad()
    for i, loss in enumerate(parts):
        for p in shared:
            p.grad = None
        loss.backward(retain_graph=i + 1 < len(parts))
        length = torch.cat([p.grad.flatten() for p in shared]).norm()
        for kept, p in zip(total, shared, strict=True):
            kept += p.grad / (length + 1e-12)
        lengths.append(length.item())
    for kept, p in zip(total, shared, strict=True):
        p.grad = kept * (sum(lengths) / len(lengths))
    optimizer.step()
    return lengths


def main():
    """Train both tasks, check that both were learned."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    found: Any = load_digits()
    images = torch.tensor(found.data, dtype=torch.float32) / 16  # (1797, 64)
    labels = torch.tensor(found.target)
    order = torch.randperm(len(images))
    held_out, known = order[:360], order[360:]

    model = Net()
    check_sums(model, images[:32], labels[:32])
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    first = [loss.item() for loss in losses(model, images[held_out], labels[held_out])]
    for epoch in range(1, args.epochs + 1):
        for batch in known[torch.randperm(len(known))].split(args.batch_size):
            lengths = balanced_step(model, optimizer, losses(model, images[batch], labels[batch]))
        with torch.no_grad():
            last = [loss.item() for loss in losses(model, images[held_out], labels[held_out])]
        print(
            f"epoch {epoch:2}  class {last[0]:.3f}  image {last[1]:.4f}"
            f"  lengths of the last gradients {lengths[0]:.3f} {lengths[1]:.3f}"
        )
    with torch.no_grad():
        right = (model(images[held_out])[0].argmax(1) == labels[held_out]).float().mean().item()
    print(f"accuracy {right:.3f}  image loss {first[1]:.4f} -> {last[1]:.4f}")
    assert right > 0.8
    assert last[1] < first[1] / 2


if __name__ == "__main__":
    main()
