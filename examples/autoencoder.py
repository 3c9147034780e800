"""Squeeze pictures of digits through a few numbers and draw them again: an autoencoder.

    python -m rushlight examples/autoencoder.py    (on PyTorch: python examples/autoencoder.py)

The decoder enlarges by sub-pixel convolution: a convolution makes r * r channels for each wanted
one, and PixelShuffle lays them out as r times as many rows and columns (Shi et al., 2016). OUT gets
reconstructions.png: rows of test digits, each with its reconstruction below.
"""

import argparse
from pathlib import Path

import pictures
import torch
import torch.nn.functional as F
from torch import nn


class Upscale(nn.Module):
    """Twice as many rows and columns."""

    def __init__(self, before, after):
        super().__init__()
        self.conv = nn.Conv2d(before, after * 4, kernel_size=3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):  # (B, before, H, W)
        return self.shuffle(self.conv(x))  # (B, after, 2H, 2W)


class Autoencoder(nn.Module):
    """16x16 pixels to `code` numbers and back."""

    def __init__(self, code):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1),  # (B, 16, 8, 8)
            nn.ReLU(),
            nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1),  # (B, 32, 4, 4)
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, code),
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, 32 * 4 * 4),
            nn.ReLU(),
            nn.Unflatten(1, (32, 4, 4)),
            Upscale(32, 16),  # (B, 16, 8, 8)
            nn.ReLU(),
            Upscale(16, 1),  # (B, 1, 16, 16)
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main():
    """Train, compare with the best that one picture for all could do, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--code", type=int, default=12, help="numbers that a picture becomes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/autoencoder"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    images, _ = pictures.digits(16)
    images = images[torch.randperm(len(images))]
    test, train = images[:297], images[297:]
    model = Autoencoder(args.code)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        total = count = 0
        for x in pictures.batches(train, args.batch_size):
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            total, count = total + loss.item(), count + 1
        print(f"epoch {epoch}  loss {total / count:.5f}")

    with torch.no_grad():
        again = model(test)
        error = F.mse_loss(again, test).item()
        baseline = F.mse_loss(train.mean(0, keepdim=True).expand_as(test), test).item()
    rows = [part[i : i + 8] for i in range(0, 32, 8) for part in (test, again)]
    pictures.save(torch.cat(rows), args.out / "reconstructions.png")
    print(f"test error {error:.5f}, of the mean picture {baseline:.5f}")
    assert error < 0.6 * baseline, "the reconstructions are hardly better than the mean picture"


if __name__ == "__main__":
    main()
