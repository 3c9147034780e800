"""Learn MNIST with the network of PyTorch's example; stop at any batch and resume exactly there.

    python main.py --download                     on PyTorch
    python -m rushlight main.py --download        on Rushlight: the same program, unchanged

Data and checkpoints are kept under ~/.torch (TORCH_HOME says otherwise). A checkpoint is written
after every 10 batches; --resume continues from it, in the middle of an epoch too, and gives the
losses that a run without the interruption gives.
"""

import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Sampler
from torchvision import datasets, transforms

HOME = os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join("~", ".torch")))


class Net(nn.Module):
    def __init__(self, dropout=True):
        super().__init__()
        self.dropout = dropout
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = self.conv2(x)
        if self.dropout:
            x = self.conv2_drop(x)
        x = F.relu(F.max_pool2d(x, 2))
        x = x.view(-1, 320)
        x = F.relu(self.fc1(x))
        x = F.dropout(x, training=self.training and self.dropout)
        return F.log_softmax(self.fc2(x), dim=1)


class EpochSampler(Sampler):
    """The shuffled order of one epoch, which is known by its number, from one sample on."""

    def __init__(self, data, seed):
        self.data, self.seed, self.epoch, self.start = data, seed, 0, 0

    def set_position(self, epoch, start):
        self.epoch, self.start = epoch, start

    def __iter__(self):
        order = torch.Generator()
        order.manual_seed(self.seed + self.epoch)
        return iter(torch.randperm(len(self.data), generator=order).tolist()[self.start :])

    def __len__(self):
        return len(self.data) - self.start


def arguments():
    parser = argparse.ArgumentParser(description="MNIST")
    parser.add_argument("--data", default=os.path.join(HOME, "datasets"), help="folder of the data")
    parser.add_argument(
        "--save", default=os.path.join(HOME, "models", "mnist.pt"), help="the checkpoint"
    )
    parser.add_argument("--download", action="store_true", help="fetch MNIST if it is not there")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--test-batch-size", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--max-steps", type=int, default=None, help="stop after so many batches")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--momentum", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--num-workers", type=int, default=4)
    parser.add_argument("--log-interval", type=int, default=10)
    parser.add_argument("--save-interval", type=int, default=10, help="batches per checkpoint")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--no-dropout", action="store_true")
    parser.add_argument("--no-cuda", action="store_true")
    parser.add_argument("--log-losses", metavar="FILE", help="write the loss of every batch")
    return parser.parse_args()


def save(path, state):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def test(model, device, loader):
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            loss += F.nll_loss(output, target, reduction="sum").item()
            correct += output.argmax(dim=1).eq(target).sum().item()
    count = len(loader.dataset)
    percent = 100.0 * correct / count
    print(f"\nTest set: Average loss: {loss / count:.4f}, ", end="")
    print(f"Accuracy: {correct}/{count} ({percent:.0f}%)\n")


def main():
    args = arguments()
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    torch.manual_seed(args.seed)

    transform = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))]
    )
    train_data = datasets.MNIST(args.data, train=True, download=args.download, transform=transform)
    test_data = datasets.MNIST(args.data, train=False, transform=transform)
    # Workers take their seeds from a generator of their own, so that the number of times that a
    # loader was started does not change what dropout draws.
    workers = torch.Generator()
    kwargs = {"num_workers": args.num_workers, "pin_memory": True, "generator": workers}
    sampler = EpochSampler(train_data, args.seed)
    train_loader = DataLoader(train_data, args.batch_size, sampler=sampler, **kwargs)
    test_loader = DataLoader(test_data, args.test_batch_size, **kwargs)

    model = Net(dropout=not args.no_dropout).to(device)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    epoch, batch, losses = 0, 0, []
    if args.resume:
        state = torch.load(args.save, map_location=device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        epoch, batch, losses = state["epoch"], state["batch"], state["losses"]
        torch.set_rng_state(state["random"].cpu())
        print(f"resumed at epoch {epoch + 1}, batch {batch}")

    batches = (len(train_data) + args.batch_size - 1) // args.batch_size
    stop = args.max_steps if args.max_steps is not None else args.epochs * batches
    while epoch < args.epochs and len(losses) < stop:
        model.train()
        sampler.set_position(epoch, batch * args.batch_size)
        for data, target in train_loader:
            data, target = data.to(device), target.to(device)
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            batch += 1
            if batch % args.log_interval == 0:
                seen, percent = batch * args.batch_size, 100.0 * batch / batches
                print(
                    f"Train Epoch: {epoch + 1} [{seen}/{len(train_data)} ({percent:.0f}%)]", end=""
                )
                print(f"\tLoss: {loss.item():.6f}")
            if len(losses) % args.save_interval == 0:
                state = {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "random": torch.get_rng_state(),
                    "epoch": epoch,
                    "batch": batch,
                    "losses": losses,
                }
                save(args.save, state)
            if len(losses) >= stop:
                break
        if batch >= batches:
            test(model, device, test_loader)
            epoch, batch = epoch + 1, 0

    if args.log_losses:
        with open(args.log_losses, "w") as file:
            file.writelines(f"{value!r}\n" for value in losses)


if __name__ == "__main__":
    main()
