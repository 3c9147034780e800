"""Draw new digits from random numbers: a variational autoencoder.

    python -m rushlight examples/vae.py    (on PyTorch: python examples/vae.py)

The encoder gives the mean and log variance of a code, a code is drawn from them, the decoder draws
it (Kingma and Welling, 2014). OUT gets reconstructions.png, samples.png (random codes) and
between.png (codes between those of pairs of digits).
"""

import argparse
from pathlib import Path

import pictures
import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    """16x16 pixels, a code of `code` normal numbers."""

    def __init__(self, code):
        super().__init__()
        self.hidden = nn.Linear(256, 200)
        self.mean = nn.Linear(200, code)
        self.log_variance = nn.Linear(200, code)
        self.from_code = nn.Linear(code, 200)
        self.pixels = nn.Linear(200, 256)

    def encode(self, x):  # (B, 1, 16, 16)
        h = F.relu(self.hidden(x.view(-1, 256)))
        return self.mean(h), self.log_variance(h)  # (B, code) each

    def decode(self, z):  # (B, code)
        h = F.relu(self.from_code(z))
        return torch.sigmoid(self.pixels(h)).view(-1, 1, 16, 16)

    def forward(self, x):
        mean, log_variance = self.encode(x)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.decode(z), mean, log_variance


def negative_bound(again, x, mean, log_variance):
    """What is minimised: nats for the pixels and for the code, per picture."""
    pixels = F.binary_cross_entropy(again, x, reduction="sum")
    code = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return (pixels + code) / len(x)


def main():
    """Train, compare with pixels drawn independently, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--code", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/vae"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    images, _ = pictures.digits(16)
    images = images[torch.randperm(len(images))]
    test, train = images[:297], images[297:]
    model = VAE(args.code)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        model.train()
        total = count = 0
        for x in pictures.batches(train, args.batch_size):
            optimizer.zero_grad()
            again, mean, log_variance = model(x)
            loss = negative_bound(again, x, mean, log_variance)
            loss.backward()
            optimizer.step()
            total, count = total + loss.item(), count + 1
        if epoch % 5 == 0 or epoch == args.epochs:
            print(f"epoch {epoch}  loss {total / count:.2f}")

    model.eval()
    with torch.no_grad():
        again, mean, log_variance = model(test)
        bound = negative_bound(again, test, mean, log_variance).item()
        apart = train.mean(0, keepdim=True).clamp(0.01, 0.99).expand_as(test)
        baseline = F.binary_cross_entropy(apart, test, reduction="sum").item() / len(test)
        samples = model.decode(torch.randn(64, args.code))
        steps = torch.linspace(0, 1, 8).view(8, 1)
        between = [model.decode(torch.lerp(mean[i], mean[i + 1], steps)) for i in range(0, 16, 2)]
    rows = [part[i : i + 8] for i in range(0, 32, 8) for part in (test, again)]
    pictures.save(torch.cat(rows), args.out / "reconstructions.png")
    pictures.save(samples, args.out / "samples.png")
    pictures.save(torch.cat(between), args.out / "between.png")
    print(f"nats a picture {bound:.2f}, with independent pixels {baseline:.2f}")
    assert bound < 0.95 * baseline, "the code tells hardly anything about the picture"


if __name__ == "__main__":
    main()
