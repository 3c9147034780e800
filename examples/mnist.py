"""Learn handwritten digits with the network of PyTorch's MNIST example.

    python examples/mnist.py                           scikit-learn's 1,797 real digits, no download
    python examples/mnist.py --data mnist --root DIR   MNIST itself (--download fetches it)
    python examples/mnist.py --resume                  continue where the last run stopped

Model, optimiser and random state go to OUT/checkpoint.pt after each epoch, the curves to
OUT/curves.png; the last line is the test accuracy. With --with-torch the same program runs on
PyTorch.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from rushlight.vision import datasets, transforms

if "--with-torch" in sys.argv:
    import torch
else:
    import rushlight as torch

nn, F = torch.nn, torch.nn.functional
EPOCHS = {"digits": 80, "mnist": 10}


class Net(nn.Module):
    """Two convolutions with dropped channels in between, two linear layers."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):  # (B, 1, 28, 28)
        x = F.relu(F.max_pool2d(self.conv1(x), 2))  # (B, 10, 12, 12)
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))  # (B, 20, 4, 4)
        x = F.relu(self.fc1(x.view(-1, 320)))  # (B, 50)
        return F.log_softmax(self.fc2(x), dim=1)  # (B, 10)


def digits():
    """Training and test samples of scikit-learn's digits; a fixed fifth is held out."""
    from sklearn.datasets import load_digits

    found: Any = load_digits()
    images = (found.images * (255 / 16)).astype("uint8")  # (1797, 8, 8), from 0..16
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0)).tolist()
    held_out = len(images) // 5
    transform = transforms.Compose(
        [
            transforms.ToPILImage(),
            transforms.Resize((20, 20)),
            transforms.Pad(4),  # 28x28 with a margin, as MNIST's images are laid out
            transforms.ToTensor(),
            transforms.Normalize((0.155,), (0.277,)),
        ]
    )
    samples = [(transform(images[i]), int(found.target[i])) for i in order]
    return samples[held_out:], samples[:held_out]


def mnist(root, download):
    """Training and test samples of MNIST."""
    transform = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))]
    )
    return tuple(
        datasets.MNIST(root, train=train, download=download, transform=transform)
        for train in (True, False)
    )


def in_memory(samples):
    """The transformed samples as one data set of tensors, so that each is transformed only once."""
    images, labels = zip(*(samples[i] for i in range(len(samples))), strict=True)
    images = torch.from_numpy(np.stack([image.numpy() for image in images]))
    return torch.utils.data.TensorDataset(images, torch.tensor(labels))


def train_epoch(model, loader, optimizer, bar):
    """One pass over the training data; the mean loss of its samples."""
    model.train()
    total = 0.0
    for x, target in loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), target)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
        bar.update()
        bar.set_postfix(loss=f"{loss.item():.4f}", refresh=False)
    return total / len(loader.dataset)


def evaluate(model, loader):
    """Mean loss and accuracy on the test data."""
    model.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for x, target in loader:
            output = model(x)
            total += F.nll_loss(output, target, reduction="sum").item()
            correct += (output.argmax(dim=1) == target).sum().item()
    return total / len(loader.dataset), correct / len(loader.dataset)


def save(state, path):
    """Write a checkpoint so that a crash leaves the old one or the new one, never half of one."""
    temporary = path.with_suffix(".tmp")
    torch.save(state, temporary)
    os.replace(temporary, path)


def draw(history, path):
    """The losses and the accuracy after each epoch."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    epochs = range(1, len(history["train loss"]) + 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    for name in ("train loss", "test loss"):
        left.plot(epochs, history[name], label=name)
    left.set(xlabel="epoch", ylabel="negative log likelihood")
    left.legend()
    right.plot(epochs, history["accuracy"], color="tab:green")
    right.set(xlabel="epoch", ylabel="test accuracy")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--data", choices=("digits", "mnist"), default="digits")
    parser.add_argument("--root", default="data", help="folder of MNIST's files")
    parser.add_argument("--download", action="store_true", help="fetch MNIST into ROOT")
    parser.add_argument("--epochs", type=int, help="in all, resumed ones included")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--momentum", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("outputs/mnist"), help="folder to write to"
    )
    parser.add_argument("--resume", action="store_true", help="continue from OUT/checkpoint.pt")
    parser.add_argument("--with-torch", action="store_true", help="run on PyTorch")
    return parser.parse_args()


def main():
    """Train, evaluate, save, draw."""
    args = arguments()
    epochs = EPOCHS[args.data] if args.epochs is None else args.epochs
    if epochs < 1:
        sys.exit("nothing to train: --epochs must be at least 1")
    args.out.mkdir(parents=True, exist_ok=True)
    checkpoint = args.out / "checkpoint.pt"

    parts = digits() if args.data == "digits" else mnist(args.root, args.download)
    train_data, test_data = map(in_memory, parts)
    torch.manual_seed(args.seed)
    train_loader = torch.utils.data.DataLoader(train_data, args.batch_size, shuffle=True)
    test_loader = torch.utils.data.DataLoader(test_data, 1000)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    history = {"train loss": [], "test loss": [], "accuracy": []}
    if args.resume:
        if not checkpoint.exists():
            sys.exit(f"there is no {checkpoint} to continue from: run without --resume first")
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        history = state["history"]
        if state["data"] != args.data:
            sys.exit(f"{checkpoint} was trained on {state['data']}, not on {args.data}")

    done = len(history["accuracy"])
    with tqdm(
        total=max(epochs, done) * len(train_loader),
        initial=done * len(train_loader),
        unit="batch",
        mininterval=0.5,
    ) as bar:
        for epoch in range(done + 1, epochs + 1):
            bar.set_description(f"epoch {epoch}/{epochs}", refresh=False)
            train_loss = train_epoch(model, train_loader, optimizer, bar)
            test_loss, accuracy = evaluate(model, test_loader)
            for name, value in zip(history, (train_loss, test_loss, accuracy), strict=True):
                history[name].append(value)
            bar.write(
                f"epoch {epoch}  train loss {train_loss:.4f}  test loss {test_loss:.4f}  "
                f"accuracy {accuracy:.4f}"
            )
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "history": history,
                "data": args.data,
            }
            save(state, checkpoint)
    draw(history, args.out / "curves.png")
    print(f"curves in {args.out / 'curves.png'}, checkpoint in {checkpoint}")
    print(f"accuracy {history['accuracy'][-1]:.4f}")


if __name__ == "__main__":
    main()
