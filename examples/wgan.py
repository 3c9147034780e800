"""Forge digits by shortening the way to the real ones: a Wasserstein GAN with clamped weights.

    python -m rushlight examples/wgan.py    (on PyTorch: python examples/wgan.py)

The critic's weights are clamped to a small box after each of its steps, so that it cannot be
steep; the difference of its means over real and forged pictures then estimates how far the two are
apart (Arjovsky et al., 2017). OUT gets samples.png: the same codes before the first step and after
the last one, and real digits; and estimate.png, the estimate over the generator's steps.
"""

import argparse
from pathlib import Path

import pictures
import torch
from torch import nn


class Generator(nn.Module):
    """Noise (B, code) to pictures (B, 1, 16, 16) in [0, 1]."""

    def __init__(self, code):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(code, 128),
            nn.ReLU(True),
            nn.Linear(128, 256),
            nn.ReLU(True),
            nn.Linear(256, 256),
            nn.Sigmoid(),
        )

    def forward(self, z):
        return self.main(z).view(-1, 1, 16, 16)


class Critic(nn.Module):
    """A number for each picture; the mean over a set is what counts."""

    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(256, 128),
            nn.LeakyReLU(0.2, True),
            nn.Linear(128, 128),
            nn.LeakyReLU(0.2, True),
            nn.Linear(128, 1),
        )

    def forward(self, x):
        return self.main(x.view(-1, 256)).mean(0)


def main():
    """Train the critic five steps for each of the generator, measure, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500, help="of the generator")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--clamp", type=float, default=0.03, help="the largest weight")
    parser.add_argument("--critic-steps", type=int, default=5)
    parser.add_argument("--head-start", type=int, default=50, help="critic's steps at first")
    parser.add_argument("--code", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/wgan"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    real = pictures.digits(16)[0]
    generator, critic = Generator(args.code), Critic()
    generator_optimizer = torch.optim.RMSprop(generator.parameters(), lr=args.lr)
    critic_optimizer = torch.optim.RMSprop(critic.parameters(), lr=args.lr)
    one = torch.ones(1)
    minus_one = -one
    codes = torch.randn(256, args.code)
    with torch.no_grad():
        before = generator(codes)

    estimates = []
    score_real = score_fake = torch.zeros(())
    for step in range(1, args.steps + 1):
        for p in critic.parameters():
            p.requires_grad_(True)
        # A head start, as the authors give it: early estimates would tell of the critic alone.
        for _ in range(args.critic_steps if step > 25 else args.head_start):
            critic.zero_grad()
            x = real[torch.randint(len(real), (args.batch_size,))]
            score_real = critic(x)
            score_real.backward(minus_one)
            with torch.no_grad():
                fake = generator(torch.randn(args.batch_size, args.code))
            score_fake = critic(fake)
            score_fake.backward(one)
            critic_optimizer.step()
            for p in critic.parameters():
                p.data.clamp_(-args.clamp, args.clamp)
        estimates.append((score_real - score_fake).item())

        for p in critic.parameters():
            p.requires_grad_(False)  # saves the work of gradients that nobody asks for
        generator.zero_grad()
        score = critic(generator(torch.randn(args.batch_size, args.code)))
        score.backward(minus_one)
        generator_optimizer.step()
        if step % max(1, args.steps // 10) == 0:
            print(f"step {step}  estimated distance {estimates[-1]:.5f}")

    with torch.no_grad():
        after = generator(codes)
    pictures.save(torch.cat((before[:16], after[:48], real[:16])), args.out / "samples.png")
    draw(estimates, args.out / "estimate.png")
    assert max(p.abs().max().item() for p in critic.parameters()) <= args.clamp * 1.0001
    first, last = pictures.distance(real, before), pictures.distance(real, after)
    print(f"distance from real digits {first:.2f} at first, {last:.2f} at last")
    assert last < 0.3 * first, "the forged pictures have not come closer to the real ones"


def draw(estimates, path):
    """The critic's estimate over the steps of the generator."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axes.plot(range(1, len(estimates) + 1), estimates, linewidth=0.8)
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.3)  # by magnitude, and through zero
    axes.set(xlabel="step of the generator", ylabel="estimated distance")
    figure.savefig(path, dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    main()
