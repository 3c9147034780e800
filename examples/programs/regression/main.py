"""Fit a polynomial of degree 4 with one linear layer and gradient steps written by hand."""

import argparse
from itertools import count

import torch
import torch.nn.functional as F

DEGREE = 4


def features(x):
    """(N,) -> (N, 4): x, x², x³, x⁴."""
    x = x.unsqueeze(1)
    return torch.cat([x**i for i in range(1, DEGREE + 1)], 1)


def description(weights, bias):
    terms = [f"{w:+.2f} x^{len(weights) - i}" for i, w in enumerate(weights)]
    return "y = " + " ".join(terms) + f" {bias[0]:+.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-batches", type=int, default=100_000)
    args = parser.parse_args()
    if args.seed is not None:
        torch.manual_seed(args.seed)

    wanted = torch.randn(DEGREE, 1) * 5
    wanted_bias = torch.randn(1) * 5

    def batch(size):
        x = features(torch.randn(size))
        return x, x.mm(wanted) + wanted_bias.item()

    fc = torch.nn.Linear(wanted.size(0), 1)
    for batch_idx in count(1):
        batch_x, batch_y = batch(args.batch_size)
        fc.zero_grad()
        output = F.smooth_l1_loss(fc(batch_x), batch_y)
        loss = output.item()
        output.backward()
        for param in fc.parameters():
            assert param.grad is not None  # as backward has been there
            param.data.add_(-0.1 * param.grad)
        if loss < 1e-3 or batch_idx >= args.max_batches:
            break

    print(f"Loss: {loss:.6f} after {batch_idx} batches")
    print("==> Learned function:\t" + description(fc.weight.view(-1), fc.bias))
    print("==> Actual function:\t" + description(wanted.view(-1), wanted_bias))


if __name__ == "__main__":
    main()
