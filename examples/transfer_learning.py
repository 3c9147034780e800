"""Transfer learning: a network that knows five digits learns the other five from a hundred images.

    python examples/transfer_learning.py                    under PyTorch and torchvision
    python -m rushlight examples/transfer_learning.py       the same file under Rushlight

A ResNet-18 is trained on the digits 0 to 4 (scikit-learn's: real handwriting, no download). Then
its head is replaced, its lower half is frozen, and the rest learns the digits 5 to 9, the upper
layers faster than the lower ones. A network of the same kind that knows nothing gets the same
images and the same steps, for comparison.
"""

import argparse
import copy
from pathlib import Path
from typing import Any

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision import models

FROZEN = ("conv1", "bn1", "layer1", "layer2")


def digits(wanted):
    """Images (N, 3, 32, 32) of some digits, normalized, and their labels from 0."""
    found: Any = load_digits()
    chosen = [i for i, label in enumerate(found.target) if label in wanted]
    images = torch.tensor(found.images[chosen], dtype=torch.float32) / 16  # (N, 8, 8)
    images = nn.functional.interpolate(images[:, None], size=32, mode="bilinear")
    labels = torch.tensor([wanted.index(found.target[i]) for i in chosen])
    return TensorDataset((images.expand(-1, 3, -1, -1) - 0.3) / 0.35, labels)


def freeze(model):
    """No gradients below `layer3`, and no new statistics in the norms there."""
    for name in FROZEN:
        part = getattr(model, name)
        part.eval()
        for parameter in part.parameters():
            parameter.requires_grad_(False)


def train(model, loader, optimizer, epochs, frozen=False):
    """Minimise the cross entropy; the mean loss of each epoch."""
    history = []
    for _ in range(epochs):
        model.train()
        if frozen:
            freeze(model)  # train() woke the norms up
        total = 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
        history.append(total / len(loader.dataset))
    return history


@torch.no_grad()
def accuracy(model, data):
    """The share of images that get the right label."""
    model.eval()
    right = sum(
        (model(images).argmax(1) == labels).sum().item()
        for images, labels in DataLoader(data, batch_size=128)
    )
    return right / len(data)


def groups(model, lr):
    """The higher a layer, the more it may change."""
    return [
        {"params": model.layer3.parameters(), "lr": lr / 10},
        {"params": model.layer4.parameters(), "lr": lr / 3},
        {"params": model.fc.parameters(), "lr": lr},
    ]


def main():
    """Train on five digits, transfer to five others, check what moved and what was learned."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--source-images", type=int, default=480, help="of the digits 0 to 4")
    parser.add_argument("--target-images", type=int, default=100, help="of the digits 5 to 9")
    parser.add_argument("--epochs", type=int, default=4, help="on each task")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/transfer"), help="folder")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)

    def loader(data):
        return DataLoader(data, batch_size=32, shuffle=True)

    source = digits([0, 1, 2, 3, 4])
    source = torch.utils.data.Subset(source, range(args.source_images))
    model = models.resnet18(weights=None, num_classes=5)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    history = train(model, loader(source), optimizer, args.epochs)
    print("source  loss " + " ".join(f"{loss:.3f}" for loss in history))
    torch.save(model.state_dict(), args.out / "source.pt")

    target = digits([5, 6, 7, 8, 9])
    few, held_out = torch.utils.data.random_split(
        target, [args.target_images, len(target) - args.target_images]
    )
    known = models.resnet18(weights=None, num_classes=5)
    known.load_state_dict(torch.load(args.out / "source.pt"))
    known.fc = nn.Linear(known.fc.in_features, 5)
    freeze(known)
    before = copy.deepcopy(known.state_dict())
    optimizer = torch.optim.Adam(groups(known, args.lr))
    history = train(known, loader(few), optimizer, args.epochs, frozen=True)
    print("target  loss " + " ".join(f"{loss:.3f}" for loss in history))

    changed = {
        name.split(".")[0]
        for name, value in known.state_dict().items()
        if not torch.equal(value, before[name])
    }
    assert changed == {"layer3", "layer4", "fc"}, changed
    moved = [
        max((p - before[f"{name}.{n}"]).abs().max().item() for n, p in part.named_parameters())
        for name, part in (("layer3", known.layer3), ("fc", known.fc))
    ]
    assert moved[0] < moved[1], moved

    blank = models.resnet18(weights=None, num_classes=5)
    optimizer = torch.optim.Adam(blank.parameters(), lr=args.lr)
    train(blank, loader(few), optimizer, args.epochs)
    transferred, scratch = accuracy(known, held_out), accuracy(blank, held_out)
    print(f"accuracy  transferred {transferred:.3f}  from scratch {scratch:.3f}")
    assert history[-1] < history[0]
    assert transferred > 0.6


if __name__ == "__main__":
    main()
