"""Paint one picture in the manner of another: neural style transfer.

    python -m rushlight examples/style.py    (on PyTorch: python examples/style.py)

The picture itself is what is trained, by L-BFGS. A ContentLoss compares the features of a layer
with those of the content, a StyleLoss compares their Gram matrices with those of the style (Gatys
et al., 2016). Both are modules that let their input pass, put behind the layers of a network. The
network here is small and shaped like VGG; its filters are random, which serves for simple textures
(Ustyuzhaninov et al., 2017), or with --train first learn to tell digits apart. The pictures are
drawn by formulas unless --content and --style name files. OUT gets content, style and result side
by side as style.png, and the result alone as result.png.
"""

import argparse
from pathlib import Path

import pictures
import torch
import torch.nn.functional as F
from torch import nn


class ContentLoss(nn.Module):
    """Lets its input pass; `loss` is its distance from the content's features."""

    def __init__(self, target):
        super().__init__()
        self.target = target.detach()  # a constant: it must not be differentiated

    def forward(self, x):
        self.loss = F.mse_loss(x, self.target)
        return x


def gram_matrix(x):
    """How often features of (B, C, H, W) occur together, wherever that is: (B * C, B * C)."""
    b, c, h, w = x.size()
    features = x.view(b * c, h * w)
    return torch.mm(features, features.t()).div(b * c * h * w)


class StyleLoss(nn.Module):
    """Lets its input pass; `loss` is the distance of its Gram matrix from the style's."""

    def __init__(self, target):
        super().__init__()
        self.target = gram_matrix(target).detach()

    def forward(self, x):
        self.loss = F.mse_loss(gram_matrix(x), self.target)
        return x


def roughness(x):
    """The mean square of the difference between neighbouring pixels: what random filters overlook.

    It is the total variation of Mahendran and Vedaldi (2015), with squares.
    """
    return x.diff(dim=2).pow(2).mean() + x.diff(dim=3).pow(2).mean()


class Normalize(nn.Module):
    """Values from [0, 1] to about 0 with deviation 1, so that dark counts as much as bright."""

    def forward(self, x):
        return (x - 0.5) / 0.25


def network(width):
    """Five convolutions in three sizes, like the beginning of VGG."""
    net = nn.Sequential(
        Normalize(),
        nn.Conv2d(3, width, 3, padding=1, padding_mode="reflect"),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1, padding_mode="reflect"),
        nn.ReLU(),
        nn.AvgPool2d(2),
        nn.Conv2d(width, width * 2, 3, padding=1, padding_mode="reflect"),
        nn.ReLU(),
        nn.Conv2d(width * 2, width * 2, 3, padding=1, padding_mode="reflect"),
        nn.ReLU(),
        nn.AvgPool2d(2),
        nn.Conv2d(width * 2, width * 4, 3, padding=1, padding_mode="reflect"),
        nn.ReLU(),
    )
    for layer in net:
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
    return net


def train(net, width, epochs):
    """Let the filters learn to tell coloured digits apart."""
    images, labels = pictures.digits(16)
    head = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(width * 16, 10))
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=2e-3)
    for epoch in range(1, epochs + 1):
        order, right = torch.randperm(len(images)), 0
        for i in range(0, len(order), 64):
            x, y = images[order[i : i + 64]], labels[order[i : i + 64]]
            ink, paper = torch.rand(len(x), 3, 1, 1), torch.rand(len(x), 3, 1, 1)
            optimizer.zero_grad()
            scores = head(net(x * ink + (1 - x) * paper))
            F.cross_entropy(scores, y).backward()
            optimizer.step()
            right += (scores.argmax(1) == y).sum().item()
        print(f"training the filters, epoch {epoch}: {right / len(images):.3f} of digits right")


def even_out(net, picture):
    """Scale each filter so that its mean activation on a picture is 1 (as in Gatys et al.)."""
    x = picture
    with torch.no_grad():
        for layer in net:
            x = layer(x)
            if isinstance(layer, nn.Conv2d):
                means = x.clamp(min=0).mean(dim=(0, 2, 3)).clamp(min=1e-3)
                layer.weight.div_(means.view(-1, 1, 1, 1))
                layer.bias.div_(means)
                x = x / means.view(1, -1, 1, 1)
    for p in net.parameters():
        p.requires_grad_(False)


def with_losses(net, content, style):
    """The network with a loss behind each convolution: (model, content losses, style losses)."""
    model, content_losses, style_losses = nn.Sequential(), [], []
    number = 0
    for layer in net:
        if isinstance(layer, nn.ReLU):
            layer = nn.ReLU(inplace=False)  # an in-place one would change what the losses keep
        number += isinstance(layer, nn.Conv2d)
        model.add_module(f"{type(layer).__name__.lower()}_{len(model)}", layer)
        if isinstance(layer, nn.ReLU):
            style_losses.append(StyleLoss(model(style)))
            model.add_module(f"style_{number}", style_losses[-1])
        if isinstance(layer, nn.ReLU) and number == 4:
            content_losses.append(ContentLoss(model(content)))
            model.add_module(f"content_{number}", content_losses[-1])
    return model, content_losses, style_losses


