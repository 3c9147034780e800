"""What each process of `main.py` does."""

import os

import torch
from torch import optim
from torch.nn import functional as F


def train(rank, args, model, device, dataset, loading):
    torch.manual_seed(args.seed + rank)
    loader = torch.utils.data.DataLoader(dataset, **loading)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    for epoch in range(1, args.epochs + 1):
        train_epoch(epoch, args, model, device, loader, optimizer)


def test(args, model, device, dataset, loading):
    torch.manual_seed(args.seed)
    loader = torch.utils.data.DataLoader(dataset, **loading)
    test_epoch(model, device, loader)


def train_epoch(epoch, args, model, device, loader, optimizer):
    model.train()
    pid = os.getpid()
    for batch, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        output = model(data.to(device))
        loss = F.nll_loss(output, target.to(device))
        loss.backward()
        optimizer.step()
        if batch % args.log_interval == 0:
            seen, done = batch * len(data), 100.0 * batch / len(loader)
            print(
                f"{pid}\tTrain Epoch: {epoch} [{seen}/{len(loader.dataset)} ({done:.0f}%)]"
                f"\tLoss: {loss.item():.6f}",
                flush=True,
            )
            if args.dry_run:
                break


def test_epoch(model, device, loader):
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data.to(device))
            target = target.to(device)
            loss += F.nll_loss(output, target, reduction="sum").item()
            correct += (output.argmax(1) == target).sum().item()
    count = len(loader.dataset)
    print(
        f"\nTest set: Average loss: {loss / count:.4f}, "
        f"Accuracy: {correct}/{count} ({100.0 * correct / count:.0f}%)\n"
    )
