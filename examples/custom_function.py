"""A derivative of one's own: a smooth activation, checked, and weights of one bit, trained.

    python examples/custom_function.py                    under PyTorch
    python -m rushlight examples/custom_function.py       the same file under Rushlight

`Mish` saves its input and computes forward and backward by hand; `gradcheck` and `gradgradcheck`
compare its first and second derivatives with differences. `Sign` has no useful derivative: its
backward passes the gradient straight through where the input is small, which trains a network whose
weights are only +1 and -1.
"""

import argparse

import torch
from torch import nn
from torch.autograd import Function, gradcheck, gradgradcheck


class Mish(Function):
    """x tanh(log(1 + exp(x))): https://arxiv.org/abs/1908.08681."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.tanh(nn.functional.softplus(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        t = torch.tanh(nn.functional.softplus(x))
        # Made of differentiable operations, so that it can be differentiated once more.
        return g * (t + x * torch.sigmoid(x) * (1 - t * t))


class Sign(Function):
    """+1 or -1, with the gradient of the identity between -1 and 1 (a straight-through estimator:
    https://arxiv.org/abs/1308.3432)."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1)


class Scaled(Function):
    """x times a plain number, which needs no gradient: its place in the result is None."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        assert ctx.needs_input_grad == (True, False)
        return g * ctx.factor, None


class WrongMish(Mish):
    """What `gradcheck` is for."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.tanh(nn.functional.softplus(x))


class OneBitLinear(nn.Linear):
    """A linear layer that computes with the signs of its weights."""

    def forward(self, x):  # (B, in)
        weight = Scaled.apply(Sign.apply(self.weight), self.in_features**-0.5)
        return nn.functional.linear(x, weight, self.bias)  # (B, out)


class Net(nn.Module):
    """Two layers of one-bit weights with a custom activation in between."""

    def __init__(self, width):
        super().__init__()
        self.first = OneBitLinear(2, width)
        self.second = OneBitLinear(width, width)
        self.last = nn.Linear(width, 1)

    def forward(self, x):  # (B, 2)
        x = Mish.apply(self.first(x))
        return self.last(Mish.apply(self.second(x))).squeeze(1)  # (B,)


def check():
    """The derivatives are right; a wrong one is found."""
    x = torch.linspace(-3, 3, 7, dtype=torch.float64, requires_grad=True)
    assert gradcheck(Mish.apply, (x,))
    assert gradgradcheck(Mish.apply, (x,))
    assert gradcheck(lambda t: Scaled.apply(t, 3.0), (x,))
    torch.testing.assert_close(Mish.apply(x), nn.functional.mish(x))
    assert not gradcheck(WrongMish.apply, (x,), raise_exception=False)

    y = Sign.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x)
    assert y.tolist() == [-1, -1, -1, 1, 1, 1, 1]
    assert g.tolist() == [0, 0, 1, 1, 1, 0, 0]
    print("derivatives are right; the wrong one was found")


def rings(count):
    """Points of two rings around the origin: (N, 2), and 1 for the outer one."""
    outer = torch.arange(count) % 2
    angle = 2 * torch.pi * torch.rand(count)
    radius = 0.7 + 0.8 * outer + 0.1 * torch.randn(count)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1), outer.float()


def main():
    """Check the functions, then train with them."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    check()

    torch.manual_seed(args.seed)
    model = Net(args.width)
    points, labels = rings(512)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(args.steps):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(points), labels)
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step:4}  loss {loss.item():.4f}")
    points, labels = rings(512)
    with torch.no_grad():
        right = ((model(points) > 0) == (labels > 0)).float().mean().item()
    print(f"accuracy {right:.3f} with weights of one bit")
    assert right > 0.9


if __name__ == "__main__":
    main()