def total(losses):
    """The sum of what the parts of a network have kept."""
    return torch.stack([part.loss for part in losses]).sum()


def drawn(size):
    """A content and a style: plain shapes before a pale sky, and bright waves."""
    y, x = torch.meshgrid(torch.linspace(0, 1, size), torch.linspace(0, 1, size), indexing="ij")
    content = torch.stack((0.6 + 0.2 * y, 0.75 + 0.1 * y, 0.95 - 0.2 * y))
    shapes = [
        ((x - 0.3) ** 2 + (y - 0.35) ** 2 < 0.035, (0.85, 0.2, 0.15)),
        ((x > 0.55) & (x < 0.9) & (y > 0.15) & (y < 0.5), (0.15, 0.35, 0.7)),
        ((y > 0.6) & (y < 0.92) & ((x - 0.5).abs() < (y - 0.6) * 1.2), (0.2, 0.55, 0.25)),
    ]
    for inside, color in shapes:
        content = torch.where(inside, torch.tensor(color).view(3, 1, 1), content)
    bend = x + 0.08 * torch.sin(9 * y) + 0.03 * torch.sin(23 * y + 3 * x)
    waves = torch.stack([0.5 + 0.5 * torch.sin(40 * bend + phase) for phase in (0.0, 1.0, 2.6)])
    return content.unsqueeze(0), waves.unsqueeze(0)


def read(path, size):
    """An image file as (1, 3, size, size)."""
    import numpy as np
    from PIL import Image

    image = Image.open(path).convert("RGB").resize((size, size))
    array = np.asarray(image, dtype=np.float32).transpose(2, 0, 1) / 255
    return torch.from_numpy(array.copy()).unsqueeze(0)


def main():
    """Optimise the picture, compare its losses with those at the start, and draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--steps", type=int, default=500, help="evaluations by L-BFGS")
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--style-weight", type=float, default=5e3)
    parser.add_argument("--content-weight", type=float, default=1.0)
    parser.add_argument("--smoothness", type=float, default=30.0)
    parser.add_argument("--noise", type=float, default=0.3, help="part of noise at the start")
    parser.add_argument("--train", type=int, default=0, help="epochs of training of the filters")
    parser.add_argument("--content", type=Path, help="an image file")
    parser.add_argument("--style", type=Path, help="an image file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/style"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    content, style = drawn(args.size)
    content = read(args.content, args.size) if args.content else content
    style = read(args.style, args.size) if args.style else style
    net = network(args.width)
    if args.train:
        train(net, args.width, args.train)
    even_out(net, torch.cat((content, style)))
    model, content_losses, style_losses = with_losses(net, content, style)

    # What is trained goes through a sigmoid, so that the picture always stays within [0, 1]. Plain
    # areas stay plain if all their pixels have the same gradient: noise tells them apart.
    start = torch.lerp(content, torch.rand_like(content), args.noise)
    image = torch.logit(start.clamp(0.05, 0.95)).requires_grad_(True)
    optimizer = torch.optim.LBFGS([image], line_search_fn="strong_wolfe")
    history = []
    while len(history) < args.steps:

        def closure():
            optimizer.zero_grad()
            model(torch.sigmoid(image))
            style_score = args.style_weight * total(style_losses)
            content_score = args.content_weight * total(content_losses)
            smooth = args.smoothness * roughness(torch.sigmoid(image))
            loss = style_score + content_score + smooth
            loss.backward()
            history.append((style_score.item(), content_score.item()))
            if len(history) % 50 == 0:
                print(
                    f"step {len(history)}  style {history[-1][0]:.3f}  content {history[-1][1]:.3f}"
                )
            return loss

        optimizer.step(closure)

    with torch.no_grad():
        result = torch.sigmoid(image)
        model(result)
        style_score = args.style_weight * total(style_losses).item()
        content_score = total(content_losses).item()
        model(style)
        content_of_style = total(content_losses).item()
    pictures.save(torch.cat((content, style, result)), args.out / "style.png", columns=3)
    pictures.save(result, args.out / "result.png", columns=1)
    print(
        f"style {history[0][0]:.3f} -> {style_score:.3f}; content {content_score:.3f}, "
        f"of the style picture {content_of_style:.3f}"
    )
    assert style_score < 0.3 * history[0][0], "the picture has not taken on the style"
    assert content_score < 0.7 * content_of_style, "the content is lost"


if __name__ == "__main__":
    main()
