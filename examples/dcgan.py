"""Two convolutional networks, one that forges digits and one that tells them from real ones.

    python -m rushlight examples/dcgan.py    (on PyTorch: python examples/dcgan.py)

The generator enlarges noise by transposed convolutions, the discriminator shrinks pictures by
strided ones, both with batch normalisation (Radford et al., 2016). OUT gets samples.png: the same
codes before the first epoch and after the last one, and real digits for comparison.
"""

import argparse
from pathlib import Path

import pictures
import torch
import torch.nn.functional as F
from torch import nn


def generator(code, width):
    """(B, code, 1, 1) to (B, 1, 16, 16) in [-1, 1]."""
    return nn.Sequential(
        nn.ConvTranspose2d(code, width * 2, kernel_size=4, bias=False),  # (B, 2w, 4, 4)
        nn.BatchNorm2d(width * 2),
        nn.ReLU(True),
        nn.ConvTranspose2d(width * 2, width, 4, stride=2, padding=1, bias=False),  # (B, w, 8, 8)
        nn.BatchNorm2d(width),
        nn.ReLU(True),
        nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1, bias=False),  # (B, 1, 16, 16)
        nn.Tanh(),
    )


def discriminator(width):
    """(B, 1, 16, 16) to (B, 1, 1, 1): above 0 for pictures taken to be real."""
    return nn.Sequential(
        nn.Conv2d(1, width, 4, stride=2, padding=1, bias=False),  # (B, w, 8, 8)
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(width, width * 2, 4, stride=2, padding=1, bias=False),  # (B, 2w, 4, 4)
        nn.BatchNorm2d(width * 2),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(width * 2, 1, 4, bias=False),  # (B, 1, 1, 1)
    )


def weights_init(module):
    """Small normal weights, as the authors use."""
    name = type(module).__name__
    if "Conv" in name:
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


def main():
    """Train both in turn, measure how far the forged pictures are from real ones, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--code", type=int, default=32, help="numbers that a picture is made of")
    parser.add_argument("--width", type=int, default=24, help="channels of the widest pictures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/dcgan"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    real = pictures.digits(16)[0] * 2 - 1
    forger, judge = generator(args.code, args.width), discriminator(args.width)
    forger.apply(weights_init)
    judge.apply(weights_init)
    options = {"lr": args.lr, "betas": (0.5, 0.999)}
    forger_optimizer = torch.optim.Adam(forger.parameters(), **options)
    judge_optimizer = torch.optim.Adam(judge.parameters(), **options)
    codes = torch.randn(256, args.code, 1, 1)
    with torch.no_grad():
        before = forger(codes)

    for epoch in range(1, args.epochs + 1):
        judged = forged = count = 0
        for x in pictures.batches(real, args.batch_size):
            yes, no = torch.ones(len(x)), torch.zeros(len(x))
            fake = forger(torch.randn(len(x), args.code, 1, 1))

            judge.zero_grad()
            loss = F.binary_cross_entropy_with_logits(judge(x).view(-1), yes)
            loss.backward()
            fake_loss = F.binary_cross_entropy_with_logits(judge(fake.detach()).view(-1), no)
            fake_loss.backward()
            judge_optimizer.step()
            judged += loss.item() + fake_loss.item()

            forger.zero_grad()
            loss = F.binary_cross_entropy_with_logits(judge(fake).view(-1), yes)
            loss.backward()
            forger_optimizer.step()
            forged += loss.item()
            count += 1
        if epoch % 5 == 0 or epoch == args.epochs:
            print(f"epoch {epoch}  judge {judged / count:.3f}  forger {forged / count:.3f}")

    with torch.no_grad():
        after = forger(codes)
    rows = torch.cat((before[:16], after[:48], real[:16]))
    pictures.save((rows + 1) / 2, args.out / "samples.png")
    first, last = pictures.distance(real, before), pictures.distance(real, after)
    print(f"distance from real digits {first:.1f} at first, {last:.1f} at last")
    assert last < 0.3 * first, "the forged pictures have not come closer to the real ones"


if __name__ == "__main__":
    main()
